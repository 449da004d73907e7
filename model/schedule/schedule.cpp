// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <bit>

#include "schedule/slots.h"

namespace shardscope {

Owner ownerOf(const Program& program, ValueId value)
{
    switch (program.value(value).role) {
    case Role::Parameter:
        return Owner::Parameters;
    case Role::Gradient:
        return Owner::Gradients;
    case Role::Mu:
        return Owner::Mu;
    case Role::Nu:
        return Owner::Nu;
    case Role::Input:
    case Role::Activation:
        return Owner::Activations;
    case Role::Count:
    case Role::Step:
    case Role::Loss:
    case Role::Constant:
    case Role::Temporary:
        return Owner::Buffers;
    }
    return Owner::Buffers;
}

bool Plan::observable(ValueId value) const
{
    const SlotId id = value.index < slotOf.size() ? slotOf[value.index] : SlotId();
    if (!id.valid())
        return false;
    const Slot& own = slot(id);
    if (own.lastUse >= static_cast<std::int32_t>(instructions.size()))
        return true;
    return std::none_of(slots.begin(), slots.end(), [&](const Slot& other) {
        return other.firstUse > own.lastUse && other.offset < own.offset + own.bytes
            && own.offset < other.offset + other.bytes;
    });
}

namespace {

class Emitter {
public:
    Emitter(const Work& work, const SlotTable& table)
        : m_work(work)
        , m_device(*work.device)
        , m_program(*work.device->program)
        , m_table(table)
        , m_register(work.device->values.size(), -1)
    {
    }

    Instruction emit(const Node& node)
    {
        switch (node.kind) {
        case Node::Kind::Copy:
            return copy(m_table.of(m_work, node.source), SlotId(m_table.ofExtra[node.copied]), node.source);
        case Node::Kind::Fused:
            return fused(node);
        case Node::Kind::Kernel:
        case Node::Kind::Collective:
            break;
        }
        const DeviceOp& op = m_device.ops[node.ops[0]];
        Instruction instruction;
        if (node.kind == Node::Kind::Collective)
            instruction.action = CollectiveInstruction{ DeviceOpId(node.ops[0]) };
        else
            instruction.action = KernelInstruction{ std::get<OperationId>(op.action) };
        for (std::size_t o = 0; o < op.operands.size(); ++o)
            instruction.operands.push_back(m_table.of(m_work, m_work.operand(op, o)));
        instruction.results.push_back(m_table.of(m_work, op.results[0].index));
        instruction.origin = op.origin;
        return instruction;
    }

    Instruction copy(SlotId from, SlotId to, std::uint32_t value) const
    {
        const DeviceValue& copied = m_device.values[value];
        FusedInstruction fused;
        fused.inputs.push_back({ from, 0, copied.localType.dtype, false });
        fused.outputs.push_back({ to, 0 });
        fused.elements = copied.localType.elementCount();
        Instruction instruction;
        instruction.action = std::move(fused);
        instruction.origin = copied.origin;
        return instruction;
    }

private:
    Instruction fused(const Node& node)
    {
        FusedInstruction fused;
        const TensorType& type = m_device.value(m_device.ops[node.ops[0]].results[0]).localType;
        fused.elements = type.elementCount();
        m_inputs.clear();
        m_constants.clear();
        for (const std::uint32_t op : node.ops)
            for (std::size_t o = 0; o < m_device.ops[op].operands.size(); ++o)
                addInput(fused, op, m_work.operand(m_device.ops[op], o), type.rank());
        const std::size_t inputs = fused.inputs.size();
        fused.steps.reserve(node.ops.size());
        for (std::size_t i = 0; i < node.ops.size(); ++i) {
            const DeviceOp& op = m_device.ops[node.ops[i]];
            const OperationId id = std::get<OperationId>(op.action);
            const Operation& operation = m_program.operation(id);
            FusedInstruction::Step step;
            step.kind = operation.kind;
            step.operation = id;
            if (const auto* compare = std::get_if<CompareAttributes>(&operation.attributes))
                step.comparison = compare->direction;
            const std::uint32_t result = op.results[0].index;
            step.dtype = m_device.values[result].localType.dtype;
            for (std::size_t o = 0; o < op.operands.size(); ++o)
                (o == 0 ? step.a : o == 1 ? step.b : step.c) = registerOf(m_work.operand(op, o));
            fused.steps.push_back(step);
            m_register[result] = static_cast<std::int16_t>(inputs + i);
            if (needsSlot(m_work, result))
                fused.outputs.push_back({ m_table.of(m_work, result), m_register[result] });
        }
        for (const std::uint32_t value : m_inputs)
            m_register[value] = -1;
        for (const std::uint32_t op : node.ops)
            m_register[m_device.ops[op].results[0].index] = -1;
        Instruction instruction;
        instruction.action = std::move(fused);
        instruction.origin = m_device.ops[node.ops.back()].origin;
        return instruction;
    }

    void addInput(FusedInstruction& fused, std::uint32_t op, std::uint32_t value, std::size_t rank)
    {
        const std::uint32_t definition = m_work.definition[value];
        const std::uint32_t node = m_work.nodeOf[op];
        if (m_register[value] >= 0
            || (definition != none && m_work.nodeOf[definition] == node && m_work.elementwise[definition]))
            return;
        const DType dtype = m_device.values[value].localType.dtype;
        const Inline& inlined = m_work.inlined[value];
        const auto next = static_cast<std::int16_t>(fused.inputs.size());
        m_inputs.push_back(value);
        if (inlined.kind == Inline::Kind::Constant) {
            for (const std::int16_t known : m_constants) {
                const FusedInstruction::Input& input = fused.inputs[static_cast<std::size_t>(known)];
                if (sameBits(input.constant, inlined.constant) && input.dtype == dtype) {
                    m_register[value] = known;
                    return;
                }
            }
            m_constants.push_back(next);
            fused.inputs.push_back({ SlotId(), inlined.constant, dtype, true });
        } else {
            const std::uint32_t read = inlined.kind == Inline::Kind::Scalar ? inlined.scalar : value;
            const SlotId slot = m_table.of(m_work, read);
            const bool scalar = rank > 0 && m_device.values[read].localType.rank() == 0;
            for (std::size_t i = 0; i < fused.inputs.size(); ++i)
                if (fused.inputs[i].slot == slot && fused.inputs[i].scalar == scalar) {
                    m_register[value] = static_cast<std::int16_t>(i);
                    return;
                }
            fused.inputs.push_back({ slot, 0, dtype, scalar });
        }
        m_register[value] = next;
    }

    static bool sameBits(double a, double b)
    {
        return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); // 0 is not -0, NaN is NaN
    }

    std::int16_t registerOf(std::uint32_t value) const { return m_register[value]; }

    const Work& m_work;
    const DeviceProgram& m_device;
    const Program& m_program;
    const SlotTable& m_table;
    std::vector<std::int16_t> m_register; ///< per device value, within the group at hand
    std::vector<std::uint32_t> m_inputs; ///< values that have an input register
    std::vector<std::int16_t> m_constants;
};

} // namespace

Result<Plan> schedule(std::shared_ptr<const DeviceProgram> program, const ScheduleOptions& options)
{
    const DeviceProgram& device = *program;
    Work work = analyseWork(device, options);
    makeNodes(work, options.fuse);
    const Order order = orderNodes(work);
    SlotTable table = makeSlots(work, order);
    const Result<std::int64_t> arena = packSlots(table.slots, table.instructions);
    if (!arena)
        return tl::unexpected(arena.error());

    Plan plan;
    plan.instructions.reserve(table.instructions);
    Emitter emitter(work, table);
    for (const std::uint32_t node : order.sequence)
        plan.instructions.push_back(emitter.emit(work.nodes[node]));
    for (const Order::EndCopy& copy : order.endCopies) {
        const std::uint32_t saved = copy.extra == none ? copy.value : order.extras[copy.extra];
        const SlotId from = copy.extra == none ? table.of(work, copy.value) : SlotId(table.ofExtra[copy.extra]);
        plan.instructions.push_back(emitter.copy(from, table.of(work, copy.argument), saved));
    }
    for (const ValueId argument : device.program->main().arguments)
        plan.arguments.push_back(table.of(work, argument.index));
    for (std::size_t r = 0; r < device.results.size(); ++r) {
        const std::uint32_t extra = order.resultExtra[r];
        plan.results.push_back(
            extra == none ? table.of(work, work.same[device.results[r].index]) : SlotId(table.ofExtra[extra]));
    }
    for (const StatePair& pair : device.program->state)
        plan.results[pair.result] = table.of(work, pair.argument.index);
    plan.slotOf.resize(device.values.size());
    for (std::uint32_t v = 0; v < device.values.size(); ++v) {
        const std::uint32_t value = work.same[v];
        if (value != v && order.replaced[value])
            continue; // the slot will hold something else
        const bool isArgument = v < device.program->values.size() && !device.program->values[v].definition.valid();
        if (isArgument || value != v || (work.definition[value] != none && needsSlot(work, value)))
            plan.slotOf[v] = table.of(work, value);
    }
    for (std::size_t i = 0; i < work.keptAliases.size(); ++i)
        if (order.aliasExtra[i] != none)
            plan.slotOf[work.keptAliases[i]] = SlotId(table.ofExtra[order.aliasExtra[i]]);
    // A slot goes by a name that people know: that of a constraint on its value, if the value has none.
    for (std::uint32_t v = 0; v < device.program->values.size(); ++v) {
        const SlotId id = plan.slotOf[v];
        if (work.same[v] == v || !id.valid() || device.program->values[v].path.empty())
            continue;
        Slot& slot = table.slots[id.index];
        if (device.program->value(device.value(slot.value).origin).path.empty())
            slot.value = DeviceValueId(v);
    }
    plan.memory = summarise(device, table.slots, table.instructions, *arena);
    plan.slots = std::move(table.slots);
    plan.program = std::move(program);
    return plan;
}

} // namespace shardscope
