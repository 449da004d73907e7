// SPDX-License-Identifier: GPL-3.0-or-later
// Which values of a program the operations of its reference compute, in full.
#pragma once

#include "partition/device_values.h"

namespace shardscope {

class ReferenceValues {
public:
    /// `parts`: what unsharded() made of `given`.
    ReferenceValues(const Program& source, const PartitionedProgram& parts);
    [[nodiscard]] const Operation& operation(OperationId id) const { return m_program.operation(id); }
    /// What a result of an operation of the reference is of the given program; invalid for shards in manual
    /// computations, and for what came with them.
    [[nodiscard]] ValueId of(ValueId computed) const;
    /// Constraints and collectives of Shardy change only how a value is sharded: the value that the reference computes.
    [[nodiscard]] ValueId computedFor(ValueId source) const;

private:
    const Program& m_specified;
    const Program& m_program;
    DeviceValues m_values;
};

} // namespace shardscope
