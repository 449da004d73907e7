// SPDX-License-Identifier: GPL-3.0-or-later
// What tests of the whole window share: settings of their own, and experiments to open.
#pragma once

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFontMetrics>
#include <QStandardPaths>
#include <QTemporaryDir>

#include "experiment/builtin.h"
#include "experiment_file/experiment_file.h"
#include "views/theme/theme.h"

namespace shardscope::test {

/// The window keeps its settings in a folder for tests, which is empty then. Called before the first test of a class
/// and after the last one.
inline void clearSettings()
{
    QStandardPaths::setTestModeEnabled(true);
    QCoreApplication::setApplicationName(QStringLiteral("shardscope-test"));
    QDir(QStandardPaths::writableLocation(QStandardPaths::AppConfigLocation)).removeRecursively();
}

/// The notebook's experiment with arrays that train in no time.
inline QByteArray smallExperiment()
{
    Experiment experiment = builtinExamples().front().make();
    auto& settings = std::get<MlpModel>(experiment.model).settings;
    settings.layers = 2;
    settings.embed = 32;
    settings.hidden = 64;
    return QByteArray::fromStdString(writeExperiment(experiment));
}

/// The path of a file in the folder that holds smallExperiment(), written anew; "" where it cannot be.
inline QString writeSmallExperiment(const QTemporaryDir& folder)
{
    QFile file(folder.filePath(QStringLiteral("experiment.json")));
    const QByteArray text = smallExperiment();
    return file.open(QIODevice::WriteOnly | QIODevice::Truncate) && file.write(text) == text.size() ? file.fileName()
                                                                                                    : QString();
}

/// The notebook's experiment with findings that nobody acknowledges, on devices that stay.
inline Experiment withFindings()
{
    Experiment experiment = builtinExamples().front().make();
    experiment.acknowledged.clear();
    experiment.hardware.pinned = true;
    return experiment;
}

/// How wide a text is on tabs and on verdicts, in pixels.
inline int semiboldWidth(const QString& text)
{
    return QFontMetrics(Metrics::semibold()).horizontalAdvance(text);
}

} // namespace shardscope::test
