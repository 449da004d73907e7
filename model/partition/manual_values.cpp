// SPDX-License-Identifier: GPL-3.0-or-later
#include "partition/manual_values.h"

#include <algorithm>
#include <set>

#include "program/calls.h"

namespace shardscope {

bool ManualValue::hasOtherAxes() const
{
    bool found = false;
    for (std::size_t axis = 0; axis < mesh->rank(); ++axis)
        found = found || (!contains(manual, axis) && mesh->size(axis) > 1);
    return found;
}

ManualValues::ManualValues(const Program& program)
    : m_program(program)
{
    for (std::size_t i = 0; i < program.operations.size(); ++i) {
        const Operation& operation = program.operations[i];
        const std::optional<ManualBody> body = manualBody(program, operation);
        if (!body)
            continue;
        const std::vector<ValueId>& arguments = program.regions[operation.regions[0].index].arguments;
        if (m_bodyOf.empty()) {
            m_bodyOf.assign(program.values.size(), -1);
            m_varying.values.assign(program.values.size(), 0);
        }
        if (!arguments.empty() && m_bodyOf[arguments.front().index] >= 0)
            continue; // stands in one that was seen before
        mark(operation.regions[0], { OperationId(i), body->mesh, body->manual });
        addVaryingAxes(m_varying, program, operation.regions[0], *body->mesh, body->arguments);
    }
}

void ManualValues::mark(RegionId region, const Body& body)
{
    const auto number = static_cast<std::int32_t>(m_bodies.size());
    m_bodies.push_back(body);
    const auto put = [&](ValueId value) { m_bodyOf[value.index] = number; };
    std::vector<RegionId> left{ region };
    std::set<std::uint32_t> seen; // of functions
    while (!left.empty()) {
        const Region& own = m_program.regions[left.back().index];
        left.pop_back();
        std::for_each(own.arguments.begin(), own.arguments.end(), put);
        for (const OperationId id : own.operations) {
            const Operation& operation = m_program.operation(id);
            std::for_each(operation.results.begin(), operation.results.end(), put);
            const std::string* called = calleeOf(operation);
            const Function* function = called ? m_program.function(*called) : nullptr;
            if (function && seen.insert(function->body.index).second)
                left.push_back(function->body);
            if (const std::optional<ManualBody> inner = manualBody(m_program, operation))
                mark(operation.regions[0], { body.computation, body.mesh, body.manual | inner->manual });
            else
                left.insert(left.end(), operation.regions.begin(), operation.regions.end());
        }
    }
}

std::optional<ManualValue> ManualValues::of(ValueId value) const
{
    if (value.index >= m_bodyOf.size() || m_bodyOf[value.index] < 0)
        return std::nullopt;
    const Body& body = m_bodies[static_cast<std::size_t>(m_bodyOf[value.index])];
    return ManualValue{ body.computation, body.mesh, body.manual, m_varying.values[value.index] & body.manual };
}

OperationId ManualValues::sum(ValueId value, std::size_t axis) const
{
    std::vector<bool> seen(m_program.values.size());
    std::vector<ValueId> left{ value };
    while (!left.empty()) {
        const ValueId next = left.back();
        left.pop_back();
        if (seen[next.index] || !of(next) || varies(next, axis))
            continue;
        seen[next.index] = true;
        const OperationId definition = m_program.value(next).definition;
        if (!definition.valid())
            continue;
        const Operation& operation = m_program.operation(definition);
        const bool sums = operation.kind == OpKind::AllReduce || operation.kind == OpKind::SdyAllReduce;
        if (sums && std::any_of(operation.operands.begin(), operation.operands.end(), [&](ValueId operand) {
                return varies(operand, axis);
            }))
            return definition;
        left.insert(left.end(), operation.operands.begin(), operation.operands.end());
        const std::uint32_t result = m_program.value(next).index;
        for (const RegionId region : operation.regions)
            if (const auto& results = m_program.regions[region.index].results; result < results.size())
                left.push_back(results[result]);
    }
    return {};
}

} // namespace shardscope
