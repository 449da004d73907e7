// SPDX-License-Identifier: GPL-3.0-or-later
// What several passes need.
#pragma once

#include <functional>
#include <optional>

#include "program/editor.h"
#include "program/unreduced_axes.h"
#include "program/value_shardings.h"

namespace shardscope::passes {

/// Changes every sharding of the program: of values, results of functions and attributes.
void mapShardings(Program& program, const std::function<ProgramSharding(const ProgramSharding&)>& change);

/// Of an edge.
void setEdgeSharding(Program& program, OperationId edge, std::optional<ProgramSharding> sharding);
/// Of any value, wherever it stands: with the value, in the operation that makes it, or in the lists of a computation.
/// Null for none; until the next change of the program.
[[nodiscard]] const ProgramSharding* shardingAnywhere(const Editor& edit, ValueId value);

[[nodiscard]] ProgramSharding openSharding(std::uint32_t mesh, std::size_t rank);
[[nodiscard]] ProgramSharding closedSharding(std::uint32_t mesh, std::size_t rank);
/// All dimensions are closed.
[[nodiscard]] bool isFullyClosed(const ProgramSharding& sharding);
/// Nothing is sharded and nothing unreduced; likewise a missing one.
[[nodiscard]] bool isReplicated(const ProgramSharding* sharding);
/// What counts for whether a reshard is needed.
[[nodiscard]] bool areEquivalent(const ProgramSharding* a, const ProgramSharding* b);

/// Sorted by mesh order, neighbours merged.
void sortAndMerge(AxisList& axes);

/// Tensors of known sizes: what can have a data-flow edge.
[[nodiscard]] bool isStatic(const TensorType& type);
/// The sharding outside of a manual computation for a value inside: the manual axes of `boundary`, then those of
/// `inside`.
[[nodiscard]] ProgramSharding outsideOf(const Program& program, const ProgramSharding& inside,
    const ProgramSharding& boundary, const std::vector<std::string>& manualAxes);

/// Puts edges on the results of the operation and on the arguments of its body, if it has such.
void addEdges(Editor& edit, OperationId operation);
/// Drops the edges of the operation's results and of its body's arguments, and keeps their shardings.
void sinkEdges(Editor& edit, OperationId operation);

} // namespace shardscope::passes
