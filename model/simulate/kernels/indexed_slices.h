// SPDX-License-Identifier: GPL-3.0-or-later
// Gathers and scatters, with all settled that types and attributes say: slices of an array at places which an array of
// indices says when they run.
#pragma once

#include "program/other_attributes.h"
#include "simulate/kernels/array.h"
#include "simulate/kernels/strided_copy.h"

namespace shardscope::kernels {

/// How the places of an array of indices say where slices of an operand begin.
class SliceStarts {
public:
    SliceStarts(const TensorType& indices, std::int64_t vectorDim, const Dimensions& map,
        const Dimensions& operandBatching, const Dimensions& indexBatching);
    /// `batch`: the place among all dimensions of the indices but the vector's. Sets the operand's coordinates.
    void read(const Array& indices, std::span<const std::int64_t> batch, std::span<std::int64_t> starts) const;

private:
    Dimensions m_map, m_operandBatching, m_indexBatching;
    std::int64_t m_vectorDim;
    Shape m_strides; ///< of the indices
};

class Gather {
public:
    /// Slices without elements, of dimensions that are left out of the result, give zeros.
    Gather(const GatherAttributes& own, const TensorType& operand, const TensorType& indices, const TensorType& result);
    void run(std::byte* result, const std::byte* operand, const Array& indices) const;

private:
    SliceStarts m_starts;
    Shape m_batch, m_batchStrides; ///< of the result
    Shape m_strides, m_last; ///< of the operand: the last place where a slice may begin
    StridedCopy m_slice;
    std::int64_t m_elementBytes, m_resultBytes;
    bool m_takesNothing;
};

class Scatter {
public:
    Scatter(
        const ScatterAttributes& own, const TensorType& operand, const TensorType& indices, const TensorType& updates);

    /// Calls put(element of the operand, element of the updates, count) for updates that are neighbours in both arrays,
    /// in their order. Those that are outside of the operand are left out.
    template <class Put>
    void forEachRun(const Array& indices, const Put& put) const
    {
        if (m_isEmpty)
            return;
        Shape batch(m_batch.size()), starts(m_strides.size()), index;
        do {
            m_starts.read(indices, batch, starts);
            const Reach reach = reachOf(starts);
            if (reach == Reach::Outside)
                continue;
            std::int64_t target = 0, source = 0;
            for (std::size_t d = 0; d < starts.size(); ++d)
                target += starts[d] * m_strides[d];
            for (std::size_t d = 0; d < batch.size(); ++d)
                source += batch[d] * m_batchStrides[d];
            const bool inRuns = reach == Reach::Inside;
            const std::span<const std::int64_t> box(m_window.begin(), inRuns ? m_runDims : m_window.size());
            index.clear();
            index.resize(box.size(), 0);
            do {
                std::int64_t to = target, from = source;
                for (std::size_t k = 0; k < index.size(); ++k) {
                    to += index[k] * m_windowTo[k];
                    from += index[k] * m_windowFrom[k];
                }
                if (inRuns)
                    put(to, from, m_runLength);
                else if (isInside(starts, index))
                    put(to, from, 1);
            } while (kernels::advance(index, box));
        } while (kernels::advance(batch, m_batch));
    }

private:
    /// How much of the window that begins there is inside the operand.
    enum class Reach : std::uint8_t { Inside, Partly, Outside };
    [[nodiscard]] Reach reachOf(std::span<const std::int64_t> starts) const;
    [[nodiscard]] bool isInside(std::span<const std::int64_t> starts, std::span<const std::int64_t> index) const;

    SliceStarts m_starts;
    Shape m_batch, m_batchStrides; ///< of the updates
    Shape m_shape, m_strides, m_extents; ///< of the operand: how far a window reaches in each dimension
    Shape m_window, m_windowTo, m_windowFrom; ///< its extents and its strides in both arrays
    SmallVector<std::size_t, 6> m_windowDims; ///< of the operand
    std::size_t m_runDims = 0; ///< dimensions of the window that are walked; the others are runs
    std::int64_t m_runLength = 1;
    bool m_isEmpty;
};

} // namespace shardscope::kernels
