// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipeline/collective_list.h"

#include <algorithm>
#include <unordered_map>

#include "partition/lower_collectives.h"
#include "pipeline/program_collectives.h"
#include "pipeline/repartition.h"

namespace shardscope {

namespace {

bool isLess(Rational a, Rational b)
{
    return (b + a * Rational(-1)).numerator() > 0;
}

/// Of a value: where the operation that makes it stands.
std::string scopeOf(const Program& program, OperationId operation)
{
    if (!operation.valid())
        return {};
    const std::uint32_t scope = program.operation(operation).scope;
    return scope < program.scopes.size() ? program.scopes[scope] : std::string();
}

/// Per value without a path: the constrained value that has one, as `z` of a product that is constrained; else invalid.
std::vector<ValueId> namesByConstraints(const Program& program)
{
    std::vector<ValueId> names(program.values.size());
    for (const OperationId id : program.main().operations) {
        const Operation& operation = program.operation(id);
        if (operation.kind == OpKind::ShardingConstraint && program.value(operation.operands[0]).path.empty()
            && !program.value(operation.results[0]).path.empty())
            names[operation.operands[0].index] = operation.results[0];
    }
    return names;
}

/// What an operation of the network reads, on the devices.
std::vector<HeldOperand> operandsOf(const DeviceProgram& device, const DeviceOp& op)
{
    std::vector<HeldOperand> held;
    for (const DeviceValueId operand : op.operands)
        held.push_back({ device.value(operand).origin, device.value(operand).sharding });
    return held;
}

std::string namesOf(const AxisList& axes, const Mesh& mesh)
{
    std::string text;
    for (const AxisRef axis : axes)
        text += (text.empty() ? "" : ", ") + toString(mesh, axis);
    return text;
}

} // namespace

std::int64_t localBytes(const TensorType& type, const TensorSharding& sharding)
{
    return TensorType{ type.dtype, shardShape(sharding, type.shape) }.byteCount();
}

std::string keyOf(const CollectiveEntry& entry, CollectiveKey key)
{
    switch (key) {
    case CollectiveKey::Kind:
        return std::string(name(entry.kind));
    case CollectiveKey::Axes:
        return namesOf(entry.axes, *entry.mesh);
    case CollectiveKey::Layer:
        break;
    }
    return entry.scope;
}

std::vector<CollectiveSum> sums(const CollectiveList& list, CollectiveKey key)
{
    std::vector<CollectiveSum> found;
    std::unordered_map<std::string, std::size_t> places; // layers may be many
    for (const CollectiveEntry& entry : list.entries) {
        if (entry.scalarLoss || !isExchange(entry))
            continue;
        std::string under = keyOf(entry, key);
        const auto [place, added] = places.emplace(under, found.size());
        if (added)
            found.push_back({ std::move(under), 0, 0, {} });
        CollectiveSum& sum = found[place->second];
        ++sum.collectives;
        sum.timesPerStep = saturatingSum(sum.timesPerStep, entry.times);
        sum.sent += entry.sentPerStep();
    }
    std::stable_sort(found.begin(), found.end(),
        [](const CollectiveSum& a, const CollectiveSum& b) { return isLess(b.sent, a.sent); });
    return found;
}

SentBytes sentBytes(const CollectiveList& list)
{
    SentBytes sum;
    for (const CollectiveEntry& entry : list.entries)
        (entry.scalarLoss ? sum.scalarLoss : sum.step) += entry.sentPerStep();
    return sum;
}

std::vector<std::vector<std::int64_t>> replicaGroups(const CollectiveEntry& entry, const Mesh& mesh)
{
    return entry.writtenGroups.empty() ? deviceGroups(mesh, entry.axes) : entry.writtenGroups;
}

bool isExchange(const CollectiveEntry& entry)
{
    return entry.kind != CollectiveKind::AllSlice;
}

std::vector<std::vector<std::int64_t>> sentPairs(const CollectiveEntry& entry)
{
    if (entry.kind != CollectiveKind::CollectivePermute)
        return {};
    std::vector<std::vector<std::int64_t>> pairs = entry.writtenPairs;
    if (pairs.empty() && entry.writtenGroups.empty()
        && (entry.meshBefore || !entry.before.isEquivalent(entry.after))) // else several, of strips
        pairs = permutePairs(Layout(entry.meshBefore ? entry.meshBefore : entry.mesh, entry.before, entry.type.shape),
            Layout(entry.mesh, entry.after, entry.type.shape));
    std::erase_if(pairs, [](const auto& pair) { return pair.size() != 2 || pair[0] == pair[1]; });
    return pairs;
}

CollectiveList collectivesOf(const DeviceProgram& device)
{
    CollectiveList list{ device.program, device.mesh, {} };
    const std::vector<ValueId> names = namesByConstraints(*device.program);
    std::vector<const DeviceOp*> makers(device.values.size(), nullptr);
    for (const DeviceOp& op : device.ops)
        for (const DeviceValueId result : op.results)
            makers[result.index] = &op;
    for (const CollectiveUse& use : collectives(device)) {
        const DeviceOp& op = device.ops[use.op.index];
        CollectiveEntry& entry = list.entries.emplace_back();
        entry.kind = use.kind;
        entry.axes = use.axes;
        entry.groupSize = product(use.axes);
        entry.groupCount = device.mesh->deviceCount() / entry.groupSize;
        entry.sentBytes = use.sentBytes;
        entry.scalarLoss = use.scalarLoss;
        entry.value = names[op.origin.index].valid() ? names[op.origin.index] : op.origin;
        entry.reason = op.reason;
        entry.type = device.program->value(op.origin).type;
        entry.before = device.value(op.operands[0]).sharding;
        entry.after = device.value(op.results[0]).sharding;
        entry.collective = *op.collective();
        entry.mesh = device.mesh;
        entry.deviceOperation = use.op;
        const DeviceOp* maker = makers[op.operands[0].index];
        if (maker && !maker->collective() && !entry.before.unreduced.empty())
            entry.operands = operandsOf(device, *maker);
        const OperationId behind = op.reason && op.reason->operation.valid()
            ? op.reason->operation
            : device.program->value(op.origin).definition;
        entry.scope = scopeOf(*device.program, behind);
    }
    return list;
}

Result<CollectiveList> collectivesOf(const Snapshot& snapshot, std::stop_token stop)
{
    if (snapshot.deviceProgram)
        return collectivesOf(*snapshot.deviceProgram);
    // Arrays without operations exchange nothing; what has no layout says why.
    if (std::optional<Error> error = firstError(snapshot))
        return tl::unexpected<Error>(std::move(*error));
    if (!snapshot.asRead)
        return CollectiveList{ snapshot.program, snapshot.mesh, {} };
    if (stop.stop_requested())
        return CollectiveList();
    const Result<DeviceStages::Sharded> sharded = shardedProgram(snapshot, false);
    if (!sharded)
        return tl::unexpected<Error>(sharded.error());
    if (stop.stop_requested())
        return CollectiveList();
    return collectivesOf(**sharded, snapshot);
}

} // namespace shardscope
