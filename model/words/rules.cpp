// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in words.h.
#include "words/words.h"

#include <algorithm>

#include "base/codes.h"
#include "words/tr.h"
#include "words/trace_words.h"

namespace shardscope::words {

namespace {

QString logicalDimension(const LogicalNames& names, int dimension)
{
    const auto index = static_cast<std::size_t>(dimension);
    if (dimension < 0 || index >= names.size() || names[index].kind != LogicalName::Kind::Name)
        return Words::tr("dimension %1").arg(dimension);
    return fromStd(names[index].name);
}

QString listText(const std::vector<std::string>& names)
{
    return texts(names, fromStd).join(Words::tr(" and "));
}

bool isUnconstrained(const LogicalRule& rule)
{
    return rule.target.kind == SpecEntry::Kind::Unconstrained;
}

} // namespace

Text verdictReason(const RuleTrace& trace, const LogicalRules& rules, const LogicalNames& names)
{
    const LogicalRule& rule = rules.list[trace.rule];
    const QString dimension = logicalDimension(names, trace.dimension);
    const auto strong = [](const QString& text) { return Span{ text, Span::Style::Strong, -1 }; };
    const auto plainText = [](const QString& text) { return Span{ text, Span::Style::Plain, -1 }; };
    const auto axis = [](const QString& text) { return Span{ text, Span::Style::Axis, -1 }; };
    switch (trace.verdict) {
    case Verdict::Applied:
        if (isUnconstrained(rule))
            return { strong(dimension), plainText(Words::tr(" is left to propagation")) };
        if (rule.target.axes.empty())
            return { strong(dimension), plainText(Words::tr(" stays replicated")) };
        return { strong(dimension), plainText(Words::tr(" is sharded along ")), axis(listText(rule.target.axes)) };
    case Verdict::NoSuchDimension:
        return { plainText(Words::tr("no dimension is called ")), strong(fromStd(rule.name.name)) };
    case Verdict::AxisBusy: {
        if (isUnconstrained(rule))
            return { strong(logicalDimension(names, trace.byDimension)),
                plainText(Words::tr(" is left to propagation already (rule %1), and only one dimension can be")
                              .arg(trace.byRule + 1)) };
        Text text{ axis(fromStd(trace.busyAxis)), plainText(Words::tr(" already shards ")),
            strong(logicalDimension(names, trace.byDimension)),
            plainText(Words::tr(" (rule %1)").arg(trace.byRule + 1)) };
        if (!trace.lostAxes.empty()) {
            text.push_back(plainText(Words::tr("; lost with it: ")));
            text.push_back(axis(texts(trace.lostAxes, fromStd).join(QStringLiteral(", "))));
        }
        return text;
    }
    case Verdict::DimensionSet: {
        if (trace.byRule < 0) {
            const auto index = static_cast<std::size_t>(trace.dimension);
            if (index < names.size() && names[index].kind == LogicalName::Kind::Unconstrained)
                return { strong(dimension), plainText(Words::tr(" is left to propagation before any rule is read")) };
            return { strong(dimension), plainText(Words::tr(" has no name, and this version leaves it alone")) };
        }
        const LogicalRule& by = rules.list[static_cast<std::size_t>(trace.byRule)];
        if (isUnconstrained(by))
            return { strong(dimension),
                plainText(Words::tr(" is left to propagation already (rule %1)").arg(trace.byRule + 1)) };
        return { strong(dimension), plainText(Words::tr(" already has ")), axis(listText(by.target.axes)),
            plainText(Words::tr(" (rule %1)").arg(trace.byRule + 1)) };
    }
    case Verdict::BlockedByNull:
        return { plainText(Words::tr("rule %1 already keeps ").arg(trace.byRule + 1)), strong(dimension),
            plainText(Words::tr(" replicated")) };
    }
    return {};
}

Text verdictReason(
    const RuleTrace& trace, const LogicalRules& rules, const LogicalNames& names, std::span<const std::string> meshAxes)
{
    if (trace.verdict != Verdict::Applied)
        return verdictReason(trace, rules, names);
    std::vector<std::string> present, absent;
    for (const std::string& axis : rules.list[trace.rule].target.axes)
        (std::find(meshAxes.begin(), meshAxes.end(), axis) == meshAxes.end() ? absent : present).push_back(axis);
    if (absent.empty())
        return verdictReason(trace, rules, names);
    const auto say = [](const QString& text) { return Span{ text, Span::Style::Plain, -1 }; };
    Text text{ { logicalDimension(names, trace.dimension), Span::Style::Strong, -1 } };
    if (present.empty()) {
        text.push_back(say(Words::tr(" stays replicated: ")));
    } else {
        text.push_back(say(Words::tr(" is sharded along ")));
        text.push_back({ listText(present), Span::Style::Axis, -1 });
        text.push_back(say(QStringLiteral("; ")));
    }
    text.push_back(say(absent.size() == 1 ? Words::tr("the mesh has no axis ") : Words::tr("the mesh has no axes ")));
    text.push_back({ listText(absent), Span::Style::Strong, -1 });
    const QString code = fromStd(Diagnostic{ Code::RuleUnknownAxis, {}, {} }.id());
    text.push_back(say(absent.size() == 1 ? Words::tr(", so that it shards nothing (%1)").arg(code)
                                          : Words::tr(", so that they shard nothing (%1)").arg(code)));
    return text;
}

Text leftOver(const TraceSubject& subject, bool full)
{
    using Style = Span::Style;
    const std::vector<int> axes = subject.leftover();
    if (axes.empty())
        return { { full ? Words::tr("Every mesh axis is used: no copies.") : Words::tr("no copies"), Style::Plain,
            -1 } };
    Text sentence;
    if (full)
        sentence.push_back({ Words::tr("Left over, so copied along: "), Style::Plain, -1 });
    for (const int axis : axes)
        sentence.push_back({ (axis == axes.front() ? QString() : QStringLiteral(", "))
                + fromStd(subject.meshAxes[static_cast<std::size_t>(axis)]),
            Style::Axis, axis });
    if (!full)
        sentence.push_back({ Words::tr(" left"), Style::Plain, -1 });
    return sentence;
}

QString replicatedBecause(const TraceSubject& subject, int dimension)
{
    const DimensionTrace& trace = subject.resolution.dims[static_cast<std::size_t>(dimension)];
    switch (trace.outcome) {
    case DimensionOutcome::SetToNullByRule:
        return Words::tr("rule %1").arg(trace.rule + 1);
    case DimensionOutcome::AllRulesSkipped:
        return Words::tr("all skipped");
    case DimensionOutcome::Unnamed:
        return Words::tr("unnamed");
    case DimensionOutcome::Unconstrained:
        return Words::tr("unconstrained");
    default:
        return Words::tr("no rule");
    }
}

} // namespace shardscope::words
