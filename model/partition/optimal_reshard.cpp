// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in reshard.h.
#include <algorithm>
#include <array>

#include "partition/reshard_search.h"
#include "partition/route.h"

namespace shardscope {

namespace {

} // namespace

bool haveSameAxes(const Mesh& a, const Mesh& b)
{
    return std::equal(a.axes().begin(), a.axes().end(), b.axes().begin(), b.axes().end());
}

Rational sentBytes(std::span<const ReshardStep> steps)
{
    Rational sum;
    for (const ReshardStep& step : steps)
        sum += step.collective.sentBytes;
    return sum;
}

std::vector<ReshardStep> optimalSteps(const Reshard& reshard)
{
    std::vector<ReshardStep> shardy = shardySteps(reshard);
    const std::array<const TensorSharding*, 2> ends{ &reshard.from, &reshard.to };
    const std::optional<reshard::Atoms> atoms = reshard::Atoms::of(*reshard.mesh, ends);
    if (!atoms)
        return shardy;
    reshard::State start = atoms->state(reshard.from);
    reshard::State goal = atoms->state(reshard.to);
    goal.partial &= start.partial;
    start.sourceOrder = reshard::Route(reshard).sourceOrder();
    const reshard::Search search(*atoms, reshard.type, std::move(start), reshard.blocks, &goal);
    if (search.price(goal) == reshard::Price())
        return shardy;
    std::vector<ReshardStep> found = search.steps(reshard, goal);
    return sentBytes(shardy) < sentBytes(found) ? shardy : found;
}

} // namespace shardscope
