// SPDX-License-Identifier: GPL-3.0-or-later
// Attributes by which the text of what every device runs says what it was partitioned from (program/explaining_mesh.h).
#pragma once

#include <optional>
#include <vector>

#include "program/program.h"

namespace shardscope {

/// Gives the program of one device its mesh, and per argument of main the sharding of the array that it is a shard of;
/// nothing where nobody knows it. Where that could not be read back, since an axis has a name that cannot be typed: one
/// axis, "device", and no shardings.
void labelParts(Program& program, const Mesh& mesh, const std::vector<std::optional<TensorSharding>>& parts);

} // namespace shardscope
