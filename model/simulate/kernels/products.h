// SPDX-License-Identifier: GPL-3.0-or-later
// Products of packed matrices, and how operands are put in order for them.
#pragma once

#include "simulate/kernels/call.h"

namespace shardscope::kernels {

/// c[m, n] = a[m, k] b[k, n], all packed and of one type.
void multiply(
    DType dtype, const std::byte* a, const std::byte* b, std::byte* c, std::int64_t m, std::int64_t n, std::int64_t k);
/// Number of elements of those dimensions.
[[nodiscard]] std::int64_t extent(const Array& array, const Dimensions& dims);
/// The dimensions of the first list, then those of the second and of the third; the array itself where they are so.
[[nodiscard]] Array ordered(
    const Array& array, const Dimensions& first, const Dimensions& second, const Dimensions& third);
[[nodiscard]] Array contracted(
    const Array& lhs, const Array& rhs, const DotGeneralAttributes& own, const TensorType& type);

/// chlo.ragged_dot
[[nodiscard]] Arrays raggedDot(const Call& call);

} // namespace shardscope::kernels
