// SPDX-License-Identifier: GPL-3.0-or-later
// Arguments for a program that nobody has given any.
#pragma once

#include "simulate/evaluate/array.h"

namespace shardscope::evaluate {

/// Element i of argument `number` is a function of the seed, the number and i alone. Floats are spread evenly from -1
/// to below 1, in steps of 2^-23 before they are rounded to their type; integers from 0 to 7, or as many as the type
/// has, so that they are good for indices; truth values are true every second time. Of the powers of two without sign
/// (f8E8M0FNU) 1 to 1/8.
[[nodiscard]] Array randomArray(const TensorType& type, std::uint64_t seed, std::uint32_t number);

} // namespace shardscope::evaluate
