// SPDX-License-Identifier: GPL-3.0-or-later
// Which values of a program the operations of its reference compute, in full.
#pragma once

#include "partition/device_values.h"

namespace shardscope {

class ReferenceValues {
public:
    /// `parts`: what unsharded() made of `given`.
    ReferenceValues(const Program& given, const PartitionedProgram& parts);
    [[nodiscard]] const Operation& operation(OperationId id) const { return m_program.operation(id); }
    /// What a result of an operation of the reference is of the given program; invalid for shards in manual
    /// computations, and for what came with them.
    [[nodiscard]] ValueId of(ValueId computed) const;
    /// A constraint or a collective of Shardy hands on what it is given: the value that the reference computes.
    [[nodiscard]] ValueId computedFor(ValueId given) const;

private:
    const Program& m_given;
    const Program& m_program;
    DeviceValues m_values;
};

} // namespace shardscope
