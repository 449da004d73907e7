// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/t5x_rules.h"

namespace shardscope {

namespace {

bool isOverSlices(const std::vector<MeshAxis>& axes)
{
    return axes.size() == 3 && axes[0].name == "replica" && axes[1].name == "data" && axes[2].name == "model";
}

} // namespace

std::optional<Result<Partitioner>> t5xPartitioner(const Experiment& experiment)
{
    const RulesSetting& rules = experiment.rules;
    if (rules.dialect != Dialect::T5x || !rules.rules.isSequence)
        return std::nullopt;
    const std::vector<MeshAxis>& axes = experiment.mesh.axes;
    PartitionerSettings settings;
    settings.rules = rules.rules;
    const std::vector<std::int32_t>& submesh = experiment.mesh.order.submesh;
    if (experiment.mesh.order.method == OrderMethod::T5x && !submesh.empty())
        settings.submesh.emplace(submesh.begin(), submesh.end());
    else
        settings.partitions = axes.empty() ? 1 : axes.back().size;
    if (isOverSlices(axes)) {
        settings.iciShape = { 1, axes[1].size, axes[2].size };
        settings.dcnShape = { axes[0].size, 1, 1 };
    }
    return makePartitioner(settings);
}

bool rewritesBatch(const Experiment& experiment)
{
    const auto partitioner = t5xPartitioner(experiment);
    return partitioner && *partitioner && (*partitioner)->rules != experiment.rules.rules;
}

Result<Experiment> withPartitionerRules(const Experiment& before)
{
    auto partitioner = t5xPartitioner(before);
    Experiment after = before;
    if (!partitioner)
        return after;
    if (!*partitioner)
        return tl::unexpected((*partitioner).error());
    after.rules.rules = std::move((*partitioner)->rules);
    return after;
}

} // namespace shardscope
