// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipeline/planned_memory.h"

#include <algorithm>
#include <cmath>

#include "partition/device_values.h"
#include "pipeline/repartition.h"
#include "simulate/evaluate/held_at_peak.h"
#include "simulate/evaluate/memory_plan.h"

namespace shardscope {

namespace {

std::int64_t wholeBytes(double bytes)
{
    constexpr double most = 9e18;
    return static_cast<std::int64_t>(std::llround(std::min(bytes, most)));
}

/// What the values of a device are called.
class Names {
public:
    Names(const Program& given, const PartitionedProgram& parts)
        : m_given(given)
        , m_shards(given, parts)
    {
        const std::vector<ValueId>&own = parts.device.program.main().arguments, &full = given.main().arguments;
        for (std::size_t i = 0; i < std::min(own.size(), full.size()); ++i)
            m_arguments.emplace_back(own[i], full[i]);
    }

    /// Of the program that was given; invalid for what came with the partition and stands for nothing of it.
    [[nodiscard]] ValueId meantBy(ValueId value) const
    {
        if (isGiven(value))
            return value;
        for (const auto& [own, full] : m_arguments)
            if (own == value)
                return full;
        const DeviceShard* shard = m_shards.of(value);
        return shard ? shard->meant : ValueId();
    }
    [[nodiscard]] std::string path(ValueId value) const
    {
        const ValueId meant = meantBy(value);
        return isGiven(meant) ? std::string(*m_given.value(meant).path) : std::string();
    }
    /// The program itself has it.
    [[nodiscard]] bool isGiven(ValueId value) const { return value.valid() && value.index < m_given.values.size(); }

private:
    const Program& m_given;
    DeviceValues m_shards;
    std::vector<std::pair<ValueId, ValueId>> m_arguments;
};

/// Of an array that goes by several values, the one that the program has, and of these one with a name.
ValueId bestOf(const std::vector<ValueId>& values, const Names& names)
{
    ValueId best = values.front();
    const auto rank = [&](ValueId value) {
        return (names.isGiven(value) ? 2 : 0) + (names.path(value).empty() ? 0 : 1);
    };
    for (const ValueId value : values)
        if (rank(value) > rank(best))
            best = value;
    return best;
}

} // namespace

PlannedMemory plannedMemory(const Program& given, const PartitionedProgram& parts)
{
    const Program& device = parts.device.program;
    const Names names(given, parts);
    PlannedMemory found;
    found.program = std::make_shared<const Program>(device);
    found.devices = parts.device.mesh->deviceCount();
    const evaluate::MemoryPlan plan = evaluate::planMemory(device, found.devices);
    found.dependsOnData = plan.dependsOnData;
    found.workingBytes = wholeBytes(plan.working);
    found.peakOperation = plan.peakOperation;
    const auto computedBy = [&](OperationId operation) {
        const auto& results = device.operation(operation).results;
        return results.empty() ? std::string() : names.path(results[0]);
    };
    if (plan.peakOperation.valid())
        found.peakPath = computedBy(plan.peakOperation);
    MemorySummary& memory = found.memory;
    memory.peakBytes = memory.arenaBytes = wholeBytes(plan.values);
    memory.peakInstruction = -1;
    for (std::size_t i = 0; i < plan.moments.size(); ++i) {
        const evaluate::MemoryPlan::Moment& moment = plan.moments[i];
        memory.live.push_back(wholeBytes(moment.values));
        if (memory.peakInstruction < 0 && plan.peakOperation.valid() && moment.values >= plan.values)
            memory.peakInstruction = static_cast<std::int32_t>(i);
        found.moments.push_back({ moment.operation, computedBy(moment.operation) });
    }
    const std::vector<ValueId>& arguments = device.main().arguments;
    for (const ValueId argument : arguments)
        memory.stateBytes = saturatingSum(memory.stateBytes, device.value(argument).type.byteCount());
    for (const evaluate::HeldArray& held : evaluate::heldAtPeak(device, found.devices)) {
        PlannedMemory::Array& array = found.arrays.emplace_back();
        const auto argument = std::find_if(held.values.begin(), held.values.end(),
            [&](ValueId value) { return std::find(arguments.begin(), arguments.end(), value) != arguments.end(); });
        const bool isArgument = argument != held.values.end();
        const ValueId value = isArgument ? *argument : bestOf(held.values, names);
        array.path = names.path(value);
        array.maker = device.value(value).definition;
        array.type = device.value(value).type;
        array.bytes = wholeBytes(held.bytes);
        array.part = isArgument    ? PlannedMemory::Part::Arguments
            : names.isGiven(value) ? PlannedMemory::Part::Values
                                   : PlannedMemory::Part::Exchanges;
        std::int64_t& sum = memory.atPeak[static_cast<std::size_t>(array.part)];
        sum = saturatingSum(sum, array.bytes);
    }
    return found;
}

Result<std::optional<PlannedMemory>> plannedMemory(const Snapshot& snapshot, std::stop_token stop)
{
    if (!snapshot.asRead || stop.stop_requested())
        return std::optional<PlannedMemory>();
    const Result<DeviceStages::Partitioned> parts = partitionedProgram(snapshot, false);
    if (!parts)
        return tl::unexpected<Error>(parts.error());
    if (stop.stop_requested())
        return std::optional<PlannedMemory>();
    // Names are those of the snapshot's program, which has further values after those of the text.
    Program given = *snapshot.asRead;
    for (std::size_t v = 0; v < std::min(given.values.size(), snapshot.program->values.size()); ++v)
        given.values[v].path = snapshot.program->values[v].path;
    return std::optional(plannedMemory(given, **parts));
}

} // namespace shardscope
