// SPDX-License-Identifier: GPL-3.0-or-later
#include "partition/export/value_numbers.h"

#include <algorithm>

#include "program/value_shardings.h"
#include "program/wide_attributes.h"

namespace shardscope::passes {

ValueNumbers::ValueNumbers(const Program& program)
    : m_numbers(program.values.size(), none)
{
    (void)m_table.number({}, 0); // takes `none`
    std::vector<ShardingNumber> given{ none };
    for (const ProgramSharding& sharding : program.shardings)
        given.push_back(number(sharding));
    for (std::size_t v = 0; v < program.valueShardings.size(); ++v)
        m_numbers[v] = given[program.valueShardings[v]];

    const auto take = [&](std::span<const ValueId> values, const std::vector<ProgramSharding>& list) {
        for (std::size_t i = 0; i < std::min(values.size(), list.size()); ++i)
            if (of(values[i]) == none)
                set(values[i], number(list[i]));
    };
    for (const Operation& operation : program.operations) {
        const auto* manual = wideAs<ManualComputationAttributes>(operation.attributes);
        const auto* named = wideAs<NamedComputationAttributes>(operation.attributes);
        if (manual || named) {
            take({ operation.results.begin(), operation.results.end() }, manual ? manual->out : named->out);
            if (operation.regions.empty())
                continue;
            std::vector<ProgramSharding> inside = manual ? manual->in : named->in;
            if (manual)
                for (ProgramSharding& sharding : inside)
                    sharding = withoutAxes(program, sharding, manual->manualAxes);
            take(program.regions[operation.regions[0].index].arguments, inside);
        } else if (operation.kind == OpKind::While) {
            for (const RegionId region : operation.regions) {
                const std::vector<ValueId>& arguments = program.regions[region.index].arguments;
                for (std::size_t i = 0; i < std::min<std::size_t>(arguments.size(), operation.results.size()); ++i)
                    set(arguments[i], of(operation.results[i]));
            }
        } else if (const ProgramSharding* own = ownSharding(operation); own && operation.results.size() == 1) {
            if (of(operation.results[0]) == none)
                set(operation.results[0], number(*own));
        }
    }
}

void ValueNumbers::set(ValueId value, ShardingNumber number)
{
    if (value.index >= m_numbers.size())
        m_numbers.resize(value.index + 1, none);
    m_numbers[value.index] = number;
}

ShardingNumber ValueNumbers::number(const ProgramSharding& sharding)
{
    return m_table.number(
        sharding.sharding, 1 + sharding.mesh * kinds + static_cast<std::uint32_t>(sharding.unreducedKind));
}

std::optional<ProgramSharding> ValueNumbers::sharding(ShardingNumber number) const
{
    if (number == none)
        return std::nullopt;
    return ProgramSharding{ mesh(number), m_table[number],
        static_cast<ReduceKind>((m_table.mesh(number) - 1) % kinds) };
}

} // namespace shardscope::passes
