// SPDX-License-Identifier: GPL-3.0-or-later
#include "partition/device_values.h"

#include <algorithm>
#include <map>

#include "partition/partial_axes.h"
#include "program/calls.h"
#include "program/editor.h"
#include "program/function_names.h"
#include "program/other_attributes.h"
#include "program/value_shardings.h"

namespace shardscope {

namespace {

/// Per operation: whether it computes on shards: in a manual computation, or in a function that is called from one.
std::vector<bool> operationsOnShards(const Program& program)
{
    std::vector<bool> onShards(program.operations.size());
    const FunctionNames names(program);
    std::vector<RegionId> open;
    for (const RegionId body : bodies(program))
        walk(program, body, [&](OperationId id) {
            if (program.operation(id).kind == OpKind::ManualComputation)
                open.push_back(program.operation(id).regions[0]);
        });
    std::vector<bool> isSeen(program.functions.size());
    while (!open.empty()) {
        const RegionId region = open.back();
        open.pop_back();
        walk(program, region, [&](OperationId id) {
            onShards[id.index] = true;
            const std::string* callee = calleeOf(program.operation(id));
            const Function* function = callee ? names.find(program, *callee) : nullptr;
            if (!function)
                return;
            const auto f = static_cast<std::size_t>(function - program.functions.data());
            if (!isSeen[f])
                open.push_back(function->body);
            isSeen[f] = true;
        });
    }
    return onShards;
}

std::map<std::string, int> timesCalled(const Program& program)
{
    std::map<std::string, int> times;
    for (const RegionId body : bodies(program))
        walk(program, body, [&](OperationId id) {
            if (const std::string* callee = calleeOf(program.operation(id)))
                ++times[*callee];
        });
    return times;
}

/// Per operation: whether it is in a function into which partitioning has merged several of the source that are equal
/// on devices. A value of it stands for several arrays, and so for none that could be named.
std::vector<bool> operationsOfMergedFunctions(const Program& source, const Program& sharded)
{
    std::vector<bool> merged(sharded.operations.size());
    const std::map<std::string, int> before = timesCalled(source), after = timesCalled(sharded);
    for (const Function& function : sharded.functions) {
        const auto now = after.find(function.name), then = before.find(function.name);
        if (now != after.end() && now->second > 1 && (then == before.end() || then->second != now->second))
            walk(sharded, function.body, [&](OperationId id) { merged[id.index] = true; });
    }
    return merged;
}

/// Per value of the sharded program: the axes over which the devices hold addends of it that a later collective sums.
std::vector<AxisList> axesStillToSum(const Program& sharded)
{
    std::vector<OperationId> sums;
    for (const RegionId body : bodies(sharded))
        walk(sharded, body, [&](OperationId id) {
            if (const OpKind kind = sharded.operation(id).kind;
                kind == OpKind::SdyAllReduce || kind == OpKind::SdyReduceScatter)
                sums.push_back(id);
        });
    std::vector<AxisList> addends(sharded.values.size());
    for (auto id = sums.rbegin(); id != sums.rend(); ++id) {
        const Operation& operation = sharded.operation(*id);
        const auto* own = attributesAs<SdyCollectiveAttributes>(operation.attributes);
        if (!own)
            continue;
        AxisList axes = own->axes;
        for (const AxisList& more : own->axesPerDimension)
            for (const AxisRef& axis : more)
                axes.push_back(axis);
        // Of two sums in a row the operand of the first has the axes of both still to sum.
        for (const AxisRef& axis : addends[operation.results[0].index])
            axes.push_back(axis);
        for (const ValueId operand : operation.operands)
            addends[operand.index] = axes;
    }
    return addends;
}

/// Per value of the sharded program: the value of the source that it is, which collectives and padding leave the same
/// array. Invalid if there is none.
std::vector<ValueId> sourceValues(const Program& source, const Program& sharded, const TrueShapes& trueShapes)
{
    std::vector<ValueId> meant(sharded.values.size());
    for (std::size_t v = 0; v < sharded.values.size() && v < source.values.size(); ++v)
        if (source.values[v].definition.valid() && sharded.values[v].type.dtype == source.values[v].type.dtype
            && trueShape(trueShapes, sharded, ValueId(v)) == *source.values[v].type.shape)
            meant[v] = ValueId(v);
    for (const RegionId body : bodies(sharded))
        walk(sharded, body, [&](OperationId id) {
            const Operation& operation = sharded.operation(id);
            const bool resizes = (operation.kind == OpKind::Slice || operation.kind == OpKind::Pad)
                && id.index >= source.operations.size(); // added by partitioning, for padding
            if (!resizes && (!isShardyCollective(operation.kind) || operation.operands.size() != 1))
                return;
            const ValueId from = operation.operands[0], to = operation.results[0];
            if (!meant[to.index].valid() && trueShape(trueShapes, sharded, from) == trueShape(trueShapes, sharded, to))
                meant[to.index] = meant[from.index];
        });
    return meant;
}

/// The values that a device computes for each operation of the sharded program which became other operations: the last
/// one that has the type of a shard of the result. An operation that kept its result has only helpers, such as the
/// exchange that brings a reverse its operand, and is left out.
std::map<std::uint32_t, ValueId> resultsOfLowered(const Program& sharded, const DeviceProgram& parts,
    const ValueShardings& shardings, const std::vector<bool>& isNotShown)
{
    const Program& device = parts.program;
    std::vector<bool> isThere(device.values.size());
    for (const RegionId body : bodies(device))
        walk(device, body, [&](OperationId id) {
            for (const ValueId result : device.operation(id).results)
                isThere[result.index] = true;
        });
    std::vector<bool> adds(device.operations.size()); // two elements, in the body of a reduction
    for (const auto& [made, origin] : parts.origins)
        for (const RegionId body : device.operation(made).regions)
            walk(device, body, [&](OperationId inner) { adds[inner.index] = true; });
    std::map<std::uint32_t, ValueId> last;
    for (const auto& [made, origin] : parts.origins) {
        const Operation& operation = device.operation(made);
        if (adds[made.index] || operation.results.size() != 1 || origin.index >= sharded.operations.size()
            || isNotShown[origin.index])
            continue;
        const auto& wanted = sharded.operation(origin).results;
        if (wanted.size() != 1
            || (!isShardyCollective(sharded.operation(origin).kind) && wanted[0].index < isThere.size()
                && isThere[wanted[0].index]))
            continue;
        const ProgramSharding* found = shardings.of(wanted[0]);
        TensorType type = sharded.value(wanted[0]).type;
        if (found && found->sharding.rank() == type.rank())
            type.shape = shardShape(found->sharding, type.shape);
        if (device.value(operation.results[0]).type == type)
            last[origin.index] = operation.results[0];
    }
    return last;
}

} // namespace

DeviceValues::DeviceValues(const Program& source, const PartitionedProgram& parts)
    : m_shards(std::max(parts.sharded->program.values.size(), parts.device.program.values.size()))
{
    const Program &sharded = parts.sharded->program, &device = parts.device.program;
    const TrueShapes& trueShapes = parts.sharded->trueShapes;
    const ValueShardings shardings(sharded);
    const std::vector<AxisList> addends = axesStillToSum(sharded);
    const std::vector<ValueId> meant = sourceValues(source, sharded, trueShapes);
    std::vector<bool> isNotShown = operationsOnShards(sharded);
    const std::vector<bool> merged = operationsOfMergedFunctions(source, sharded);
    for (std::size_t i = 0; i < merged.size(); ++i)
        isNotShown[i] = isNotShown[i] || merged[i];

    // Notes that value `current` of the device is a shard of value `full` of the sharded program, if its type fits.
    const auto accept = [&](ValueId current, ValueId full, ValueId sourceValue) {
        const TensorType& padded = sharded.value(full).type;
        if (!isTensor(padded.dtype) || current.index >= device.values.size() || current.index >= m_shards.size())
            return;
        const ProgramSharding* found = shardings.of(full);
        if (found && (!found->sharding.unreduced.empty() || found->sharding.rank() != padded.rank()))
            return;
        const TensorType& local = device.value(current).type;
        if (local.dtype != padded.dtype
            || (found ? *local.shape != shardShape(found->sharding, padded.shape) : !(*local.shape == *padded.shape)))
            return;
        TensorSharding sharding = found ? found->sharding : TensorSharding::fullyReplicated(padded.rank());
        // An array on its way from one sharding to another may have padding that its own shards do not need. It is not
        // the array of the source then.
        const TensorType type = typeAsSharded(trueShapes, sharded, full, sharding);
        if (type == padded && trueShapes.contains(full))
            sourceValue = {};
        const ValueId summed = current.index < addends.size() ? current : full; // new values have no list of their own
        const bool adds = !addends[summed.index].empty();
        if (adds)
            sharding.unreduced = addends[summed.index];
        const MeshPtr mesh = found && found->mesh < sharded.meshes.size() ? sharded.meshes[found->mesh].mesh : nullptr;
        const bool elsewhere = mesh && mesh->rank() > 0 && *mesh != *parts.device.mesh;
        m_shards[current.index] =
            DeviceShard{ { type, std::move(sharding), ReduceKind::Sum, elsewhere ? mesh : nullptr }, sourceValue,
                adds };
    };
    // Addends that no collective sums as they are: nobody reads them, or padding stands between.
    const auto isLeftInParts = [&](ValueId value) {
        const Operation& maker = sharded.operation(sharded.value(value).definition);
        return addends[value.index].empty()
            && !summedAxes(sharded, maker, [&](ValueId operand) { return shardings.of(operand); }).empty();
    };
    for (std::size_t v = 0; v < sharded.values.size(); ++v) {
        const Value& current = sharded.values[v];
        if (current.definition.valid() && !isNotShown[current.definition.index] && !isLeftInParts(ValueId(v)))
            accept(ValueId(v), ValueId(v), meant[v]);
    }
    for (const auto& [origin, value] : resultsOfLowered(sharded, parts.device, shardings, isNotShown)) {
        const ValueId wanted = sharded.operations[origin].results[0];
        accept(value, wanted, meant[wanted.index]);
    }
    // What the body of a manual computation returns on a device is the device's shard of the computation's result.
    for (const RegionId body : bodies(sharded))
        walk(sharded, body, [&](OperationId id) {
            const Operation& operation = sharded.operation(id);
            if (operation.kind != OpKind::ManualComputation || isNotShown[id.index])
                return;
            const std::vector<ValueId>& returned = sharded.regions[operation.regions[0].index].results;
            for (std::size_t i = 0; i < std::min<std::size_t>(returned.size(), operation.results.size()); ++i)
                if (returned[i].index < source.values.size() && operation.results[i].index < source.values.size()
                    && sharded.value(returned[i]).definition.valid())
                    accept(returned[i], operation.results[i], operation.results[i]);
        });
}

} // namespace shardscope
