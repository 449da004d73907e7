// SPDX-License-Identifier: GPL-3.0-or-later
#include "sharding/sharding_edit.h"

namespace shardscope {

namespace {

void removeAxis(AxisList& axes, AxisRef full)
{
    AxisList rest;
    for (const AxisRef& ref : axes)
        if (!overlaps(ref, full))
            rest.push_back(ref);
    axes = std::move(rest);
}

} // namespace

int placeOf(const TensorSharding& sharding, std::size_t dimension, AxisRef full)
{
    const AxisList& axes = sharding.dims[dimension].axes;
    for (std::size_t i = 0; i < axes.size(); ++i)
        if (overlaps(axes[i], full))
            return static_cast<int>(i);
    return -1;
}

void closeDimensions(TensorSharding& sharding)
{
    const auto isOpen = [](const DimensionSharding& dim) { return dim.open; };
    if (const auto& dims = *sharding.dims; std::none_of(dims.begin(), dims.end(), isOpen))
        return; // what is shared stays so
    for (DimensionSharding& dim : sharding.dims)
        dim.open = false;
}

void dropPriorities(TensorSharding& sharding)
{
    const auto hasPriority = [](const DimensionSharding& dim) { return dim.priority != -1; };
    if (const auto& dims = *sharding.dims; std::none_of(dims.begin(), dims.end(), hasPriority))
        return;
    for (DimensionSharding& dim : sharding.dims)
        dim.priority = -1;
}

TensorSharding withAxisToggled(TensorSharding sharding, std::size_t dimension, AxisRef full)
{
    const bool slices = placeOf(sharding, dimension, full) >= 0;
    for (DimensionSharding& dim : sharding.dims)
        removeAxis(dim.axes, full);
    removeAxis(sharding.replicated, full);
    removeAxis(sharding.unreduced, full);
    if (!slices)
        sharding.dims[dimension].axes.push_back(full);
    return sharding;
}

} // namespace shardscope
