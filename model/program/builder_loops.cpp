// SPDX-License-Identifier: GPL-3.0-or-later
// How the builder changes what it has made.
// A part of Builder, which is declared in builder.h.
#include <algorithm>
#include <utility>

#include "base/codes.h"
#include "program/builder.h"
#include "program/region_values.h"

namespace shardscope {

void Builder::before(OperationId operation, RegionId region, const std::function<void()>& make)
{
    const std::size_t first = m_program.regions[region.index].operations.size();
    const RegionId around = std::exchange(m_region, region);
    make();
    m_region = around;
    std::vector<OperationId>& list = m_program.regions[region.index].operations;
    const auto place = std::find(list.begin(), list.end(), operation);
    std::rotate(place, list.begin() + static_cast<std::ptrdiff_t>(first), list.end());
}

ValueId Builder::carry(OperationId loop, ValueId initial, const std::function<ValueId(ValueId argument)>& step)
{
    const TensorType carried = type(initial);
    const auto index = static_cast<std::uint32_t>(m_program.operation(loop).operands.size());
    const RegionId condition = m_program.operation(loop).regions[0], body = m_program.operation(loop).regions[1];
    m_program.regions[condition.index].arguments.push_back(addValue({ carried, {}, index, Role::Temporary, {}, {} }));
    const ValueId argument = addValue({ carried, {}, index, Role::Temporary, {}, {} });
    m_program.regions[body.index].arguments.push_back(argument);
    const RegionId around = std::exchange(m_region, body);
    const ValueId next = step(argument);
    m_region = around;
    m_program.regions[body.index].results.push_back(next);
    const ValueId result = addValue({ carried, loop, index, Role::Temporary, {}, {} });
    m_program.operations[loop.index].operands.push_back(initial);
    m_program.operations[loop.index].results.push_back(result);
    return result;
}

void Builder::carryOutside(OperationId loop)
{
    const RegionId condition = m_program.operation(loop).regions[0], body = m_program.operation(loop).regions[1];
    std::vector<ValueId> outside = usedFromOutside(m_program, condition);
    for (const ValueId value : usedFromOutside(m_program, body))
        if (std::find(outside.begin(), outside.end(), value) == outside.end())
            outside.push_back(value);
    std::unordered_map<ValueId, ValueId> inCondition, inBody;
    for (const ValueId value : outside) {
        carry(loop, value, [](ValueId argument) { return argument; });
        inCondition[value] = m_program.regions[condition.index].arguments.back();
        inBody[value] = m_program.regions[body.index].arguments.back();
    }
    substitute(condition, inCondition);
    substitute(body, inBody);
}

void Builder::substitute(RegionId region, const std::unordered_map<ValueId, ValueId>& map)
{
    const auto replace = [&](ValueId& use) {
        if (const auto found = map.find(use); found != map.end())
            use = found->second;
    };
    for (const OperationId id : m_program.regions[region.index].operations) {
        Operation& operation = m_program.operations[id.index];
        std::for_each(operation.operands.begin(), operation.operands.end(), replace);
        for (const RegionId inner : operation.regions)
            substitute(inner, map);
    }
    std::vector<ValueId>& results = m_program.regions[region.index].results;
    std::for_each(results.begin(), results.end(), replace);
}

void Builder::setOperand(OperationId operation, std::size_t slot, ValueId value)
{
    ValueId& use = m_program.operations[operation.index].operands[slot];
    if (type(use) != type(value))
        misuse({ Code::TypeMismatch, { { "op", "operand" }, { "detail", toString(type(value)) } }, {} });
    use = value;
}

} // namespace shardscope
