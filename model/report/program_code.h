// SPDX-License-Identifier: GPL-3.0-or-later
// The layout of a program that was read from a text, as code for JAX. Its arguments have an order, and no tree of
// names.
//
//     in_shardings = (
//         NamedSharding(mesh, P('data', None)),  # x
//         NamedSharding(mesh, P(None, 'model')),  # w, as propagated
//     )
#pragma once

#include <string>

#include "pipeline/snapshot.h"
#include "report/python_code.h"

namespace shardscope {

/// in_shardings and out_shardings of main, in their order, and the constraints by the names of values, along the axes
/// of the snapshot's mesh; a constraint over a mesh that these do not make up is left out. The snapshot is laid out.
[[nodiscard]] std::string programCode(const Snapshot& snapshot, ShardingWriter& writer);

} // namespace shardscope
