// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/moments.h"

#include <algorithm>
#include <array>

namespace shardscope {

namespace {

class Moments {
public:
    Moments(const Program& program, const StepState& state)
        : m_program(program)
        , m_state(state)
        , m_users(usersOf(program))
    {
    }

    /// `isOfModel`: per argument of main.
    std::vector<std::optional<Role>> find(const std::vector<bool>& isOfModel)
    {
        std::vector<std::optional<Role>> roles(m_program.main().arguments.size());
        for (const StatePair& pair : m_state.pairs) {
            const std::uint32_t argument = m_program.value(pair.argument).index;
            if (isArray(pair.argument) && !isOfModel[argument])
                roles[argument] = roleOf(pair, isOfModel);
        }
        return roles;
    }

private:
    [[nodiscard]] bool isArray(ValueId value) const
    {
        const TensorType& type = m_program.value(value).type;
        return isFloat(type.dtype) && type.rank() > 0;
    }
    [[nodiscard]] std::optional<Role> roleOf(const StatePair& moment, const std::vector<bool>& isOfModel) const
    {
        bool hasRoot = false;
        const std::vector<bool> becomes = computedFrom(moment.argument, hasRoot);
        const bool isMoment = std::any_of(m_state.pairs.begin(), m_state.pairs.end(), [&](const StatePair& parameter) {
            const Value& argument = m_program.value(parameter.argument);
            return isOfModel[argument.index] && isArray(parameter.argument)
                && argument.type.shape == m_program.value(moment.argument).type.shape
                && becomes[m_program.main().results[parameter.result].index];
        });
        if (!isMoment)
            return std::nullopt;
        return hasRoot ? Role::Nu : Role::Mu;
    }
    /// Per value: whether it is computed from the argument, by whatever operations of main.
    [[nodiscard]] std::vector<bool> computedFrom(ValueId argument, bool& hasRoot) const
    {
        constexpr std::array roots{ OpKind::Sqrt, OpKind::Rsqrt, OpKind::Power };
        std::vector<bool> found(m_program.values.size());
        std::vector<ValueId> left{ argument };
        found[argument.index] = true;
        while (!left.empty()) {
            const ValueId value = left.back();
            left.pop_back();
            for (const OperationId user : m_users[value.index]) {
                const Operation& operation = m_program.operation(user);
                hasRoot = hasRoot || std::find(roots.begin(), roots.end(), operation.kind) != roots.end();
                for (const ValueId result : operation.results)
                    if (!found[result.index]) {
                        found[result.index] = true;
                        left.push_back(result);
                    }
            }
        }
        return found;
    }

    const Program& m_program;
    const StepState& m_state;
    std::vector<std::vector<OperationId>> m_users;
};

} // namespace

std::vector<std::optional<Role>> momentsByUse(
    const Program& program, const StepState& state, ElementUpdates& updates, const std::vector<ContractionPart>& parts)
{
    const Region& main = program.main();
    std::vector<bool> isOfModel;
    if (const std::optional<std::size_t> loss = lossResult(program, state)) {
        isOfModel = updates.argumentsOf(std::span(&main.results[*loss], 1));
    } else {
        for (const ContractionPart part : parts)
            isOfModel.push_back(part != ContractionPart::None);
    }
    return Moments(program, state).find(isOfModel);
}

} // namespace shardscope
