// SPDX-License-Identifier: GPL-3.0-or-later
// Arguments for a program that nobody has given any: numbers that it can work with, found from what it does with them.
//
//     x: 8x1024, W: 1024x4096, ids: 8 (i32), nu; x W, gather of 32000 rows at ids, sqrt(0.9 nu + 0.1 g g)
//     ->  x from -1 to 1, W from -0.054 to 0.054 (sqrt(3 / 1024)), ids from 0 to 31999, nu from 1/16 to 1
#pragma once

#include <vector>

#include "program/program.h"
#include "simulate/evaluate/array.h"

namespace shardscope::evaluate {

/// From where the elements of an argument are drawn.
struct ArgumentRange {
    double low = -1, high = 1; ///< of floats; `high` is excluded
    std::int64_t least = 0, count = 8; ///< of integers: least, least + 1, ..., `count` of them at most
};

/// Per argument of main. Integers that end as an index (of gather, slices, scatter, a branch, a comparison with
/// numbered elements) stay below what is indexed, other single ones are from 1 to 7. Floats that are factors of a
/// contraction are scaled by the square root of the number of its terms; those that end in a root, a logarithm, a power
/// or a denominator are positive. A function of the program alone, whatever its shardings.
[[nodiscard]] std::vector<ArgumentRange> argumentRanges(const Program& program);

/// Element i of argument `number` is a function of the range, the seed, the number and i alone. Truth values are true
/// every second time. Of the powers of two without sign (f8E8M0FNU) 1 to 1/8.
[[nodiscard]] Array randomArray(
    const TensorType& type, std::uint64_t seed, std::uint32_t number, const ArgumentRange& range = {});

/// One array per argument of main.
[[nodiscard]] std::vector<Array> randomArguments(const Program& program, std::uint64_t seed, bool scaled = true);

} // namespace shardscope::evaluate
