// SPDX-License-Identifier: GPL-3.0-or-later
// The steps whose collectives are counted (partition/step_counts.json), as programs on their meshes.
#pragma once

#include "conformance/checker.h"
#include "propagation/annotated_input.h"
#include "sharding/logical_rules.h"

namespace shardscope::conformance {

struct StepProgram {
    AnnotatedInput input;
    /// The optimizer's state is sharded otherwise than the weights, which are gathered after their update.
    bool gathersUpdated = false;
};
/// L blocks relu(x W1) W2 with a loss, gradients and Adam. Nothing for a scheme that is not known. Throws what Json
/// throws for a case that lacks a member.
[[nodiscard]] std::optional<Result<StepProgram>> blocksStep(const Json& oneCase, MeshPtr mesh);
/// L layers of a transformer with the gradients of their kernels and of their input, from a cotangent of their output.
/// Likewise.
[[nodiscard]] std::optional<Result<StepProgram>> layersStep(const Json& oneCase, MeshPtr mesh);

/// Annotations become shardings; those by logical names through the rules.
[[nodiscard]] AnnotatedInput annotatedOnMesh(Program program, MeshPtr mesh, const LogicalRules& rules = {});

} // namespace shardscope::conformance
