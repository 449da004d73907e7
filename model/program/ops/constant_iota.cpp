// SPDX-License-Identifier: GPL-3.0-or-later
// Operations without operands. They have no factors, so nothing propagates into them: every device can make the part
// that it needs. Whoever builds a program makes one per use, so that uses do not share a sharding.
// Declared in rows.h.
#include <array>
#include <cmath>
#include <utility>

#include "program/ops/rows.h"
#include "program/ops/support.h"

namespace shardscope::ops {

namespace {

/// Lowest value of an integer element type, and the first one above the highest: both are exact in double precision,
/// which the highest 64-bit numbers are not.
std::pair<double, double> integerRange(DType dtype)
{
    auto bits = static_cast<double>(8 * byteSize(dtype));
    if (dtype == DType::I4 || dtype == DType::U4)
        bits = 4;
    if (dtype == DType::I2 || dtype == DType::U2)
        bits = 2;
    switch (dtype) {
    case DType::U2:
    case DType::U4:
    case DType::Pred:
        return { 0, 2 };
    case DType::U8:
    case DType::U16:
    case DType::U32:
    case DType::U64:
        return { 0, std::exp2(bits) };
    default:
        return { -std::exp2(bits - 1), std::exp2(bits - 1) };
    }
}

Result<TensorType> inferConstant(Types, const Attributes& attributes, const TensorType& hint)
{
    SHARDSCOPE_TRY(own, attributesAs<ConstantAttributes>("constant", attributes));
    if (const ElementBytes& bytes = (*own)->bytes) { // read from a text
        const std::int64_t one = byteSize(hint.dtype);
        const auto count = static_cast<std::int64_t>(bytes->size());
        if (one == 0 || (count != one && count != hint.byteCount()))
            return invalidAttribute("constant", std::to_string(count) + " bytes of values for " + toString(hint));
        return hint;
    }
    const std::vector<double>& values = (*own)->values;
    if (values.size() != 1 && static_cast<std::int64_t>(values.size()) != hint.elementCount())
        return invalidAttribute("constant", std::to_string(values.size()) + " values for " + toString(hint));
    if (isFloat(hint.dtype) || isComplex(hint.dtype))
        return hint;
    const auto [lowest, end] = integerRange(hint.dtype);
    for (const double value : values)
        if (!(value >= lowest && value < end) || value != std::floor(value))
            return invalidAttribute("constant", std::to_string(value) + " in " + toString(hint));
    return hint;
}

Result<TensorType> inferIota(Types, const Attributes& attributes, const TensorType& hint)
{
    SHARDSCOPE_TRY(own, attributesAs<IotaAttributes>("iota", attributes));
    SHARDSCOPE_CHECK(checkDimensions("iota", { (*own)->dimension }, hint.rank()));
    if (hint.dtype == DType::Pred)
        return typeMismatch("iota", "no result of type " + toString(hint));
    return hint;
}

constexpr std::array constantIotaTable{
    OpRow{ OpKind::Constant, "constant", 0, false, inferConstant, noFactors, movementCost, nullptr },
    OpRow{ OpKind::SdyConstant, "constant", 0, false, inferConstant, noFactors, movementCost, nullptr, OpDialect::Sdy },
    OpRow{
        OpKind::ChloConstant, "constant", 0, false, inferConstant, noFactors, movementCost, nullptr, OpDialect::Chlo },
    OpRow{ OpKind::Iota, "iota", 0, false, inferIota, noFactors, movementCost, nullptr },
};

} // namespace

std::span<const OpRow> constantIotaRows()
{
    return constantIotaTable;
}

} // namespace shardscope::ops
