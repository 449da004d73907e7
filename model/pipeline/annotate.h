// SPDX-License-Identifier: GPL-3.0-or-later
// What rules make of the annotations of a program.
#pragma once

#include "pipeline/snapshot.h"

namespace shardscope {

/// Of a program as it was built, problems included. Annotations without rules stay as they are.
[[nodiscard]] Annotations resolveAnnotations(const Program& program, const Mesh& mesh, const Experiment& experiment);

} // namespace shardscope
