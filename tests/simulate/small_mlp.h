// SPDX-License-Identifier: GPL-3.0-or-later
// The MLP that tests of the simulation run on: small, with no two extents alike, on random inputs.
#pragma once

#include <QString>
#include <QStringList>

#include "networks/mlp.h"
#include "simulate/run/run.h"

namespace shardscope::test {

/// Extents that every mesh of meshesOfEight() divides.
inline MlpSettings smallMlp(DType dtype = DType::F32)
{
    MlpSettings settings;
    settings.layers = 3;
    settings.batch = 16;
    settings.embed = 24;
    settings.hidden = 40;
    settings.dtype = dtype;
    return settings;
}

inline InitialValues randomValues(std::uint64_t seed = 3)
{
    InitialValues initial;
    initial.seed = seed;
    initial.chosen = { { "x", parseInitialValue("normal 1").value() } };
    return initial;
}

inline RunOptions randomInputs(int threads = 2)
{
    RunOptions options;
    options.threads = threads;
    options.initial = randomValues();
    return options;
}

/// "data=2 model=4"
inline std::vector<MeshAxis> axesOf(const QString& text)
{
    std::vector<MeshAxis> axes;
    for (const QString& part : text.split(QLatin1Char(' '))) {
        const QStringList pair = part.split(QLatin1Char('='));
        axes.push_back({ pair[0].toStdString(), pair[1].toLongLong() });
    }
    return axes;
}

/// One device, and the notebook's ways to lay out eight.
inline QStringList meshesOfEight()
{
    return { QStringLiteral("data=1 model=1"), QStringLiteral("data=1 model=8"), QStringLiteral("data=2 model=4"),
        QStringLiteral("data=4 model=2"), QStringLiteral("data=8 model=1"), QStringLiteral("pod=2 data=2 model=2") };
}

} // namespace shardscope::test
