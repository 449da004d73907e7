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

std::vector<TensorType> typesOf(const Program& program, std::span<const ValueId> values)
{
    std::vector<TensorType> types;
    types.reserve(values.size());
    for (const ValueId value : values)
        types.push_back(program.value(value).type);
    return types;
}

TypeList::TypeList(const Program& program, std::span<const ValueId> values)
{
    if (values.size() > m_few.size())
        m_types = m_many = typesOf(program, values);
    else
        for (const ValueId value : values) {
            m_few[m_types.size()] = program.value(value).type;
            m_types = Types(m_few.data(), m_types.size() + 1);
        }
}

RuleBuilder::RuleBuilder(Types operands, Types results)
{
    const auto start = [](std::vector<FactorRule::TensorMapping>& mappings, Types types) {
        mappings.reserve(types.size());
        for (const TensorType& type : types)
            mappings.emplace_back(type.rank());
    };
    start(m_rule.operands, operands);
    start(m_rule.results, results);
    m_rule.factors.reserve(4); // of nearly all operations
}

RuleBuilder::RuleBuilder(Types operands, const TensorType& result)
    : RuleBuilder(operands, Types(&result, 1))
{
}

RuleBuilder::RuleBuilder(const Program& program, const Operation& operation)
    : RuleBuilder(TypeList(program, operation.operands), TypeList(program, operation.results))
{
}

RuleBuilder& RuleBuilder::add(
    List operandDimensions, List resultDimensions, std::int64_t size, FactorKind kind, bool blocked)
{
    const auto factor = static_cast<std::int32_t>(m_rule.factors.size());
    bool used = false;
    const auto put = [&](std::vector<FactorRule::TensorMapping>& mappings, List dimensions) {
        for (std::size_t i = 0; i < dimensions.size(); ++i) {
            if (dimensions[i] == absent)
                continue;
            FactorRule::DimensionFactors& factors = mappings[i][at(dimensions[i])];
            if (size == 1 && !factors.empty())
                continue;
            factors.push_back(factor);
            used = true;
        }
    };
    put(m_rule.operands, operandDimensions);
    put(m_rule.results, resultDimensions);
    if (used)
        m_rule.factors.push_back({ size, kind, blocked });
    return *this;
}

RuleBuilder& RuleBuilder::addShared(std::int64_t dimension, std::int64_t size, FactorKind kind, bool blocked)
{
    const std::size_t rank = m_rule.operands.front().size();
    const auto places = [&](const std::vector<FactorRule::TensorMapping>& mappings) {
        SmallVector<std::int64_t, 4> list;
        for (const FactorRule::TensorMapping& mapping : mappings)
            list.push_back(mapping.size() == rank ? dimension : absent);
        return list;
    };
    const auto operands = places(m_rule.operands), results = places(m_rule.results);
    return add(List(operands.data(), operands.size()), List(results.data(), results.size()), size, kind, blocked);
}

FactorRule RuleBuilder::build() &&
{
    const auto complete = [this](std::vector<FactorRule::TensorMapping>& mappings) {
        for (FactorRule::TensorMapping& mapping : mappings) {
            for (FactorRule::DimensionFactors& dimension : mapping) {
                if (!dimension.empty())
                    continue;
                dimension.push_back(static_cast<std::int32_t>(m_rule.factors.size()));
                m_rule.factors.emplace_back();
            }
        }
    };
    complete(m_rule.operands);
    complete(m_rule.results);
    return std::move(m_rule);
}

FactorRule noFactors(Types, const TensorType&, const Attributes&)
{
    return {};
}

FactorRule changedDimensionsRule(const Program& program, const Operation& operation, FactorKind changed, bool blocked)
{
    const Shape& from = program.value(operation.operands[0]).type.shape;
    const Shape& to = program.value(operation.results[0]).type.shape;
    RuleBuilder rule(program, operation);
    for (std::size_t d = 0; d < from.size(); ++d) {
        const bool same = from[d] == to[d];
        rule.addShared(
            static_cast<std::int64_t>(d), from[d], same ? FactorKind::PassThrough : changed, !same && blocked);
    }
    return std::move(rule).build();
}

namespace {

/// One factor per dimension of the first result, shared with all operands and results of the same rank.
FactorRule pointwiseOf(Types operands, Types results)
{
    // Without RuleBuilder's lists: most operations of a program are of this kind.
    FactorRule rule;
    const Shape& shape = results.front().shape;
    FactorRule::TensorMapping shared(shape.size());
    rule.factors.reserve(shape.size());
    for (std::size_t d = 0; d < shape.size(); ++d) {
        shared[d].push_back(static_cast<std::int32_t>(d));
        rule.factors.push_back({ shape[d] });
    }
    const auto put = [&](std::vector<FactorRule::TensorMapping>& mappings, Types types) {
        mappings.reserve(types.size());
        for (const TensorType& type : types) {
            if (type.rank() == shape.size()) {
                mappings.push_back(shared);
                continue;
            }
            for (FactorRule::DimensionFactors& dimension : mappings.emplace_back(type.rank())) {
                dimension.push_back(static_cast<std::int32_t>(rule.factors.size()));
                rule.factors.emplace_back();
            }
        }
    };
    put(rule.operands, operands);
    put(rule.results, results);
    return rule;
}

} // namespace

FactorRule pointwiseFactors(Types operands, const TensorType& result, const Attributes&)
{
    return pointwiseOf(operands, Types(&result, 1));
}

FactorRule pointwiseRule(const Program& program, const Operation& operation, RuleOptions)
{
    return pointwiseOf(TypeList(program, operation.operands), TypeList(program, operation.results));
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

OperationCost workOf(const Program& program, const Operation& operation, double flops)
{
    OperationCost cost{ flops, 0, 0 };
    for (const ValueId operand : operation.operands)
        cost.bytesRead = saturatingSum(cost.bytesRead, program.value(operand).type.byteCount());
    for (const ValueId result : operation.results)
        cost.bytesWritten = saturatingSum(cost.bytesWritten, program.value(result).type.byteCount());
    return cost;
}

OperationCost movementWork(const Program& program, const Operation& operation)
{
    return workOf(program, operation, 0);
}

ValueId splatLike(Builder& builder, ValueId value, double number)
{
    return builder.constant(TensorType(builder.type(value)), number);
}

std::vector<ValueId> inTypesOf(Builder& builder, std::vector<ValueId> cotangents, const Operation& operation)
{
    for (std::size_t i = 0; i < cotangents.size(); ++i) {
        const DType dtype = builder.type(operation.operands[i]).dtype;
        if (cotangents[i].valid() && builder.type(cotangents[i]).dtype != dtype)
            cotangents[i] = builder.convert(cotangents[i], dtype);
    }
    return cotangents;
}

} // namespace shardscope::ops
