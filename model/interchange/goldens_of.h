// SPDX-License-Identifier: GPL-3.0-or-later
// An experiment as MaxText would dump it: specs of the state with mesh axes of size 1, those of activations without.
//
//     {fsdp=8, tensor=1}, embed -> fsdp, mlp -> tensor, parameter (embed, mlp), activation (batch, mlp)
//     state        ["fsdp", "tensor"]
//     activations  P(None, None)
#pragma once

#include <span>

#include "experiment/experiment.h"
#include "interchange/maxtext_goldens.h"

namespace shardscope {

/// The state of the experiment's program with its logical names, paths as MaxText has them, and what its constraints
/// with logical names shard. Inputs are no state; arrays whose names cannot be resolved are left out. Errors: those of
/// makeMesh() and buildProgram().
[[nodiscard]] Result<MaxTextGoldens> goldensOf(const Experiment& experiment);
/// What the experiment's rules make of other arrays with names on its mesh: one spec for each, or nothing where they
/// cannot be resolved. Errors: those of makeMesh() and toExperiment().
[[nodiscard]] Result<std::vector<std::optional<PartitionSpec>>> specsUnder(
    const Experiment& experiment, std::span<const GoldenArray> arrays, Dialect dialect);

/// Those whose names and shapes are known.
[[nodiscard]] std::vector<GoldenArray> withNames(const std::vector<GoldenArray>& arrays);
/// Goldens with the specs that the experiment's rules make of their names, on its mesh. Arrays without names, and those
/// whose names cannot be resolved, are left out. Errors: those of specsUnder().
[[nodiscard]] Result<MaxTextGoldens> goldensUnder(const Experiment& experiment, const MaxTextGoldens& goldens);

} // namespace shardscope
