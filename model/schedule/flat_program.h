// SPDX-License-Identifier: GPL-3.0-or-later
// The device program as plans need it: a list of operations on local shapes, with the bodies of called functions in
// place of the calls, tuples as their elements, and without what computes nothing (tokens, constraints).
//
// Values of the given program keep their numbers: value v stands for the form of it that users see, as its sharding
// says. Other forms, such as partial sums and what lies between two collectives, come after these.
//
//     y = dot_general x, W                  %y.partial = dot_general x, W       a new value
//     (model shards the contracted   ->     y = all_reduce %y.partial           the value y of the given program
//     dimension)
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "partition/partition_program.h"
#include "program/step_state.h"
#include "sharding/layout.h"

namespace shardscope {

using FlatValueId = Id<struct FlatValueTag>;

/// A value as one device holds it.
struct FlatValue {
    /// The value of the given program that it is a form of, or that it helps to compute; may be invalid.
    ValueId origin;
    TensorType localType;
    /// How the full array lies on the devices; axes that it is partial over are `unreduced`. Of what is no shard of an
    /// array, such as an offset, `isShard` is false.
    TensorSharding sharding;
    Shape fullShape; ///< without padding
    MeshPtr otherMesh; ///< set where the devices stand in another order than in FlatProgram::mesh
    bool isShard = false;
};

struct FlatOp {
    OperationId operation; ///< of FlatProgram::local
    SmallVector<FlatValueId, 4> operands;
    SmallVector<FlatValueId, 2> results;
    /// Of loops, branches and bodies that are applied to elements: what their regions read from around them, by the
    /// value of FlatProgram::local.
    std::vector<std::pair<ValueId, FlatValueId>> captured;
    std::vector<std::uint32_t> blocks; ///< of loops and branches, per region: index into FlatProgram::blocks
    ValueId origin; ///< the value of the given program that it works for; may be invalid
};

/// Operations that are executed one after the other: main, or the body of a loop or of a branch.
struct FlatBlock {
    std::vector<FlatValueId> arguments;
    std::vector<FlatOp> ops;
    std::vector<FlatValueId> results; ///< invalid for a token
    /// (value, number of a result) that takes the value's place at the end: the state of main, and of the body of a
    /// loop; of a branch, what the operation gives.
    std::vector<std::pair<FlatValueId, std::uint32_t>> state;
    /// Whether new state may be written over the old while somebody could still look at it: arguments of main that are
    /// not donated keep their values to the end of the step, and take the new ones then.
    bool isDonated = true;
};

struct FlatProgram {
    ProgramPtr program; ///< as it was given: names, roles
    std::shared_ptr<const PartitionedProgram> parts; ///< that it was made of
    ProgramPtr local; ///< what every device runs: local shapes, StableHLO
    MeshPtr mesh;
    std::int64_t replicas = 1; ///< as DeviceProgram::replicas
    std::vector<FlatValue> values; ///< [0, program->values.size()) are the given program's
    std::vector<FlatBlock> blocks; ///< [0] is main
    /// Values of the given program that are others under another name: constraints, and the value constrained.
    std::vector<std::pair<FlatValueId, FlatValueId>> aliases;
    StepState state; ///< of main
    /// Pairs of `state`, as (argument, result), whose result is sharded otherwise than the argument: the array is
    /// resharded when the step is over. All others are in main().state.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> reshardedState;
    std::vector<ShardedArray> inputs, outputs; ///< of main

    [[nodiscard]] const FlatBlock& main() const { return blocks.front(); }
    [[nodiscard]] const FlatValue& value(FlatValueId id) const { return values[id.index]; }
    [[nodiscard]] const Operation& operation(const FlatOp& op) const { return local->operation(op.operation); }
    /// Of a value that is a shard.
    [[nodiscard]] Layout layout(FlatValueId id) const;
};

/// `parts` was made from `source`. `shown`: the sharding in which users see each value of `source`; without one, the
/// first form of it that is not partial counts. Errors: NotExecutable for tuples that loops or branches pass on, for
/// recursive functions, and if the calls in place of which bodies are put come to more than a million operations.
[[nodiscard]] Result<FlatProgram> flatten(ProgramPtr source, std::shared_ptr<const PartitionedProgram> parts,
    StepState state, std::span<const std::optional<TensorSharding>> shown = {});

} // namespace shardscope
