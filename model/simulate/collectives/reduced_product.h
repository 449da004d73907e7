// SPDX-License-Identifier: GPL-3.0-or-later
// A product, its sum over devices, and what is computed from the sum element by element, done together in tiles of some
// rows. The sum then stays in the cache, or in registers where the update is Adam's: in a train step the gradient of a
// matrix is used for its update while it is made, and memory is busy with parameters and moments only.
//
//     %g.partial = dot_general %x, %dy      tile by tile: the rows on each device of the group, added up in its order,
//     %g = all_reduce %g.partial        ->  then the fused instruction on these rows, on each device that has a state
//     of %p', %m', %v' = fused %p, %m, %v, %g  its own
//
// The all-reduce may be missing. The product of the backward pass that reads the old %p goes along where it can, so
// that %p comes from memory once:
//
//     %dx = dot_general %dy, %p             its columns that the tile's rows of %p give, before these are updated
//
// All bits are those of the instructions one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "schedule/plan.h"
#include "simulate/collectives/exchange.h"
#include "simulate/kernels/fused.h"
#include "simulate/kernels/product.h"
#include "simulate/run/replica_sharing.h"

namespace shardscope {

/// Numbers of instructions of main.
struct ReducedProductPattern {
    std::uint32_t product = 0;
    std::optional<std::uint32_t> sum;
    std::uint32_t fused = 0;
    bool isStored = false; ///< the sum is kept, or read later
    bool isRead = false; ///< by an instruction of the same step
    /// A product with what the fused instruction updates. All can be done in its place.
    std::optional<std::uint32_t> inputProduct = std::nullopt;
};

/// Where instructions of main may be done together, in the order of the products: nothing between them touches what
/// they read and write.
[[nodiscard]] std::vector<ReducedProductPattern> findReducedProducts(const Plan& plan);

class ReducedProduct {
public:
    /// Nothing where one of the kernels cannot do rows of its own, or replicas that share what the fused instruction
    /// writes do not all stand in one group. Errors: those of Exchange::prepare().
    static Result<std::optional<ReducedProduct>> prepare(const Plan& plan, const ReducedProductPattern& pattern,
        const ReplicaSharing& sharing, const KernelSet& kernels, MemoryBudget& budget, const std::stop_token& stop);

    [[nodiscard]] std::int64_t taskCount() const { return static_cast<std::int64_t>(m_groups.size()) * m_chunks; }
    [[nodiscard]] std::size_t groupOf(std::int64_t task) const { return static_cast<std::size_t>(task / m_chunks); }
    /// Mesh positions of each group, in order.
    [[nodiscard]] const std::vector<std::vector<std::int32_t>>& groups() const { return m_groups; }
    /// Tasks come in that order of their groups: `place` per mesh position.
    void orderGroups(const std::vector<std::int32_t>& place);
    [[nodiscard]] std::int64_t scratchBytes() const;
    /// Whether the pattern's input product is computed along with the rest.
    [[nodiscard]] bool hasInputProduct() const { return m_input.has_value(); }
    void leaveInputProduct() { m_input.reset(); }
    /// As Exchange::copiedBytes().
    [[nodiscard]] std::int64_t copiedBytes() const { return m_copiedBytes; }
    [[nodiscard]] const Operation& operation() const { return *m_operation; } ///< of the sum, or else the product

    /// Seconds of adding up and handing out, as some of the tiles took. `addresses[position * slotCount + slot]`.
    double run(std::int64_t task, std::byte* const* addresses, std::size_t slotCount, std::byte* scratch) const;

private:
    /// Where its operands and its result stand.
    struct InputProduct {
        Product product;
        std::uint32_t lhs = 0, rhs = 0, out = 0; ///< slots
    };
    void addInputProduct(const Plan& plan, const Instruction& instruction, const TensorType& updated,
        const ReplicaSharing& sharing, const KernelSet& kernels);

    const Operation* m_operation = nullptr;
    std::optional<Product> m_product;
    std::optional<Exchange> m_sum;
    std::optional<FusedKernel> m_fused;
    std::optional<InputProduct> m_input;
    std::vector<std::vector<std::int32_t>> m_groups;
    std::vector<std::vector<std::int32_t>> m_writers; ///< per group: those that do the fused instruction
    std::uint32_t m_lhs = 0, m_rhs = 0, m_out = 0; ///< slots
    std::int64_t m_elementBytes = 4;
    std::int64_t m_tileRows = 1; ///< a multiple of those that the product's kernel does at once
    std::int64_t m_chunks = 1; ///< tasks per group
    std::int64_t m_copiedBytes = 0;
    bool m_isStored = false;
    bool m_pastCaches = false; ///< what is stored bypasses the caches, see copyPastCaches()
    bool m_updatesByRows = false; ///< the fused instruction computes the rows of the sum itself
};

} // namespace shardscope
