// SPDX-License-Identifier: GPL-3.0-or-later
// StableHLO's collectives, between devices by number. They stand in programs that have been partitioned already; what
// they do to sizes depends on how many devices form a group.
// Declared in rows.h and checks.h.
#include <algorithm>
#include <array>
#include <unordered_set>

#include "program/ops/checks.h"
#include "program/ops/rows.h"

namespace shardscope::ops {

namespace {

/// Numbers of devices that occurred. A program for many devices names all of them in each of its collectives.
class SeenDevices {
public:
    /// False for one that occurred before. Not negative.
    bool insert(std::int64_t device)
    {
        constexpr std::int64_t most = 1 << 22; // larger ones are no device of a mesh
        if (device >= most)
            return m_large.insert(device).second;
        const auto index = static_cast<std::size_t>(device);
        if (index >= m_seen.size())
            m_seen.resize(std::max(index + 1, 2 * m_seen.size()), false);
        if (m_seen[index])
            return false;
        m_seen[index] = true;
        return true;
    }

private:
    std::vector<bool> m_seen;
    std::unordered_set<std::int64_t> m_large;
};

/// Each device in one group at most; -1 fills up short groups.
Result<void> checkGroups(const Subject& op, const CollectiveAttributes& a)
{
    SeenDevices seen;
    for (const std::vector<std::int64_t>& group : a.groups)
        for (const std::int64_t device : group)
            if (device < -1 || (device >= 0 && !seen.insert(device)))
                return op.attribute("replica_groups has device " + std::to_string(device)
                    + (device < 0 ? ", which is none" : " twice"));
    return {};
}

/// Each device sends and receives once at most.
Result<void> checkPairs(const Subject& op, const CollectiveAttributes& a)
{
    SeenDevices sources, targets;
    for (const std::vector<std::int64_t>& pair : a.groups) {
        if (pair.size() != 2)
            return op.attribute("source_target_pairs has an entry of " + counted(pair.size(), "device"));
        if (pair[0] < 0 || pair[1] < 0 || !sources.insert(pair[0]) || !targets.insert(pair[1]))
            return op.attribute("source_target_pairs has " + std::to_string(pair[0]) + " -> " + std::to_string(pair[1])
                + "; each device sends and receives once at most");
    }
    return {};
}

Result<void> checkDimension(const Subject& op, std::int64_t dimension)
{
    for (const TensorType& operand : op.operands)
        SHARDSCOPE_CHECK(checkDimensions(op.name, { dimension }, operand.rank()));
    return {};
}

/// Result i is operand i, except along one dimension, where one is a multiple of the other.
Result<void> checkMultiples(const Subject& op, std::int64_t dimension, bool grows)
{
    SHARDSCOPE_CHECK(expectResults(op, op.operands.size()));
    SHARDSCOPE_CHECK(checkDimension(op, dimension));
    for (std::size_t i = 0; i < op.operands.size(); ++i) {
        TensorType wanted = op.operands[i];
        if (op.results[i].rank() == wanted.rank()) {
            const std::int64_t size = op.results[i].shape[at(dimension)], own = wanted.shape[at(dimension)];
            const std::int64_t small = grows ? own : size, large = grows ? size : own;
            if (small == 0 ? large == 0 : large % small == 0)
                wanted.shape.edit()[at(dimension)] = size;
        }
        SHARDSCOPE_CHECK(expectType(op, "result " + std::to_string(i), op.results[i], wanted));
    }
    return {};
}

/// What all rows begin with.
Result<const CollectiveAttributes*> collective(const Subject& op)
{
    SHARDSCOPE_TRY(own, op.otherAttributes<CollectiveAttributes>());
    if (op.operands.empty())
        return op.operand("no operand; at least one is needed");
    return own;
}

Result<void> checkAllReduce(const Subject& op)
{
    SHARDSCOPE_CHECK(collective(op));
    SHARDSCOPE_CHECK(expectSameTypes(op));
    return expectReducer(op, op.operation.regions[0], "body", std::vector{ TensorType{ op.operands[0].dtype, {} } }, 1);
}

Result<void> checkAllGather(const Subject& op)
{
    SHARDSCOPE_TRY(own, collective(op));
    return checkMultiples(op, (*own)->dimension, true);
}

Result<void> checkReduceScatter(const Subject& op)
{
    SHARDSCOPE_TRY(own, collective(op));
    SHARDSCOPE_CHECK(checkMultiples(op, (*own)->dimension, false));
    return expectReducer(op, op.operation.regions[0], "body", std::vector{ TensorType{ op.operands[0].dtype, {} } }, 1);
}

Result<void> checkAllToAll(const Subject& op)
{
    SHARDSCOPE_TRY(own, collective(op));
    const CollectiveAttributes& a = **own;
    SHARDSCOPE_CHECK(expectResults(op, op.operands.size()));
    SHARDSCOPE_CHECK(checkDimension(op, a.dimension));
    SHARDSCOPE_CHECK(checkDimension(op, a.concatDimension));
    if (a.splitCount < 1 || (!a.groups.empty() && a.groups[0].size() != at(a.splitCount)))
        return op.attribute("split_count of " + std::to_string(a.splitCount) + "; it is the size of a group");
    for (std::size_t i = 0; i < op.operands.size(); ++i) {
        TensorType wanted = op.operands[i];
        std::int64_t& split = wanted.shape[at(a.dimension)];
        if (split % a.splitCount != 0)
            return op.mismatch("dimension " + std::to_string(a.dimension) + " of " + toString(op.operands[i])
                + " does not divide into " + std::to_string(a.splitCount));
        split /= a.splitCount;
        std::int64_t& concat = wanted.shape[at(a.concatDimension)];
        concat = saturatingProduct(concat, a.splitCount);
        SHARDSCOPE_CHECK(expectType(op, "result " + std::to_string(i), op.results[i], wanted));
    }
    return {};
}

/// Of a broadcast and a permutation.
Result<void> checkSent(const Subject& op)
{
    SHARDSCOPE_CHECK(collective(op));
    return expectSameTypes(op);
}

/// Operand i and result i correspond dimension by dimension. All share their factors if they have one shape.
FactorRule sameShapeRule(const Program& program, const Operation& operation, RuleOptions options)
{
    const auto shapeOf = [&](ValueId value) -> const Shape& { return program.value(value).type.shape; };
    const std::size_t count = operation.results.size();
    if (count == 0)
        return {};
    if (std::all_of(operation.results.begin(), operation.results.end(),
            [&](ValueId result) { return shapeOf(result) == shapeOf(operation.results[0]); }))
        return pointwiseRule(program, operation, options);
    RuleBuilder rule(program, operation);
    for (std::size_t i = 0; i < count; ++i) {
        std::vector<std::int64_t> places(count, absent);
        for (std::size_t d = 0; d < shapeOf(operation.results[i]).size(); ++d) {
            places[i] = static_cast<std::int64_t>(d);
            rule.add(places, places, shapeOf(operation.results[i])[d]);
        }
    }
    return std::move(rule).build();
}

/// The dimensions that are gathered, scattered or moved have a factor on each side, all others pass through.
FactorRule movedDimensionsRule(const Program& program, const Operation& operation, RuleOptions)
{
    const auto& own = attributesOf<CollectiveAttributes>(operation);
    const std::size_t count = operation.results.size();
    const Shape& from = program.value(operation.operands[0]).type.shape;
    const Shape& to = program.value(operation.results[0]).type.shape;
    RuleBuilder rule(program, operation);
    const std::vector<std::int64_t> none(count, absent);
    for (std::size_t i = 0; i < from.size(); ++i) {
        const auto d = static_cast<std::int64_t>(i);
        const std::vector<std::int64_t> places(count, d);
        if (d != own.dimension && (operation.kind != OpKind::AllToAll || d != own.concatDimension)) {
            rule.add(places, places, from[i]);
            continue;
        }
        rule.add(places, none, from[i], FactorKind::NeedReplication);
        rule.add(none, places, to[i], FactorKind::NeedReplication);
    }
    return std::move(rule).build();
}

constexpr OpRow row(OpKind kind, std::string_view name, std::int8_t operands, decltype(OpRow::check) check,
    decltype(OpRow::rule) rule, std::int8_t regions = 0)
{
    return { .kind = kind,
        .name = name,
        .operandCount = operands,
        .rule = rule,
        .check = check,
        .work = movementWork,
        .regionCount = regions };
}

using enum OpKind;
constexpr std::array collectivesTable{
    row(AllReduce, "all_reduce", -1, checkAllReduce, sameShapeRule, 1),
    row(AllGather, "all_gather", -1, checkAllGather, movedDimensionsRule),
    row(ReduceScatter, "reduce_scatter", 1, checkReduceScatter, movedDimensionsRule, 1),
    row(AllToAll, "all_to_all", -1, checkAllToAll, movedDimensionsRule),
    row(CollectivePermute, "collective_permute", 1, checkSent, sameShapeRule),
    row(CollectiveBroadcast, "collective_broadcast", 1, checkSent, sameShapeRule),
};

} // namespace

Result<void> checkDevices(const Subject& op)
{
    SHARDSCOPE_TRY(own, op.otherAttributes<CollectiveAttributes>());
    return op.operation.kind == OpKind::CollectivePermute ? checkPairs(op, **own) : checkGroups(op, **own);
}

std::span<const OpRow> collectiveRows()
{
    return collectivesTable;
}

} // namespace shardscope::ops
