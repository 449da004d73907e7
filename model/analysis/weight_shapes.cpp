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

/// The same sizes in the same order, or all but one of them, that of the layers.
bool fits(std::span<const std::int64_t> held, std::span<const std::int64_t> sizes)
{
    if (held.size() < sizes.size() || held.size() > sizes.size() + 1)
        return false;
    std::size_t met = 0;
    for (std::size_t d = 0; d < held.size(); ++d)
        if (met < sizes.size() && held[d] == sizes[met])
            ++met;
        else if (d - met >= held.size() - sizes.size())
            return false;
    return met == sizes.size();
}

Shape ascending(Shape shape)
{
    std::sort(shape.begin(), shape.end());
    return shape;
}

/// XLA keeps them of a slice of stacked layers: [1, 4096, 14336].
Shape withoutOnes(std::span<const std::int64_t> sizes)
{
    Shape kept;
    for (const std::int64_t size : sizes)
        if (size != 1)
            kept.push_back(size);
    return kept;
}

} // namespace

WeightShapes::WeightShapes(const Snapshot& snapshot)
{
    if (!snapshot.program)
        return;
    for (const ValueId argument : snapshot.program->main().arguments)
        if (const TensorRow* row = snapshot.row(argument); row && row->role == Role::Parameter && row->type.rank() > 0)
            m_weights.push_back({ row->path, row->type.shape, row->layout.sharding() });
    m_hasGradients = std::any_of(snapshot.program->values.begin(), snapshot.program->values.end(),
        [](const Value& value) { return value.role == Role::Gradient || isOptimizerArray(value.role); });
}

const std::vector<WeightShapes::Held>& WeightShapes::heldAlong(const AxisList& axes)
{
    for (const auto& [known, held] : m_held)
        if (known == axes)
            return held;
    std::vector<Held> all;
    for (const Weight& weight : m_weights) {
        Shape shape = withoutOnes(heldWithout(weight.sharding, axes, weight.shape));
        Shape sorted = ascending(shape);
        all.push_back({ std::move(shape), std::move(sorted) });
    }
    return m_held.emplace_back(axes, std::move(all)).second;
}

std::string WeightShapes::find(
    const AxisList& axes, std::span<const std::int64_t> sizes, std::span<const std::int64_t> global)
{
    const Shape own = withoutOnes(sizes);
    if (own.empty())
        return {};
    const std::vector<Held>& held = heldAlong(axes);
    const Shape sorted = ascending(own), sortedGlobal = ascending(withoutOnes(global));
    const auto isAsLarge = [&](const Weight& weight) {
        return global.empty() || fits(ascending(withoutOnes(weight.shape)), sortedGlobal);
    };
    for (std::size_t i = 0; i < held.size(); ++i)
        if (fits(held[i].shape, own) && isAsLarge(m_weights[i]))
            return m_weights[i].path;
    for (std::size_t i = 0; i < held.size(); ++i)
        if (fits(held[i].sorted, sorted) && isAsLarge(m_weights[i]))
            return m_weights[i].path;
    return {};
}

} // namespace shardscope
