// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/compare_strategies.h"

namespace shardscope {

std::shared_ptr<const StrategyComparison> compareStrategies(
    SnapshotPtr first, const PropagationSetting& setting, AnalysisCache& cache, std::stop_token stop)
{
    auto experiment = std::make_shared<Experiment>(*first->experiment);
    experiment->propagation = setting;
    auto comparison = std::make_shared<StrategyComparison>();
    comparison->setting = setting;
    comparison->second = analyse(std::move(experiment), first->revision, cache, std::move(stop));
    if (!comparison->second)
        return nullptr;
    if (first->laidOut() && comparison->second->laidOut())
        comparison->differences = differences(
            *first->program, *first->propagation, *comparison->second->program, *comparison->second->propagation);
    comparison->first = std::move(first);
    return comparison;
}

} // namespace shardscope
