// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/run/run.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>
#include <numeric>
#include <thread>

#include "base/codes.h"
#include "simulate/kernels/element.h"
#include "simulate/run/device_memory.h"
#include "simulate/run/fill_arguments.h"
#include "simulate/run/gather.h"
#include "simulate/run/memory_needed.h"
#include "simulate/run/not_executable.h"
#include "simulate/run/phases.h"
#include "simulate/run/shards.h"
#include "simulate/run/step_trace.h"
#include "simulate/run/thread_pool.h"

namespace shardscope {

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

class SimulatedRun final : public Run {
public:
    SimulatedRun(std::shared_ptr<const Plan> plan, const RunOptions& options)
        : m_plan(std::move(plan))
        , m_initial(options.initial)
        , m_stop(options.stop)
        , m_devices(static_cast<std::size_t>(m_plan->program->mesh->deviceCount()))
        , m_threads(options.threads > 0 ? options.threads
                                        : std::max(1, static_cast<int>(std::thread::hardware_concurrency())))
        , m_maximumTrips(options.maximumTrips)
        , m_observers(options.observers)
    {
    }

    /// Everything that can fail; takes no memory before it knows how much that will be.
    Result<void> prepare(const RunOptions& options)
    {
        SHARDSCOPE_CHECK(checkSpecified());
        const std::int64_t limit = memoryLimit(options);
        SHARDSCOPE_TRY(needed, runBytes(*m_plan, options.replicas, m_threads, static_cast<double>(limit), m_stop));
        if (isStopped())
            return {};
        const double traced = StepTrace::bytes(m_devices, options.tracedInstructions);
        if (*needed + traced + options.reservedBytes > static_cast<double>(limit))
            return runOutOfMemory(*m_plan, options, m_threads, *needed, limit);

        MemoryBudget budget(static_cast<double>(limit));
        ReplicaSharing sharing;
        if (options.replicas == ReplicaMode::Shared)
            sharing = shareReplicas(*m_plan);
        m_memory = DeviceMemory(*m_plan, sharing);
        SHARDSCOPE_TRY(phases,
            preparePhases(*m_plan, sharing, budget,
                { !m_observers.empty() || options.tracedInstructions > 0, options.plainKernels }, m_stop));
        if (isStopped())
            return {};
        m_phases = std::move(*phases);
        const double taken = m_memory.bytesNeeded() + static_cast<double>(m_phases.ownBytes)
            + static_cast<double>(m_phases.scratchBytes) * m_threads;
        if (!m_memory.allocate())
            return runOutOfMemory(*m_plan, options, m_threads, *needed, limit);
        for (int worker = 0; worker < m_threads; ++worker) {
            m_scratch.emplace_back(m_phases.scratchBytes);
            if (m_scratch.back().data() == nullptr)
                return runOutOfMemory(*m_plan, options, m_threads, *needed, limit);
        }
        m_trace = StepTrace(m_devices, options.tracedInstructions);
        if (m_trace.isOn())
            m_controlsBegun.resize(m_phases.controls.size() * m_devices);
        m_physicalBytes = static_cast<std::int64_t>(taken + traced);
        m_clocks.resize(m_devices);
        m_seconds.resize(std::max(m_devices, m_phases.maxTasks));
        m_computeSeconds.resize(m_seconds.size());
        m_groupSeconds.resize(m_devices);
        m_groupComputing.resize(m_devices);
        m_timing.devices.resize(m_devices);
        m_everyDevice.resize(m_devices);
        std::iota(m_everyDevice.begin(), m_everyDevice.end(), 0);
        m_taskOrder = m_everyDevice;
        if (const std::vector<std::int32_t>* shards = largestShared(sharing))
            std::stable_sort(m_taskOrder.begin(), m_taskOrder.end(), [shards](std::int32_t a, std::int32_t b) {
                return (*shards)[static_cast<std::size_t>(a)] < (*shards)[static_cast<std::size_t>(b)];
            });
        m_failures.resize(m_devices);
        m_findings.resize(m_devices);
        m_trips.resize(m_devices);
        m_arrays = InitialArrays(*m_plan->program->program, m_initial);
        m_pool = std::make_unique<ThreadPool>(m_threads);
        m_threads = m_pool->threads();
        reset();
        return {};
    }

    void reset() override
    {
        m_steps = 0;
        m_failure.reset();
        m_timing.wall = 0;
        m_timing.devices.assign(m_devices, {});
        m_copiedBytes = 0;
        m_trace.clear();
        m_pool->run(static_cast<std::int64_t>(m_memory.arenaCount()),
            [this](std::int64_t arena, int) { m_memory.clear(static_cast<std::size_t>(arena), m_stop); });
        m_arrays.setStep(0);
        if (!isStopped())
            fillArguments(*m_plan, m_memory, m_arrays, *m_pool, m_stop);
        m_stopped = isStopped();
    }

    const StepTiming& step() override;
    [[nodiscard]] bool stopped() const override { return m_stopped; }
    [[nodiscard]] std::optional<Error> failure() const override { return m_failure; }

    [[nodiscard]] std::int64_t stepsDone() const override { return m_steps; }
    [[nodiscard]] const Plan& plan() const override { return *m_plan; }
    [[nodiscard]] int threads() const override { return m_threads; }

    [[nodiscard]] std::vector<double> shard(ValueId value, std::int64_t position) const override
    {
        const std::span<const std::byte> raw = bytes(value, position);
        const TensorType& type = deviceValue(value).localType;
        std::vector<double> elements(raw.size() / static_cast<std::size_t>(byteSize(type.dtype)));
        for (std::size_t i = 0; i < elements.size(); ++i)
            elements[i] = loadElement(type.dtype, raw.data(), static_cast<std::int64_t>(i));
        return elements;
    }
    [[nodiscard]] std::span<const std::byte> bytes(ValueId value, std::int64_t position) const override
    {
        const SlotId slot = readableSlot(value);
        if (!slot.valid() || position < 0 || position >= static_cast<std::int64_t>(m_devices))
            return {};
        return { address(static_cast<std::size_t>(position), slot),
            static_cast<std::size_t>(deviceValue(value).localType.byteCount()) };
    }
    [[nodiscard]] std::vector<double> gather(ValueId value) const override
    {
        const SlotId slot = readableSlot(value);
        return slot.valid() ? gathered(slot, formOf(*m_plan->program, FlatValueId(value.index)))
                            : std::vector<double>();
    }
    [[nodiscard]] std::vector<double> gatherResult(std::size_t result) const override
    {
        return hasResult(result) ? gathered(m_plan->results[result], m_plan->program->outputs[result])
                                 : std::vector<double>();
    }
    [[nodiscard]] std::optional<ReplicaDifference> replicaDifference(ValueId value) const override
    {
        const SlotId slot = readableSlot(value);
        return slot.valid() ? difference(slot, formOf(*m_plan->program, FlatValueId(value.index))) : std::nullopt;
    }
    [[nodiscard]] std::optional<ReplicaDifference> replicaDifferenceOfResult(std::size_t result) const override
    {
        return hasResult(result) ? difference(m_plan->results[result], m_plan->program->outputs[result]) : std::nullopt;
    }

    [[nodiscard]] kernels::Arrays shardsOfValue(ValueId value) const override
    {
        const SlotId slot = readableSlot(value);
        return slot.valid() ? shardsIn(slot, FlatValueId(value.index)) : kernels::Arrays();
    }
    [[nodiscard]] kernels::Arrays shardsOfResult(std::size_t result) const override
    {
        return hasResult(result) ? shardsIn(m_plan->results[result], m_plan->program->main().results[result])
                                 : kernels::Arrays();
    }
    [[nodiscard]] kernels::Arrays shardsOfArgument(std::size_t argument) const override
    {
        return argument < m_plan->arguments.size() && m_plan->arguments[argument].valid()
            ? shardsIn(m_plan->arguments[argument], m_plan->program->main().arguments[argument])
            : kernels::Arrays();
    }

    [[nodiscard]] std::span<const InstructionTime> trace(std::int64_t position) const override
    {
        return m_trace.of(static_cast<std::size_t>(position));
    }
    [[nodiscard]] std::int64_t untraced() const override { return m_trace.left(); }

    [[nodiscard]] std::vector<ExpectationFinding> findings() const override
    {
        std::vector<ExpectationFinding> all;
        for (const auto& ofDevice : m_findings)
            all.insert(all.end(), ofDevice.begin(), ofDevice.end());
        return all;
    }

    [[nodiscard]] std::int64_t copiedBytes() const override { return m_copiedBytes; }
    [[nodiscard]] std::int64_t logicalBytes() const override
    {
        return m_plan->memory.arenaBytes * static_cast<std::int64_t>(m_devices);
    }
    [[nodiscard]] std::int64_t physicalBytes() const override { return m_physicalBytes; }

private:
    [[nodiscard]] const FlatValue& deviceValue(ValueId value) const
    {
        return m_plan->program->value(FlatValueId(value.index));
    }
    [[nodiscard]] std::byte* address(std::size_t device, SlotId slot) const { return m_memory.address(device, slot); }
    [[nodiscard]] bool isStopped() const { return m_stop.stop_requested(); }
    Result<void> checkSpecified() const
    {
        const Program& program = *m_plan->program->program;
        const std::vector<ValueId>& arguments = program.main().arguments;
        for (const auto& [number, source] : m_initial.perStep) {
            const std::size_t count = source(0).size();
            const Value* argument = number < arguments.size() ? &program.value(arguments[number]) : nullptr;
            if (!argument || static_cast<std::int64_t>(count) != argument->type.elementCount())
                return fail(Code::TypeMismatch,
                    { { "op", argument ? std::string(*argument->path) : "arg" + std::to_string(number) },
                        { "wrong", "given" }, { "given", count },
                        { "type", argument ? toString(argument->type) : std::string() } });
        }
        for (const auto& [path, values] : m_initial.byPath) {
            const ValueId value = program.find(path);
            if (!value.valid())
                return fail(Code::UnknownTensor, { { "path", path }, { "nearest", "" } });
            if (static_cast<std::int64_t>(values.size()) != program.value(value).type.elementCount())
                return fail(Code::TypeMismatch,
                    { { "op", path }, { "wrong", "given" }, { "given", values.size() },
                        { "type", toString(program.value(value).type) } });
        }
        return {};
    }

    /// Copies of what stands in a slot, by device id.
    [[nodiscard]] kernels::Arrays shardsIn(SlotId slot, FlatValueId value) const
    {
        const Mesh& mesh = *m_plan->program->mesh;
        kernels::Arrays shards;
        for (std::size_t position = 0; position < m_devices; ++position) {
            const auto device = static_cast<std::size_t>(mesh.deviceAt(static_cast<std::int64_t>(position)));
            shards.resize(std::max(shards.size(), device + 1));
            shards[device] = kernels::Array::make(m_plan->program->value(value).localType);
            if (shards[device].bytes)
                std::memcpy(shards[device].data(), address(position, slot),
                    static_cast<std::size_t>(shards[device].type.byteCount()));
        }
        return shards;
    }
    /// State whose result is sharded otherwise than the argument that it becomes.
    void reshardState()
    {
        const FlatProgram& program = *m_plan->program;
        kernels::Arrays full; // before any argument is written: it may be a result as well
        for (const auto& [argument, result] : program.reshardedState)
            full.push_back(assembleShards(shardsIn(m_plan->results[result], program.main().results[result]),
                program.outputs[result], program.mesh)
                               .full);
        for (std::size_t i = 0; i < full.size(); ++i) {
            const std::uint32_t argument = program.reshardedState[i].first;
            const kernels::Arrays shards = shardsOf(full[i], program.inputs[argument], program.mesh);
            for (std::size_t position = 0; position < m_devices; ++position) {
                const kernels::Array& shard =
                    shards[static_cast<std::size_t>(program.mesh->deviceAt(static_cast<std::int64_t>(position)))];
                if (shard.bytes)
                    std::memcpy(address(position, m_plan->arguments[argument]), shard.data(),
                        static_cast<std::size_t>(shard.type.byteCount()));
            }
        }
    }

    using Positions = std::vector<std::int32_t>; ///< ascending

    /// Who holds which shard of the largest array that replicas share; null if they share none.
    [[nodiscard]] const std::vector<std::int32_t>* largestShared(const ReplicaSharing& sharing) const
    {
        const std::vector<std::int32_t>* found = nullptr;
        std::int64_t bytes = 0;
        for (std::size_t slot = 0; slot < sharing.shards.size(); ++slot)
            if (!sharing.shards[slot].empty() && m_plan->slots[slot].bytes > bytes) {
                bytes = m_plan->slots[slot].bytes;
                found = &sharing.shards[slot];
            }
        return found;
    }

    /// False where the step cannot go on: it failed, or is to stop.
    bool runBlock(const PreparedBlock& block, const Positions& active);
    bool runControl(const PreparedBlock& block, const Phase& phase, const Positions& active);
    bool runTrips(const Control& control, const Positions& active);
    bool runActions(const PreparedBlock& block, const Phase& phase, const Positions& active);
    void runAction(const Phase::Item& item, std::int32_t position, int worker);
    void observe(const PreparedBlock& block, std::uint32_t instruction, const Positions& active);
    bool runExchange(const PreparedBlock& block, const Phase& phase, const Positions& active);
    bool runReduced(const PreparedBlock& block, const Phase& phase, const Positions& active);
    /// What devices do in groups: a collective, or more than that in one go. `work(task, scratch)` gives
    /// the seconds of exchange in it; negative: all of them.
    template <class Exchanged, class TaskWork>
    bool runGroups(const PreparedBlock& block, const Phase& phase, const Exchanged& exchanged, const Positions& active,
        const TaskWork& work);
    /// All devices of a group reach a collective, or none of them.
    bool reachedTogether(
        const Operation& operation, const std::vector<Positions>& groups, const std::vector<bool>& isActive);
    [[nodiscard]] std::byte* const* slotsOf(std::int32_t position) const
    {
        return m_memory.addresses() + static_cast<std::size_t>(position) * m_plan->slots.size();
    }

    /// Where the value can be read at this moment; invalid if it cannot.
    [[nodiscard]] SlotId readableSlot(ValueId value) const
    {
        if (m_stopped || value.index >= m_plan->program->program->values.size())
            return {};
        const SlotId slot = m_plan->slotOf[value.index];
        if (!slot.valid())
            return {};
        if (m_steps > 0)
            return m_plan->observable(value) ? slot : SlotId();
        return m_plan->program->program->value(value).definition.valid() ? SlotId() : slot;
    }
    [[nodiscard]] bool hasResult(std::size_t result) const
    {
        return !m_stopped && m_steps > 0 && result < m_plan->results.size() && m_plan->results[result].valid();
    }
    [[nodiscard]] std::vector<double> gathered(SlotId slot, const ShardedArray& how) const
    {
        return shardscope::gathered(*m_plan->program, m_memory, slot, how);
    }
    [[nodiscard]] std::optional<ReplicaDifference> difference(SlotId slot, const ShardedArray& how) const
    {
        return differenceOfCopies(*m_plan->program, m_memory, slot, how);
    }

    std::shared_ptr<const Plan> m_plan;
    InitialValues m_initial;
    InitialArrays m_arrays; ///< of m_initial, once it has been checked
    std::stop_token m_stop;
    bool m_stopped = false; ///< something was broken off
    std::size_t m_devices;
    int m_threads;
    std::int64_t m_maximumTrips;
    std::optional<Error> m_failure;
    std::vector<Observer*> m_observers;
    std::vector<std::vector<ExpectationFinding>> m_findings; ///< per device, of the step at hand
    std::vector<std::optional<Error>> m_failures; ///< per device, of the step at hand
    std::vector<std::int64_t> m_trips; ///< per device, of the step at hand
    Positions m_everyDevice;
    Positions m_taskOrder; ///< of every device: replicas that share storage are next to each other, for the caches
    Phases m_phases;
    DeviceMemory m_memory;
    std::vector<Arena> m_scratch; ///< per worker
    std::unique_ptr<ThreadPool> m_pool;
    std::int64_t m_physicalBytes = 0;
    std::int64_t m_steps = 0;
    std::int64_t m_copiedBytes = 0;
    StepTiming m_timing;
    StepTrace m_trace;
    std::vector<double> m_controlsBegun; ///< per loop or branch and device, where there is a trace: when it began
    std::vector<double> m_clocks; ///< per device: when it would be where it is, had all run at once
    std::vector<double> m_seconds; ///< per task of a phase
    std::vector<double> m_computeSeconds; ///< of each task of a phase: what was no exchange
    std::vector<double> m_groupSeconds, m_groupComputing;
};

void SimulatedRun::runAction(const Phase::Item& item, std::int32_t position, int worker)
{
    const auto d = static_cast<std::size_t>(position);
    ActionContext context{ slotsOf(position), position, m_scratch[static_cast<std::size_t>(worker)].data(),
        item.work ? (*item.work)[d] : WorkShare(), &m_failures[d], &m_stop, &m_trips[d], m_maximumTrips,
        &m_findings[d] };
    item.action->run(context);
}

bool SimulatedRun::runActions(const PreparedBlock& block, const Phase& phase, const Positions& active)
{
    if (phase.actions.empty())
        return true;
    const auto run = [&](std::span<const Phase::Item> items) {
        m_pool->run(static_cast<std::int64_t>(active.size()), [&](std::int64_t task, int worker) {
            const Clock::time_point start = Clock::now();
            const std::int32_t position =
                (active.size() == m_devices ? m_taskOrder : active)[static_cast<std::size_t>(task)];
            const auto d = static_cast<std::size_t>(position);
            for (const Phase::Item& item : items) {
                if (isStopped() || m_failures[d])
                    return;
                const double begun = m_trace.isOn() ? secondsSince(start) : 0;
                runAction(item, position, worker);
                if (m_trace.isOn())
                    m_trace.add(
                        d, { block.number, item.instruction, m_clocks[d] + begun, m_clocks[d] + secondsSince(start) });
            }
            m_seconds[d] = secondsSince(start);
        });
        for (const std::int32_t position : active) {
            const auto d = static_cast<std::size_t>(position);
            m_timing.devices[d].compute += m_seconds[d];
            m_clocks[d] += m_seconds[d];
            if (m_failures[d] && !m_failure)
                m_failure = m_failures[d];
        }
        return !isStopped() && !m_failure;
    };
    if (m_observers.empty())
        return run(phase.actions);
    for (const Phase::Item& item : phase.actions) {
        if (!run({ &item, 1 }))
            return false;
        observe(block, item.instruction, active);
    }
    return true;
}

void SimulatedRun::observe(const PreparedBlock& block, std::uint32_t number, const Positions& active)
{
    const Instruction& instruction = m_plan->instructionsOf(block.number)[number];
    const OperationId id = std::visit(
        [](const auto& action) {
            if constexpr (requires { action.operation; })
                return action.operation;
            else
                return OperationId(); // copies of state
        },
        instruction.action);
    if (!id.valid())
        return;
    const Program& program = *m_plan->program->local;
    const Operation& operation = program.operation(id);
    if (operation.results.empty())
        return;
    const Mesh& mesh = *m_plan->program->mesh;
    std::vector<std::pair<std::int32_t, std::int32_t>> devices; // (id, position)
    for (const std::int32_t position : active)
        devices.emplace_back(mesh.deviceAt(position), position);
    std::sort(devices.begin(), devices.end());
    for (const auto& [device, position] : devices) {
        const auto viewsOf = [&](const auto& values, const auto& slots) {
            kernels::Arrays views;
            for (std::size_t i = 0; i < values.size(); ++i) {
                const TensorType& type = program.value(values[i]).type;
                views.push_back(slots[i].valid()
                        ? kernels::viewOf(type, address(static_cast<std::size_t>(position), slots[i]))
                        : kernels::Array{ type, {}, {} });
            }
            return views;
        };
        const kernels::Arrays operands = viewsOf(operation.operands, instruction.operands);
        kernels::Arrays results = viewsOf(operation.results, instruction.results);
        for (Observer* observer : m_observers)
            observer->computed(id, device, operands, results);
    }
}

bool SimulatedRun::reachedTogether(
    const Operation& operation, const std::vector<Positions>& groups, const std::vector<bool>& isActive)
{
    for (const Positions& group : groups) {
        const auto reached = std::count_if(group.begin(), group.end(),
            [&](std::int32_t position) { return isActive[static_cast<std::size_t>(position)]; });
        if (reached == 0 || reached == static_cast<std::ptrdiff_t>(group.size()))
            continue;
        m_failure = cannot(*m_plan->program->local, operation,
            { { "wrong", "diverged" }, { "found", static_cast<std::int64_t>(reached) }, { "devices", group.size() } })
                        .value();
        return false;
    }
    return true;
}

template <class Exchanged, class TaskWork>
bool SimulatedRun::runGroups(const PreparedBlock& block, const Phase& phase, const Exchanged& exchanged,
    const Positions& active, const TaskWork& work)
{
    const bool everyDevice = active.size() == m_devices;
    std::vector<bool> isActive;
    if (!everyDevice) {
        isActive.resize(m_devices);
        for (const std::int32_t position : active)
            isActive[static_cast<std::size_t>(position)] = true;
        if (!reachedTogether(exchanged.operation(), exchanged.groups(), isActive))
            return false;
    }
    const auto& groups = exchanged.groups();
    const auto takesPart = [&](std::size_t group) {
        return everyDevice || isActive[static_cast<std::size_t>(groups[group].front())];
    };
    m_pool->run(exchanged.taskCount(), [&](std::int64_t task, int worker) {
        if (isStopped() || !takesPart(exchanged.groupOf(task)))
            return;
        const Clock::time_point start = Clock::now();
        const double exchanging = work(task, m_scratch[static_cast<std::size_t>(worker)].data());
        m_seconds[static_cast<std::size_t>(task)] = secondsSince(start);
        m_computeSeconds[static_cast<std::size_t>(task)] =
            exchanging < 0 ? 0 : m_seconds[static_cast<std::size_t>(task)] - exchanging;
    });
    m_copiedBytes += exchanged.copiedBytes();
    std::fill_n(m_groupSeconds.begin(), groups.size(), 0.0);
    std::fill_n(m_groupComputing.begin(), groups.size(), 0.0);
    for (std::int64_t task = 0; task < exchanged.taskCount(); ++task) {
        const std::size_t group = exchanged.groupOf(task);
        if (!takesPart(group))
            continue;
        const double computing = m_computeSeconds[static_cast<std::size_t>(task)];
        m_groupComputing[group] += computing;
        m_groupSeconds[group] += m_seconds[static_cast<std::size_t>(task)] - computing;
    }
    for (std::size_t group = 0; group < groups.size(); ++group) {
        if (!takesPart(group))
            continue;
        // Each member does its share of the group's work, and all begin when the last one is ready.
        const double share = m_groupSeconds[group] / static_cast<double>(groups[group].size());
        const double computing = m_groupComputing[group] / static_cast<double>(groups[group].size());
        double begin = 0;
        for (const std::int32_t member : groups[group])
            begin = std::max(begin, m_clocks[static_cast<std::size_t>(member)]);
        for (const std::int32_t member : groups[group]) {
            const auto d = static_cast<std::size_t>(member);
            if (m_trace.isOn())
                m_trace.add(
                    d, { block.number, phase.instruction, begin, begin + computing + share, begin - m_clocks[d] });
            m_timing.devices[d].wait += begin - m_clocks[d];
            m_timing.devices[d].communication += share;
            m_timing.devices[d].compute += computing;
            m_clocks[d] = begin + computing + share;
        }
    }
    return !isStopped();
}

bool SimulatedRun::runControl(const PreparedBlock& block, const Phase& phase, const Positions& active)
{
    if (!m_trace.isOn())
        return runTrips(*phase.control, active);
    const std::span<double> begun = std::span(m_controlsBegun).subspan(phase.control->index * m_devices, m_devices);
    std::copy(m_clocks.begin(), m_clocks.end(), begun.begin());
    const bool done = runTrips(*phase.control, active);
    for (const std::int32_t position : active) {
        const auto d = static_cast<std::size_t>(position);
        m_trace.add(d, { block.number, phase.instruction, begun[d], m_clocks[d] });
    }
    return done;
}

bool SimulatedRun::runExchange(const PreparedBlock& block, const Phase& phase, const Positions& active)
{
    return runGroups(block, phase, *phase.exchange, active, [&](std::int64_t task, std::byte* scratch) {
        phase.exchange->run(task, m_memory.addresses(), m_plan->slots.size(), scratch);
        return -1.0; // all of it
    });
}

bool SimulatedRun::runReduced(const PreparedBlock& block, const Phase& phase, const Positions& active)
{
    return runGroups(block, phase, *phase.reduced, active, [&](std::int64_t task, std::byte* scratch) {
        return phase.reduced->run(task, m_memory.addresses(), m_plan->slots.size(), scratch);
    });
}

/// Devices may leave the loop one by one.
bool SimulatedRun::runTrips(const Control& control, const Positions& active)
{
    if (!control.isLoop()) {
        std::vector<Positions> choosing(control.blocks.size());
        for (const std::int32_t position : active)
            choosing[control.chosen(slotsOf(position))].push_back(position);
        for (std::size_t i = 0; i < choosing.size(); ++i)
            if (!choosing[i].empty() && !runBlock(control.blocks[i], choosing[i]))
                return false;
        return true;
    }
    m_pool->run(static_cast<std::int64_t>(active.size()),
        [&](std::int64_t task, int) { control.copyState(slotsOf(active[static_cast<std::size_t>(task)])); });
    for (Positions going = active;;) {
        if (!runBlock(control.blocks[0], going))
            return false;
        std::erase_if(going, [&](std::int32_t position) { return !control.goesOn(slotsOf(position)); });
        if (going.empty())
            return true;
        for (const std::int32_t position : going)
            if (++m_trips[static_cast<std::size_t>(position)] > m_maximumTrips) {
                m_failure = tooManyTrips(*m_plan->program->local, *control.operation, m_maximumTrips).value();
                return false;
            }
        if (!runBlock(control.blocks[1], going))
            return false;
    }
}

bool SimulatedRun::runBlock(const PreparedBlock& block, const Positions& active)
{
    for (const Phase& phase : block.phases) {
        if (!runActions(block, phase, active) || (phase.exchange && !runExchange(block, phase, active))
            || (phase.reduced && !runReduced(block, phase, active))
            || (phase.control && !runControl(block, phase, active)))
            return false;
        if ((phase.control || phase.exchange) && phase.ends && !m_observers.empty())
            observe(block, phase.instruction, active);
    }
    return !isStopped();
}

const StepTiming& SimulatedRun::step()
{
    if (m_failure)
        return m_timing;
    const Clock::time_point start = Clock::now();
    std::fill(m_clocks.begin(), m_clocks.end(), 0.0);
    std::fill(m_timing.devices.begin(), m_timing.devices.end(), DeviceTimes());
    std::fill(m_trips.begin(), m_trips.end(), 0);
    std::fill(m_failures.begin(), m_failures.end(), std::nullopt);
    for (std::vector<ExpectationFinding>& findings : m_findings)
        findings.clear();
    m_copiedBytes = 0;
    m_trace.clear();
    // Whoever left something out saw the request, so it is seen here as well.
    if (!runBlock(m_phases.main, m_everyDevice)) {
        m_stopped = true;
        m_timing.wall = 0;
        std::fill(m_timing.devices.begin(), m_timing.devices.end(), DeviceTimes());
        m_copiedBytes = 0;
        return m_timing;
    }
    ++m_steps;
    try {
        reshardState();
    } catch (const std::bad_alloc&) {
        m_failure =
            fail(Code::OutOfMemory, { { "bytes", logicalBytes() }, { "limit", memoryLimit(RunOptions()) } }).value();
        m_stopped = true;
    }
    m_timing.wall = secondsSince(start);
    if (!m_arrays.changing().empty() && !m_stopped) { // what the next step reads
        m_arrays.setStep(m_steps);
        fillArguments(*m_plan, m_memory, m_arrays, *m_pool, m_stop, m_arrays.changing());
        m_stopped = isStopped();
    }
    return m_timing;
}

} // namespace

Result<std::unique_ptr<Run>> Run::create(std::shared_ptr<const Plan> plan, const RunOptions& options)
{
    try {
        auto run = std::make_unique<SimulatedRun>(plan, options);
        const auto prepared = run->prepare(options);
        if (options.stop.stop_requested())
            return std::unique_ptr<Run>();
        SHARDSCOPE_CHECK(prepared);
        return std::unique_ptr<Run>(std::move(run));
    } catch (const std::bad_alloc&) { // it was there when it was counted
        const double bytes =
            static_cast<double>(plan->memory.arenaBytes) * static_cast<double>(plan->program->mesh->deviceCount());
        return fail(Code::OutOfMemory, { { "bytes", toBytes(bytes) }, { "limit", memoryLimit(options) } });
    }
}

} // namespace shardscope
