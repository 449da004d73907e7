// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/kernels/adam_pattern.h"

#include <algorithm>
#include <array>
#include <utility>

namespace shardscope {

namespace {

using Register = std::int16_t;

class Matcher {
public:
    Matcher(const FusedInstruction& instruction, const std::vector<bool>& isScalar)
        : m_instruction(instruction)
        , m_isScalar(isScalar)
    {
    }

    std::optional<AdamRegisters> match()
    {
        constexpr std::ptrdiff_t arraySteps = 13;
        if (m_instruction.outputs.size() != 3
            || std::count(m_isScalar.begin() + inputCount(), m_isScalar.end(), false) != arraySteps || !sameType())
            return std::nullopt;
        for (const FusedInstruction::Output& output : m_instruction.outputs)
            if (matchParameter(output.reg) && isOutput(m_found.newMu) && isOutput(m_found.newNu))
                return m_found;
        return std::nullopt;
    }

private:
    [[nodiscard]] std::ptrdiff_t inputCount() const { return std::ssize(m_instruction.inputs); }
    [[nodiscard]] bool isScalar(Register r) const { return m_isScalar[static_cast<std::size_t>(r)]; }
    [[nodiscard]] bool isArrayInput(Register r) const { return r < inputCount() && !isScalar(r); }
    [[nodiscard]] bool isOutput(Register r) const
    {
        return std::any_of(m_instruction.outputs.begin(), m_instruction.outputs.end(),
            [r](const FusedInstruction::Output& output) { return output.reg == r; });
    }

    [[nodiscard]] bool sameType() const
    {
        const DType dtype = m_instruction.inputs.empty() ? DType::Pred : m_instruction.inputs.front().dtype;
        return (dtype == DType::F32 || dtype == DType::F64)
            && std::all_of(m_instruction.inputs.begin(), m_instruction.inputs.end(),
                [dtype](const FusedInstruction::Input& input) { return input.dtype == dtype; })
            && std::all_of(m_instruction.steps.begin(), m_instruction.steps.end(),
                [dtype](const FusedInstruction::Step& step) { return step.dtype == dtype; });
    }

    /// The step that computes an array register by that operation, or null.
    [[nodiscard]] const FusedInstruction::Step* step(Register r, OpKind kind) const
    {
        if (r < inputCount() || isScalar(r))
            return nullptr;
        const FusedInstruction::Step& step = m_instruction.steps[static_cast<std::size_t>(r - inputCount())];
        return step.kind == kind ? &step : nullptr;
    }
    /// Operands of a commutative step, in both orders; empty if the register is something else.
    [[nodiscard]] std::vector<std::pair<Register, Register>> orders(Register r, OpKind kind) const
    {
        const FusedInstruction::Step* found = step(r, kind);
        if (!found)
            return {};
        return { { found->a, found->b }, { found->b, found->a } };
    }
    /// r = array * scalar
    [[nodiscard]] std::optional<std::pair<Register, Register>> scaled(Register r) const
    {
        for (const auto& [array, scalar] : orders(r, OpKind::Multiply))
            if (!isScalar(array) && isScalar(scalar))
                return std::pair(array, scalar);
        return std::nullopt;
    }

    bool matchParameter(Register r)
    {
        for (const auto& [parameter, quotient] : orders(r, OpKind::Add)) {
            const FusedInstruction::Step* divide = step(quotient, OpKind::Divide);
            if (!divide || !isArrayInput(parameter))
                continue;
            const auto numerator = scaled(divide->a);
            for (const auto& [root, epsilon] : orders(divide->b, OpKind::Add)) {
                const FusedInstruction::Step* squareRoot = step(root, OpKind::Sqrt);
                if (!numerator || !squareRoot || !isScalar(epsilon))
                    continue;
                const auto radicand = scaled(squareRoot->a);
                if (!radicand || !matchNu(radicand->first) || !matchMu(numerator->first))
                    continue;
                m_found.newParameter = r;
                m_found.parameter = parameter;
                m_found.epsilon = epsilon;
                m_found.step = numerator->second;
                m_found.scale = radicand->second;
                return true;
            }
        }
        return false;
    }

    bool matchNu(Register r)
    {
        for (const auto& [old, gain] : orders(r, OpKind::Add)) {
            const auto oldNu = scaled(old);
            const auto square = scaled(gain);
            const FusedInstruction::Step* product = square ? step(square->first, OpKind::Multiply) : nullptr;
            if (!oldNu || !product || product->a != product->b || !isArrayInput(oldNu->first)
                || !isArrayInput(product->a))
                continue;
            m_found.newNu = r;
            m_found.nu = oldNu->first;
            m_found.nuDecay = oldNu->second;
            m_found.gradient = product->a;
            m_found.nuGain = square->second;
            return true;
        }
        return false;
    }

    /// After matchNu: it knows which input is the gradient.
    bool matchMu(Register r)
    {
        for (const auto& [old, gain] : orders(r, OpKind::Add)) {
            const auto oldMu = scaled(old);
            const auto gradient = scaled(gain);
            if (!oldMu || !gradient || gradient->first != m_found.gradient || !isArrayInput(oldMu->first))
                continue;
            m_found.newMu = r;
            m_found.mu = oldMu->first;
            m_found.muDecay = oldMu->second;
            m_found.muGain = gradient->second;
            return true;
        }
        return false;
    }

    const FusedInstruction& m_instruction;
    const std::vector<bool>& m_isScalar;
    AdamRegisters m_found;
};

} // namespace

std::optional<AdamRegisters> matchAdam(const FusedInstruction& instruction, const std::vector<bool>& isScalar)
{
    return Matcher(instruction, isScalar).match();
}

} // namespace shardscope
