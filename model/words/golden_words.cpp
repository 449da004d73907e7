// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/golden_words.h"

#include <algorithm>

#include "words/tr.h"
#include "words/utf8.h"

namespace shardscope::words {

namespace {

using GoldenKind = ComparedGolden::Kind;

QString dimensionOf(const ComparedGolden& compared, std::size_t dimension)
{
    if (compared.names && dimension < compared.names->size()
        && (*compared.names)[dimension].kind == LogicalName::Kind::Name)
        return fromStd((*compared.names)[dimension].name);
    return Words::tr("dimension %1").arg(dimension);
}

/// "along fsdp and expert", "replicated"
QString alongAxes(const PartitionSpec& spec, std::size_t dimension)
{
    QStringList axes;
    for (const std::string& axis : spec.axesOf(dimension))
        axes.append(fromStd(axis));
    return axes.isEmpty() ? Words::tr("replicated") : Words::tr("along %1").arg(axes.join(Words::tr(" and ")));
}

QString otherDimensions(const ComparedGolden& compared)
{
    QStringList parts;
    const std::size_t rank = std::max(compared.expected->size(), compared.found->size());
    for (std::size_t d = 0; d < rank; ++d)
        if (compared.expected->axesOf(d) != compared.found->axesOf(d))
            parts.append(
                Words::tr("%1 %2 here, %3 in the goldens")
                    .arg(dimensionOf(compared, d), alongAxes(*compared.found, d), alongAxes(*compared.expected, d)));
    return parts.join(Words::tr("; "));
}

QString namesList(const LogicalNames& names)
{
    QStringList list;
    for (const LogicalName& name : names)
        list.append(name.kind == LogicalName::Kind::Name ? fromStd(name.name) : QStringLiteral("-"));
    return QStringLiteral("(%1)").arg(list.join(Words::tr(", ")));
}

} // namespace

QString goldenDifference(const ComparedGolden& compared)
{
    QString text;
    switch (compared.kind) {
    case GoldenKind::Same:
        return {};
    case GoldenKind::OtherForm:
        text = Words::tr("Sharded in the same way; the specs differ in mesh axes with 1 device: %1.")
                   .arg(otherDimensions(compared));
        break;
    case GoldenKind::OtherSpec:
        text = Words::tr("Sharded otherwise: %1.").arg(otherDimensions(compared));
        break;
    case GoldenKind::OtherShape:
        text = Words::tr("Another shape: %1 here, %2 in the goldens.")
                   .arg(shape(compared.otherShape), shape(compared.type.shape));
        break;
    case GoldenKind::NoSpec:
        text = Words::tr("The rules make no spec of its names: one stands on two dimensions, or a mesh axis would be "
                         "used twice.");
        break;
    case GoldenKind::OnlyGolden:
        text = Words::tr("The experiment has no such array.");
        break;
    case GoldenKind::OnlyOurs:
        text = Words::tr("The goldens have no such array.");
        break;
    }
    if (compared.otherNames && compared.names)
        text += Words::tr(" Its names are others: %1 here, %2 in the goldens.")
                    .arg(namesList(*compared.otherNames), namesList(*compared.names));
    return text;
}

QString goldenSummary(const GoldenComparison& comparison)
{
    QStringList parts{ Words::tr("%1 as in the goldens")
                           .arg(counted(static_cast<qint64>(comparison.count(GoldenKind::Same)), Noun::Array)) };
    const auto add = [&](GoldenKind kind, const QString& what) {
        if (const auto found = static_cast<qint64>(comparison.count(kind)); found > 0)
            parts.append(what.arg(count(found)));
    };
    add(GoldenKind::OtherSpec, Words::tr("%1 sharded otherwise"));
    add(GoldenKind::OtherForm, Words::tr("%1 sharded the same and written otherwise"));
    add(GoldenKind::OtherShape, Words::tr("%1 of another shape"));
    add(GoldenKind::NoSpec, Words::tr("%1 without a spec"));
    add(GoldenKind::OnlyGolden, Words::tr("%1 in the goldens alone"));
    add(GoldenKind::OnlyOurs, Words::tr("%1 in the experiment alone"));
    return parts.join(Words::tr(", "));
}

} // namespace shardscope::words
