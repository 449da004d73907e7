// SPDX-License-Identifier: GPL-3.0-or-later
// Elementwise operations of two operands, or of any number, without a derivative here.
// Declared in rows.h.
#include <array>

#include "program/ops/checks.h"
#include "program/ops/rows.h"

namespace shardscope::ops {

namespace {

enum class Domain : std::uint8_t { Numbers, Integers, Bits, Floats, FloatsOrComplex };

bool accepts(Domain domain, DType dtype)
{
    switch (domain) {
    case Domain::Numbers:
        return dtype != DType::Pred;
    case Domain::Integers:
        return isInteger(dtype);
    case Domain::Bits:
        return isInteger(dtype) || dtype == DType::Pred;
    case Domain::Floats:
        return isFloat(dtype);
    case Domain::FloatsOrComplex:
        return isFloat(dtype) || isComplex(dtype);
    }
    return false;
}

template <OpKind kind, Domain domain>
Result<TensorType> infer(Types operands, const Attributes& attributes, const TensorType&)
{
    SHARDSCOPE_CHECK(expectNoAttributes(name(kind), attributes));
    if (operands[0] != operands[1])
        return typeMismatch(name(kind),
            "the operands are " + toString(operands[0]) + " and " + toString(operands[1])
                + ", and should have one type");
    if (!accepts(domain, operands[0].dtype))
        return typeMismatch(name(kind), "it does not take elements of " + toString(operands[0]));
    return operands[0];
}

Result<TensorType> inferComplex(Types operands, const Attributes&, const TensorType&)
{
    if (operands[0] != operands[1])
        return typeMismatch("complex",
            "the operands are " + toString(operands[0]) + " and " + toString(operands[1])
                + ", and should have one type");
    if (operands[0].dtype != DType::F32 && operands[0].dtype != DType::F64)
        return typeMismatch("complex", "operands of type " + toString(operands[0]) + "; f32 or f64 is needed");
    return TensorType{ operands[0].dtype == DType::F32 ? DType::C64 : DType::C128, operands[0].shape };
}

/// Operands of one shape, a body from scalars to a scalar.
Result<void> checkMap(const Program& program, const Operation& operation)
{
    const Subject map(program, operation);
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
        map, operation.regions[0], "body", scalars, std::vector{ TensorType{ map.results[0].dtype, {} } });
}

OpRow mapRow()
{
    OpRow row{ OpKind::Map, "map", -1, true, nullptr, pointwiseFactors, pointwiseCost };
    row.check = checkMap;
    row.regionCount = 1;
    return row;
}

template <OpKind kind, Domain domain>
constexpr OpRow row(std::string_view opName, OpDialect dialect = OpDialect::StableHlo)
{
    return { kind, opName, 2, true, infer<kind, domain>, pointwiseFactors, pointwiseCost, nullptr, dialect };
}

using enum OpKind;
using enum Domain;
const std::array furtherBinaryTable{
    row<Atan2, FloatsOrComplex>("atan2"),
    row<Remainder, Numbers>("remainder"),
    row<Xor, Bits>("xor"),
    row<ShiftLeft, Integers>("shift_left"),
    row<ShiftRightArithmetic, Integers>("shift_right_arithmetic"),
    row<ShiftRightLogical, Integers>("shift_right_logical"),
    OpRow{ Complex, "complex", 2, true, inferComplex, pointwiseFactors, pointwiseCost },
    mapRow(),
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
