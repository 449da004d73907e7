// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/collective_texts.h"

#include <algorithm>

#include "analysis/explain.h"
#include "pipeline/tensor_rows.h"
#include "sharding/layout.h"
#include "words/collective_words.h"
#include "words/definitions.h"
#include "words/links.h"
#include "words/listed.h"
#include "words/operation_words.h"
#include "words/origin.h"
#include "words/propagation_steps.h"
#include "words/rule_names.h"
#include "words/tr.h"
#include "words/utf8.h"

namespace shardscope::words {

namespace {

using Style = Span::Style;
constexpr std::size_t maxDevices = 16; ///< of groups that are written out
} // namespace

QStringList namesOf(const Mesh& mesh, const AxisList& axes)
{
    return texts(axes, [&mesh](const AxisRef& axis) { return fromStd(toString(mesh, axis)); });
}

QString axesText(const Mesh& mesh, const AxisList& axes)
{
    return namesOf(mesh, axes).join(QStringLiteral(", "));
}

Text axesSpans(const Mesh& mesh, const AxisList& axes)
{
    Text text;
    for (const AxisRef& axis : axes) {
        if (!text.empty())
            text.push_back({ QStringLiteral(", "), Style::Plain, -1 });
        text.push_back({ fromStd(toString(mesh, axis)), Style::Axis, axis.axis });
    }
    return text;
}

QString keyName(const CollectiveEntry& entry, CollectiveKey key)
{
    switch (key) {
    case CollectiveKey::Kind:
        return collective(entry.kind);
    case CollectiveKey::Axes:
        return entry.axes.empty() ? Words::tr("groups of ids") : axesText(*entry.mesh, entry.axes);
    case CollectiveKey::Source:
        return entry.source.empty() ? Words::tr("no line") : fromStd(entry.source);
    case CollectiveKey::Layer: {
        const std::string layer = keyOf(entry, key);
        return layer.empty() ? Words::tr("no layer") : tensorName(layer);
    }
    }
    return {};
}

QString groupsText(const CollectiveEntry& entry)
{
    return QStringLiteral("%1 × %2").arg(count(entry.groupCount), count(entry.groupSize));
}

QString timesText(const CollectiveEntry& entry)
{
    return entry.timesKnown ? copies(entry.times) : copies(entry.times) + QStringLiteral(" ?");
}

Text exchangeSpans(const CollectiveEntry& entry, bool groups)
{
    Text text{ { collective(entry.kind), Style::Strong, -1 } };
    if (!entry.axes.empty()) {
        text.push_back({ Words::tr(" over ", "all-reduce over model"), Style::Plain, -1 });
        for (Span& axis : axesSpans(*entry.mesh, entry.axes))
            text.push_back(std::move(axis));
    }
    text.push_back({ QStringLiteral(", ") + groupCounts(entry), Style::Plain, -1 });
    if (groups)
        text.push_back({ QStringLiteral(": ") + groupList(entry, maxDevices), Style::Plain, -1 });
    return text;
}

QString alternativeTitle(
    const CollectiveList& list, const CollectiveAlternative& alternative, ValueId value, ValueId named)
{
    const QString name = alternativeName(alternative.kind);
    if (!alternative.sharding || !alternative.value.valid())
        return name;
    return Words::tr("%1: %2 as %3", "another sharding: W2 as P(-, -)")
        .arg(name, operandName(*list.program, alternative.value == value ? named : alternative.value),
            shardingForm(*alternative.sharding, *list.mesh));
}

std::vector<ValueId> namedForms(const Program& program)
{
    std::vector<ValueId> forms;
    forms.reserve(program.values.size());
    for (std::size_t i = 0; i < program.values.size(); ++i)
        forms.emplace_back(i);
    for (std::size_t i = 0; i < program.values.size(); ++i)
        if (!program.values[i].path.empty())
            for (const ValueId form : sameValue(program, ValueId(i)))
                if (program.value(form).path.empty())
                    forms[form.index] = ValueId(i);
    return forms;
}

Text arraySpans(const TensorType& type, const TensorSharding& sharding, const Mesh& mesh)
{
    const std::string_view dtype = name(type.dtype);
    Text text{ { QString::fromLatin1(dtype.data(), static_cast<qsizetype>(dtype.size())) + QLatin1Char('['),
        Style::Code, -1 } };
    for (std::size_t d = 0; d < type.shape.size(); ++d) {
        const QString lead = d == 0 ? QString() : QStringLiteral(", ");
        const QString size = QString::number(type.shape[d]);
        const AxisList& axes = sharding.dims[d].axes;
        if (axes.empty()) {
            text.push_back({ lead + size, Style::Code, -1 });
            continue;
        }
        text.push_back({ lead, Style::Code, -1 });
        text.push_back({ size + QLatin1Char('@') + axesText(mesh, axes), Style::Axis, axes.front().axis });
    }
    text.push_back({ QStringLiteral("]"), Style::Code, -1 });
    return text;
}

QString exchangedForm(const ExchangeSubject& subject, const TensorSharding& sharding)
{
    return subject.arrayPerDevice ? Words::tr("an array per device") : shardingForm(sharding, *subject.mesh);
}

QString holdingText(const ExchangeSubject& subject, const Layout& layout, const CollectiveEntry& entry)
{
    const QString size = bytes(static_cast<double>(TensorType{ subject.type.dtype, layout.shardShape() }.byteCount()));
    if (subject.arrayPerDevice)
        return Words::tr("an array per device, %1").arg(size);
    QStringList parts;
    if (layout.addends() > 1)
        parts << partsOf(entry.collective.reduction, layout.addends());
    if (layout.distinctShards() > 1)
        parts << Words::tr("sharded %1 ways").arg(count(layout.distinctShards()));
    if (layout.copies() > 1)
        parts << Words::tr("%1 copies").arg(count(layout.copies()));
    parts << Words::tr("%1 per device").arg(size);
    const QString held = parts.join(QStringLiteral(", "));
    if (!subject.manualAxes.empty())
        return Words::tr("for each %1: %2", "mesh axes: 4 copies, 1 MiB per device")
            .arg(listed(texts(subject.manualAxes, fromStd)), held);
    return subject.ofOneGroup && entry.groupCount > 1
        ? Words::tr("in each group %1", "4 copies, 1 MiB per device").arg(held)
        : held;
}

std::int64_t exchangesIn(const CollectiveList& list)
{
    return std::count_if(
        list.entries.begin(), list.entries.end(), [](const CollectiveEntry& entry) { return isExchange(entry); });
}

QString totalText(const CollectiveList& list, Rational sent)
{
    const std::int64_t exchanges = exchangesIn(list);
    const auto slices = static_cast<std::int64_t>(list.entries.size()) - exchanges;
    const QString text = totalText(exchanges, sent);
    return slices == 0 ? text
                       : Words::tr("%1; %2", "4 collectives, 864 B per step; 6 all-slices send nothing")
                             .arg(text, slicesCounted(slices));
}

QString totalText(std::int64_t collectives, Rational sent)
{
    return Words::tr("%1, %2 per step", "16 collectives, 8.16 MiB per step")
        .arg(counted(collectives, Noun::Collective), bytes(sent));
}

namespace {

Text askedBy(
    const Snapshot& snapshot, ValueId value, const ResolvedAnnotation* annotation, const DimensionReason& reason)
{
    const auto append = [](Text text, const Text& more) {
        text.insert(text.end(), more.begin(), more.end());
        return text;
    };
    switch (reason.kind) {
    case DimensionReason::Kind::Rule: {
        const RuleList list{ annotation ? annotation->innerRules : -1 };
        const auto& rules = rulesIn(snapshot.experiment->rules, list);
        if (reason.rule < 0 || static_cast<std::size_t>(reason.rule) >= rules.size())
            return {};
        const QString logical = fromStd(rules[static_cast<std::size_t>(reason.rule)].name.name);
        const Sentence::Part rule = rulePart(snapshot.experiment->rules, { list, reason.rule });
        return append({ { rule.text, Span::Style::Plain, -1, rule.link },
                          { QStringLiteral("  %1 → ").arg(logical), Span::Style::Plain, -1 } },
            axesSpans(*snapshot.mesh, reason.axes));
    }
    case DimensionReason::Kind::DeviceAxes:
        return append(
            { { Words::tr("an annotation, "), Span::Style::Plain, -1 } }, axesSpans(*snapshot.mesh, reason.axes));
    case DimensionReason::Kind::Propagated:
        return Origin(snapshot, value, reason).shortRequest();
    default:
        return {};
    }
}

} // namespace

Text ruleAfter(const CollectiveList& list, const CollectiveEntry& entry, const Snapshot& snapshot)
{
    // Ids of the snapshot's values hold in the list's program, which has further ones after them.
    if (!snapshot.program || !snapshot.propagation || !snapshot.mesh)
        return {};
    const auto concerned = [&](const AxisList& axes) {
        return std::any_of(axes.begin(), axes.end(), [&](const AxisRef& axis) {
            return std::any_of(
                entry.axes.begin(), entry.axes.end(), [&](const AxisRef& other) { return overlaps(axis, other); });
        });
    };
    std::vector<ValueId> values;
    if (entry.reason && entry.reason->kind == Reason::Kind::ReducedFactor && entry.reason->operation.valid())
        for (const ValueId operand : list.program->operation(entry.reason->operation).operands)
            values.push_back(operand);
    values.push_back(entry.value);
    Text first;
    for (const ValueId value : values) {
        if (!value.valid() || value.index >= snapshot.propagation->shardings.size())
            continue;
        const auto& dims = snapshot.propagation->shardings[value.index].dims;
        if (std::none_of(dims.begin(), dims.end(), [&](const DimensionSharding& dim) { return concerned(dim.axes); }))
            continue;
        const Explanation explanation = explain(snapshot, value);
        for (const DimensionReason& reason : explanation.dims) {
            if (!concerned(reason.axes))
                continue;
            Text text = askedBy(snapshot, value, explanation.annotation, reason);
            if (std::any_of(text.begin(), text.end(), [](const Span& span) { return !span.link.isEmpty(); }))
                return text;
            if (first.empty())
                first = std::move(text);
        }
    }
    return first;
}

} // namespace shardscope::words
