// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/body.h"

#include "program/other_attributes.h"

namespace shardscope {

namespace {

std::optional<ReduceKind> kindOf(OpKind kind, DType dtype)
{
    const bool logical = dtype == DType::Pred;
    switch (kind) {
    case OpKind::Add:
        return ReduceKind::Sum;
    case OpKind::Multiply:
        return ReduceKind::Product;
    case OpKind::Maximum:
        return ReduceKind::Max;
    case OpKind::Minimum:
        return ReduceKind::Min;
    case OpKind::And:
        return logical ? std::optional(ReduceKind::And) : std::nullopt;
    case OpKind::Or:
        return logical ? std::optional(ReduceKind::Or) : std::nullopt;
    default:
        return std::nullopt;
    }
}

} // namespace

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

OpKind combinerOf(ReduceKind kind)
{
    switch (kind) {
    case ReduceKind::Sum:
        return OpKind::Add;
    case ReduceKind::Max:
        return OpKind::Maximum;
    case ReduceKind::Min:
        return OpKind::Minimum;
    case ReduceKind::Product:
        return OpKind::Multiply;
    case ReduceKind::And:
        return OpKind::And;
    case ReduceKind::Or:
        return OpKind::Or;
    }
    return OpKind::Add;
}

} // namespace shardscope
