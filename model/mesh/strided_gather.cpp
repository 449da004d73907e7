// SPDX-License-Identifier: GPL-3.0-or-later
#include "mesh/strided_gather.h"

namespace shardscope {

std::vector<std::int32_t> gatherStrided(std::span<const std::int32_t> source, std::span<const StridedAxis> axes)
{
    std::vector<StridedAxis> merged; // without axes of one, neighbours that are one axis of the source joined
    std::size_t count = 1;
    for (const StridedAxis& axis : axes) {
        count *= static_cast<std::size_t>(axis.size);
        if (axis.size == 1)
            continue;
        if (!merged.empty() && merged.back().stride == axis.size * axis.stride)
            merged.back() = { merged.back().size * axis.size, axis.stride };
        else
            merged.push_back(axis);
    }
    std::vector<std::int32_t> out;
    out.reserve(count);
    if (count == 0)
        return out;
    if (merged.empty()) {
        out.push_back(source[0]);
        return out;
    }
    const StridedAxis inner = merged.back();
    merged.pop_back();
    std::vector<std::int64_t> index(merged.size(), 0);
    std::int64_t offset = 0;
    while (true) {
        for (std::int64_t i = 0, from = offset; i < inner.size; ++i, from += inner.stride)
            out.push_back(source[static_cast<std::size_t>(from)]);
        std::size_t axis = merged.size();
        for (; axis > 0; --axis) { // to the next row
            offset += merged[axis - 1].stride;
            if (++index[axis - 1] < merged[axis - 1].size)
                break;
            offset -= merged[axis - 1].stride * merged[axis - 1].size;
            index[axis - 1] = 0;
        }
        if (axis == 0)
            return out;
    }
}

} // namespace shardscope
