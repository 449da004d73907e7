// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/ops/elementwise.h"

namespace shardscope::ops {

bool accepts(Domain domain, DType dtype)
{
    switch (domain) {
    case Domain::All:
        return true;
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

Result<void> expectAlike(std::string_view op, Types operands)
{
    if (operands[0] == operands[1])
        return {};
    return typeMismatch(op,
        "the operands are " + toString(operands[0]) + " and " + toString(operands[1]) + ", and should have one type");
}

Result<TensorType> inferAlike(OpKind kind, Domain domain, Types operands, const Attributes& attributes)
{
    SHARDSCOPE_CHECK(expectNoAttributes(name(kind), attributes));
    if (operands.size() > 1)
        SHARDSCOPE_CHECK(expectAlike(name(kind), operands));
    if (!accepts(domain, operands[0].dtype))
        return typeMismatch(name(kind), "it does not take elements of " + toString(operands[0]));
    return operands[0];
}

} // namespace shardscope::ops
