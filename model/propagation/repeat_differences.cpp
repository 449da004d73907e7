// SPDX-License-Identifier: GPL-3.0-or-later
#include "propagation/repeat_differences.h"

#include <algorithm>

#include "program/calls.h"

namespace shardscope {

namespace {

class ShardingComparison {
public:
    ShardingComparison(const Program& program, const PropagationResult* result)
        : m_program(program)
        , m_result(result)
    {
    }

    std::vector<ValueId> compare(const std::vector<OperationId>& model, const std::vector<OperationId>& copy)
    {
        m_found.clear();
        for (std::size_t i = 0; i < std::min(model.size(), copy.size()); ++i)
            compare(m_program.operation(model[i]), m_program.operation(copy[i]));
        return m_found;
    }

private:
    void compare(const Operation& a, const Operation& b)
    {
        for (std::size_t i = 0; i < std::min(a.operands.size(), b.operands.size()); ++i)
            if (!m_program.value(b.operands[i]).definition.valid()) // what is made elsewhere is compared there
                compare(a.operands[i], b.operands[i]);
        for (std::size_t i = 0; i < std::min(a.results.size(), b.results.size()); ++i)
            compare(a.results[i], b.results[i]);
        const bool sameAttributes = a.attributes == b.attributes || calleeOf(b); // calls may be of copies
        if (!b.results.empty() && !sameAttributes) // constraints and the like
            add(b.results[0]);
    }
    void compare(ValueId a, ValueId b)
    {
        if (a == b)
            return;
        const ProgramSharding *specified = m_program.shardingOf(a), *other = m_program.shardingOf(b);
        const bool sameSpecified = specified == other || (specified && other && *specified == *other);
        if (!sameSpecified || (m_result && !sameHeld(a, b)))
            add(b);
    }
    [[nodiscard]] bool sameHeld(ValueId a, ValueId b) const
    {
        const auto& shardings = m_result->shardings;
        return std::max(a.index, b.index) >= shardings.size() || shardings[a.index].isEquivalent(shardings[b.index]);
    }
    void add(ValueId value)
    {
        if (std::find(m_found.begin(), m_found.end(), value) == m_found.end())
            m_found.push_back(value);
    }

    const Program& m_program;
    const PropagationResult* m_result;
    std::vector<ValueId> m_found;
};

void collect(const ProgramOutline& outline, int part, std::vector<OperationId>& into)
{
    const ProgramPart& at = outline.part(part);
    if (at.kind == PartKind::Operation)
        into.push_back(at.operation);
    for (const int child : at.children)
        collect(outline, child, into);
}

} // namespace

std::vector<RepeatDifference> differencesOf(
    const Program& program, const ProgramOutline& outline, const PropagationResult* result, int repeat)
{
    std::vector<RepeatDifference> differences;
    ShardingComparison comparison(program, result);
    std::vector<OperationId> model, copy;
    collect(outline, outline.part(repeat).model, model);
    for (const int child : outline.part(repeat).children) {
        copy.clear();
        collect(outline, child, copy);
        if (std::vector<ValueId> values = comparison.compare(model, copy); !values.empty())
            differences.push_back({ child, std::move(values) });
    }
    return differences;
}

} // namespace shardscope
