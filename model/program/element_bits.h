// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "program/types.h"

namespace shardscope {

/// Bits that the values of a type differ in, which may be fewer than those that they take in memory: 1 of i1, 4 of ui4
/// and f4E2M1FN, 64 of complex<f32>. 0 of what is no number.
[[nodiscard]] int elementBits(DType dtype);
/// Of any width. Truth values are none.
[[nodiscard]] bool isUnsignedInteger(DType dtype);

} // namespace shardscope
