// SPDX-License-Identifier: GPL-3.0-or-later
// Further elementwise operations of two operands, or of any number.
// Declared in rows.h.
#include <array>

#include "program/ops/elementwise.h"
#include "program/ops/rows.h"

namespace shardscope::ops {

namespace {

Result<TensorType> inferComplex(Types operands, const Attributes&, const TensorType&)
{
    SHARDSCOPE_CHECK(expectAlike("complex", operands));
    if (operands[0].dtype != DType::F32 && operands[0].dtype != DType::F64)
        return typeMismatch("complex", "operands of type " + toString(operands[0]) + "; f32 or f64 is needed");
    return TensorType{ operands[0].dtype == DType::F32 ? DType::C64 : DType::C128, operands[0].shape };
}

/// Operands of one shape, a body from scalars to a scalar.
Result<void> checkMap(const Subject& map)
{
    SHARDSCOPE_TRY(own, map.otherAttributes<DimensionsAttributes>());
    SHARDSCOPE_CHECK(expectResults(map, 1));
    if (map.operands.empty())
        return map.operand("no operand; at least one is needed");
    const Shape& shape = map.operands[0].shape;
    std::vector<TensorType> scalars;
    for (std::size_t i = 0; i < map.operands.size(); ++i) {
        SHARDSCOPE_CHECK(expectShape(map, "operand " + std::to_string(i), map.operands[i], shape));
        scalars.push_back({ map.operands[i].dtype, {} });
    }
    if ((*own)->dimensions != dimensionsExcept(shape.size(), {}))
        return map.attribute("dimensions have to be 0, 1, ... " + std::to_string(shape.size()) + " of them");
    SHARDSCOPE_CHECK(expectShape(map, "the result", map.results[0], shape));
    return expectBody(
        map, map.operation.regions[0], "body", scalars, std::vector{ TensorType{ map.results[0].dtype, {} } });
}

/// c of / (x^2 + y^2)
ValueId byRadius(const BinaryPoint& p, ValueId of)
{
    const ValueId squares = p(OpKind::Add, p(OpKind::Multiply, p.x, p.x), p(OpKind::Multiply, p.y, p.y));
    return p(OpKind::Multiply, p.c, p(OpKind::Divide, of, squares));
}
ValueId dAtan2First(const BinaryPoint& p)
{
    return byRadius(p, p.y);
}
ValueId dAtan2Second(const BinaryPoint& p)
{
    return byRadius(p, p(OpKind::Negate, p.x));
}
ValueId dRemainderFirst(const BinaryPoint& p)
{
    return p.c;
}
ValueId dRemainderSecond(const BinaryPoint& p) // -c trunc(x / y)
{
    const ValueId quotient = p(OpKind::Divide, p.x, p.y);
    const ValueId truncated =
        p(OpKind::Multiply, p(OpKind::Sign, quotient), p(OpKind::Floor, p(OpKind::Abs, quotient)));
    return p(OpKind::Multiply, p(OpKind::Negate, p.c), truncated);
}

template <OpKind kind, Domain domain>
constexpr OpRow row(
    std::string_view opName, OpDialect dialect = OpDialect::StableHlo, decltype(OpRow::pullback) pullback = nullptr)
{
    return { kind, opName, 2, true, inferElementwise<kind, domain>, pointwiseFactors, pointwiseCost, pullback,
        dialect };
}

using enum OpKind;
using enum Domain;
constexpr std::array furtherBinaryTable{
    row<Atan2, FloatsOrComplex>("atan2", OpDialect::StableHlo, pullBackBinary<dAtan2First, dAtan2Second>),
    row<Remainder, Numbers>("remainder", OpDialect::StableHlo, pullBackBinary<dRemainderFirst, dRemainderSecond>),
    row<Xor, Bits>("xor"),
    row<ShiftLeft, Integers>("shift_left"),
    row<ShiftRightArithmetic, Integers>("shift_right_arithmetic"),
    row<ShiftRightLogical, Integers>("shift_right_logical"),
    OpRow{ Complex, "complex", 2, true, inferComplex, pointwiseFactors, pointwiseCost },
    OpRow{ .kind = Map,
        .name = "map",
        .elementwise = true,
        .factors = pointwiseFactors,
        .cost = pointwiseCost,
        .check = checkMap,
        .regionCount = 1 },
    row<ChloNextAfter, Floats>("next_after", OpDialect::Chlo),
    row<ChloPolygamma, Floats>("polygamma", OpDialect::Chlo),
    row<ChloZeta, Floats>("zeta", OpDialect::Chlo),
};

} // namespace

std::span<const OpRow> furtherBinaryRows()
{
    return furtherBinaryTable;
}

} // namespace shardscope::ops
