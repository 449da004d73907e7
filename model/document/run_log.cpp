// SPDX-License-Identifier: GPL-3.0-or-later
#include "document/run_log.h"

#include <algorithm>

#include "analysis/analyse.h"
#include "analysis/step_inputs.h"
#include "base/codes.h"
#include "document/array_file.h"
#include "experiment_file/differences.h"
#include "pipeline/stage_results.h"
#include "schedule/plan.h"
#include "simulate/run/step_statistics.h"
#include "words/words.h"

namespace shardscope {

namespace {

void measure(KeptRun& run, const RunController::Timings& timings)
{
    if (timings.timeit) {
        run.time = timings.timeit->mean;
        run.deviation = timings.timeit->deviation;
        return;
    }
    std::vector<double> walls;
    for (const StepTiming& step : timings.history)
        walls.push_back(step.wall);
    const TimeStatistics steps = statistics(walls);
    run.time = steps.usual();
    run.isMedian = steps.isUneven();
    run.deviation = steps.deviation;
}

} // namespace

RunLog::RunLog(Document* document, RunController* controller, QObject* parent)
    : QObject(parent)
    , m_document(document)
    , m_controller(controller)
{
    connect(controller, &RunController::stepped, this, &RunLog::follow);
    connect(controller, &RunController::timeitFinished, this, &RunLog::follow);
}

const KeptRun* RunLog::timeOf(std::uint64_t inputs) const
{
    const auto found = std::find_if(
        m_runs.rbegin(), m_runs.rend(), [inputs](const KeptRun& run) { return run.inputs == inputs && run.steps > 0; });
    return found == m_runs.rend() ? nullptr : &*found;
}

const KeptRun* RunLog::run(std::uint64_t number) const
{
    const auto found =
        std::find_if(m_runs.begin(), m_runs.end(), [number](const KeptRun& run) { return run.number == number; });
    return found == m_runs.end() ? nullptr : &*found;
}

void RunLog::remove(std::uint64_t number)
{
    const auto isIt = [number](const KeptRun& run) { return run.number == number; };
    if (std::erase_if(m_runs, isIt) > 0)
        Q_EMIT changed();
}

void RunLog::setAgreement(std::uint64_t number, CheckVerdict verdict)
{
    for (KeptRun& run : m_runs)
        if (run.number == number) {
            run.agreement = verdict;
            Q_EMIT changed();
        }
}

void RunLog::follow()
{
    const RunController::Timings& timings = m_controller->timings();
    if (timings.history.empty() || !timings.of) { // laid out anew: what comes next is another run
        m_current = 0;
        m_of.reset();
        return;
    }
    if (m_current == 0 || m_of != timings.of) {
        m_current = ++m_last;
        m_of = timings.of;
        KeptRun run;
        run.number = m_current;
        run.inputs = hashOfInputs(*m_of->experiment);
        run.name = m_document->displayName();
        run.mesh = m_of->mesh ? words::meshSizes(*m_of->mesh) : QString();
        run.experiment = m_of->experiment;
        run.folder = folderOf(m_document->filePath());
        run.peakBytes = m_of->plan ? m_of->plan->memory.peakBytes : 0;
        run.sentBytes = m_of->sent.step;
        m_runs.push_back(std::move(run));
    }
    const auto current =
        std::find_if(m_runs.begin(), m_runs.end(), [this](const KeptRun& each) { return each.number == m_current; });
    if (current == m_runs.end()) // removed while it goes on
        return;
    current->steps = timings.stepsDone;
    measure(*current, timings);
    if (!timings.figures.empty())
        current->loss = timings.figures.back().loss;
    Q_EMIT changed();
}

Result<CheckVerdict> agreementOf(const KeptRun& run, const std::stop_token& stop)
{
    AnalysisCache cache;
    const SnapshotPtr snapshot = analyse(run.experiment, 1, cache, stop);
    if (!snapshot || !snapshot->laidOut() || isOfOneDevice(*snapshot))
        return fail(Code::NotExecutable, { { "op", "main" } });
    SHARDSCOPE_TRY(plan, plannedProgram(*snapshot));
    RunOptions options;
    options.replicas = run.experiment->run.shareReplicas ? ReplicaMode::Shared : ReplicaMode::Own;
    options.initial = trainingValuesOf(*snapshot);
    options.stop = stop;
    SHARDSCOPE_CHECK(readInitialFiles(options.initial, *(*plan)->program->program, run.folder));
    SHARDSCOPE_TRY(report, checkAgainstReference((*plan)->program, options));
    return report->verdict();
}

} // namespace shardscope
