// SPDX-License-Identifier: GPL-3.0-or-later
#include "propagation/strategy.h"

#include <algorithm>

#include "propagation/pass_pipelines.h"
#include "propagation/passes.h"
#include "propagation/sharding_groups.h"

namespace shardscope {

const std::vector<std::string>& strategyNames()
{
    static const std::vector<std::string> names{ "basic", "aggressive", "op-priority", "user-priority", "full" };
    return names;
}

const std::string& name(StrategyChoice strategy)
{
    return strategyNames()[static_cast<std::size_t>(strategy)];
}

std::optional<StrategyChoice> strategyNamed(std::string_view name)
{
    const std::vector<std::string>& names = strategyNames();
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
        return std::nullopt;
    return static_cast<StrategyChoice>(found - names.begin());
}

bool knowsUserPriorities(StrategyChoice strategy)
{
    return strategy == StrategyChoice::UserPriority || strategy == StrategyChoice::Full;
}

Strategy engineStrategy(const PropagationSetting& setting)
{
    switch (setting.strategy) {
    case StrategyChoice::Basic:
        return Strategy::Basic;
    case StrategyChoice::Aggressive:
        return Strategy::Aggressive;
    case StrategyChoice::OperationPriority:
        return Strategy::OperationPriority;
    case StrategyChoice::UserPriority:
    case StrategyChoice::Full:
        break;
    }
    return setting.userPriorities ? Strategy::Full : Strategy::OperationPriority;
}

PropagationOptions engineOptions(const PropagationSetting& setting)
{
    PropagationOptions options;
    options.conservative = setting.conservative;
    return options;
}

Result<Program> prepared(Program program, const PropagationSetting& setting)
{
    // A program that was not read from a text has neither calls nor groups, and keeps the constants that its users see.
    const auto isBuilt = [](const Function& function) { return function.source == 0; };
    if (std::all_of(program.functions.begin(), program.functions.end(), isBuilt))
        return setting.strategy == StrategyChoice::Full ? passes::applyShardingConstraints(std::move(program))
                                                        : std::move(program);
    Result<Program> ready = setting.strategy == StrategyChoice::Full ? passes::prepareInPlace(std::move(program))
                                                                     : passes::liftInlinedMeshes(std::move(program));
    if (ready && !shardingGroups(*ready).empty())
        *ready = std::move(resolveShardingGroups(*ready).program);
    return ready;
}

} // namespace shardscope
