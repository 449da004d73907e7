// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in rows.h.
#include <array>

#include "program/ops/checks.h"
#include "program/ops/rows.h"
#include "program/value_shardings.h"

namespace shardscope::ops {

namespace {

Result<TensorType> inferConcatenate(Types operands, const Attributes& attributes, const TensorType&)
{
    SHARDSCOPE_TRY(own, requiredAttributes<DimensionAttributes>("concatenate", attributes));
    if (operands.empty())
        return typeMismatch("concatenate", "no operand; at least one is needed");
    TensorType result = operands[0];
    const std::int64_t dimension = (*own)->dimension;
    SHARDSCOPE_CHECK(checkDimensions("concatenate", { dimension }, result.rank()));
    std::int64_t& size = result.shape[at(dimension)];
    for (const TensorType& operand : operands.subspan(1)) {
        TensorType same = operand;
        if (same.rank() == result.rank())
            same.shape.edit()[at(dimension)] = operands[0].shape[at(dimension)];
        if (same != operands[0])
            return typeMismatch("concatenate",
                toString(operand) + " after " + toString(operands[0]) + " along dimension "
                    + std::to_string(dimension));
        size = saturatingSum(size, operand.shape[at(dimension)]);
    }
    return result;
}

/// Whether the parts come out of one tensor or are cut out of something each: then they lie side by side already, and
/// devices exchange the boundaries only.
bool concatenatesSlices(const Program& program, const Operation& operation)
{
    ValueId source;
    bool allSlices = true, anySlice = false, oneSource = true;
    for (const ValueId operand : operation.operands) {
        const ValueId part = beforeExchanges(program, operand);
        const OperationId definition = program.value(part).definition;
        const bool isSlice = definition.valid() && program.operation(definition).kind == OpKind::Slice;
        const ValueId from = isSlice ? beforeExchanges(program, program.operation(definition).operands[0]) : part;
        oneSource = oneSource && (!source.valid() || source == from);
        source = from;
        allSlices = allSlices && isSlice;
        anySlice = anySlice || isSlice;
    }
    return allSlices || (oneSource && anySlice);
}

FactorRule concatenateRule(const Program& program, const Operation& operation, RuleOptions options)
{
    const std::int64_t along = attributesOf<DimensionAttributes>(operation).dimension;
    const Shape& shape = program.value(operation.results[0]).type.shape;
    RuleBuilder rule(program, operation);
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const auto d = static_cast<std::int64_t>(i);
        if (d != along)
            rule.addShared(d, shape[i]);
        else if (!options.conservative)
            rule.addShared(d, shape[i],
                concatenatesSlices(program, operation) ? FactorKind::Permutation : FactorKind::NeedReplication);
    }
    return std::move(rule).build();
}

/// To each operand its part.
std::vector<ValueId> pullBackConcatenate(Builder& b, const Operation& operation, Cotangents cotangents, Wanted wanted)
{
    const std::size_t along = at(attributesOf<DimensionAttributes>(operation).dimension);
    const TensorType full = b.type(cotangents[0]);
    Dimensions starts(full.rank(), 0), limits(full.shape.begin(), full.shape.end());
    std::vector<ValueId> pulled;
    limits[along] = 0;
    for (std::size_t i = 0; i < operation.operands.size(); ++i) {
        starts[along] = limits[along];
        limits[along] += b.type(operation.operands[i]).shape[along];
        pulled.push_back(wanted[i] ? b.slice(cotangents[0], starts, limits) : ValueId());
    }
    return pulled;
}

constexpr std::array concatenateTable{
    OpRow{ .kind = OpKind::Concatenate,
        .name = "concatenate",
        .inferType = inferConcatenate,
        .cost = movementCost,
        .pullback = pullBackConcatenate,
        .rule = concatenateRule },
};

} // namespace

std::span<const OpRow> concatenateRows()
{
    return concatenateTable;
}

} // namespace shardscope::ops
