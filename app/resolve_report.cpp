// SPDX-License-Identifier: GPL-3.0-or-later
#include <iterator>

#include <nlohmann/json.hpp>

#include "base/codes.h"
#include "resolve.h"
#include "sharding/text.h"
#include "words/trace_words.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope::cli {

namespace {

QString targetText(const SpecEntry& target)
{
    const QString spec = words::fromStd(toColumn(PartitionSpec{ { target } }));
    return spec.mid(2, spec.size() - 3); // without P( )
}

/// By Verdict.
constexpr std::string_view verdicts[] = { "applied", "no_such_dimension", "axis_busy", "dimension_set",
    "blocked_by_null" };
/// By DroppedAxes::Reason.
constexpr std::string_view reasons[] = { "not_in_mesh", "size_one", "indivisible" };

QString reasonText(const RuleTrace& trace, const Ruling& ruling, const LogicalNames& names)
{
    return words::plain(ruling.mesh ? words::verdictReason(trace, ruling.rules, names, ruling.mesh->axisNames())
                                    : words::verdictReason(trace, ruling.rules, names));
}

} // namespace

std::string dialectName(const Ruling& ruling)
{
    return ruling.mapping ? "penzai" : std::string(name(ruling.dialect));
}

QString nameText(const LogicalName& name, int dimension)
{
    return name.kind == LogicalName::Kind::Name ? words::fromStd(name.name) : QStringLiteral("(%1)").arg(dimension);
}

Table traceTable(const LogicalNames& names, const Ruling& ruling, const Resolution& resolution)
{
    const LogicalRules& rules = ruling.rules;
    Table table{ "#>", "Rule" };
    for (std::size_t i = 0; i < names.size(); ++i)
        table.columns.push_back({ nameText(names[i], static_cast<int>(i)) });
    table.columns.push_back({ QStringLiteral("Verdict") });
    table.columns.push_back({ QStringLiteral("Why") });
    for (const RuleTrace& trace : resolution.rules) {
        const LogicalRule& rule = rules.list[trace.rule];
        const QString target = targetText(rule.target);
        QStringList row{ QString::number(trace.rule + 1),
            QStringLiteral("%1 → %2").arg(nameText(rule.name, 0), target) };
        for (std::size_t i = 0; i < names.size(); ++i) {
            const bool here = trace.dimension == static_cast<int>(i);
            row << (!here                               ? QString()
                    : trace.verdict == Verdict::Applied ? QStringLiteral("[%1]").arg(target)
                                                        : QStringLiteral("(%1)").arg(target));
        }
        row << words::verdict(trace) << reasonText(trace, ruling, names);
        table.rows.push_back(row);
    }
    return table;
}

Json traceJson(const Resolution& resolution, const LogicalNames& names, const Ruling& ruling)
{
    Json list = Json::array();
    for (const RuleTrace& trace : resolution.rules) {
        Json row{ { "rule", trace.rule + 1 }, { "verdict", verdicts[static_cast<std::size_t>(trace.verdict)] } };
        if (trace.dimension >= 0)
            row["dimension"] = trace.dimension;
        if (trace.byRule >= 0)
            row["by_rule"] = trace.byRule + 1;
        if (trace.byDimension >= 0)
            row["by_dimension"] = trace.byDimension;
        if (!trace.busyAxis.empty())
            row["busy_axis"] = trace.busyAxis;
        if (!trace.lostAxes.empty())
            row["lost_axes"] = trace.lostAxes;
        row["reason"] = reasonText(trace, ruling, names).toStdString();
        list.push_back(std::move(row));
    }
    return list;
}

QString droppedText(const DroppedAxes& dropped, const LogicalNames& names)
{
    QStringList axes;
    for (const std::string& axis : dropped.axes)
        axes << words::fromStd(axis);
    const QString list = axes.join(QStringLiteral(", "));
    const QString dimension = dropped.dimension < names.size()
        ? nameText(names[dropped.dimension], static_cast<int>(dropped.dimension))
        : QString::number(dropped.dimension);
    switch (dropped.reason) {
    case DroppedAxes::Reason::NotInMesh:
        return QStringLiteral("left out of %1: %2, which the mesh lacks").arg(dimension, list);
    case DroppedAxes::Reason::SizeOne:
        return QStringLiteral("left out of %1: %2, of size 1").arg(dimension, list);
    case DroppedAxes::Reason::Indivisible:
        break;
    }
    return QStringLiteral("left out of %1: %2, since %3 does not divide by %4")
        .arg(dimension, list, QString::number(dropped.size), QString::number(dropped.partitions));
}

Json droppedJson(const std::vector<DroppedAxes>& list)
{
    Json json = Json::array();
    for (const DroppedAxes& dropped : list) {
        Json each{ { "dimension", dropped.dimension }, { "axes", dropped.axes },
            { "reason", reasons[static_cast<std::size_t>(dropped.reason)] } };
        if (dropped.reason == DroppedAxes::Reason::Indivisible) {
            each["size"] = dropped.size;
            each["partitions"] = dropped.partitions;
        }
        json.push_back(std::move(each));
    }
    return json;
}

Json axesJson(const PartitionSpec& spec, std::size_t rank)
{
    Json json = Json::array();
    for (std::size_t i = 0; i < rank; ++i)
        json.push_back(spec.axesOf(i));
    return json;
}

std::vector<Diagnostic> withWarnings(const Ruling& ruling, std::vector<Diagnostic> problems)
{
    std::vector<Diagnostic> all;
    for (const Diagnostic& warning : ruling.warnings) {
        if (!ruling.mesh || warning.code != Code::RuleUnknownAxis) {
            all.push_back(warning);
            continue;
        }
        for (Diagnostic& problem : problems)
            if (problem.code == warning.code && problem.number("rule") == warning.number("rule")
                && problem.text("axis") == warning.text("axis"))
                problem.where = warning.where;
    }
    std::move(problems.begin(), problems.end(), std::back_inserter(all));
    return all;
}

} // namespace shardscope::cli
