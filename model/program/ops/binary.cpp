// SPDX-License-Identifier: GPL-3.0-or-later
// Elementwise operations of two operands, or of any number.
// Declared in rows.h.
#include <array>

#include "program/ops/elementwise.h"
#include "program/ops/rows.h"

namespace shardscope::ops {

namespace {

ValueId same(const BinaryPoint& p)
{
    return p.c;
}
ValueId negated(const BinaryPoint& p)
{
    return p(OpKind::Negate, p.c);
}
ValueId timesX(const BinaryPoint& p)
{
    return p(OpKind::Multiply, p.c, p.x);
}
ValueId timesY(const BinaryPoint& p)
{
    return p(OpKind::Multiply, p.c, p.y);
}
ValueId overY(const BinaryPoint& p)
{
    return p(OpKind::Divide, p.c, p.y);
}
ValueId quotientByY(const BinaryPoint& p) // -c x / y^2, by way of z = x / y
{
    return p(OpKind::Negate, p(OpKind::Divide, p(OpKind::Multiply, p.c, p.z), p.y));
}

ValueId powerByX(const BinaryPoint& p) // c y x^(y-1), and 0 for y = 0 whatever x is
{
    const ValueId isZero = p.b.compare(Comparison::Equal, p.y, p.number(0));
    const ValueId less = p(OpKind::Subtract, p.y, p.number(1));
    const ValueId exponent = p.b.select(isZero, p.number(1), less);
    const ValueId slope = p(OpKind::Multiply, p.y, p(OpKind::Power, p.x, exponent));
    return p(OpKind::Multiply, p.c, p.b.select(isZero, p.number(0), slope));
}

ValueId powerByY(const BinaryPoint& p) // c z log x, and 0 for x = 0
{
    const ValueId isZero = p.b.compare(Comparison::Equal, p.x, p.number(0));
    const ValueId base = p.b.select(isZero, p.number(1), p.x);
    return p(OpKind::Multiply, p.c, p(OpKind::Multiply, p.z, p(OpKind::Log, base)));
}

/// A copy of a constant, or of one spread over a shape, so that its uses do not share a sharding; invalid if the value
/// is no constant.
ValueId copyOfConstant(Builder& b, ValueId value)
{
    const OperationId definition = b.program().value(value).definition;
    if (!definition.valid())
        return {};
    const Operation operation = b.program().operation(definition);
    const TensorType type = b.type(value);
    if (operation.kind == OpKind::Constant)
        return b.add(OpKind::Constant, {}, operation.attributes, type);
    if (operation.kind != OpKind::BroadcastInDim)
        return {};
    const ValueId source = copyOfConstant(b, operation.operands[0]);
    return source.valid() ? b.add(OpKind::BroadcastInDim, std::array{ source }, operation.attributes, type) : ValueId();
}

/// Of maximum and minimum. Where both operands are equal, each gets half: the derivative is that of the mean. A
/// constant is no operand that could move, so at a tie with one the function counts as being on the constant's side: as
/// JAX differentiates relu and clamp, d maximum(x, 0) is 0 at x = 0.
///
/// So the derivative at a tie depends on how the other operand is written: only a constant, or a broadcast of one, is
/// recognised. maximum(x, y) with a y that is computed, or an argument, and happens to be 0 gives 1/2 at x = 0.
template <Comparison wins, bool first>
ValueId extremum(const BinaryPoint& p)
{
    const ValueId self = first ? p.x : p.y;
    const ValueId other = first ? p.y : p.x;
    if (const ValueId constant = copyOfConstant(p.b, other); constant.valid())
        return p.b.select(p.b.compare(wins, self, constant), p.c, p.number(0));
    const ValueId half = p(OpKind::Multiply, p.c, p.number(0.5));
    const ValueId tie = p.b.select(p.b.compare(Comparison::Equal, self, other), half, p.number(0));
    return p.b.select(p.b.compare(wins, self, other), p.c, tie);
}

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
constexpr OpRow binaryRow(
    std::string_view opName, decltype(OpRow::pullback) pullback = nullptr, OpDialect dialect = OpDialect::StableHlo)
{
    return { kind, opName, 2, true, inferElementwise<kind, domain>, pointwiseFactors, pointwiseCost, pullback,
        dialect };
}

using enum OpKind;
using enum Domain;
constexpr std::array binaryTable{
    binaryRow<Add, All>("add", pullBackBinary<same, same>),
    binaryRow<Subtract, Numbers>("subtract", pullBackBinary<same, negated>),
    binaryRow<Multiply, All>("multiply", pullBackBinary<timesY, timesX>),
    binaryRow<Divide, Numbers>("divide", pullBackBinary<overY, quotientByY>),
    binaryRow<Maximum, All>(
        "maximum", pullBackBinary<extremum<Comparison::Greater, true>, extremum<Comparison::Greater, false>>),
    binaryRow<Minimum, All>(
        "minimum", pullBackBinary<extremum<Comparison::Less, true>, extremum<Comparison::Less, false>>),
    binaryRow<Power, Numbers>("power", pullBackBinary<powerByX, powerByY>),
    binaryRow<And, Bits>("and"),
    binaryRow<Or, Bits>("or"),
    binaryRow<Atan2, FloatsOrComplex>("atan2", pullBackBinary<dAtan2First, dAtan2Second>),
    binaryRow<Remainder, Numbers>("remainder", pullBackBinary<dRemainderFirst, dRemainderSecond>),
    binaryRow<Xor, Bits>("xor"),
    binaryRow<ShiftLeft, Integers>("shift_left"),
    binaryRow<ShiftRightArithmetic, Integers>("shift_right_arithmetic"),
    binaryRow<ShiftRightLogical, Integers>("shift_right_logical"),
    OpRow{ Complex, "complex", 2, true, inferComplex, pointwiseFactors, pointwiseCost },
    OpRow{ .kind = Map,
        .name = "map",
        .elementwise = true,
        .factors = pointwiseFactors,
        .cost = pointwiseCost,
        .check = checkMap,
        .regionCount = 1 },
    binaryRow<ChloNextAfter, Floats>("next_after", nullptr, OpDialect::Chlo),
    binaryRow<ChloPolygamma, Floats>("polygamma", nullptr, OpDialect::Chlo),
    binaryRow<ChloZeta, Floats>("zeta", nullptr, OpDialect::Chlo),
};

} // namespace

std::span<const OpRow> binaryRows()
{
    return binaryTable;
}

} // namespace shardscope::ops
