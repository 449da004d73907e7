// SPDX-License-Identifier: GPL-3.0-or-later
// A layout as Python for JAX: the mesh, the logical axis rules, the shardings of arguments and those of constraints, so
// that a plan made here can be pasted into a program.
//
//     mesh = jax.make_mesh((2, 4), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
//     shardings = {
//         "params/layers.0/W1": NamedSharding(mesh, P(None, 'model')),
//     }
#pragma once

#include <string>

#include "pipeline/snapshot.h"

namespace shardscope {

/// Arguments and constraints by their paths, layers that are alike in one line; of a program that was read of a text
/// arguments and results of main in their order, with their names, and constraints by the values' names; of those
/// without a spec (an error, or nothing applies) nothing is written. Specs are as short as they can be: one axis
/// without a tuple, and without axes of size 1. Rules that decide nothing are left out. A comment says what was. A mesh
/// whose devices stand in another order than that of their ids names them one by one. A comment alone where there is no
/// layout.
[[nodiscard]] std::string jaxCode(const Snapshot& snapshot);

} // namespace shardscope
