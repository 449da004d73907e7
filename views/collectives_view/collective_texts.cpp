// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/collectives_view/collective_texts.h"

#include <QCoreApplication>
#include <algorithm>

#include "sharding/layout.h"
#include "words/definitions.h"
#include "words/operation_words.h"
#include "words/propagation_steps.h"
#include "words/utf8.h"

namespace shardscope {

namespace {

struct CollectiveTexts {
    Q_DECLARE_TR_FUNCTIONS(CollectiveTexts)
};

using Style = words::Span::Style;
constexpr std::size_t mostGroups = 4, mostMembers = 8;

QString groupText(const std::vector<std::int64_t>& group)
{
    QStringList ids;
    for (std::size_t i = 0; i < std::min(group.size(), mostMembers); ++i)
        ids << QString::number(group[i]);
    if (group.size() > mostMembers) {
        ids.back() = QStringLiteral("…");
        ids << QString::number(group.back());
    }
    return QLatin1Char('{') + ids.join(QStringLiteral(", ")) + QLatin1Char('}');
}

/// What the ring model multiplies the local bytes with: "2 × 3/4", "3", "3/4"; "" for 1.
QString ringFactor(CollectiveKind kind, std::int64_t n)
{
    const QString rest = QStringLiteral("%1/%2").arg(n - 1).arg(n);
    switch (kind) {
    case CollectiveKind::AllReduce:
        return QStringLiteral("2 × ") + rest;
    case CollectiveKind::ReduceScatter:
    case CollectiveKind::AllToAll:
        return rest;
    case CollectiveKind::AllGather:
        return n == 2 ? QString() : words::count(n - 1);
    case CollectiveKind::CollectivePermute:
    case CollectiveKind::AllSlice:
        return {};
    }
    return {};
}

} // namespace

QString axesText(const Mesh& mesh, const AxisList& axes)
{
    QStringList names;
    for (const AxisRef& axis : axes)
        names << words::fromStd(toString(mesh, axis));
    return names.join(QStringLiteral(", "));
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

QString groupsSentence(const CollectiveEntry& entry)
{
    const QString head = entry.groupCount == 1
        ? CollectiveTexts::tr("1 group of %1").arg(words::count(entry.groupSize))
        : CollectiveTexts::tr("%1 groups of %2").arg(words::count(entry.groupCount), words::count(entry.groupSize));
    const auto groups = replicaGroups(entry, *entry.mesh);
    QStringList parts;
    for (std::size_t i = 0; i < std::min(groups.size(), mostGroups); ++i)
        parts << groupText(groups[i]);
    if (parts.isEmpty())
        return head;
    QString list;
    if (groups.size() > mostGroups)
        list = parts.join(QStringLiteral(", ")) + QStringLiteral(", …");
    else if (parts.size() == 1)
        list = parts.front();
    else
        list = CollectiveTexts::tr("%1 and %2", "last two of a list")
                   .arg(parts.mid(0, parts.size() - 1).join(QStringLiteral(", ")), parts.back());
    return CollectiveTexts::tr("%1: %2", "2 groups of 4: {0, 1, 2, 3} and {4, 5, 6, 7}").arg(head, list);
}

QString timesText(const CollectiveEntry& entry)
{
    return entry.timesKnown ? words::copies(entry.times) : words::copies(entry.times) + QStringLiteral(" ?");
}

QString sentSentence(const CollectiveEntry& entry)
{
    if (entry.sentBytes == Rational(0))
        return CollectiveTexts::tr("Nothing is sent: every device has what it needs.");
    const QString sent = words::bytes(entry.sentBytes);
    const std::int64_t local = TensorType{ entry.type.dtype, shardShape(entry.before, entry.type.shape) }.byteCount();
    const QString factor = ringFactor(entry.kind, entry.groupSize);
    QString text = !factor.isEmpty() && ringBytes(entry.kind, entry.groupSize, local) == entry.sentBytes
        ? CollectiveTexts::tr("Each device sends %1 × %2 = %3", "2 × 3/4 × 16 KiB = 24 KiB")
              .arg(factor, words::bytes(static_cast<double>(local)), sent)
        : CollectiveTexts::tr("Each device sends %1").arg(sent);
    if (!entry.timesKnown)
        text += CollectiveTexts::tr(" each time; how often its loop turns is known only when it runs");
    else if (entry.times > 1)
        text += CollectiveTexts::tr(", %1 times per step: %2")
                    .arg(words::count(entry.times), words::bytes(entry.sentPerStep()));
    if (entry.conditional)
        text += CollectiveTexts::tr(", if its branch is taken");
    return text + QLatin1Char('.');
}

QString tensorText(const CollectiveList& list, const CollectiveEntry& entry)
{
    const Program& program = *list.program;
    if (!entry.value.valid() || entry.value.index >= program.values.size())
        return {};
    return words::operandName(program, entry.value);
}

QString titleText(const CollectiveList& list, std::size_t index)
{
    const CollectiveEntry& entry = list.entries[index];
    const QString tensor = tensorText(list, entry);
    const QString kind = words::collective(entry.kind);
    return tensor.isEmpty() ? kind : CollectiveTexts::tr("%1 for %2", "all-reduce for Layer 2 / z").arg(kind, tensor);
}

words::Text whyText(const CollectiveList&, std::size_t)
{
    return {};
}

words::Text alternativeText(const CollectiveList&, std::size_t, const CollectiveAlternative&)
{
    return {};
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

QString holdingText(const TensorType& type, const Layout& layout)
{
    QStringList parts;
    if (layout.addends() > 1)
        parts << CollectiveTexts::tr("partial sums, %1 addends").arg(words::count(layout.addends()));
    if (layout.distinctShards() > 1)
        parts << CollectiveTexts::tr("cut %1 ways").arg(words::count(layout.distinctShards()));
    if (layout.copies() > 1)
        parts << CollectiveTexts::tr("%1 copies").arg(words::count(layout.copies()));
    parts << CollectiveTexts::tr("%1 per device")
                 .arg(words::bytes(static_cast<double>(TensorType{ type.dtype, layout.shardShape() }.byteCount())));
    return parts.join(QStringLiteral(", "));
}

QString totalText(std::int64_t collectives, Rational sent)
{
    return CollectiveTexts::tr("%1, %2 per step", "16 collectives, 8.16 MiB per step")
        .arg(words::counted(collectives, words::Noun::Collective), words::bytes(sent));
}

} // namespace shardscope
