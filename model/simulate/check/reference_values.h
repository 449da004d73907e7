// SPDX-License-Identifier: GPL-3.0-or-later
// Which values of a program the operations of its unsharded reference compute.
#pragma once

#include "partition/device_values.h"

namespace shardscope {

class ReferenceValues {
public:
    /// `parts`: the result of unsharded() for `source`, which must outlive this object.
    ReferenceValues(const Program& source, const PartitionedProgram& parts);
    [[nodiscard]] const Operation& operation(OperationId id) const { return m_program.operation(id); }
    /// The value of `source` that a result in the reference is. Invalid inside manual computations, which compute on
    /// shards there too, and for values that partitioning added.
    [[nodiscard]] ValueId of(ValueId computed) const;
    /// The value that the reference computes for a value of `source`: before constraints and collectives of Shardy,
    /// which change nothing but its sharding.
    [[nodiscard]] ValueId computedFor(ValueId source) const;

private:
    const Program& m_source;
    const Program& m_program;
    DeviceValues m_values;
};

} // namespace shardscope
