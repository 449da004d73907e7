// SPDX-License-Identifier: GPL-3.0-or-later
// The operations that move elements, for interpret.h: plain loops over indices, as the StableHLO specification has
// them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "program/other_attributes.h"
#include "program/program.h"

namespace shardscope::test {

using Array = std::vector<double>;
using Index = std::vector<std::int64_t>;

inline Index unravel(std::int64_t flat, const Shape& shape)
{
    Index index(shape.size());
    for (std::size_t d = shape.size(); d-- > 0; flat /= shape[d])
        index[d] = flat % shape[d];
    return index;
}

inline std::size_t ravel(const Index& index, const Shape& shape)
{
    std::int64_t flat = 0;
    for (std::size_t d = 0; d < shape.size(); ++d)
        flat = flat * shape[d] + index[d];
    return static_cast<std::size_t>(flat);
}

inline bool isInside(const Index& index, const Shape& shape)
{
    for (std::size_t d = 0; d < shape.size(); ++d)
        if (index[d] < 0 || index[d] >= shape[d])
            return false;
    return true;
}

inline bool isListed(const Dimensions& list, std::size_t d)
{
    return std::find(list.begin(), list.end(), static_cast<std::int64_t>(d)) != list.end();
}

/// An operation with the numbers of its operands.
struct Evaluation {
    const Program& program;
    const Operation& operation;
    const std::vector<Array>& values;
    /// What a body makes of scalars.
    std::function<std::vector<double>(RegionId, const std::vector<double>&)> body;

    [[nodiscard]] const Array& in(std::size_t i) const { return values[operation.operands[i].index]; }
    [[nodiscard]] const Shape& inShape(std::size_t i) const { return program.value(operation.operands[i]).type.shape; }
    [[nodiscard]] const Shape& shape(std::size_t i = 0) const { return program.value(operation.results[i]).type.shape; }
    [[nodiscard]] std::int64_t integer(std::size_t i, std::size_t element = 0) const
    {
        return std::llround(in(i)[element]);
    }
    /// Zeros of the shape of a result.
    [[nodiscard]] Array zeros(std::size_t i = 0) const
    {
        return Array(static_cast<std::size_t>(program.value(operation.results[i]).type.elementCount()));
    }
};

inline void forEachIndex(const Shape& shape, const std::function<void(const Index&)>& visit)
{
    const std::int64_t count = std::accumulate(shape.begin(), shape.end(), std::int64_t{ 1 }, std::multiplies<>());
    for (std::int64_t e = 0; e < count; ++e)
        visit(unravel(e, shape));
}

inline Array evaluateSlice(const Evaluation& e, const SliceAttributes& a)
{
    Array out = e.zeros();
    forEachIndex(e.shape(), [&](const Index& index) {
        Index from = index;
        for (std::size_t d = 0; d < from.size(); ++d)
            from[d] = a.starts[d] + index[d] * entryOr(a.strides, d, 1);
        out[ravel(index, e.shape())] = e.in(0)[ravel(from, e.inShape(0))];
    });
    return out;
}

inline Array evaluatePad(const Evaluation& e, const PadAttributes& a)
{
    Array out(e.zeros().size(), e.in(1)[0]);
    forEachIndex(e.inShape(0), [&](const Index& index) {
        Index to = index;
        for (std::size_t d = 0; d < to.size(); ++d)
            to[d] = a.low[d] + index[d] * (1 + entryOr(a.interior, d, 0));
        if (isInside(to, e.shape()))
            out[ravel(to, e.shape())] = e.in(0)[ravel(index, e.inShape(0))];
    });
    return out;
}

inline Array evaluateConcatenate(const Evaluation& e, std::size_t along)
{
    Array out = e.zeros();
    std::int64_t before = 0;
    for (std::size_t i = 0; i < e.operation.operands.size(); ++i) {
        forEachIndex(e.inShape(i), [&](const Index& index) {
            Index to = index;
            to[along] += before;
            out[ravel(to, e.shape())] = e.in(i)[ravel(index, e.inShape(i))];
        });
        before += e.inShape(i)[along];
    }
    return out;
}

inline Array evaluateReverse(const Evaluation& e, const Dimensions& dimensions)
{
    Array out = e.zeros();
    forEachIndex(e.shape(), [&](const Index& index) {
        Index from = index;
        for (const std::int64_t d : dimensions)
            from[std::size_t(d)] = e.shape()[std::size_t(d)] - 1 - index[std::size_t(d)];
        out[ravel(index, e.shape())] = e.in(0)[ravel(from, e.shape())];
    });
    return out;
}

/// Where a slice of that shape begins; starts are operands from `first` on.
inline Index startsOf(const Evaluation& e, std::size_t first, const Shape& slice)
{
    Index starts;
    for (std::size_t d = 0; d < slice.size(); ++d)
        starts.push_back(std::clamp<std::int64_t>(e.integer(first + d), 0, e.inShape(0)[d] - slice[d]));
    return starts;
}

inline Array evaluateDynamicSlice(const Evaluation& e)
{
    Array out = e.zeros();
    const Index starts = startsOf(e, 1, e.shape());
    forEachIndex(e.shape(), [&](const Index& index) {
        Index from = index;
        for (std::size_t d = 0; d < from.size(); ++d)
            from[d] += starts[d];
        out[ravel(index, e.shape())] = e.in(0)[ravel(from, e.inShape(0))];
    });
    return out;
}

inline Array evaluateDynamicUpdateSlice(const Evaluation& e)
{
    Array out = e.in(0);
    const Index starts = startsOf(e, 2, e.inShape(1));
    forEachIndex(e.inShape(1), [&](const Index& index) {
        Index to = index;
        for (std::size_t d = 0; d < to.size(); ++d)
            to[d] += starts[d];
        out[ravel(to, e.shape())] = e.in(1)[ravel(index, e.inShape(1))];
    });
    return out;
}

/// Per dimension of an array of slices (the result of gather, the updates of scatter) split into where the slice is
/// among the indices and where the element is in the slice; then the place in the operand.
struct SlicePlaces {
    const Dimensions &window, &left, &operandBatching, &indexBatching, &map;
    std::int64_t vectorDim;

    /// Where the slice begins, and how far from there the element is.
    [[nodiscard]] std::pair<Index, Index> of(
        const Index& index, const Array& indices, const Shape& indexShape, std::size_t rank) const
    {
        Index batch, offsets;
        for (std::size_t d = 0; d < index.size(); ++d)
            (isListed(window, d) ? offsets : batch).push_back(index[d]);
        Index start(rank, 0), offset(rank, 0);
        for (std::size_t k = 0; k < map.size(); ++k) {
            Index at = batch;
            if (std::size_t(vectorDim) < indexShape.size())
                at.insert(at.begin() + vectorDim, static_cast<std::int64_t>(k));
            start[std::size_t(map[k])] = std::llround(indices[ravel(at, indexShape)]);
        }
        for (std::size_t k = 0; k < operandBatching.size(); ++k) {
            const std::int64_t d = indexBatching[k] - (indexBatching[k] > vectorDim ? 1 : 0);
            start[std::size_t(operandBatching[k])] = batch[std::size_t(d)];
        }
        for (std::size_t d = 0, next = 0; d < rank; ++d)
            if (!isListed(left, d) && !isListed(operandBatching, d))
                offset[d] = offsets[next++];
        return { start, offset };
    }
};

inline Array evaluateGather(const Evaluation& e, const GatherAttributes& a)
{
    Array out = e.zeros();
    const SlicePlaces places{ a.offsetDims, a.collapsedSliceDims, a.operandBatchingDims, a.startIndicesBatchingDims,
        a.startIndexMap, a.indexVectorDim };
    forEachIndex(e.shape(), [&](const Index& index) {
        auto [at, offset] = places.of(index, e.in(1), e.inShape(1), e.inShape(0).size());
        for (std::size_t d = 0; d < at.size(); ++d)
            at[d] = std::clamp<std::int64_t>(at[d], 0, e.inShape(0)[d] - a.sliceSizes[d]) + offset[d];
        out[ravel(index, e.shape())] = e.in(0)[ravel(at, e.inShape(0))];
    });
    return out;
}

/// Of one input.
inline Array evaluateScatter(const Evaluation& e, const ScatterAttributes& a)
{
    Array out = e.in(0);
    const SlicePlaces places{ a.updateWindowDims, a.insertedWindowDims, a.inputBatchingDims,
        a.scatterIndicesBatchingDims, a.scatterDimsToOperandDims, a.indexVectorDim };
    forEachIndex(e.inShape(2), [&](const Index& index) {
        auto [at, offset] = places.of(index, e.in(1), e.inShape(1), e.shape().size());
        for (std::size_t d = 0; d < at.size(); ++d)
            at[d] += offset[d];
        if (isInside(at, e.shape())) {
            double& element = out[ravel(at, e.shape())];
            element = e.body(e.operation.regions[0], { element, e.in(2)[ravel(index, e.inShape(2))] })[0];
        }
    });
    return out;
}

} // namespace shardscope::test
