// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/evaluate/stream_copy.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "simulate/evaluate/array.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace shardscope::evaluate {

namespace {

constexpr std::int64_t longRow = 1024; ///< bytes

} // namespace

void streamCopy(std::byte* target, const std::byte* source, std::size_t bytes)
{
    if (bytes == 0)
        return;
#if defined(__SSE2__)
    constexpr std::size_t line = 64;
    const std::size_t head =
        std::min(bytes, static_cast<std::size_t>(-reinterpret_cast<std::uintptr_t>(target)) % line);
    std::memcpy(target, source, head);
    std::size_t done = head;
    for (; done + line <= bytes; done += line) {
        const auto* from = reinterpret_cast<const __m128i*>(source + done);
        auto* to = reinterpret_cast<__m128i*>(target + done);
        __builtin_prefetch(source + done + 512);
        const __m128i a = _mm_loadu_si128(from), b = _mm_loadu_si128(from + 1), c = _mm_loadu_si128(from + 2),
                      d = _mm_loadu_si128(from + 3);
        _mm_stream_si128(to, a);
        _mm_stream_si128(to + 1, b);
        _mm_stream_si128(to + 2, c);
        _mm_stream_si128(to + 3, d);
    }
    std::memcpy(target + done, source + done, bytes - done);
    _mm_sfence();
#else
    std::memcpy(target, source, bytes);
#endif
}

void streamBox(std::span<const std::int64_t> shape, std::byte* target, std::span<const std::int64_t> targetStrides,
    const std::byte* source, std::span<const std::int64_t> sourceStrides, std::int64_t elementBytes)
{
    std::size_t outer = shape.size(); // dimensions from here on lie side by side in both
    std::int64_t row = 1;
    while (outer > 0 && targetStrides[outer - 1] == row && sourceStrides[outer - 1] == row)
        row *= shape[--outer];
    if (row * elementBytes < longRow)
        return copyBox(shape, target, targetStrides, source, sourceStrides, elementBytes);
    std::vector<std::int64_t> index(outer, 0);
    for (const std::int64_t extent : shape)
        if (extent == 0)
            return;
    do {
        std::int64_t to = 0, from = 0;
        for (std::size_t d = 0; d < outer; ++d) {
            to += index[d] * targetStrides[d];
            from += index[d] * sourceStrides[d];
        }
        streamCopy(
            target + to * elementBytes, source + from * elementBytes, static_cast<std::size_t>(row * elementBytes));
    } while (advance(std::span<std::int64_t>(index), shape.first(outer)));
}

} // namespace shardscope::evaluate
