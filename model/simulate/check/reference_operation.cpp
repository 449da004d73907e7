// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/check/reference_operation.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "simulate/kernels/call.h"
#include "simulate/kernels/element_types.h"
#include "simulate/kernels/elementwise.h"

namespace shardscope {

namespace {

using kernels::Array;

Array arrayOf(const TensorType& type, const std::vector<double>& elements)
{
    Array array = Array::make(type);
    if (isFloat(type.dtype))
        kernels::fromDoubles(type.dtype, elements.data(), array.data(), array.count());
    else
        for (std::int64_t i = 0; i < array.count(); ++i)
            kernels::setInteger(array, i, static_cast<std::int64_t>(elements[static_cast<std::size_t>(i)]));
    return array;
}

void readInto(const Array& array, std::vector<double>& out)
{
    out.resize(static_cast<std::size_t>(array.count()));
    if (isFloat(array.type.dtype))
        kernels::toDoubles(array.type.dtype, array.data(), out.data(), array.count());
    else
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = static_cast<double>(kernels::integerAt(array, static_cast<std::int64_t>(i)));
}

} // namespace

double roundedTo(DType dtype, double value)
{
    switch (dtype) {
    case DType::F32:
        return static_cast<double>(static_cast<float>(value));
    case DType::I32:
        return std::fabs(value) < 9e18 ? static_cast<double>(
                   static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::int64_t>(value))))
                                       : 0;
    case DType::Pred:
        return value != 0 ? 1 : 0;
    default:
        return value;
    }
}

void evaluateReference(const Program& program, const Operation& operation,
    std::span<const std::vector<double>* const> operands, ReferencePrecision precision, std::vector<double>& out)
{
    if (operation.kind == OpKind::ShardingConstraint) {
        out = *operands[0];
        return;
    }
    if (const auto* constant = std::get_if<ConstantAttributes>(&operation.attributes)) { // rounded to its own type
        readInto(kernels::constantArray(*constant, program.value(operation.results[0]).type), out);
        return;
    }
    // The operation alone, on types of this precision.
    Program alone;
    Operation own = operation;
    const auto add = [&](ValueId value) {
        TensorType type = program.value(value).type;
        if (type.dtype == DType::F32 && precision == ReferencePrecision::Double)
            type.dtype = DType::F64;
        alone.values.push_back({ type, {}, 0, Role::Temporary, {}, {} });
        return ValueId(alone.values.size() - 1);
    };
    kernels::Arrays arrays;
    for (std::size_t i = 0; i < own.operands.size(); ++i) {
        own.operands[i] = add(operation.operands[i]);
        arrays.push_back(arrayOf(alone.value(own.operands[i]).type, *operands[i]));
    }
    own.results[0] = add(operation.results[0]);
    const kernels::Evaluate kernel = kernels::evaluator(own.kind);
    const kernels::Call call{ alone, own, arrays, nullptr };
    readInto((kernel ? kernel(call) : kernels::evaluateElementwise(call))[0], out);
}

} // namespace shardscope
