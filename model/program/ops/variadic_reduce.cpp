// SPDX-License-Identifier: GPL-3.0-or-later
// StableHLO's reduce: n operands of one shape, n initial values, and a body that puts two of each together.
// Declared in rows.h.
#include <array>

#include "program/ops/checks.h"
#include "program/ops/rows.h"

namespace shardscope::ops {

namespace {

Result<void> checkReduce(const Subject& reduce)
{
    SHARDSCOPE_TRY(own, reduce.otherAttributes<VariadicReduceAttributes>());
    const Dimensions& dimensions = (*own)->dimensions;
    if (reduce.operands.size() < 2 || reduce.operands.size() % 2 != 0)
        return reduce.operand(
            counted(reduce.operands.size(), "operand") + "; as many initial values as inputs are needed");
    const std::size_t count = reduce.operands.size() / 2;
    SHARDSCOPE_CHECK(expectResults(reduce, count));
    const Shape& shape = reduce.operands[0].shape;
    SHARDSCOPE_CHECK(checkDimensions(reduce.name, dimensions, shape.size()));
    Shape kept;
    for (const std::int64_t d : dimensionsExcept(shape.size(), dimensions))
        kept.push_back(shape[at(d)]);
    std::vector<TensorType> scalars;
    for (std::size_t i = 0; i < count; ++i) {
        const std::string number = std::to_string(i);
        SHARDSCOPE_CHECK(expectShape(reduce, "input " + number, reduce.operands[i], shape));
        SHARDSCOPE_CHECK(expectScalar(reduce, "initial value " + number, reduce.operands[count + i]));
        SHARDSCOPE_CHECK(expectShape(reduce, "result " + number, reduce.results[i], kept));
        scalars.push_back({ reduce.operands[i].dtype, {} });
    }
    if (reduce.operation.regions.empty() && (*own)->kind) {
        const bool ofBits = (*own)->kind == ReduceKind::And || (*own)->kind == ReduceKind::Or;
        for (const TensorType& scalar : scalars)
            if (ofBits && scalar.dtype != DType::Pred && !isInteger(scalar.dtype))
                return reduce.mismatch("bits of " + toString(scalar) + " cannot be put together");
        return {};
    }
    if (reduce.operation.regions.size() != 1)
        return reduce.attribute(counted(reduce.operation.regions.size(), "body") + " instead of 1");
    return expectReducer(reduce, reduce.operation.regions[0], "body", scalars, count);
}

FactorRule reduceRule(const Program& program, const Operation& operation, RuleOptions)
{
    const Dimensions& reduced = attributesOf<VariadicReduceAttributes>(operation).dimensions;
    const Shape& shape = program.value(operation.operands[0]).type.shape;
    const std::size_t count = operation.results.size();
    RuleBuilder rule(program, operation);
    std::int64_t to = 0;
    for (std::int64_t d = 0; d < static_cast<std::int64_t>(shape.size()); ++d) {
        const bool gone = contains(reduced, d);
        rule.add(std::vector<std::int64_t>(count, d), std::vector<std::int64_t>(count, gone ? absent : to),
            shape[at(d)], gone ? FactorKind::Reduction : FactorKind::PassThrough);
        to += gone ? 0 : 1;
    }
    return std::move(rule).build();
}

OperationCost reduceWork(const Program& program, const Operation& operation)
{
    double flops = 0;
    for (std::size_t i = 0; i < operation.results.size(); ++i)
        flops += static_cast<double>(program.value(operation.operands[i]).type.elementCount());
    return workOf(program, operation, flops);
}

constexpr std::array variadicReduceTable{
    OpRow{ .kind = OpKind::VariadicReduce,
        .name = "reduce",
        .rule = reduceRule,
        .check = checkReduce,
        .work = reduceWork,
        .regionCount = -1 },
};

} // namespace

std::span<const OpRow> variadicReduceRows()
{
    return variadicReduceTable;
}

} // namespace shardscope::ops
