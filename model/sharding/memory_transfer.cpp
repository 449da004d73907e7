// SPDX-License-Identifier: GPL-3.0-or-later
#include "sharding/memory_transfer.h"

#include <limits>

namespace shardscope {

namespace {

std::int64_t times(std::int64_t a, std::int64_t b)
{
    std::int64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::int64_t>::max() : product;
}

} // namespace

MemoryTransfer memoryTransfer(const Layout& layout, std::int64_t bytesPerElement, MemoryKind from, MemoryKind to)
{
    if (from == to)
        return {};
    std::int64_t bytes = bytesPerElement;
    bool empty = false;
    for (const std::int64_t size : layout.shardShape()) {
        empty = empty || size == 0;
        bytes = times(bytes, size);
    }
    if (empty)
        return {};
    return { bytes, times(bytes, layout.mesh().deviceCount()) };
}

} // namespace shardscope
