// SPDX-License-Identifier: GPL-3.0-or-later
// The reference with every value of a step at hand, for tests of programs small enough for that.
#pragma once

#include "simulate/check/reference.h"

namespace shardscope::test {

inline void computeAll(const Program& program, ReferenceState& state)
{
    for (const OperationId id : program.main().operations)
        referenceCompute(program, state, program.operation(id));
}

inline void stepWhole(const Program& program, ReferenceState& state)
{
    computeAll(program, state);
    referenceAdvance(program, state);
}

} // namespace shardscope::test
