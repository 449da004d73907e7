// SPDX-License-Identifier: GPL-3.0-or-later
#include "partition/export/sharding_steps.h"

#include <algorithm>

#include "program/unreduced_axes.h"
#include "propagation/pass_support.h"

namespace shardscope::passes {

namespace {

ShardingStep reshardStep(ProgramSharding to)
{
    ShardingStep step{ OpKind::Reshard, to, {} };
    step.attributes = wide(OwnShardingAttributes{ std::move(to) });
    return step;
}

ShardingStep collectiveStep(OpKind kind, SdyCollectiveAttributes attributes)
{
    ShardingStep step{ kind, attributes.out, {} };
    step.attributes = wide(std::move(attributes));
    return step;
}

bool areWithin(std::span<const AxisRef> axes, const AxisList& of)
{
    return axesMinus(AxisList(axes), of).empty();
}

/// What of a dimension's axes stands after those of the other: nothing if these are no strict beginning.
std::optional<AxisList> behind(const AxisList& all, const AxisList& beginning)
{
    if (beginning == all || !isPrefixOf(std::span<const AxisRef>(beginning), std::span<const AxisRef>(all)))
        return std::nullopt;
    AxisList rest(std::span<const AxisRef>(all).subspan(beginning.size()));
    if (!beginning.empty())
        if (const auto part = suffixWithoutOverlap(all[beginning.size() - 1], beginning[beginning.size() - 1])) {
            AxisList longer{ *part };
            for (const AxisRef& axis : rest)
                longer.push_back(axis);
            rest = std::move(longer);
        }
    return rest;
}

/// From `current` to a sharding that is partial over more axes.
void makePartial(std::vector<ShardingStep>& steps, ProgramSharding& current, const ProgramSharding& to)
{
    const AxisList added = axesMinus(to.sharding.unreduced, current.sharding.unreduced);
    ProgramSharding middle = current;
    middle.sharding.replicated.clear();
    std::vector<AxisList> moved(current.sharding.rank());
    AxisList movedAxes;
    bool reshards = false;
    for (std::size_t d = 0; d < current.sharding.rank(); ++d) {
        const AxisList& in = current.sharding.dims[d].axes;
        const AxisList& out = to.sharding.dims[d].axes;
        if (in == out)
            continue;
        const std::optional<AxisList> rest = behind(in, out);
        if (rest && areWithin(*rest, added)) {
            moved[d] = *rest;
            for (const AxisRef& axis : *rest)
                movedAxes.push_back(axis);
        } else {
            middle.sharding.dims[d].axes = out;
            reshards = true;
        }
    }
    if (reshards) {
        steps.push_back(reshardStep(middle));
        current = middle;
    }
    if (const AxisList replicated = axesMinus(added, movedAxes); !replicated.empty()) {
        SdyCollectiveAttributes attributes;
        attributes.axes = replicated;
        for (const AxisRef& axis : replicated)
            middle.sharding.unreduced.push_back(axis);
        sortAndMerge(middle.sharding.unreduced);
        middle.unreducedKind = to.unreducedKind;
        attributes.out = middle;
        steps.push_back(collectiveStep(OpKind::ReplicatedToUnreduced, std::move(attributes)));
        current = middle;
    }
    if (!movedAxes.empty()) {
        SdyCollectiveAttributes attributes;
        attributes.axesPerDimension = std::move(moved);
        attributes.out = to;
        steps.push_back(collectiveStep(OpKind::ShardedToUnreduced, std::move(attributes)));
        current = to;
    }
}

} // namespace

ShardingStep allReduceStep(const ProgramSharding& from, const AxisList& axes, ReduceKind kind)
{
    SdyCollectiveAttributes attributes;
    attributes.axes = axes;
    attributes.kind = kind;
    attributes.out = from;
    attributes.out.sharding.unreduced = axesMinus(from.sharding.unreduced, axes);
    if (attributes.out.sharding.unreduced.empty())
        attributes.out.unreducedKind = ReduceKind::Sum;
    return collectiveStep(OpKind::SdyAllReduce, std::move(attributes));
}

bool becomesPartial(const ProgramSharding& from, const ProgramSharding& to)
{
    return from.mesh == to.mesh && !axesMinus(to.sharding.unreduced, from.sharding.unreduced).empty();
}

std::vector<ShardingStep> shardingSteps(
    const ProgramSharding* from, const ProgramSharding* to, std::size_t rank, bool reshards)
{
    std::vector<ShardingStep> steps;
    if (!from && !to)
        return steps;
    const ProgramSharding target = to ? *to : closedSharding(from->mesh, rank);
    if (!from) { // nothing is known of its being partial
        const bool sharded = std::any_of(target.sharding.dims.begin(), target.sharding.dims.end(),
            [](const DimensionSharding& dim) { return !dim.axes.empty(); });
        if (sharded && reshards)
            steps.push_back(reshardStep(target));
        return steps;
    }
    ProgramSharding current = *from;
    if (const AxisList axes = axesMinus(current.sharding.unreduced, target.sharding.unreduced); !axes.empty()) {
        steps.push_back(allReduceStep(current, axes, current.unreducedKind));
        current = steps.back().after;
    }
    if (becomesPartial(current, target) && current.sharding.rank() == target.sharding.rank())
        makePartial(steps, current, target);
    if (reshards && !areEquivalent(&current, &target))
        steps.push_back(reshardStep(target));
    return steps;
}

} // namespace shardscope::passes
