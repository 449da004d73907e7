// SPDX-License-Identifier: GPL-3.0-or-later
// How often each logical rule is used, and what became of those that are not.
// Declared in problems.h.
#include <algorithm>

#include "analysis/problem_collector.h"
#include "analysis/problems.h"

namespace shardscope {

namespace {

void countIn(RuleCensus::List& list, const std::vector<LogicalRule>& rules, const ResolvedAnnotation& annotation,
    const LogicalAxes& logical)
{
    ++list.arrays;
    const bool active = annotation.spec.has_value();
    if (annotation.resolution)
        for (const RuleTrace& trace : annotation.resolution->rules) {
            if (trace.verdict == Verdict::Applied)
                ++(active ? list.rules[trace.rule].uses : list.rules[trace.rule].inactiveUses);
            else if (trace.verdict == Verdict::AxisBusy)
                list.misses[trace.rule].busy = true;
            else if (trace.verdict == Verdict::DimensionSet && trace.byRule >= 0)
                list.misses[trace.rule].shadowedBy = trace.byRule;
        }
    else if (annotation.problem && annotation.problem->severity() == Severity::Error)
        for (std::size_t i = 0; i < rules.size(); ++i)
            if (std::find(logical.names.begin(), logical.names.end(), rules[i].name) != logical.names.end())
                list.misses[i].undecided = true;
    for (const LogicalName& name : logical.names) {
        if (name.kind == LogicalName::Kind::Name)
            list.names.insert(name.name);
        if (name.kind != LogicalName::Kind::Name
            || std::any_of(rules.begin(), rules.end(), [&](const LogicalRule& rule) { return rule.name == name; }))
            continue;
        const auto known = std::find_if(list.namesWithoutRule.begin(), list.namesWithoutRule.end(),
            [&](const auto& entry) { return entry.first == name.name; });
        if (known == list.namesWithoutRule.end())
            list.namesWithoutRule.emplace_back(name.name, 1);
        else
            ++known->second;
    }
}

} // namespace

RuleCensus countRules(const Program& program, const Annotations& annotations, const RulesSetting& rules)
{
    RuleCensus census;
    census.inner.resize(rules.inner.size());
    const auto listOf = [&](RuleList list) -> RuleCensus::List& {
        return list.isOuter() ? census.outer : census.inner[static_cast<std::size_t>(list.inner)];
    };
    for (std::int32_t i = -1; i < static_cast<std::int32_t>(rules.inner.size()); ++i) {
        RuleCensus::List& list = listOf({ i });
        list.rules.resize(rulesIn(rules, { i }).size());
        list.misses.resize(list.rules.size());
    }
    for (const ResolvedAnnotation* annotation : declaredAnnotations(program, annotations))
        if (const auto* logical = std::get_if<LogicalAxes>(&annotation->declared)) {
            const RuleList list{ annotation->innerRules };
            countIn(listOf(list), rulesIn(rules, list), *annotation, *logical);
        }
    return census;
}

} // namespace shardscope
