// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/ops/support.h"

#include "base/codes.h"

namespace shardscope::ops {

Dimensions dimensionsExcept(std::size_t rank, const Dimensions& without)
{
    Dimensions kept;
    for (std::int64_t d = 0; d < static_cast<std::int64_t>(rank); ++d)
        if (!contains(without, d))
            kept.push_back(d);
    return kept;
}

tl::unexpected<Error> typeMismatch(std::string_view op, std::string detail)
{
    return fail(Code::TypeMismatch, { { "op", op }, { "detail", std::move(detail) } });
}

tl::unexpected<Error> invalidAttribute(std::string_view op, std::string detail)
{
    return fail(Code::InvalidAttribute, { { "op", op }, { "detail", std::move(detail) } });
}

Result<void> checkDimensions(std::string_view op, const Dimensions& list, std::size_t rank)
{
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (list[i] < 0 || list[i] >= static_cast<std::int64_t>(rank))
            return invalidAttribute(
                op, "dimension " + std::to_string(list[i]) + " of a tensor of rank " + std::to_string(rank));
        if (std::find(list.begin(), list.begin() + i, list[i]) != list.begin() + i)
            return invalidAttribute(op, "dimension " + std::to_string(list[i]) + " twice");
    }
    return {};
}

Result<void> expectNoAttributes(std::string_view op, const Attributes& attributes)
{
    if (!std::holds_alternative<std::monostate>(attributes))
        return invalidAttribute(op, "takes no attributes");
    return {};
}

RuleBuilder::RuleBuilder(Types operands, const TensorType& result)
    : m_resultShape(result.shape)
{
    for (const TensorType& operand : operands) {
        m_operandShapes.push_back(operand.shape);
        m_rule.operands.emplace_back(operand.rank());
    }
    m_rule.results.emplace_back(result.rank());
}

RuleBuilder& RuleBuilder::add(
    std::span<const std::int64_t> operandDimensions, std::int64_t resultDimension, std::int64_t size, FactorKind kind)
{
    const auto factor = static_cast<std::int32_t>(m_rule.factors.size());
    bool used = false;
    const auto put = [&](FactorRule::TensorMapping& mapping, std::int64_t dimension) {
        if (dimension == absent || (size == 1 && !mapping[at(dimension)].empty()))
            return;
        mapping[at(dimension)].push_back(factor);
        used = true;
    };
    for (std::size_t i = 0; i < operandDimensions.size(); ++i)
        put(m_rule.operands[i], operandDimensions[i]);
    put(m_rule.results.front(), resultDimension);
    if (used)
        m_rule.factors.push_back({ size, kind, false });
    return *this;
}

RuleBuilder& RuleBuilder::addPointwise()
{
    const auto rank = static_cast<std::int64_t>(m_resultShape.size());
    std::vector<std::int64_t> dimensions(m_operandShapes.size());
    for (std::int64_t d = 0; d < rank; ++d) {
        for (std::size_t i = 0; i < dimensions.size(); ++i)
            dimensions[i] = m_operandShapes[i].size() == m_resultShape.size() ? d : absent;
        add(dimensions, d, m_resultShape[at(d)]);
    }
    return *this;
}

FactorRule RuleBuilder::build() &&
{
    const auto complete = [this](FactorRule::TensorMapping& mapping) {
        for (FactorRule::DimensionFactors& dimension : mapping) {
            if (!dimension.empty())
                continue;
            dimension.push_back(static_cast<std::int32_t>(m_rule.factors.size()));
            m_rule.factors.emplace_back();
        }
    };
    for (FactorRule::TensorMapping& operand : m_rule.operands)
        complete(operand);
    complete(m_rule.results.front());
    return std::move(m_rule);
}

FactorRule noFactors(Types operands, const TensorType& result, const Attributes&)
{
    FactorRule rule;
    for (const TensorType& operand : operands)
        rule.operands.emplace_back(operand.rank());
    rule.results.emplace_back(result.rank());
    return rule;
}

FactorRule pointwiseFactors(Types operands, const TensorType& result, const Attributes&)
{
    return std::move(RuleBuilder(operands, result).addPointwise()).build();
}

OperationCost movementCost(Types operands, const TensorType& result, const Attributes&)
{
    OperationCost cost{ 0, 0, result.byteCount() };
    for (const TensorType& operand : operands)
        cost.bytesRead = saturatingSum(cost.bytesRead, operand.byteCount());
    return cost;
}

OperationCost pointwiseCost(Types operands, const TensorType& result, const Attributes& attributes)
{
    OperationCost cost = movementCost(operands, result, attributes);
    cost.flops = static_cast<double>(result.elementCount());
    return cost;
}

ValueId splatLike(Builder& builder, ValueId value, double number)
{
    return builder.constant(TensorType(builder.type(value)), number);
}

} // namespace shardscope::ops
