// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/run/step_replay.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "base/codes.h"
#include "partition/unsharded.h"
#include "schedule/plan.h"

namespace shardscope {

/// Counts the operations of a call, and stops the run when the caller does.
class StepReplay::Progress final : public Observer {
public:
    void begin(const Limits& limits, std::int64_t all)
    {
        m_limits = limits;
        m_done = 0;
        m_all = all;
    }
    void end() { m_limits = Limits(); }
    [[nodiscard]] std::stop_token token() const { return m_stop.get_token(); }
    void computed(OperationId, std::int64_t device, std::span<const kernels::Array>, std::span<kernels::Array>) override
    {
        if (m_limits.progress && device == 0 && m_done < m_all)
            m_limits.progress(++m_done, m_all);
        if (m_limits.stop.stop_requested())
            m_stop.request_stop();
    }

private:
    Limits m_limits;
    std::stop_source m_stop;
    std::int64_t m_done = 0, m_all = 0;
};

/// A run and who observes it.
struct StepReplay::Machine {
    Progress progress;
    std::unique_ptr<StepRecorder> recorder;
    std::unique_ptr<Run> run; ///< goes before its observers
};

StepReplay::StepReplay(std::shared_ptr<const FlatProgram> program, InitialValues initial)
    : m_program(std::move(program))
    , m_initial(std::move(initial))
{
}

StepReplay::~StepReplay() = default;

Result<std::unique_ptr<StepReplay::Machine>> StepReplay::machine(const std::shared_ptr<const FlatProgram>& program,
    std::unique_ptr<StepRecorder> recorder, std::vector<ValueId> kept, const Limits& limits) const
{
    const bool isReference = program == m_full;
    ScheduleOptions scheduling;
    scheduling.plain = true;
    scheduling.keep = std::move(kept);
    SHARDSCOPE_TRY(plan, schedule(program, scheduling));
    auto made = std::make_unique<Machine>();
    made->recorder = std::move(recorder);
    RunOptions options;
    options.threads = isReference ? 1 : limits.threads;
    if (limits.maximumTrips > 0)
        options.maximumTrips = limits.maximumTrips;
    options.initial = m_initial;
    options.memoryLimit = limits.bytes > 0 ? toBytes(limits.bytes) : 0;
    options.stop = made->progress.token();
    options.plainKernels = isReference;
    options.observers = { made->recorder.get(), &made->progress };
    SHARDSCOPE_TRY(run, Run::create(std::make_shared<const Plan>(std::move(*plan)), options));
    made->run = std::move(*run);
    return made;
}

namespace {

/// Of one recorder.
double roomFor(const StepReplay::Limits& limits)
{
    return (limits.bytes > 0 ? limits.bytes : static_cast<double>(memoryLimit(RunOptions()))) / 16;
}

} // namespace

Result<void> StepReplay::makeReference(ValueId value, const Limits& limits)
{
    m_reference.reset();
    if (!m_full) {
        SHARDSCOPE_TRY(parts, unsharded(*m_program->program));
        Result<FlatProgram> flat = flatten(
            m_program->program, std::make_shared<const PartitionedProgram>(std::move(*parts)), m_program->state);
        if (!flat)
            return tl::unexpected<Error>(std::move(flat.error()));
        m_full = std::make_shared<const FlatProgram>(std::move(*flat));
    }
    const Program& program = *m_program->program;
    std::vector<ValueId> all;
    for (std::size_t v = 0; v < program.values.size(); ++v)
        if (m_full->value(FlatValueId(v)).isShard && program.values[v].definition.valid())
            all.emplace_back(v);
    const auto make = [&](std::vector<ValueId> kept) {
        return machine(m_full, std::make_unique<ReferenceRecorder>(*m_full, roomFor(limits)), std::move(kept), limits);
    };
    Result<std::unique_ptr<Machine>> made = make(std::move(all));
    m_keepsAll = made.has_value();
    if (!made) {
        m_kept = value;
        made = make(value.valid() ? std::vector{ value } : std::vector<ValueId>());
    }
    if (!made)
        return tl::unexpected<Error>(std::move(made.error()));
    m_reference = std::move(*made);
    return {};
}

Result<bool> StepReplay::advance(
    std::unique_ptr<Machine>& machine, std::int64_t steps, bool recorded, const Limits& limits)
{
    Run& run = *machine->run;
    machine->progress.begin(
        limits, static_cast<std::int64_t>(run.plan().instructions.size()) * (steps - run.stepsDone()));
    while (run.stepsDone() < steps && !run.stopped() && !run.failure()) {
        if (recorded && run.stepsDone() == steps - 1)
            machine->recorder->begin(run);
        (void)run.step();
    }
    machine->recorder->end();
    machine->progress.end();
    if (std::optional<Error> failure = run.failure()) {
        machine.reset();
        return tl::unexpected<Error>(std::move(*failure));
    }
    if (run.stopped()) {
        machine.reset();
        return false;
    }
    return true;
}

ValueId StepReplay::stateArgumentOf(ValueId value) const
{
    for (const StatePair& pair : m_program->state.pairs)
        if (m_program->program->main().results[pair.result] == value)
            return pair.argument;
    return value;
}

Result<StepReplay::Array> StepReplay::start(ValueId value, const Limits& limits) const
{
    const Program& program = *m_program->program;
    value = stateArgumentOf(value);
    const std::vector<ValueId>& arguments = program.main().arguments;
    const auto found = std::find(arguments.begin(), arguments.end(), value);
    if (found == arguments.end())
        return Array();
    const TensorType& type = program.value(value).type;
    if (!isTensor(type.dtype) || isComplex(type.dtype))
        return Array();
    const double bytes = static_cast<double>(type.byteCount()) + 8 * static_cast<double>(type.elementCount());
    const double limit = limits.bytes > 0 ? limits.bytes : static_cast<double>(memoryLimit(RunOptions()));
    if (bytes > limit)
        return fail(Code::OutOfMemory, { { "bytes", toBytes(bytes) }, { "limit", toBytes(limit) } });
    const kernels::Array array =
        InitialArrays(program, m_initial).array(static_cast<std::size_t>(found - arguments.begin()));
    auto numbers = std::make_shared<std::vector<double>>(static_cast<std::size_t>(array.count()));
    for (std::size_t i = 0; i < numbers->size(); ++i)
        (*numbers)[i] = kernels::numberAt(array, static_cast<std::int64_t>(i));
    return Array(std::move(numbers));
}

Result<StepReplay::Array> StepReplay::reference(ValueId value, std::int64_t steps, const Limits& limits)
{
    value = stateArgumentOf(value);
    if (m_reference && m_reference->run->stepsDone() > steps)
        m_reference->run->reset();
    if (!m_reference || (!m_keepsAll && m_kept != value))
        SHARDSCOPE_CHECK(makeReference(value, limits));
    return advance(m_reference, steps, false, limits).map([&](bool done) {
        return done ? std::make_shared<const std::vector<double>>(m_reference->run->gather(value)) : Array();
    });
}

Result<RecordedStepPtr> StepReplay::record(std::int64_t number, const Limits& limits)
{
    if (!m_devices) {
        SHARDSCOPE_TRY(
            made, machine(m_program, std::make_unique<DeviceRecorder>(m_program, roomFor(limits)), {}, limits));
        m_devices = std::move(*made);
    } else if (m_devices->run->stepsDone() >= number) {
        m_devices->run->reset();
    }
    SHARDSCOPE_TRY(done, advance(m_devices, number, true, limits));
    if (!*done)
        return RecordedStepPtr();
    auto& recorder = static_cast<DeviceRecorder&>(*m_devices->recorder);
    const ReferenceRecorder* reference = nullptr;
    if (!limits.withReference)
        return std::make_shared<const RecordedStep>(recorder.take(nullptr));
    if (m_reference && m_reference->run->stepsDone() >= number)
        m_reference->run->reset();
    if (m_reference || makeReference({}, limits)) {
        done = advance(m_reference, number, true, limits);
        if (done && !*done)
            return RecordedStepPtr();
        if (done)
            reference = static_cast<const ReferenceRecorder*>(m_reference->recorder.get());
    }
    return std::make_shared<const RecordedStep>(recorder.take(reference));
}

} // namespace shardscope
