// SPDX-License-Identifier: GPL-3.0-or-later
// Elementwise operations of one operand without a derivative here: the rest of StableHLO's, and CHLO's.
// Declared in rows.h.
#include <array>

#include "program/ops/elementwise.h"
#include "program/ops/rows.h"

namespace shardscope::ops {

namespace {

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

template <OpKind kind, Domain domain, Gives gives = Gives::Same>
constexpr OpRow furtherRow(std::string_view opName, OpDialect dialect = OpDialect::StableHlo)
{
    return { kind, opName, 1, true, infer<kind, domain, gives>, pointwiseFactors, pointwiseCost, nullptr, dialect };
}
template <OpKind kind, Domain domain = Domain::FloatsOrComplex, Gives gives = Gives::Same>
constexpr OpRow chlo(std::string_view opName)
{
    return furtherRow<kind, domain, gives>(opName, OpDialect::Chlo);
}

using enum OpKind;
using enum Domain;
constexpr std::array furtherUnaryTable{
    furtherRow<Cbrt, FloatsOrComplex>("cbrt"),
    furtherRow<Ceil, Floats>("ceil"),
    furtherRow<Floor, Floats>("floor"),
    furtherRow<CountLeadingZeros, Integers>("count_leading_zeros"),
    furtherRow<ExponentialMinusOne, FloatsOrComplex>("exponential_minus_one"),
    furtherRow<LogPlusOne, FloatsOrComplex>("log_plus_one"),
    furtherRow<IsFinite, Floats, Gives::Pred>("is_finite"),
    furtherRow<PopulationCount, Integers>("popcnt"),
    furtherRow<RoundNearestAfz, Floats>("round_nearest_afz"),
    furtherRow<RoundNearestEven, Floats>("round_nearest_even"),
    furtherRow<Tan, FloatsOrComplex>("tan"),
    furtherRow<Real, FloatsOrComplex, Gives::Part>("real"),
    furtherRow<Imag, FloatsOrComplex, Gives::Part>("imag"),
    OpRow{ ReducePrecision, "reduce_precision", 1, true, inferReducePrecision, pointwiseFactors, pointwiseCost },
    chlo<ChloAcos>("acos"),
    chlo<ChloAcosh>("acosh"),
    chlo<ChloAsin>("asin"),
    chlo<ChloAsinh>("asinh"),
    chlo<ChloAtan>("atan"),
    chlo<ChloAtanh>("atanh"),
    chlo<ChloBesselI1e, Floats>("bessel_i1e"),
    chlo<ChloConj>("conj"),
    chlo<ChloCosh>("cosh"),
    chlo<ChloDigamma, Floats>("digamma"),
    chlo<ChloErf, Floats>("erf"),
    chlo<ChloErfInv, Floats>("erf_inv"),
    chlo<ChloErfc, Floats>("erfc"),
    chlo<ChloIsInf, Floats, Gives::Pred>("is_inf"),
    chlo<ChloIsNegInf, Floats, Gives::Pred>("is_neg_inf"),
    chlo<ChloIsPosInf, Floats, Gives::Pred>("is_pos_inf"),
    chlo<ChloLgamma, Floats>("lgamma"),
    chlo<ChloSinh>("sinh"),
    chlo<ChloSquare>("square"),
    chlo<ChloTan>("tan"),
    OpRow{ ChloConstantLike, "constant_like", 1, true, inferConstantLike, pointwiseFactors, pointwiseCost, nullptr,
        OpDialect::Chlo },
};

} // namespace

std::span<const OpRow> furtherUnaryRows()
{
    return furtherUnaryTable;
}

} // namespace shardscope::ops
