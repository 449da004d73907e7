// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/phases.h"

#include <algorithm>
#include <set>

namespace shardscope {

namespace {

/// Shared state that devices have read and written since they last waited for each other.
class SharedAccess {
public:
    [[nodiscard]] bool mustWait(const Instruction& instruction, const ReplicaSharing& sharing) const
    {
        bool wait = false;
        forEachSlot(instruction, sharing, [&](SlotId slot, bool writes) {
            wait = wait || m_written.contains(slot) || (writes && m_read.contains(slot));
        });
        return wait;
    }
    void add(const Instruction& instruction, const ReplicaSharing& sharing)
    {
        forEachSlot(
            instruction, sharing, [&](SlotId slot, bool writes) { (writes ? m_written : m_read).insert(slot); });
    }

private:
    template <class F>
    static void forEachSlot(const Instruction& instruction, const ReplicaSharing& sharing, const F& f)
    {
        const auto visit = [&](SlotId slot, bool writes) {
            if (slot.valid() && sharing.isShared(slot))
                f(slot, writes);
        };
        for (const SlotId slot : instruction.operands)
            visit(slot, false);
        for (const SlotId slot : instruction.results)
            visit(slot, true);
        if (const auto* fused = std::get_if<FusedInstruction>(&instruction.action)) {
            for (const FusedInstruction::Input& input : fused->inputs)
                visit(input.slot, false);
            for (const FusedInstruction::Output& output : fused->outputs)
                visit(output.slot, true);
        }
    }

    std::set<SlotId> m_read, m_written;
};

} // namespace

Result<Phases> preparePhases(
    const Plan& plan, ReplicaSharing& sharing, MemoryBudget& budget, const std::stop_token& stop)
{
    const KernelSet& kernels = kernelSet();
    Phases prepared;
    prepared.work = std::move(sharing.work);
    prepared.phases.emplace_back();
    SharedAccess access;
    for (std::size_t i = 0; i < plan.instructions.size() && !stop.stop_requested(); ++i) {
        const Instruction& instruction = plan.instructions[i];
        if (std::holds_alternative<CollectiveInstruction>(instruction.action)) {
            auto made = Exchange::prepare(plan, instruction, kernels, budget, stop);
            if (!made)
                return tl::unexpected(made.error());
            const Exchange& exchange = *prepared.exchanges.emplace_back(std::make_unique<Exchange>(std::move(*made)));
            prepared.scratchBytes = std::max(prepared.scratchBytes, exchange.scratchBytes());
            prepared.maxTasks = std::max(prepared.maxTasks, static_cast<std::size_t>(exchange.taskCount()));
            prepared.phases.back().exchange = &exchange;
            prepared.phases.emplace_back();
            access = {};
            continue;
        }
        auto made = prepareAction(plan, instruction, kernels, budget);
        if (!made)
            return tl::unexpected(made.error());
        const Action& action = *prepared.actions.emplace_back(std::move(*made));
        prepared.scratchBytes = std::max(prepared.scratchBytes, action.scratchBytes());
        prepared.ownBytes += action.ownBytes();
        if (access.mustWait(instruction, sharing)) {
            prepared.phases.emplace_back();
            access = {};
        }
        access.add(instruction, sharing);
        const bool divided = i < prepared.work.size() && !prepared.work[i].empty();
        prepared.phases.back().actions.push_back({ &action, divided ? &prepared.work[i] : nullptr });
    }
    return prepared;
}

} // namespace shardscope
