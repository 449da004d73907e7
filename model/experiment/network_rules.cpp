// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/network_rules.h"

#include <algorithm>
#include <array>
#include <utility>

#include "experiment/edits.h"
#include "experiment/rule_edits.h"

namespace shardscope {

namespace {

struct DefaultSet {
    std::string_view id;
    AxisNames names;
};
constexpr std::array defaultSets{ DefaultSet{ "t5x-a2p2", AxisNames::T5x }, DefaultSet{ "t5x-moe", AxisNames::T5x },
    DefaultSet{ currentMaxTextRules, AxisNames::MaxText },
    DefaultSet{ "maxtext-base-2025-06", AxisNames::MaxText2025 } };

} // namespace

AxisNames axisNamesOf(const LogicalRules& rules, Dialect dialect)
{
    if (!isMaxText(dialect))
        return AxisNames::T5x;
    const bool isNew = std::any_of(rules.list.begin(), rules.list.end(), [](const LogicalRule& rule) {
        return rule.name.name == "embed_vocab" || rule.name.name == "embed_moe" || rule.name.name == "mlp_moe";
    });
    return isNew ? AxisNames::MaxText : AxisNames::MaxText2025;
}

const PublishedRules* defaultRules(std::span<const MeshAxis> mesh, std::optional<AxisNames> names)
{
    for (const DefaultSet& each : defaultSets) {
        const PublishedRules* const set = findPublishedRules(each.id);
        if (!set || (names && *names != each.names))
            continue;
        const std::vector<std::string>& axes = set->meshAxes;
        if (std::all_of(mesh.begin(), mesh.end(),
                [&](const MeshAxis& axis) { return std::find(axes.begin(), axes.end(), axis.name) != axes.end(); }))
            return set;
    }
    return nullptr;
}

RulesSetting boundRules(const PublishedRules& set)
{
    RulesSetting rules;
    rules.dialect = set.dialect;
    rules.rules = set.rules;
    return rules;
}

Result<Experiment> networkExperiment(const TransformerSettings& settings, std::string title, MeshSetting mesh,
    RulesSetting rules, std::optional<AxisNames> names, const PublishedRules* published)
{
    Experiment experiment;
    experiment.title = std::move(title);
    experiment.mesh = std::move(mesh);
    if (published && isMaxText(published->dialect) && experiment.mesh.deviceOrder.empty())
        experiment.mesh.axes = withDeclaredAxes(experiment.mesh.axes, published->meshAxes);
    experiment = withHardwareFollowing(std::move(experiment), HardwareSetting());
    TransformerModel model{ { settings, {} } };
    model.settings.model.axisNames = names.value_or(axisNamesOf(rules.rules, rules.dialect));
    experiment.rules = std::move(rules);
    experiment.model = std::move(model);
    return published ? withMissingAxes(experiment) : Result<Experiment>(std::move(experiment));
}

} // namespace shardscope
