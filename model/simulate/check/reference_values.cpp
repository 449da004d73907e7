// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/check/reference_values.h"

#include "program/value_shardings.h"

namespace shardscope {

ReferenceValues::ReferenceValues(const Program& given, const PartitionedProgram& parts)
    : m_given(given)
    , m_program(parts.device.program)
    , m_values(given, parts)
{
}

ValueId ReferenceValues::of(ValueId computed) const
{
    const DeviceShard* shard = m_values.of(computed);
    const bool isFull = shard && !shard->addends && shard->array.sharding.isFullyReplicated();
    return isFull ? shard->meant : ValueId();
}

ValueId ReferenceValues::computedFor(ValueId given) const
{
    while (given.index < m_given.values.size() && m_given.value(given).definition.valid()) {
        const Operation& operation = m_given.operation(m_given.value(given).definition);
        const bool handsOn = operation.kind == OpKind::ShardingConstraint || operation.kind == OpKind::Reshard
            || isShardyCollective(operation.kind);
        if (!handsOn)
            break;
        given = operation.operands[0];
    }
    return given;
}

} // namespace shardscope
