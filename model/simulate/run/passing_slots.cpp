// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/run/passing_slots.h"

#include <algorithm>
#include <optional>

#include "base/alignment.h"
#include "simulate/run/slots_used.h"

namespace shardscope {

namespace {

constexpr std::int32_t noPhase = -1, severalPhases = -2;

/// The phase whose actions alone touch a slot; `noPhase`, or `severalPhases` where it has to stay in the device's
/// memory.
std::vector<std::int32_t> phaseOfSlots(const Plan& plan, const PreparedBlock& main)
{
    std::vector<std::int32_t> phaseOf(plan.slots.size(), noPhase);
    const auto keep = [&](SlotId slot) {
        if (slot.valid())
            phaseOf[slot.index] = severalPhases;
    };
    for (const SlotId slot : plan.arguments)
        keep(slot);
    for (const SlotId slot : plan.results)
        keep(slot);
    for (std::size_t v = 0; v < plan.slotOf.size(); ++v)
        if (plan.observable(ValueId(v)))
            keep(plan.slotOf[v]);
    std::vector<bool> isAction(plan.instructions.size());
    for (std::size_t p = 0; p < main.phases.size(); ++p)
        for (const Phase::Item& item : main.phases[p].actions) {
            const Instruction& instruction = plan.instructions[item.instruction];
            if (std::holds_alternative<ControlInstruction>(instruction.action))
                continue;
            isAction[item.instruction] = true;
            forEachSlot(plan, instruction, [&](SlotId slot, bool) {
                std::int32_t& phase = phaseOf[slot.index];
                phase = phase == noPhase || phase == static_cast<std::int32_t>(p) ? static_cast<std::int32_t>(p)
                                                                                  : severalPhases;
            });
        }
    for (std::size_t i = 0; i < plan.instructions.size(); ++i)
        if (!isAction[i])
            forEachSlot(plan, plan.instructions[i], [&](SlotId slot, bool) { keep(slot); });
    return phaseOf;
}

/// What lies in the worker's memory at one moment.
class Room {
public:
    struct Lying {
        std::int64_t offset = 0, bytes = 0;
        std::size_t last = 0; ///< action that touches it
    };
    /// The first place where it fits; nothing where there is none.
    std::optional<std::int64_t> place(std::int64_t bytes, std::size_t first, std::size_t last)
    {
        std::erase_if(m_lying, [first](const Lying& each) { return each.last < first; });
        std::int64_t offset = 0;
        auto next = m_lying.begin();
        for (; next != m_lying.end() && next->offset - offset < bytes; ++next)
            offset = next->offset + next->bytes;
        if (offset + bytes > passingBytes)
            return std::nullopt;
        m_lying.insert(next, { offset, bytes, last });
        return offset;
    }

private:
    std::vector<Lying> m_lying; ///< by offset
};

} // namespace

void placePassingSlots(const Plan& plan, PreparedBlock& main)
{
    const std::vector<std::int32_t> phaseOf = phaseOfSlots(plan, main);
    std::vector<std::size_t> lastOf(plan.slots.size());
    std::vector<bool> isSeen(plan.slots.size());
    for (std::size_t p = 0; p < main.phases.size(); ++p) {
        Phase& phase = main.phases[p];
        const auto forEachPassing = [&](std::size_t action, const auto& visit) {
            forEachSlot(plan, plan.instructions[phase.actions[action].instruction], [&](SlotId slot, bool) {
                if (phaseOf[slot.index] == static_cast<std::int32_t>(p))
                    visit(slot);
            });
        };
        for (std::size_t action = 0; action < phase.actions.size(); ++action)
            forEachPassing(action, [&](SlotId slot) { lastOf[slot.index] = action; });
        Room room;
        for (std::size_t action = 0; action < phase.actions.size(); ++action)
            forEachPassing(action, [&](SlotId slot) {
                if (isSeen[slot.index])
                    return;
                isSeen[slot.index] = true;
                const std::int64_t bytes = std::max(alignedBytes(plan.slot(slot).bytes), memoryAlignment);
                if (const auto offset = room.place(bytes, action, lastOf[slot.index]))
                    phase.passing.push_back({ slot.index, *offset });
            });
    }
}

} // namespace shardscope
