// SPDX-License-Identifier: GPL-3.0-or-later
// Operations that the reader keeps by their names: those whose shapes are operands, and constants of other dialects.
#include <algorithm>

#include "program/custom_calls.h"
#include "program/extra_text.h"
#include "simulate/kernels/element_types.h"
#include "simulate/kernels/known_opaque.h"
#include "simulate/kernels/text_value.h"
#include "stablehlo/read.h"

namespace shardscope::kernels {

namespace {

std::string_view nameOf(const Operation& op)
{
    if (const auto* opaque = attributesAs<OpaqueAttributes>(op.attributes))
        return opaque->name;
    return {};
}

Arrays dynamicPad(const Call& call)
{
    // As pad, with its numbers from operands.
    PadAttributes own;
    for (std::size_t list = 0; list < 3; ++list)
        for (std::int64_t d = 0; d < call.operands[2 + list].count(); ++d)
            (list == 0          ? own.low
                    : list == 1 ? own.high
                                : own.interior)
                .push_back(integerAt(call.operands[2 + list], d));
    Operation pad = call.operation;
    pad.kind = OpKind::Pad;
    pad.attributes = otherAttributes(own);
    return evaluator(OpKind::Pad)({ call.program, pad, call.operands.first(2), call.scope });
}

} // namespace

namespace {

/// Of a constant of another dialect: "arith.constant".
std::optional<Array> constantOf(const Program& program, const Operation& op)
{
    const TensorType& type = program.value(op.results[0]).type;
    std::optional<Array> value = valueOfText(extraText(program, op, "value"), type);
    return value && value->type == type ? value : std::nullopt;
}

} // namespace

bool isKnownOpaque(const Program& program, const Operation& op)
{
    if (op.kind != OpKind::Opaque || op.results.size() != 1)
        return false;
    const std::string_view name = nameOf(op);
    const auto type = [&](std::size_t operand) -> const TensorType& {
        return program.value(op.operands[operand]).type;
    };
    const TensorType& made = program.value(op.results[0]).type;
    if (name == "stablehlo.dynamic_pad" && op.operands.size() == 5) {
        const auto isList = [&](std::size_t operand) {
            return type(operand).rank() == 1 && !isFloat(type(operand).dtype) && !isComplex(type(operand).dtype)
                && type(operand).shape[0] == static_cast<std::int64_t>(made.rank());
        };
        return type(0).dtype == made.dtype && type(0).rank() == made.rank() && type(1) == TensorType{ made.dtype, {} }
        && isList(2) && isList(3) && isList(4);
    }
    if (name == "stablehlo.dynamic_reshape" && op.operands.size() == 2)
        return type(0).dtype == made.dtype && type(0).elementCount() == made.elementCount();
    return name == "arith.constant" && op.operands.empty() && constantOf(program, op);
}

std::optional<TensorType> otherResult(const Program& program, const Operation& op, std::span<const Array> operands)
{
    const TensorType& declared = program.value(op.results[0]).type;
    if (op.kind != OpKind::Opaque || operands.size() != 5) // dynamic_pad alone has so many
        return {};
    TensorType made = operands[0].type;
    for (std::size_t d = 0; d < made.rank(); ++d) {
        const auto number = [&](std::size_t operand) {
            return integerAt(operands[operand], static_cast<std::int64_t>(d));
        };
        const std::int64_t size = made.shape[d], between = std::max<std::int64_t>(size - 1, 0);
        std::int64_t inside = 0;
        if (number(4) < 0 || __builtin_mul_overflow(number(4), between, &inside)
            || __builtin_add_overflow(inside, size, &inside) || __builtin_add_overflow(inside, number(2), &inside)
            || __builtin_add_overflow(inside, number(3), &inside))
            inside = -1;
        made.shape[d] = inside;
    }
    return made == declared ? std::nullopt : std::optional(made);
}

Arrays evaluateOpaque(const Call& call)
{
    if (nameOf(call.operation) == "stablehlo.dynamic_pad")
        return dynamicPad(call);
    if (call.operation.operands.empty())
        return { *constantOf(call.program, call.operation) };
    return { call.operands[0].reshaped(call.type()) };
}

} // namespace shardscope::kernels
