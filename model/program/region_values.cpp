// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/region_values.h"

#include <algorithm>
#include <unordered_set>

namespace shardscope {

namespace {

class Uses {
public:
    explicit Uses(const Program& program)
        : m_program(program)
    {
    }

    void visit(RegionId id)
    {
        const Region& region = m_program.regions[id.index];
        m_inside.insert(region.arguments.begin(), region.arguments.end());
        for (const OperationId held : region.operations) {
            const Operation& operation = m_program.operation(held);
            for (const ValueId operand : operation.operands)
                use(operand);
            for (const RegionId inner : operation.regions)
                visit(inner);
            m_inside.insert(operation.results.begin(), operation.results.end());
        }
        for (const ValueId result : region.results)
            use(result);
    }

    std::vector<ValueId> found;

private:
    void use(ValueId value)
    {
        if (!m_inside.contains(value) && m_found.insert(value).second)
            found.push_back(value);
    }

    const Program& m_program;
    std::unordered_set<ValueId> m_inside, m_found;
};

bool isFloatValue(const Program& program, ValueId value)
{
    return isFloat(program.value(value).type.dtype);
}

void addDependentLoop(const Program& program, const Operation& loop, ValueFlags& dependent)
{
    const Region& body = program.regions[loop.regions[1].index];
    const auto flow = [&](const auto& from) {
        bool changed = false;
        for (std::size_t i = 0; i < body.arguments.size() && i < from.size(); ++i)
            if (has(dependent, from[i]) && !has(dependent, body.arguments[i])
                && isFloatValue(program, body.arguments[i]))
                changed = dependent[body.arguments[i].index] = true;
        return changed;
    };
    flow(loop.operands);
    do
        addDependent(program, body.operations, dependent);
    while (flow(body.results));
    for (std::size_t i = 0; i < loop.results.size(); ++i)
        if (has(dependent, body.arguments[i]) || has(dependent, body.results[i]))
            dependent[loop.results[i].index] = true;
}

} // namespace

std::vector<ValueId> usedFromOutside(const Program& program, RegionId region)
{
    Uses uses(program);
    uses.visit(region);
    return std::move(uses.found);
}

std::vector<ValueId> usedFromOutside(const Program& program, const Operation& operation)
{
    Uses uses(program);
    for (const RegionId region : operation.regions)
        uses.visit(region);
    return std::move(uses.found);
}

void addDependent(const Program& program, std::span<const OperationId> operations, ValueFlags& dependent)
{
    const auto any = [&](const auto& values) {
        return std::any_of(values.begin(), values.end(), [&](ValueId value) { return has(dependent, value); });
    };
    for (const OperationId id : operations) {
        const Operation& operation = program.operation(id);
        if (operation.kind == OpKind::While) {
            addDependentLoop(program, operation, dependent);
            continue;
        }
        if (any(operation.operands) || (!operation.regions.empty() && any(usedFromOutside(program, operation))))
            for (const ValueId result : operation.results)
                if (isFloatValue(program, result) && program.value(result).role != Role::Constant)
                    dependent[result.index] = true;
    }
}

void addReached(
    const Program& program, std::span<const OperationId> operations, const ValueFlags& dependent, ValueFlags& reached)
{
    for (auto id = operations.rbegin(); id != operations.rend(); ++id) {
        const Operation& operation = program.operation(*id);
        if (std::none_of(operation.results.begin(), operation.results.end(),
                [&](ValueId result) { return has(reached, result); }))
            continue;
        for (const ValueId operand : operation.operands)
            if (has(dependent, operand) && isFloatValue(program, operand))
                reached[operand.index] = true;
    }
}

} // namespace shardscope
