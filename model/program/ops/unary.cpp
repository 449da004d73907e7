// SPDX-License-Identifier: GPL-3.0-or-later
// Elementwise operations of one operand, of StableHLO and CHLO.
// Declared in rows.h.
#include <array>
#include <numbers>

#include "program/ops/elementwise.h"
#include "program/ops/rows.h"

namespace shardscope::ops {

namespace {

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
ValueId dSine(const UnaryPoint& p)
{
    return p.scaled(p(OpKind::Cosine, p.x));
}
ValueId dCosine(const UnaryPoint& p)
{
    return p.scaled(p(OpKind::Negate, p(OpKind::Sine, p.x)));
}

/// Element type of the result.
enum class Gives : std::uint8_t { Same, Pred, Part };

template <OpKind kind, Domain domain, Gives gives>
Result<TensorType> infer(Types operands, const Attributes& attributes, const TensorType&)
{
    SHARDSCOPE_TRY(type, inferAlike(kind, domain, operands, attributes));
    if (gives != Gives::Same)
        type->dtype = gives == Gives::Pred ? DType::Pred : realPart(type->dtype);
    return type;
}

Result<TensorType> inferReducePrecision(Types operands, const Attributes& attributes, const TensorType&)
{
    SHARDSCOPE_TRY(own, requiredAttributes<ReducePrecisionAttributes>("reduce_precision", attributes));
    if (!isFloat(operands[0].dtype))
        return typeMismatch("reduce_precision", "it does not take elements of " + toString(operands[0]));
    if ((*own)->exponentBits < 1 || (*own)->mantissaBits < 0)
        return invalidAttribute("reduce_precision",
            "exponent of " + std::to_string((*own)->exponentBits) + " bits and mantissa of "
                + std::to_string((*own)->mantissaBits) + "; at least 1 and 0 are needed");
    return operands[0];
}

Result<TensorType> inferConstantLike(Types operands, const Attributes&, const TensorType&)
{
    return operands[0];
}

ValueId nothing(const UnaryPoint&)
{
    return {};
}
ValueId square(const UnaryPoint& p, ValueId of)
{
    return p(OpKind::Multiply, of, of);
}
ValueId onePlus(const UnaryPoint& p, ValueId value)
{
    return p(OpKind::Add, p.number(1), value);
}
ValueId oneMinus(const UnaryPoint& p, ValueId value)
{
    return p(OpKind::Subtract, p.number(1), value);
}

ValueId dCbrt(const UnaryPoint& p) // c / (3 y^2)
{
    return p(OpKind::Divide, p.scaled(p.number(1.0 / 3)), square(p, p.y));
}
ValueId dExponentialMinusOne(const UnaryPoint& p)
{
    return p.scaled(onePlus(p, p.y));
}
ValueId dLogPlusOne(const UnaryPoint& p)
{
    return p(OpKind::Divide, p.c, onePlus(p, p.x));
}
ValueId dTan(const UnaryPoint& p)
{
    return p.scaled(onePlus(p, square(p, p.y)));
}
ValueId dAsin(const UnaryPoint& p)
{
    return p.scaled(p(OpKind::Rsqrt, oneMinus(p, square(p, p.x))));
}
ValueId dAcos(const UnaryPoint& p)
{
    return p(OpKind::Negate, dAsin(p));
}
ValueId dAtan(const UnaryPoint& p)
{
    return p(OpKind::Divide, p.c, onePlus(p, square(p, p.x)));
}
ValueId dAsinh(const UnaryPoint& p)
{
    return p.scaled(p(OpKind::Rsqrt, onePlus(p, square(p, p.x))));
}
ValueId dAcosh(const UnaryPoint& p) // (x - 1)(x + 1) is exact where x^2 - 1 cancels
{
    const ValueId below = p(OpKind::Subtract, p.x, p.number(1));
    return p.scaled(p(OpKind::Rsqrt, p(OpKind::Multiply, below, onePlus(p, p.x))));
}
ValueId dAtanh(const UnaryPoint& p)
{
    return p(OpKind::Divide, p.c, p(OpKind::Multiply, oneMinus(p, p.x), onePlus(p, p.x)));
}
ValueId dSinh(const UnaryPoint& p)
{
    return p.scaled(p(OpKind::ChloCosh, p.x));
}
ValueId dCosh(const UnaryPoint& p)
{
    return p.scaled(p(OpKind::ChloSinh, p.x));
}
ValueId dErf(const UnaryPoint& p) // c 2/sqrt(pi) exp(-x^2)
{
    const ValueId bell = p(OpKind::Exponential, p(OpKind::Negate, square(p, p.x)));
    return p.scaled(p(OpKind::Multiply, p.number(2 * std::numbers::inv_sqrtpi), bell));
}
ValueId dErfc(const UnaryPoint& p)
{
    return p(OpKind::Negate, dErf(p));
}
ValueId dErfInv(const UnaryPoint& p) // c sqrt(pi)/2 exp(y^2)
{
    const ValueId growth = p(OpKind::Exponential, square(p, p.y));
    return p.scaled(p(OpKind::Multiply, p.number(0.5 / std::numbers::inv_sqrtpi), growth));
}
ValueId dLgamma(const UnaryPoint& p)
{
    return p.scaled(p(OpKind::ChloDigamma, p.x));
}
ValueId dDigamma(const UnaryPoint& p)
{
    return p.scaled(p(OpKind::ChloPolygamma, p.number(1), p.x));
}
ValueId dSquare(const UnaryPoint& p)
{
    return p.scaled(p(OpKind::Multiply, p.number(2), p.x));
}

/// The cotangent is made as narrow as the result was.
std::vector<ValueId> pullBackReducePrecision(
    Builder& builder, const Operation& operation, Cotangents cotangents, Wanted wanted)
{
    if (!wanted[0])
        return { ValueId() };
    return { builder.add(OpKind::ReducePrecision, cotangents.first(1), operation.attributes) };
}

using Pullback = decltype(OpRow::pullback);
template <OpKind kind, Domain domain, Gives gives = Gives::Same>
constexpr OpRow unaryRow(std::string_view opName, Pullback pullback = nullptr, OpDialect dialect = OpDialect::StableHlo)
{
    return { kind, opName, 1, true, infer<kind, domain, gives>, pointwiseFactors, pointwiseCost, pullback, dialect };
}
template <OpKind kind, Domain domain = Domain::FloatsOrComplex, Gives gives = Gives::Same>
constexpr OpRow chlo(std::string_view opName, Pullback pullback = nullptr)
{
    return unaryRow<kind, domain, gives>(opName, pullback, OpDialect::Chlo);
}

using enum OpKind;
using enum Domain;
constexpr std::array unaryTable{
    unaryRow<Abs, Numbers, Gives::Part>("abs", pullBackUnary<dAbs>),
    unaryRow<Negate, Numbers>("negate", pullBackUnary<dNegate>),
    unaryRow<Exponential, FloatsOrComplex>("exponential", pullBackUnary<dExponential>),
    unaryRow<Log, FloatsOrComplex>("log", pullBackUnary<dLog>),
    unaryRow<Logistic, FloatsOrComplex>("logistic", pullBackUnary<dLogistic>),
    unaryRow<Tanh, FloatsOrComplex>("tanh", pullBackUnary<dTanh>),
    unaryRow<Sqrt, FloatsOrComplex>("sqrt", pullBackUnary<dSqrt>),
    unaryRow<Rsqrt, FloatsOrComplex>("rsqrt", pullBackUnary<dRsqrt>),
    unaryRow<Sign, Numbers>("sign", pullBackUnary<nothing>),
    unaryRow<Sine, FloatsOrComplex>("sine", pullBackUnary<dSine>),
    unaryRow<Cosine, FloatsOrComplex>("cosine", pullBackUnary<dCosine>),
    unaryRow<Not, Bits>("not"),
    unaryRow<Cbrt, FloatsOrComplex>("cbrt", pullBackUnary<dCbrt>),
    unaryRow<Ceil, Floats>("ceil", pullBackUnary<nothing>),
    unaryRow<Floor, Floats>("floor", pullBackUnary<nothing>),
    unaryRow<CountLeadingZeros, Integers>("count_leading_zeros"),
    unaryRow<ExponentialMinusOne, FloatsOrComplex>("exponential_minus_one", pullBackUnary<dExponentialMinusOne>),
    unaryRow<LogPlusOne, FloatsOrComplex>("log_plus_one", pullBackUnary<dLogPlusOne>),
    unaryRow<IsFinite, Floats, Gives::Pred>("is_finite"),
    unaryRow<PopulationCount, Integers>("popcnt"),
    unaryRow<RoundNearestAfz, Floats>("round_nearest_afz", pullBackUnary<nothing>),
    unaryRow<RoundNearestEven, Floats>("round_nearest_even", pullBackUnary<nothing>),
    unaryRow<Tan, FloatsOrComplex>("tan", pullBackUnary<dTan>),
    unaryRow<Real, FloatsOrComplex, Gives::Part>("real"),
    unaryRow<Imag, FloatsOrComplex, Gives::Part>("imag"),
    OpRow{ ReducePrecision, "reduce_precision", 1, true, inferReducePrecision, pointwiseFactors, pointwiseCost,
        pullBackReducePrecision },
    chlo<ChloAcos>("acos", pullBackUnary<dAcos>),
    chlo<ChloAcosh>("acosh", pullBackUnary<dAcosh>),
    chlo<ChloAsin>("asin", pullBackUnary<dAsin>),
    chlo<ChloAsinh>("asinh", pullBackUnary<dAsinh>),
    chlo<ChloAtan>("atan", pullBackUnary<dAtan>),
    chlo<ChloAtanh>("atanh", pullBackUnary<dAtanh>),
    chlo<ChloBesselI1e, Floats>("bessel_i1e"),
    chlo<ChloConj>("conj"),
    chlo<ChloCosh>("cosh", pullBackUnary<dCosh>),
    chlo<ChloDigamma, Floats>("digamma", pullBackUnary<dDigamma>),
    chlo<ChloErf, Floats>("erf", pullBackUnary<dErf>),
    chlo<ChloErfInv, Floats>("erf_inv", pullBackUnary<dErfInv>),
    chlo<ChloErfc, Floats>("erfc", pullBackUnary<dErfc>),
    chlo<ChloIsInf, Floats, Gives::Pred>("is_inf"),
    chlo<ChloIsNegInf, Floats, Gives::Pred>("is_neg_inf"),
    chlo<ChloIsPosInf, Floats, Gives::Pred>("is_pos_inf"),
    chlo<ChloLgamma, Floats>("lgamma", pullBackUnary<dLgamma>),
    chlo<ChloSinh>("sinh", pullBackUnary<dSinh>),
    chlo<ChloSquare>("square", pullBackUnary<dSquare>),
    chlo<ChloTan>("tan", pullBackUnary<dTan>),
    OpRow{ ChloConstantLike, "constant_like", 1, true, inferConstantLike, pointwiseFactors, pointwiseCost,
        pullBackUnary<nothing>, OpDialect::Chlo },
};

} // namespace

std::span<const OpRow> unaryRows()
{
    return unaryTable;
}

} // namespace shardscope::ops
