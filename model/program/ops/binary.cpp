// SPDX-License-Identifier: GPL-3.0-or-later
// Elementwise operations of two operands.
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

template <OpKind kind, Domain domain>
constexpr OpRow row(std::string_view opName, decltype(OpRow::pullback) pullback)
{
    return { kind, opName, 2, true, inferElementwise<kind, domain>, pointwiseFactors, pointwiseCost, pullback };
}

using enum OpKind;
constexpr std::array binaryTable{
    row<Add, Domain::All>("add", pullBackBinary<same, same>),
    row<Subtract, Domain::Numbers>("subtract", pullBackBinary<same, negated>),
    row<Multiply, Domain::All>("multiply", pullBackBinary<timesY, timesX>),
    row<Divide, Domain::Numbers>("divide", pullBackBinary<overY, quotientByY>),
    row<Maximum, Domain::All>(
        "maximum", pullBackBinary<extremum<Comparison::Greater, true>, extremum<Comparison::Greater, false>>),
    row<Minimum, Domain::All>(
        "minimum", pullBackBinary<extremum<Comparison::Less, true>, extremum<Comparison::Less, false>>),
    row<Power, Domain::Numbers>("power", pullBackBinary<powerByX, powerByY>),
    row<And, Domain::Bits>("and", nullptr),
    row<Or, Domain::Bits>("or", nullptr),
};

} // namespace

std::span<const OpRow> binaryRows()
{
    return binaryTable;
}

} // namespace shardscope::ops
