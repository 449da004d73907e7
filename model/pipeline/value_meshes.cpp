// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipeline/value_meshes.h"

#include <algorithm>

namespace shardscope {

namespace {

/// Per axis of `of`, its number in `in`; empty where the axes are not the same.
std::vector<std::size_t> places(const Mesh& of, const Mesh& in)
{
    std::vector<std::size_t> found;
    if (of.rank() != in.rank())
        return found;
    for (const MeshAxis& axis : of.axes()) {
        const auto index = in.axisIndex(axis.name);
        if (!index || in.size(*index) != axis.size)
            return {};
        found.push_back(*index);
    }
    return found;
}

} // namespace

TensorSharding renumbered(TensorSharding sharding, const Mesh& from, const Mesh& main)
{
    const std::vector<std::size_t> inMain = places(from, main);
    const auto renumber = [&](AxisList& axes) {
        for (AxisRef& ref : axes)
            ref.axis = static_cast<std::int32_t>(inMain[static_cast<std::size_t>(ref.axis)]);
    };
    for (DimensionSharding& dim : sharding.dims)
        renumber(dim.axes);
    for (AxisList* list : { &sharding.replicated, &sharding.unreduced }) {
        renumber(*list);
        std::sort(list->begin(), list->end());
    }
    return sharding;
}

} // namespace shardscope
