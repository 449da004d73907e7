// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in rows.h.
#include <array>
#include <cmath>

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

Result<void> checkSort(const Program& program, const Operation& operation)
{
    const Subject sort(program, operation);
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
    return expectBody(sort, operation.regions[0], "comparator", pairs, std::vector{ TensorType{ DType::Pred, {} } });
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

constexpr std::array sortTable{
    OpRow{ .kind = OpKind::Sort,
        .name = "sort",
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
