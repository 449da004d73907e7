// SPDX-License-Identifier: GPL-3.0-or-later
#include "partition/export_shardings.h"

#include <algorithm>
#include <numeric>

namespace shardscope {

TensorSharding closed(const TensorSharding& sharding)
{
    TensorSharding result = TensorSharding::fullyReplicated(sharding.rank());
    for (std::size_t d = 0; d < sharding.rank(); ++d)
        for (const AxisRef& axis : sharding.dims[d].axes)
            if (axis.size > 1)
                result.dims[d].axes.push_back(axis);
    for (const AxisRef& axis : sharding.unreduced)
        if (axis.size > 1)
            result.unreduced.push_back(axis);
    return result;
}

TensorSharding dividing(const TensorSharding& sharding, std::span<const std::int64_t> shape, const Mesh& mesh)
{
    TensorSharding result = sharding;
    for (std::size_t d = 0; d < sharding.rank(); ++d) {
        AxisList& axes = result.dims[d].axes;
        axes.clear();
        std::int64_t rest = shape[d];
        for (const AxisRef& axis : sharding.dims[d].axes) {
            const std::int64_t fits = std::gcd(rest, std::int64_t{ axis.size });
            if (fits == 1 && axis.size > 1)
                break;
            axes.push_back({ axis.axis, axis.pre, static_cast<std::int32_t>(fits) });
            if (fits != axis.size)
                break;
            rest /= fits;
        }
        if (!sharding.dims[d].open)
            continue;
        const auto* part =
            std::find_if(axes.begin(), axes.end(), [&](const AxisRef& axis) { return !isFull(mesh, axis); });
        axes.erase(part, axes.end());
    }
    return result;
}

TensorSharding resultSharding(
    const TensorSharding* declared, const TensorSharding& value, std::span<const std::int64_t> shape, const Mesh& mesh)
{
    if (!declared)
        return closed(dividing(value, shape, mesh));
    TensorSharding result = *declared;
    AxisList used = result.replicated;
    for (const DimensionSharding& dim : result.dims)
        for (const AxisRef& axis : dim.axes)
            used.push_back(axis);
    for (std::size_t d = 0; d < result.rank(); ++d) {
        AxisList& axes = result.dims[d].axes;
        const AxisList& grown = value.dims[d].axes;
        if (!result.dims[d].open || axes.size() > grown.size() || !std::equal(axes.begin(), axes.end(), grown.begin()))
            continue;
        for (std::size_t i = axes.size(); i < grown.size(); ++i) {
            const AxisRef more = grown[i];
            if (std::any_of(used.begin(), used.end(), [&](const AxisRef& axis) { return overlaps(axis, more); }))
                break;
            axes.push_back(more);
            used.push_back(more);
        }
    }
    return closed(dividing(result, shape, mesh));
}

} // namespace shardscope
