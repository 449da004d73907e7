// SPDX-License-Identifier: GPL-3.0-or-later
#include "document/pinned_side.h"

#include <QFileInfo>

#include "document/atomic_file.h"
#include "document/program_file.h"

namespace shardscope {

PinnedSide pinnedSide(ExperimentPtr experiment, const QString& name, const std::stop_token& stop)
{
    AnalysisCache cache;
    return { analyse(std::move(experiment), 1, cache, stop), name };
}

PinnedSide pinnedFile(const QString& path, const std::stop_token& stop)
{
    const QString name = QFileInfo(path).fileName();
    const auto failed = [&](std::vector<Diagnostic> errors) {
        for (Diagnostic& error : errors)
            if (error.where.file.empty())
                error.where.file = name.toStdString();
        return PinnedSide{ nullptr, name, std::move(errors) };
    };
    if (isProgramFile(path)) {
        Result<Experiment> experiment = openProgram(path);
        return experiment ? pinnedSide(std::make_shared<const Experiment>(std::move(*experiment)), name, stop)
                          : failed({ std::move(experiment.error()) });
    }
    const Result<QByteArray> content = readFile(path);
    if (!content)
        return failed({ content.error() });
    auto read = readExperiment(
        std::string_view(content->constData(), static_cast<std::size_t>(content->size())), filesBeside(path));
    return read ? pinnedSide(std::make_shared<const Experiment>(std::move(read->experiment)), name, stop)
                : failed(std::move(read.error()));
}

} // namespace shardscope
