// SPDX-License-Identifier: GPL-3.0-or-later
#include "rules/name_to_name.h"

#include <algorithm>

#include "base/codes.h"

namespace shardscope {

namespace {

bool isNamed(const LogicalName& name)
{
    return name.kind == LogicalName::Kind::Name;
}

/// Whether Penzai can make a named array of these dimensions.
Result<void> checkNames(const LogicalNames& names)
{
    std::string all;
    for (auto name = names.begin(); name != names.end(); ++name) {
        if (isNamed(*name) && std::find(names.begin(), name, *name) != name)
            return fail(Code::DuplicateDimension, { { "dims", std::vector<std::string>{ name->name } } });
        all += (all.empty() ? "" : ", ") + (isNamed(*name) ? name->name : std::string("None"));
    }
    if (!names.empty() && std::none_of(names.begin(), names.end(), isNamed))
        return fail(Code::NonNamedLeaf, { { "leaf", "(" + all + ")" } });
    return {};
}

/// By dimension: the entry of the spec that its mesh axes become. Dimensions without names that all come first are
/// Penzai's positional ones, which its spec does not count.
std::vector<std::size_t> entriesOf(const LogicalNames& names)
{
    const auto first = std::find_if(names.begin(), names.end(), isNamed);
    const bool positionalFirst = std::all_of(first, names.end(), isNamed);
    const std::size_t shift = positionalFirst ? static_cast<std::size_t>(first - names.begin()) : 0;
    std::vector<std::size_t> entries;
    for (std::size_t d = 0; d < names.size(); ++d)
        entries.push_back(d < shift ? d : d - shift);
    return entries;
}

/// An axis twice is named once, in the order of the spec.
Result<void> checkAxes(const Resolution& resolution)
{
    std::vector<std::string> seen, repeated;
    for (const ResolvedEntry& entry : resolution.entries)
        for (const std::string& axis : entry.entry.axes) {
            const bool known = std::find(seen.begin(), seen.end(), axis) != seen.end();
            std::vector<std::string>& list = known ? repeated : seen;
            if (std::find(list.begin(), list.end(), axis) == list.end())
                list.push_back(axis);
        }
    if (!repeated.empty())
        return fail(Code::AxisUsedTwice, { { "axes", std::move(repeated) } });
    return {};
}

} // namespace

Result<Resolution> resolveMapping(const LogicalNames& names, const LogicalRules& rules)
{
    SHARDSCOPE_CHECK(checkNames(names));
    const std::vector<std::size_t> entryOf = entriesOf(names);
    Resolution resolution;
    resolution.entries.resize(names.size());
    for (const LogicalName& name : names)
        resolution.dims.push_back({ isNamed(name) ? DimensionOutcome::NoRule : DimensionOutcome::Unnamed, -1 });
    std::vector<int> ruleOf(names.size(), -1); // by dimension of the name
    for (std::size_t i = 0; i < rules.list.size(); ++i) {
        const LogicalRule& rule = rules.list[i];
        if (rule.arity != 2)
            return fail(Code::RuleArity, { { "rule", i }, { "length", rule.arity } });
        RuleTrace& trace = resolution.rules.emplace_back();
        trace.rule = i;
        const auto named = isNamed(rule.name) ? std::find(names.begin(), names.end(), rule.name) : names.end();
        if (named == names.end())
            continue;
        if (rule.nested)
            return fail(Code::NestedTuple, { { "rule", i + 1 } });
        const auto dimension = static_cast<std::size_t>(named - names.begin());
        const std::size_t at = entryOf[dimension];
        trace.dimension = static_cast<int>(at);
        if (const int before = ruleOf[dimension]; before >= 0) {
            if (rules.list[static_cast<std::size_t>(before)].target.axes != rule.target.axes)
                return fail(Code::RuleConflict, { { "alias", rule.name.name }, { "rule1", before }, { "rule2", i } });
            trace.verdict = Verdict::DimensionSet;
            trace.byDimension = trace.dimension;
            trace.byRule = before;
            continue;
        }
        ruleOf[dimension] = static_cast<int>(i);
        trace.verdict = Verdict::Applied;
        resolution.entries[at] = { true, rule.target, false };
        const bool full = rule.target.axes.empty();
        resolution.dims[at] = { full ? DimensionOutcome::SetToNullByRule : DimensionOutcome::SetByRule,
            static_cast<int>(i) };
    }
    SHARDSCOPE_CHECK(checkAxes(resolution));
    return resolution;
}

Result<Resolution> resolveRules(const LogicalNames& names, const LogicalRules& rules, FlaxVersion version)
{
    return rules.isSequence ? resolve(names, rules, version) : resolveMapping(names, rules);
}

Result<ConstraintAction> constraintOf(
    const LogicalNames& names, const LogicalRules& rules, RulesFallback fallback, FlaxVersion version)
{
    if (rules.isSequence)
        return logicalConstraint(names, rules, fallback, version);
    SHARDSCOPE_TRY(resolution, resolveMapping(names, rules));
    ConstraintAction action;
    action.constrain = true;
    action.spec = canonical(resolution->spec());
    action.resolution = std::move(*resolution);
    return action;
}

} // namespace shardscope
