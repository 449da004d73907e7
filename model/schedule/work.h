// SPDX-License-Identifier: GPL-3.0-or-later
// The work of a block as a graph, before it is ordered: one node per future instruction.
//
// Reshapes disappear here (their value is their operand's), and so do operations that nobody needs. What a loop hands
// on as it got it is the array that the loop began with, under another name. With fusion, elementwise operations form
// groups, and splat constants and broadcast arrays are read as such by them.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/plan.h"

namespace shardscope {

inline constexpr std::uint32_t none = ~std::uint32_t{ 0 };

/// Lists of varying length in one array: items of i are data[begin[i]] to data[begin[i + 1]].
struct Lists {
    std::vector<std::uint32_t> begin;
    std::vector<std::uint32_t> data;

    [[nodiscard]] std::span<const std::uint32_t> operator[](std::size_t i) const
    {
        return { data.data() + begin[i], data.data() + begin[i + 1] };
    }
    /// From (list, item) pairs; items of a list keep their order.
    static Lists of(std::size_t count, std::span<const std::pair<std::uint32_t, std::uint32_t>> pairs);
};

/// What a value is when an elementwise group reads it without memory behind it.
struct Inline {
    enum class Kind : std::uint8_t { No, Constant, Scalar, Repeated };
    Kind kind = Kind::No;
    double constant = 0;
    std::uint32_t source = none; ///< the value that is broadcast: one element, or several (Repeated)
    std::uint32_t broadcast = none; ///< Repeated: the operation of the block that says how
};

struct Node {
    enum class Kind : std::uint8_t { Kernel, Fused, Collective, Control, Copy };
    Kind kind = Kind::Kernel;
    SmallVector<std::uint32_t, 4> ops; ///< operations of the block, in program order; empty for copies
    std::uint32_t source = none; ///< Copy: value read
    std::uint32_t copied = none; ///< Copy: which extra slot it writes
    std::uint32_t key = 0; ///< place in program order
};

struct Work {
    const FlatProgram* program = nullptr;
    const FlatBlock* block = nullptr;
    bool plain = false; ///< ScheduleOptions::plain
    // Per value of the program; operands of operations are looked up through `same`.
    std::vector<std::uint32_t> same; ///< the value itself, or what it is the reshaped form or another name of
    std::vector<std::uint32_t> storage; ///< first value of the chain that works in one slot (partial sum, its total)
    std::vector<std::uint32_t> definition; ///< live operation of the block that makes the value, or none
    std::vector<bool> outlives; ///< read when the block is over: its results, values to keep
    std::vector<bool> returned; ///< of these, its results
    std::vector<std::uint32_t> keptAliases; ///< other names of values to keep
    std::vector<Inline> inlined; ///< how elementwise groups read it
    Lists users; ///< live operations that read the value
    // Per operation of the block.
    std::vector<bool> live;
    std::vector<bool> elementwise; ///< may be part of a fused group
    std::vector<std::uint32_t> nodeOf; ///< its node, or none if no instruction comes of it
    std::vector<Node> nodes;

    [[nodiscard]] std::uint32_t operand(const FlatOp& op, std::size_t i) const { return same[op.operands[i].index]; }
    /// The value that is really read: what is broadcast, none for a constant.
    [[nodiscard]] std::uint32_t readBy(std::uint32_t op, std::uint32_t value) const;
    /// Calls read(value) for all that an operation reads, and that its loops and branches read from around them.
    template <class Read>
    void forReads(std::uint32_t number, const Read& read) const
    {
        const FlatOp& op = block->ops[number];
        for (std::size_t i = 0; i < op.operands.size(); ++i)
            if (op.operands[i].valid())
                if (const std::uint32_t value = readBy(number, operand(op, i)); value != none)
                    read(value);
        for (const auto& [inner, outer] : op.captured)
            read(same[outer.index]);
    }
    /// Calls made(value) for all that it gives.
    template <class Made>
    void forResults(std::uint32_t number, const Made& made) const
    {
        for (const FlatValueId result : block->ops[number].results)
            if (result.valid())
                made(result.index);
    }
    [[nodiscard]] const Operation& operation(std::uint32_t number) const
    {
        return program->operation(block->ops[number]);
    }
};

/// Whether the kernels of fused groups know an elementwise operation on operands of that type (select: of its values).
[[nodiscard]] bool hasFusedKernel(OpKind kind, DType operand, DType result);
/// The same, and its operands are scalars or of the result's shape.
[[nodiscard]] bool isFusable(const Program& local, const Operation& operation);

/// How a broadcast of several elements reads them: neighbouring dimensions are one where they can be. Empty where an
/// elementwise group cannot read it so.
[[nodiscard]] SmallVector<FusedInstruction::Dimension, 4> repeatsOf(const Program& local, const Operation& broadcast);

/// Everything but the nodes.
[[nodiscard]] Work analyseWork(const FlatProgram& program, const FlatBlock& block, const ScheduleOptions& options);
/// Groups elementwise operations, one node per group, and makes nodes of all others.
void makeNodes(Work& work, bool fuse);

} // namespace shardscope
