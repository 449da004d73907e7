// SPDX-License-Identifier: GPL-3.0-or-later
// Manual computations: their shardings, the shapes inside, and the axes that are manual where.
#pragma once

#include "program/other_attributes.h"
#include "program/verify_findings.h"

namespace shardscope::verification {

/// The computation whose body is being looked at, and those around it.
struct ManualScope {
    const ManualScope* outer = nullptr;
    const ManualComputationAttributes* computation = nullptr;
    const Mesh* mesh = nullptr; ///< over which the axes are manual; null where the shardings have no common one
};

/// The name of an axis of the sharding that an enclosing computation made manual; empty for none.
[[nodiscard]] std::string boundAxis(const Program& program, const ProgramSharding& sharding, const ManualScope* scope);
/// The mesh of all shardings of the computation: the one with axes, if there is one. Null where they have several.
[[nodiscard]] const Mesh* commonMesh(const Program& program, const ManualComputationAttributes& attributes);

/// Numbers of shardings, manual axes, their order and what they shard, the types inside. Each sharding by itself is
/// checked elsewhere. `around` is what encloses the computation.
void checkManualComputation(const Program& program, OperationId id, const ManualScope* around, Findings& findings);
/// Numbers of shardings only.
void checkNamedComputation(const Program& program, OperationId id, Findings& findings);

} // namespace shardscope::verification
