// SPDX-License-Identifier: GPL-3.0-or-later
// What a value is computed of, in words.
#include "words/definitions.h"

#include <algorithm>

#include "program/differentiate.h"
#include "program/name_values.h"
#include "program/op_row.h"
#include "words/diagnostic_reader.h"
#include "words/listed.h"
#include "words/tr.h"
#include "words/words.h"

namespace shardscope::words {

namespace {

/// As a text has it; what stands in another function or a region, after that.
QString textName(const std::string& path)
{
    const std::size_t slash = path.rfind('/') + 1; // 0 where there is none
    return fromStd(path.substr(0, slash)).replace(QLatin1Char('/'), QStringLiteral(" / ")) + QLatin1Char('%')
        + fromStd(path.substr(slash));
}

} // namespace

QString operandName(const Program& program, ValueId value)
{
    const Value& v = program.value(value);
    if (!v.path.empty())
        return isNamedByText(program, value) ? textName(v.path) : tensorName(v.path);
    if (!v.definition.valid())
        return Words::tr("an argument");
    const Operation& operation = program.operation(v.definition);
    if (operation.kind == OpKind::ShardingConstraint)
        return operandName(program, operation.operands[0]);
    if (const auto* constant = std::get_if<ConstantAttributes>(&operation.attributes))
        return constant->values.size() == 1 ? QString::number(constant->values.front()) : Words::tr("a constant");
    // A number that was spread over a full shape is that number.
    if (operation.kind == OpKind::BroadcastInDim)
        return operandName(program, operation.operands[0]);
    const std::string_view scope =
        operation.scope < program.scopes.size() ? program.scopes[operation.scope] : std::string_view();
    if (!isBackward(scope))
        return Words::tr("an intermediate value");
    const std::string_view layer = scope.substr(std::min(scope.size(), backwardScope.size() + 1));
    return layer.empty() ? Words::tr("the incoming gradient")
                         : Words::tr("the gradient in %1", "in layers.2").arg(fromStd(layer));
}

QString partName(const Program& program, ValueId value, ValueId array, const QString& name)
{
    if (!array.valid())
        return {};
    const Value &own = program.value(value), &all = program.value(array);
    const std::string_view printed = nameInText(program, value);
    if (!own.path.empty() && !(isNamedByText(program, value) && printed.front() >= '0' && printed.front() <= '9'))
        return {};
    return all.role != Role::Gradient && own.type.elementCount() == all.type.elementCount()
        ? Words::tr("%1 in another form", "an array").arg(name)
        : Words::tr("part of %1", "an array").arg(name);
}

QString definition(const Program& program, ValueId value, std::size_t most)
{
    const Value& v = program.value(value);
    if (!v.definition.valid())
        return {};
    const Operation& operation = program.operation(v.definition);
    // A constraint says how a value is sharded, not what it is.
    if (operation.kind == OpKind::ShardingConstraint && program.value(operation.operands[0]).path.empty())
        return definition(program, operation.operands[0], most);
    // One more is as short as to say that there is one.
    const std::size_t count = operation.operands.size(), named = count > most && count - most > 1 ? most : count;
    QStringList operands;
    for (std::size_t i = 0; i < named; ++i)
        operands << operandName(program, operation.operands[i]);
    if (named < count)
        operands << Words::tr("%1 more").arg(words::count(static_cast<qint64>(count - named)));
    const QString all = listed(operands);
    switch (operation.kind) {
    case OpKind::DotGeneral:
        return Words::tr("the matrix product of %1").arg(all);
    case OpKind::Reduce: {
        const auto& attributes = std::get<ReduceAttributes>(operation.attributes);
        const Value& operand = program.value(operation.operands[0]);
        QStringList names;
        for (const std::int64_t d : attributes.dimensions) {
            const auto index = static_cast<std::size_t>(d);
            names << (index < operand.dimNames.size() ? fromStd(operand.dimNames[index])
                                                      : Words::tr("dimension %1").arg(d));
        }
        const QString over = listed(names);
        switch (attributes.kind) {
        case ReduceKind::Sum:
            return Words::tr("the sum of %1 over %2").arg(all, over);
        case ReduceKind::Max:
            return Words::tr("the largest of %1 over %2").arg(all, over);
        case ReduceKind::Min:
            return Words::tr("the smallest of %1 over %2").arg(all, over);
        default:
            return Words::tr("%1 reduced over %2").arg(all, over);
        }
    }
    case OpKind::Maximum:
        return Words::tr("the larger of %1, element by element").arg(all);
    case OpKind::Minimum:
        return Words::tr("the smaller of %1, element by element").arg(all);
    case OpKind::Add:
        return Words::tr("the sum of %1, element by element").arg(all);
    case OpKind::Subtract:
        return Words::tr("the difference of %1, element by element").arg(all);
    case OpKind::Multiply:
        return Words::tr("the product of %1, element by element").arg(all);
    case OpKind::Divide:
        return Words::tr("the quotient of %1, element by element").arg(all);
    case OpKind::Transpose:
        return Words::tr("%1, transposed").arg(all);
    case OpKind::Reshape:
        return Words::tr("%1 in another shape").arg(all);
    case OpKind::BroadcastInDim:
        return Words::tr("%1, repeated").arg(all);
    case OpKind::ShardingConstraint:
        return Words::tr("%1 under a sharding constraint").arg(all);
    default:
        return operation.operands.empty()
            ? Words::tr("given by %1", "an operation").arg(fromStd(opRow(operation.kind).name))
            : Words::tr("computed from %1 by %2").arg(all, fromStd(opRow(operation.kind).name));
    }
}

} // namespace shardscope::words
