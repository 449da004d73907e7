// SPDX-License-Identifier: GPL-3.0-or-later
// reduce on one device: a walk through the operand in memory order, so that the order of every sum is fixed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "program/program.h"
#include "simulate/kernels/kernel_set.h"

namespace shardscope {

/// The value that changes nothing, in the bytes of the element type: 0, 1, -inf (smallest integer), ...
[[nodiscard]] std::array<std::byte, 8> reductionIdentity(ReduceKind kind, DType dtype);

class Reduction {
public:
    /// Empty when the element type has no kernels for the kind.
    static std::optional<Reduction> prepare(
        const TensorType& operand, const ReduceAttributes& attributes, const KernelSet& kernels);

    void run(std::byte* out, const std::byte* in) const;

private:
    struct Dimension {
        std::int64_t extent = 1;
        bool reduced = false;
        std::int64_t outStride = 0; ///< bytes; 0 for reduced dimensions
    };
    std::vector<Dimension> m_outer; ///< all but the innermost run, neighbours that are alike merged
    Dimension m_inner;
    std::int64_t m_elementBytes = 4;
    std::int64_t m_outElements = 1;
    bool m_empty = false; ///< a reduced dimension has no elements
    std::array<std::byte, 8> m_identity{};
    ElementwiseFunction m_combine = nullptr;
    RowReduction m_row = nullptr;
};

} // namespace shardscope
