// SPDX-License-Identifier: GPL-3.0-or-later
// How often what stands in a program runs: the trips of loops that count, and the calls of functions.
//
//     %r = while (%i = 0, ...) cond { %i < 10 } do { ...; return %i + 1, ... }      // 10 trips
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "program/program.h"

namespace shardscope {

/// The attribute of a `while` by which a text states its trips: shardscope.trip_count = 32 : i64. It is taken at its
/// word.
inline constexpr std::string_view tripCountAttribute = "shardscope.trip_count";

/// Trips of a `while` that states them, or that counts: it compares what it carries with a constant, begins at a
/// constant, and adds (or takes away) a constant. That is how JAX prints scan and fori_loop with fixed bounds.
/// Constants may come from outside the loop, from outer loops that hand them on, and through conversions. Nothing for
/// any other loop, and for one that would never end.
[[nodiscard]] std::optional<std::int64_t> tripsOf(const Program& program, OperationId loop);

/// How often one run of main runs an operation.
struct Executions {
    std::int64_t times =
        0; ///< trips of the loops around it, over all calls of its function; stops at the largest number
    bool known = true; ///< false: some loop around it has trips that nobody can tell before it runs; those count once
    bool conditional = false; ///< it, or a call of its function, stands in a branch: counted as if that were taken
    bool operator==(const Executions&) const = default;
};
/// Per OperationId; operations that do not run have 0 times. A condition of n trips runs n + 1 times. Functions that
/// call themselves are counted once.
[[nodiscard]] std::vector<Executions> executionsOf(const Program& program);

} // namespace shardscope
