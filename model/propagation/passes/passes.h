// SPDX-License-Identifier: GPL-3.0-or-later
// The passes around propagation, as OpenXLA Shardy has them: each takes a program and returns the changed one. They
// prepare programs for propagation (import), carry shardings across calls, and make shardings final (export). What they
// do not mention they keep.
//
//     Program program = passes::removeSizeOneAxes(std::move(program));
//     const auto outcome = passes::run(std::move(program), { { "sdy-close-shardings" } });
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "program/program.h"

namespace shardscope::passes {

// Import

/// Custom calls that stand for what Shardy has become that: importManualRegions(), @Sharding a constraint,
/// @xla.sdy.ShardingGroup a group,
/// @xla.sdy.FuncResultSharding what its function declares for the result that returns it. Others stay.
[[nodiscard]] Program importCustomCalls(Program program);
/// What stands between @SPMDFullToShardShape and @SPMDShardToFullShape, which is computed on shards, becomes a manual
/// computation over all axes. Stays as it is where a border has no sharding, or shards of another size.
[[nodiscard]] Program importManualRegions(Program program);
/// Identical meshes become the first of them; those that stand inside shardings become declared ones, named
/// maximal_mesh_<device>, empty_mesh, or the first free of mesh, mesh_0, mesh_1, ...
[[nodiscard]] Program liftInlinedMeshes(Program program);
/// Takes axes of size 1 out of every sharding; not out of meshes and lists of manual axes.
[[nodiscard]] Program removeSizeOneAxes(Program program);
/// Constants become constants that are never merged again, and every use of a constant expression, or of a scalar that
/// is broadcast, gets a copy of its own: none carries a sharding from one use to another.
[[nodiscard]] Program splitConstants(Program program);
/// Sorts manual axes by mesh order, and names those that a border of the computation does not mention as replicated
/// there. Error: manual axes and a body, but no border that would have a mesh.
[[nodiscard]] Result<Program> cleanUpManualAxes(Program program);
/// An edge after each result of while, case, barrier, manual and named computation, and at each argument of the bodies
/// of the last two; static tensors only. An edge holds the sharding of its value and takes over all uses.
[[nodiscard]] Program addDataFlowEdges(Program program);
/// Constraints that nothing contradicts become the sharding of their input; a constraint without a sharding asks for
/// nothing. Uses of a value after a chain of constraints on it mean the end of the chain.
[[nodiscard]] Program applyShardingConstraints(Program program);
/// Groups that share a value become one; ids 0, 1, ... in the order of the program. Error: members of different shapes,
/// or in the bodies of different manual computations.
[[nodiscard]] Result<Program> importShardingGroups(Program program);

// Calls

/// Private functions that nothing calls go.
[[nodiscard]] Program dropUnusedFunctions(Program program);
/// Calls without shardings get those that their callee declares for its results.
[[nodiscard]] Program propagateFromFunctionsToCalls(Program program);
/// Every call gets a body of its own: the second one and later ones call copies <name>_0, <name>_1, ... that remember
/// the original's name. Programs whose functions call themselves stay as they are, here and below.
[[nodiscard]] Program flattenCallGraph(Program program);
/// TooLarge where that would make more than two million operations: 42 functions that call the next one twice each
/// would make four million millions.
[[nodiscard]] Result<void> checkFlattened(const Program& program);
/// Calls become named computations, with data-flow edges; only main is left of the functions.
[[nodiscard]] Program importFunctionCalls(Program program);
/// Named computations become calls of new private functions; their edges go.
[[nodiscard]] Program exportNamedComputations(Program program);
/// Copies of one function with equal shardings become one again.
[[nodiscard]] Program unflattenCallGraph(Program program);
/// Callers before callees.
[[nodiscard]] Program orderFunctions(Program program);
/// What functions other than main declare for their results becomes what they return.
[[nodiscard]] Program propagateToFunctionResults(Program program);
/// Calls take over what their callee declares; where that is another sharding than the call had, a reshard restores it.
[[nodiscard]] Program insertCallReshards(Program program);
/// Edges at arguments of functions other than main and at results of calls: instead of one body per call.
[[nodiscard]] Program addFunctionDataFlowEdges(Program program);
[[nodiscard]] Program sinkFunctionDataFlowEdges(Program program);

// Export

/// Equal constants, and equal broadcasts of one scalar, of the same region become the first of them.
[[nodiscard]] Program mergeConstants(Program program);
/// Edges go; their shardings move to the values that they stood for.
[[nodiscard]] Program sinkDataFlowEdges(Program program);
[[nodiscard]] Program removeShardingGroups(Program program);
[[nodiscard]] Program constraintsToReshards(Program program);
[[nodiscard]] Program dropUnusedReshards(Program program);
/// What comes in and goes out (arguments, results, calls, manual computations) keeps of its axes what divides each
/// dimension.
[[nodiscard]] Program cutToDivisors(Program program);
/// Of functions and manual computations, or of those computations alone.
enum class CutBorders : std::uint8_t { All, OfManual };
[[nodiscard]] Program cutToDivisors(Program program, CutBorders borders);
/// Open dimensions of what main takes and returns keep their axes up to the first part of one.
[[nodiscard]] Program removeSubAxes(Program program);
/// All dimensions become closed, and nothing is kept replicated.
[[nodiscard]] Program closeShardings(Program program);
/// Drops what manual computations do not need (unused arguments, computations without effect), and what nothing uses.
[[nodiscard]] Program canonicalize(Program program);

} // namespace shardscope::passes
