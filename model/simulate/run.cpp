// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/run.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>
#include <set>
#include <thread>

#include "base/codes.h"
#include "simulate/action.h"
#include "simulate/device_memory.h"
#include "simulate/element.h"
#include "simulate/exchange.h"
#include "simulate/replica_sharing.h"
#include "simulate/thread_pool.h"

namespace shardscope {

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// What stands between two collectives, done by each device on its own; then the collective, if one follows.
struct Phase {
    struct Item {
        const Action* action = nullptr;
        const std::vector<WorkShare>* work = nullptr; ///< per device; null = everybody does all of it
    };
    std::vector<Item> actions;
    const Exchange* exchange = nullptr;
};

/// Shared state that devices have read and written since they last waited for each other.
class SharedAccess {
public:
    [[nodiscard]] bool mustWait(const Instruction& instruction, const ReplicaSharing& sharing) const
    {
        bool wait = false;
        forEachSlot(instruction, sharing, [&](SlotId slot, bool writes) {
            wait = wait || m_written.contains(slot) || (writes && m_read.contains(slot));
        });
        return wait;
    }
    void add(const Instruction& instruction, const ReplicaSharing& sharing)
    {
        forEachSlot(
            instruction, sharing, [&](SlotId slot, bool writes) { (writes ? m_written : m_read).insert(slot); });
    }

private:
    template <class F>
    static void forEachSlot(const Instruction& instruction, const ReplicaSharing& sharing, const F& f)
    {
        const auto visit = [&](SlotId slot, bool writes) {
            if (slot.valid() && sharing.isShared(slot))
                f(slot, writes);
        };
        for (const SlotId slot : instruction.operands)
            visit(slot, false);
        for (const SlotId slot : instruction.results)
            visit(slot, true);
        if (const auto* fused = std::get_if<FusedInstruction>(&instruction.action)) {
            for (const FusedInstruction::Input& input : fused->inputs)
                visit(input.slot, false);
            for (const FusedInstruction::Output& output : fused->outputs)
                visit(output.slot, true);
        }
    }

    std::set<SlotId> m_read, m_written;
};

/// The coordinates of a device along the axes over which an array is still to be added up, as one number.
std::int64_t addendAt(const Layout& layout, std::int64_t position)
{
    std::int64_t addend = 0;
    for (const AxisRef& ref : layout.sharding().unreduced) {
        const auto axis = static_cast<std::size_t>(ref.axis);
        const std::int64_t minor = layout.mesh().size(axis) / ref.next();
        addend = addend * ref.size + layout.mesh().coordinate(position, axis) / minor % ref.size;
    }
    return addend;
}

/// Calls row(local, global, length) for every run of neighbouring elements that a device really holds.
template <class RowFunction>
void forEachRow(const Layout& layout, std::int64_t position, const Shape& localShape, const RowFunction& row)
{
    const std::vector<IndexRange> ranges = layout.rangesAt(position);
    const Shape localStrides = rowMajorStrides(localShape);
    const Shape globalStrides = rowMajorStrides(layout.shape());
    const Shape block = layout.blockAt(position);
    std::int64_t rows = 1;
    std::int64_t localBegin = 0;
    std::int64_t globalBegin = 0;
    for (std::size_t d = 0; d < ranges.size(); ++d) {
        if (ranges[d].size() == 0)
            return;
        localBegin += (ranges[d].begin - block[d] * localShape[d]) * localStrides[d];
        globalBegin += ranges[d].begin * globalStrides[d];
        rows *= d + 1 < ranges.size() ? ranges[d].size() : 1;
    }
    for (std::int64_t r = 0; r < rows; ++r) {
        std::int64_t rest = r;
        std::int64_t local = localBegin;
        std::int64_t global = globalBegin;
        for (std::size_t d = ranges.empty() ? 0 : ranges.size() - 1; d-- > 0;) {
            local += rest % ranges[d].size() * localStrides[d];
            global += rest % ranges[d].size() * globalStrides[d];
            rest /= ranges[d].size();
        }
        row(local, global, ranges.empty() ? 1 : ranges.back().size());
    }
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
    {
    }

    /// Everything that can fail; takes no memory before it knows how much that will be.
    Result<void> prepare(const RunOptions& options)
    {
        if (auto checked = checkGiven(); !checked)
            return checked;
        const auto limit = static_cast<double>(memoryLimit(options));
        const auto needed = bytesNeeded(options.replicas, limit);
        if (!needed)
            return tl::unexpected(needed.error());
        if (isStopped())
            return {};
        if (*needed + options.reservedBytes > limit)
            return outOfMemory(options, *needed);

        MemoryBudget budget(limit);
        ReplicaSharing sharing;
        if (options.replicas == ReplicaMode::Shared)
            sharing = shareReplicas(*m_plan);
        m_memory = DeviceMemory(*m_plan, sharing);
        if (auto phases = preparePhases(sharing, budget); !phases)
            return phases;
        if (isStopped())
            return {};
        const double taken =
            m_memory.bytesNeeded() + static_cast<double>(m_ownBytes) + static_cast<double>(m_scratchBytes) * m_threads;
        if (!m_memory.allocate())
            return outOfMemory(options, *needed);
        for (int worker = 0; worker < m_threads; ++worker) {
            m_scratch.emplace_back(m_scratchBytes);
            if (m_scratch.back().data() == nullptr)
                return outOfMemory(options, *needed);
        }
        m_physicalBytes = static_cast<std::int64_t>(taken);
        m_clocks.resize(m_devices);
        m_seconds.resize(std::max(m_devices, m_mostTasks));
        m_groupSeconds.resize(m_devices);
        m_timing.devices.resize(m_devices);
        m_pool = std::make_unique<ThreadPool>(m_threads);
        reset();
        return {};
    }

    void reset() override
    {
        m_steps = 0;
        m_timing.wall = 0;
        m_timing.devices.assign(m_devices, {});
        m_copiedBytes = 0;
        m_pool->run(static_cast<std::int64_t>(m_memory.arenaCount()),
            [this](std::int64_t arena, int) { m_memory.clear(static_cast<std::size_t>(arena), m_stop); });
        if (!isStopped())
            fillArguments();
        m_stopped = isStopped();
    }

    const StepTiming& step() override;
    [[nodiscard]] bool stopped() const override { return m_stopped; }

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
        return slot.valid() ? gathered(slot, DeviceValueId(value.index)) : std::vector<double>();
    }
    [[nodiscard]] std::vector<double> gatherResult(std::size_t result) const override
    {
        return hasResult(result) ? gathered(m_plan->results[result], m_plan->program->results[result])
                                 : std::vector<double>();
    }
    [[nodiscard]] std::optional<ReplicaDifference> replicaDifference(ValueId value) const override
    {
        const SlotId slot = readableSlot(value);
        return slot.valid() ? difference(slot, DeviceValueId(value.index)) : std::nullopt;
    }
    [[nodiscard]] std::optional<ReplicaDifference> replicaDifferenceOfResult(std::size_t result) const override
    {
        return hasResult(result) ? difference(m_plan->results[result], m_plan->program->results[result]) : std::nullopt;
    }

    [[nodiscard]] std::int64_t copiedBytes() const override { return m_copiedBytes; }
    [[nodiscard]] std::int64_t logicalBytes() const override
    {
        return m_plan->memory.arenaBytes * static_cast<std::int64_t>(m_devices);
    }
    [[nodiscard]] std::int64_t physicalBytes() const override { return m_physicalBytes; }

private:
    [[nodiscard]] const DeviceValue& deviceValue(ValueId value) const
    {
        return m_plan->program->value(DeviceValueId(value.index));
    }
    [[nodiscard]] std::byte* address(std::size_t device, SlotId slot) const { return m_memory.address(device, slot); }
    [[nodiscard]] bool isStopped() const { return m_stop.stop_requested(); }
    Result<double> bytesNeeded(ReplicaMode replicas, double limit) const;
    [[nodiscard]] tl::unexpected<Error> outOfMemory(const RunOptions& options, double needed) const;
    Result<void> checkGiven() const
    {
        const Program& program = *m_plan->program->program;
        for (const auto& [path, values] : m_initial.given) {
            const ValueId value = program.find(path);
            if (!value.valid())
                return fail(Code::UnknownTensor, { { "path", path }, { "nearest", "" } });
            if (static_cast<std::int64_t>(values.size()) != program.value(value).type.elementCount())
                return fail(Code::TypeMismatch,
                    { { "op", path }, { "detail", "given values do not fit " + toString(program.value(value).type) } });
        }
        return {};
    }

    Result<void> preparePhases(ReplicaSharing& sharing, MemoryBudget& budget)
    {
        const KernelSet& kernels = kernelSet();
        m_work = std::move(sharing.work);
        m_phases.emplace_back();
        SharedAccess access;
        for (std::size_t i = 0; i < m_plan->instructions.size() && !isStopped(); ++i) {
            const Instruction& instruction = m_plan->instructions[i];
            if (std::holds_alternative<CollectiveInstruction>(instruction.action)) {
                auto exchange = Exchange::prepare(*m_plan, instruction, kernels, budget);
                if (!exchange)
                    return tl::unexpected(exchange.error());
                m_exchanges.push_back(std::make_unique<Exchange>(std::move(*exchange)));
                m_scratchBytes = std::max(m_scratchBytes, m_exchanges.back()->scratchBytes());
                m_mostTasks = std::max(m_mostTasks, static_cast<std::size_t>(m_exchanges.back()->taskCount()));
                m_phases.back().exchange = m_exchanges.back().get();
                m_phases.emplace_back();
                access = {};
                continue;
            }
            auto action = prepareAction(*m_plan, instruction, kernels, budget);
            if (!action)
                return tl::unexpected(action.error());
            m_actions.push_back(std::move(*action));
            m_scratchBytes = std::max(m_scratchBytes, m_actions.back()->scratchBytes());
            m_ownBytes += m_actions.back()->ownBytes();
            if (access.mustWait(instruction, sharing)) {
                m_phases.emplace_back();
                access = {};
            }
            access.add(instruction, sharing);
            const bool divided = i < m_work.size() && !m_work[i].empty();
            m_phases.back().actions.push_back({ m_actions.back().get(), divided ? &m_work[i] : nullptr });
        }
        return {};
    }

    void fillArguments();
    void fillArgument(ValueId argument, SlotId slot, const Layout& layout, std::int64_t shard);
    void runActions(const Phase& phase);
    void runExchange(const Exchange& exchange);

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
    [[nodiscard]] std::vector<double> gathered(SlotId slot, DeviceValueId value) const;
    [[nodiscard]] std::optional<ReplicaDifference> difference(SlotId slot, DeviceValueId value) const;

    std::shared_ptr<const Plan> m_plan;
    InitialValues m_initial;
    std::stop_token m_stop;
    bool m_stopped = false; ///< something was broken off
    std::size_t m_devices;
    int m_threads;
    std::vector<std::unique_ptr<Action>> m_actions;
    std::vector<std::unique_ptr<Exchange>> m_exchanges;
    std::vector<Phase> m_phases;
    std::vector<std::vector<WorkShare>> m_work; ///< of ReplicaSharing
    DeviceMemory m_memory;
    std::vector<Arena> m_scratch; ///< per worker
    std::unique_ptr<ThreadPool> m_pool;
    std::int64_t m_scratchBytes = 64;
    std::int64_t m_ownBytes = 0;
    std::int64_t m_physicalBytes = 0;
    std::size_t m_mostTasks = 0;
    std::int64_t m_steps = 0;
    std::int64_t m_copiedBytes = 0;
    StepTiming m_timing;
    std::vector<double> m_clocks; ///< per device: when it would be where it is, had all run at once
    std::vector<double> m_seconds; ///< per task of a phase
    std::vector<double> m_groupSeconds;
};

/// Counts everything in the order in which it is taken later; stops where working it out would take too much itself.
Result<double> SimulatedRun::bytesNeeded(ReplicaMode replicas, double limit) const
{
    MemoryBudget budget = MemoryBudget::counter(limit);
    // Addresses of all slots on all devices, places of what is filled, times and clocks.
    const std::size_t perDevice = m_plan->slots.size() * sizeof(std::byte*)
        + m_plan->arguments.size() * 2 * sizeof(std::int64_t) + sizeof(Arena) + sizeof(DeviceTimes)
        + 3 * sizeof(double);
    (void)budget.take(static_cast<double>(perDevice) * static_cast<double>(m_devices));
    ReplicaSharing sharing;
    if (replicas == ReplicaMode::Shared) {
        constexpr double modest = 64 << 20; // to be had in any case
        const double tables = sharingBytes(*m_plan);
        (void)budget.take(tables);
        if (tables <= std::max(limit, modest))
            sharing = shareReplicas(*m_plan);
    }
    (void)budget.take(DeviceMemory(*m_plan, sharing).bytesNeeded());
    const KernelSet& kernels = kernelSet();
    std::int64_t scratch = m_scratchBytes;
    for (const Instruction& instruction : m_plan->instructions) {
        if (isStopped())
            break;
        if (std::holds_alternative<CollectiveInstruction>(instruction.action)) {
            const auto exchange = Exchange::prepare(*m_plan, instruction, kernels, budget);
            if (!exchange)
                return tl::unexpected(exchange.error());
            scratch = std::max(scratch, exchange->scratchBytes());
        } else {
            const auto action = prepareAction(*m_plan, instruction, kernels, budget);
            if (!action)
                return tl::unexpected(action.error());
            scratch = std::max(scratch, *action ? (*action)->scratchBytes() : 0);
        }
    }
    (void)budget.take(Arena::bytesTaken(scratch) * m_threads);
    return budget.taken();
}

tl::unexpected<Error> SimulatedRun::outOfMemory(const RunOptions& options, double needed) const
{
    const std::int64_t limit = memoryLimit(options);
    auto error = fail(Code::OutOfMemory, { { "bytes", toBytes(needed + options.reservedBytes) }, { "limit", limit } });
    const auto fits = [limit](double bytes) { return bytes <= static_cast<double>(limit); };
    if (options.reservedBytes > 0 && fits(needed))
        error.value().args.emplace_back("alone_bytes", toBytes(needed));
    if (options.replicas == ReplicaMode::Own)
        if (const auto shared = bytesNeeded(ReplicaMode::Shared, static_cast<double>(limit));
            shared && fits(*shared + options.reservedBytes))
            error.value().args.emplace_back("shared_bytes", toBytes(*shared + options.reservedBytes));
    return error;
}

void SimulatedRun::fillArguments()
{
    const Program& program = *m_plan->program->program;
    struct Part {
        std::size_t argument;
        std::int64_t shard;
    };
    std::vector<Part> parts;
    std::vector<Layout> layouts;
    const std::vector<ValueId>& arguments = program.main().arguments;
    for (std::size_t a = 0; a < arguments.size(); ++a) {
        layouts.push_back(m_plan->program->layout(DeviceValueId(arguments[a].index)));
        if (m_plan->arguments[a].valid())
            for (std::int64_t shard = 0; shard < layouts[a].distinctShards(); ++shard)
                parts.push_back({ a, shard });
    }
    m_pool->run(static_cast<std::int64_t>(parts.size()), [&](std::int64_t task, int) {
        if (isStopped())
            return;
        const Part& part = parts[static_cast<std::size_t>(task)];
        fillArgument(arguments[part.argument], m_plan->arguments[part.argument], layouts[part.argument], part.shard);
    });
}

void SimulatedRun::fillArgument(ValueId argument, SlotId slot, const Layout& layout, std::int64_t shard)
{
    const Program& program = *m_plan->program->program;
    const DeviceValue& value = deviceValue(argument);
    const Mesh& mesh = layout.mesh();
    std::vector<std::int32_t> positions;
    for (const std::int32_t device : layout.holders(shard))
        positions.push_back(static_cast<std::int32_t>(mesh.positionOf(device)));
    std::byte* first = address(static_cast<std::size_t>(positions[0]), slot);
    // Part of a row at a time, so that long rows need no memory; the others copy the first holder's shard.
    constexpr std::int64_t mostElements = 4096;
    std::vector<double> part;
    const Shape strides = rowMajorStrides(layout.shape());
    forEachRow(
        layout, positions[0], value.localType.shape, [&](std::int64_t local, std::int64_t global, std::int64_t length) {
            if (isStopped())
                return;
            std::vector<IndexRange> ranges;
            for (std::size_t d = 0; d < strides.size(); ++d) {
                const std::int64_t index = global / strides[d] % layout.shape()[d];
                ranges.push_back({ index, index + 1 });
            }
            for (std::int64_t done = 0; done < length && !isStopped(); done += mostElements) {
                const std::int64_t count = std::min(mostElements, length - done);
                part.resize(static_cast<std::size_t>(count));
                if (!ranges.empty())
                    ranges.back().end = ranges.back().begin + count;
                fillShard(m_initial, program, argument, ranges, part);
                for (std::int64_t i = 0; i < count; ++i)
                    storeElement(value.localType.dtype, first, local + done + i, part[static_cast<std::size_t>(i)]);
                if (!ranges.empty())
                    ranges.back().begin += count;
            }
        });
    for (const std::int32_t position : positions) {
        std::byte* copy = address(static_cast<std::size_t>(position), slot);
        if (copy != first && !isStopped())
            std::memcpy(copy, first, static_cast<std::size_t>(value.localType.byteCount()));
    }
}

void SimulatedRun::runActions(const Phase& phase)
{
    if (phase.actions.empty())
        return;
    const std::size_t slots = m_plan->slots.size();
    m_pool->run(static_cast<std::int64_t>(m_devices), [&](std::int64_t device, int worker) {
        const Clock::time_point start = Clock::now();
        const auto d = static_cast<std::size_t>(device);
        ActionContext context{ m_memory.addresses() + d * slots, device,
            m_scratch[static_cast<std::size_t>(worker)].data(), {} };
        for (const Phase::Item& item : phase.actions) {
            if (isStopped())
                return;
            context.share = item.work ? (*item.work)[d] : WorkShare();
            item.action->run(context);
        }
        m_seconds[d] = secondsSince(start);
    });
    for (std::size_t d = 0; d < m_devices; ++d) {
        m_timing.devices[d].compute += m_seconds[d];
        m_clocks[d] += m_seconds[d];
    }
}

void SimulatedRun::runExchange(const Exchange& exchange)
{
    const std::size_t slots = m_plan->slots.size();
    m_pool->run(exchange.taskCount(), [&](std::int64_t task, int worker) {
        if (isStopped())
            return;
        const Clock::time_point start = Clock::now();
        exchange.run(task, m_memory.addresses(), slots, m_scratch[static_cast<std::size_t>(worker)].data());
        m_seconds[static_cast<std::size_t>(task)] = secondsSince(start);
    });
    m_copiedBytes += exchange.copiedBytes();
    const auto& groups = exchange.groups();
    std::fill_n(m_groupSeconds.begin(), groups.size(), 0.0);
    for (std::int64_t task = 0; task < exchange.taskCount(); ++task)
        m_groupSeconds[exchange.groupOf(task)] += m_seconds[static_cast<std::size_t>(task)];
    for (std::size_t group = 0; group < groups.size(); ++group) {
        // Each member does its share of the group's work, and all begin when the last one is ready.
        const double share = m_groupSeconds[group] / static_cast<double>(groups[group].size());
        double begin = 0;
        for (const std::int32_t member : groups[group])
            begin = std::max(begin, m_clocks[static_cast<std::size_t>(member)]);
        for (const std::int32_t member : groups[group]) {
            const auto d = static_cast<std::size_t>(member);
            m_timing.devices[d].wait += begin - m_clocks[d];
            m_timing.devices[d].communication += share;
            m_clocks[d] = begin + share;
        }
    }
}

const StepTiming& SimulatedRun::step()
{
    const Clock::time_point start = Clock::now();
    std::fill(m_clocks.begin(), m_clocks.end(), 0.0);
    std::fill(m_timing.devices.begin(), m_timing.devices.end(), DeviceTimes());
    m_copiedBytes = 0;
    for (const Phase& phase : m_phases) {
        runActions(phase);
        if (phase.exchange != nullptr && !isStopped())
            runExchange(*phase.exchange);
        // Whoever left something out saw the request, so it is seen here as well.
        if (isStopped()) {
            m_stopped = true;
            m_timing.wall = 0;
            std::fill(m_timing.devices.begin(), m_timing.devices.end(), DeviceTimes());
            m_copiedBytes = 0;
            return m_timing;
        }
    }
    ++m_steps;
    m_timing.wall = secondsSince(start);
    return m_timing;
}

std::vector<double> SimulatedRun::gathered(SlotId slot, DeviceValueId id) const
{
    const DeviceValue& value = m_plan->program->value(id);
    const Layout layout = m_plan->program->layout(id);
    const Mesh& mesh = layout.mesh();
    std::int64_t count = 1;
    for (const std::int64_t extent : layout.shape())
        count *= extent;
    std::vector<double> global(static_cast<std::size_t>(count), 0.0);
    for (std::int64_t shard = 0; shard < layout.distinctShards(); ++shard) {
        std::vector<std::int64_t> seen; // addends; the first holder of each counts
        for (const std::int32_t device : layout.holders(shard)) {
            const std::int64_t position = mesh.positionOf(device);
            const std::int64_t addend = addendAt(layout, position);
            if (std::find(seen.begin(), seen.end(), addend) != seen.end())
                continue;
            seen.push_back(addend);
            const std::byte* data = address(static_cast<std::size_t>(position), slot);
            forEachRow(layout, position, value.localType.shape,
                [&](std::int64_t local, std::int64_t first, std::int64_t length) {
                    for (std::int64_t i = 0; i < length; ++i)
                        global[static_cast<std::size_t>(first + i)] +=
                            loadElement(value.localType.dtype, data, local + i);
                });
        }
    }
    return global;
}

std::optional<ReplicaDifference> SimulatedRun::difference(SlotId slot, DeviceValueId id) const
{
    const DeviceValue& held = m_plan->program->value(id);
    const Layout layout = m_plan->program->layout(id);
    const Mesh& mesh = layout.mesh();
    const DType dtype = held.localType.dtype;
    const std::int64_t elementBytes = byteSize(dtype);
    std::optional<ReplicaDifference> found;
    for (std::int64_t shard = 0; shard < layout.distinctShards() && !found; ++shard) {
        std::vector<std::pair<std::int64_t, std::int64_t>> firsts; // addend, position
        for (const std::int32_t device : layout.holders(shard)) {
            const std::int64_t position = mesh.positionOf(device);
            const std::int64_t addend = addendAt(layout, position);
            const auto first = std::find_if(
                firsts.begin(), firsts.end(), [addend](const auto& entry) { return entry.first == addend; });
            if (first == firsts.end()) {
                firsts.emplace_back(addend, position);
                continue;
            }
            const std::byte* a = address(static_cast<std::size_t>(first->second), slot);
            const std::byte* b = address(static_cast<std::size_t>(position), slot);
            forEachRow(layout, position, held.localType.shape,
                [&](std::int64_t local, std::int64_t global, std::int64_t length) {
                    const std::byte* const row = a + local * elementBytes;
                    const std::byte* const other = b + local * elementBytes;
                    if (found || std::memcmp(row, other, static_cast<std::size_t>(length * elementBytes)) == 0)
                        return;
                    const auto differs = std::mismatch(row, row + length * elementBytes, other).first;
                    const std::int64_t at = (differs - a) / elementBytes;
                    found = { global + at - local, mesh.deviceAt(first->second), device, loadElement(dtype, a, at),
                        loadElement(dtype, b, at) };
                });
            if (found)
                break;
        }
    }
    return found;
}

} // namespace

std::int64_t memoryLimit(const RunOptions& options)
{
    if (options.memoryLimit > 0)
        return options.memoryLimit;
    constexpr std::int64_t cautious = std::int64_t{ 4 } << 30; // where nobody knows
    const auto available = availableMemory();
    return available ? *available / 4 * 3 : cautious;
}

Result<std::unique_ptr<Run>> Run::create(std::shared_ptr<const Plan> plan, const RunOptions& options)
{
    try {
        auto run = std::make_unique<SimulatedRun>(plan, options);
        const auto prepared = run->prepare(options);
        if (options.stop.stop_requested())
            return std::unique_ptr<Run>();
        if (!prepared)
            return tl::unexpected(prepared.error());
        return std::unique_ptr<Run>(std::move(run));
    } catch (const std::bad_alloc&) { // it was there when it was counted
        const double bytes =
            static_cast<double>(plan->memory.arenaBytes) * static_cast<double>(plan->program->mesh->deviceCount());
        return fail(Code::OutOfMemory, { { "bytes", toBytes(bytes) }, { "limit", memoryLimit(options) } });
    }
}

} // namespace shardscope
