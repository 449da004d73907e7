// SPDX-License-Identifier: GPL-3.0-or-later
#include "sharding/sharding_edit.h"

namespace shardscope {

namespace {

void removeAxis(AxisList& axes, AxisRef whole)
{
    AxisList rest;
    for (const AxisRef& ref : axes)
        if (!overlaps(ref, whole))
            rest.push_back(ref);
    axes = std::move(rest);
}

} // namespace

int placeOf(const TensorSharding& sharding, std::size_t dimension, AxisRef whole)
{
    const AxisList& axes = sharding.dims[dimension].axes;
    for (std::size_t i = 0; i < axes.size(); ++i)
        if (overlaps(axes[i], whole))
            return static_cast<int>(i);
    return -1;
}

TensorSharding withAxisToggled(TensorSharding sharding, std::size_t dimension, AxisRef whole)
{
    const bool cuts = placeOf(sharding, dimension, whole) >= 0;
    for (DimensionSharding& dim : sharding.dims)
        removeAxis(dim.axes, whole);
    removeAxis(sharding.replicated, whole);
    removeAxis(sharding.unreduced, whole);
    if (!cuts)
        sharding.dims[dimension].axes.push_back(whole);
    return sharding;
}

} // namespace shardscope
