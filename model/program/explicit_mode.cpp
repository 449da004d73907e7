// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/explicit_mode.h"

#include <algorithm>
#include <vector>

namespace shardscope {

namespace {

ExplicitOutcome refused(ExplicitProblem problem, std::size_t dimension)
{
    ExplicitOutcome outcome;
    outcome.problem = problem;
    outcome.dimension = static_cast<std::int32_t>(dimension);
    return outcome;
}

void append(ExplicitOutcome& outcome, std::int64_t size, AxisList axes)
{
    outcome.shape.push_back(size);
    outcome.sharding.dims.push_back({ std::move(axes), false });
}

/// The result, unless an axis cuts two of its dimensions.
ExplicitOutcome checked(ExplicitOutcome outcome)
{
    AxisList seen;
    for (std::size_t d = 0; d < outcome.sharding.rank(); ++d)
        for (const AxisRef& axis : outcome.sharding.dims[d].axes) {
            if (std::find(seen.begin(), seen.end(), axis) != seen.end())
                return refused(ExplicitProblem::AxisTwice, d);
            seen.push_back(axis);
        }
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

std::string_view kindName(ExplicitProblem problem)
{
    switch (problem) {
    case ExplicitProblem::None:
        break;
    case ExplicitProblem::OperandsDiffer:
        return "operands_sharded_differently";
    case ExplicitProblem::AxisTwice:
        return "result_mentions_axis_twice";
    case ExplicitProblem::BatchDimensionsDiffer:
        return "batch_dims_sharded_differently";
    case ExplicitProblem::ContractedBothCut:
        return "contracting_dims_both_sharded";
    case ExplicitProblem::ContractedDiffer:
        return "contracting_dims_not_identical";
    case ExplicitProblem::UnreducedNotContracted:
        return "unreduced_axes_not_contracted";
    case ExplicitProblem::ReshapeOpen:
        return "reshape_needs_out_sharding";
    }
    return {};
}

ExplicitOutcome explicitElementwise(std::span<const ExplicitArray> operands)
{
    std::size_t rank = 0;
    for (const ExplicitArray& operand : operands)
        rank = std::max(rank, operand.shape.size());
    ExplicitOutcome outcome;
    for (std::size_t d = 0; d < rank; ++d) {
        std::int64_t size = 1;
        AxisList axes;
        for (const ExplicitArray& operand : operands) {
            const std::size_t missing = rank - operand.shape.size();
            if (d < missing || operand.shape[d - missing] == 1)
                continue;
            size = operand.shape[d - missing];
            const AxisList& own = operand.sharding.dims[d - missing].axes;
            if (own.empty())
                continue;
            if (!axes.empty() && !(axes == own))
                return refused(ExplicitProblem::OperandsDiffer, d);
            axes = own;
        }
        append(outcome, size, std::move(axes));
    }
    return checked(std::move(outcome));
}

ExplicitOutcome explicitDot(const ExplicitArray& lhs, const ExplicitArray& rhs, const DotGeneralAttributes& dimensions,
    const TensorSharding* wanted)
{
    ExplicitOutcome outcome;
    for (std::size_t i = 0; i < dimensions.lhsBatch.size(); ++i) {
        const AxisList& left = axesOf(lhs, dimensions.lhsBatch[i]);
        if (!(left == axesOf(rhs, dimensions.rhsBatch[i])))
            return refused(ExplicitProblem::BatchDimensionsDiffer, i);
        append(outcome, lhs.shape[static_cast<std::size_t>(dimensions.lhsBatch[i])], left);
    }
    AxisList contracted;
    for (std::size_t i = 0; i < dimensions.lhsContracting.size(); ++i) {
        const AxisList& left = axesOf(lhs, dimensions.lhsContracting[i]);
        const AxisList& right = axesOf(rhs, dimensions.rhsContracting[i]);
        const bool partial = wanted && !wanted->unreduced.empty();
        if (partial && !(left == right))
            return refused(ExplicitProblem::ContractedDiffer, i);
        if (!wanted && !left.empty() && !right.empty())
            return refused(ExplicitProblem::ContractedBothCut, i);
        for (const AxisRef& axis : left == right ? left : AxisList())
            contracted.push_back(axis);
    }
    std::sort(contracted.begin(), contracted.end());
    if (wanted && !wanted->unreduced.empty() && !(wanted->unreduced == contracted))
        return refused(ExplicitProblem::UnreducedNotContracted, 0);
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
    return checked(std::move(outcome));
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
            return refused(ExplicitProblem::ReshapeOpen, to);
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
                manyFrom += operand.shape[from++] == 1 ? 0 : 1;
            } else if (to < shape.size()) {
                want *= shape[to];
                manyTo += shape[to++] == 1 ? 0 : 1;
            } else {
                return refused(ExplicitProblem::ReshapeOpen, firstTo);
            }
        const AxisList& axes = operand.sharding.dims[firstFrom].axes;
        if (manyFrom > 1 || manyTo > 1) {
            ++changes;
            if (changes > 1 || (manyFrom > 1 && manyTo > 1) || shape[firstTo] % product(axes) != 0)
                return refused(ExplicitProblem::ReshapeOpen, firstTo);
            for (std::size_t d = firstFrom + 1; d < from; ++d)
                if (!operand.sharding.dims[d].axes.empty())
                    return refused(ExplicitProblem::ReshapeOpen, firstTo);
        }
        append(outcome, shape[firstTo], axes);
        for (std::size_t d = firstTo + 1; d < to; ++d)
            append(outcome, shape[d], {});
    }
    return checked(std::move(outcome));
}

} // namespace shardscope
