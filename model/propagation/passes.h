// SPDX-License-Identifier: GPL-3.0-or-later
// The passes around propagation, as propagation/pass_pipelines.h puts them in a row.
#pragma once

#include "program/program.h"

namespace shardscope::passes {

// Custom calls that stand for operations and declarations of Shardy.

/// Custom calls that stand for what Shardy has become that: importManualRegions(), @Sharding a constraint,
/// @xla.sdy.ShardingGroup a group, @xla.sdy.FuncResultSharding what its function declares for the result that returns
/// it. Others stay.
[[nodiscard]] Program importCustomCalls(Program program);

// Meshes: inline ones become declared ones, axes of size 1 leave the shardings.

/// Identical meshes become the first of them; those that stand inside shardings become declared ones, named
/// maximal_mesh_<device>, empty_mesh, or the first free of mesh, mesh_0, mesh_1, ...
[[nodiscard]] Program liftInlinedMeshes(Program program);
/// Takes axes of size 1 out of every sharding; not out of meshes and lists of manual axes.
[[nodiscard]] Program removeSizeOneAxes(Program program);

// Constants: one copy per use before propagation, one for all afterwards.

/// Constants become constants that are never merged again, and every use of a constant expression, or of a scalar that
/// is broadcast, gets a copy of its own: none carries a sharding from one use to another.
[[nodiscard]] Program splitConstants(Program program);
/// Equal constants, and equal broadcasts of one scalar, of the same region become the first of them.
[[nodiscard]] Program mergeConstants(Program program);

// Manual computations say of every manual axis what it does at each boundary.

/// Sorts manual axes by mesh order, and names those that a boundary of the computation does not mention as replicated
/// there. Error: manual axes and a body, but no boundary that would have a mesh.
[[nodiscard]] Result<Program> cleanUpManualAxes(Program program);

// Sharding constraints: what nothing contradicts is the sharding of their input.

/// Constraints that nothing contradicts become the sharding of their input; a constraint without a sharding asks for
/// nothing. Uses of a value after a chain of constraints on it mean the end of the chain.
[[nodiscard]] Program applyShardingConstraints(Program program);

// Sharding groups: values that are to have one sharding.

/// Groups that share a value become one; ids 0, 1, ... in the order of the program. Error: members of different shapes,
/// or in the bodies of different manual computations.
[[nodiscard]] Result<Program> importShardingGroups(Program program);
[[nodiscard]] Program removeShardingGroups(Program program);

// Data-flow edges: the values in which operations with bodies hand on what flows through them.

/// An edge after each result of while, case, barrier, manual and named computation, and at each argument of the bodies
/// of the last two; static tensors only. An edge holds the sharding of its value and takes over all uses.
[[nodiscard]] Program addDataFlowEdges(Program program);
/// Edges go; their shardings move to the values that they stood for.
[[nodiscard]] Program sinkDataFlowEdges(Program program);
/// Edges at arguments of functions other than main and at results of calls: instead of one body per call.
[[nodiscard]] Program addFunctionDataFlowEdges(Program program);
[[nodiscard]] Program sinkFunctionDataFlowEdges(Program program);

// Shardings between calls and functions.

/// Calls without shardings get those that their callee declares for its results.
[[nodiscard]] Program propagateFromFunctionsToCalls(Program program);
/// What functions other than main declare for their results becomes what they return.
[[nodiscard]] Program propagateToFunctionResults(Program program);
/// Calls take over what their callee declares; where that is another sharding than the call had, a reshard restores it.
[[nodiscard]] Program insertCallReshards(Program program);

// Calls as regions, for the time of propagation, and back.

/// Calls become named computations, with data-flow edges; only main is left of the functions.
[[nodiscard]] Program importFunctionCalls(Program program);
/// Named computations become calls of new private functions; their edges go.
[[nodiscard]] Program exportNamedComputations(Program program);

// After propagation a sharding constraint is the place at which its value is brought to that sharding.

/// Every constraint becomes a reshard to its sharding.
[[nodiscard]] Program constraintsToReshards(Program program);
/// Reshards whose results nobody uses go.
[[nodiscard]] Program dropUnusedReshards(Program program);

// Shardings of what comes in and goes out become final.

/// Of functions, calls and manual computations, or of those computations alone.
enum class DivisorBoundaries : std::uint8_t { All, OfManual };
/// What comes in and goes out (arguments, results) keeps of its axes what divides each dimension.
[[nodiscard]] Program keepDivisors(Program program, DivisorBoundaries boundaries);
/// Open dimensions of what main takes and returns keep their axes up to the first part of one.
[[nodiscard]] Program removeSubAxes(Program program);
/// All dimensions become closed, and nothing is kept replicated.
[[nodiscard]] Program closeShardings(Program program);

} // namespace shardscope::passes
