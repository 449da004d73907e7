// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_observation.h"

#include <algorithm>
#include <map>

#include "base/bytes.h"
#include "base/codes.h"
#include "experiment_file/array_text.h"
#include "pipeline/program_collectives.h"
#include "schedule/plan.h"
#include "simulate/run/step_replay.h"
#include "simulate/run/step_statistics.h"
#include "words/run_words.h"

namespace shardscope::cli {

namespace {

std::string valueName(const Program& program, ValueId value)
{
    const std::string path = value.index < program.values.size() ? *program.value(value).path : std::string();
    return path.empty() ? std::string() : '%' + path;
}

/// Where NaN and infinity begin, as `watch` saw it.
void note(ProgramRun& run, const NonFiniteWatch& watch, words::Runs runs)
{
    const Program& program = (runs == words::Runs::Devices ? run.partitioned : run.unsharded)->device.program;
    for (const auto kind : { NonFiniteKind::NotANumber, NonFiniteKind::Infinity }) {
        const std::optional<NonFinite> found = watch.first(kind);
        if (!found)
            continue;
        const bool returned = std::any_of(run.first.outputs.begin(), run.first.outputs.end(),
            [&](const kernels::Array& array) { return firstNonFinite(array, kind) >= 0; });
        if (!found->produced && !returned && found->operation.valid())
            continue; // a constant of which nothing is left
        if (runs == words::Runs::Devices && !found->operation.valid()
            && std::any_of(run.nonFinite.begin(), run.nonFinite.end(),
                [&](const NonFiniteFinding& each) { return each.found.kind == kind; }))
            continue; // said of the reference already
        NonFiniteFinding finding{ *found, runs, {}, {}, {} };
        const bool isMade = found->operation.valid();
        const ValueId value = isMade ? program.operation(found->operation).results[found->index]
                                     : run.program().main().arguments[found->index];
        finding.value = valueName(run.program(), value);
        finding.index = indexOf(found->element, (isMade ? program : run.program()).value(value).type.shape);
        finding.sentence =
            words::nonFinite(program, *found, runs, QString::fromStdString(finding.value), finding.index);
        run.nonFinite.push_back(std::move(finding));
    }
}

/// Counts what the devices send each other. What was made for one exchange of the plan counts as that one.
class ExchangeCounter final : public Observer {
public:
    explicit ExchangeCounter(const DeviceProgram& device)
        : m_device(device)
    {
    }
    void computed(
        OperationId operation, std::int64_t device, std::span<const kernels::Array>, std::span<kernels::Array>) override
    {
        if (deviceExchange(m_device.program, m_device.program.operation(operation)))
            ++m_times[{ operation.index, device }];
    }
    [[nodiscard]] std::vector<Exchanged> take() const
    {
        std::map<std::uint32_t, std::int64_t> busiest; // by operation
        for (const auto& [place, times] : m_times)
            busiest[place.first] = std::max(busiest[place.first], times);
        std::vector<Exchanged> found;
        std::map<std::uint32_t, std::int64_t> counted; // by what it was made for
        for (const auto& [index, times] : busiest) {
            const OperationId id(static_cast<std::size_t>(index));
            const DeviceExchange exchange = *deviceExchange(m_device.program, m_device.program.operation(id));
            const auto origin = std::lower_bound(m_device.origins.begin(), m_device.origins.end(), id,
                [](const auto& pair, OperationId wanted) { return pair.first < wanted; });
            const bool isMade = origin != m_device.origins.end() && origin->first == id;
            std::int64_t& before = counted[isMade ? origin->second.index : index];
            auto line = std::find_if(
                found.begin(), found.end(), [&](const Exchanged& each) { return each.kind == exchange.kind; });
            if (line == found.end())
                line = found.insert(found.end(), { exchange.kind, 0, {} });
            line->times += std::max<std::int64_t>(times - before, 0);
            before = std::max(before, times);
            line->sentBytes += exchange.sentBytes * Rational(times);
        }
        std::sort(found.begin(), found.end(), [](const Exchanged& a, const Exchanged& b) { return a.kind < b.kind; });
        return found;
    }

private:
    const DeviceProgram& m_device;
    std::map<std::pair<std::uint32_t, std::int64_t>, std::int64_t> m_times; ///< by operation and device
};

} // namespace

Result<void> observe(ProgramRun& run, const RunCommandOptions& options)
{
    const ProgramPtr& program = run.snapshot->annotated;
    double needed = 0;
    const double arrays =
        fullBytes(*program, program->main().arguments) + 2 * fullBytes(*program, program->main().results);
    for (const auto& parts : { run.unsharded, run.partitioned }) {
        if (!parts)
            continue;
        SHARDSCOPE_TRY(bytes, executionBytes(program, parts, executeOptions(options)));
        needed = std::max(needed, *bytes + arrays);
    }
    if (const std::int64_t limit = executeOptions(options).memoryLimit; needed > static_cast<double>(limit))
        return fail(Code::OutOfMemory,
            { { "bytes", toBytes(needed) }, { "limit", limit },
                { "alone_bytes", run.plan->memory.peakBytes * run.executed().mesh->deviceCount() } });
    const kernels::Arrays specified = run.starts.arrays.all();
    if (run.unsharded) {
        NonFiniteWatch watch(run.unsharded->device);
        watch.setArguments(specified);
        ExecuteOptions how = executeOptions(options, { &watch });
        how.plainKernels = true;
        SHARDSCOPE_CHECK(execute(program, run.unsharded, specified, how));
        note(run, watch, words::Runs::Reference);
    }
    if (run.partitioned) {
        NonFiniteWatch watch(run.partitioned->device);
        watch.setArguments(specified);
        ExchangeCounter counter(run.partitioned->device);
        SHARDSCOPE_TRY(
            devices, execute(program, run.partitioned, specified, executeOptions(options, { &counter, &watch })));
        run.exchanged = counter.take();
        note(run, watch, words::Runs::Devices);
    }
    run.isObserved = true;
    return {};
}

void findDivergence(ProgramRun& run, const RunCommandOptions& options)
{
    const std::vector<StepFigures> figures(run.steps.begin(), run.steps.end());
    const std::optional<std::int64_t> step = firstNonFiniteStep(1, figures);
    if (!step || (*step == 1 && !run.nonFinite.empty()))
        return;
    if (options.onPhase)
        options.onPhase(
            QStringLiteral("step %1 once more, operation by operation: its loss or norms are not finite").arg(*step),
            {});
    const RunOptions how = stepOptions(run, options);
    StepReplay::Limits limits;
    limits.maximumTrips = how.maximumTrips;
    limits.threads = how.threads;
    limits.withReference = false;
    StepReplay replay(run.plan->program, how.initial);
    const Result<RecordedStepPtr> recorded = replay.record(*step, limits);
    run.divergence = Divergence{ *step, {}, words::nonFiniteStep(*step, recorded) };
    if (!recorded || !*recorded || (*recorded)->nonFinite.empty())
        return;
    const NonFinite& found = (*recorded)->nonFinite.front().found;
    const Program& program = (*recorded)->device().program;
    const ValueId value = program.operation(found.operation).results[found.index];
    run.divergence->finding = NonFiniteFinding{ found, run.partitioned ? words::Runs::Devices : words::Runs::Reference,
        valueName(run.program(), value), indexOf(found.element, program.value(value).type.shape),
        run.divergence->sentence };
}

} // namespace shardscope::cli
