// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/edits.h"

#include <algorithm>

#include "base/codes.h"
#include "experiment/edit_support.h"

namespace shardscope {

namespace {

using edit_support::checkIndex;
using edit_support::checkName;

/// Names inside a rule are valid and no axis occurs twice in its target.
Result<void> checkRule(const LogicalRule& rule, std::size_t number)
{
    if (rule.name.kind == LogicalName::Kind::Name)
        if (const auto valid = checkName("rule", rule.name.name); !valid)
            return valid;
    for (auto axis = rule.target.axes.begin(); axis != rule.target.axes.end(); ++axis) {
        if (const auto valid = checkName("rule", *axis); !valid)
            return valid;
        if (std::find(rule.target.axes.begin(), axis, *axis) != axis)
            return fail(Code::AxisUsedTwice, { { "axes", std::vector<std::string>{ *axis } }, { "rule", number + 1 } });
    }
    return {};
}

template <class Change>
Result<Experiment> withRule(const Experiment& before, std::size_t rule, Change change)
{
    if (const auto valid = checkIndex("rule", rule, before.rules.rules.list.size()); !valid)
        return tl::unexpected(valid.error());
    Experiment after = before;
    change(after.rules.rules.list, rule);
    return after;
}

} // namespace

Result<Experiment> withRuleMoved(const Experiment& before, std::size_t from, std::size_t to)
{
    if (const auto valid = checkIndex("rule", to, before.rules.rules.list.size()); !valid)
        return tl::unexpected(valid.error());
    return withRule(
        before, from, [to](std::vector<LogicalRule>& list, std::size_t i) { edit_support::moveElement(list, i, to); });
}

Result<Experiment> withRuleReplaced(const Experiment& before, std::size_t rule, LogicalRule replacement)
{
    if (const auto valid = checkRule(replacement, rule); !valid)
        return tl::unexpected(valid.error());
    return withRule(
        before, rule, [&](std::vector<LogicalRule>& list, std::size_t i) { list[i] = std::move(replacement); });
}

Result<Experiment> withRuleInserted(const Experiment& before, std::size_t position, LogicalRule rule)
{
    if (const auto valid = checkIndex("rule", position, before.rules.rules.list.size() + 1); !valid)
        return tl::unexpected(valid.error());
    if (const auto valid = checkRule(rule, position); !valid)
        return tl::unexpected(valid.error());
    Experiment after = before;
    std::vector<LogicalRule>& list = after.rules.rules.list;
    list.insert(list.begin() + static_cast<std::ptrdiff_t>(position), std::move(rule));
    return after;
}

Result<Experiment> withRuleRemoved(const Experiment& before, std::size_t rule)
{
    return withRule(before, rule, [](std::vector<LogicalRule>& list, std::size_t i) {
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
    });
}

Result<Experiment> withAxisAppendedToRule(const Experiment& before, std::size_t rule, std::string axis)
{
    if (const auto valid = checkIndex("rule", rule, before.rules.rules.list.size()); !valid)
        return tl::unexpected(valid.error());
    LogicalRule changed = before.rules.rules.list[rule];
    std::vector<std::string> axes = std::move(changed.target.axes);
    axes.push_back(std::move(axis));
    changed.target = axes.size() == 1 ? SpecEntry::axis(std::move(axes.front())) : SpecEntry::tuple(std::move(axes));
    return withRuleReplaced(before, rule, std::move(changed));
}

Result<Experiment> withNameMapped(const Experiment& before, const std::string& name, SpecEntry target)
{
    const std::vector<LogicalRule>& list = before.rules.rules.list;
    const LogicalName wanted = LogicalName::of(name);
    const auto found =
        std::find_if(list.begin(), list.end(), [&](const LogicalRule& rule) { return rule.name == wanted; });
    if (found == list.end())
        return withRuleInserted(before, list.size(), { wanted, std::move(target) });
    return withRuleReplaced(before, static_cast<std::size_t>(found - list.begin()), { wanted, std::move(target) });
}

Result<Experiment> withDialect(const Experiment& before, Dialect dialect)
{
    Experiment after = before;
    after.rules.dialect = dialect;
    return after;
}

Result<Experiment> withRulesVersion(const Experiment& before, FlaxVersion version)
{
    Experiment after = before;
    after.rules.version = version;
    return after;
}

Result<Experiment> withFallback(const Experiment& before, RulesFallback fallback)
{
    Experiment after = before;
    after.rules.fallback = fallback;
    return after;
}

Result<Experiment> withRulesBound(const Experiment& before, bool bound)
{
    Experiment after = before;
    after.rules.boundWhenTraced = bound;
    return after;
}

} // namespace shardscope
