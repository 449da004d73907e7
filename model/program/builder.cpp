// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/builder.h"

#include <cstdio>
#include <cstdlib>

#include "base/codes.h"
#include "program/op_row.h"
#include "program/ops/checks.h"
#include "program/other_attributes.h"

namespace shardscope {

void Builder::misuse(const Diagnostic& diagnostic)
{
    std::string text(diagnostic.id());
    for (const Arg& arg : diagnostic.args)
        text += ' ' + arg.name + '=' + diagnostic.text(arg.name);
    std::fprintf(stderr, "Builder: %s\n", text.c_str());
    std::abort();
}

Builder::Builder(std::string name)
{
    m_program.name = std::move(name);
    m_program.regions.emplace_back();
    setScope({});
}

Builder::Builder(Program program)
    : m_program(std::move(program))
{
    for (std::size_t i = 0; i < m_program.scopes.size(); ++i)
        m_scopes.try_emplace(m_program.scopes[i], static_cast<std::uint32_t>(i));
    setScope({});
}

ValueId Builder::addValue(Value value)
{
    if (const auto fits = checkSize(value.type); !fits)
        misuse(fits.error());
    m_program.values.push_back(std::move(value));
    return ValueId(m_program.values.size() - 1);
}

ValueId Builder::argument(
    TensorType type, std::string path, Role role, std::vector<std::string> dimNames, Annotation annotation)
{
    std::vector<ValueId>& arguments = m_program.regions.front().arguments;
    Value value{ std::move(type), {}, static_cast<std::uint32_t>(arguments.size()), role, std::move(path),
        std::move(dimNames) };
    arguments.push_back(addValue(std::move(value)));
    m_program.argumentAnnotations.push_back(std::move(annotation));
    return arguments.back();
}

std::uint32_t Builder::result(ValueId value, Annotation annotation)
{
    std::vector<ValueId>& results = m_program.regions.front().results;
    results.push_back(value);
    m_program.resultAnnotations.push_back(std::move(annotation));
    return static_cast<std::uint32_t>(results.size() - 1);
}

void Builder::state(ValueId argument, std::uint32_t result)
{
    m_program.state.push_back({ argument, result });
}

ValueId Builder::named(ValueId value, std::string path, Role role, std::vector<std::string> dimNames)
{
    Value& target = m_program.values[value.index];
    target.path = path.empty() ? std::move(path) : m_prefix + path;
    target.role = role;
    target.dimNames = std::move(dimNames);
    return value;
}

void Builder::setPrefix(std::string_view prefix)
{
    m_prefix = prefix;
    if (!prefix.empty())
        m_prefix += '/';
}

void Builder::setScope(std::string scope)
{
    if (!scope.starts_with(m_prefix)) // as one that scope() gave has it
        scope.insert(0, m_prefix);
    const auto [place, isNew] = m_scopes.try_emplace(scope, static_cast<std::uint32_t>(m_program.scopes.size()));
    m_scope = place->second;
    if (isNew)
        m_program.scopes.push_back(std::move(scope));
}

const std::string& Builder::scope() const
{
    return m_program.scopes[m_scope];
}

ValueId Builder::constant(TensorType type, double splat)
{
    return constant(std::move(type), std::vector{ splat });
}

ValueId Builder::constant(TensorType type, std::vector<double> values)
{
    return add(OpKind::Constant, {}, ConstantAttributes{ std::move(values) }, type);
}

ValueId Builder::unary(OpKind kind, ValueId operand)
{
    return add(kind, std::array{ operand }, {});
}

ValueId Builder::convert(ValueId operand, DType dtype)
{
    return add(OpKind::Convert, std::array{ operand }, {}, { dtype, type(operand).shape });
}

ValueId Builder::binary(OpKind kind, ValueId lhs, ValueId rhs)
{
    return add(kind, std::array{ lhs, rhs }, {});
}

ValueId Builder::compare(Comparison direction, ValueId lhs, ValueId rhs)
{
    return add(OpKind::Compare, std::array{ lhs, rhs }, CompareAttributes{ direction });
}

ValueId Builder::select(ValueId predicate, ValueId onTrue, ValueId onFalse)
{
    return add(OpKind::Select, std::array{ predicate, onTrue, onFalse }, {});
}

ValueId Builder::clamp(ValueId lowest, ValueId operand, ValueId highest)
{
    return add(OpKind::Clamp, std::array{ lowest, operand, highest }, {});
}

ValueId Builder::broadcast(ValueId operand, Shape shape, Dimensions dimensions)
{
    return add(OpKind::BroadcastInDim, std::array{ operand }, BroadcastAttributes{ std::move(dimensions) },
        { type(operand).dtype, std::move(shape) });
}

ValueId Builder::broadcastScalar(ValueId scalar, Shape shape)
{
    return broadcast(scalar, std::move(shape), {});
}

ValueId Builder::transpose(ValueId operand, Dimensions permutation)
{
    return add(OpKind::Transpose, std::array{ operand }, TransposeAttributes{ std::move(permutation) });
}

ValueId Builder::reshape(ValueId operand, Shape shape)
{
    return add(OpKind::Reshape, std::array{ operand }, {}, { type(operand).dtype, std::move(shape) });
}

ValueId Builder::iota(TensorType type, std::int64_t dimension)
{
    return add(OpKind::Iota, {}, IotaAttributes{ dimension }, type);
}

ValueId Builder::dotGeneral(ValueId lhs, ValueId rhs, DotGeneralAttributes attributes)
{
    return add(OpKind::DotGeneral, std::array{ lhs, rhs }, std::move(attributes));
}

ValueId Builder::dot(ValueId lhs, ValueId rhs)
{
    return dotGeneral(lhs, rhs, { {}, {}, { static_cast<std::int64_t>(type(lhs).rank()) - 1 }, { 0 } });
}

ValueId Builder::reduce(ReduceKind kind, ValueId operand, Dimensions dimensions)
{
    return add(OpKind::Reduce, std::array{ operand }, ReduceAttributes{ std::move(dimensions), kind });
}

ValueId Builder::constrain(ValueId operand, Annotation annotation)
{
    return add(OpKind::ShardingConstraint, std::array{ operand }, ConstraintAttributes{ std::move(annotation) });
}

ValueId Builder::slice(ValueId operand, Dimensions starts, Dimensions limits, Dimensions strides)
{
    if (strides.empty())
        strides = Dimensions(starts.size(), 1);
    return add(OpKind::Slice, std::array{ operand },
        otherAttributes(SliceAttributes{ std::move(starts), std::move(limits), std::move(strides) }));
}

ValueId Builder::pad(ValueId operand, ValueId value, Dimensions low, Dimensions high, Dimensions interior)
{
    if (interior.empty())
        interior = Dimensions(low.size(), 0);
    return add(OpKind::Pad, std::array{ operand, value },
        otherAttributes(PadAttributes{ std::move(low), std::move(high), std::move(interior) }));
}

ValueId Builder::concatenate(std::span<const ValueId> operands, std::int64_t dimension)
{
    return add(OpKind::Concatenate, operands, otherAttributes(DimensionAttributes{ dimension }));
}

ValueId Builder::reverse(ValueId operand, Dimensions dimensions)
{
    return add(OpKind::Reverse, std::array{ operand }, otherAttributes(DimensionsAttributes{ std::move(dimensions) }));
}

ValueId Builder::dynamicSlice(ValueId operand, std::span<const ValueId> starts, Dimensions sizes)
{
    std::vector<ValueId> operands{ operand };
    operands.insert(operands.end(), starts.begin(), starts.end());
    return add(OpKind::DynamicSlice, operands, otherAttributes(DynamicSliceAttributes{ std::move(sizes) }));
}

ValueId Builder::dynamicUpdateSlice(ValueId operand, ValueId update, std::span<const ValueId> starts)
{
    std::vector<ValueId> operands{ operand, update };
    operands.insert(operands.end(), starts.begin(), starts.end());
    return add(OpKind::DynamicUpdateSlice, operands, {});
}

ValueId Builder::gather(ValueId operand, ValueId indices, const GatherAttributes& attributes)
{
    return add(OpKind::Gather, std::array{ operand, indices }, otherAttributes(attributes));
}

ValueId Builder::add(OpKind kind, std::span<const ValueId> operands, Attributes attributes, const TensorType& hint)
{
    const OpRow& row = opRow(kind);
    if (row.operandCount >= 0 && operands.size() != static_cast<std::size_t>(row.operandCount))
        misuse({ Code::InvalidOperand, { { "op", row.name }, { "detail", "wrong number of operands" } }, {} });
    Result<TensorType> inferred =
        row.inferType ? row.inferType(ops::TypeList(m_program, operands), attributes, hint) : hint;
    if (!inferred)
        misuse(inferred.error());

    const OperationId id = addOperation(kind, operands, std::span(&*inferred, 1), std::move(attributes), {});
    const Operation& operation = m_program.operation(id);
    if (!row.inferType)
        if (const Result<void> checked = row.check(ops::Subject(m_program, operation)); !checked)
            misuse(checked.error());
    return operation.results[0];
}

OperationId Builder::addOperation(OpKind kind, std::span<const ValueId> operands, std::span<const TensorType> results,
    Attributes attributes, std::span<const RegionId> bodies)
{
    const OperationId id(m_program.operations.size());
    const Role role = kind == OpKind::Constant ? Role::Constant : Role::Temporary;
    Operation operation;
    operation.kind = kind;
    operation.operands.assign(operands.begin(), operands.end());
    for (const TensorType& result : results)
        operation.results.push_back(
            addValue({ result, id, static_cast<std::uint32_t>(operation.results.size()), role, {}, {} }));
    operation.attributes = std::move(attributes);
    operation.regions.assign(bodies.begin(), bodies.end());
    operation.scope = m_scope;
    m_program.operations.push_back(std::move(operation));
    m_program.regions[m_region.index].operations.push_back(id);
    return id;
}

const TensorType& Builder::type(ValueId value) const
{
    if (value.index >= m_program.values.size())
        misuse({ Code::InvalidOperand, { { "op", "operand" }, { "detail", "no such value" } }, {} });
    return m_program.values[value.index].type;
}

Program Builder::finish() &&
{
    return std::move(m_program);
}

} // namespace shardscope
