// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/weight_shapes.h"

#include <algorithm>

namespace shardscope {

namespace {

/// What a device has of it where `axes` shard no dimension.
Shape heldWithout(TensorSharding sharding, const AxisList& axes, const Shape& shape)
{
    for (DimensionSharding& dim : sharding.dims) {
        AxisList kept;
        for (const AxisRef& axis : dim.axes)
            if (std::find(axes.begin(), axes.end(), axis) == axes.end())
                kept.push_back(axis);
        dim.axes = std::move(kept);
    }
    return shardShape(sharding, shape);
}

std::vector<std::int64_t> sizesInOrder(std::span<const std::int64_t> sizes, bool sorted)
{
    std::vector<std::int64_t> list(sizes.begin(), sizes.end());
    if (sorted)
        std::sort(list.begin(), list.end());
    return list;
}

/// The same shape, or it without one of its dimensions, of layers.
bool fits(const Shape& held, std::span<const std::int64_t> sizes, bool sorted)
{
    const std::vector<std::int64_t> wanted = sizesInOrder(sizes, sorted);
    if (held.size() == sizes.size())
        return sizesInOrder(held, sorted) == wanted;
    if (held.size() != sizes.size() + 1)
        return false;
    for (std::size_t d = 0; d < held.size(); ++d) {
        Shape layer = held;
        layer.erase(layer.begin() + static_cast<std::ptrdiff_t>(d));
        if (sizesInOrder(layer, sorted) == wanted)
            return true;
    }
    return false;
}

} // namespace

WeightShapes::WeightShapes(const Snapshot& snapshot)
{
    if (!snapshot.program)
        return;
    for (const ValueId argument : snapshot.program->main().arguments)
        if (const TensorRow* row = snapshot.row(argument); row && row->role == Role::Parameter && row->type.rank() > 0)
            m_weights.push_back({ row->path, row->type.shape, row->layout.sharding() });
}

std::string WeightShapes::find(const AxisList& axes, std::span<const std::int64_t> sizes) const
{
    if (sizes.empty())
        return {};
    for (const bool sorted : { false, true })
        for (const Weight& weight : m_weights)
            if (fits(heldWithout(weight.sharding, axes, weight.shape), sizes, sorted))
                return weight.path;
    return {};
}

} // namespace shardscope
