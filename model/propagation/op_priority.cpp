// SPDX-License-Identifier: GPL-3.0-or-later
#include "propagation/op_priority.h"

#include "program/other_attributes.h"

namespace shardscope {

namespace {

/// Of the same elements: it adds dimensions of size 1, and no more.
bool addsOnlyOnes(const Program& program, const Operation& operation)
{
    const auto* broadcast = std::get_if<BroadcastAttributes>(&operation.attributes);
    if (!broadcast || operation.kind != OpKind::BroadcastInDim)
        return false;
    const Shape& from = program.value(operation.operands[0]).type.shape;
    const Shape& to = program.value(operation.results[0]).type.shape;
    const Dimensions& dimensions = broadcast->dimensions;
    std::size_t next = 0; // of the operand
    for (std::size_t d = 0; d < to.size(); ++d)
        if (next < from.size() && dimensions[next] == static_cast<std::int64_t>(d)) {
            if (from[next++] != to[d])
                return false;
        } else if (to[d] != 1) {
            return false;
        }
    return next == from.size(); // in their order
}

} // namespace

bool isPointwise(OpKind kind)
{
    switch (kind) {
    case OpKind::ShardingConstraint:
    case OpKind::PropagationBarrier:
    case OpKind::Reshard:
        return true;
    case OpKind::BitcastConvert: // the number of dimensions may change
        return false;
    default:
        return opRow(kind).elementwise;
    }
}

PriorityClass priorityClass(OpKind kind)
{
    if (isPointwise(kind) || kind == OpKind::Reshape || kind == OpKind::Transpose)
        return PriorityClass::PassThrough;
    if (kind == OpKind::DynamicSlice || kind == OpKind::DynamicUpdateSlice)
        return PriorityClass::DynamicSlice;
    return kind == OpKind::BroadcastInDim ? PriorityClass::Broadcast : PriorityClass::Other;
}

bool isPointwise(const Program& program, const Operation& operation)
{
    if (operation.kind == OpKind::BitcastConvert && operation.operands.size() == 1 && operation.results.size() == 1)
        return program.value(operation.operands[0]).type.shape == program.value(operation.results[0]).type.shape;
    return isPointwise(operation.kind);
}

PriorityClass priorityClass(const Program& program, const Operation& operation)
{
    if (operation.kind == OpKind::BitcastConvert && isPointwise(program, operation))
        return PriorityClass::PassThrough;
    if (operation.kind == OpKind::CustomCall) {
        const auto* call = attributesAs<CustomCallAttributes>(operation.attributes);
        if (call && (call->target == "MoveToHost" || call->target == "MoveToDevice"))
            return PriorityClass::PassThrough;
    }
    // XLA makes a reshape of it before shardings are propagated.
    if (addsOnlyOnes(program, operation))
        return PriorityClass::PassThrough;
    return priorityClass(operation.kind);
}

Allowance allowance(PriorityClass kind, bool singleUse, int round)
{
    if (round >= operationPriorityRounds - 1)
        return { Direction::Both, false };
    const Direction early = round > 0 || singleUse ? Direction::Both : Direction::None;
    switch (kind) {
    case PriorityClass::PassThrough:
        return { early, false };
    case PriorityClass::DynamicSlice:
        if (round < 2)
            return { early & Direction::Forward, false };
        return { Direction::Both, round == 2, round == 2 ? Direction::Forward : Direction::None };
    case PriorityClass::Broadcast:
        return round < 2 ? Allowance{} : Allowance{ Direction::Backward, round == 2 };
    case PriorityClass::Other:
        break;
    }
    return round < 2 ? Allowance{} : Allowance{ Direction::Both, round == 2 };
}

} // namespace shardscope
