// SPDX-License-Identifier: GPL-3.0-or-later
// What an instruction reads and writes.
#pragma once

#include "schedule/plan.h"

namespace shardscope {

/// Calls visit(slot, isWrite) for all slots that an instruction names, and those in its loop or branches: also the one
/// that a loop's condition returns, which may be of a value computed before the loop.
template <class Visit>
void forEachSlot(const Plan& plan, const Instruction& instruction, const Visit& visit)
{
    const auto seen = [&](SlotId slot, bool isWrite) {
        if (slot.valid())
            visit(slot, isWrite);
    };
    for (const SlotId slot : instruction.operands)
        seen(slot, false);
    for (const SlotId slot : instruction.results)
        seen(slot, true);
    if (const auto* fused = std::get_if<FusedInstruction>(&instruction.action)) {
        for (const FusedInstruction::Input& input : fused->inputs)
            seen(input.slot, false);
        for (const FusedInstruction::Output& output : fused->outputs)
            seen(output.slot, true);
    } else if (const auto* kernel = std::get_if<KernelInstruction>(&instruction.action)) {
        for (const auto& [value, slot] : kernel->captured)
            seen(slot, false);
    } else if (const auto* control = std::get_if<ControlInstruction>(&instruction.action)) {
        for (const std::uint32_t block : control->blocks) {
            for (const Instruction& inner : plan.blocks[block].instructions)
                forEachSlot(plan, inner, visit);
            for (const SlotId result : plan.blocks[block].results)
                seen(result, false);
        }
    }
}

} // namespace shardscope
