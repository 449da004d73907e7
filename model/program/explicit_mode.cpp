// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/explicit_mode.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace shardscope {

namespace {

void append(ExplicitOutcome& outcome, std::int64_t size, AxisList axes)
{
    outcome.shape.push_back(size);
    outcome.sharding.dims.push_back({ std::move(axes), false });
}

/// The result, unless an axis shards two of its dimensions. `source`: per dimension the operand that shards it.
ExplicitOutcome checked(ExplicitOutcome outcome, std::span<const std::int32_t> source = {})
{
    const auto from = [&](std::size_t dimension) { return dimension < source.size() ? source[dimension] : -1; };
    for (std::size_t d = 0; d < outcome.sharding.rank(); ++d)
        for (std::size_t before = 0; before < d; ++before)
            for (const AxisRef& axis : outcome.sharding.dims[d].axes)
                for (const AxisRef& other : outcome.sharding.dims[before].axes)
                    if (overlaps(axis, other))
                        return explicitlyRefused(ExplicitProblem::AxisTwice, d, from(before), from(d));
    std::sort(outcome.reduced.begin(), outcome.reduced.end());
    return outcome;
}

bool isOneOf(std::span<const std::int64_t> dimensions, std::size_t dimension)
{
    return std::find(dimensions.begin(), dimensions.end(), static_cast<std::int64_t>(dimension)) != dimensions.end();
}

const AxisList& axesOf(const ExplicitArray& array, std::int64_t dimension)
{
    return array.sharding.dims[static_cast<std::size_t>(dimension)].axes;
}

} // namespace

ExplicitOutcome explicitlyRefused(
    ExplicitProblem problem, std::size_t dimension, std::int32_t first, std::int32_t second)
{
    ExplicitOutcome outcome;
    outcome.problem = problem;
    outcome.dimension = static_cast<std::int32_t>(dimension);
    outcome.first = first;
    outcome.second = second;
    return outcome;
}

std::string_view kindName(ExplicitProblem problem)
{
    using enum ExplicitProblem;
    static constexpr std::pair<ExplicitProblem, std::string_view> names[] = {
        { NotDivisible, "not_divisible" },
        { OperandsDiffer, "operands_sharded_differently" },
        { AxisTwice, "result_mentions_axis_twice" },
        { BatchDimensionsDiffer, "batch_dims_sharded_differently" },
        { ContractedBothSharded, "contracting_dims_both_sharded" },
        { ContractedDiffer, "contracting_dims_not_identical" },
        { UnreducedNotContracted, "unreduced_axes_not_contracted" },
        { ReshapeOpen, "reshape_needs_out_sharding" },
        { PaddedSharded, "pad_sharded_dim" },
        { SlicedSharded, "slice_of_sharded_dim" },
        { AddedUpSharded, "cumulative_op_on_sharded_dim" },
        { SortedSharded, "sort_along_sharded_dim" },
        { TakenFromSharded, "gather_needs_out_sharding" },
        { TakenAtSharded, "gather_at_sharded_places" },
        { CarryDiffers, "carry_type_mismatch" },
        { BranchesDiffer, "branch_types_differ" },
        { UnreducedDiffer, "unreduced_axes_differ" },
        { FactorNotReduced, "mul_needs_reduced_operand" },
        { DenominatorUnreduced, "unreduced_denominator" },
        { ProductOfUnreduced, "operand_unreduced" },
        { NotLinear, "no_unreduced_rule" },
        { ReshapeDropsUnreduced, "reshape_drops_unreduced" },
        { ReshapeAddsUnreduced, "reshape_adds_unreduced" },
        { UnreducedNotReduced, "unreduced_axes_not_reduced" },
    };
    const auto found =
        std::find_if(std::begin(names), std::end(names), [&](const auto& row) { return row.first == problem; });
    return found == std::end(names) ? std::string_view() : found->second;
}

ExplicitOutcome explicitElementwise(std::span<const ExplicitArray> operands)
{
    std::size_t rank = 0;
    for (const ExplicitArray& operand : operands)
        rank = std::max(rank, operand.shape.size());
    ExplicitOutcome outcome;
    std::vector<std::int32_t> source(rank, -1);
    for (std::size_t d = 0; d < rank; ++d) {
        std::int64_t size = 1;
        AxisList axes;
        for (std::size_t o = 0; o < operands.size(); ++o) {
            const ExplicitArray& operand = operands[o];
            const std::size_t missing = rank - operand.shape.size();
            if (d < missing || operand.shape[d - missing] == 1)
                continue;
            size = operand.shape[d - missing];
            const AxisList& own = operand.sharding.dims[d - missing].axes;
            if (own.empty())
                continue;
            if (!axes.empty() && !(axes == own))
                return explicitlyRefused(ExplicitProblem::OperandsDiffer, d, source[d], static_cast<std::int32_t>(o));
            if (axes.empty())
                source[d] = static_cast<std::int32_t>(o);
            axes = own;
        }
        append(outcome, size, std::move(axes));
    }
    return checked(std::move(outcome), source);
}

ExplicitOutcome explicitDot(const ExplicitArray& lhs, const ExplicitArray& rhs, const DotGeneralAttributes& dimensions,
    const TensorSharding* wanted)
{
    ExplicitOutcome outcome;
    for (std::size_t i = 0; i < dimensions.lhsBatch.size(); ++i) {
        const AxisList& left = axesOf(lhs, dimensions.lhsBatch[i]);
        if (!(left == axesOf(rhs, dimensions.rhsBatch[i])))
            return explicitlyRefused(ExplicitProblem::BatchDimensionsDiffer, i, 0, 1);
        append(outcome, lhs.shape[static_cast<std::size_t>(dimensions.lhsBatch[i])], left);
    }
    AxisList contracted;
    for (std::size_t i = 0; i < dimensions.lhsContracting.size(); ++i) {
        const AxisList& left = axesOf(lhs, dimensions.lhsContracting[i]);
        const AxisList& right = axesOf(rhs, dimensions.rhsContracting[i]);
        const bool partial = wanted && !wanted->unreduced.empty();
        if (partial && !(left == right))
            return explicitlyRefused(ExplicitProblem::ContractedDiffer, i, 0, 1);
        if (!wanted && !left.empty() && !right.empty())
            return explicitlyRefused(ExplicitProblem::ContractedBothSharded, i, 0, 1);
        for (const AxisRef& axis : left == right ? left : AxisList())
            contracted.push_back(axis);
    }
    std::sort(contracted.begin(), contracted.end());
    if (wanted && !wanted->unreduced.empty() && !(wanted->unreduced == contracted))
        return explicitlyRefused(ExplicitProblem::UnreducedNotContracted, 0, 0, 1);
    for (std::size_t d = 0; d < lhs.shape.size(); ++d)
        if (!isOneOf(dimensions.lhsBatch, d) && !isOneOf(dimensions.lhsContracting, d))
            append(outcome, lhs.shape[d], lhs.sharding.dims[d].axes);
    for (std::size_t d = 0; d < rhs.shape.size(); ++d)
        if (!isOneOf(dimensions.rhsBatch, d) && !isOneOf(dimensions.rhsContracting, d))
            append(outcome, rhs.shape[d], rhs.sharding.dims[d].axes);
    if (wanted) {
        outcome.sharding = *wanted;
        if (wanted->unreduced.empty())
            outcome.reduced = contracted;
    }
    std::vector<std::int32_t> source(outcome.shape.size(), 1);
    std::fill_n(source.begin(), lhs.shape.size() - dimensions.lhsContracting.size(), 0);
    return checked(std::move(outcome), source);
}

ExplicitOutcome explicitReduce(const ExplicitArray& operand, std::span<const std::int64_t> dimensions)
{
    ExplicitOutcome outcome;
    for (std::size_t d = 0; d < operand.shape.size(); ++d) {
        const AxisList& axes = operand.sharding.dims[d].axes;
        if (!isOneOf(dimensions, d))
            append(outcome, operand.shape[d], axes);
        else
            for (const AxisRef& axis : axes)
                outcome.reduced.push_back(axis);
    }
    return checked(std::move(outcome));
}

ExplicitOutcome explicitReshape(const ExplicitArray& operand, const Shape& shape)
{
    ExplicitOutcome outcome;
    std::size_t changes = 0;
    std::size_t from = 0;
    std::size_t to = 0;
    const auto skipOnes = [&] {
        for (; to < shape.size() && shape[to] == 1; ++to)
            append(outcome, 1, {});
        while (from < operand.shape.size() && operand.shape[from] == 1)
            if (!operand.sharding.dims[from++].axes.empty())
                return false;
        return true;
    };
    while (true) {
        if (!skipOnes())
            return explicitlyRefused(ExplicitProblem::ReshapeOpen, to, 0);
        if (from == operand.shape.size() || to == shape.size())
            break;
        // The shortest run of dimensions on both sides that hold as many elements.
        const std::size_t firstFrom = from;
        const std::size_t firstTo = to;
        std::int64_t have = operand.shape[from++];
        std::int64_t want = shape[to++];
        std::size_t manyFrom = 1;
        std::size_t manyTo = 1;
        while (have != want)
            if (have < want && from < operand.shape.size()) {
                have *= operand.shape[from];
                manyFrom += operand.shape[from++] == 1 ? 0U : 1U;
            } else if (to < shape.size()) {
                want *= shape[to];
                manyTo += shape[to++] == 1 ? 0U : 1U;
            } else {
                return explicitlyRefused(ExplicitProblem::ReshapeOpen, firstTo, 0);
            }
        AxisList axes = operand.sharding.dims[firstFrom].axes;
        if (manyFrom > 1 || manyTo > 1) {
            ++changes;
            bool open = axes.empty(); // a dimension that is not sharded has come
            for (std::size_t d = firstFrom + 1; d < from; ++d) {
                const AxisList& further = operand.sharding.dims[d].axes;
                if (operand.shape[d] == 1 && further.empty())
                    continue;
                if (open && !further.empty())
                    return explicitlyRefused(ExplicitProblem::ReshapeOpen, firstTo, 0);
                open = further.empty();
                for (const AxisRef& axis : further)
                    axes.push_back(axis);
            }
            if (changes > 1 || (manyFrom > 1 && manyTo > 1) || shape[firstTo] % product(axes) != 0)
                return explicitlyRefused(ExplicitProblem::ReshapeOpen, firstTo, 0);
        }
        append(outcome, shape[firstTo], std::move(axes));
        for (std::size_t d = firstTo + 1; d < to; ++d)
            append(outcome, shape[d], {});
    }
    return checked(std::move(outcome));
}

} // namespace shardscope
