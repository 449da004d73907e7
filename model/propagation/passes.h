// SPDX-License-Identifier: GPL-3.0-or-later
// The passes before and after propagation, each named with the pass of Shardy that it follows. pass_pipelines.h puts
// them in order.
#pragma once

#include "program/program.h"

namespace shardscope::passes {

// Custom calls by which JAX hands operations and declarations of Shardy to XLA.

/// Replaces such custom calls by what they stand for: those of importManualRegions(); @Sharding by a sharding
/// constraint;
/// @xla.sdy.ShardingGroup by a sharding group; @xla.sdy.FuncResultSharding by the declared sharding of the result that
/// returns its value. Other custom calls stay.
[[nodiscard]] Program importCustomCalls(Program program);

// Meshes.

/// sdy-lift-inlined-meshes: meshes that are written inside shardings become declared meshes, named
/// maximal_mesh_<device>, empty_mesh, or the first free name of mesh, mesh_0, mesh_1, ... Of identical meshes the first
/// one stays.
[[nodiscard]] Program liftInlinedMeshes(Program program);
/// sdy-remove-size-one-axes: removes axes of size 1 from every sharding; meshes and lists of manual axes keep them.
[[nodiscard]] Program removeSizeOneAxes(Program program);

// Constants.

/// sdy-constant-or-scalar-splitter: every use of a constant expression or of a broadcast scalar gets a copy of its own,
/// so that no sharding propagates from one use to another through it. Constants become sdy.constant, which is not
/// merged meanwhile.
[[nodiscard]] Program splitConstants(Program program);
/// sdy-constant-or-scalar-merger: the reverse. Of equal constants, and of equal broadcasts of one scalar, in a region
/// the first one stays.
[[nodiscard]] Program mergeConstants(Program program);

// Manual computations.

/// sdy-manual-axes-cleanup: sorts manual axes by mesh order, and adds those that an in_sharding or out_sharding does
/// not mention to its replicated axes. Error: manual axes and a body, but no in_sharding or out_sharding to take the
/// mesh from.
[[nodiscard]] Result<Program> cleanUpManualAxes(Program program);

// Sharding constraints.

/// sdy-apply-sharding-constraints: copies the sharding of a constraint, or of an in_sharding, to the value that it
/// constrains, if the sharding is closed in all dimensions, the value has none yet, and no other constraint of the
/// value differs. Where constraints on a value form a chain, later uses of the value become uses of the last one's
/// result:
///
///     y = sharding_constraint x [{a}, {}]; z = sharding_constraint y [{}, {a}]; add x, w   ->   add z, w
[[nodiscard]] Program applyShardingConstraints(Program program);

// Sharding groups: values that have to have the same sharding.

/// sdy-sharding-group-import: merges groups that share a value and numbers groups from 0 in program order. Error:
/// members of different shapes, or in the bodies of different manual computations.
[[nodiscard]] Result<Program> importShardingGroups(Program program);
/// sdy-remove-sharding-groups.
[[nodiscard]] Program removeShardingGroups(Program program);

// Data-flow edges: operations that hold the one sharding of values that have to agree, such as a loop's initial values,
// its body's arguments and results, and the loop's results.

/// sdy-add-data-flow-edges: an edge at each result of while, case, optimization_barrier, manual and named computations,
/// and at each argument of the bodies of the last two, if it is a tensor of static shape. The edge takes over the
/// sharding and all uses of the value.
[[nodiscard]] Program addDataFlowEdges(Program program);
/// sdy-sink-data-flow-edges: removes the edges; their shardings become those of their values.
[[nodiscard]] Program sinkDataFlowEdges(Program program);
/// sdy-add-func-data-flow-edges: edges at arguments of functions other than main and at results of calls, for
/// propagation through functions that several calls share.
[[nodiscard]] Program addFunctionDataFlowEdges(Program program);
/// sdy-sink-func-data-flow-edges: removes them.
[[nodiscard]] Program sinkFunctionDataFlowEdges(Program program);

// Shardings between calls and functions.

/// sdy-propagate-sharding-from-func-to-call: calls without shardings get those that their callee declares for its
/// results.
[[nodiscard]] Program propagateFromFunctionsToCalls(Program program);
/// sdy-propagate-to-func-results: sets the declared result shardings of functions other than main to the shardings of
/// the values that they return.
[[nodiscard]] Program propagateToFunctionResults(Program program);
/// sdy-insert-func-call-reshards: calls get the result shardings of their callee; a reshard after the call restores the
/// call's own sharding where it differs.
[[nodiscard]] Program insertCallReshards(Program program);

// Calls as regions during propagation.

/// sdy-import-func-calls: inlines calls as named computations with data-flow edges; main is the only function left.
[[nodiscard]] Program importFunctionCalls(Program program);
/// sdy-export-named-computations: named computations become calls of new private functions, without edges.
[[nodiscard]] Program exportNamedComputations(Program program);

// Reshards.

/// sdy-sharding-constraint-to-reshard: every constraint becomes a reshard to its sharding.
[[nodiscard]] Program constraintsToReshards(Program program);
/// Removes reshards whose results have no use.
[[nodiscard]] Program dropUnusedReshards(Program program);

// Final shardings of inputs and outputs.

/// Whose inputs and outputs: those of functions, calls and manual computations, or of manual computations alone.
enum class DivisorBoundaries : std::uint8_t { All, OfManual };
/// sdy-update-non-divisible-input-output-shardings: each dimension of an input or output keeps as many of its axes,
/// from the first on, as divide its size.
[[nodiscard]] Program keepDivisors(Program program, DivisorBoundaries boundaries);
/// sdy-remove-sub-axes-in-input-output-shardings: in open dimensions of main's arguments and results, removes the first
/// sub-axis and all axes after it.
[[nodiscard]] Program removeSubAxes(Program program);
/// sdy-close-shardings: closes all dimensions and empties the lists of replicated axes.
[[nodiscard]] Program closeShardings(Program program);

} // namespace shardscope::passes
