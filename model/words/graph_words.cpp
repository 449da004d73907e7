// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/graph_words.h"

#include <algorithm>

#include "pipeline/collective_list.h"
#include "pipeline/tensor_rows.h"
#include "program/name_values.h"
#include "program/op_row.h"
#include "program/other_attributes.h"
#include "sharding/text.h"
#include "words/collective_words.h"
#include "words/definitions.h"
#include "words/tensor_path.h"
#include "words/utf8.h"

namespace shardscope {

using words::fromStd;
using words::Noun;
using words::Span;
using namespace Qt::StringLiterals;

GraphWords::GraphWords(ProgramPtr program, std::shared_ptr<const ProgramOutline> outline)
    : m_program(std::move(program))
    , m_outline(std::move(outline))
    , m_functions(*m_program)
{
}

void GraphWords::setSnapshot(SnapshotPtr snapshot)
{
    m_snapshot = std::move(snapshot);
    m_replay = nullptr;
    m_differences.clear();
    m_added.assign(m_program->values.size(), {});
    m_sums.assign(m_outline->parts.size(), {});
    m_collectives = m_snapshot ? CollectivePlaces::of(*m_snapshot) : CollectivePlaces();
    if (!m_snapshot || !m_snapshot->collectives)
        return;
    for (const CollectiveEntry& entry : m_snapshot->collectives->entries)
        if (entry.value.index < m_added.size() // not what partitioning made
            && entry.declaredGroups.empty() // to a device of a manual computation that is an array of its own
            && (entry.kind == CollectiveKind::AllReduce || entry.kind == CollectiveKind::ReduceScatter))
            m_added[sameValue(*m_program, entry.value).back().index] = entry.axes;
    for (int number = 0; number < m_collectives.count(); ++number) {
        const OperationId operation = m_collectives.operationOf(number);
        if (!operation.valid() || operation.index >= m_outline->partOfOperation.size())
            continue;
        bool counts = true; // of the branches of a conditional its sum counts that which sends most
        for (int at = m_outline->partOfOperation[operation.index]; at >= 0; at = m_outline->part(at).parent) {
            if (const ProgramPart& part = m_outline->part(at); part.kind == PartKind::Operation)
                if (const OpKind kind = m_program->operation(part.operation).kind;
                    kind == OpKind::Case || kind == OpKind::If)
                    counts = counts && collective(number)->inSums;
            Sums& sums = m_sums[static_cast<std::size_t>(at)];
            if (counts)
                sums.bytes += collective(number)->sentPerStep().value();
            ++sums.collectives;
        }
    }
}

const CollectiveEntry* GraphWords::collective(int number) const
{
    return number >= 0 && number < m_collectives.count()
        ? &m_snapshot->collectives->entries[static_cast<std::size_t>(number)]
        : nullptr;
}

QString GraphWords::collectiveTitle(int number) const
{
    const CollectiveEntry* entry = collective(number);
    return entry ? words::collective(entry->kind) : QString();
}

words::Text GraphWords::collectiveFigure(int number) const
{
    const CollectiveEntry* entry = collective(number);
    words::Text text;
    if (!entry)
        return text;
    for (const AxisRef axis : entry->axes)
        text.push_back({ fromStd(toString(*entry->mesh, axis)) + u' ', Span::Style::Axis, axis.axis });
    text.push_back({ u' ' + words::bytes(entry->sentPerStep()), Span::Style::Plain, -1 });
    return text;
}

int GraphWords::axisOf(int number) const
{
    const CollectiveEntry* entry = collective(number);
    return entry && !entry->axes.empty() ? entry->axes.front().axis : -1;
}

int GraphWords::addsUp(int number) const
{
    const CollectiveEntry* entry = collective(number);
    const bool adds = entry
        && (entry->kind == CollectiveKind::AllReduce || entry->kind == CollectiveKind::ReduceScatter) && entry->reason;
    return adds ? axisOf(number) : -1;
}

QString GraphWords::collectiveTip(int number) const
{
    const CollectiveEntry* entry = collective(number);
    if (!entry)
        return {};
    QStringList lines{ words::collective(entry->kind) + u' ' + words::groupCounts(*entry),
        words::plain(words::collectiveCost(*entry)) };
    if (const QString cause = words::plain(words::collectiveCause(*m_snapshot->collectives, *entry)); !cause.isEmpty())
        lines << cause;
    return lines.join(u'\n');
}

void GraphWords::setStep(const Replay* replay, std::uint32_t step)
{
    m_replay = replay;
    m_step = step;
}

QString GraphWords::plainName(const Program& program, ValueId value)
{
    const Value& of = program.value(value);
    return of.definition.valid() ? u'%' + QString::number(of.definition.index) : u"%arg"_s + QString::number(of.index);
}

words::Text GraphWords::legend() const
{
    words::Text text;
    if (m_snapshot && m_snapshot->propagation && m_snapshot->mesh) {
        for (std::size_t axis = 0; axis < m_snapshot->mesh->rank(); ++axis) {
            if (m_snapshot->mesh->axis(axis).size == 1)
                continue;
            const QString name = fromStd(m_snapshot->mesh->axis(axis).name);
            text.push_back({ u'@' + name, Span::Style::Axis, static_cast<int>(axis) });
            text.push_back({ tr(" sharded along %1   ").arg(name), Span::Style::Plain, -1 });
        }
        text.push_back({ u"Σ"_s, Span::Style::Strong, -1 });
        text.push_back({ tr(" added up by devices   "), Span::Style::Plain, -1 });
    }
    text.push_back({ u"○"_s, Span::Style::Strong, -1 });
    text.push_back({ tr(" read elsewhere, too"), Span::Style::Plain, -1 });
    return text;
}

QString GraphWords::legendTip() const
{
    const QString all = words::plain(legend());
    if (!m_snapshot || !m_snapshot->propagation || !m_snapshot->mesh)
        return all;
    QStringList single;
    for (std::size_t axis = 0; axis < m_snapshot->mesh->rank(); ++axis)
        if (m_snapshot->mesh->axis(axis).size == 1)
            single << fromStd(m_snapshot->mesh->axis(axis).name);
    if (single.isEmpty())
        return all;
    return all + u'\n'
        + (single.size() == 1 ? tr("%1 has size 1 and shards nothing").arg(single.front())
                              : tr("%1 axes have size 1 and shard nothing: %2")
                                    .arg(words::count(single.size()), single.join(u", "_s)));
}

bool GraphWords::isConstraint(OperationId operation) const
{
    return operation.valid() && m_program->operation(operation).kind == OpKind::ShardingConstraint;
}

QString GraphWords::counts(int index) const
{
    const QString operations = words::counted(m_outline->part(index).operations, Noun::Operation);
    const Sums sums =
        static_cast<std::size_t>(index) < m_sums.size() ? m_sums[static_cast<std::size_t>(index)] : Sums();
    return sums.collectives == 0
        ? operations
        : tr("%1, %2, sent %3", "6 ops, 1 collective, 24 KiB")
              .arg(operations, words::counted(sums.collectives, Noun::Collective), words::bytes(sums.bytes));
}

QString GraphWords::subtitle(int index) const
{
    const ProgramPart& part = m_outline->part(index);
    if (part.kind != PartKind::Repeat)
        return counts(index);
    const QString copies = words::copies(static_cast<qint64>(part.children.size()));
    const std::vector<RepeatDifference>& others = differences(index);
    const QString model = title(part.model);
    if (others.empty()) {
        const QString same = tr("same as %1, folded %2").arg(model, copies);
        const Sums sums =
            static_cast<std::size_t>(index) < m_sums.size() ? m_sums[static_cast<std::size_t>(index)] : Sums();
        return sums.collectives == 0 ? same : tr("%1, sent %2", "same as Layer 0").arg(same, words::bytes(sums.bytes));
    }
    const QString first = title(others.front().part), sharded = shardedValues(others.front());
    if (others.size() == part.children.size() && others.size() > 1)
        return tr("as %1, folded %2; all differ: sharding of %3").arg(model, copies, sharded);
    if (others.size() == 1)
        return tr("as %1, folded %2; %3 differs: sharding of %4").arg(model, copies, first, sharded);
    return tr("as %1, folded %2; %3 and %4 more differ: sharding of %5")
        .arg(model, copies, first, words::count(static_cast<qint64>(others.size()) - 1), sharded);
}

const std::vector<RepeatDifference>& GraphWords::differences(int repeat) const
{
    const auto [found, fresh] = m_differences.try_emplace(repeat);
    if (fresh)
        found->second =
            differencesOf(*m_program, *m_outline, m_snapshot ? m_snapshot->propagation.get() : nullptr, repeat);
    return found->second;
}

QString GraphWords::shardedValues(const RepeatDifference& of) const
{
    const QString first = valueName(of.values.front(), of.part);
    const auto more = static_cast<qint64>(of.values.size()) - 1;
    return more == 0 ? first : tr("%1 and %2 more").arg(first, words::count(more));
}

QString GraphWords::difference(const RepeatDifference& of) const
{
    return tr("%1 differs: sharding of %2").arg(title(of.part), shardedValues(of));
}

QString GraphWords::valueName(ValueId value, int level, int more) const
{
    const Value& of = m_program->value(value);
    QString name;
    if (of.path.empty()) {
        name = plainName(*m_program, value);
        if (of.definition.valid()) {
            const Operation& operation = m_program->operation(of.definition);
            const QString title = operationTitle(operation);
            name = operation.kind == OpKind::Constant ? title : title + u' ' + name;
        }
    } else {
        // Within its own layer the layer need not be said.
        const words::TensorPath path = words::parseTensorPath(of.path);
        bool within = path.layer < 0;
        const QString scope = path.layers + u'.' + QString::number(path.layer);
        for (int at = level; at > 0 && !within; at = m_outline->part(at).parent)
            within = m_outline->part(at).kind == PartKind::Scope && fromStd(m_outline->part(at).name) == scope;
        name = within && !isNamedByText(*m_program, value) ? path.leaf : words::operandName(*m_program, value);
        if (within) {
            constexpr std::string_view next = "next(";
            std::string_view own = of.path;
            const bool isNext = own.starts_with(next);
            if (isNext)
                own.remove_prefix(next.size());
            // What a program's text calls its moments and gradients is their own name, not that of the parameter.
            const bool isOfParameter = own.starts_with("opt/") || own.starts_with("grad(");
            name = !isOfParameter           ? name
                : of.role == Role::Gradient ? tr("gradient of %1").arg(name)
                : of.role == Role::Mu       ? tr("mu of %1").arg(name)
                : of.role == Role::Nu       ? tr("nu of %1").arg(name)
                : of.role == Role::Master   ? tr("master of %1").arg(name)
                                            : name;
            if (isNext)
                name = tr("next %1").arg(name);
        }
    }
    return more == 0 ? name : tr("%1 and %2 more").arg(name, words::count(more));
}

QString GraphWords::results(int count) const
{
    return count == 1 ? tr("result") : tr("%1 results").arg(words::count(count));
}

words::Text GraphWords::shape(ValueId id) const
{
    const TensorType& type = m_program->value(id).type;
    if (!isTensor(type.dtype))
        return { { fromStd(toString(type)), Span::Style::Code, -1 } };
    const bool known = m_snapshot && m_snapshot->propagation && m_snapshot->mesh;
    TensorSharding sharding = known && !m_replay ? heldSharding(*m_snapshot, id) : TensorSharding::open(type.rank());
    for (std::size_t d = 0; m_replay && d < type.rank(); ++d)
        sharding.dims[d].axes = m_replay->axesAt(id, d, m_step);
    words::Text text;
    const auto code = [&text](const QString& more) {
        if (!text.empty() && text.back().style == Span::Style::Code)
            text.back().text += more;
        else
            text.push_back({ more, Span::Style::Code, -1 });
    };
    const auto axis = [&](AxisRef ref) {
        text.push_back({ fromStd(toString(*m_snapshot->mesh, ref)), Span::Style::Axis, ref.axis });
    };
    if (type.rank() == 0)
        code(fromStd(std::string(name(type.dtype))));
    else
        code(u"["_s);
    for (std::size_t d = 0; d < type.rank(); ++d) {
        code((d == 0 ? QString() : u", "_s) + (type.shape[d] < 0 ? u"?"_s : QString::number(type.shape[d])));
        const AxisList* axes = d < sharding.dims.size() ? &sharding.dims[d].axes : nullptr;
        if (!axes || axes->empty())
            continue;
        for (std::size_t i = 0; i < axes->size(); ++i) {
            axis((*axes)[i]);
            text.back().text.prepend(i == 0 ? u'@' : u'·');
        }
    }
    if (type.rank() > 0)
        code(u"]"_s);
    if (m_replay)
        return text;
    const AxisList& added =
        id.index < m_added.size() && !m_added[id.index].empty() ? m_added[id.index] : sharding.unreduced;
    for (const AxisRef ref : added) {
        axis(ref);
        text.back().text.prepend(u" Σ "_s);
    }
    return text;
}

words::Text GraphWords::label(OperationId id, int level) const
{
    const Operation& operation = m_program->operation(id);
    if (operation.results.empty())
        return {};
    const ValueId first = operation.results[0];
    words::Text text;
    if (!m_program->value(first).path.empty())
        text.push_back({ valueName(first, level) + u"  "_s, Span::Style::Strong, -1 });
    for (Span& span : shape(first))
        text.push_back(std::move(span));
    if (operation.results.size() > 1)
        text.push_back({ tr("  and %1 more").arg(operation.results.size() - 1), Span::Style::Plain, -1 });
    return text;
}

QString GraphWords::tip(ValueId id) const
{
    const Value& value = m_program->value(id);
    QStringList lines;
    lines << (value.path.empty() ? plainName(*m_program, id) : words::operandName(*m_program, id));
    const QString definition = words::definition(*m_program, id);
    if (!definition.isEmpty())
        lines << definition;
    QString array = fromStd(toString(value.type));
    if (m_snapshot && m_snapshot->propagation && m_snapshot->mesh && isTensor(value.type.dtype))
        array = fromStd(describeArray(name(value.type.dtype), value.type.shape, value.dimNames,
            heldSharding(*m_snapshot, id), *m_snapshot->mesh));
    lines << array;
    if (id.index < m_added.size() && !m_added[id.index].empty()) {
        const AxisList& axes = m_added[id.index];
        QStringList names;
        for (const AxisRef axis : axes)
            names << fromStd(toString(*m_snapshot->mesh, axis));
        lines << tr("%1 along %2 add up their partial values of it")
                     .arg(words::counted(product(axes), Noun::Device), names.join(u", "_s));
    }
    return lines.join(u'\n');
}

QString GraphWords::tip(int index) const
{
    const ProgramPart& part = m_outline->part(index);
    if (part.kind == PartKind::Repeat) {
        constexpr std::size_t maxTold = 8;
        const std::vector<RepeatDifference>& others = differences(index);
        const QString copies = words::copies(static_cast<qint64>(part.children.size()));
        QStringList lines{ title(index), tr("as %1, folded %2").arg(title(part.model), copies), counts(index) };
        for (std::size_t i = 0; i < std::min(others.size(), maxTold); ++i)
            lines << difference(others[i]);
        if (others.size() > maxTold)
            lines << tr("and %1 more").arg(words::count(static_cast<qint64>(others.size() - maxTold)));
        if (others.empty())
            lines << tr("the same operations, the same wiring, sharded in the same way");
        return lines.join(u'\n');
    }
    if (part.kind != PartKind::Operation) {
        QStringList lines{ title(index), subtitle(index) };
        if (part.about.valid())
            lines << words::operandName(*m_program, part.about);
        if (const QString own = part.kind == PartKind::Source ? linesOf(index) : QString();
            !own.isEmpty() && own != lines.front())
            lines << own;
        return lines.join(u'\n');
    }
    const Operation& operation = m_program->operation(part.operation);
    QStringList lines{ fromStd(qualifiedName(operation)) };
    for (std::size_t i = 0; i < std::min<std::size_t>(operation.results.size(), 4); ++i)
        lines << tip(operation.results[i]);
    if (isConstraint(part.operation))
        lines << tr("The program asks for this sharding here");
    if (operation.source > 0 && operation.source < m_program->sources.size()
        && m_program->sources[operation.source].line > 0)
        lines << tr("line %1").arg(m_program->sources[operation.source].line);
    return lines.join(u'\n');
}

QString GraphWords::place(int level) const
{
    QStringList names;
    for (int at = level; at > 0; at = m_outline->part(at).parent)
        names.prepend(title(at));
    return names.join(u" › "_s);
}

std::vector<int> GraphWords::find(const QString& text) const
{
    std::vector<int> found;
    if (text.isEmpty())
        return found;
    for (std::size_t i = 1; i < m_outline->parts.size(); ++i) {
        const ProgramPart& part = m_outline->parts[i];
        bool matches = title(static_cast<int>(i)).contains(text, Qt::CaseInsensitive);
        if (part.kind == PartKind::Operation && !matches) {
            const Operation& operation = m_program->operation(part.operation);
            matches = fromStd(qualifiedName(operation)).contains(text, Qt::CaseInsensitive);
            for (const ValueId result : operation.results) {
                const std::string& path = m_program->value(result).path;
                matches = matches || plainName(*m_program, result) == text
                    || (!path.empty() && fromStd(path).contains(text, Qt::CaseInsensitive));
            }
        } else if (!matches) {
            matches = fromStd(part.name).contains(text, Qt::CaseInsensitive);
        }
        if (matches)
            found.push_back(static_cast<int>(i));
    }
    return found;
}

} // namespace shardscope
