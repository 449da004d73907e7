// SPDX-License-Identifier: GPL-3.0-or-later
// What the elementwise operations share: which elements they take, the type of their result, the form of derivatives.
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

template <OpKind kind, Domain domain>
Result<TensorType> inferElementwise(Types operands, const Attributes& attributes, const TensorType&)
{
    return inferAlike(kind, domain, operands, attributes);
}

/// What the derivative of an operation of one operand may use: operand x, result y, cotangent c.
struct UnaryPoint {
    Builder& b;
    ValueId x, y, c;

    [[nodiscard]] ValueId operator()(OpKind kind, ValueId operand) const { return b.unary(kind, operand); }
    [[nodiscard]] ValueId operator()(OpKind kind, ValueId lhs, ValueId rhs) const { return b.binary(kind, lhs, rhs); }
    [[nodiscard]] ValueId number(double value) const { return splatLike(b, c, value); }
    /// c times a factor.
    [[nodiscard]] ValueId scaled(ValueId by) const { return b.binary(OpKind::Multiply, c, by); }
};
/// The same of two operands x and y, of result z.
struct BinaryPoint {
    Builder& b;
    ValueId x, y, z, c;

    [[nodiscard]] ValueId operator()(OpKind kind, ValueId operand) const { return b.unary(kind, operand); }
    [[nodiscard]] ValueId operator()(OpKind kind, ValueId lhs, ValueId rhs) const { return b.binary(kind, lhs, rhs); }
    [[nodiscard]] ValueId number(double value) const { return splatLike(b, c, value); }
};
/// The cotangent of one operand; invalid where the operation is constant nearly everywhere.
using UnaryDerivative = ValueId (*)(const UnaryPoint& point);
using BinaryDerivative = ValueId (*)(const BinaryPoint& point);

template <UnaryDerivative derivative>
std::vector<ValueId> pullBackUnary(Builder& builder, const Operation& operation, Cotangents cotangents, Wanted wanted)
{
    if (!wanted[0])
        return { ValueId() };
    return { derivative({ builder, operation.operands[0], operation.results[0], cotangents[0] }) };
}
template <BinaryDerivative dx, BinaryDerivative dy>
std::vector<ValueId> pullBackBinary(Builder& builder, const Operation& operation, Cotangents cotangents, Wanted wanted)
{
    const BinaryPoint point{ builder, operation.operands[0], operation.operands[1], operation.results[0],
        cotangents[0] };
    return { wanted[0] ? dx(point) : ValueId(), wanted[1] ? dy(point) : ValueId() };
}

} // namespace shardscope::ops
