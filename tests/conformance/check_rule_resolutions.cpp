// SPDX-License-Identifier: GPL-3.0-or-later
// rules: rule sets of real projects (`cases`, the input) and what they resolve to (`resolutions`).
#include <algorithm>

#include "conformance/forms.h"
#include "rules/published_rules.h"

namespace shardscope::conformance {

namespace {

/// The form of these files: always a list of axes, null for a dimension that stays whole.
Json listsJson(const PartitionSpec& spec)
{
    Json json = Json::array();
    for (const SpecEntry& entry : spec.entries)
        json.push_back(entry.axes.empty() ? Json(nullptr) : Json(entry.axes));
    return json;
}

} // namespace

CaseResult checkRuleResolutions(const Json& oneCase, const Json& file)
{
    if (!oneCase.contains("rule_set"))
        return CaseResult::unsupported("a case that is no resolution");
    const Json& sets = file.at("cases");
    const auto set = std::find_if(
        sets.begin(), sets.end(), [&](const Json& each) { return each.at("id") == oneCase.at("rule_set"); });
    if (set == sets.end())
        return CaseResult::failed("no rule set " + oneCase.at("rule_set").dump());
    const std::optional<LogicalNames> names = toNames(oneCase.at("logical_axes"));
    const Result<Resolution> resolution =
        resolve(names.value_or(LogicalNames()), toRules(set->at("rules")), FlaxVersion::Current);
    if (!resolution)
        return compareMembers(oneCase, { { "error", errorLike(oneCase.value("error", Json()), resolution.error()) } });
    // The set that comes with the product must say the same.
    if (const PublishedRules* published = findPublishedRules(oneCase.at("rule_set").get<std::string>()))
        if (const Result<Resolution> same =
                resolve(names.value_or(LogicalNames()), published->rules, FlaxVersion::Current);
            !same || listsJson(same->spec()) != listsJson(resolution->spec()))
            return CaseResult::failed("the published rules resolve differently");
    return compareMembers(oneCase, { { "expected_spec", listsJson(resolution->spec()) } });
}

} // namespace shardscope::conformance
