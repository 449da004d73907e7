// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <memory>

#include "partition/reshard_search.h"
#include "partition/route.h"

namespace shardscope {

namespace {

bool isLess(Rational a, Rational b)
{
    return (b + a * Rational(-1)).numerator() > 0;
}

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
    return isLess(sentBytes(shardy), sentBytes(found)) ? shardy : found;
}

Rational replicateThenSliceBytes(const Reshard& reshard)
{
    if (!reshard.from.unreduced.empty() || (!reshard.sourceMesh && reshard.from.isEquivalent(reshard.to)))
        return 0;
    Reshard full = reshard;
    full.to = TensorSharding::fullyReplicated(reshard.from.rank());
    return sentBytes(shardySteps(full));
}

MissingBytes missingBytes(const Reshard& reshard)
{
    const auto mesh = std::make_shared<const Mesh>(*reshard.mesh);
    const auto sourceMesh = reshard.sourceMesh ? std::make_shared<const Mesh>(*reshard.sourceMesh) : mesh;
    const Layout from(sourceMesh, reshard.from, reshard.type.shape);
    const Layout to(mesh, reshard.to, reshard.type.shape);
    MissingBytes missing;
    for (std::int64_t position = 0; position < mesh->deviceCount(); ++position) {
        const std::vector<IndexRange> wanted = to.rangesAt(position);
        const std::vector<IndexRange> held = from.rangesAt(sourceMesh->positionOf(mesh->deviceAt(position)));
        std::int64_t elements = 1;
        std::int64_t common = 1;
        for (std::size_t d = 0; d < wanted.size(); ++d) {
            elements *= wanted[d].size();
            common *= std::max<std::int64_t>(
                0, std::min(wanted[d].end, held[d].end) - std::max(wanted[d].begin, held[d].begin));
        }
        const std::int64_t bytes = TensorType{ reshard.type.dtype, { elements - common } }.byteCount();
        missing.neediestDevice = std::max(missing.neediestDevice, bytes);
        missing.allDevices += bytes;
    }
    return missing;
}

} // namespace shardscope
