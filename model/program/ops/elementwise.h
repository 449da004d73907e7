// SPDX-License-Identifier: GPL-3.0-or-later
// What the elementwise operations share: which elements they take, and the type of their result.
#pragma once

#include "program/ops/checks.h"

namespace shardscope::ops {

/// Elements that an operation takes.
enum class Domain : std::uint8_t { All, Numbers, Integers, Bits, Floats, FloatsOrComplex };
[[nodiscard]] bool accepts(Domain domain, DType dtype);

/// TypeMismatch unless the two operands have one type.
[[nodiscard]] Result<void> expectAlike(std::string_view op, Types operands);
/// The type of all operands, whose elements are of that domain.
[[nodiscard]] Result<TensorType> inferAlike(OpKind kind, Domain domain, Types operands, const Attributes& attributes);
/// Of complex elements that of their real part; others are as they are.
[[nodiscard]] DType realPart(DType dtype);

template <OpKind kind, Domain domain>
Result<TensorType> inferElementwise(Types operands, const Attributes& attributes, const TensorType&)
{
    return inferAlike(kind, domain, operands, attributes);
}

} // namespace shardscope::ops
