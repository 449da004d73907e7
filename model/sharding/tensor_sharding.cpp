// SPDX-License-Identifier: GPL-3.0-or-later
#include "sharding/tensor_sharding.h"

#include <algorithm>
#include <array>

namespace shardscope {

namespace {

/// Unsharded dimensions. Those of one rank share their list, with those of the same thread, so that threads do not
/// wait for each other to count owners.
Shared<std::vector<DimensionSharding>> unshardedDims(std::size_t rank, bool open)
{
    using List = std::vector<DimensionSharding>;
    constexpr std::size_t ranks = 8;
    static thread_local const auto lists = [] {
        std::array<std::array<Shared<List>, ranks>, 2> made;
        for (std::size_t isOpen = 0; isOpen < 2; ++isOpen)
            for (std::size_t r = 0; r < ranks; ++r)
                made[isOpen][r] = List(r, { {}, isOpen == 1 });
        return made;
    }();
    if (rank < ranks)
        return lists[open ? 1 : 0][rank];
    return List(rank, { {}, open });
}

} // namespace

TensorSharding TensorSharding::open(std::size_t rank)
{
    return { unshardedDims(rank, true), {}, {} };
}

TensorSharding TensorSharding::fullyReplicated(std::size_t rank)
{
    return { unshardedDims(rank, false), {}, {} };
}

bool TensorSharding::isFullyReplicated() const
{
    return unreduced.empty()
        && std::all_of(dims.begin(), dims.end(), [](const DimensionSharding& dim) { return dim.axes.empty(); });
}

bool TensorSharding::isEquivalent(const TensorSharding& other) const
{
    return unreduced == other.unreduced
        && std::equal(dims.begin(), dims.end(), other.dims.begin(), other.dims.end(),
            [](const DimensionSharding& a, const DimensionSharding& b) { return a.axes == b.axes; });
}

TensorSharding toTensorSharding(const PartitionSpec& spec, const Mesh& mesh, std::size_t rank)
{
    TensorSharding sharding = TensorSharding::fullyReplicated(rank);
    for (std::size_t d = 0; d < std::min(rank, spec.size()); ++d) {
        DimensionSharding& dim = sharding.dims[d];
        dim.open = spec.entries[d].kind == SpecEntry::Kind::Unconstrained;
        for (const std::string& name : spec.axesOf(d))
            if (const std::optional<std::size_t> axis = mesh.axisIndex(name))
                dim.axes.push_back(fullAxis(mesh, *axis));
    }
    return sharding;
}

PartitionSpec toPartitionSpec(const TensorSharding& sharding, const Mesh& mesh)
{
    PartitionSpec spec;
    spec.entries.reserve(sharding.rank());
    for (const DimensionSharding& dim : sharding.dims) {
        std::vector<std::string> names;
        names.reserve(dim.axes.size());
        for (const AxisRef& ref : dim.axes)
            names.push_back(toString(mesh, ref));
        spec.entries.push_back(SpecEntry::tuple(std::move(names)));
    }
    return canonical(spec);
}

AxisList replicatedAxes(const TensorSharding& sharding, const Mesh& mesh)
{
    std::vector<AxisRef> used(sharding.unreduced.begin(), sharding.unreduced.end());
    for (const DimensionSharding& dim : sharding.dims)
        used.insert(used.end(), dim.axes.begin(), dim.axes.end());
    std::sort(used.begin(), used.end());
    AxisList free;
    auto next = used.begin();
    for (std::size_t axis = 0; axis < mesh.rank(); ++axis) {
        const AxisRef full = fullAxis(mesh, axis);
        std::int32_t pre = 1; // of what has not been looked at
        const auto addUpTo = [&](std::int64_t end) {
            if (const auto size = static_cast<std::int32_t>(end / pre); size > 1)
                free.push_back({ full.axis, pre, size });
        };
        for (; next != used.end() && next->axis == full.axis; ++next) {
            addUpTo(next->pre);
            pre = static_cast<std::int32_t>(next->next());
        }
        addUpTo(full.size);
    }
    return free;
}

std::int64_t shardCount(const DimensionSharding& dim)
{
    return product(dim.axes);
}

Shape shardShape(const TensorSharding& sharding, std::span<const std::int64_t> shape)
{
    Shape result(shape);
    for (std::size_t d = 0; d < std::min(result.size(), sharding.rank()); ++d) {
        const std::int64_t parts = shardCount(sharding.dims[d]);
        result[d] = shape[d] / parts + (shape[d] % parts != 0 ? 1 : 0);
    }
    return result;
}

} // namespace shardscope
