// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/own_spec.h"

#include "analysis/parameter_tree.h"
#include "experiment/rule_lists.h"
#include "networks/chosen_parts.h"
#include "rules/name_to_name.h"

namespace shardscope {

const OwnSpec* OwnSpecs::of(const TensorRow& row) const
{
    if (!m_snapshot)
        return nullptr;
    auto known = m_known.find(row.value);
    if (known == m_known.end())
        known = m_known.emplace(row.value, made(row)).first;
    return known->second ? &*known->second : nullptr;
}

std::optional<OwnSpec> OwnSpecs::made(const TensorRow& row) const
{
    const TransformerSettings* network = transformerOf(*m_snapshot);
    if (!network || row.role != Role::Parameter)
        return std::nullopt;
    const ChosenSharding* chosen = chosenFor(network->parameterSpecs, row.path);
    if (!chosen)
        return std::nullopt;
    if (m_axes.empty())
        for (TransformerParameter& parameter : parametersOf(*network))
            m_axes.emplace(std::move(parameter.path), std::move(parameter.axes));
    OwnSpec own;
    own.at = chosen->at;
    const std::string path(networkPartPath(row.path));
    const auto axes = m_axes.find(path);
    if (axes == m_axes.end())
        return own;
    const RulesSetting& setting = m_snapshot->experiment->rules;
    const LogicalRules rules = readableRules(setting, listFor(setting, path));
    const Result<Resolution> resolution = resolveRules(logicalNames(*network, axes->second), rules, setting.version);
    if (!resolution)
        return own;
    own.byRules = resolution->spec();
    for (const DimensionTrace& dim : resolution->dims)
        if (dim.outcome == DimensionOutcome::SetByRule && dim.rule >= 0)
            own.rules.push_back(rules.list[static_cast<std::size_t>(dim.rule)]);
    return own;
}

} // namespace shardscope
