// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/run/phase_temporaries.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/alignment.h"
#include "simulate/run/slots_used.h"

namespace shardscope {

namespace {

constexpr std::int32_t noPhase = -1, severalPhases = -2;

/// Bytes of the arena that have been written to, as intervals apart from each other.
class WrittenBytes {
public:
    void add(std::int64_t begin, std::int64_t end)
    {
        auto next = m_ends.upper_bound(begin);
        if (next != m_ends.begin() && std::prev(next)->second >= begin)
            begin = (--next)->first;
        while (next != m_ends.end() && next->first <= end) {
            end = std::max(end, next->second);
            next = m_ends.erase(next);
        }
        m_ends.emplace(begin, end);
    }
    [[nodiscard]] bool hasSomeOf(std::int64_t begin, std::int64_t end) const
    {
        const auto next = m_ends.lower_bound(end);
        return next != m_ends.begin() && std::prev(next)->second > begin;
    }

private:
    std::map<std::int64_t, std::int64_t> m_ends; ///< by begin
};

/// Per slot of main whether its value is still there when the step is over, as Plan::observable() says it of one.
std::vector<bool> lastingSlots(const Plan& plan)
{
    std::vector<std::size_t> byFirstUse;
    for (std::size_t slot = 0; slot < plan.slots.size(); ++slot)
        if (plan.slots[slot].block == 0)
            byFirstUse.push_back(slot);
    std::vector<std::size_t> byLastUse = byFirstUse;
    std::sort(byFirstUse.begin(), byFirstUse.end(),
        [&](std::size_t a, std::size_t b) { return plan.slots[a].firstUse > plan.slots[b].firstUse; });
    std::sort(byLastUse.begin(), byLastUse.end(),
        [&](std::size_t a, std::size_t b) { return plan.slots[a].lastUse > plan.slots[b].lastUse; });
    std::vector<bool> lasts(plan.slots.size());
    WrittenBytes later; // than the slot at hand is read
    auto next = byFirstUse.begin();
    for (const std::size_t number : byLastUse) {
        const Slot& slot = plan.slots[number];
        for (; next != byFirstUse.end() && plan.slots[*next].firstUse > slot.lastUse; ++next)
            later.add(plan.slots[*next].offset, plan.slots[*next].offset + plan.slots[*next].bytes);
        lasts[number] = !later.hasSomeOf(slot.offset, slot.offset + slot.bytes);
    }
    return lasts;
}

/// The phase whose actions alone touch a slot; `noPhase`, or `severalPhases` where it has to stay in the device's
/// memory.
std::vector<std::int32_t> phaseOfSlots(const Plan& plan, const PreparedBlock& main)
{
    const std::vector<bool> lasts = lastingSlots(plan);
    std::vector<std::int32_t> phaseOf(plan.slots.size(), noPhase);
    const auto keep = [&](SlotId slot) {
        if (slot.valid())
            phaseOf[slot.index] = severalPhases;
    };
    for (const SlotId slot : plan.arguments)
        keep(slot);
    for (const SlotId slot : plan.results)
        keep(slot);
    for (std::size_t slot = 0; slot < plan.slots.size(); ++slot)
        if (lasts[slot])
            keep(SlotId(slot));
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
    struct Placed {
        std::int64_t offset = 0, bytes = 0;
        std::size_t last = 0; ///< action that touches it
    };
    /// The first place where it fits; nothing where there is none.
    std::optional<std::int64_t> place(std::int64_t bytes, std::size_t first, std::size_t last)
    {
        std::erase_if(m_placed, [first](const Placed& each) { return each.last < first; });
        std::int64_t offset = 0;
        auto next = m_placed.begin();
        for (; next != m_placed.end() && next->offset - offset < bytes; ++next)
            offset = next->offset + next->bytes;
        if (offset + bytes > temporaryBytes)
            return std::nullopt;
        m_placed.insert(next, { offset, bytes, last });
        return offset;
    }

private:
    std::vector<Placed> m_placed; ///< by offset
};

} // namespace

void placeTemporaries(const Plan& plan, PreparedBlock& main)
{
    const std::vector<std::int32_t> phaseOf = phaseOfSlots(plan, main);
    std::vector<std::size_t> lastOf(plan.slots.size());
    std::vector<bool> isSeen(plan.slots.size());
    for (std::size_t p = 0; p < main.phases.size(); ++p) {
        Phase& phase = main.phases[p];
        const auto forEachTemporary = [&](std::size_t action, const auto& visit) {
            forEachSlot(plan, plan.instructions[phase.actions[action].instruction], [&](SlotId slot, bool) {
                if (phaseOf[slot.index] == static_cast<std::int32_t>(p))
                    visit(slot);
            });
        };
        for (std::size_t action = 0; action < phase.actions.size(); ++action)
            forEachTemporary(action, [&](SlotId slot) { lastOf[slot.index] = action; });
        Room room;
        for (std::size_t action = 0; action < phase.actions.size(); ++action)
            forEachTemporary(action, [&](SlotId slot) {
                if (isSeen[slot.index])
                    return;
                isSeen[slot.index] = true;
                const std::int64_t bytes = std::max(alignedBytes(plan.slot(slot).bytes), memoryAlignment);
                if (const auto offset = room.place(bytes, action, lastOf[slot.index]))
                    phase.temporaries.push_back({ slot.index, *offset });
            });
    }
}

} // namespace shardscope
