// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/moments.h"

#include <algorithm>
#include <map>

namespace shardscope {

namespace {

class Moments {
public:
    Moments(const Program& program, const StepState& state)
        : m_program(program)
        , m_state(state)
        , m_users(usersOf(program))
    {
        for (const Operation& operation : program.operations)
            if (operation.kind == OpKind::ManualComputation)
                for (std::size_t i = 0; i < operation.results.size(); ++i)
                    m_resultOf.emplace(program.regions[operation.regions[0].index].results[i], operation.results[i]);
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
        const bool hasAny =
            std::any_of(roles.begin(), roles.end(), [](const std::optional<Role>& role) { return role.has_value(); });
        return hasAny ? roles : std::vector<std::optional<Role>>();
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
    static bool isRoot(OpKind kind) { return kind == OpKind::Sqrt || kind == OpKind::Rsqrt || kind == OpKind::Power; }
    /// Per value: whether it is computed from the argument, by whatever operations of main and of manual computations.
    [[nodiscard]] std::vector<bool> computedFrom(ValueId argument, bool& hasRoot) const
    {
        std::vector<bool> found(m_program.values.size());
        std::vector<ValueId> left;
        const auto add = [&](ValueId value) {
            if (!found[value.index]) {
                found[value.index] = true;
                left.push_back(value);
            }
        };
        add(argument);
        while (!left.empty()) {
            const ValueId value = left.back();
            left.pop_back();
            const auto [first, end] = m_resultOf.equal_range(value);
            for (auto made = first; made != end; ++made)
                add(made->second);
            for (const OperationId user : m_users[value.index]) {
                const Operation& operation = m_program.operation(user);
                hasRoot = hasRoot || isRoot(operation.kind);
                if (operation.kind == OpKind::ManualComputation) {
                    const Region& body = m_program.regions[operation.regions[0].index];
                    for (std::size_t i = 0; i < operation.operands.size(); ++i)
                        if (operation.operands[i] == value)
                            add(body.arguments[i]);
                    continue;
                }
                for (const ValueId result : operation.results)
                    add(result);
            }
        }
        return found;
    }

    const Program& m_program;
    const StepState& m_state;
    std::vector<std::vector<OperationId>> m_users;
    std::multimap<ValueId, ValueId> m_resultOf; ///< of what a manual computation returns
};

} // namespace

std::vector<bool> usedByModel(
    const Program& program, const StepState& state, ElementUpdates& updates, const std::vector<ContractionPart>& parts)
{
    if (const std::optional<std::size_t> loss = lossResult(program, state))
        return updates.argumentsOf(std::span(&program.main().results[*loss], 1));
    std::vector<bool> used;
    for (const ContractionPart part : parts)
        used.push_back(part != ContractionPart::None);
    return used;
}

std::vector<std::optional<Role>> momentsByUse(
    const Program& program, const StepState& state, const std::vector<bool>& isOfModel)
{
    return Moments(program, state).find(isOfModel);
}

} // namespace shardscope
