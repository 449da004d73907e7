// SPDX-License-Identifier: GPL-3.0-or-later
// The run that Run::create() gives: memory of the devices, and what a step needs between its phases. run.cpp prepares
// it, simulated_run.cpp makes the steps.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "simulate/kernels/element.h"
#include "simulate/run/device_memory.h"
#include "simulate/run/gather.h"
#include "simulate/run/initial_values.h"
#include "simulate/run/phases.h"
#include "simulate/run/run.h"
#include "simulate/run/step_trace.h"
#include "simulate/run/thread_pool.h"

namespace shardscope {

class SimulatedRun final : public Run {
public:
    SimulatedRun(std::shared_ptr<const Plan> plan, const RunOptions& options)
        : m_plan(std::move(plan))
        , m_initial(options.initial)
        , m_stop(options.stop)
        , m_devices(static_cast<std::size_t>(m_plan->program->mesh->deviceCount()))
        , m_threads(threadsOf(options))
        , m_maximumTrips(options.maximumTrips)
        , m_observers(options.observers)
    {
    }

    /// Everything that can fail; takes no memory before it knows how much that will be.
    Result<void> prepare(const RunOptions& options);

    void reset() override;

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
    [[nodiscard]] Result<void> checkSpecified() const;

    /// Copies of what stands in a slot, by device id.
    [[nodiscard]] kernels::Arrays shardsIn(SlotId slot, FlatValueId value) const;
    /// State whose result is sharded otherwise than the argument that it becomes.
    void reshardState();

    using Positions = std::vector<std::int32_t>; ///< of devices in the mesh

    // What workers write at the same time stands in cache lines of its own: they would wait for each other's.
    struct alignas(64) DeviceClock {
        double now = 0; ///< when the device would be where it is, had all run at once
        DeviceTimes times;
    };
    struct alignas(64) TaskTime {
        double exchanging = 0, computing = 0; ///< seconds
    };

    /// Every device. Those of a cluster, or that share state, or update it together, are neighbours: one thread works
    /// on them, and finds in its own caches what it has read before.
    [[nodiscard]] std::vector<std::int32_t> taskOrder(const ReplicaSharing& sharing) const;
    /// How many of those that share state one task is for: workers still have as much to do as each other.
    [[nodiscard]] std::size_t devicesPerTask(const ReplicaSharing& sharing) const;
    /// Who holds which shard of the largest array that replicas share; null if they share none.
    [[nodiscard]] const std::vector<std::int32_t>* largestShared(const ReplicaSharing& sharing) const;

    /// False where the step cannot go on: it failed, or is to stop.
    bool runBlock(const PreparedBlock& block, const Positions& active);
    bool runControl(const PreparedBlock& block, const Phase& phase, const Positions& active);
    bool runTrips(const Control& control, const Positions& active);
    bool runActions(const PreparedBlock& block, const Phase& phase, const Positions& active);
    /// What devices do in a phase, action by action. False where they cannot go on. `phase` is its number among those
    /// that the job at hand is for.
    bool runDevices(const PreparedBlock& block, std::size_t phase, std::span<const Phase::Item> items,
        std::span<const std::int32_t> positions, int worker);
    /// Phases whose collectives stay within clusters, and the actions of the one after them: cluster by cluster.
    bool runInClusters(const PreparedBlock& block, std::size_t first, std::size_t last);
    /// False after a stop or where a device has failed.
    bool canGoOn();
    void observe(const PreparedBlock& block, std::uint32_t instruction, const Positions& active);
    bool runCollectives(const PreparedBlock& block, const Phase& phase, const Positions& active);
    bool runReduced(const PreparedBlock& block, const Phase& phase, const Positions& active);
    /// What devices do in groups: a collective, or more than that in one go.
    template <class Exchanged>
    [[nodiscard]] bool canMeet(const Exchanged& exchanged, const Positions& active);
    template <class Exchanged>
    [[nodiscard]] bool takesPart(const Exchanged& exchanged, std::size_t group, const Positions& active) const;
    /// `work(task, scratch)` gives the seconds of exchange in the task; negative: all of them.
    template <class Exchanged, class TaskWork>
    [[nodiscard]] TaskTime runTask(
        const Exchanged& exchanged, const Positions& active, std::int64_t task, int worker, const TaskWork& work);
    [[nodiscard]] TaskTime runExchange(
        const Exchange& exchange, const Positions& active, std::int64_t task, int worker);
    /// The time that a task took is one of its group.
    template <class Exchanged>
    void addTime(const Exchanged& exchanged, std::int64_t task, const TaskTime& time);
    /// Members of a group share the times of its tasks, which are taken out.
    template <class Exchanged>
    void shareTimes(
        const PreparedBlock& block, std::uint32_t instruction, const Exchanged& exchanged, std::size_t group);
    /// All of them. The first task has that number among those of the phase.
    template <class Exchanged>
    void addTimes(const PreparedBlock& block, std::uint32_t instruction, const Exchanged& exchanged,
        const Positions& active, std::int64_t first);
    /// All devices of a group reach a collective, or none of them.
    bool reachedTogether(const Operation& operation, const std::vector<Positions>& groups);
    [[nodiscard]] std::byte** slotsOf(std::int32_t position)
    {
        return m_memory.addresses(static_cast<std::size_t>(position));
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
    std::vector<std::pair<std::size_t, std::uint32_t>> m_failedAt; ///< per device that has failed: phase, instruction
    std::vector<std::int64_t> m_trips; ///< per device, of the step at hand
    Positions m_everyDevice;
    std::vector<std::int32_t> m_taskOrder;
    std::size_t m_devicesPerTask = 1; ///< that share state: what they read of it is read once
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
    /// Who executes its blocks: per branch and block of it; of a loop who goes on. Kept, so that steps take no memory.
    std::vector<std::vector<Positions>> m_taking;
    std::vector<bool> m_isActive; ///< per device: in the collective at hand, where not every device is
    std::vector<DeviceClock> m_clocks; ///< per device, of the step at hand
    std::vector<TaskTime> m_taskTimes; ///< per task of a phase
    std::vector<TaskTime> m_groupTimes; ///< of all tasks of a group, by the first of its devices
};

} // namespace shardscope
