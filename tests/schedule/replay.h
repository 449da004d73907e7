// SPDX-License-Identifier: GPL-3.0-or-later
// Executes a plan on symbols instead of numbers. The arena is a list of intervals, each with the symbol that was last
// written there; writing over part of an interval destroys it. What every value should be comes from the flat program
// alone, operation by operation.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "base/hash.h"
#include "schedule/work.h"

namespace shardscope {

using Symbol = std::uint64_t;

class ScheduleReplay {
public:
    explicit ScheduleReplay(const Plan& plan)
        : m_plan(plan)
        , m_device(*plan.program)
        , m_local(*plan.program->local)
        , m_program(*plan.program->program)
    {
        expectValues();
    }

    /// Empty if the plan computes what the device program says, step by step.
    std::string run()
    {
        for (std::size_t i = 0; i < m_plan.arguments.size(); ++i)
            write(m_plan.arguments[i], m_expected[m_program.main().arguments[i].index]);
        for (std::size_t i = 0; i < m_plan.instructions.size() && m_flaw.empty(); ++i) {
            m_at = std::to_string(i);
            execute(m_plan.instructions[i]);
        }
        for (std::size_t r = 0; r < m_plan.results.size() && m_flaw.empty(); ++r) {
            m_at = "result " + std::to_string(r);
            if (read(m_plan.results[r]) != m_expected[m_device.main().results[r].index])
                flaw("wrong value returned");
        }
        for (const StatePair& pair : m_program.state)
            if (m_flaw.empty()
                && read(m_plan.slotOf[pair.argument.index]) != m_expected[m_device.main().results[pair.result].index])
                flaw("state not replaced");
        return m_flaw;
    }

    /// The value can still be read after run().
    bool holds(ValueId value)
    {
        const SlotId slot = m_plan.slotOf[value.index];
        if (!slot.valid())
            return false;
        for (const Interval& interval : m_arena)
            if (interval.begin == m_plan.slot(slot).offset && interval.symbol == m_expected[value.index])
                return true;
        return false;
    }

private:
    struct Interval {
        std::int64_t begin, end;
        Symbol symbol;
    };

    static Symbol constant(double value) { return Hasher().add(std::string_view("constant")).add(value).value(); }
    Symbol splat(Symbol element)
    {
        m_splats.insert(element);
        return element;
    }

    /// What a value is another name of, or a reshaped form.
    Symbol resultOf(const FlatOp& op, std::span<const Symbol> operands)
    {
        const Operation& operation = m_device.operation(op);
        if (operation.kind == OpKind::Reshape)
            return operands[0];
        return symbolOf(op.operation, operands);
    }
    Symbol symbolOf(OperationId id, std::span<const Symbol> operands)
    {
        const Operation& operation = m_local.operation(id);
        const auto* values = std::get_if<ConstantAttributes>(&operation.attributes);
        if (values && values->values.size() == 1)
            return splat(constant(values->values[0]));
        if (operation.kind == OpKind::BroadcastInDim
            && (m_local.value(operation.operands[0]).type.rank() == 0 || m_splats.contains(operands[0])))
            return splat(operands[0]); // as good as the scalar
        if (operation.kind == OpKind::BroadcastInDim) // fused instructions say themselves how they read it
            if (const auto repeats = repeatsOf(m_local, operation); !repeats.empty())
                return repeated(operands[0], repeats);
        Hasher hasher;
        hasher.add(id.index);
        for (const Symbol operand : operands)
            hasher.add(operand);
        return hasher.value();
    }

    static Symbol repeated(Symbol source, const SmallVector<FusedInstruction::Dimension, 4>& repeats)
    {
        Hasher hasher;
        hasher.add(std::string_view("repeated")).add(source);
        for (const FusedInstruction::Dimension& dimension : repeats)
            hasher.add(dimension.extent).add(dimension.stride);
        return hasher.value();
    }

    void expectValues()
    {
        m_expected.resize(m_device.values.size());
        for (const FlatValueId argument : m_device.main().arguments)
            m_expected[argument.index] = Hasher().add(std::string_view("argument")).add(argument.index).value();
        for (const FlatOp& op : m_device.main().ops) {
            std::vector<Symbol> operands;
            for (const FlatValueId operand : op.operands)
                operands.push_back(m_expected[operand.index]);
            m_expected[op.results[0].index] = resultOf(op, operands);
        }
        for (const auto& [name, value] : m_device.aliases)
            m_expected[name.index] = m_expected[value.index];
    }

    void execute(const Instruction& instruction)
    {
        if (const auto* fused = std::get_if<FusedInstruction>(&instruction.action))
            return executeFused(*fused);
        const auto* collective = std::get_if<CollectiveInstruction>(&instruction.action);
        const OperationId id =
            collective ? collective->operation : std::get<KernelInstruction>(instruction.action).operation;
        const OpKind kind = m_local.operation(id).kind;
        std::vector<Symbol> operands;
        for (const SlotId operand : instruction.operands) {
            const bool mayOverwrite =
                kind == OpKind::AllReduce || (kind == OpKind::DynamicUpdateSlice && operands.empty());
            operands.push_back(read(operand));
            if (operand == instruction.results[0] && !mayOverwrite)
                flaw("a kernel overwrites what it reads");
        }
        write(instruction.results[0], symbolOf(id, operands));
    }

    void executeFused(const FusedInstruction& fused)
    {
        std::vector<Symbol> registers;
        for (const FusedInstruction::Input& input : fused.inputs)
            registers.push_back(!input.slot.valid() ? constant(input.constant)
                    : input.repeats.empty()         ? read(input.slot)
                                                    : repeated(read(input.slot), input.repeats));
        for (const FusedInstruction::Step& step : fused.steps) {
            std::vector<Symbol> operands;
            for (const std::int16_t operand : { step.a, step.b, step.c })
                if (operand >= 0) {
                    if (static_cast<std::size_t>(operand) >= registers.size())
                        return flaw("a register that is not filled yet");
                    operands.push_back(registers[static_cast<std::size_t>(operand)]);
                }
            registers.push_back(symbolOf(step.operation, operands));
        }
        for (const FusedInstruction::Output& output : fused.outputs)
            write(output.slot, registers[static_cast<std::size_t>(output.reg)]);
    }

    Symbol read(SlotId slot)
    {
        if (!slot.valid()) {
            flaw("reads a value without a slot");
            return 0;
        }
        const Slot& s = m_plan.slot(slot);
        for (const Interval& interval : m_arena)
            if (interval.begin == s.offset && interval.end == s.offset + s.bytes)
                return interval.symbol;
        flaw("reads memory that was overwritten or never written");
        return 0;
    }

    void write(SlotId slot, Symbol symbol)
    {
        const Slot& s = m_plan.slot(slot);
        if (s.offset % 64 != 0 || s.offset + s.bytes > m_plan.memory.arenaBytes)
            flaw("a slot outside the arena or not aligned");
        std::erase_if(
            m_arena, [&](const Interval& other) { return other.begin < s.offset + s.bytes && s.offset < other.end; });
        m_arena.push_back({ s.offset, s.offset + s.bytes, symbol });
    }

    void flaw(const std::string& text)
    {
        if (m_flaw.empty())
            m_flaw = m_at + ": " + text;
    }

    const Plan& m_plan;
    const FlatProgram& m_device;
    const Program& m_local;
    const Program& m_program;
    std::vector<Symbol> m_expected; ///< per value
    std::vector<Interval> m_arena;
    std::unordered_set<Symbol> m_splats; ///< of arrays that are one element everywhere
    std::string m_flaw;
    std::string m_at = "arguments";
};

} // namespace shardscope
