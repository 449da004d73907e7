// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/rule_edits.h"

#include <algorithm>
#include <optional>

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
        SHARDSCOPE_CHECK(checkName("rule", rule.name.name));
    for (auto axis = rule.target.axes.begin(); axis != rule.target.axes.end(); ++axis) {
        SHARDSCOPE_CHECK(checkName("rule", *axis));
        if (std::find(rule.target.axes.begin(), axis, *axis) != axis)
            return fail(Code::AxisUsedTwice, { { "axes", std::vector<std::string>{ *axis } }, { "rule", number + 1 } });
    }
    return {};
}

std::vector<LogicalRule>& mutableRules(RulesSetting& rules, RuleList list)
{
    return list.isOuter() ? rules.rules.list : rules.inner[static_cast<std::size_t>(list.inner)].rules.list;
}

Result<void> checkList(const RulesSetting& rules, RuleList list)
{
    if (hasList(rules, list))
        return {};
    return checkIndex("inner rules", static_cast<std::size_t>(list.inner), rules.inner.size());
}

Result<void> checkPlace(const RulesSetting& rules, RuleList list, std::size_t rule)
{
    SHARDSCOPE_CHECK(checkList(rules, list));
    return checkIndex("rule", rule, rulesIn(rules, list).size());
}

template <class Change>
Result<Experiment> withRule(const Experiment& before, RuleList list, std::size_t rule, Change change)
{
    SHARDSCOPE_CHECK(checkPlace(before.rules, list, rule));
    Experiment after = before;
    change(mutableRules(after.rules, list), rule);
    return after;
}

/// Changes a JSON pointer for the removal of a list; true if it pointed into that list.
bool isGoneWith(RuleList removed, std::string& pointer)
{
    const auto place = rulePlaceOf(pointer);
    if (!place || place->list.inner < removed.inner)
        return false;
    if (place->list == removed)
        return true;
    const std::string old = rulePointer({ place->list, -1 });
    pointer = rulePointer({ { place->list.inner - 1 }, -1 }) + pointer.substr(old.size());
    return false;
}

template <class T>
Experiment withField(Experiment experiment, T RulesSetting::*field, T value)
{
    experiment.rules.*field = value;
    return experiment;
}

} // namespace

Result<Experiment> withRuleMoved(const Experiment& before, RuleList list, std::size_t from, std::size_t to)
{
    SHARDSCOPE_CHECK(checkPlace(before.rules, list, to));
    return withRule(before, list, from,
        [to](std::vector<LogicalRule>& rules, std::size_t i) { edit_support::moveElement(rules, i, to); });
}

Result<Experiment> withRuleReplaced(const Experiment& before, RuleList list, std::size_t rule, LogicalRule replacement)
{
    SHARDSCOPE_CHECK(checkRule(replacement, rule));
    return withRule(
        before, list, rule, [&](std::vector<LogicalRule>& rules, std::size_t i) { rules[i] = std::move(replacement); });
}

Result<Experiment> withRuleInserted(const Experiment& before, RuleList list, std::size_t position, LogicalRule rule)
{
    SHARDSCOPE_CHECK(checkList(before.rules, list));
    SHARDSCOPE_CHECK(checkIndex("rule", position, rulesIn(before.rules, list).size() + 1));
    SHARDSCOPE_CHECK(checkRule(rule, position));
    Experiment after = before;
    std::vector<LogicalRule>& rules = mutableRules(after.rules, list);
    rules.insert(rules.begin() + static_cast<std::ptrdiff_t>(position), std::move(rule));
    return after;
}

Result<Experiment> withRuleRemoved(const Experiment& before, RuleList list, std::size_t rule)
{
    return withRule(before, list, rule, [](std::vector<LogicalRule>& rules, std::size_t i) {
        rules.erase(rules.begin() + static_cast<std::ptrdiff_t>(i));
    });
}

Result<Experiment> withAxisAppendedToRule(const Experiment& before, RuleList list, std::size_t rule, std::string axis)
{
    SHARDSCOPE_CHECK(checkPlace(before.rules, list, rule));
    LogicalRule changed = rulesIn(before.rules, list)[rule];
    std::vector<std::string> axes = std::move(changed.target.axes);
    axes.push_back(std::move(axis));
    changed.target = axes.size() == 1 ? SpecEntry::axis(std::move(axes.front())) : SpecEntry::tuple(std::move(axes));
    return withRuleReplaced(before, list, rule, std::move(changed));
}

Result<Experiment> withNameMapped(const Experiment& before, RuleList list, const std::string& name, SpecEntry target)
{
    SHARDSCOPE_CHECK(checkList(before.rules, list));
    const std::vector<LogicalRule>& rules = rulesIn(before.rules, list);
    const LogicalName wanted = LogicalName::of(name);
    const auto found =
        std::find_if(rules.begin(), rules.end(), [&](const LogicalRule& rule) { return rule.name == wanted; });
    if (found == rules.end())
        return withRuleInserted(before, list, rules.size(), { wanted, std::move(target) });
    return withRuleReplaced(
        before, list, static_cast<std::size_t>(found - rules.begin()), { wanted, std::move(target) });
}

Result<Experiment> withRulesOfList(const Experiment& before, RuleList list, std::vector<LogicalRule> rules)
{
    SHARDSCOPE_CHECK(checkList(before.rules, list));
    for (std::size_t i = 0; i < rules.size(); ++i)
        SHARDSCOPE_CHECK(checkRule(rules[i], i));
    Experiment after = before;
    mutableRules(after.rules, list) = std::move(rules);
    return after;
}

Result<void> checkWithin(const RulesSetting& rules, const std::string& within, RuleList except)
{
    const auto wrong = [](std::string found, std::string expected) -> Result<void> {
        return fail(Code::WrongType,
            { { "key", "within" }, { "expected", std::move(expected) }, { "found", std::move(found) } });
    };
    const std::string wanted = "the path of a part of the model, as decoder/layer_1";
    if (within.empty())
        return wrong("empty", wanted);
    if (!isValidName(within))
        return wrong("a text with a control character", wanted);
    if (within.front() == '/' || within.back() == '/')
        return wrong(
            within + (within.back() == '/' ? ", which ends with a slash" : ", which begins with a slash"), wanted);
    for (std::size_t i = 0; i < rules.inner.size(); ++i)
        if (rules.inner[i].within == within && static_cast<std::int32_t>(i) != except.inner)
            return wrong(within + ", for which there are rules already", "another part of the model");
    return {};
}

Result<Experiment> withInnerRules(const Experiment& before, std::string within, std::vector<LogicalRule> rules)
{
    if (before.rules.inner.size() >= maxInnerRules)
        return fail(Code::TooLarge, { { "what", "parts with rules" }, { "limit", maxInnerRules } });
    SHARDSCOPE_CHECK(checkWithin(before.rules, within));
    Experiment after = before;
    after.rules.inner.push_back({ std::move(within), { {}, before.rules.rules.isSequence } });
    const RuleList list{ static_cast<std::int32_t>(after.rules.inner.size()) - 1 };
    return rules.empty() ? Result<Experiment>(std::move(after)) : withRulesOfList(after, list, std::move(rules));
}

Result<Experiment> withInnerRulesRenamed(const Experiment& before, RuleList list, std::string within)
{
    SHARDSCOPE_CHECK(checkIndex("inner rules", static_cast<std::size_t>(list.inner), before.rules.inner.size()));
    SHARDSCOPE_CHECK(checkWithin(before.rules, within, list));
    Experiment after = before;
    after.rules.inner[static_cast<std::size_t>(list.inner)].within = std::move(within);
    return after;
}

Result<Experiment> withoutInnerRules(const Experiment& before, RuleList list)
{
    SHARDSCOPE_CHECK(checkIndex("inner rules", static_cast<std::size_t>(list.inner), before.rules.inner.size()));
    Experiment after = before;
    after.rules.inner.erase(after.rules.inner.begin() + list.inner);
    edit_support::moveAdditions(after, [&](std::string& pointer) { return isGoneWith(list, pointer); });
    return after;
}

std::vector<std::string> missingAxes(const Experiment& experiment)
{
    std::vector<std::string> missing;
    const std::vector<MeshAxis>& axes = experiment.mesh.axes;
    const auto look = [&](const LogicalRules& rules) {
        for (const LogicalRule& rule : rules.list)
            for (const std::string& name : rule.target.axes)
                if (std::none_of(axes.begin(), axes.end(), [&](const MeshAxis& axis) { return axis.name == name; })
                    && std::find(missing.begin(), missing.end(), name) == missing.end())
                    missing.push_back(name);
    };
    look(experiment.rules.rules);
    for (const InnerRules& inner : experiment.rules.inner)
        look(inner.rules);
    return missing;
}

Result<Experiment> withMissingAxes(const Experiment& before)
{
    Experiment after = before;
    for (const std::string& name : missingAxes(before)) {
        SHARDSCOPE_TRY(more, withAxisAdded(after, name, 1));
        after = std::move(*more);
    }
    return after;
}

Result<Experiment> withNameMapped(const Experiment& before, const std::string& name, SpecEntry target)
{
    return withNameMapped(before, RuleList(), name, std::move(target));
}

Result<Experiment> withDialect(const Experiment& before, Dialect dialect)
{
    return withField(before, &RulesSetting::dialect, dialect);
}

Result<Experiment> withRulesVersion(const Experiment& before, FlaxVersion version)
{
    return withField(before, &RulesSetting::version, version);
}

Result<Experiment> withFallback(const Experiment& before, RulesFallback fallback)
{
    return withField(before, &RulesSetting::fallback, fallback);
}

Result<Experiment> withRulesBound(const Experiment& before, bool bound)
{
    return withField(before, &RulesSetting::boundWhenTraced, bound);
}

Result<Experiment> withConstraintMesh(const Experiment& before, ConstraintMesh mesh)
{
    return withField(before, &RulesSetting::constraintMesh, mesh);
}

} // namespace shardscope
