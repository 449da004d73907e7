// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/collectives_view/collective_texts.h"

#include <QCoreApplication>
#include <algorithm>

#include "pipeline/tensor_rows.h"
#include "sharding/layout.h"
#include "words/collective_words.h"
#include "words/definitions.h"
#include "words/utf8.h"

namespace shardscope {

namespace {

struct CollectiveTexts {
    Q_DECLARE_TR_FUNCTIONS(CollectiveTexts)
};

using Style = words::Span::Style;
constexpr std::size_t maxDevices = 16; ///< of groups that are written out
} // namespace

QStringList namesOf(const Mesh& mesh, const AxisList& axes)
{
    return words::texts(axes, [&mesh](const AxisRef& axis) { return words::fromStd(toString(mesh, axis)); });
}

QString axesText(const Mesh& mesh, const AxisList& axes)
{
    return namesOf(mesh, axes).join(QStringLiteral(", "));
}

words::Text axesSpans(const Mesh& mesh, const AxisList& axes)
{
    words::Text text;
    for (const AxisRef& axis : axes) {
        if (!text.empty())
            text.push_back({ QStringLiteral(", "), Style::Plain, -1 });
        text.push_back({ words::fromStd(toString(mesh, axis)), Style::Axis, axis.axis });
    }
    return text;
}

QString keyName(const CollectiveEntry& entry, CollectiveKey key)
{
    switch (key) {
    case CollectiveKey::Kind:
        return words::collective(entry.kind);
    case CollectiveKey::Axes:
        return entry.axes.empty() ? CollectiveTexts::tr("groups of ids") : axesText(*entry.mesh, entry.axes);
    case CollectiveKey::Source:
        return entry.source.empty() ? CollectiveTexts::tr("no line") : words::fromStd(entry.source);
    case CollectiveKey::Layer: {
        const std::string layer = keyOf(entry, key);
        return layer.empty() ? CollectiveTexts::tr("no layer") : words::tensorName(layer);
    }
    }
    return {};
}

QString groupsText(const CollectiveEntry& entry)
{
    return QStringLiteral("%1 × %2").arg(words::count(entry.groupCount), words::count(entry.groupSize));
}

QString timesText(const CollectiveEntry& entry)
{
    return entry.timesKnown ? words::copies(entry.times) : words::copies(entry.times) + QStringLiteral(" ?");
}

words::Text exchangeSpans(const CollectiveEntry& entry, bool groups)
{
    words::Text text{ { words::collective(entry.kind), Style::Strong, -1 } };
    if (!entry.axes.empty()) {
        text.push_back({ CollectiveTexts::tr(" over ", "all-reduce over model"), Style::Plain, -1 });
        for (words::Span& axis : axesSpans(*entry.mesh, entry.axes))
            text.push_back(std::move(axis));
    }
    text.push_back({ QStringLiteral(", ") + words::groupCounts(entry), Style::Plain, -1 });
    if (groups)
        text.push_back({ QStringLiteral(": ") + words::groupList(entry, maxDevices), Style::Plain, -1 });
    return text;
}

QString alternativeTitle(
    const CollectiveList& list, const CollectiveAlternative& alternative, ValueId value, ValueId named)
{
    const QString name = words::alternativeName(alternative.kind);
    if (!alternative.sharding || !alternative.value.valid())
        return name;
    return CollectiveTexts::tr("%1: %2 as %3", "another sharding: W2 as P(-, -)")
        .arg(name, words::operandName(*list.program, alternative.value == value ? named : alternative.value),
            words::shardingForm(*alternative.sharding, *list.mesh));
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

words::Text arraySpans(const TensorType& type, const TensorSharding& sharding, const Mesh& mesh)
{
    const std::string_view dtype = name(type.dtype);
    words::Text text{ { QString::fromLatin1(dtype.data(), static_cast<qsizetype>(dtype.size())) + QLatin1Char('['),
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

QString holdingText(const TensorType& type, const Layout& layout, bool ofOneGroup, ReduceKind reduction)
{
    QStringList parts;
    if (layout.addends() > 1)
        parts << words::partsOf(reduction, layout.addends());
    if (layout.distinctShards() > 1)
        parts << CollectiveTexts::tr("sharded %1 ways").arg(words::count(layout.distinctShards()));
    if (layout.copies() > 1 && !ofOneGroup)
        parts << CollectiveTexts::tr("%1 copies").arg(words::count(layout.copies()));
    parts << CollectiveTexts::tr("%1 per device")
                 .arg(words::bytes(static_cast<double>(TensorType{ type.dtype, layout.shardShape() }.byteCount())));
    return parts.join(QStringLiteral(", "));
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
                       : CollectiveTexts::tr("%1; %2", "4 collectives, 864 B per step; 6 all-slices send nothing")
                             .arg(text, words::slicesCounted(slices));
}

QString totalText(std::int64_t collectives, Rational sent)
{
    return CollectiveTexts::tr("%1, %2 per step", "16 collectives, 8.16 MiB per step")
        .arg(words::counted(collectives, words::Noun::Collective), words::bytes(sent));
}

} // namespace shardscope
