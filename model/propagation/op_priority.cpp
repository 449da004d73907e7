// SPDX-License-Identifier: GPL-3.0-or-later
#include "propagation/op_priority.h"

namespace shardscope {

bool isPointwise(OpKind kind)
{
    return kind == OpKind::ShardingConstraint || opRow(kind).elementwise;
}

PriorityClass priorityClass(OpKind kind)
{
    if (isPointwise(kind) || kind == OpKind::Reshape || kind == OpKind::Transpose)
        return PriorityClass::PassThrough;
    return kind == OpKind::BroadcastInDim ? PriorityClass::Broadcast : PriorityClass::Other;
}

Allowance allowance(PriorityClass kind, bool singleUse, int round)
{
    if (round >= operationPriorityRounds - 1)
        return { Direction::Both, false };
    if (kind == PriorityClass::PassThrough)
        return { round > 0 || singleUse ? Direction::Both : Direction::None, false };
    if (round < 2)
        return {};
    return { kind == PriorityClass::Broadcast ? Direction::Backward : Direction::Both, round == 2 };
}

} // namespace shardscope
