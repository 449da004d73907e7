// SPDX-License-Identifier: GPL-3.0-or-later
// Programs over the blocks of arrays, as JAX's shard_map takes them: what every device does with its own block, with
// collectives over mesh axes by name. What comes out is a per-device program with local shapes.
//
//     BlockBuilder b = *BlockBuilder::over(mesh);                           // Mesh {i=4}
//     ValueId x = *b.input({ DType::F32, { 16 } }, { { SpecEntry::axis("i") } }); // blocks of 4
//     ValueId y = *b.reduce(ReduceKind::Sum, x, { "i" });                   // psum
//     BlockProgram done = std::move(b).finish(y); // checkOutput(done, {}): the same on all devices, as P() says
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "partition/varying_axes.h"
#include "program/program.h"
#include "sharding/partition_spec.h"

namespace shardscope {

struct BlockProgram {
    Program program; ///< of one device; one result
    MeshPtr mesh;
    VaryingAxes varying;
};

class BlockBuilder {
public:
    using Axes = std::vector<std::string>; ///< several count as one, the first one major
    using Groups = std::vector<std::vector<std::int64_t>>; ///< of places along the axes; empty = all in one

    /// Errors: EmptyMesh.
    [[nodiscard]] static Result<BlockBuilder> over(MeshPtr mesh);

    /// The block of a full array. Errors: those of validate(), SpecTooLong and Indivisible among them.
    [[nodiscard]] Result<ValueId> input(const TensorType& whole, const PartitionSpec& spec);

    /// psum, pmax, pmin. Errors: UnknownAxis; GroupsDoNotCover {axes, size}.
    [[nodiscard]] Result<ValueId> reduce(ReduceKind kind, ValueId value, const Axes& axes, const Groups& groups = {});
    [[nodiscard]] Result<ValueId> mean(ValueId value, const Axes& axes);
    /// Tiled: side by side along the dimension; else along a new one.
    [[nodiscard]] Result<ValueId> allGather(ValueId value, const Axes& axes, std::int64_t dimension, bool tiled);
    /// Tiled: the dimension is sharded and must divide; else it is as long as the axes, and goes. Errors: Indivisible.
    [[nodiscard]] Result<ValueId> scatterSum(ValueId value, const Axes& axes, std::int64_t dimension, bool tiled);
    /// Pairs of places, source and target; who is no target gets zeros. Errors: PermutePairs {axes, source or target}.
    [[nodiscard]] Result<ValueId> permute(
        ValueId value, const Axes& axes, const std::vector<std::pair<std::int64_t, std::int64_t>>& pairs);
    /// Untiled: the split dimension is as long as the axes and goes; that of the sources stands at `concat` then.
    [[nodiscard]] Result<ValueId> allToAll(
        ValueId value, const Axes& axes, std::int64_t split, std::int64_t concat, bool tiled);
    /// i32 scalar.
    [[nodiscard]] Result<ValueId> axisIndex(const Axes& axes);

    // Of the blocks alone. Binary operations convert to the left type and spread the smaller operand.
    [[nodiscard]] ValueId unary(OpKind kind, ValueId value);
    [[nodiscard]] ValueId binary(OpKind kind, ValueId lhs, ValueId rhs);
    [[nodiscard]] ValueId constant(const TensorType& type, std::vector<double> values);
    [[nodiscard]] ValueId matmul(ValueId lhs, ValueId rhs);
    [[nodiscard]] ValueId reshape(ValueId value, Shape shape);
    [[nodiscard]] ValueId transpose(ValueId value, Dimensions permutation);
    [[nodiscard]] ValueId reduceLocally(ReduceKind kind, ValueId value, Dimensions dimensions);

    /// The blocks of the gradients of the sum of a full result, put together as `spec` says, with respect to inputs:
    /// each is laid out as the input is. A value that is the same along an axis, and read by blocks that differ there,
    /// gets the sum along it; psum gives back what it gets, all_gather adds up and scatters, psum_scatter gathers,
    /// ppermute sends back, all_to_all exchanges its dimensions. Errors: those of checkOutput(); InvalidOperand for
    /// what has no derivative (pmax and pmin among it) and for results that are no floats.
    [[nodiscard]] Result<std::vector<ValueId>> gradients(
        ValueId result, const PartitionSpec& spec, std::span<const ValueId> inputs);

    [[nodiscard]] const TensorType& type(ValueId value) const { return m_program.value(value).type; }
    /// The program that returns the value. Whether out_specs fit is checkOutput()'s to say.
    [[nodiscard]] BlockProgram finish(ValueId result) &&;

private:
    explicit BlockBuilder(MeshPtr mesh);
    ValueId addValue(const TensorType& type);
    ValueId add(OpKind kind, std::initializer_list<ValueId> operands, const TensorType& type, Attributes attributes);
    /// An operation that adds up (or takes the largest) by a body of two scalars.
    ValueId addReduction(OpKind kind, ValueId value, const TensorType& result, Attributes attributes, ReduceKind how);
    /// What the operand of a collective gets from the cotangent of its result.
    Result<ValueId> transposed(const Operation& operation, ValueId cotangent);
    Result<std::vector<std::size_t>> axisIndices(const Axes& axes) const;
    /// Positions of the devices of every group.
    std::vector<std::vector<std::int64_t>> deviceGroups(const std::vector<std::size_t>& axes) const;
    std::int64_t sizeOf(const std::vector<std::size_t>& axes) const;

    MeshPtr m_mesh;
    Program m_program;
    std::vector<AxisSet> m_arguments;
};

/// ReplicationNotInferred where the result varies over axes that `spec` does not mention; errors of validate().
[[nodiscard]] Result<void> checkOutput(const BlockProgram& block, const PartitionSpec& spec);

} // namespace shardscope
