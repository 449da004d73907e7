// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/run/replica_sharing.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "program/other_attributes.h"
#include "simulate/collectives/exchange.h"

namespace shardscope {

namespace {

/// One number per position; equal numbers mean equal bits.
using Classes = std::vector<std::int32_t>;

/// Numbers for what comes in, in the order in which it comes.
class Numbering {
public:
    std::int32_t of(const std::vector<std::int32_t>& key)
    {
        return m_numbers.try_emplace(key, static_cast<std::int32_t>(m_numbers.size())).first->second;
    }

private:
    std::map<std::vector<std::int32_t>, std::int32_t> m_numbers;
};

Classes shardsOf(const Layout& layout)
{
    Classes shards;
    for (std::int64_t position = 0; position < layout.mesh().deviceCount(); ++position)
        shards.push_back(static_cast<std::int32_t>(layout.shardAt(position)));
    return shards;
}

/// Whether devices of equal `groups` have equal `classes`.
bool isConstantOn(const Classes& groups, const Classes& classes)
{
    std::map<std::int32_t, std::int32_t> classOf;
    for (std::size_t position = 0; position < groups.size(); ++position)
        if (classOf.try_emplace(groups[position], classes[position]).first->second != classes[position])
            return false;
    return true;
}

class Sharing {
public:
    explicit Sharing(const Plan& plan)
        : m_plan(plan)
        , m_devices(static_cast<std::size_t>(plan.program->mesh->deviceCount()))
        , m_classes(plan.slots.size(), Classes(m_devices))
    {
        m_result.shards.resize(plan.slots.size());
        m_result.work.resize(plan.instructions.size());
    }

    ReplicaSharing run()
    {
        startWithArguments();
        for (const Instruction& instruction : m_plan.instructions)
            m_resultClasses.push_back(follow(instruction));
        while (dropWhatCannotBeShared()) { }
        for (std::size_t i = 0; i < m_plan.instructions.size(); ++i)
            divideWork(i);
        return std::move(m_result);
    }

private:
    static std::vector<SlotId> written(const Instruction& instruction)
    {
        std::vector<SlotId> slots(instruction.results.begin(), instruction.results.end());
        if (const auto* fused = std::get_if<FusedInstruction>(&instruction.action))
            for (const FusedInstruction::Output& output : fused->outputs)
                slots.push_back(output.slot);
        std::erase_if(slots, [](SlotId slot) { return !slot.valid(); });
        return slots;
    }

    void startWithArguments()
    {
        const FlatProgram& program = *m_plan.program;
        for (std::size_t a = 0; a < m_plan.arguments.size(); ++a)
            if (m_plan.arguments[a].valid())
                m_classes[m_plan.arguments[a].index] = shardsOf(program.layout(program.main().arguments[a]));
        for (const auto& [argument, result] : program.main().state) {
            const SlotId slot = m_plan.slotOf[argument.index];
            const Layout layout = program.layout(argument);
            if (slot.valid() && layout.copies() > 1 && layout.addends() == 1)
                m_result.shards[slot.index] = shardsOf(layout);
        }
    }

    /// The classes of an instruction's results, which are put into its slots.
    Classes follow(const Instruction& instruction)
    {
        Classes classes(m_devices);
        if (const auto* collective = std::get_if<CollectiveInstruction>(&instruction.action)) {
            classes = exchanged(instruction, m_plan.program->local->operation(collective->operation));
        } else if (makesItsOwn(instruction)) {
            std::iota(classes.begin(), classes.end(), 0);
        } else {
            Numbering numbering;
            std::vector<SlotId> operands(instruction.operands.begin(), instruction.operands.end());
            if (const auto* fused = std::get_if<FusedInstruction>(&instruction.action))
                for (const FusedInstruction::Input& input : fused->inputs)
                    operands.push_back(input.slot);
            if (const auto* kernel = std::get_if<KernelInstruction>(&instruction.action))
                for (const auto& [value, slot] : kernel->captured)
                    operands.push_back(slot);
            for (std::size_t position = 0; position < m_devices; ++position) {
                std::vector<std::int32_t> key;
                for (const SlotId slot : operands)
                    if (slot.valid())
                        key.push_back(m_classes[slot.index][position]);
                classes[position] = numbering.of(key);
            }
        }
        for (const SlotId slot : written(instruction))
            m_classes[slot.index] = classes;
        return classes;
    }

    [[nodiscard]] Classes exchanged(const Instruction& instruction, const Operation& operation) const
    {
        Numbering numbering;
        Classes classes(m_devices);
        for (const auto& group : collectiveGroups(m_plan, operation)) {
            std::vector<std::int32_t> key;
            for (const std::int32_t member : group)
                for (const SlotId operand : instruction.operands)
                    if (operand.valid())
                        key.push_back(m_classes[operand.index][static_cast<std::size_t>(member)]);
            const bool alike = operation.kind == OpKind::AllReduce || operation.kind == OpKind::AllGather
                || operation.kind == OpKind::CollectiveBroadcast;
            for (std::size_t rank = 0; rank < group.size(); ++rank) {
                std::vector<std::int32_t> own = key;
                if (!alike)
                    own.push_back(static_cast<std::int32_t>(rank)); // may get another part than the others
                classes[static_cast<std::size_t>(group[rank])] = numbering.of(own);
            }
        }
        return classes;
    }

    /// What is another one on every device, or taken to be: a device's number, and what loops and branches give.
    [[nodiscard]] bool makesItsOwn(const Instruction& instruction) const
    {
        if (std::holds_alternative<ControlInstruction>(instruction.action))
            return true;
        const auto* kernel = std::get_if<KernelInstruction>(&instruction.action);
        if (!kernel)
            return false;
        const OpKind kind = m_plan.program->local->operation(kernel->operation).kind;
        return kind == OpKind::PartitionId || kind == OpKind::ReplicaId;
    }

    bool dropWhatCannotBeShared()
    {
        bool dropped = false;
        for (std::size_t i = 0; i < m_plan.instructions.size(); ++i) {
            const Instruction& instruction = m_plan.instructions[i];
            const std::vector<SlotId> slots = written(instruction);
            const auto isShared = [this](SlotId slot) { return m_result.isShared(slot); };
            if (std::none_of(slots.begin(), slots.end(), isShared))
                continue;
            const bool fits = std::holds_alternative<FusedInstruction>(instruction.action)
                && std::all_of(slots.begin(), slots.end(),
                    [&](SlotId slot) {
                        return isShared(slot) && m_result.shards[slot.index] == m_result.shards[slots[0].index];
                    })
                && isConstantOn(m_result.shards[slots[0].index], m_resultClasses[i]);
            for (const SlotId slot : slots) {
                if (fits || !isShared(slot))
                    continue;
                m_result.shards[slot.index].clear();
                dropped = true;
            }
        }
        return dropped;
    }

    void divideWork(std::size_t index)
    {
        const std::vector<SlotId> slots = written(m_plan.instructions[index]);
        if (slots.empty() || !m_result.isShared(slots[0]))
            return;
        const Classes& shards = m_result.shards[slots[0].index];
        std::map<std::int32_t, std::int32_t> parts;
        std::vector<WorkShare>& work = m_result.work[index];
        for (const std::int32_t shard : shards)
            work.push_back({ parts[shard]++, 0 });
        for (std::size_t position = 0; position < work.size(); ++position)
            work[position].parts = parts[shards[position]];
    }

    const Plan& m_plan;
    std::size_t m_devices;
    std::vector<Classes> m_classes; ///< of what is in each slot at the moment
    std::vector<Classes> m_resultClasses; ///< per instruction
    ReplicaSharing m_result;
};

} // namespace

ReplicaSharing shareReplicas(const Plan& plan)
{
    return Sharing(plan).run();
}

double sharingBytes(const Plan& plan)
{
    constexpr double perEntry = 128; // of a map whose keys are lists
    const auto devices = static_cast<double>(plan.program->mesh->deviceCount());
    double longestKey = 1;
    for (const Instruction& instruction : plan.instructions) {
        double key = static_cast<double>(instruction.operands.size());
        if (const auto* fused = std::get_if<FusedInstruction>(&instruction.action))
            key += static_cast<double>(fused->inputs.size());
        if (const auto* collective = std::get_if<CollectiveInstruction>(&instruction.action)) {
            const auto& own =
                *attributesAs<CollectiveAttributes>(plan.program->local->operation(collective->operation).attributes);
            key *= own.groups.empty() ? devices : static_cast<double>(own.groups.front().size());
        }
        longestKey = std::max(longestKey, key);
    }
    const auto classes = static_cast<double>(2 * plan.slots.size() + plan.instructions.size());
    const auto shares = static_cast<double>(plan.instructions.size());
    return devices * (perEntry + sizeof(std::int32_t) * (longestKey + classes) + sizeof(WorkShare) * shares);
}

} // namespace shardscope
