// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/kernels/strided_copy.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace shardscope {

Shape rowMajorStrides(std::span<const std::int64_t> shape)
{
    Shape strides(shape.size());
    std::int64_t stride = 1;
    for (std::size_t d = shape.size(); d-- > 0;) {
        strides[d] = stride;
        stride *= shape[d];
    }
    return strides;
}

StridedCopy::StridedCopy(std::span<const std::int64_t> shape, std::span<const std::int64_t> targetStrides,
    std::span<const std::int64_t> sourceStrides, std::int64_t elementBytes, std::int64_t targetOffset,
    std::int64_t sourceOffset)
    : m_elementBytes(elementBytes)
    , m_targetOffset(targetOffset * elementBytes)
    , m_sourceOffset(sourceOffset * elementBytes)
    , m_bytes(elementBytes)
{
    SmallVector<Dimension, 4> dims;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        m_bytes *= shape[d];
        if (shape[d] == 1)
            continue;
        const Dimension next{ shape[d], targetStrides[d] * elementBytes, sourceStrides[d] * elementBytes };
        if (!dims.empty() && dims.back().target == next.extent * next.target
            && dims.back().source == next.extent * next.source)
            dims.back() = { dims.back().extent * next.extent, next.target, next.source };
        else
            dims.push_back(next);
    }
    if (dims.empty())
        dims.push_back({ 1, elementBytes, elementBytes });
    m_columns = dims.back();
    dims.pop_back();
    m_contiguous = m_columns.target == elementBytes && m_columns.source == elementBytes;
    if (!dims.empty()) {
        m_rows = dims.back();
        dims.pop_back();
    }
    m_outer = dims;
}

template <class T>
void StridedCopy::copyPlane(std::byte* target, const std::byte* source) const
{
    // Square tiles, so that both sides of a transpose use whole cache lines.
    constexpr std::int64_t tile = 16;
    for (std::int64_t row0 = 0; row0 < m_rows.extent; row0 += tile) {
        const std::int64_t rowEnd = std::min(row0 + tile, m_rows.extent);
        for (std::int64_t column0 = 0; column0 < m_columns.extent; column0 += tile) {
            const std::int64_t columnEnd = std::min(column0 + tile, m_columns.extent);
            for (std::int64_t row = row0; row < rowEnd; ++row) {
                std::byte* to = target + row * m_rows.target;
                const std::byte* from = source + row * m_rows.source;
                for (std::int64_t column = column0; column < columnEnd; ++column)
                    std::memcpy(to + column * m_columns.target, from + column * m_columns.source, sizeof(T));
            }
        }
    }
}

void StridedCopy::copyInner(std::byte* target, const std::byte* source) const
{
    if (m_contiguous) {
        const auto run = static_cast<std::size_t>(m_columns.extent * m_elementBytes);
        for (std::int64_t row = 0; row < m_rows.extent; ++row)
            std::memcpy(target + row * m_rows.target, source + row * m_rows.source, run);
    } else if (m_elementBytes == 4)
        copyPlane<std::uint32_t>(target, source);
    else if (m_elementBytes == 8)
        copyPlane<std::uint64_t>(target, source);
    else if (m_elementBytes == 2)
        copyPlane<std::uint16_t>(target, source);
    else if (m_elementBytes == 16)
        copyPlane<std::array<std::uint64_t, 2>>(target, source);
    else
        copyPlane<std::uint8_t>(target, source);
}

void StridedCopy::run(std::byte* target, const std::byte* source) const
{
    if (m_bytes == 0)
        return;
    target += m_targetOffset;
    source += m_sourceOffset;
    std::int64_t planes = 1;
    for (const Dimension& dim : m_outer)
        planes *= dim.extent;
    for (std::int64_t plane = 0; plane < planes; ++plane) {
        std::int64_t rest = plane;
        std::int64_t to = 0;
        std::int64_t from = 0;
        for (std::size_t d = m_outer.size(); d-- > 0;) {
            const std::int64_t index = rest % m_outer[d].extent;
            rest /= m_outer[d].extent;
            to += index * m_outer[d].target;
            from += index * m_outer[d].source;
        }
        copyInner(target + to, source + from);
    }
}

} // namespace shardscope
