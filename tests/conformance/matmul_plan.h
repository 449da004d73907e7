// SPDX-License-Identifier: GPL-3.0-or-later
// Ways to multiply two sharded matrices, C[i,j] = A[i,k] B[k,j], and what each sends: the four cases of the textbooks,
// and the cheapest of all ways.
//
//     A [{}, {x}], B [{x}, {}]: x shards k on both sides. Every device multiplies its part; the sum over x is left. To
//     have C replicated, the 16x64 f32 are all-reduced: 2 * 1/2 * 4096 bytes for two devices.
//
// Bytes are those of the ring model, per device.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "partition/reshard.h"

namespace shardscope {

struct Matmul {
    const Mesh* mesh = nullptr;
    DType dtype = DType::F32;
    std::int64_t m = 0, k = 0, n = 0; ///< A is m x k, B is k x n
    TensorSharding lhs, rhs;
};

/// What a mesh axis does in a product.
enum class MatmulAxis : std::uint8_t {
    Unused,
    Free, ///< shards i or j of one operand: nothing to do
    OneContracted, ///< shards k of one operand: gather it, or shard the other
    BothContracted, ///< shards k of both: the product is partial
    Clash, ///< shards i of A and j of B: one of them has to give way
    OneContractedOtherRows, ///< shards i of A and k of B: data parallel with sharded weights
    OneContractedOtherColumns, ///< shards k of A and j of B
};
[[nodiscard]] MatmulAxis roleOf(const Matmul& matmul, std::size_t axis);
/// Both sides shard k alike and no axis clashes: every device can multiply what it has, and at most a sum is left.
[[nodiscard]] bool isLocal(const Matmul& matmul);

struct MatmulPlan {
    std::vector<ReshardStep> lhs, rhs, product; ///< before and after the local products
    TensorSharding computedLhs, computedRhs, computed; ///< at the local products; `computed` is unreduced over k's axes
    Rational sent;
    std::int64_t localFlops = 0; ///< of one device: 2 m n k of its blocks
};

/// The plan of the textbooks: gather the operand that alone is sharded along k, all-reduce where both are. Nothing
/// where they have no rule: other axes on the two sides of k, or a clash.
[[nodiscard]] std::optional<MatmulPlan> textbookMatmul(const Matmul& matmul);
/// The cheapest plan that ends in `wanted`: of all ways to shard i, j and k, with the cheapest reshards before and
/// after. `everyAxis`: only plans in which every axis of the mesh divides the work. Nothing for meshes with too many
/// axes.
[[nodiscard]] std::optional<MatmulPlan> cheapestMatmul(
    const Matmul& matmul, const TensorSharding& wanted, bool everyAxis = false);

} // namespace shardscope
