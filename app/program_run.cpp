// SPDX-License-Identifier: GPL-3.0-or-later
#include "program_run.h"

#include <algorithm>

#include <QDir>

#include "base/text.h"
#include "command.h"
#include "simulate/run/memory.h"

namespace shardscope::cli {

std::optional<TwoStates> twoStatesOf(const std::string& text)
{
    const std::size_t comma = text.find(',');
    if (comma == std::string::npos)
        return std::nullopt;
    const auto from = wholeNumber<std::int64_t>(text.substr(0, comma)),
               to = wholeNumber<std::int64_t>(text.substr(comma + 1));
    if (!from || !to || *from < 0 || *to < 0 || std::max(*from, *to) > maxSteps)
        return std::nullopt;
    return TwoStates{ *from, *to };
}

std::int64_t ProgramRun::failedExpectations() const
{
    return std::count_if(
        first.findings.begin(), first.findings.end(), [](const ExpectationFinding& each) { return !each.passed(); });
}

int ProgramRun::status() const
{
    const bool isFinding = statusOf(problems) != Done || notPartitioned || checkRefused || failedExpectations() > 0
        || (check && !check->passed());
    return isFinding ? Findings : Done;
}

ExecuteOptions executeOptions(const RunCommandOptions& options, std::vector<Observer*> observers)
{
    ExecuteOptions how;
    how.threads = options.threads;
    how.memoryLimit = memoryLimit(RunOptions());
    how.maximumTrips = options.loopLimit;
    how.observers = std::move(observers);
    return how;
}

RunOptions stepOptions(const ProgramRun& run, const RunCommandOptions& options)
{
    RunOptions how;
    how.threads = options.threads;
    how.replicas = run.input.experiment.run.shareReplicas ? ReplicaMode::Shared : ReplicaMode::Own;
    how.maximumTrips = options.loopLimit;
    how.initial = run.starts.initial;
    return how;
}

std::vector<std::string> outputFiles(const Program& program, const std::string& out)
{
    const std::vector<ValueId>& results = program.main().results;
    if (out.ends_with(".npy")) {
        if (results.size() != 1)
            throw UsageError("--out",
                "names one file, and the program has " + std::to_string(results.size())
                    + " results; name a folder instead");
        return { out };
    }
    std::vector<std::string> files;
    const QDir folder(QString::fromStdString(out));
    for (std::size_t i = 0; i < results.size(); ++i)
        files.push_back(folder.filePath(QStringLiteral("result%1.npy").arg(i)).toStdString());
    return files;
}

double fullBytes(const Program& program, const std::vector<ValueId>& values)
{
    double bytes = 0;
    for (const ValueId value : values)
        bytes += static_cast<double>(program.value(value).type.byteCount());
    return bytes;
}

} // namespace shardscope::cli
