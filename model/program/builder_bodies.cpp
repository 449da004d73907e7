// SPDX-License-Identifier: GPL-3.0-or-later
// How the builder makes bodies, and operations that have some.
// A part of Builder, which is declared in builder.h.
#include <limits>
#include <utility>

#include "base/codes.h"
#include "program/body.h"
#include "program/builder.h"
#include "program/op_row.h"
#include "program/ops/checks.h"
#include "program/other_attributes.h"

namespace shardscope {

namespace {

ValueId inMap(const std::unordered_map<ValueId, ValueId>& map, ValueId value)
{
    const auto found = map.find(value);
    return found == map.end() ? value : found->second;
}

} // namespace

RegionId Builder::body(std::span<const TensorType> arguments, const MakeBody& make)
{
    const RegionId made(m_program.regions.size());
    m_program.regions.emplace_back();
    std::vector<ValueId> values;
    for (const TensorType& type : arguments)
        values.push_back(addValue({ type, {}, static_cast<std::uint32_t>(values.size()), Role::Temporary, {}, {} }));
    m_program.regions[made.index].arguments = values;
    const RegionId around = std::exchange(m_region, made);
    std::vector<ValueId> results = make(*this, values);
    m_region = around;
    m_program.regions[made.index].results = std::move(results);
    return made;
}

RegionId Builder::combiner(OpKind kind, DType dtype)
{
    const std::vector<TensorType> scalars(2, TensorType{ dtype, {} });
    return body(scalars,
        [kind](Builder& b, std::span<const ValueId> pair) { return std::vector{ b.binary(kind, pair[0], pair[1]) }; });
}

std::vector<ValueId> Builder::addSeveral(OpKind kind, std::span<const ValueId> operands,
    std::span<const TensorType> results, Attributes attributes, std::span<const RegionId> bodies)
{
    const OpRow& row = opRow(kind);
    if (row.operandCount >= 0 && operands.size() != static_cast<std::size_t>(row.operandCount))
        misuse({ Code::InvalidOperand, { { "op", row.name }, { "detail", "wrong number of operands" } }, {} });
    if (row.regionCount >= 0 && bodies.size() != static_cast<std::size_t>(row.regionCount))
        misuse({ Code::InvalidAttribute, { { "op", row.name }, { "detail", "wrong number of bodies" } }, {} });
    const OperationId id = addOperation(kind, operands, results, std::move(attributes), bodies);
    const Operation& operation = m_program.operation(id);
    if (row.check) {
        if (const Result<void> checked = row.check(ops::Subject(m_program, operation)); !checked)
            misuse(checked.error());
    } else {
        const Result<TensorType> inferred =
            row.inferType(ops::typesOf(m_program, operation.operands), operation.attributes, results[0]);
        if (!inferred)
            misuse(inferred.error());
        if (results.size() != 1 || *inferred != results[0])
            misuse({ Code::TypeMismatch, { { "op", row.name }, { "detail", toString(*inferred) } }, {} });
    }
    return { operation.results.begin(), operation.results.end() };
}

ValueId Builder::scatter(
    ReduceKind kind, ValueId operand, ValueId indices, ValueId updates, const ScatterAttributes& attributes)
{
    const TensorType result = type(operand);
    const RegionId combine = combiner(combinerOf(kind), result.dtype);
    return addSeveral(OpKind::Scatter, std::array{ operand, indices, updates }, std::span(&result, 1),
        otherAttributes(attributes), std::span(&combine, 1))[0];
}

ValueId Builder::reduceWindow(ReduceKind kind, ValueId operand, const WindowAttributes& window)
{
    TensorType result = type(operand);
    for (std::size_t d = 0; d < result.rank(); ++d) {
        const auto [before, after] =
            d < window.padding.size() ? window.padding[d] : std::pair<std::int64_t, std::int64_t>();
        const std::int64_t size =
            ops::padded(ops::dilated(result.shape.edit()[d], entryOr(window.baseDilations, d, 1)), before, after);
        const std::int64_t width =
            ops::dilated(entryOr(window.dimensions, d, 1), entryOr(window.windowDilations, d, 1));
        result.shape.edit()[d] = ops::windowCount(size, width, entryOr(window.strides, d, 1));
    }
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const double identity = kind == ReduceKind::Sum ? 0 : kind == ReduceKind::Max ? -infinity : infinity;
    const ValueId initial = constant({ result.dtype, {} }, identity);
    const RegionId combine = combiner(combinerOf(kind), result.dtype);
    return addSeveral(OpKind::ReduceWindow, std::array{ operand, initial }, std::span(&result, 1),
        otherAttributes(window), std::span(&combine, 1))[0];
}

std::vector<ValueId> Builder::sort(
    std::span<const ValueId> operands, std::int64_t dimension, const MakeBody& comparator)
{
    const std::vector<TensorType> types = ops::typesOf(m_program, operands);
    std::vector<TensorType> pairs;
    for (const TensorType& each : types)
        pairs.insert(pairs.end(), 2, { each.dtype, {} });
    const RegionId compares = body(pairs, comparator);
    return addSeveral(
        OpKind::Sort, operands, types, otherAttributes(SortAttributes{ dimension, true }), std::span(&compares, 1));
}

std::vector<ValueId> Builder::loop(std::span<const ValueId> initial, const MakeBody& condition, const MakeBody& step)
{
    const std::vector<TensorType> types = ops::typesOf(m_program, initial);
    const RegionId goesOn = body(types, condition);
    const RegionId does = body(types, step);
    return addSeveral(OpKind::While, initial, types, {}, std::array{ goesOn, does });
}

RegionId Builder::copyBody(RegionId original, std::unordered_map<ValueId, ValueId>& map, const ScopeOf& scopeOf)
{
    const Region from = m_program.regions[original.index]; // the arrays grow
    return body(ops::typesOf(m_program, from.arguments), [&](Builder&, std::span<const ValueId> arguments) {
        for (std::size_t i = 0; i < arguments.size(); ++i)
            map[from.arguments[i]] = arguments[i];
        for (const OperationId held : from.operations)
            copy(held, map, scopeOf);
        std::vector<ValueId> results;
        for (const ValueId result : from.results)
            results.push_back(inMap(map, result));
        return results;
    });
}

void Builder::copy(OperationId operation, std::unordered_map<ValueId, ValueId>& map, const ScopeOf& scopeOf)
{
    const Operation from = m_program.operation(operation); // the arrays grow
    std::vector<ValueId> operands;
    for (const ValueId operand : from.operands)
        operands.push_back(inMap(map, operand));
    std::vector<RegionId> bodies;
    for (const RegionId inner : from.regions)
        bodies.push_back(copyBody(inner, map, scopeOf));
    const std::uint32_t around = m_scope;
    if (scopeOf)
        setScope(scopeOf(m_program.scopes[from.scope]));
    const OperationId id =
        addOperation(from.kind, operands, ops::typesOf(m_program, from.results), from.attributes, bodies);
    m_scope = around;
    m_program.operations[id.index].extra = from.extra;
    m_program.operations[id.index].source = from.source;
    for (std::size_t i = 0; i < from.results.size(); ++i) {
        const ValueId to = m_program.operation(id).results[i];
        m_program.values[to.index].role = m_program.value(from.results[i]).role;
        m_program.values[to.index].dimNames = m_program.value(from.results[i]).dimNames;
        map[from.results[i]] = to;
    }
}

} // namespace shardscope
