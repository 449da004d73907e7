// SPDX-License-Identifier: GPL-3.0-or-later
// Titles of the graph's parts.
// A part of GraphWords, which is declared in graph_words.h.
#include <QRegularExpression>
#include <algorithm>

#include "program/calls.h"
#include "program/differentiate.h"
#include "program/op_row.h"
#include "program/outline/part_contents.h"
#include "stablehlo/element_values.h"
#include "words/graph_words.h"
#include "words/utf8.h"

namespace shardscope {

using words::fromStd;
using namespace Qt::StringLiterals;

QString splatText(const ConstantAttributes& constant, DType type)
{
    if (constant.values.size() == 1)
        return type == DType::Pred ? (constant.values[0] != 0 ? u"true"_s : u"false"_s)
                                   : QString::number(constant.values[0]);
    if (!constant.bytes || isComplex(type) || static_cast<std::int64_t>(constant.bytes->size()) != byteSize(type))
        return {};
    if (isFloat(type)) // six digits: single precision has hardly more, and a box has little room
        return QString::number(floatAt(type, constant.bytes->data()));
    std::string text;
    mlir::appendElement(text, type, constant.bytes->data());
    return fromStd(text);
}

QString GraphWords::operationTitle(const Operation& operation) const
{
    if (operation.kind == OpKind::ShardingConstraint)
        return tr("constraint");
    if (const auto* constant = std::get_if<ConstantAttributes>(&operation.attributes)) {
        const QString splat = splatText(*constant, m_program->value(operation.results[0]).type.dtype);
        return splat.isEmpty() ? tr("constant") : tr("constant %1").arg(splat);
    }
    const QString name = fromStd(qualifiedName(operation));
    if (const auto* call = attributesAs<CallAttributes>(operation.attributes))
        return functionTitle(call->callee);
    if (const auto* call = attributesAs<CustomCallAttributes>(operation.attributes))
        return u"custom_call @"_s + fromStd(call->target);
    return name.startsWith("stablehlo."_L1) ? name.mid(10) : name;
}

QString GraphWords::scopeTitle(const std::string& name) const
{
    static const QRegularExpression numbered(u"^(.*)[._](\\d+)$"_s);
    const QString text = fromStd(name);
    if (const auto match = numbered.match(text); match.hasMatch())
        return match.captured(1) == "layers"_L1 || match.captured(1) == "layer"_L1
            ? tr("Layer %1").arg(match.captured(2))
            : match.captured(1) + u' ' + match.captured(2);
    // The names of our own networks are words.
    const bool isName = m_program->namedByText && name != backwardScope;
    return text.isEmpty() || isName ? text : text.front().toUpper() + text.mid(1);
}

/// Of a copy, the name of the function that it was copied from.
QString GraphWords::functionTitle(const std::string& name) const
{
    const Function* function = m_functions.find(*m_program, name);
    return fromStd(function && !function->originalName.empty() ? function->originalName : name);
}

/// "mlp/kernel" of "params/decoder/mlp/kernel" or "state.params['decoder']['mlp']['kernel']".
QString GraphWords::lastNames(const std::string& path)
{
    static const QRegularExpression between(u"[/'\"\\[\\]]+"_s);
    const QStringList names = fromStd(path).split(between, Qt::SkipEmptyParts);
    return names.mid(std::max<qsizetype>(0, names.size() - 2)).join(u'/');
}

/// Of operations from one place in a source, or from some lines of the program's own text.
QString GraphWords::sourceTitle(int index) const
{
    const ProgramPart& part = m_outline->part(index);
    const QString name = fromStd(part.name);
    if (part.about.valid())
        return tr("%1 for %2", "optax for mlp/kernel").arg(name, lastNames(m_program->value(part.about).path));
    if (!name.isEmpty())
        return name;
    const QString what = contents(index);
    return what.isEmpty() ? linesOf(index) : what;
}

/// "while, dot_general × 14": what tells most of what is in the part.
QString GraphWords::contents(int index) const
{
    constexpr std::size_t most = 2;
    const auto [found, fresh] = m_contents.try_emplace(index);
    if (!fresh)
        return found->second;
    QStringList names;
    for (const PartContent& content : contentsOf(*m_program, *m_outline, index, most)) {
        const Operation& operation = m_program->operation(content.operation);
        const std::string* callee = calleeOf(operation);
        const QString name =
            callee && content.count > 1 ? fromStd(std::string(nameWithoutNumber(*callee))) : operationTitle(operation);
        names << (content.count == 1 ? name : name + u' ' + words::copies(content.count));
    }
    return found->second = names.join(u", "_s);
}

/// Of the program's own text; empty where it has none.
QString GraphWords::linesOf(int index) const
{
    const auto lineOf = [this](int at, bool last) -> std::uint32_t {
        while (m_outline->part(at).kind != PartKind::Operation)
            at = last ? m_outline->part(at).children.back() : m_outline->part(at).children.front();
        const std::uint32_t source = m_program->operation(m_outline->part(at).operation).source;
        return source < m_program->sources.size() ? m_program->sources[source].line : 0;
    };
    const std::uint32_t first = lineOf(index, false), last = lineOf(index, true);
    if (first == 0 || last == 0)
        return {};
    return first == last ? tr("line %1").arg(first) : tr("lines %1–%2").arg(first).arg(last);
}

/// `number`: its own, or those of several.
QString GraphWords::blockTitle(const ProgramPart& block, const QString& number) const
{
    const bool several = number.contains(u'–');
    if (block.mirrors)
        return (several ? tr("Blocks %1, backward") : tr("Block %1, backward")).arg(number);
    if (block.series == 0)
        return (several ? tr("Blocks %1") : tr("Block %1")).arg(number);
    const QChar series(u'A' + static_cast<char16_t>(std::min(block.series, 25)));
    return (several ? tr("Blocks %1 %2", "kind, numbers") : tr("Block %1 %2", "kind, number")).arg(series).arg(number);
}

QString GraphWords::title(int index) const
{
    const ProgramPart& part = m_outline->part(index);
    switch (part.kind) {
    case PartKind::Module:
        return fromStd(part.name);
    case PartKind::Function:
        return functionTitle(part.name);
    case PartKind::Functions: {
        qint64 count = 0;
        for (const int child : part.children)
            count += m_outline->part(child).kind == PartKind::Repeat
                ? static_cast<qint64>(m_outline->part(child).children.size())
                : 1;
        return tr("%1 functions").arg(words::count(count));
    }
    case PartKind::Source:
        return sourceTitle(index);
    case PartKind::Scope:
        return scopeTitle(part.name);
    case PartKind::Block:
        return blockTitle(part, QString::number(part.number));
    case PartKind::Operation:
        return operationTitle(m_program->operation(part.operation));
    case PartKind::Body: {
        const OpKind kind = m_program->operation(part.operation).kind;
        if (kind == OpKind::While)
            return part.number == 0 ? tr("condition") : tr("body");
        if (kind == OpKind::If)
            return part.number == 0 ? tr("if true") : tr("if false");
        return kind == OpKind::Case ? tr("branch %1").arg(part.number) : tr("body");
    }
    case PartKind::Repeat:
        break;
    }
    const ProgramPart& first = m_outline->part(part.children.front());
    const ProgramPart& last = m_outline->part(part.children.back());
    if (first.kind == PartKind::Block)
        return blockTitle(
            first, u"%1–%2"_s.arg(std::min(first.number, last.number)).arg(std::max(first.number, last.number)));
    const QString from = title(part.children.front()), to = title(part.children.back());
    const qsizetype blank = from.lastIndexOf(u' ');
    bool isNumber = false, isOther = false;
    const int a = from.mid(blank + 1).toInt(&isNumber), b = to.mid(to.lastIndexOf(u' ') + 1).toInt(&isOther);
    if (!isNumber || !isOther || blank < 0 || from.left(blank) != to.left(to.lastIndexOf(u' ')))
        return part.children.size() == 1 ? from : tr("%1 to %2", "parts").arg(from, to);
    const QString what =
        from.left(blank) == tr("Layer %1").arg(0).section(u' ', 0, 0) ? tr("Layers") : from.left(blank);
    return a == b ? from : u"%1 %2–%3"_s.arg(what, QString::number(std::min(a, b)), QString::number(std::max(a, b)));
}

} // namespace shardscope
