// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/check/reference_values.h"

#include "program/value_shardings.h"

namespace shardscope {

ReferenceValues::ReferenceValues(const Program& source, const PartitionedProgram& parts)
    : m_source(source)
    , m_program(parts.device.program)
    , m_values(source, parts)
{
}

ValueId ReferenceValues::of(ValueId computed) const
{
    const DeviceShard* shard = m_values.of(computed);
    const bool isFull = shard && !shard->addends && shard->array.sharding.isFullyReplicated();
    return isFull ? shard->meant : ValueId();
}

ValueId ReferenceValues::computedFor(ValueId source) const
{
    while (source.index < m_source.values.size() && m_source.value(source).definition.valid()) {
        const Operation& operation = m_source.operation(m_source.value(source).definition);
        if (!changesOnlySharding(operation.kind))
            break;
        source = operation.operands[0];
    }
    return source;
}

} // namespace shardscope
