// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/run/simulated_run.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>

#include "base/codes.h"
#include "simulate/kernels/product.h"
#include "simulate/run/fill_arguments.h"
#include "simulate/run/memory_needed.h"
#include "simulate/run/not_executable.h"
#include "simulate/run/shards.h"

namespace shardscope {

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

} // namespace

void SimulatedRun::reshardState()
{
    const FlatProgram& program = *m_plan->program;
    kernels::Arrays full; // before any argument is written: it may be a result as well
    for (const auto& [argument, result] : program.reshardedState)
        full.push_back(assembleShards(
            shardsIn(m_plan->results[result], program.main().results[result]), program.outputs[result], program.mesh)
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

bool SimulatedRun::canGoOn()
{
    // The first one in the order in which devices would be together: whoever works on which, it is the same one.
    std::optional<std::size_t> first;
    for (std::size_t d = 0; d < m_devices; ++d)
        if (m_failures[d] && (!first || m_failedAt[d] < m_failedAt[*first]))
            first = d;
    if (first && !m_failure)
        m_failure = m_failures[*first];
    return !isStopped() && !m_failure;
}

bool SimulatedRun::runDevices(const PreparedBlock& block, std::size_t phase, std::span<const Phase::Item> items,
    std::span<const std::int32_t> positions, int worker)
{
    const Clock::time_point start = Clock::now();
    SmallVector<ActionContext, Product::maximumSharers> contexts;
    for (const std::int32_t position : positions) {
        const auto d = static_cast<std::size_t>(position);
        contexts.push_back({ slotsOf(position), position, m_scratch[static_cast<std::size_t>(worker)].data(),
            WorkShare(), &m_failures[d], &m_stop, &m_trips[d], m_maximumTrips, &m_findings[d] });
    }
    const auto canContinue = [&] {
        return !isStopped() && std::none_of(contexts.begin(), contexts.end(), [](const auto& each) {
            return each.failure->has_value();
        });
    };
    for (const Phase::Item& item : items) {
        if (!canContinue())
            return false;
        const double begun = m_trace.isOn() ? secondsSince(start) : 0;
        for (ActionContext& context : contexts)
            context.share = item.work ? (*item.work)[static_cast<std::size_t>(context.position)] : WorkShare();
        item.action->runOnAll(contexts);
        for (const ActionContext& context : contexts)
            if (context.failure->has_value())
                m_failedAt[static_cast<std::size_t>(context.position)] = { phase, item.instruction };
        if (m_trace.isOn())
            for (const std::int32_t position : positions) {
                const auto d = static_cast<std::size_t>(position);
                const double now = m_clocks[d].now;
                m_trace.add(d, { block.number, item.instruction, now + begun, now + secondsSince(start) });
            }
    }
    const double seconds = secondsSince(start) / static_cast<double>(positions.size());
    for (const std::int32_t position : positions) {
        DeviceClock& clock = m_clocks[static_cast<std::size_t>(position)];
        clock.times.compute += seconds;
        clock.now += seconds;
    }
    return canContinue();
}

bool SimulatedRun::runActions(const PreparedBlock& block, const Phase& phase, const Positions& active)
{
    if (phase.actions.empty())
        return true;
    const bool all = active.size() == m_devices;
    const std::span<const std::int32_t> order = all ? m_taskOrder : active;
    const std::size_t size = all && phase.sharesOperands ? m_devicesPerTask : 1;
    const auto run = [&](std::span<const Phase::Item> items) {
        m_pool->run(static_cast<std::int64_t>(order.size() / size), [&](std::int64_t task, int worker) {
            (void)runDevices(block, 0, items, order.subspan(static_cast<std::size_t>(task) * size, size), worker);
        });
        return canGoOn();
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

bool SimulatedRun::runInClusters(const PreparedBlock& block, std::size_t first, std::size_t last)
{
    const std::vector<Positions>& clusters = m_phases.clusters.devices;
    m_pool->run(static_cast<std::int64_t>(clusters.size()), [&](std::int64_t cluster, int worker) {
        for (std::size_t p = first; p <= last; ++p) {
            const Phase& phase = block.phases[p];
            for (const std::int32_t position : clusters[static_cast<std::size_t>(cluster)])
                if (!phase.actions.empty() && !runDevices(block, p, phase.actions, { &position, 1 }, worker))
                    return;
            if (p == last)
                return;
            for (const Phase::Collective& one : phase.collectives) {
                const Phase::ClusterPart& part = one.parts[static_cast<std::size_t>(cluster)];
                for (const std::int64_t task : part.tasks)
                    addTime(*one.exchange, task, runExchange(*one.exchange, m_everyDevice, task, worker));
                for (const std::size_t group : part.groups)
                    shareTimes(block, one.instruction, *one.exchange, group);
            }
        }
    });
    for (std::size_t p = first; p < last; ++p)
        for (const Phase::Collective& one : block.phases[p].collectives)
            m_copiedBytes += one.exchange->copiedBytes();
    return canGoOn();
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

bool SimulatedRun::reachedTogether(const Operation& operation, const std::vector<Positions>& groups)
{
    for (const Positions& group : groups) {
        const auto reached = std::count_if(group.begin(), group.end(),
            [&](std::int32_t position) { return m_isActive[static_cast<std::size_t>(position)]; });
        if (reached == 0 || reached == static_cast<std::ptrdiff_t>(group.size()))
            continue;
        m_failure = cannot(*m_plan->program->local, operation,
            { { "wrong", "diverged" }, { "found", static_cast<std::int64_t>(reached) }, { "devices", group.size() } })
                        .value();
        return false;
    }
    return true;
}

template <class Exchanged>
bool SimulatedRun::canMeet(const Exchanged& exchanged, const Positions& active)
{
    if (active.size() == m_devices)
        return true;
    m_isActive.assign(m_devices, false);
    for (const std::int32_t position : active)
        m_isActive[static_cast<std::size_t>(position)] = true;
    return reachedTogether(exchanged.operation(), exchanged.groups());
}

template <class Exchanged>
bool SimulatedRun::takesPart(const Exchanged& exchanged, std::size_t group, const Positions& active) const
{
    return active.size() == m_devices || m_isActive[static_cast<std::size_t>(exchanged.groups()[group].front())];
}

template <class Exchanged, class TaskWork>
SimulatedRun::TaskTime SimulatedRun::runTask(
    const Exchanged& exchanged, const Positions& active, std::int64_t task, int worker, const TaskWork& work)
{
    if (isStopped() || !takesPart(exchanged, exchanged.groupOf(task), active))
        return {};
    const Clock::time_point start = Clock::now();
    const double exchanging = work(task, m_scratch[static_cast<std::size_t>(worker)].data());
    const double seconds = secondsSince(start);
    const double computing = exchanging < 0 ? 0 : std::max(0.0, seconds - exchanging);
    return { seconds - computing, computing };
}

SimulatedRun::TaskTime SimulatedRun::runExchange(
    const Exchange& exchange, const Positions& active, std::int64_t task, int worker)
{
    return runTask(exchange, active, task, worker, [&](std::int64_t own, std::byte* scratch) {
        exchange.run(own, m_memory.addresses(), m_plan->slots.size(), scratch);
        return -1.0; // all of it
    });
}

template <class Exchanged>
void SimulatedRun::addTime(const Exchanged& exchanged, std::int64_t task, const TaskTime& time)
{
    const std::int32_t first = exchanged.groups()[exchanged.groupOf(task)].front();
    TaskTime& sum = m_groupTimes[static_cast<std::size_t>(first)];
    sum.exchanging += time.exchanging;
    sum.computing += time.computing;
}

template <class Exchanged>
void SimulatedRun::shareTimes(
    const PreparedBlock& block, std::uint32_t instruction, const Exchanged& exchanged, std::size_t group)
{
    const Positions& members = exchanged.groups()[group];
    const TaskTime all = std::exchange(m_groupTimes[static_cast<std::size_t>(members.front())], {});
    // Each member does its share of the group's work, and all begin when the last one is ready.
    const auto count = static_cast<double>(members.size());
    const double share = all.exchanging / count, computing = all.computing / count;
    double begin = 0;
    for (const std::int32_t member : members)
        begin = std::max(begin, m_clocks[static_cast<std::size_t>(member)].now);
    for (const std::int32_t member : members) {
        const auto d = static_cast<std::size_t>(member);
        DeviceClock& clock = m_clocks[d];
        if (m_trace.isOn())
            m_trace.add(d, { block.number, instruction, begin, begin + computing + share, begin - clock.now });
        clock.times.wait += begin - clock.now;
        clock.times.communication += share;
        clock.times.compute += computing;
        clock.now = begin + computing + share;
    }
}

template <class Exchanged>
void SimulatedRun::addTimes(const PreparedBlock& block, std::uint32_t instruction, const Exchanged& exchanged,
    const Positions& active, std::int64_t first)
{
    m_copiedBytes += exchanged.copiedBytes();
    for (std::int64_t task = 0; task < exchanged.taskCount(); ++task)
        addTime(exchanged, task, m_taskTimes[static_cast<std::size_t>(first + task)]);
    for (std::size_t group = 0; group < exchanged.groups().size(); ++group)
        if (takesPart(exchanged, group, active))
            shareTimes(block, instruction, exchanged, group);
}

bool SimulatedRun::runControl(const PreparedBlock& block, const Phase& phase, const Positions& active)
{
    if (!m_trace.isOn())
        return runTrips(*phase.control, active);
    const std::span<double> begun = std::span(m_controlsBegun).subspan(phase.control->index * m_devices, m_devices);
    std::transform(m_clocks.begin(), m_clocks.end(), begun.begin(), [](const DeviceClock& clock) { return clock.now; });
    const bool done = runTrips(*phase.control, active);
    for (const std::int32_t position : active) {
        const auto d = static_cast<std::size_t>(position);
        m_trace.add(d, { block.number, phase.instruction, begun[d], m_clocks[d].now });
    }
    return done;
}

bool SimulatedRun::runCollectives(const PreparedBlock& block, const Phase& phase, const Positions& active)
{
    std::int64_t most = 0;
    for (const Phase::Collective& one : phase.collectives) {
        if (!canMeet(*one.exchange, active))
            return false;
        most = std::max(most, one.exchange->taskCount());
    }
    // Each part has tasks of all collectives, of the same devices: see ThreadPool::run().
    m_pool->run(most, [&](std::int64_t part, int worker) {
        std::int64_t first = 0;
        for (const Phase::Collective& one : phase.collectives) {
            const std::int64_t tasks = one.exchange->taskCount();
            for (std::int64_t task = tasks * part / most; task < tasks * (part + 1) / most; ++task)
                m_taskTimes[static_cast<std::size_t>(first + task)] = runExchange(*one.exchange, active, task, worker);
            first += tasks;
        }
    });
    std::int64_t first = 0;
    for (const Phase::Collective& one : phase.collectives) {
        addTimes(block, one.instruction, *one.exchange, active, first);
        first += one.exchange->taskCount();
    }
    return !isStopped();
}

bool SimulatedRun::runReduced(const PreparedBlock& block, const Phase& phase, const Positions& active)
{
    const ReducedProduct& reduced = *phase.reduced;
    if (!canMeet(reduced, active))
        return false;
    m_pool->run(reduced.taskCount(), [&](std::int64_t task, int worker) {
        m_taskTimes[static_cast<std::size_t>(task)] =
            runTask(reduced, active, task, worker, [&](std::int64_t own, std::byte* scratch) {
                return reduced.run(own, m_memory.addresses(), m_plan->slots.size(), scratch);
            });
    });
    addTimes(block, phase.instruction, reduced, active, 0);
    return !isStopped();
}

/// Devices may leave the loop one by one.
bool SimulatedRun::runTrips(const Control& control, const Positions& active)
{
    std::vector<Positions>& taking = m_taking[control.index];
    if (!control.isLoop()) {
        for (Positions& positions : taking)
            positions.clear();
        for (const std::int32_t position : active)
            taking[control.chosen(slotsOf(position))].push_back(position);
        for (std::size_t i = 0; i < taking.size(); ++i)
            if (!taking[i].empty() && !runBlock(control.blocks[i], taking[i]))
                return false;
        return true;
    }
    m_pool->run(static_cast<std::int64_t>(active.size()),
        [&](std::int64_t task, int) { control.copyState(slotsOf(active[static_cast<std::size_t>(task)])); });
    Positions& going = taking.front();
    for (going = active;;) {
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
    for (std::size_t p = 0; p < block.phases.size(); ++p) {
        std::size_t last = p;
        while (block.phases[last].staysInClusters && active.size() == m_devices)
            ++last; // the last phase of a block has no collectives
        if (!(last > p ? runInClusters(block, p, last) : runActions(block, block.phases[p], active)))
            return false;
        p = last;
        const Phase& phase = block.phases[p];
        if ((!phase.collectives.empty() && !runCollectives(block, phase, active))
            || (phase.reduced && !runReduced(block, phase, active))
            || (phase.control && !runControl(block, phase, active)))
            return false;
        if ((phase.control || !phase.collectives.empty()) && phase.ends && !m_observers.empty())
            observe(block, phase.instruction, active);
    }
    return !isStopped();
}

const StepTiming& SimulatedRun::step()
{
    if (m_failure)
        return m_timing;
    const Clock::time_point start = Clock::now();
    std::fill(m_clocks.begin(), m_clocks.end(), DeviceClock());
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
    for (std::size_t d = 0; d < m_devices; ++d)
        m_timing.devices[d] = m_clocks[d].times;
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

} // namespace shardscope
