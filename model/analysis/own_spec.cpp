// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/own_spec.h"

#include "analysis/parameter_tree.h"
#include "experiment/rule_lists.h"
#include "networks/chosen_parts.h"
#include "rules/name_to_name.h"

namespace shardscope {

std::optional<OwnSpec> ownSpecOf(const Snapshot& snapshot, const TensorRow& row)
{
    const TransformerSettings* network = transformerOf(snapshot);
    if (!network || row.role != Role::Parameter)
        return std::nullopt;
    const ChosenSharding* chosen = chosenFor(network->parameterSpecs, row.path);
    if (!chosen)
        return std::nullopt;
    OwnSpec own;
    own.at = chosen->at;
    const std::string_view path = networkPartPath(row.path);
    for (const TransformerParameter& parameter : parametersOf(*network)) {
        if (parameter.path != path)
            continue;
        const RulesSetting& setting = snapshot.experiment->rules;
        const LogicalRules rules = readableRules(setting, listFor(setting, path));
        const Result<Resolution> resolution =
            resolveRules(logicalNames(*network, parameter.axes), rules, setting.version);
        if (!resolution)
            break;
        own.byRules = resolution->spec();
        for (const DimensionTrace& dim : resolution->dims)
            if (dim.outcome == DimensionOutcome::SetByRule && dim.rule >= 0)
                own.rules.push_back(rules.list[static_cast<std::size_t>(dim.rule)]);
        break;
    }
    return own;
}

} // namespace shardscope
