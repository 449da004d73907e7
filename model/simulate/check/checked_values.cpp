// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "simulate/check/check.h"
#include "simulate/check/rounding_bound.h"

namespace shardscope {

namespace {

class CheckedValues {
public:
    explicit CheckedValues(const Program& program)
        : m_program(program)
        , m_users(usersOf(program))
        , m_checked(program.values.size())
    {
    }

    std::vector<ValueId> find()
    {
        std::vector<bool> live(m_program.values.size());
        for (const ValueId result : m_program.main().results)
            live[result.index] = true;
        addAncestors(live);
        for (const OperationId id : m_program.main().operations) {
            const Operation& operation = m_program.operation(id);
            if (live[operation.results[0].index]
                && (operation.kind == OpKind::DotGeneral || operation.kind == OpKind::Reduce))
                m_checked[operation.results[0].index] = true;
        }
        std::vector<bool> asked(m_program.values.size());
        for (std::size_t v = 0; v < m_program.values.size(); ++v)
            asked[v] = m_program.values[v].role == Role::Gradient;
        std::vector<bool> state(m_program.main().results.size());
        for (const StatePair& pair : m_program.state)
            state[pair.result] = true;
        for (std::size_t r = 0; r < state.size(); ++r)
            if (!state[r])
                asked[m_program.main().results[r].index] = true;
        for (std::size_t v = 0; v < asked.size(); ++v)
            m_checked[v] = m_checked[v] || asked[v];
        addInexactOperands();
        takeConstraints(asked);

        std::vector<ValueId> values;
        for (const OperationId id : m_program.main().operations)
            if (const ValueId value = m_program.operation(id).results[0]; m_checked[value.index])
                values.push_back(value);
        return values;
    }

private:
    void addAncestors(std::vector<bool>& values) const
    {
        const std::vector<OperationId>& operations = m_program.main().operations;
        for (auto id = operations.rbegin(); id != operations.rend(); ++id) {
            const Operation& operation = m_program.operation(*id);
            if (values[operation.results[0].index])
                for (const ValueId operand : operation.operands)
                    values[operand.index] = true;
        }
    }

    /// Operands of decisions and functions, as far as they are not exact anyhow.
    void addInexactOperands()
    {
        std::vector<bool> needed = m_checked;
        addAncestors(needed);
        std::vector<bool> exact(m_program.values.size(), true);
        for (const OperationId id : m_program.main().operations) {
            const Operation& operation = m_program.operation(id);
            const std::uint32_t result = operation.results[0].index;
            if (!needed[result])
                continue;
            for (std::size_t o = 0; o < operation.operands.size(); ++o)
                if (const ValueId operand = operation.operands[o];
                    !exact[operand.index] && needsExactOperand(m_program, operation, o))
                    m_checked[operand.index] = exact[operand.index] = true;
            const bool fromExact = std::all_of(operation.operands.begin(), operation.operands.end(),
                [&exact](ValueId operand) { return exact[operand.index]; });
            exact[result] = m_checked[result] || (fromExact && addsNoRounding(m_program, operation));
        }
    }

    /// In place of a value that goes nowhere but into its constraint, the constraint: that bears the name.
    void takeConstraints(const std::vector<bool>& asked)
    {
        for (const OperationId id : m_program.main().operations) {
            const Operation& operation = m_program.operation(id);
            if (operation.kind != OpKind::ShardingConstraint)
                continue;
            const std::uint32_t inner = operation.operands[0].index;
            if (!m_checked[inner] || asked[inner] || m_users[inner].size() != 1)
                continue;
            m_checked[inner] = false;
            m_checked[operation.results[0].index] = true;
        }
    }

    const Program& m_program;
    std::vector<std::vector<OperationId>> m_users;
    std::vector<bool> m_checked;
};

} // namespace

std::vector<ValueId> checkedValues(const Program& program)
{
    return CheckedValues(program).find();
}

} // namespace shardscope
