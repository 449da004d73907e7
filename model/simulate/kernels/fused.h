// SPDX-License-Identifier: GPL-3.0-or-later
// Fused elementwise instructions: block by block, every step a vectorised loop over a block that stays in the L1 cache.
//
// Registers whose operands are all scalars are computed once, before the blocks. A block of a temporary register is
// scratch, and so is one of an input that repeats a smaller array, filled before the first step that reads it; an
// output is written straight to its slot if no later step reads an input that shares the slot.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/diagnostics.h"
#include "schedule/plan.h"
#include "simulate/kernels/adam_pattern.h"
#include "simulate/kernels/kernel_set.h"
#include "simulate/kernels/product.h"
#include "simulate/run/replica_sharing.h"

namespace shardscope {

class FusedKernel {
public:
    /// Patterns with a kernel of their own are left to it if `specialise`. NotExecutable {op} if a step has no kernel.
    static Result<FusedKernel> compile(
        const FusedInstruction& instruction, const KernelSet& kernels, bool specialise = true);

    [[nodiscard]] bool isSpecialised() const { return m_adam.has_value(); }

    [[nodiscard]] std::int64_t scratchBytes() const { return m_scratchBytes; }
    /// `slots[id]` is the memory of that slot on the device; `scratch` is 64-byte aligned.
    void run(std::byte* const* slots, std::byte* scratch, WorkShare share = {}) const;

    /// Memory that is read in place of a slot: its elements from `first` on.
    struct StandIn {
        std::uint32_t slot = ~std::uint32_t{ 0 };
        const std::byte* data = nullptr;
        std::int64_t first = 0;
    };
    /// The elements from `begin` to `end`. The slot of the stand-in must not be written.
    void runRange(std::byte* const* slots, std::byte* scratch, std::int64_t begin, std::int64_t end,
        const StandIn& standIn) const;

    /// Some rows of a gradient that is a product, or the sum of two.
    struct GradientRows {
        const Product* product = nullptr; ///< hasRows()
        std::array<Product::Operands, 2> operands;
        std::size_t count = 1; ///< of products
        std::int64_t first = 0, rows = 0;
    };
    /// Whether the instruction is Adam's update and the slot is its gradient and nothing else, so that the gradient can
    /// be computed on the way.
    [[nodiscard]] bool takesGradient(SlotId slot) const;
    /// The elements of these rows; takesGradient() of the slot in whose place they are computed, which is not read.
    /// Bits are those of runRange() with the gradient as the stand-in.
    void runRows(std::byte* const* slots, std::byte* scratch, const GradientRows& gradient) const;

private:
    class Compiler;

    /// Where a register's values are while a block is executed.
    struct Place {
        enum class Kind : std::uint8_t { Slot, Constant, ScalarScratch, BlockScratch };
        Kind kind = Kind::BlockScratch;
        bool moves = false; ///< advances from block to block
        std::uint32_t slot = 0;
        std::int64_t offset = 0; ///< in the scratch
        std::array<std::byte, 8> constant{};
        std::int64_t elementBytes = 4;
        [[nodiscard]] std::int64_t bytesBefore(std::int64_t element) const
        {
            return moves ? element * elementBytes : 0;
        }
    };
    /// Fills a block with elements of a smaller array.
    struct Repeat {
        std::int16_t input = -1;
        std::int32_t before = 0; ///< the step of a block that reads it first
        std::uint32_t slot = 0;
        SmallVector<FusedInstruction::Dimension, 4> dimensions;
        std::int64_t period = 1; ///< elements after which the same ones come again
        bool once = false; ///< every block is the same: its buffer is filled before the first one
    };
    struct Step {
        ElementwiseFunction function = nullptr;
        std::int16_t result = -1;
        std::array<std::int16_t, 3> operands{ -1, -1, -1 };
        bool scalar = false;
    };
    struct Copy {
        std::uint32_t slot = 0;
        std::int16_t source = 0;
        std::int64_t elementBytes = 4;
        ElementwiseFunction spread = nullptr; ///< for a scalar source: fills a block
    };

    /// What a device works on.
    struct Memory {
        std::byte* const* slots = nullptr;
        std::byte* scratch = nullptr;
        StandIn standIn;
        std::byte** begins = nullptr; ///< per register, in the scratch: its element 0
        const GradientRows* gradient = nullptr; ///< if it is computed
    };
    [[nodiscard]] static const std::byte* begin(const Place& place, const Memory& memory);
    [[nodiscard]] std::byte* address(std::int16_t reg, const Memory& memory, std::int64_t element) const
    {
        const auto r = static_cast<std::size_t>(reg);
        return memory.begins[r] + m_places[r].bytesBefore(element);
    }

    void fill(const Repeat& repeat, const Memory& memory, std::int64_t element, std::int64_t count) const;
    void prefetch(const Memory& memory, std::int64_t element, std::int64_t part, std::int64_t parts) const;
    void execute(const Step& step, const Memory& memory, std::int64_t element, std::int64_t count) const;
    void runElements(const Memory& memory, std::int64_t begin, std::int64_t end) const;
    void runBlocks(const Memory& memory, std::int64_t begin, std::int64_t end) const;
    template <class T>
    void runAdam(const Memory& memory, std::int64_t begin, std::int64_t end) const;

    std::vector<Place> m_places; ///< per register
    std::vector<Step> m_scalarSteps;
    std::vector<Step> m_steps;
    std::vector<Repeat> m_repeats; ///< in the order of the steps
    std::vector<Copy> m_copies; ///< outputs that are not written directly, at the end of each block
    std::vector<std::int16_t> m_streams; ///< inputs that are read block by block
    bool m_prefetches = false; ///< they are larger than a cache
    std::optional<AdamRegisters> m_adam;
    const KernelSet* m_kernels = nullptr;
    std::array<std::uint32_t, 3> m_adamOutputs{}; ///< slots of the new mu, nu and parameter
    std::int64_t m_elements = 0;
    std::int64_t m_block = 1024;
    std::int64_t m_beginsOffset = 0; ///< of Memory::begins in the scratch
    std::int64_t m_scratchBytes = 0;
};

} // namespace shardscope
