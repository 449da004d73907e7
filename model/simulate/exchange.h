// SPDX-License-Identifier: GPL-3.0-or-later
// Collectives on the devices' memory: the only way from one device to another.
//
// What moves follows from the layouts of operand and result. Every device of a group needs certain index ranges; it
// takes what it holds itself, then what the members of its group hold, in the order of the group. Sums read all members
// in the order of the group. The work is split into tasks that write disjoint memory, so that any worker may take any
// of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <vector>

#include "schedule/plan.h"
#include "simulate/kernels/kernel_set.h"
#include "simulate/memory.h"
#include "simulate/strided_copy.h"

namespace shardscope {

class Exchange {
public:
    /// Errors: NotExecutable {op} without a kernel for the reduction, VersionMismatch when operand and result do not
    /// fit the groups or overlap in memory, OutOfMemory when the tables of what moves exceed the budget. With a budget
    /// that only counts, the exchange has neither groups nor tables and cannot be run; that costs next to nothing,
    /// however many devices there are. The tables of an all-gather take time in the square of the devices: a part of
    /// them if stopped.
    static Result<Exchange> prepare(const Plan& plan, const Instruction& instruction, const KernelSet& kernels,
        MemoryBudget& budget, const std::stop_token& stop = {});

    [[nodiscard]] std::int64_t taskCount() const { return static_cast<std::int64_t>(m_tasks.size()); }
    /// Group that a task belongs to.
    [[nodiscard]] std::size_t groupOf(std::int64_t task) const { return m_tasks[static_cast<std::size_t>(task)].group; }
    /// Mesh positions of each group, in order.
    [[nodiscard]] const std::vector<std::vector<std::int32_t>>& groups() const { return m_groups; }
    /// Bytes that all tasks together write to devices.
    [[nodiscard]] std::int64_t copiedBytes() const { return m_copiedBytes; }
    [[nodiscard]] std::int64_t scratchBytes() const { return m_reduces ? blockBytes : 0; }

    /// `addresses[position * slotCount + slot]`.
    void run(std::int64_t task, std::byte* const* addresses, std::size_t slotCount, std::byte* scratch) const;

private:
    static constexpr std::int64_t blockBytes = 8192; ///< of partial sums, in the L1 cache

    struct Task {
        std::size_t group = 0;
        /// AllReduce: elements of every member. Otherwise begin = member of the group that receives.
        std::int64_t begin = 0, end = 0;
    };
    struct Move {
        std::int32_t source = 0; ///< position
        StridedCopy copy;
    };
    /// ReduceScatter: rows of neighbouring elements, from the operand of each member to the result of the receiver.
    struct Rows {
        std::int64_t length = 0; ///< bytes
        std::vector<std::int64_t> target, source; ///< byte offsets
    };

    Result<void> prepareAllReduce(std::int64_t elements, std::int64_t groups, MemoryBudget& budget);
    Result<void> prepareMoves(const Layout& from, const Layout& to, const Shape& fromShape, const Shape& toShape,
        MemoryBudget& budget, const std::stop_token& stop);
    Result<void> prepareReduceScatter(const Layout& from, const Layout& to, const Shape& fromShape,
        const Shape& toShape, MemoryBudget& budget, const std::stop_token& stop);
    void reduceRange(const Task& task, std::byte* const* addresses, std::size_t slotCount, std::byte* scratch) const;

    std::vector<std::vector<std::int32_t>> m_groups;
    std::vector<Task> m_tasks;
    std::vector<std::vector<Move>> m_moves; ///< by position of the receiver
    std::vector<Rows> m_rows; ///< by position of the receiver
    bool m_reduces = false;
    ElementwiseFunction m_combine = nullptr;
    std::int64_t m_elementBytes = 4;
    std::uint32_t m_operand = 0, m_result = 0; ///< slots
    std::int64_t m_copiedBytes = 0;
};

} // namespace shardscope
