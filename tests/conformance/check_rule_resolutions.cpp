// SPDX-License-Identifier: GPL-3.0-or-later
// rules: rule sets of real projects (`cases`, the input) and what they resolve to (`resolutions`): for the names alone,
// and for the parameters of the product's networks that have these names.
#include <algorithm>
#include <map>

#include "conformance/forms.h"
#include "conformance/network_parameters.h"
#include "rules/published_rules.h"

namespace shardscope::conformance {

namespace {

/// The axes of the set's project, and those that its rules name beside them, each of size 2. The parameters that are
/// resolved on it need not divide.
Result<Mesh> meshOf(const Json& set, const LogicalRules& rules)
{
    std::vector<MeshAxis> axes;
    const auto add = [&](const std::string& name) {
        if (std::none_of(axes.begin(), axes.end(), [&](const MeshAxis& axis) { return axis.name == name; }))
            axes.push_back({ name, 2 });
    };
    for (const Json& axis : set.at("mesh_axes"))
        add(axis);
    for (const LogicalRule& rule : rules.list)
        for (const std::string& axis : rule.target.axes)
            add(axis);
    return Mesh::create(std::move(axes));
}

/// Many cases have the same set, whose networks are resolved once.
Result<NetworkArrays> networksUnder(const Json& set)
{
    static std::map<std::string, NetworkArrays> known;
    const std::string key = set.dump();
    if (const auto found = known.find(key); found != known.end())
        return found->second;
    const LogicalRules rules = toRules(set.at("rules"));
    SHARDSCOPE_TRY(mesh, meshOf(set, rules));
    return known.emplace(key, NetworkArrays(rules, *mesh)).first->second;
}

/// Every parameter with these names has the spec that is expected.
CaseResult compareParameters(const Json& oneCase, const Json& set, const LogicalNames& names)
{
    const Result<NetworkArrays> networks = networksUnder(set);
    if (!networks)
        return CaseResult::failed("no mesh: " + std::string(networks.error().kind()));
    const NetworkArrays::Comparison met = networks->compare(names, oneCase.at("expected_spec"));
    if (!met.difference.empty())
        return CaseResult::failed(met.difference);
    CaseResult result;
    result.specs = 1;
    result.specsOfParameters = met.parameters > 0 ? 1 : 0;
    return result;
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
            !same || listsJson(same->spec(), 0) != listsJson(resolution->spec(), 0))
            return CaseResult::failed("the published rules resolve differently");
    if (CaseResult alone = compareMembers(oneCase, { { "expected_spec", listsJson(resolution->spec(), 0) } });
        alone.status == CaseResult::Status::Failed)
        return alone;
    return compareParameters(oneCase, *set, names.value_or(LogicalNames()));
}

} // namespace shardscope::conformance
