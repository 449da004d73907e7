// SPDX-License-Identifier: GPL-3.0-or-later
// Runs of elements between their own types and those that are computed with: double or float for floating point
// numbers, 64 bits for integers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "program/types.h"

namespace shardscope::kernels {

/// The type that kernels compute in, rounding to the element type after every operation: f32 for the floats of 16 bits
/// and fewer, 8-bit integers for narrower ones, ui8 for truth values; itself for the others.
[[nodiscard]] DType computeType(DType dtype);

/// From elements of the type to those of its compute type, and back: floats rounded to nearest, integers wrapped.
void widen(DType dtype, const std::byte* in, std::byte* out, std::int64_t count);
void narrow(DType dtype, const std::byte* in, std::byte* out, std::int64_t count);

/// Elements of any float type as doubles.
void toDoubles(DType dtype, const std::byte* in, double* out, std::int64_t count);
void fromDoubles(DType dtype, const double* in, std::byte* out, std::int64_t count);

/// Towards zero; NaN becomes 0 and what does not fit the nearest number that does. Truth values: not 0.
void storeRounded(DType integer, double value, std::byte* out);
void storeWrapped(DType integer, std::int64_t value, std::byte* out);

/// Elements of one type as those of another (convert): of complex ones the real part alone where the other is not
/// complex, and no imaginary part where that is.
void convertElements(DType from, const std::byte* in, DType to, std::byte* out, std::int64_t count);

} // namespace shardscope::kernels
