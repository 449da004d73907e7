// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/run/run.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <numeric>

#include "base/codes.h"
#include "simulate/kernels/product.h"
#include "simulate/run/fill_arguments.h"
#include "simulate/run/memory_needed.h"
#include "simulate/run/simulated_run.h"

namespace shardscope {

Result<void> SimulatedRun::prepare(const RunOptions& options)
{
    SHARDSCOPE_CHECK(checkSpecified());
    SHARDSCOPE_TRY(needs, checkRunMemory(*m_plan, options));
    if (isStopped())
        return {};
    const auto [needed, traced, limit] = *needs;

    MemoryBudget budget(static_cast<double>(limit));
    ReplicaSharing sharing;
    if (options.replicas == ReplicaMode::Shared)
        sharing = shareReplicas(*m_plan);
    m_memory = DeviceMemory(*m_plan, sharing);
    SHARDSCOPE_TRY(phases,
        preparePhases(*m_plan, sharing, budget,
            { !m_observers.empty() || options.tracedInstructions > 0, options.plainKernels, m_threads }, m_stop));
    if (isStopped())
        return {};
    m_phases = std::move(*phases);
    const double taken = m_memory.bytesNeeded() + static_cast<double>(m_phases.ownBytes)
        + static_cast<double>(m_phases.scratchBytes) * m_threads;
    if (!m_memory.allocate())
        return runOutOfMemory(*m_plan, options, m_threads, needed, limit);
    for (int worker = 0; worker < m_threads; ++worker) {
        m_scratch.emplace_back(m_phases.scratchBytes);
        if (m_scratch.back().data() == nullptr)
            return runOutOfMemory(*m_plan, options, m_threads, needed, limit);
    }
    m_trace = StepTrace(m_devices, options.tracedInstructions);
    if (m_trace.isOn())
        m_controlsBegun.resize(m_phases.controls.size() * m_devices);
    for (const std::unique_ptr<Control>& control : m_phases.controls) {
        std::vector<Positions>& taking = m_taking.emplace_back(control->isLoop() ? 1 : control->blocks.size());
        for (Positions& positions : taking)
            positions.reserve(m_devices);
    }
    m_physicalBytes = static_cast<std::int64_t>(taken + traced);
    m_clocks.resize(m_devices);
    m_taskTimes.resize(std::max(m_devices, m_phases.maxTasks));
    m_groupTimes.resize(m_devices);
    m_timing.devices.resize(m_devices);
    m_everyDevice.resize(m_devices);
    std::iota(m_everyDevice.begin(), m_everyDevice.end(), 0);
    m_taskOrder = taskOrder(sharing);
    m_devicesPerTask = devicesPerTask(sharing);
    m_failures.resize(m_devices);
    m_failedAt.resize(m_devices);
    m_findings.resize(m_devices);
    m_trips.resize(m_devices);
    m_arrays = InitialArrays(*m_plan->program->program, m_initial);
    m_pool = std::make_unique<ThreadPool>(m_threads);
    m_threads = m_pool->threads();
    reset();
    return {};
}

void SimulatedRun::reset()
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

Result<void> SimulatedRun::checkSpecified() const
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

kernels::Arrays SimulatedRun::shardsIn(SlotId slot, FlatValueId value) const
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

std::vector<std::int32_t> SimulatedRun::taskOrder(const ReplicaSharing& sharing) const
{
    std::vector<std::int32_t> order = m_everyDevice;
    if (!m_phases.clusters.empty()) {
        order.clear();
        for (const Positions& cluster : m_phases.clusters.devices)
            order.insert(order.end(), cluster.begin(), cluster.end());
        return order;
    }
    if (const std::vector<std::int32_t>* shards = largestShared(sharing)) {
        std::stable_sort(order.begin(), order.end(), [shards](std::int32_t a, std::int32_t b) {
            return (*shards)[static_cast<std::size_t>(a)] < (*shards)[static_cast<std::size_t>(b)];
        });
        return order;
    }
    const auto largest = std::max_element(m_phases.reduced.begin(), m_phases.reduced.end(),
        [](const auto& a, const auto& b) { return a->copiedBytes() < b->copiedBytes(); });
    if (largest == m_phases.reduced.end() || (*largest)->copiedBytes() == 0)
        return order;
    order.clear();
    for (const std::vector<std::int32_t>& group : (*largest)->groups())
        order.insert(order.end(), group.begin(), group.end());
    return order;
}

std::size_t SimulatedRun::devicesPerTask(const ReplicaSharing& sharing) const
{
    const std::vector<std::int32_t>* shards = largestShared(sharing);
    if (!shards || m_trace.isOn() || !m_phases.clusters.empty())
        return 1;
    const auto shardAt = [&](std::size_t place) { return (*shards)[static_cast<std::size_t>(m_taskOrder[place])]; };
    for (std::size_t count = Product::maximumSharers; count > 1; --count) {
        if (m_devices % (count * static_cast<std::size_t>(m_threads)) != 0)
            continue;
        bool share = true;
        for (std::size_t place = 0; place < m_devices; ++place)
            share = share && shardAt(place) == shardAt(place / count * count);
        if (share)
            return count;
    }
    return 1;
}

const std::vector<std::int32_t>* SimulatedRun::largestShared(const ReplicaSharing& sharing) const
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
