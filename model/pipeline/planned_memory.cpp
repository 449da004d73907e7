// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipeline/planned_memory.h"

#include <algorithm>

#include "pipeline/stage_results.h"

namespace shardscope {

namespace {

OperationId lastOperation(const Instruction& instruction)
{
    if (const auto* fused = std::get_if<FusedInstruction>(&instruction.action))
        return fused->steps.empty() ? OperationId() : fused->steps.back().operation;
    if (const auto* kernel = std::get_if<KernelInstruction>(&instruction.action))
        return kernel->operation;
    if (const auto* collective = std::get_if<CollectiveInstruction>(&instruction.action))
        return collective->operation;
    return std::get<ControlInstruction>(instruction.action).operation;
}

class PeakFinder {
public:
    explicit PeakFinder(const Plan& plan)
        : m_plan(plan)
        , m_named(*plan.program->program)
    {
        m_found.program = plan.program->local;
        m_found.devices = plan.program->mesh->deviceCount();
        m_found.memory = plan.memory;
    }

    PlannedMemory find()
    {
        for (const Instruction& instruction : m_plan.instructions)
            m_found.moments.push_back({ lastOperation(instruction), pathOf(instruction.origin) });
        m_found.dependsOnData = std::any_of(m_plan.blocks.begin(), m_plan.blocks.end(), [&](const PlanBlock& block) {
            return hasBranches(block.instructions);
        }) || hasBranches(m_plan.instructions);
        addBlock(0, m_plan.instructions, m_plan.memory);
        std::stable_sort(m_found.arrays.begin(), m_found.arrays.end(),
            [](const PlannedMemory::Array& a, const PlannedMemory::Array& b) { return a.bytes > b.bytes; });
        return std::move(m_found);
    }

private:
    [[nodiscard]] std::string pathOf(ValueId value) const
    {
        return value.valid() && value.index < m_named.values.size() ? std::string(*m_named.value(value).path)
                                                                    : std::string();
    }
    [[nodiscard]] bool hasBranches(const std::vector<Instruction>& instructions) const
    {
        return std::any_of(instructions.begin(), instructions.end(), [&](const Instruction& instruction) {
            const auto* control = std::get_if<ControlInstruction>(&instruction.action);
            return control && m_plan.program->local->operation(control->operation).kind != OpKind::While;
        });
    }

    /// Its slots at the peak; where a loop or branches are executed then, theirs as well.
    void addBlock(std::uint32_t number, const std::vector<Instruction>& instructions, const MemorySummary& memory)
    {
        const auto peak = static_cast<std::size_t>(std::max(memory.peakInstruction, 0));
        const Instruction* atPeak = peak < instructions.size() ? &instructions[peak] : nullptr;
        if (atPeak) {
            m_found.peakOperation = lastOperation(*atPeak);
            m_found.peakPath = pathOf(atPeak->origin);
        }
        for (const Slot& slot : m_plan.slots)
            if (slot.block == number && slot.value.valid() && slot.firstUse <= static_cast<std::int32_t>(peak)
                && slot.lastUse >= static_cast<std::int32_t>(peak))
                add(slot, instructions);
        if (!atPeak)
            return;
        const auto* control = std::get_if<ControlInstruction>(&atPeak->action);
        if (!control)
            return;
        const MemorySummary& highest = m_plan.highest(*control);
        for (const std::uint32_t inner : control->blocks)
            if (&m_plan.blocks[inner].memory == &highest)
                addBlock(inner, m_plan.blocks[inner].instructions, highest);
    }

    void add(const Slot& slot, const std::vector<Instruction>& instructions)
    {
        const FlatValue& value = m_plan.program->value(slot.value);
        PlannedMemory::Array& array = m_found.arrays.emplace_back();
        array.path = pathOf(value.origin);
        array.owner = value.origin.valid() && value.origin.index < m_named.values.size()
            ? ownerOf(m_named, value.origin)
            : Owner::Buffers;
        array.isCopy = slot.value.index >= m_plan.program->program->values.size();
        if (slot.firstUse >= 0 && static_cast<std::size_t>(slot.firstUse) < instructions.size())
            array.maker = lastOperation(instructions[static_cast<std::size_t>(slot.firstUse)]);
        array.type = value.localType;
        array.bytes = slot.bytes;
    }

    const Plan& m_plan;
    const Program& m_named;
    PlannedMemory m_found;
};

} // namespace

PlannedMemory plannedMemory(const Plan& plan)
{
    return PeakFinder(plan).find();
}

} // namespace shardscope
