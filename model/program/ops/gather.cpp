// SPDX-License-Identifier: GPL-3.0-or-later
// Takes one slice out of the operand for every place in the indices. The dimensions of the result are those of the
// slices (offset) and those of the indices (batch); the operand's are offset, collapsed (of slice size 1, left out of
// the result) or paired with dimensions of the indices (batching).
// Declared in rows.h.
#include <array>

#include "program/ops/checks.h"
#include "program/ops/rows.h"

namespace shardscope::ops {

namespace {

/// Dimensions of the operand that occur in the result as offset dimensions, in order.
Dimensions windowDimensions(const GatherAttributes& a, std::size_t rank)
{
    Dimensions left = a.collapsedSliceDims;
    for (const std::int64_t d : a.operandBatchingDims)
        left.push_back(d);
    return dimensionsExcept(rank, left);
}

Result<void> checkAttributes(const GatherAttributes& a, const TensorType& operand, const TensorType& indices)
{
    constexpr std::string_view op = "gather";
    const auto indexRank = static_cast<std::int64_t>(indices.rank());
    if (a.indexVectorDim < 0 || a.indexVectorDim > indexRank)
        return invalidAttribute(
            op, "index_vector_dim " + std::to_string(a.indexVectorDim) + " of " + toString(indices));
    Dimensions left = a.collapsedSliceDims;
    for (const std::int64_t d : a.operandBatchingDims)
        left.push_back(d);
    SHARDSCOPE_CHECK(checkDimensions(op, left, operand.rank()));
    SHARDSCOPE_CHECK(checkDimensions(op, a.startIndicesBatchingDims, indices.rank()));
    SHARDSCOPE_CHECK(checkDimensions(op, a.startIndexMap, operand.rank()));
    if (contains(a.startIndicesBatchingDims, a.indexVectorDim))
        return invalidAttribute(op, "the index vector dimension is among start_indices_batching_dims");
    if (a.operandBatchingDims.size() != a.startIndicesBatchingDims.size())
        return invalidAttribute(op, "operand_batching_dims and start_indices_batching_dims do not pair up");
    const std::int64_t entries = a.indexVectorDim == indexRank ? 1 : indices.shape[at(a.indexVectorDim)];
    if (static_cast<std::int64_t>(a.startIndexMap.size()) != entries)
        return invalidAttribute(op,
            "start_index_map has " + counted(a.startIndexMap.size(), "entry") + ", an index "
                + std::to_string(entries));
    if (a.sliceSizes.size() != operand.rank())
        return invalidAttribute(op, "one slice size is needed per dimension of " + toString(operand));
    for (std::size_t d = 0; d < operand.rank(); ++d) {
        const bool one = contains(left, static_cast<std::int64_t>(d));
        if (a.sliceSizes[d] < 0 || a.sliceSizes[d] > operand.shape[d] || (one && a.sliceSizes[d] > 1))
            return invalidAttribute(op,
                "slice size " + std::to_string(a.sliceSizes[d]) + " of dimension " + std::to_string(d) + " of "
                    + toString(operand) + (one ? ", which is left out of the result and has to be 1" : ""));
    }
    for (std::size_t i = 0; i < a.operandBatchingDims.size(); ++i)
        if (operand.shape[at(a.operandBatchingDims[i])] != indices.shape[at(a.startIndicesBatchingDims[i])])
            return typeMismatch(op, toString(operand) + " and " + toString(indices) + " in their batching dimensions");
    return {};
}

Result<TensorType> inferGather(Types operands, const Attributes& attributes, const TensorType&)
{
    SHARDSCOPE_TRY(own, requiredAttributes<GatherAttributes>("gather", attributes));
    const GatherAttributes& a = **own;
    const TensorType &operand = operands[0], &indices = operands[1];
    if (!isInteger(indices.dtype))
        return typeMismatch("gather", "indices are " + toString(indices) + "; integers are needed");
    SHARDSCOPE_CHECK(checkAttributes(a, operand, indices));
    Dimensions indexVector;
    if (at(a.indexVectorDim) < indices.rank())
        indexVector.push_back(a.indexVectorDim);
    const Dimensions batch = dimensionsExcept(indices.rank(), indexVector);
    const Dimensions window = windowDimensions(a, operand.rank());
    SHARDSCOPE_CHECK(checkDimensions("gather", a.offsetDims, batch.size() + window.size()));
    if (a.offsetDims.size() != window.size() || !std::is_sorted(a.offsetDims.begin(), a.offsetDims.end()))
        return invalidAttribute(
            "gather", "offset_dims has to name " + counted(window.size(), "dimension") + " in ascending order");
    TensorType result{ operand.dtype, {} };
    std::size_t fromBatch = 0, fromWindow = 0;
    for (std::size_t d = 0; d < batch.size() + window.size(); ++d) {
        const bool offset = contains(a.offsetDims, static_cast<std::int64_t>(d));
        result.shape.push_back(offset ? a.sliceSizes[at(window[fromWindow++])] : indices.shape[at(batch[fromBatch++])]);
    }
    return result;
}

FactorRule gatherFactors(Types operands, const TensorType& result, const Attributes& attributes)
{
    const GatherAttributes& a = *attributesAs<GatherAttributes>(attributes);
    const Shape &operand = operands[0].shape, &indices = operands[1].shape;
    const Dimensions window = windowDimensions(a, operand.size());
    const auto places = [](std::int64_t inOperand, std::int64_t inIndices) {
        return std::array{ inOperand, inIndices };
    };
    RuleBuilder rule(operands, result);
    std::size_t nextWindow = 0;
    std::int64_t index = 0;
    for (std::int64_t d = 0; d < static_cast<std::int64_t>(result.rank()); ++d) {
        const std::int64_t size = result.shape[at(d)];
        if (contains(a.offsetDims, d)) {
            const std::int64_t from = window[nextWindow++];
            const std::int64_t full = operand[at(from)];
            if (size == full) {
                rule.add(places(from, absent), d, size);
            } else if (size == 1) { // every device looks in its part; what they find is added up
                rule.add(places(from, absent), absent, full, FactorKind::Reduction);
                rule.add(places(absent, absent), d, size, FactorKind::NeedReplication);
            } else {
                rule.add(places(from, absent), d, full, FactorKind::NeedReplication, true);
            }
            continue;
        }
        if (index == a.indexVectorDim)
            ++index;
        const auto paired = std::find(a.startIndicesBatchingDims.begin(), a.startIndicesBatchingDims.end(), index);
        rule.add(places(paired == a.startIndicesBatchingDims.end()
                         ? absent
                         : a.operandBatchingDims[static_cast<std::size_t>(paired - a.startIndicesBatchingDims.begin())],
                     index),
            d, size);
        ++index;
    }
    for (const std::int64_t d : a.collapsedSliceDims) {
        const std::int64_t size = operand[at(d)];
        rule.add(places(d, absent), absent, size, size == 1 ? FactorKind::NeedReplication : FactorKind::Reduction);
    }
    if (at(a.indexVectorDim) < indices.size())
        rule.add(places(absent, a.indexVectorDim), absent, indices[at(a.indexVectorDim)], FactorKind::NeedReplication);
    return std::move(rule).build();
}

/// The indices that are in effect: gather moves a slice that would begin outside of the operand to its edge.
ValueId clampedIndices(Builder& b, const GatherAttributes& a, const Shape& operand, ValueId indices)
{
    const TensorType type = b.type(indices);
    const std::int64_t most = largestInteger(type.dtype);
    std::vector<double> last;
    for (const std::int64_t d : a.startIndexMap)
        last.push_back(static_cast<double>(std::min(most, operand[at(d)] - a.sliceSizes[at(d)])));
    if (last.empty())
        return indices;
    const TensorType scalar{ type.dtype, {} };
    const bool one = std::count(last.begin(), last.end(), last[0]) == static_cast<std::ptrdiff_t>(last.size());
    ValueId highest = one ? b.constant(scalar, last[0])
                          : b.constant({ type.dtype, { static_cast<std::int64_t>(last.size()) } }, last);
    if (!one)
        highest = b.broadcast(highest, type.shape, { a.indexVectorDim });
    return b.clamp(b.constant(scalar, 0), indices, highest);
}

/// A scatter into zeros that adds.
std::vector<ValueId> pullBackGather(Builder& b, const Operation& operation, Cotangents cotangents, Wanted wanted)
{
    if (!wanted[0])
        return std::vector<ValueId>(2);
    const GatherAttributes& a = attributesOf<GatherAttributes>(operation);
    const ValueId indices = clampedIndices(b, a, b.type(operation.operands[0]).shape, operation.operands[1]);
    const ScatterAttributes back{ a.offsetDims, a.collapsedSliceDims, a.operandBatchingDims, a.startIndicesBatchingDims,
        a.startIndexMap, a.indexVectorDim, a.indicesAreSorted && a.startIndexMap.size() == 1, false };
    const ValueId zeros = splatLike(b, operation.operands[0], 0);
    return { b.scatter(ReduceKind::Sum, zeros, indices, cotangents[0], back), ValueId() };
}

constexpr std::array gatherTable{
    OpRow{ OpKind::Gather, "gather", 2, false, inferGather, gatherFactors, movementCost, pullBackGather },
};

} // namespace

std::span<const OpRow> gatherRows()
{
    return gatherTable;
}

} // namespace shardscope::ops
