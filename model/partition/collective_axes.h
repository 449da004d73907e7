// SPDX-License-Identifier: GPL-3.0-or-later
// Which mesh axes the collectives of a program run over that names devices, and labels that say so in its text.
#pragma once

#include <vector>

#include "program/program.h"

namespace shardscope {

/// The axes of which these lists of device ids are the groups; none where no axes make them.
///
///     {i=4, j=2}: [[0, 2, 4, 6], [1, 3, 5, 7]]  i
[[nodiscard]] AxisList axesOfGroups(const std::vector<std::vector<std::int64_t>>& groups, const Mesh& mesh);

/// The devices among which pairs of sender and receiver move data: [[0, 2], [2, 4], [1, 3]] are the groups [0, 2, 4]
/// and [1, 3].
[[nodiscard]] std::vector<std::vector<std::int64_t>> connectedDevices(
    const std::vector<std::vector<std::int64_t>>& pairs);

/// The attribute that says so: shardscope.axes = "i, j:(1)2".
[[nodiscard]] NamedText axesLabel(const Mesh& mesh, const AxisList& axes);
/// Gives it to the operation, as all that is kept of that.
void addLabel(Program& program, OperationId operation, const Mesh& mesh, const AxisList& axes);

/// Of a program for one device: every collective that has no attribute shardscope.axes yet, and runs over axes of the
/// mesh, gets one. Those that the program had itself keep their channel handles, the first of each; all others get
/// handles of their own, in the order of the text. (Each handle takes a copy of the groups: where they are too many,
/// collectives of the same kind over the same axes share one.)
void labelCollectives(Program& program, const Mesh& mesh);

} // namespace shardscope
