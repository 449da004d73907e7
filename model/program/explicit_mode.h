// SPDX-License-Identifier: GPL-3.0-or-later
// JAX's explicit mode as a check: there the sharding of every result follows from those of the operands by rules of the
// operation, or the operation is refused. Nothing is propagated here; a program that passes needs no decision by a
// partitioner, one that does not has to say which result it wants.
//
//     [8,4] sharded [x, -] times [8,4] sharded [-, x]: each dimension may take the axis that is set, and the result
//     would be sharded [x, x]: AxisTwice.
//
// Shardings are closed, over one mesh, without parts of axes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "program/attributes.h"
#include "sharding/tensor_sharding.h"

namespace shardscope {

enum class ExplicitProblem : std::uint8_t {
    None,
    OperandsDiffer, ///< elementwise: a dimension is sharded differently in two operands
    AxisTwice, ///< two dimensions of the result would be sharded over one axis
    BatchDimensionsDiffer, ///< a product's batch dimension is sharded differently on its sides
    ContractedBothSharded, ///< a contracted dimension is sharded on both sides: how the sum is to be sharded is open
    ContractedDiffer, ///< an unreduced result is wanted, and the sides shard a contracted dimension differently
    UnreducedNotContracted, ///< an unreduced result is wanted over other axes than those that are contracted
    ReshapeOpen, ///< more than one dimension is split or merged, or a sharded one in a way that its blocks do not
                 ///< follow
    PaddedSharded, ///< a sharded dimension is padded to a size that does not divide into its shards
    SlicedSharded, ///< of a sharded dimension a part is taken whose size does not divide into its shards
    AddedUpSharded, ///< a cumulative sum, maximum, ... runs along a sharded dimension
    SortedSharded, ///< a sort, or a choice of the largest, runs along a sharded dimension
    TakenFromSharded, ///< entries are taken along a sharded dimension, and no sharding is given for what is taken
    TakenAtSharded, ///< the places of what is taken are sharded, and no sharding is given for what is taken
    CarryDiffers, ///< a loop's body gives back a carried value with another sharding than it was given
    BranchesDiffer, ///< the branches of a choice give a result different shardings
    // Partial sums (unreduced values)
    UnreducedDiffer, ///< a sum of values that are unreduced over different axes
    FactorNotReduced, ///< an unreduced value times one that is not marked as reduced over the same axes
    DenominatorUnreduced, ///< a division by an unreduced value
    ProductOfUnreduced, ///< a product (dot) of an unreduced value
    NotLinear, ///< an operation of an unreduced value that is not linear
    ReshapeDropsUnreduced, ///< a reshape of an unreduced value for which another result is wanted
    ReshapeAddsUnreduced, ///< an unreduced result is wanted of a reshape, and its operand is not unreduced
    NotDivisible, ///< a dimension is split into shards that would not be of one size
    UnreducedNotReduced, ///< an unreduced result of a reduction is wanted over axes that it does not add up over
};
/// "result_mentions_axis_twice"; empty for None.
[[nodiscard]] std::string_view kindName(ExplicitProblem problem);

struct ExplicitArray {
    Shape shape;
    TensorSharding sharding;
};
struct ExplicitOutcome {
    ExplicitProblem problem = ExplicitProblem::None;
    std::int32_t dimension = -1; ///< of the result, or of the contraction or batch, in which the problem lies
    /// The operands at fault: the first and, of a contradiction, the one that contradicts it; -1 = none.
    std::int32_t first = -1, second = -1;
    TensorSharding sharding; ///< of the result
    Shape shape; ///< of the result
    AxisList reduced; ///< axes over which partial results are added up, in mesh order
};

/// Dimensions of different arrays are aligned at the last one, as NumPy does; those of size 1 have no say.
[[nodiscard]] ExplicitOutcome explicitElementwise(std::span<const ExplicitArray> operands);
/// `wanted` is the sharding that the program gives for the result; null: it gives none.
[[nodiscard]] ExplicitOutcome explicitDot(const ExplicitArray& lhs, const ExplicitArray& rhs,
    const DotGeneralAttributes& dimensions, const TensorSharding* wanted = nullptr);
[[nodiscard]] ExplicitOutcome explicitReduce(const ExplicitArray& operand, std::span<const std::int64_t> dimensions);
/// One dimension may be split or some neighbours merged. Of a split one the first part carries the axes and has to
/// divide; of merged ones the first are sharded, and the result by all their axes in that order.
[[nodiscard]] ExplicitOutcome explicitReshape(const ExplicitArray& operand, const Shape& shape);
/// A refusal, for rules that stand elsewhere (program/explicit_rules.h).
[[nodiscard]] ExplicitOutcome explicitlyRefused(
    ExplicitProblem problem, std::size_t dimension, std::int32_t first = -1, std::int32_t second = -1);

} // namespace shardscope
