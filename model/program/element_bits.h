// SPDX-License-Identifier: GPL-3.0-or-later
// Elements in memory: their bits, and the numbers that these are.
#pragma once

#include <cstddef>
#include <cstdint>

#include "program/types.h"

namespace shardscope {

/// Bits that the values of a type differ in, which may be fewer than those that they take in memory: 1 of i1, 4 of ui4
/// and f4E2M1FN, 64 of complex<f32>. 0 of what is no number.
[[nodiscard]] int elementBits(DType dtype);
/// Of any width. Truth values are none.
[[nodiscard]] bool isUnsignedInteger(DType dtype);

/// A floating point number of a type as a double; complex numbers one part at a time, as their own float type.
[[nodiscard]] double floatAt(DType dtype, const std::byte* bytes);
/// The nearest number of the type, to even where two are equally near; too large ones become infinite, or NaN where the
/// type has no infinity.
void storeFloat(DType dtype, double value, std::byte* bytes);
/// A whole number or truth value; unsigned 64-bit numbers beyond the largest signed one come out negative.
[[nodiscard]] std::int64_t integerAt(DType dtype, const std::byte* bytes);

} // namespace shardscope
