// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/body.h"

#include <algorithm>
#include <array>

#include "program/other_attributes.h"

namespace shardscope {

namespace {

struct ReductionRow {
    OpKind combiner;
    const char* name;
};
constexpr std::array reductionRows{ ReductionRow{ OpKind::Add, "sum" }, ReductionRow{ OpKind::Maximum, "max" },
    ReductionRow{ OpKind::Minimum, "min" }, ReductionRow{ OpKind::Multiply, "product" },
    ReductionRow{ OpKind::And, "and" }, ReductionRow{ OpKind::Or, "or" } }; // by ReduceKind

const ReductionRow& reductionRow(ReduceKind kind)
{
    return reductionRows[static_cast<std::size_t>(kind)];
}

/// Of bits, "and" and "or" are no logical operations.
std::optional<ReduceKind> kindOf(OpKind combiner, DType dtype)
{
    const std::optional<ReduceKind> kind = reductionBy(combiner);
    const bool logical = kind == ReduceKind::And || kind == ReduceKind::Or;
    return logical && dtype != DType::Pred ? std::nullopt : kind;
}

} // namespace

std::optional<ReduceKind> reductionBy(OpKind combiner)
{
    const auto* row = std::ranges::find(reductionRows, combiner, &ReductionRow::combiner);
    return row == reductionRows.end() ? std::nullopt
                                      : std::optional(static_cast<ReduceKind>(row - reductionRows.begin()));
}

OpKind combinerOf(ReduceKind kind)
{
    return reductionRow(kind).combiner;
}

const char* reduceKindName(ReduceKind kind)
{
    return reductionRow(kind).name;
}

std::optional<ReduceKind> reductionOf(const Program& program, RegionId body)
{
    const Region& region = program.regions[body.index];
    const std::size_t count = region.results.size();
    if (count == 0 || region.arguments.size() != 2 * count)
        return std::nullopt;
    std::optional<ReduceKind> found;
    for (std::size_t i = 0; i < count; ++i) {
        const OperationId definition = program.value(region.results[i]).definition;
        if (!definition.valid())
            return std::nullopt;
        const Operation& operation = program.operation(definition);
        const std::optional<ReduceKind> kind = kindOf(operation.kind, program.value(region.results[i]).type.dtype);
        if (!kind || (found && *found != *kind) || operation.operands.size() != 2)
            return std::nullopt;
        const ValueId first = region.arguments[i], second = region.arguments[count + i];
        if ((operation.operands[0] != first || operation.operands[1] != second)
            && (operation.operands[0] != second || operation.operands[1] != first))
            return std::nullopt;
        found = kind;
    }
    return found;
}

std::optional<ReduceKind> reductionOf(const Program& program, const Operation& operation)
{
    if (const auto* own = std::get_if<ReduceAttributes>(&operation.attributes))
        return own->kind;
    if (const auto* own = attributesAs<VariadicReduceAttributes>(operation.attributes); own && own->kind)
        return own->kind;
    return operation.regions.size() == 1 ? reductionOf(program, operation.regions[0]) : std::nullopt;
}

} // namespace shardscope
