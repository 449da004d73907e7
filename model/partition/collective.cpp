// SPDX-License-Identifier: GPL-3.0-or-later
#include "partition/collective.h"

#include <algorithm>

namespace shardscope {

std::string_view name(CollectiveKind kind)
{
    switch (kind) {
    case CollectiveKind::AllReduce:
        return "all_reduce";
    case CollectiveKind::AllGather:
        return "all_gather";
    case CollectiveKind::ReduceScatter:
        return "reduce_scatter";
    case CollectiveKind::AllToAll:
        return "all_to_all";
    case CollectiveKind::CollectivePermute:
        return "collective_permute";
    case CollectiveKind::CollectiveBroadcast:
        return "collective_broadcast";
    case CollectiveKind::AllSlice:
        return "all_slice";
    }
    return {};
}

Rational ringBytes(CollectiveKind kind, std::int64_t groupSize, std::int64_t localInputBytes)
{
    if (groupSize <= 1)
        return 0;
    const std::int64_t n = groupSize;
    const std::int64_t b = localInputBytes;
    switch (kind) {
    case CollectiveKind::AllReduce:
        return Rational(2 * (n - 1), n) * Rational(b);
    case CollectiveKind::ReduceScatter:
    case CollectiveKind::AllToAll:
        return Rational(n - 1, n) * Rational(b);
    case CollectiveKind::AllGather:
        return Rational(n - 1) * Rational(b);
    case CollectiveKind::CollectivePermute:
    case CollectiveKind::CollectiveBroadcast: // along a chain, in which each but the last hands on what it gets
        return b;
    case CollectiveKind::AllSlice:
        return 0;
    }
    return 0;
}

AxisList axesOf(const Collective& collective)
{
    AxisList all = collective.axes;
    for (const AxisRef& ref : collective.moved)
        all.push_back(ref);
    for (const AxisList& list : collective.perDimension)
        for (const AxisRef& ref : list)
            all.push_back(ref);
    std::sort(all.begin(), all.end());
    AxisList result;
    for (const AxisRef& ref : all)
        appendMerged(result, ref);
    return result;
}

std::vector<bool> scalarsOfLoss(const Program& program)
{
    std::vector<bool> leads(program.values.size());
    for (std::size_t v = 0; v < leads.size(); ++v)
        leads[v] = program.values[v].role == Role::Loss && program.values[v].type.rank() == 0;
    const std::vector<OperationId>& order = program.main().operations;
    for (auto id = order.rbegin(); id != order.rend(); ++id) {
        const Operation& operation = program.operation(*id);
        const bool leading = std::any_of(
            operation.results.begin(), operation.results.end(), [&](ValueId result) { return leads[result.index]; });
        if (!leading)
            continue;
        for (const ValueId operand : operation.operands)
            if (program.value(operand).type.rank() == 0)
                leads[operand.index] = true;
    }
    return leads;
}

} // namespace shardscope
