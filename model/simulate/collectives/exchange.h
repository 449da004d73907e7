// SPDX-License-Identifier: GPL-3.0-or-later
// Collectives on the devices' memory: the only way from one device to another.
//
// Every device of a group takes boxes of what the members hold, in the order of the group; sums read all members in
// that order. The work is split into tasks that write disjoint memory, so that any worker may take any of them.
//
//     all_gather of [4] along dimension 0, group {0, 1}:   device 1 takes [0, 4) from device 0 and [4, 8) from itself
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "schedule/plan.h"
#include "simulate/kernels/body.h"
#include "simulate/kernels/kernel_set.h"
#include "simulate/kernels/strided_copy.h"
#include "simulate/run/memory.h"

namespace shardscope {

/// Mesh positions that groups connect, also by way of others; each stands in one of the sets, ascending. The groups
/// {0, 1}, {1, 4} of five devices give {0, 1, 4}, {2}, {3}.
[[nodiscard]] std::vector<std::vector<std::int32_t>> connectedDevices(
    std::span<const std::vector<std::int32_t>> groups, std::int64_t devices);

/// The groups of a collective as mesh positions, in the order of the groups. Those of a collective_permute are the
/// devices between which data moves, together. None where they do not go with the devices.
[[nodiscard]] std::vector<std::vector<std::int32_t>> collectiveGroups(const Plan& plan, const Operation& operation);

class Exchange {
public:
    /// Of one operand of a collective. Errors: NotExecutable {op} without a kernel for the reduction or with groups
    /// that do not go with devices and types, VersionMismatch when operand and result overlap in memory, OutOfMemory
    /// when the tables of what moves exceed the budget. With a budget that only counts, the exchange has neither
    /// groups nor tables and cannot be run. The tables of an all-gather take time in the square of a group: a part of
    /// them if stopped.
    static Result<Exchange> prepare(const Plan& plan, const Instruction& instruction, std::size_t operand,
        const KernelSet& kernels, MemoryBudget& budget, const std::stop_token& stop = {});

    [[nodiscard]] std::int64_t taskCount() const { return static_cast<std::int64_t>(m_tasks.size()); }
    /// Group that a task belongs to.
    [[nodiscard]] std::size_t groupOf(std::int64_t task) const { return m_tasks[static_cast<std::size_t>(task)].group; }
    /// Mesh positions of each group, in order.
    [[nodiscard]] const std::vector<std::vector<std::int32_t>>& groups() const { return m_groups; }
    /// Bytes that all tasks together write to devices.
    [[nodiscard]] std::int64_t copiedBytes() const { return m_copiedBytes; }
    [[nodiscard]] std::int64_t scratchBytes() const { return m_reduces ? blockBytes : 0; }
    [[nodiscard]] const Operation& operation() const { return *m_operation; }

    /// Of an all-reduce: whether combine() is one fast loop.
    [[nodiscard]] bool combinesFast() const { return m_combine != nullptr; }
    [[nodiscard]] bool isSum() const { return m_isSum; } ///< combine() adds
    /// out[i] = a[i] combined with b[i]; `out` may be one of them.
    void combine(std::byte* out, const std::byte* a, const std::byte* b, std::int64_t count) const;

    /// `addresses[position * slotCount + slot]`.
    void run(std::int64_t task, std::byte* const* addresses, std::size_t slotCount, std::byte* scratch) const;

private:
    static constexpr std::int64_t blockBytes = 8192; ///< of partial sums, in the L1 cache
    static constexpr std::int64_t pageBytes =
        4096; ///< of sums past the caches: a page of each member is fetched meanwhile

    struct Task {
        std::size_t group = 0;
        /// AllReduce: elements of every member. Otherwise begin = position of the device that receives.
        std::int64_t begin = 0, end = 0;
    };
    struct Move {
        std::int32_t source = 0; ///< position
        StridedCopy copy;
    };
    /// ReduceScatter: rows of neighbouring elements, from the operand of each member to the result of the receiver.
    struct Rows {
        std::int64_t length = 0; ///< elements
        std::vector<std::int64_t> target, source; ///< byte offsets
    };

    Result<void> chooseReduction(const Program& program, DType dtype, const KernelSet& kernels);
    Result<void> prepareAllReduce(std::int64_t elements, MemoryBudget& budget);
    /// Devices in no group become groups of their own that receive nothing: their results are zeros.
    void addAbsent(std::int64_t devices);
    Result<void> prepareMoves(
        const TensorType& operand, const TensorType& result, MemoryBudget& budget, const std::stop_token& stop);
    void preparePermute(const TensorType& type, const std::vector<std::vector<std::int32_t>>& pairs);
    Result<void> prepareReduceScatter(
        const TensorType& operand, const TensorType& result, MemoryBudget& budget, const std::stop_token& stop);
    /// What a receiver takes of member `source`, by their ranks in the group.
    [[nodiscard]] StridedCopy partOf(const TensorType& operand, const TensorType& result, std::size_t receiver,
        std::size_t source, std::size_t members) const;
    void reduceRange(const Task& task, std::byte* const* addresses, std::size_t slotCount, std::byte* scratch) const;
    void receive(const Task& task, std::byte* const* addresses, std::size_t slotCount) const; ///< not all-reduce

    const Operation* m_operation = nullptr;
    std::vector<std::vector<std::int32_t>> m_groups;
    std::size_t m_receiving = SIZE_MAX; ///< groups from here on receive nothing
    std::vector<Task> m_tasks;
    std::vector<std::vector<Move>> m_moves; ///< by position of the receiver
    std::vector<Rows> m_rows; ///< by position of the receiver
    bool m_reduces = false;
    bool m_pastCaches = false; ///< results bypass the caches, see copyPastCaches(); not those of a reduce-scatter
    ElementwiseFunction m_combine = nullptr; ///< fast; else by m_body
    bool m_isSum = false;
    std::shared_ptr<const kernels::Body> m_body;
    std::int64_t m_elementBytes = 4;
    std::int64_t m_resultBytes = 0;
    std::uint32_t m_operand = 0, m_result = 0; ///< slots
    std::int64_t m_copiedBytes = 0;
};

} // namespace shardscope
