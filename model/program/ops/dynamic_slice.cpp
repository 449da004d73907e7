// SPDX-License-Identifier: GPL-3.0-or-later
// Slices whose place is computed: dynamic_slice takes one out, dynamic_update_slice puts one in.
// Declared in rows.h.
#include <array>

#include "program/ops/checks.h"
#include "program/ops/rows.h"

namespace shardscope::ops {

namespace {

/// One scalar integer per dimension, all of one type.
Result<void> checkIndices(std::string_view op, Types indices, std::size_t rank)
{
    if (indices.size() != rank)
        return typeMismatch(op, counted(indices.size(), "start index") + "es for rank " + std::to_string(rank));
    for (const TensorType& index : indices)
        if (index.rank() != 0 || !isInteger(index.dtype) || index != indices[0])
            return typeMismatch(op, "a start index is " + toString(index) + "; scalar integers of one type are needed");
    return {};
}

Result<TensorType> inferDynamicSlice(Types operands, const Attributes& attributes, const TensorType&)
{
    SHARDSCOPE_TRY(own, requiredAttributes<DynamicSliceAttributes>("dynamic_slice", attributes));
    if (operands.empty())
        return typeMismatch("dynamic_slice", "no operand");
    TensorType result = operands[0];
    SHARDSCOPE_CHECK(checkIndices("dynamic_slice", operands.subspan(1), result.rank()));
    const Dimensions& sizes = (*own)->sizes;
    if (sizes.size() != result.rank())
        return invalidAttribute("dynamic_slice", "one size is needed per dimension of " + toString(result));
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        if (sizes[d] < 0 || sizes[d] > result.shape[d])
            return invalidAttribute("dynamic_slice",
                "a slice of " + std::to_string(sizes[d]) + " along dimension " + std::to_string(d) + " of "
                    + toString(result));
        result.shape.edit()[d] = sizes[d];
    }
    return result;
}

Result<TensorType> inferUpdate(Types operands, const Attributes&, const TensorType&)
{
    if (operands.size() < 2)
        return typeMismatch("dynamic_update_slice", "an operand and an update are needed");
    const TensorType &operand = operands[0], &update = operands[1];
    bool fits = update.dtype == operand.dtype && update.rank() == operand.rank();
    for (std::size_t d = 0; fits && d < update.rank(); ++d)
        fits = update.shape[d] <= operand.shape[d];
    if (!fits)
        return typeMismatch(
            "dynamic_update_slice", "update " + toString(update) + " does not fit into " + toString(operand));
    SHARDSCOPE_CHECK(checkIndices("dynamic_update_slice", operands.subspan(2), operand.rank()));
    return operand;
}

FactorRule dynamicSliceRule(const Program& program, const Operation& operation, RuleOptions)
{
    return changedDimensionsRule(program, operation, FactorKind::NeedReplication, true);
}

bool isConstant(const Program& program, ValueId value)
{
    const OperationId definition = program.value(value).definition;
    if (!definition.valid())
        return false;
    const OpKind kind = program.operation(definition).kind;
    return kind == OpKind::Constant || kind == OpKind::SdyConstant;
}

FactorRule updateRule(const Program& program, const Operation& operation, RuleOptions)
{
    const Shape& operand = program.value(operation.operands[0]).type.shape;
    const Shape& update = program.value(operation.operands[1]).type.shape;
    const bool constant = std::all_of(operation.operands.begin() + 2, operation.operands.end(),
        [&](ValueId index) { return isConstant(program, index); });
    std::vector<std::int64_t> places(operation.operands.size(), absent);
    RuleBuilder rule(program, operation);
    for (std::size_t i = 0; i < operand.size(); ++i) {
        const auto d = static_cast<std::int64_t>(i);
        const bool full = operand[i] == update[i];
        places[0] = d;
        places[1] = full ? d : absent;
        rule.add(places, d, operand[i]);
        if (full)
            continue;
        places[0] = absent;
        places[1] = d;
        rule.add(places, absent, update[i], constant ? FactorKind::PassThrough : FactorKind::NeedReplication);
    }
    return std::move(rule).build();
}

/// The starts of an operation whose last operands they are.
std::span<const ValueId> startsOf(const Operation& operation, std::size_t first)
{
    return { operation.operands.data() + first, operation.operands.size() - first };
}

/// Zeros, and the cotangent where the slice was.
std::vector<ValueId> pullBackDynamicSlice(Builder& b, const Operation& operation, Cotangents cotangents, Wanted wanted)
{
    std::vector<ValueId> pulled(operation.operands.size());
    if (wanted[0])
        pulled[0] = b.dynamicUpdateSlice(splatLike(b, operation.operands[0], 0), cotangents[0], startsOf(operation, 1));
    return pulled;
}

/// The update gets what lies where it was put; the operand the rest.
std::vector<ValueId> pullBackUpdate(Builder& b, const Operation& operation, Cotangents cotangents, Wanted wanted)
{
    std::vector<ValueId> pulled(operation.operands.size());
    const ValueId update = operation.operands[1];
    const TensorType type = b.type(update);
    if (wanted[0])
        pulled[0] = b.dynamicUpdateSlice(cotangents[0], splatLike(b, update, 0), startsOf(operation, 2));
    if (wanted[1])
        pulled[1] = b.dynamicSlice(cotangents[0], startsOf(operation, 2), { type.shape.begin(), type.shape.end() });
    return pulled;
}

constexpr std::array dynamicSliceTable{
    OpRow{ .kind = OpKind::DynamicSlice,
        .name = "dynamic_slice",
        .inferType = inferDynamicSlice,
        .cost = movementCost,
        .pullback = pullBackDynamicSlice,
        .rule = dynamicSliceRule },
    OpRow{ .kind = OpKind::DynamicUpdateSlice,
        .name = "dynamic_update_slice",
        .inferType = inferUpdate,
        .cost = movementCost,
        .pullback = pullBackUpdate,
        .rule = updateRule },
};

} // namespace

std::span<const OpRow> dynamicSliceRows()
{
    return dynamicSliceTable;
}

} // namespace shardscope::ops
