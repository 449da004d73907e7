// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/rule_lists.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "experiment/model_settings.h"

namespace shardscope {

namespace {

constexpr std::int64_t rulesPerList = std::int64_t{ 1 } << 20;
constexpr std::string_view outerPointer = "/rules/list", innerPointer = "/rules/inner", rulesKey = "/rules";

/// The whole number at the beginning, which is taken away.
std::optional<std::int32_t> takeIndex(std::string_view& text)
{
    std::int32_t index = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
    if (error != std::errc() || index < 0)
        return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return index;
}

/// "/3" or "/3/0", of which the first number counts.
std::optional<std::int32_t> takeEntry(std::string_view& text)
{
    if (!text.starts_with('/'))
        return std::nullopt;
    text.remove_prefix(1);
    const auto index = takeIndex(text);
    return text.empty() || text.starts_with('/') ? index : std::nullopt;
}

} // namespace

bool hasList(const RulesSetting& rules, RuleList list)
{
    return list.isOuter() || static_cast<std::size_t>(list.inner) < rules.inner.size();
}

const std::vector<LogicalRule>& rulesIn(const RulesSetting& rules, RuleList list)
{
    if (list.isOuter() || !hasList(rules, list))
        return rules.rules.list;
    return rules.inner[static_cast<std::size_t>(list.inner)].rules.list;
}

LogicalRules readableRules(const RulesSetting& rules, RuleList list)
{
    return { rulesIn(rules, list), rules.rules.isSequence };
}

const std::string& withinOf(const RulesSetting& rules, RuleList list)
{
    static const std::string everywhere;
    if (list.isOuter() || !hasList(rules, list))
        return everywhere;
    return rules.inner[static_cast<std::size_t>(list.inner)].within;
}

bool isWithin(std::string_view path, std::string_view within)
{
    return path.starts_with(within) && (path.size() == within.size() || path[within.size()] == '/');
}

RuleList listFor(const RulesSetting& rules, std::string_view path)
{
    RuleList found;
    std::size_t longest = 0;
    for (std::size_t i = 0; i < rules.inner.size(); ++i) {
        const std::string& within = rules.inner[i].within;
        if (within.size() > longest && isWithin(path, within)) {
            longest = within.size();
            found.inner = static_cast<std::int32_t>(i);
        }
    }
    return found;
}

namespace {

/// "opt/mu/layers.0/W1" of "next(opt/mu/layers.0/W1)", and so of "grad(...)".
std::string_view arrayPath(std::string_view path)
{
    for (const std::string_view of : { "next(", "grad(" })
        if (path.starts_with(of) && path.ends_with(')'))
            path = path.substr(of.size(), path.size() - of.size() - 1);
    return path;
}

} // namespace

std::string_view networkPartPath(std::string_view path)
{
    path = arrayPath(path);
    constexpr std::string_view parameters = "params/", optimizer = "opt/";
    if (path.starts_with(parameters))
        return path.substr(parameters.size());
    if (path.starts_with(optimizer)) // "opt/mu/layers.0/W1", but not "opt/count"
        if (const std::size_t slash = path.find('/', optimizer.size()); slash != std::string_view::npos)
            return path.substr(slash + 1);
    return path;
}

namespace {

constexpr std::string_view optimizerPart = "opt";

/// The arrayPath() of what an optimizer keeps; empty for everything else.
std::string_view optimizerPath(std::string_view path)
{
    path = arrayPath(path);
    return isWithin(path, optimizerPart) ? path : std::string_view();
}

} // namespace

bool isInPart(const Experiment& experiment, std::string_view path, std::string_view part)
{
    return isWithin(partPath(experiment, path), part)
        || (isNetwork(experiment) && isWithin(part, optimizerPart) && isWithin(optimizerPath(path), part));
}

bool isForOptimizer(const Experiment& experiment, const RulesSetting& rules, RuleList list)
{
    return !list.isOuter() && isNetwork(experiment) && isWithin(withinOf(rules, list), optimizerPart);
}

RuleList listOfArray(const Experiment& experiment, const RulesSetting& rules, std::string_view path)
{
    if (isNetwork(experiment))
        if (const std::string_view kept = optimizerPath(path); !kept.empty())
            if (const RuleList own = listFor(rules, kept); !own.isOuter())
                return own;
    return listFor(rules, partPath(experiment, path));
}

std::string partPath(const Experiment& experiment, std::string_view path)
{
    return std::string(isNetwork(experiment) ? networkPartPath(path) : path);
}

std::vector<std::string> modelParts(const Experiment& experiment, const Program& program, std::size_t most)
{
    std::vector<std::string> parts;
    std::set<std::string> known;
    const auto add = [&](const Value& value) {
        const std::string path = partPath(experiment, *value.path);
        for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
            std::string part = path.substr(0, slash);
            if (parts.size() < most && !part.empty() && part.back() != '/' && known.insert(part).second)
                parts.push_back(std::move(part));
        }
    };
    std::set<std::string> kept; // "opt", "opt/mu"
    const Region& main = program.main();
    for (std::size_t i = 0; i < main.arguments.size() && i < program.argumentAnnotations.size(); ++i)
        if (const auto* logical = std::get_if<LogicalAxes>(&program.argumentAnnotations[i]);
            logical && !logical->names.empty()) {
            const Value& value = program.value(main.arguments[i]);
            add(value);
            const std::string_view path = isNetwork(experiment) ? optimizerPath(*value.path) : std::string_view();
            const std::size_t slash = path.find('/', std::min(path.size(), optimizerPart.size() + 1));
            if (slash != std::string_view::npos)
                kept.insert({ std::string(optimizerPart), std::string(path.substr(0, slash)) });
        }
    for (const std::string& part : kept)
        if (parts.size() < most)
            parts.push_back(part);
    return parts;
}

void setSequence(RulesSetting& rules, bool isSequence)
{
    rules.rules.isSequence = isSequence;
    for (InnerRules& inner : rules.inner)
        inner.rules.isSequence = isSequence;
}

std::int32_t ruleNumber(RulePlace place)
{
    return static_cast<std::int32_t>((place.list.inner + 1) * rulesPerList + place.rule);
}

RulePlace rulePlace(std::int64_t number)
{
    // The list itself stands one before its first rule.
    const std::int64_t list = (number + 1) / rulesPerList;
    return { { static_cast<std::int32_t>(list) - 1 }, static_cast<int>(number - list * rulesPerList) };
}

std::string rulePointer(RulePlace place)
{
    std::string pointer(outerPointer);
    if (!place.list.isOuter()) {
        pointer = std::string(innerPointer) + '/' + std::to_string(place.list.inner);
        if (place.rule >= 0)
            pointer += rulesKey;
    }
    return place.rule >= 0 ? pointer + '/' + std::to_string(place.rule) : pointer;
}

std::optional<RulePlace> rulePlaceOf(std::string_view pointer)
{
    RulePlace place;
    if (pointer.starts_with(outerPointer)) {
        pointer.remove_prefix(outerPointer.size());
        const auto rule = takeEntry(pointer);
        return rule ? std::optional(RulePlace{ {}, *rule }) : std::nullopt;
    }
    if (!pointer.starts_with(innerPointer))
        return std::nullopt;
    pointer.remove_prefix(innerPointer.size());
    const auto list = takeEntry(pointer);
    if (!list)
        return std::nullopt;
    place.list.inner = *list;
    if (!pointer.starts_with(rulesKey))
        return place;
    pointer.remove_prefix(rulesKey.size());
    place.rule = takeEntry(pointer).value_or(-1);
    return place;
}

} // namespace shardscope
