// SPDX-License-Identifier: GPL-3.0-or-later
// The elements of one device's shard, as runs of neighbours in the global array.
#pragma once

#include <vector>

#include "sharding/layout.h"
#include "simulate/kernels/strided_copy.h"

namespace shardscope {

/// Calls row(local, global, length) for every run of neighbouring elements that a device really holds.
template <class RowFunction>
void forEachRow(const Layout& layout, std::int64_t position, const Shape& localShape, const RowFunction& row)
{
    const std::vector<IndexRange> ranges = layout.rangesAt(position);
    const Shape localStrides = rowMajorStrides(localShape);
    const Shape globalStrides = rowMajorStrides(layout.shape());
    const Shape block = layout.blockAt(position);
    std::int64_t rows = 1;
    std::int64_t localBegin = 0;
    std::int64_t globalBegin = 0;
    for (std::size_t d = 0; d < ranges.size(); ++d) {
        if (ranges[d].size() == 0)
            return;
        localBegin += (ranges[d].begin - block[d] * localShape[d]) * localStrides[d];
        globalBegin += ranges[d].begin * globalStrides[d];
        rows *= d + 1 < ranges.size() ? ranges[d].size() : 1;
    }
    for (std::int64_t r = 0; r < rows; ++r) {
        std::int64_t rest = r;
        std::int64_t local = localBegin;
        std::int64_t global = globalBegin;
        for (std::size_t d = ranges.empty() ? 0 : ranges.size() - 1; d-- > 0;) {
            local += rest % ranges[d].size() * localStrides[d];
            global += rest % ranges[d].size() * globalStrides[d];
            rest /= ranges[d].size();
        }
        row(local, global, ranges.empty() ? 1 : ranges.back().size());
    }
}

} // namespace shardscope
