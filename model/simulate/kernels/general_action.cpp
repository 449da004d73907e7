// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/kernels/general_action.h"

#include <cstring>

#include "base/codes.h"
#include "program/op_row.h"
#include "simulate/kernels/body.h"
#include "simulate/kernels/call.h"
#include "simulate/kernels/elementwise.h"
#include "simulate/kernels/known_opaque.h"
#include "simulate/run/not_executable.h"

namespace shardscope {

namespace {

struct Place {
    TensorType type;
    SlotId slot;
};

/// What bodies read from around them.
class CapturedValues final : public kernels::Scope {
public:
    CapturedValues(const std::vector<std::pair<ValueId, Place>>& places, std::byte* const* slots)
    {
        for (const auto& [value, place] : places)
            m_arrays.emplace_back(value, kernels::viewOf(place.type, slots[place.slot.index]));
    }
    [[nodiscard]] const kernels::Array& at(ValueId value) const override
    {
        for (const auto& [known, array] : m_arrays)
            if (known == value)
                return array;
        return m_none;
    }

private:
    std::vector<std::pair<ValueId, kernels::Array>> m_arrays;
    kernels::Array m_none;
};

class GeneralAction final : public Action {
public:
    GeneralAction(ProgramPtr program, const Operation& operation, kernels::Evaluate evaluate)
        : m_program(std::move(program))
        , m_operation(operation)
        , m_evaluate(evaluate)
    {
    }

    void run(const ActionContext& context) const override
    {
        kernels::Arrays operands;
        operands.reserve(m_operands.size());
        for (const Place& place : m_operands)
            operands.push_back(place.slot.valid() ? kernels::viewOf(place.type, context.slots[place.slot.index])
                                                  : kernels::Array{ place.type, {}, {} });
        if (m_operation.kind == OpKind::Opaque)
            if (const std::optional<TensorType> made = kernels::otherResult(*m_program, m_operation, operands)) {
                *context.failure = cannot(*m_program, m_operation,
                    { { "wrong", "shape" }, { "found", toString(*made) }, { "expected", toString(m_results[0].type) } })
                                       .value();
                return;
            }
        const CapturedValues captured(m_captured, context.slots);
        const kernels::Call call{ *m_program, m_operation, operands, &captured };
        const kernels::Arrays results = m_evaluate(call);
        for (std::size_t i = 0; i < m_results.size(); ++i)
            if (m_results[i].slot.valid() && results[i].bytes)
                std::memmove(context.slots[m_results[i].slot.index], results[i].data(),
                    static_cast<std::size_t>(m_results[i].type.byteCount()));
    }

    void place(const Instruction& instruction)
    {
        const auto placesOf = [&](const auto& values, const auto& slots) {
            std::vector<Place> places;
            for (std::size_t i = 0; i < values.size(); ++i)
                places.push_back({ m_program->value(values[i]).type, slots[i] });
            return places;
        };
        m_operands = placesOf(m_operation.operands, instruction.operands);
        m_results = placesOf(m_operation.results, instruction.results);
        for (const auto& [value, slot] : std::get<KernelInstruction>(instruction.action).captured)
            m_captured.emplace_back(value, Place{ m_program->value(value).type, slot });
    }

private:
    ProgramPtr m_program;
    const Operation& m_operation;
    kernels::Evaluate m_evaluate;
    std::vector<Place> m_operands, m_results;
    std::vector<std::pair<ValueId, Place>> m_captured;
};

} // namespace

Result<ActionPtr> prepareGeneralAction(const Plan& plan, const Instruction& instruction)
{
    const ProgramPtr& program = plan.program->local;
    const Operation& operation = program->operation(std::get<KernelInstruction>(instruction.action).operation);
    kernels::Evaluate evaluate = nullptr;
    if (operation.kind == OpKind::Opaque)
        evaluate = kernels::isKnownOpaque(*program, operation) ? kernels::evaluateOpaque : nullptr;
    else if (kernels::Evaluate known = kernels::evaluator(operation.kind))
        evaluate = known;
    else if (kernels::elementKernel(*program, operation))
        evaluate = kernels::evaluateElementwise;
    if (!evaluate)
        return cannot(*program, operation, {});
    for (const RegionId body : operation.regions)
        if (!kernels::Body::translate(*program, body))
            return cannot(*program, operation, { { "wrong", "body" } });
    auto action = std::make_unique<GeneralAction>(program, operation, evaluate);
    action->place(instruction);
    return action;
}

} // namespace shardscope
