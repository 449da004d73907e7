// SPDX-License-Identifier: GPL-3.0-or-later
// What tf.aliasing_output says of main's arguments, and what is wrong with it.
//
//     main(%a: tensor<8xf32> {tf.aliasing_output = 0 : i32}) -> tensor<8xf32>      argument 0 has the memory of result
//     0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "program/main_interface.h"

namespace shardscope {

enum class AliasFault : std::uint8_t {
    None,
    NoResult, ///< there is no result of that number
    Taken, ///< an argument before it has that result
    Type, ///< the result is of another type
};

struct AliasedResult {
    std::size_t argument = 0;
    std::optional<std::size_t> result; ///< as it is written; nothing for what is no number
    AliasFault fault = AliasFault::None;
    std::size_t other = 0; ///< with Taken: the argument that has the result
};

/// By argument, of those that have the attribute.
[[nodiscard]] std::vector<AliasedResult> aliasedResults(const MainInterface& main);

} // namespace shardscope
