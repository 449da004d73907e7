// SPDX-License-Identifier: GPL-3.0-or-later
// A plan's kernel and fused instructions, prepared for execution: sizes, strides and kernels are settled when the run
// is created, so that a step only computes. One action serves all devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>

#include "schedule/plan.h"
#include "simulate/check/expectation.h"
#include "simulate/kernels/kernel_set.h"
#include "simulate/run/memory.h"
#include "simulate/run/replica_sharing.h"

namespace shardscope {

/// What an action works on: one device's memory and one worker's scratch.
struct ActionContext {
    std::byte** slots = nullptr; ///< address by SlotId; only slices that are read in place change one
    std::int64_t position = 0; ///< of the device in the mesh
    std::byte* scratch = nullptr; ///< 64-byte aligned, scratchBytes() long
    WorkShare share; ///< what the device does of an elementwise instruction on shared state; others get all of it
    // Of a run; null where a single action is tried.
    std::optional<Error>* failure = nullptr; ///< set by an action that cannot do what it is given
    const std::stop_token* stop = nullptr;
    std::int64_t* trips = nullptr; ///< of the device's loops, so far in this step
    std::int64_t maximumTrips = 0;
    std::vector<ExpectationFinding>* findings = nullptr;
};

class Action {
public:
    virtual ~Action() = default;
    virtual void run(const ActionContext& context) const = 0;
    /// On several devices, one after the other or what they have in common in one go.
    virtual void runOnAll(std::span<const ActionContext> contexts) const
    {
        for (const ActionContext& context : contexts)
            run(context);
    }
    /// The operand that runOnAll() reads once where all devices have the same memory for it.
    [[nodiscard]] virtual std::optional<SlotId> sharedOperand() const { return std::nullopt; }
    [[nodiscard]] virtual std::int64_t scratchBytes() const { return 0; }
    /// Bytes that the action keeps for itself, such as the values of a constant.
    [[nodiscard]] virtual std::int64_t ownBytes() const { return 0; }
};
using ActionPtr = std::unique_ptr<Action>;

/// Not for collectives, loops and branches. Without kernels by plain ones alone. With a budget that only counts, the
/// action cannot be run, and may be null; its scratchBytes() are right. Errors: NotExecutable {op}, OutOfMemory when
/// what the action keeps (ownBytes and tables) exceeds the budget.
[[nodiscard]] Result<ActionPtr> prepareAction(
    const Plan& plan, const Instruction& instruction, const KernelSet* kernels, MemoryBudget& budget);

} // namespace shardscope
