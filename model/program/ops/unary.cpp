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

ValueId dAbs(const UnaryPoint& p)
{
    return p.scaled(p(OpKind::Sign, p.x));
}
ValueId dNegate(const UnaryPoint& p)
{
    return p(OpKind::Negate, p.c);
}
ValueId dExponential(const UnaryPoint& p)
{
    return p.scaled(p.y);
}
ValueId dLog(const UnaryPoint& p)
{
    return p(OpKind::Divide, p.c, p.x);
}
ValueId dLogistic(const UnaryPoint& p)
{
    return p.scaled(p(OpKind::Multiply, p.y, p(OpKind::Subtract, p.number(1), p.y)));
}
ValueId dTanh(const UnaryPoint& p)
{
    return p.scaled(p(OpKind::Subtract, p.number(1), p(OpKind::Multiply, p.y, p.y)));
}
ValueId dSqrt(const UnaryPoint& p)
{
    return p(OpKind::Divide, p.scaled(p.number(0.5)), p.y);
}
ValueId dRsqrt(const UnaryPoint& p)
{
    return p.scaled(p(OpKind::Multiply, p.number(-0.5), p(OpKind::Divide, p.y, p.x)));
}
ValueId dSign(const UnaryPoint&)
{
    return {};
}
ValueId dSine(const UnaryPoint& p)
{
    return p.scaled(p(OpKind::Cosine, p.x));
}
ValueId dCosine(const UnaryPoint& p)
{
    return p.scaled(p(OpKind::Negate, p(OpKind::Sine, p.x)));
}

template <OpKind kind, Domain domain, UnaryDerivative derivative>
constexpr OpRow row(std::string_view opName)
{
    return { kind, opName, 1, true, kind == OpKind::Abs ? inferAbs : inferElementwise<kind, domain>, pointwiseFactors,
        pointwiseCost, pullBackUnary<derivative> };
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
