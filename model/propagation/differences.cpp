// SPDX-License-Identifier: GPL-3.0-or-later
#include "propagation/differences.h"

#include <algorithm>
#include <span>

#include "propagation/replay.h"

namespace shardscope {

namespace {

/// The values that stand in a region of the program.
std::vector<bool> standing(const Program& program)
{
    std::vector<bool> stands(program.values.size(), false);
    for (const Region& region : program.regions) {
        for (const ValueId argument : region.arguments)
            stands[argument.index] = true;
        for (const OperationId id : region.operations)
            for (const ValueId result : program.operation(id).results)
                stands[result.index] = true;
    }
    return stands;
}

struct Parting {
    std::uint32_t record = PropagationDifference::noRecord;
    std::uint32_t step = 0;
};

/// Where a dimension's axes stop being a beginning of those that the other run ends with.
Parting partsAt(const Replay& own, const std::vector<PropagationStep>& log, ValueId value, std::size_t dimension,
    const AxisList& theirs)
{
    Parting parting;
    AxisList now;
    for (const std::uint32_t position : own.positionsOf(value, dimension)) {
        const PropagationStep& record = log[position];
        arrive(now, record.axis);
        parting.step = record.step;
        if (!isPrefixOf(std::span<const AxisRef>(now), std::span<const AxisRef>(theirs))) {
            parting.record = position;
            break;
        }
    }
    return parting;
}

} // namespace

std::vector<PropagationDifference> differences(const Program& firstProgram, const PropagationResult& first,
    const Program& secondProgram, const PropagationResult& second)
{
    std::vector<PropagationDifference> found;
    const Replay one(first), two(second);
    const std::vector<bool> inFirst = standing(firstProgram), inSecond = standing(secondProgram);
    for (std::size_t v = 0; v < std::min(first.shardings.size(), second.shardings.size()); ++v) {
        if (!inFirst[v] || !inSecond[v])
            continue;
        const TensorSharding& a = first.shardings[v];
        const TensorSharding& b = second.shardings[v];
        for (std::size_t d = 0; d < std::min(a.rank(), b.rank()); ++d) {
            if (a.dims[d].axes == b.dims[d].axes)
                continue;
            const ValueId value(v);
            const Parting ofFirst = partsAt(one, first.log, value, d, b.dims[d].axes);
            const Parting ofSecond = partsAt(two, second.log, value, d, a.dims[d].axes);
            found.push_back({ value, static_cast<std::uint32_t>(d), a.dims[d].axes, b.dims[d].axes, ofFirst.record,
                ofSecond.record, ofFirst.step, ofSecond.step });
        }
    }
    return found;
}

std::size_t countValues(const std::vector<PropagationDifference>& list)
{
    std::size_t values = 0;
    for (std::size_t i = 0; i < list.size(); ++i)
        if (i == 0 || list[i].value != list[i - 1].value)
            ++values;
    return values;
}

} // namespace shardscope
