// SPDX-License-Identifier: GPL-3.0-or-later
// Elementwise operations of one operand.
// Declared in rows.h.
#include <array>

#include "program/ops/rows.h"
#include "program/ops/support.h"

namespace shardscope::ops {

namespace {

enum class Domain : std::uint8_t { Numbers, Floats, Bits };

bool accepts(Domain domain, DType dtype)
{
    switch (domain) {
    case Domain::Numbers:
        return dtype != DType::Pred;
    case Domain::Floats:
        return isFloat(dtype) || isComplex(dtype);
    case Domain::Bits:
        return !isFloat(dtype) && !isComplex(dtype);
    }
    return false;
}

template <OpKind kind, Domain domain>
Result<TensorType> inferUnary(Types operands, const Attributes& attributes, const TensorType&)
{
    SHARDSCOPE_CHECK(expectNoAttributes(name(kind), attributes));
    if (!accepts(domain, operands[0].dtype))
        return typeMismatch(name(kind), "it does not take elements of " + toString(operands[0]));
    if (kind == OpKind::Abs && isComplex(operands[0].dtype))
        return TensorType{ operands[0].dtype == DType::C64 ? DType::F32 : DType::F64, operands[0].shape };
    return operands[0];
}

/// d result / d operand as a function of operand x, result y and the cotangent c.
using Derivative = ValueId (*)(Builder& b, ValueId x, ValueId y, ValueId c);

template <Derivative derivative>
std::vector<ValueId> pullBack(Builder& builder, const Operation& operation, ValueId cotangent, Wanted wanted)
{
    if (!wanted[0])
        return { ValueId() };
    return { derivative(builder, operation.operands[0], operation.results[0], cotangent) };
}

ValueId times(Builder& b, ValueId lhs, ValueId rhs)
{
    return b.binary(OpKind::Multiply, lhs, rhs);
}

ValueId dAbs(Builder& b, ValueId x, ValueId, ValueId c)
{
    return times(b, c, b.unary(OpKind::Sign, x));
}
ValueId dNegate(Builder& b, ValueId, ValueId, ValueId c)
{
    return b.unary(OpKind::Negate, c);
}
ValueId dExponential(Builder& b, ValueId, ValueId y, ValueId c)
{
    return times(b, c, y);
}
ValueId dLog(Builder& b, ValueId x, ValueId, ValueId c)
{
    return b.binary(OpKind::Divide, c, x);
}
ValueId dLogistic(Builder& b, ValueId, ValueId y, ValueId c)
{
    return times(b, c, times(b, y, b.binary(OpKind::Subtract, splatLike(b, y, 1), y)));
}
ValueId dTanh(Builder& b, ValueId, ValueId y, ValueId c)
{
    return times(b, c, b.binary(OpKind::Subtract, splatLike(b, y, 1), times(b, y, y)));
}
ValueId dSqrt(Builder& b, ValueId, ValueId y, ValueId c)
{
    return b.binary(OpKind::Divide, times(b, c, splatLike(b, y, 0.5)), y);
}
ValueId dRsqrt(Builder& b, ValueId x, ValueId y, ValueId c)
{
    return times(b, c, times(b, splatLike(b, y, -0.5), b.binary(OpKind::Divide, y, x)));
}
ValueId dSign(Builder&, ValueId, ValueId, ValueId)
{
    return {};
}
ValueId dSine(Builder& b, ValueId x, ValueId, ValueId c)
{
    return times(b, c, b.unary(OpKind::Cosine, x));
}
ValueId dCosine(Builder& b, ValueId x, ValueId, ValueId c)
{
    return times(b, c, b.unary(OpKind::Negate, b.unary(OpKind::Sine, x)));
}

template <OpKind kind, Domain domain, Derivative derivative>
constexpr OpRow row(std::string_view opName)
{
    return { kind, opName, 1, true, inferUnary<kind, domain>, pointwiseFactors, pointwiseCost, pullBack<derivative> };
}

constexpr std::array unaryTable{
    row<OpKind::Abs, Domain::Numbers, dAbs>("abs"),
    row<OpKind::Negate, Domain::Numbers, dNegate>("negate"),
    row<OpKind::Exponential, Domain::Floats, dExponential>("exponential"),
    row<OpKind::Log, Domain::Floats, dLog>("log"),
    row<OpKind::Logistic, Domain::Floats, dLogistic>("logistic"),
    row<OpKind::Tanh, Domain::Floats, dTanh>("tanh"),
    row<OpKind::Sqrt, Domain::Floats, dSqrt>("sqrt"),
    row<OpKind::Rsqrt, Domain::Floats, dRsqrt>("rsqrt"),
    row<OpKind::Sign, Domain::Numbers, dSign>("sign"),
    row<OpKind::Sine, Domain::Floats, dSine>("sine"),
    row<OpKind::Cosine, Domain::Floats, dCosine>("cosine"),
    OpRow{
        OpKind::Not, "not", 1, true, inferUnary<OpKind::Not, Domain::Bits>, pointwiseFactors, pointwiseCost, nullptr },
};

} // namespace

std::span<const OpRow> unaryRows()
{
    return unaryTable;
}

} // namespace shardscope::ops
