// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/kernels/indexed_slices.h"

#include <algorithm>
#include <cstring>

#include "simulate/kernels/position.h"

namespace shardscope::kernels {

namespace {

bool isAmong(const Dimensions& dims, std::size_t d)
{
    return std::find(dims.begin(), dims.end(), static_cast<std::int64_t>(d)) != dims.end();
}

StridedCopy sliceCopy(const GatherAttributes& own, const TensorType& operand, const TensorType& result)
{
    const Shape to = stridesOf(result.shape), from = stridesOf(operand.shape);
    Shape box, boxTo, boxFrom;
    for (std::size_t d = 0, next = 0; d < from.size(); ++d) {
        if (isAmong(own.collapsedSliceDims, d) || isAmong(own.operandBatchingDims, d))
            continue;
        box.push_back(own.sliceSizes[d]);
        boxTo.push_back(to[at(own.offsetDims[next++])]);
        boxFrom.push_back(from[d]);
    }
    return StridedCopy(box, boxTo, boxFrom, byteSize(operand.dtype));
}

} // namespace

SliceStarts::SliceStarts(const TensorType& indices, std::int64_t vectorDim, const Dimensions& map,
    const Dimensions& operandBatching, const Dimensions& indexBatching)
    : m_map(map)
    , m_operandBatching(operandBatching)
    , m_indexBatching(indexBatching)
    , m_vectorDim(vectorDim)
    , m_strides(stridesOf(indices.shape))
{
}

void SliceStarts::read(const Array& indices, std::span<const std::int64_t> batch, std::span<std::int64_t> starts) const
{
    std::int64_t offset = 0;
    for (std::size_t i = 0, d = 0; d < m_strides.size(); ++d)
        if (static_cast<std::int64_t>(d) != m_vectorDim)
            offset += batch[i++] * m_strides[d];
    std::fill(starts.begin(), starts.end(), 0);
    const std::int64_t step = at(m_vectorDim) < m_strides.size() ? m_strides[at(m_vectorDim)] : 0;
    for (std::size_t k = 0; k < m_map.size(); ++k)
        starts[at(m_map[k])] = integerAt(indices, offset + static_cast<std::int64_t>(k) * step);
    for (std::size_t k = 0; k < m_operandBatching.size(); ++k) {
        const std::int64_t d = m_indexBatching[k];
        starts[at(m_operandBatching[k])] = batch[at(d < m_vectorDim ? d : d - 1)];
    }
}

Gather::Gather(
    const GatherAttributes& own, const TensorType& operand, const TensorType& indices, const TensorType& result)
    : m_starts(indices, own.indexVectorDim, own.startIndexMap, own.operandBatchingDims, own.startIndicesBatchingDims)
    , m_strides(stridesOf(operand.shape))
    , m_slice(sliceCopy(own, operand, result))
    , m_elementBytes(byteSize(operand.dtype))
    , m_resultBytes(result.elementCount() * m_elementBytes)
    , m_takesNothing(std::find(own.sliceSizes.begin(), own.sliceSizes.end(), 0) != own.sliceSizes.end())
{
    const Shape to = stridesOf(result.shape);
    for (std::size_t d = 0; d < to.size(); ++d) {
        if (!isAmong(own.offsetDims, d)) {
            m_batch.push_back(result.shape[d]);
            m_batchStrides.push_back(to[d]);
        }
    }
    for (std::size_t d = 0; d < m_strides.size(); ++d)
        m_last.push_back(std::max<std::int64_t>(operand.shape[d] - own.sliceSizes[d], 0));
}

void Gather::run(std::byte* result, const std::byte* operand, const Array& indices) const
{
    if (m_resultBytes == 0)
        return;
    if (m_takesNothing) {
        std::memset(result, 0, static_cast<std::size_t>(m_resultBytes));
        return;
    }
    Shape batch(m_batch.size()), starts(m_strides.size());
    do {
        m_starts.read(indices, batch, starts);
        std::int64_t source = 0, target = 0;
        for (std::size_t d = 0; d < starts.size(); ++d)
            source += std::clamp<std::int64_t>(starts[d], 0, m_last[d]) * m_strides[d];
        for (std::size_t d = 0; d < batch.size(); ++d)
            target += batch[d] * m_batchStrides[d];
        m_slice.run(result + target * m_elementBytes, operand + source * m_elementBytes);
    } while (advance(batch, m_batch));
}

Scatter::Scatter(
    const ScatterAttributes& own, const TensorType& operand, const TensorType& indices, const TensorType& updates)
    : m_starts(indices, own.indexVectorDim, own.scatterDimsToOperandDims, own.inputBatchingDims,
        own.scatterIndicesBatchingDims)
    , m_shape(*operand.shape)
    , m_strides(stridesOf(operand.shape))
    , m_extents(operand.rank(), 1)
    , m_isEmpty(updates.elementCount() == 0 || operand.elementCount() == 0)
{
    const Shape from = stridesOf(updates.shape);
    for (std::size_t d = 0; d < from.size(); ++d) {
        if (!isAmong(own.updateWindowDims, d)) {
            m_batch.push_back(updates.shape[d]);
            m_batchStrides.push_back(from[d]);
        }
    }
    for (std::size_t d = 0, next = 0; d < m_strides.size(); ++d) {
        if (isAmong(own.insertedWindowDims, d) || isAmong(own.inputBatchingDims, d))
            continue;
        const std::size_t u = at(own.updateWindowDims[next++]);
        m_window.push_back(updates.shape[u]);
        m_windowTo.push_back(m_strides[d]);
        m_windowFrom.push_back(from[u]);
        m_windowDims.push_back(d);
        m_extents[d] = updates.shape[u];
    }
    for (m_runDims = m_window.size(); m_runDims > 0; --m_runDims) {
        const std::size_t k = m_runDims - 1;
        if (m_window[k] != 1 && (m_windowTo[k] != m_runLength || m_windowFrom[k] != m_runLength))
            break;
        m_runLength *= m_window[k];
    }
}

Scatter::Reach Scatter::reachOf(std::span<const std::int64_t> starts) const
{
    Reach reach = Reach::Inside;
    for (std::size_t d = 0; d < starts.size(); ++d) {
        if (starts[d] <= -m_extents[d] || starts[d] >= m_shape[d])
            return Reach::Outside;
        if (starts[d] < 0 || starts[d] > m_shape[d] - m_extents[d])
            reach = Reach::Partly;
    }
    return reach;
}

bool Scatter::isInside(std::span<const std::int64_t> starts, std::span<const std::int64_t> index) const
{
    Shape place(starts);
    for (std::size_t k = 0; k < index.size(); ++k)
        place[m_windowDims[k]] += index[k];
    for (std::size_t d = 0; d < place.size(); ++d)
        if (place[d] < 0 || place[d] >= m_shape[d])
            return false;
    return true;
}

} // namespace shardscope::kernels
