// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/run/meetings.h"

#include <algorithm>
#include <map>
#include <utility>

#include "simulate/run/slots_used.h"

namespace shardscope {

namespace {

/// How many meetings there have to be before memory may be read and written, as far as its earlier uses are known.
class MemoryUses {
public:
    [[nodiscard]] std::int32_t meetingsBefore(const Slot& slot, bool writes)
    {
        std::int32_t meetings = 0;
        forEachInterval(slot, [&](Uses& uses) {
            meetings = std::max(meetings, writes ? std::max(uses.written, uses.read) : uses.written);
        });
        return meetings;
    }
    /// Whoever depends on this use has to wait for so many meetings.
    void use(const Slot& slot, bool writes, std::int32_t meetings)
    {
        if (!writes)
            return forEachInterval(slot, [&](Uses& uses) { uses.read = std::max(uses.read, meetings); });
        if (slot.bytes == 0)
            return;
        const auto begin = split(slot.offset), end = split(slot.offset + slot.bytes);
        m_intervals.erase(std::next(begin), end);
        begin->second = { meetings, meetings };
    }

private:
    struct Uses {
        std::int32_t written = 0, read = 0;
    };
    using Intervals = std::map<std::int64_t, Uses>; ///< each up to the next one

    Intervals::iterator split(std::int64_t offset)
    {
        const auto after = m_intervals.upper_bound(offset);
        const auto around = std::prev(after);
        return around->first == offset ? around : m_intervals.emplace_hint(after, offset, around->second);
    }
    template <class Visit>
    void forEachInterval(const Slot& slot, const Visit& visit)
    {
        if (slot.bytes == 0)
            return;
        const auto end = split(slot.offset + slot.bytes);
        for (auto interval = split(slot.offset); interval != end; ++interval)
            visit(interval->second);
    }

    Intervals m_intervals{ { 0, {} } };
};

/// Whether it does more than to write memory: it can fail, or says what it found.
bool hasEffect(const Plan& plan, const Instruction& instruction)
{
    const auto* kernel = std::get_if<KernelInstruction>(&instruction.action);
    return std::holds_alternative<ControlInstruction>(instruction.action)
        || (kernel
            && (instruction.results.empty()
                || plan.program->local->operation(kernel->operation).kind == OpKind::Opaque));
}

/// Calls visit(slot, isWrite) for the memory that an instruction uses: that of the slots that it names, and all of the
/// room of a loop or of branches.
template <class Visit>
void forEachUse(const Plan& plan, const Instruction& instruction, const Visit& visit)
{
    forEachSlot(plan, instruction, [&](SlotId slot, bool isWrite) { visit(plan.slot(slot), isWrite); });
    if (const auto* control = std::get_if<ControlInstruction>(&instruction.action); control && control->room.valid())
        visit(plan.slot(control->room), true);
}

} // namespace

void meetSeldom(const Plan& plan, std::uint32_t block, std::vector<Turn>& turns)
{
    const std::vector<Instruction>& instructions = plan.instructionsOf(block);
    MemoryUses memory;
    std::int32_t effects = 0;
    for (Turn& turn : turns) {
        bool isEffect = false;
        turn.round = 0;
        for (const std::uint32_t number : turn.instructions) {
            forEachUse(plan, instructions[number], [&](const Slot& slot, bool writes) {
                turn.round = std::max(turn.round, memory.meetingsBefore(slot, writes));
            });
            isEffect = isEffect || hasEffect(plan, instructions[number]);
        }
        if (isEffect)
            turn.round = std::max(turn.round, effects);
        const std::int32_t after = turn.round + (turn.isMeeting ? 1 : 0);
        for (const bool writes : { false, true })
            for (const std::uint32_t number : turn.instructions)
                forEachUse(plan, instructions[number], [&](const Slot& slot, bool isWrite) {
                    if (isWrite == writes)
                        memory.use(slot, writes, after);
                });
        if (isEffect)
            effects = after;
    }
    std::stable_sort(turns.begin(), turns.end(),
        [](const Turn& a, const Turn& b) { return std::pair(a.round, a.isMeeting) < std::pair(b.round, b.isMeeting); });
}

} // namespace shardscope
