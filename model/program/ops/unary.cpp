// SPDX-License-Identifier: GPL-3.0-or-later
// Elementwise operations of one operand.
// Declared in rows.h.
#include <array>

#include "program/ops/elementwise.h"
#include "program/ops/rows.h"

namespace shardscope::ops {

namespace {

Result<TensorType> inferAbs(Types operands, const Attributes& attributes, const TensorType&)
{
    SHARDSCOPE_TRY(type, inferAlike(OpKind::Abs, Domain::Numbers, operands, attributes));
    type->dtype = realPart(type->dtype);
    return type;
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
    return { kind, opName, 1, true, kind == OpKind::Abs ? inferAbs : inferElementwise<kind, domain>, pointwiseFactors,
        pointwiseCost, pullBack<derivative> };
}

constexpr std::array unaryTable{
    row<OpKind::Abs, Domain::Numbers, dAbs>("abs"),
    row<OpKind::Negate, Domain::Numbers, dNegate>("negate"),
    row<OpKind::Exponential, Domain::FloatsOrComplex, dExponential>("exponential"),
    row<OpKind::Log, Domain::FloatsOrComplex, dLog>("log"),
    row<OpKind::Logistic, Domain::FloatsOrComplex, dLogistic>("logistic"),
    row<OpKind::Tanh, Domain::FloatsOrComplex, dTanh>("tanh"),
    row<OpKind::Sqrt, Domain::FloatsOrComplex, dSqrt>("sqrt"),
    row<OpKind::Rsqrt, Domain::FloatsOrComplex, dRsqrt>("rsqrt"),
    row<OpKind::Sign, Domain::Numbers, dSign>("sign"),
    row<OpKind::Sine, Domain::FloatsOrComplex, dSine>("sine"),
    row<OpKind::Cosine, Domain::FloatsOrComplex, dCosine>("cosine"),
    OpRow{ OpKind::Not, "not", 1, true, inferElementwise<OpKind::Not, Domain::Bits>, pointwiseFactors, pointwiseCost,
        nullptr },
};

} // namespace

std::span<const OpRow> unaryRows()
{
    return unaryTable;
}

} // namespace shardscope::ops
