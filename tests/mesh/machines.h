// SPDX-License-Identifier: GPL-3.0-or-later
// Machines to build meshes over, and what every mesh must be.
#pragma once

#include <algorithm>
#include <map>
#include <numeric>

#include <rapidcheck.h>

#include "mesh/device_array.h"
#include "mesh/device_set.h"

namespace shardscope {

inline DeviceSet machine(
    const char* kind, std::array<std::int32_t, 3> chips, std::int32_t cores = 1, std::int32_t slices = 1)
{
    return *DeviceSet::ofChips(kind, chips, DeviceSet::usualHostChips(chips), cores, slices);
}

inline std::vector<std::int32_t> sortedIds(const DeviceList& devices)
{
    std::vector<std::int32_t> ids;
    for (std::int64_t i = 0; i < devices.size(); ++i)
        ids.push_back(devices[i].id);
    std::sort(ids.begin(), ids.end());
    return ids;
}

/// Every device once, and as many as the shape says.
inline bool isPermutation(const DeviceArray& array, const DeviceList& devices)
{
    std::vector<std::int32_t> ids = array.ids;
    std::sort(ids.begin(), ids.end());
    const std::int64_t product =
        std::accumulate(array.shape.begin(), array.shape.end(), std::int64_t{ 1 }, std::multiplies<>());
    return ids == sortedIds(devices) && product == devices.size();
}

/// Coordinates of a position of the mesh.
inline MeshShape indexOf(std::int64_t position, const MeshShape& shape)
{
    MeshShape index(shape.size());
    for (std::size_t axis = shape.size(); axis-- > 0; position /= shape[axis])
        index[axis] = position % shape[axis];
    return index;
}

/// Position of a device in the mesh.
inline std::map<std::int32_t, std::int64_t> positions(const DeviceArray& array)
{
    std::map<std::int32_t, std::int64_t> found;
    for (std::size_t i = 0; i < array.ids.size(); ++i)
        found[array.ids[i]] = static_cast<std::int64_t>(i);
    return found;
}

/// A random shape of `rank` axes whose product is `product`.
inline MeshShape randomShape(std::int64_t product, std::size_t rank)
{
    MeshShape shape(rank, 1);
    for (std::int64_t factor = 2; product > 1; ++factor) {
        for (; product % factor == 0; product /= factor)
            shape[*rc::gen::inRange<std::size_t>(0, rank)] *= factor;
    }
    return shape;
}

inline std::int32_t randomSide()
{
    return *rc::gen::element(1, 2, 2, 3, 4, 4, 6, 8);
}

/// The shapes of an error's argument.
inline std::vector<MeshShape> shapesOf(const Error& error, std::string_view argument)
{
    std::vector<MeshShape> shapes;
    for (const std::string& text : error.list(argument))
        if (!text.empty())
            shapes.push_back(*parseMeshShape(text));
    return shapes;
}

} // namespace shardscope
