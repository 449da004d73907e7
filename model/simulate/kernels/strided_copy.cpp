// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/kernels/strided_copy.h"

#include <algorithm>
#include <array>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace shardscope {

void copyPastCaches(std::byte* target, const std::byte* source, std::int64_t bytes, const std::byte* next)
{
#ifdef __SSE2__
    constexpr std::int64_t line = 64; // written at once: nothing is read for a line of which every byte is written
    const auto misaligned = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(target) % line);
    std::int64_t at = std::min(misaligned == 0 ? 0 : line - misaligned, bytes);
    std::memcpy(target, source, static_cast<std::size_t>(at));
    for (; at + line <= bytes; at += line) {
        if (next)
            _mm_prefetch(reinterpret_cast<const char*>(next + at), _MM_HINT_T0);
        for (std::int64_t part = at; part < at + line; part += 16)
            _mm_stream_si128(reinterpret_cast<__m128i*>(target + part),
                _mm_loadu_si128(reinterpret_cast<const __m128i*>(source + part)));
    }
    std::memcpy(target + at, source + at, static_cast<std::size_t>(bytes - at));
#else
    (void)next;
    std::memcpy(target, source, static_cast<std::size_t>(bytes));
#endif
}

void finishCopies()
{
#ifdef __SSE2__
    _mm_sfence();
#endif
}

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
    constexpr std::int64_t size = sizeof(T);
    const Dimension rows = m_rows, columns = m_columns; // what is written could be the members, to the compiler
    if (columns.source == 0 && columns.target == size) {
        for (std::int64_t row = 0; row < rows.extent; ++row) {
            T value;
            std::memcpy(&value, source + row * rows.source, sizeof value);
            std::fill_n(reinterpret_cast<T*>(target + row * rows.target), columns.extent, value);
        }
        return;
    }
    // Square tiles, so that both sides of a transpose use whole cache lines.
    constexpr std::int64_t tile = 16;
    const auto copyTiles = [&](std::int64_t step) {
        for (std::int64_t row0 = 0; row0 < rows.extent; row0 += tile) {
            const std::int64_t rowEnd = std::min(row0 + tile, rows.extent);
            for (std::int64_t column0 = 0; column0 < columns.extent; column0 += tile) {
                const std::int64_t count = std::min(tile, columns.extent - column0);
                for (std::int64_t row = row0; row < rowEnd; ++row) {
                    std::byte* to = target + row * rows.target + column0 * step;
                    const std::byte* from = source + row * rows.source + column0 * columns.source;
                    for (std::int64_t column = 0; column < count; ++column)
                        std::memcpy(to + column * step, from + column * columns.source, sizeof(T));
                }
            }
        }
    };
    if (columns.target == size)
        copyTiles(size);
    else
        copyTiles(columns.target);
}

template <std::size_t bytes>
void StridedCopy::copyRows(std::byte* target, const std::byte* source) const
{
    const Dimension rows = m_rows;
    for (std::int64_t row = 0; row < rows.extent; ++row)
        std::memcpy(target + row * rows.target, source + row * rows.source, bytes);
}

void StridedCopy::copyInner(std::byte* target, const std::byte* source, bool streams) const
{
    if (m_contiguous) {
        const auto run = static_cast<std::size_t>(m_columns.extent * m_elementBytes);
        if (run == 16) // lengths that take less time than a call
            return copyRows<16>(target, source);
        if (run == 32)
            return copyRows<32>(target, source);
        if (run == 64)
            return copyRows<64>(target, source);
        if (run == 128)
            return copyRows<128>(target, source);
        for (std::int64_t row = 0; row < m_rows.extent; ++row)
            if (streams)
                copyPastCaches(
                    target + row * m_rows.target, source + row * m_rows.source, static_cast<std::int64_t>(run));
            else
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

void StridedCopy::run(std::byte* target, const std::byte* source, bool streams) const
{
    if (m_bytes == 0)
        return;
    target += m_targetOffset;
    source += m_sourceOffset;
    SmallVector<std::int64_t, 4> index(m_outer.size());
    for (;;) {
        copyInner(target, source, streams);
        std::size_t d = m_outer.size();
        for (; d > 0; --d) {
            const Dimension& dim = m_outer[d - 1];
            target += dim.target;
            source += dim.source;
            if (++index[d - 1] < dim.extent)
                break;
            index[d - 1] = 0;
            target -= dim.extent * dim.target;
            source -= dim.extent * dim.source;
        }
        if (d == 0)
            return;
    }
}

} // namespace shardscope
