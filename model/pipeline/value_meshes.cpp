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

MeshPtr inAxisOrderOf(const Mesh& main, const Mesh& other)
{
    const std::vector<std::size_t> inOther = places(main, other);
    if (inOther.size() != main.rank() || main.rank() == 0)
        return nullptr;
    std::vector<std::int32_t> devices(static_cast<std::size_t>(main.deviceCount()));
    for (std::size_t position = 0; position < devices.size(); ++position) {
        std::int64_t there = 0;
        for (std::size_t axis = 0; axis < main.rank(); ++axis)
            there += main.coordinate(static_cast<std::int64_t>(position), axis) * other.stride(inOther[axis]);
        devices[position] = other.deviceAt(there);
    }
    Result<Mesh> mesh = Mesh::createOver({ main.axes().begin(), main.axes().end() }, std::move(devices));
    return mesh ? std::make_shared<const Mesh>(std::move(*mesh)) : nullptr;
}

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
