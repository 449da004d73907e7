// SPDX-License-Identifier: GPL-3.0-or-later
// Reads what stands after "PositionalSharding(", with the operations that follow the closing parenthesis.
#pragma once

#include "sharding/literal.h"
#include "sharding/positional_sharding.h"

namespace shardscope {

/// As JAX prints it, "[[{TPU 0, 4} {TPU 1, 5}]], shape=(1, 2))", or as code: "devices)", "mesh.devices)",
/// "[0, 1, 2, 3]).reshape(2, 2).replicate(axis=0, keepdims=True).T". `mesh` gives the devices their order, and stands
/// for the names in code. Errors: Syntax; MissingMesh; BadReshape, BadAxis, DeviceTwice at the place where they arise.
[[nodiscard]] Result<PositionalSharding> readPositional(Tokens& tokens, const MeshPtr& mesh);

} // namespace shardscope
