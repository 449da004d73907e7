// SPDX-License-Identifier: GPL-3.0-or-later
// gather and scatter.
// Declared in call.h.
#include <algorithm>
#include <cstring>

#include "simulate/kernels/body.h"
#include "simulate/kernels/call.h"
#include "simulate/kernels/position.h"

namespace shardscope::kernels {

namespace {

bool has(const Dimensions& dims, std::size_t d)
{
    return std::find(dims.begin(), dims.end(), static_cast<std::int64_t>(d)) != dims.end();
}

/// How the places of an array of indices say where slices of an operand begin.
class IndexReader {
public:
    IndexReader(const Array& indices, std::int64_t vectorDim, const Dimensions& map, const Dimensions& operandBatching,
        const Dimensions& indexBatching)
        : m_indices(indices)
        , m_map(map)
        , m_operandBatching(operandBatching)
        , m_indexBatching(indexBatching)
        , m_vectorDim(vectorDim)
        , m_strides(stridesOf(indices.type.shape))
    {
    }

    /// `batch`: the place among all dimensions of the indices but the vector's. Sets the operand's coordinates.
    void read(std::span<const std::int64_t> batch, std::span<std::int64_t> starts) const
    {
        std::int64_t offset = 0;
        for (std::size_t i = 0, d = 0; d < m_strides.size(); ++d)
            if (static_cast<std::int64_t>(d) != m_vectorDim)
                offset += batch[i++] * m_strides[d];
        std::fill(starts.begin(), starts.end(), 0);
        const std::int64_t step = at(m_vectorDim) < m_strides.size() ? m_strides[at(m_vectorDim)] : 0;
        for (std::size_t k = 0; k < m_map.size(); ++k)
            starts[at(m_map[k])] = integerAt(m_indices, offset + static_cast<std::int64_t>(k) * step);
        for (std::size_t k = 0; k < m_operandBatching.size(); ++k) {
            const std::int64_t d = m_indexBatching[k];
            starts[at(m_operandBatching[k])] = batch[at(d < m_vectorDim ? d : d - 1)];
        }
    }

private:
    const Array& m_indices;
    const Dimensions &m_map, &m_operandBatching, &m_indexBatching;
    std::int64_t m_vectorDim;
    Shape m_strides;
};

Arrays gather(const Call& call)
{
    const auto& own = call.own<GatherAttributes>();
    const Array& operand = call.operands[0];
    Array result = Array::make(call.type());
    if (result.count() == 0)
        return { result };
    const Shape to = stridesOf(call.type().shape), from = stridesOf(operand.type.shape);
    Shape batchShape, batchStrides; // of the result
    for (std::size_t d = 0; d < to.size(); ++d) {
        if (!has(own.offsetDims, d)) {
            batchShape.push_back(call.type().shape[d]);
            batchStrides.push_back(to[d]);
        }
    }
    Shape box, boxTo, boxFrom;
    for (std::size_t d = 0, next = 0; d < from.size(); ++d) {
        if (has(own.collapsedSliceDims, d) || has(own.operandBatchingDims, d))
            continue;
        box.push_back(own.sliceSizes[d]);
        boxTo.push_back(to[at(own.offsetDims[next++])]);
        boxFrom.push_back(from[d]);
    }
    const IndexReader reader(
        call.operands[1], own.indexVectorDim, own.startIndexMap, own.operandBatchingDims, own.startIndicesBatchingDims);
    Shape batch, starts;
    batch.resize(batchShape.size(), 0);
    starts.resize(from.size(), 0);
    const std::int64_t bytes = operand.elementBytes();
    do {
        reader.read(batch, starts);
        std::int64_t source = 0, target = 0;
        for (std::size_t d = 0; d < from.size(); ++d)
            source += std::clamp<std::int64_t>(
                          starts[d], 0, std::max<std::int64_t>(operand.type.shape[d] - own.sliceSizes[d], 0))
                * from[d];
        for (std::size_t d = 0; d < batch.size(); ++d)
            target += batch[d] * batchStrides[d];
        copyBox(box, result.data() + target * bytes, boxTo, operand.data() + source * bytes, boxFrom, bytes);
    } while (advance(batch, batchShape));
    return { result };
}

/// Updates outside of the operand are left out, one by one.
Arrays scatter(const Call& call)
{
    const auto& own = call.own<ScatterAttributes>();
    const std::size_t count = call.operation.results.size();
    Arrays results;
    for (std::size_t i = 0; i < count; ++i) {
        results.push_back(Array::make(call.type(i)));
        if (results[i].count() > 0)
            std::memcpy(results[i].data(), call.operands[i].data(), at(results[i].type.byteCount()));
    }
    const Array& indices = call.operands[count];
    const std::span<const Array> updates = call.operands.subspan(count + 1);
    const Shape& shape = call.type().shape;
    const Shape to = stridesOf(shape), from = stridesOf(updates[0].type.shape);
    if (updates[0].count() == 0 || results[0].count() == 0)
        return results;

    Shape batchShape, batchStrides; // of the updates
    for (std::size_t d = 0; d < from.size(); ++d) {
        if (!has(own.updateWindowDims, d)) {
            batchShape.push_back(updates[0].type.shape[d]);
            batchStrides.push_back(from[d]);
        }
    }
    Shape window, windowFrom;
    SmallVector<std::size_t, 6> windowDims; // of the operand
    for (std::size_t d = 0, next = 0; d < to.size(); ++d) {
        if (has(own.insertedWindowDims, d) || has(own.inputBatchingDims, d))
            continue;
        const std::size_t u = at(own.updateWindowDims[next++]);
        window.push_back(updates[0].type.shape[u]);
        windowFrom.push_back(from[u]);
        windowDims.push_back(d);
    }
    const IndexReader reader(indices, own.indexVectorDim, own.scatterDimsToOperandDims, own.inputBatchingDims,
        own.scatterIndicesBatchingDims);
    BodyRun body(call, call.operation.regions[0]);
    Shape batch, starts, index;
    batch.resize(batchShape.size(), 0);
    starts.resize(to.size(), 0);
    std::vector<const std::byte*> bodyOperands(2 * count);
    std::vector<std::byte*> put(count);
    do {
        reader.read(batch, starts);
        std::int64_t source = 0;
        for (std::size_t d = 0; d < batch.size(); ++d)
            source += batch[d] * batchStrides[d];
        index.clear();
        index.resize(window.size(), 0);
        do {
            bool inside = true;
            std::int64_t target = 0, element = source;
            for (std::size_t d = 0; d < to.size(); ++d)
                target += starts[d] * to[d];
            Shape place = starts;
            for (std::size_t k = 0; k < window.size(); ++k) {
                place[windowDims[k]] += index[k];
                target += index[k] * to[windowDims[k]];
                element += index[k] * windowFrom[k];
            }
            for (std::size_t d = 0; d < to.size(); ++d)
                inside = inside && place[d] >= 0 && place[d] < shape[d];
            if (!inside)
                continue;
            for (std::size_t i = 0; i < count; ++i) {
                put[i] = results[i].data() + target * results[i].elementBytes();
                bodyOperands[i] = put[i];
                bodyOperands[count + i] = updates[i].data() + element * updates[i].elementBytes();
            }
            body.run(bodyOperands, put, 1);
        } while (advance(index, window));
    } while (advance(batch, batchShape));
    return results;
}

} // namespace

Evaluate indexingEvaluator(OpKind kind)
{
    switch (kind) {
    case OpKind::Gather:
        return gather;
    case OpKind::Scatter:
        return scatter;
    default:
        return nullptr;
    }
}

} // namespace shardscope::kernels
