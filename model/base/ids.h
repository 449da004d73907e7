// SPDX-License-Identifier: GPL-3.0-or-later
// Strong indices: a ValueId cannot be handed where an OperationId is meant.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

namespace shardscope {

/// A dense index from 0 into an array of things named by `Tag`. Default constructed it is invalid.
template <class Tag>
struct Id {
    std::uint32_t index = std::numeric_limits<std::uint32_t>::max();

    constexpr Id() = default;
    constexpr explicit Id(std::size_t i)
        : index(static_cast<std::uint32_t>(i))
    {
    }
    [[nodiscard]] constexpr bool valid() const { return index != std::numeric_limits<std::uint32_t>::max(); }
    constexpr auto operator<=>(const Id&) const = default;
};

} // namespace shardscope

template <class Tag>
struct std::hash<shardscope::Id<Tag>> {
    std::size_t operator()(shardscope::Id<Tag> id) const noexcept { return std::hash<std::uint32_t>()(id.index); }
};
