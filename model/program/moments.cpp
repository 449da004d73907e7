// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/moments.h"

#include <algorithm>
#include <map>
#include <set>

#include "program/op_row.h"

namespace shardscope {

namespace {

class Moments {
public:
    Moments(const Program& program, const StepState& state, ElementUpdates& updates, const std::vector<bool>& used)
        : m_program(program)
        , m_state(state)
        , m_used(used)
        , m_users(usersOf(program))
    {
        for (const StatePair& pair : state.pairs) {
            const ValueId result = program.main().results[pair.result];
            noteNext(result, pair.argument);
            if (isUsed(pair.argument) && isArray(pair.argument)
                && updates.updates(program.value(pair.argument).index, pair.result))
                m_parameters.emplace(result, pair.argument);
        }
        for (const Operation& operation : program.operations) {
            const bool isBranch = operation.kind == OpKind::If || operation.kind == OpKind::Case;
            for (std::size_t branch = 0; isBranch && branch < operation.regions.size(); ++branch)
                noteResults(program.regions[operation.regions[branch].index], operation);
            const Region* body = updates.bodyOf(operation);
            if (!body)
                continue;
            noteResults(*body, operation);
            for (std::size_t i = 0; i < std::min(operation.operands.size(), body->arguments.size()); ++i)
                m_within.emplace(operation.operands[i], body->arguments[i]);
        }
    }

    std::vector<std::optional<Role>> find() const
    {
        std::vector<std::optional<Role>> roles(m_program.main().arguments.size());
        for (const StatePair& pair : m_state.pairs)
            if (isArray(pair.argument) && !isUsed(pair.argument))
                roles[m_program.value(pair.argument).index] = roleOf(pair);
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
    void noteResults(const Region& body, const Operation& operation)
    {
        for (std::size_t i = 0; i < std::min(operation.results.size(), body.results.size()); ++i)
            m_resultOf.emplace(body.results[i], operation.results[i]);
    }
    /// The new value of an argument, before it is converted for the next step and after it.
    void noteNext(ValueId value, ValueId argument)
    {
        m_next.emplace(value, argument);
        for (OperationId maker = m_program.value(value).definition;
             maker.valid() && onlyMoves(m_program, m_program.operation(maker));
             maker = m_program.value(value).definition) {
            value = m_program.operation(maker).operands[0];
            m_next.emplace(value, argument);
        }
    }
    [[nodiscard]] bool isUsed(ValueId argument) const { return m_used[m_program.value(argument).index]; }

    /// Follows what is computed from the array element by element, up to what the next step begins with.
    [[nodiscard]] std::optional<Role> roleOf(const StatePair& moment) const
    {
        const Shape& shape = m_program.value(moment.argument).type.shape;
        std::set<ValueId> seen;
        std::vector<ValueId> left;
        bool isMoment = false, hasRoot = false;
        const auto add = [&](ValueId value) {
            if (!seen.insert(value).second)
                return;
            const auto parameter = m_parameters.find(value);
            isMoment =
                isMoment || (parameter != m_parameters.end() && m_program.value(parameter->second).type.shape == shape);
            const auto next = m_next.find(value);
            if (next == m_next.end() || next->second == moment.argument)
                left.push_back(value);
        };
        add(moment.argument);
        while (!left.empty()) {
            const ValueId value = left.back();
            left.pop_back();
            const auto [firstResult, endResult] = m_resultOf.equal_range(value);
            for (auto i = firstResult; i != endResult; ++i)
                add(i->second);
            const auto [firstWithin, endWithin] = m_within.equal_range(value);
            for (auto i = firstWithin; i != endWithin; ++i)
                add(i->second);
            for (const OperationId user : m_users[value.index]) {
                const Operation& operation = m_program.operation(user);
                if (!opRow(operation.kind).elementwise && !onlyMoves(m_program, operation))
                    continue;
                hasRoot = hasRoot || operation.kind == OpKind::Sqrt || operation.kind == OpKind::Rsqrt
                    || operation.kind == OpKind::Power;
                for (const ValueId result : operation.results)
                    add(result);
            }
        }
        if (!isMoment)
            return std::nullopt;
        return hasRoot ? Role::Nu : Role::Mu;
    }

    const Program& m_program;
    const StepState& m_state;
    const std::vector<bool>& m_used;
    std::vector<std::vector<OperationId>> m_users;
    std::map<ValueId, ValueId> m_next; ///< new values, with their arguments
    std::map<ValueId, ValueId> m_parameters; ///< new values of arrays that are used, with these
    std::multimap<ValueId, ValueId> m_resultOf; ///< of what a body or a function returns: results of its operation
    std::multimap<ValueId, ValueId> m_within; ///< of an operand: the argument of the body
};

} // namespace

std::vector<bool> usedByLosses(const Program& program, const StepState& state, ElementUpdates& updates)
{
    std::vector<ValueId> losses;
    for (const std::size_t result : possibleLosses(program, state, updates))
        losses.push_back(program.main().results[result]);
    if (losses.empty())
        return {};
    std::vector<bool> used = updates.argumentsOf(losses);
    // Of weights in another format that are made anew in every step, those that are updated are used.
    for (const StatePair& copy : state.pairs) {
        const std::uint32_t number = program.value(copy.argument).index;
        if (!used[number] || updates.updates(number, copy.result))
            continue;
        for (const StatePair& master : state.pairs) {
            const Value& argument = program.value(master.argument);
            if (argument.type.shape == program.value(copy.argument).type.shape
                && updates.updates(argument.index, master.result)
                && updates.of(master.result).arguments == updates.of(copy.result).arguments)
                used[argument.index] = true;
        }
    }
    return used;
}

std::vector<std::optional<Role>> momentsByUse(
    const Program& program, const StepState& state, ElementUpdates& updates, const std::vector<bool>& used)
{
    return Moments(program, state, updates, used).find();
}

} // namespace shardscope
