// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in rows.h.
#include <array>
#include <cmath>
#include <unordered_map>

#include "program/ops/checks.h"
#include "program/ops/rows.h"

namespace shardscope::ops {

namespace {

/// The dimension along which is sorted; -1 stands for the last one.
std::int64_t along(const Operation& operation, std::size_t rank)
{
    const std::int64_t dimension = attributesOf<SortAttributes>(operation).dimension;
    return dimension < 0 ? dimension + static_cast<std::int64_t>(rank) : dimension;
}

Result<void> checkSort(const Subject& sort)
{
    SHARDSCOPE_TRY(own, sort.otherAttributes<SortAttributes>());
    if (sort.operands.empty())
        return sort.operand("no operand; at least one is needed");
    SHARDSCOPE_CHECK(expectSameTypes(sort));
    const auto rank = static_cast<std::int64_t>(sort.operands[0].rank());
    if ((*own)->dimension < -rank || (*own)->dimension >= rank)
        return sort.attribute(
            "dimension " + std::to_string((*own)->dimension) + " of a tensor of rank " + std::to_string(rank));
    std::vector<TensorType> pairs;
    for (std::size_t i = 0; i < sort.operands.size(); ++i) {
        SHARDSCOPE_CHECK(expectShape(sort, "operand " + std::to_string(i), sort.operands[i], sort.operands[0].shape));
        pairs.insert(pairs.end(), 2, { sort.operands[i].dtype, {} });
    }
    return expectBody(
        sort, sort.operation.regions[0], "comparator", pairs, std::vector{ TensorType{ DType::Pred, {} } });
}

FactorRule sortRule(const Program& program, const Operation& operation, RuleOptions)
{
    const Shape& shape = program.value(operation.operands[0]).type.shape;
    const std::int64_t sorted = along(operation, shape.size());
    const bool alone = std::count_if(shape.begin(), shape.end(), [](std::int64_t size) { return size != 1; })
        == (shape[at(sorted)] != 1 ? 1 : 0);
    RuleBuilder rule(program, operation);
    for (std::int64_t d = 0; d < static_cast<std::int64_t>(shape.size()); ++d)
        rule.addShared(
            d, shape[at(d)], d == sorted ? FactorKind::NeedReplication : FactorKind::PassThrough, d == sorted && alone);
    return std::move(rule).build();
}

/// n log2 n comparisons.
OperationCost sortWork(const Program& program, const Operation& operation)
{
    const TensorType& type = program.value(operation.operands[0]).type;
    const auto length = static_cast<double>(type.shape[at(along(operation, type.rank()))]);
    return workOf(
        program, operation, static_cast<double>(type.elementCount()) * std::ceil(std::log2(std::max(length, 1.0))));
}

/// What the comparator compares: it sees nothing of the further operand that says where the numbers come from.
MakeBody comparatorOf(const Operation& operation)
{
    return [body = operation.regions[0]](Builder& b, std::span<const ValueId> arguments) {
        const Region compares = b.program().regions[body.index]; // the regions grow
        std::unordered_map<ValueId, ValueId> map;
        for (std::size_t i = 0; i < compares.arguments.size(); ++i)
            map[compares.arguments[i]] = arguments[i];
        for (const OperationId held : compares.operations)
            b.copy(held, map);
        const auto result = map.find(compares.results[0]);
        return std::vector{ result == map.end() ? compares.results[0] : result->second };
    };
}

/// Sorted along with the operands, their places say where each number came from; the cotangents, sorted by these, go
/// back there.
std::vector<ValueId> pullBackSort(Builder& b, const Operation& operation, Cotangents cotangents, Wanted wanted)
{
    const TensorType type = b.type(operation.operands[0]);
    const std::int64_t dimension = along(operation, type.rank());
    std::vector<ValueId> operands(operation.operands.begin(), operation.operands.end());
    operands.push_back(b.iota({ DType::I32, type.shape }, dimension));
    std::vector<ValueId> back{ b.sort(operands, dimension, comparatorOf(operation)).back() };
    for (std::size_t i = 0; i < cotangents.size(); ++i)
        if (wanted[i] && cotangents[i].valid())
            back.push_back(cotangents[i]);
    back = b.sort(back, dimension, [](Builder& inner, std::span<const ValueId> arguments) {
        return std::vector{ inner.compare(Comparison::Less, arguments[0], arguments[1]) };
    });
    std::vector<ValueId> pulled(cotangents.size());
    for (std::size_t i = 0, next = 1; i < cotangents.size(); ++i)
        if (wanted[i] && cotangents[i].valid())
            pulled[i] = back[next++];
    return pulled;
}

constexpr std::array sortTable{
    OpRow{ .kind = OpKind::Sort,
        .name = "sort",
        .pullback = pullBackSort,
        .rule = sortRule,
        .check = checkSort,
        .work = sortWork,
        .regionCount = 1 },
};

} // namespace

std::span<const OpRow> sortRows()
{
    return sortTable;
}

} // namespace shardscope::ops
