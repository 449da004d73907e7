// SPDX-License-Identifier: GPL-3.0-or-later
// What stands in a part of a program, by what tells most of it: loops, products, collectives, calls, and only where
// there are none of them what works element by element.
//
//     while × 1, dot_general × 14          a group whose operations come from no place that is known
//
// Plain data that names nothing for people; views put it into words.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "program/outline/program_outline.h"

namespace shardscope {

struct PartContent {
    OperationId operation; ///< the first of them
    int count = 0;
};

/// At most so many, the most telling ones first. Copies of a function count as that function. Takes a look at every
/// operation in the part.
[[nodiscard]] std::vector<PartContent> contentsOf(
    const Program& program, const ProgramOutline& outline, int part, std::size_t most);
/// The name of a function without the number that tells it from others of its kind: "silu" of "silu_25".
[[nodiscard]] std::string_view nameWithoutNumber(std::string_view name);

} // namespace shardscope
