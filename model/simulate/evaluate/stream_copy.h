// SPDX-License-Identifier: GPL-3.0-or-later
// Copies for what is larger than the caches: the target is written past them, without being read first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace shardscope::evaluate {

/// As memcpy.
void streamCopy(std::byte* target, const std::byte* source, std::size_t bytes);

/// Arrays from this size on are better written past the caches.
inline constexpr std::int64_t streamFrom = std::int64_t{ 8 } << 20;

/// As copyBox(); long rows by streamCopy().
void streamBox(std::span<const std::int64_t> shape, std::byte* target, std::span<const std::int64_t> targetStrides,
    const std::byte* source, std::span<const std::int64_t> sourceStrides, std::int64_t elementBytes);

} // namespace shardscope::evaluate
