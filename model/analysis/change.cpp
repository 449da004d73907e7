// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/change.h"

#include <cstdlib>
#include <iterator>
#include <string_view>
#include <unordered_map>

#include "pipeline/memory_placement.h"
#include "pipeline/tensor_rows.h"

namespace shardscope {

std::int64_t stateBytes(const Snapshot& snapshot)
{
    std::int64_t bytes = 0;
    for (const TensorRow& row : snapshot.tensors)
        if (!isOnHost(snapshot, row)
            && (row.role == Role::Parameter || row.role == Role::Gradient || isOptimizerArray(row.role)))
            bytes = saturatingSum(bytes, row.bytesPerDevice);
    return bytes;
}

Change changeBetween(const Snapshot& before, const Snapshot& after)
{
    Change change;
    const auto count = [&change](const TensorRow& row) {
        ++(row.role == Role::Parameter ? change.parameters : change.others);
    };
    std::unordered_map<std::string_view, const TensorRow*> rows;
    for (const TensorRow& row : before.tensors)
        rows.emplace(row.path, &row);
    for (const TensorRow& row : after.tensors) {
        const auto found = rows.find(row.path);
        if (found == rows.end()) {
            count(row);
            continue;
        }
        const TensorRow& old = *found->second;
        if (!(old.spec == row.spec) || old.layout.shardShape() != row.layout.shardShape() || old.copies != row.copies
            || old.memoryKind != row.memoryKind)
            count(row);
        rows.erase(found);
    }
    for (const auto& [path, gone] : rows)
        count(*gone);
    change.stateBytesBefore = stateBytes(before);
    change.stateBytesAfter = stateBytes(after);
    if (before.ok())
        change.sentBefore = before.sent.step;
    if (after.ok())
        change.sentAfter = after.sent.step;
    return change;
}

std::int64_t bytesPerDevice(const TensorSharding& sharding, const TensorType& type)
{
    if (sharding.rank() != type.rank())
        return type.byteCount();
    return TensorType{ type.dtype, shardShape(sharding, type.shape) }.byteCount();
}

namespace {

/// Per value of `after` the same one of `before`; invalid for none.
std::vector<ValueId> counterparts(const Snapshot& first, const Snapshot& second)
{
    const Program &before = *first.program, &after = *second.program;
    std::vector<ValueId> found(after.values.size());
    bool alike = before.values.size() == after.values.size();
    for (std::size_t v = 0; alike && v < after.values.size(); ++v)
        alike = before.values[v].path == after.values[v].path;
    if (alike) {
        for (std::size_t v = 0; v < after.values.size(); ++v)
            if (first.source == second.source || !after.values[v].path.empty())
                found[v] = ValueId(v);
        return found;
    }
    std::unordered_map<std::string_view, ValueId> known;
    known.reserve(before.values.size());
    for (std::size_t v = 0; v < before.values.size(); ++v)
        if (!before.values[v].path.empty())
            known.emplace(before.values[v].path, ValueId(v));
    for (std::size_t v = 0; v < after.values.size(); ++v)
        if (const auto same = known.find(after.values[v].path); same != known.end())
            found[v] = same->second;
    return found;
}

/// What a person sees of a value: what its row says where it has one.
TensorSharding shownSharding(const Snapshot& snapshot, ValueId value)
{
    return snapshot.row(value) ? heldSharding(snapshot, value) : snapshot.propagation->shardings[value.index];
}

/// The axes by their names: the mesh may be another one.
bool sameSharding(const TensorSharding& a, const Mesh& meshOfA, const TensorSharding& b, const Mesh& meshOfB)
{
    if (meshOfA == meshOfB)
        return a.isEquivalent(b);
    return toPartitionSpec(a, meshOfA) == toPartitionSpec(b, meshOfB);
}

} // namespace

ValueChanges valueChanges(const Snapshot& before, const Snapshot& after)
{
    ValueChanges changes;
    if (!before.laidOut() || !after.laidOut())
        return changes;
    const std::vector<ValueId> old = counterparts(before, after);
    std::vector<ValueChange> arguments, others;
    for (std::size_t v = 0; v < old.size(); ++v) {
        const Value& value = after.program->values[v];
        if (!old[v].valid() || old[v].index >= before.propagation->shardings.size())
            continue;
        const Value& was = before.program->value(old[v]);
        if (was.type.rank() != value.type.rank())
            continue;
        ++changes.compared;
        ValueChange change{ old[v], ValueId(v), shownSharding(before, old[v]), shownSharding(after, ValueId(v)) };
        change.bytesBefore = bytesPerDevice(change.old, was.type);
        change.bytesAfter = bytesPerDevice(change.now, value.type);
        // Axes of the same names may have other sizes.
        if (sameSharding(change.old, *before.mesh, change.now, *after.mesh) && was.type == value.type
            && change.bytesBefore == change.bytesAfter)
            continue;
        const std::int64_t difference = change.bytesAfter - change.bytesBefore;
        (difference > 0 ? changes.largerBytes : changes.smallerBytes) += std::abs(difference);
        (value.definition.valid() ? others : arguments).push_back(std::move(change));
    }
    changes.values = std::move(arguments);
    changes.values.insert(
        changes.values.end(), std::make_move_iterator(others.begin()), std::make_move_iterator(others.end()));
    return changes;
}

} // namespace shardscope
