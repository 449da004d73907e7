// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in plan.h.
#include <algorithm>
#include <bit>

#include "schedule/slots.h"

namespace shardscope {

Owner ownerOf(const Program& program, ValueId value)
{
    switch (program.value(value).role) {
    case Role::Parameter:
    case Role::Master:
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
    return slot(id).lastUse >= static_cast<std::int32_t>(instructions.size());
}

const MemorySummary& Plan::highest(const ControlInstruction& control) const
{
    return blocks[*std::max_element(control.blocks.begin(), control.blocks.end(),
                      [&](std::uint32_t a, std::uint32_t b) {
                          return blocks[a].memory.peakBytes < blocks[b].memory.peakBytes;
                      })]
        .memory;
}

namespace {

class Emitter {
public:
    Emitter(const Work& work, const SlotTable& table)
        : m_work(work)
        , m_program(*work.program)
        , m_block(*work.block)
        , m_table(table)
        , m_register(work.program->values.size(), -1)
    {
    }

    Instruction emit(const Node& node)
    {
        if (node.kind == Node::Kind::Copy)
            return copy(m_table.of(m_work, node.source), m_table.ofExtra[node.copied], node.source);
        if (node.kind == Node::Kind::Fused)
            return fused(node);
        const FlatOp& op = m_block.ops[node.ops[0]];
        Instruction instruction;
        if (node.kind == Node::Kind::Collective) {
            instruction.action = CollectiveInstruction{ op.operation };
        } else if (node.kind == Node::Kind::Control) {
            instruction.action = ControlInstruction{ op.operation, op.blocks, {} };
        } else {
            KernelInstruction kernel{ op.operation, {} };
            for (const auto& [inner, outer] : op.captured)
                kernel.captured.emplace_back(inner, m_table.of(m_work, m_work.same[outer.index]));
            instruction.action = std::move(kernel);
        }
        for (std::size_t o = 0; o < op.operands.size(); ++o)
            instruction.operands.push_back(
                op.operands[o].valid() ? m_table.of(m_work, m_work.operand(op, o)) : SlotId());
        for (const FlatValueId result : op.results) // none for what a loop leaves as it is
            instruction.results.push_back(result.valid() && m_work.same[result.index] == result.index
                    ? m_table.of(m_work, result.index)
                    : SlotId());
        instruction.origin = op.origin;
        return instruction;
    }

    Instruction copy(SlotId from, SlotId to, std::uint32_t value) const
    {
        const FlatValue& copied = m_program.values[value];
        FusedInstruction fused;
        fused.inputs.push_back({ from, 0, copied.localType.dtype, false, {} });
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
        const TensorType& type = m_program.value(m_block.ops[node.ops[0]].results[0]).localType;
        fused.elements = type.elementCount();
        m_inputs.clear();
        m_constants.clear();
        for (const std::uint32_t op : node.ops)
            for (std::size_t o = 0; o < m_block.ops[op].operands.size(); ++o)
                addInput(fused, op, o, type.rank());
        const std::size_t inputs = fused.inputs.size();
        fused.steps.reserve(node.ops.size());
        for (std::size_t i = 0; i < node.ops.size(); ++i) {
            const FlatOp& op = m_block.ops[node.ops[i]];
            const Operation& operation = m_program.operation(op);
            FusedInstruction::Step step;
            step.kind = operation.kind;
            step.operation = op.operation;
            if (const auto* compare = std::get_if<CompareAttributes>(&operation.attributes))
                step.comparison = compare->direction;
            const std::uint32_t result = op.results[0].index;
            step.dtype = m_program.values[result].localType.dtype;
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
            m_register[m_block.ops[op].results[0].index] = -1;
        Instruction instruction;
        instruction.action = std::move(fused);
        instruction.origin = m_block.ops[node.ops.back()].origin;
        return instruction;
    }

    void addInput(FusedInstruction& fused, std::uint32_t op, std::size_t operand, std::size_t rank)
    {
        const std::uint32_t value = m_work.operand(m_block.ops[op], operand);
        const bool isScalar = m_program.local->value(m_work.operation(op).operands[operand]).type.rank() == 0;
        const std::uint32_t definition = m_work.definition[value];
        const std::uint32_t node = m_work.nodeOf[op];
        if (m_register[value] >= 0
            || (definition != none && m_work.nodeOf[definition] == node && m_work.elementwise[definition]))
            return;
        const DType dtype = m_program.values[value].localType.dtype;
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
            fused.inputs.push_back({ SlotId(), inlined.constant, dtype, true, {} });
        } else {
            FusedInstruction::Input input{ m_table.of(m_work, m_work.readBy(op, value)), 0, dtype, false, {} };
            input.scalar = rank > 0 && (isScalar || inlined.kind == Inline::Kind::Scalar);
            if (inlined.kind == Inline::Kind::Repeated)
                input.repeats = repeatsOf(*m_program.local, m_work.operation(inlined.broadcast));
            for (std::size_t i = 0; i < fused.inputs.size(); ++i) {
                const FusedInstruction::Input& known = fused.inputs[i];
                if (known.slot == input.slot && known.scalar == input.scalar && known.repeats == input.repeats) {
                    m_register[value] = static_cast<std::int16_t>(i);
                    return;
                }
            }
            fused.inputs.push_back(std::move(input));
        }
        m_register[value] = next;
    }

    static bool sameBits(double a, double b)
    {
        return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); // 0 is not -0, NaN is NaN
    }

    std::int16_t registerOf(std::uint32_t value) const { return m_register[value]; }

    const Work& m_work;
    const FlatProgram& m_program;
    const FlatBlock& m_block;
    const SlotTable& m_table;
    std::vector<std::int16_t> m_register; ///< per value, within the group at hand
    std::vector<std::uint32_t> m_inputs; ///< values that have an input register
    std::vector<std::int16_t> m_constants;
};

/// Plans main, and the blocks of its loops and branches within.
class Planner {
public:
    Planner(std::shared_ptr<const FlatProgram> program, const ScheduleOptions& options)
        : m_program(*program)
        , m_options(options)
    {
        m_plan.blocks.resize(program->blocks.size());
        m_plan.program = std::move(program);
    }

    Result<Plan> run()
    {
        const FlatBlock& main = m_program.main();
        Result<MemorySummary> memory =
            block(0, {}, m_plan.instructions, [&](const Work& work, const Order& order, SlotTable& table) {
                for (const FlatValueId argument : main.arguments)
                    m_plan.arguments.push_back(argument.valid() ? table.of(work, argument.index) : SlotId());
                takeResults(work, order, table, m_plan.results);
                for (const auto& [replaced, result] : main.state)
                    m_plan.results[result] = table.of(work, replaced.index);
                nameSlots(work, order, table);
            });
        if (!memory)
            return tl::unexpected<Error>(memory.error());
        m_plan.memory = std::move(*memory);
        return std::move(m_plan);
    }

private:
    /// `look` is called when all slots are known. What is returned says `arenaBytes` of the block.
    template <class Look>
    Result<MemorySummary> block(
        std::uint32_t number, const OuterSlots& outer, std::vector<Instruction>& instructions, const Look& look)
    {
        Work work = analyseWork(m_program, m_program.blocks[number], m_options);
        makeNodes(work, m_options.fuse && !m_options.plain);
        const Order order = orderNodes(work);
        const auto first = static_cast<std::uint32_t>(m_plan.slots.size());
        SlotTable table = makeSlots(work, order, outer, first, number);
        const std::size_t own = table.slots.size();
        m_plan.slots.resize(first + own);

        instructions.reserve(table.instructions);
        Emitter emitter(work, table);
        InnerMemory inner;
        for (const std::uint32_t node : order.sequence) {
            instructions.push_back(emitter.emit(work.nodes[node]));
            if (work.nodes[node].kind != Node::Kind::Control)
                continue;
            auto& control = std::get<ControlInstruction>(instructions.back().action);
            control.room = table.ofNode[node];
            SHARDSCOPE_TRY(bytes, planBlocks(work, table, work.nodes[node]));
            table.at(control.room).bytes = *bytes;
            m_rooms.push_back({ control.room, static_cast<std::uint32_t>(m_plan.slots.size()) });
            inner.emplace(control.room.index - first, &m_plan.highest(control));
        }
        for (const Order::EndCopy& copy : order.endCopies) {
            const std::uint32_t saved = copy.extra == none ? copy.value : order.extras[copy.extra];
            const SlotId from = copy.extra == none ? table.of(work, copy.value) : table.ofExtra[copy.extra];
            const SlotId to = table.of(work, copy.argument);
            if (to.valid())
                instructions.push_back(emitter.copy(from, to, saved));
        }
        look(work, order, table);
        SHARDSCOPE_TRY(arena, packSlots(table.slots, table.instructions));
        MemorySummary memory = summarise(m_program, table.slots, table.instructions, *arena, inner);
        std::move(table.slots.begin(), table.slots.end(), m_plan.slots.begin() + first);
        moveInner(first, own);
        return memory;
    }

    /// What stands in loops and branches lies within the slots of these.
    void moveInner(std::uint32_t first, std::size_t own)
    {
        auto begin = static_cast<std::uint32_t>(first + own);
        std::size_t kept = 0;
        for (const Room& room : m_rooms) {
            if (room.slot.index < first || room.slot.index >= first + own) {
                m_rooms[kept++] = room;
                continue;
            }
            for (; begin < room.end; ++begin)
                m_plan.slots[begin].offset += m_plan.slots[room.slot.index].offset;
        }
        m_rooms.resize(kept);
    }

    /// The regions of a loop or a branch work one after the other in the same memory. The bytes of that.
    Result<std::int64_t> planBlocks(const Work& work, const SlotTable& table, const Node& node)
    {
        const FlatOp& op = work.block->ops[node.ops[0]];
        OuterSlots around;
        for (const auto& [inner, outer] : op.captured)
            around[outer] = table.of(work, work.same[outer.index]);
        for (std::size_t r = 0; r < op.results.size(); ++r)
            if (op.results[r].valid())
                around[op.results[r]] = table.of(work, work.same[op.results[r].index]);
        std::int64_t bytes = 0;
        for (const std::uint32_t number : op.blocks) {
            OuterSlots outer = around;
            const std::vector<FlatValueId>& arguments = m_program.blocks[number].arguments;
            for (std::size_t a = 0; a < arguments.size(); ++a)
                if (arguments[a].valid())
                    outer[arguments[a]] = around[op.results[a]];
            PlanBlock planned;
            Result<MemorySummary> made = block(number, outer, planned.instructions,
                [&](const Work& inner, const Order& order, const SlotTable& slots) {
                    takeResults(inner, order, slots, planned.results);
                });
            if (!made)
                return tl::unexpected<Error>(made.error());
            bytes = std::max(bytes, made->arenaBytes);
            planned.memory = std::move(*made);
            m_plan.blocks[number] = std::move(planned);
        }
        return bytes;
    }

    static void takeResults(const Work& work, const Order& order, const SlotTable& table, std::vector<SlotId>& results)
    {
        for (std::size_t r = 0; r < work.block->results.size(); ++r) {
            const std::uint32_t extra = order.resultExtra[r];
            const FlatValueId result = work.block->results[r];
            results.push_back(extra != none ? table.ofExtra[extra]
                    : result.valid()        ? table.of(work, work.same[result.index])
                                            : SlotId());
        }
    }

    /// Where values of main stand, and by what names.
    /// Per chain of values in one slot: the last operation that writes over part of what stood there before.
    [[nodiscard]] std::vector<std::uint32_t> lastOverwrites(const Work& work) const
    {
        std::vector<std::uint32_t> last(m_program.values.size(), none);
        for (std::uint32_t i = 0; i < work.block->ops.size(); ++i) {
            const FlatOp& op = work.block->ops[i];
            if (!work.live[i] || isCollective(work.operation(i).kind)) // a sum is its addends in another form
                continue;
            for (std::size_t r = 0; r < std::min<std::size_t>(op.results.size(), op.operands.size()); ++r)
                if (op.results[r].valid() && op.operands[r].valid() && work.definition[op.results[r].index] == i
                    && work.storage[op.results[r].index] == work.storage[work.operand(op, r)])
                    last[work.storage[op.results[r].index]] = i;
        }
        return last;
    }

    void nameSlots(const Work& work, const Order& order, SlotTable& table)
    {
        const std::vector<std::uint32_t> overwritten = lastOverwrites(work);
        m_plan.slotOf.resize(m_program.values.size());
        std::vector<bool> isArgument(m_program.values.size());
        for (const FlatValueId argument : m_program.main().arguments)
            if (argument.valid())
                isArgument[argument.index] = true;
        for (std::uint32_t v = 0; v < m_program.values.size(); ++v) {
            const std::uint32_t value = work.same[v];
            if (value != v && order.replaced[value])
                continue; // the slot will hold something else
            if (const std::uint32_t made = work.definition[value], last = overwritten[work.storage[value]];
                made != none && last != none && made < last)
                continue; // so it will
            if (isArgument[v] || (value != v && isArgument[value])
                || (work.definition[value] != none && needsSlot(work, value)))
                m_plan.slotOf[v] = table.of(work, value);
        }
        for (std::size_t i = 0; i < work.keptAliases.size(); ++i)
            if (order.aliasExtra[i] != none)
                m_plan.slotOf[work.keptAliases[i]] = table.ofExtra[order.aliasExtra[i]];
        // A slot goes by a name that people know: that of a constraint on its value, if the value has none.
        const Program& source = *m_program.program;
        for (std::uint32_t v = 0; v < source.values.size(); ++v) {
            const SlotId id = m_plan.slotOf[v];
            if (work.same[v] == v || !id.valid() || source.values[v].path.empty() || !m_program.values[v].isShard)
                continue;
            Slot& slot = table.at(id);
            const ValueId origin = m_program.value(slot.value).origin;
            if (!origin.valid() || source.value(origin).path.empty())
                slot.value = FlatValueId(v);
        }
    }

    struct Room {
        SlotId slot;
        std::uint32_t end = 0; ///< the slots before this one, up to those of the room before, lie in it
    };

    const FlatProgram& m_program;
    const ScheduleOptions& m_options;
    Plan m_plan;
    std::vector<Room> m_rooms; ///< of blocks that are being planned
};

} // namespace

Result<Plan> schedule(std::shared_ptr<const FlatProgram> program, const ScheduleOptions& options)
{
    return Planner(std::move(program), options).run();
}

} // namespace shardscope
