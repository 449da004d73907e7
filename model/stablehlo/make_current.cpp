// SPDX-License-Identifier: GPL-3.0-or-later
// Operations of earlier versions of StableHLO, read as those that have taken their place.
// A part of Reader, which is declared in reader.h.
#include <algorithm>

#include "stablehlo/reader.h"

namespace shardscope::mlir {

namespace {

std::size_t rankOf(const TensorType& type)
{
    return isTensor(type.dtype) ? type.rank() : 0;
}

} // namespace

bool isEarlierOperation(std::string_view name)
{
    return name == "stablehlo.broadcast" || name == "stablehlo.torch_index_select" || name == "stablehlo.einsum"
        || name == "stablehlo.unary_einsum";
}

bool Reader::makeCurrent(Pending& op)
{
    if (op.resultTypes.size() != 1 || op.operands.empty())
        return isOpaque(op);
    const TensorType& result = op.resultTypes.front();
    if (op.name == "stablehlo.broadcast" && op.operands.size() == 1) {
        // The new dimensions come first.
        const std::size_t rank = rankOf(typeOf(op.operands[0])), all = rankOf(result);
        if (all < rank)
            return isOpaque(op);
        BroadcastAttributes made;
        for (std::size_t d = 0; d < rank; ++d)
            made.dimensions.push_back(static_cast<std::int64_t>(all - rank + d));
        DimensionList sizes;
        if (!takeDimensions(op, "broadcast_sizes", "sizes", true, sizes))
            return false;
        // What does not fit the sizes is no array that the operand can be spread to, and is said so of the new kind.
        if (sizes.size() != all - rank || !std::equal(sizes.begin(), sizes.end(), result.shape.begin()))
            made.dimensions.push_back(static_cast<std::int64_t>(all));
        op.kind = OpKind::BroadcastInDim;
        op.made = std::move(made);
        return true;
    }
    if (op.name == "stablehlo.torch_index_select" && op.operands.size() == 2) {
        std::int64_t dim = 0, batch = 0;
        if (!takeInteger(op, "dim", {}, true, dim) || !takeInteger(op, "batch_dims", {}, true, batch))
            return false;
        const TensorType table = typeOf(op.operands[0]);
        const auto rank = static_cast<std::int64_t>(rankOf(table));
        const auto indexRank = static_cast<std::int64_t>(rankOf(typeOf(op.operands[1])));
        dim += dim < 0 ? rank : 0;
        batch += batch < 0 ? indexRank : 0;
        batch =
            std::clamp<std::int64_t>(batch, 0, std::min(rank, indexRank)); // what does not fit is said of the gather
        GatherAttributes made;
        made.indexVectorDim = indexRank;
        made.collapsedSliceDims.push_back(dim);
        made.startIndexMap.push_back(dim);
        for (std::int64_t d = 0; d < rank; ++d) {
            const bool isBatch = d < batch;
            made.sliceSizes.push_back(isBatch || d == dim ? 1 : table.shape[static_cast<std::size_t>(d)]);
            if (isBatch) {
                made.operandBatchingDims.push_back(d);
                made.startIndicesBatchingDims.push_back(d);
            } else if (d != dim) {
                made.offsetDims.push_back(d < dim ? d : d - 1 + indexRank - batch);
            }
        }
        op.kind = OpKind::Gather;
        op.made = otherAttributes(std::move(made));
        return true;
    }
    if (op.name == "stablehlo.einsum" || op.name == "stablehlo.unary_einsum")
        return makeEinsum(op);
    return isOpaque(op);
}

} // namespace shardscope::mlir
