// SPDX-License-Identifier: GPL-3.0-or-later
#include "partition/axis_lists.h"

#include <algorithm>

namespace shardscope::reshard {

bool has(std::span<const AxisRef> list, AxisRef ref)
{
    return std::find(list.begin(), list.end(), ref) != list.end();
}

bool hasAnywhere(const Lists& lists, AxisRef ref)
{
    return std::any_of(lists.begin(), lists.end(), [&](const AxisList& list) { return has(list, ref); });
}

AxisList merged(std::span<const AxisRef> list)
{
    AxisList result;
    for (const AxisRef& ref : list)
        appendMerged(result, ref);
    return result;
}

Lists listsOf(const TensorSharding& sharding)
{
    Lists lists;
    for (const DimensionSharding& dim : sharding.dims) {
        AxisList& list = lists.emplace_back();
        for (const AxisRef& ref : dim.axes)
            if (ref.size > 1)
                list.push_back(ref);
    }
    return lists;
}

bool align(Lists& a, Lists& b, std::size_t meshRank)
{
    std::vector<SmallVector<std::int64_t, 8>> boundaries(meshRank);
    for (const Lists* lists : { &a, &b })
        for (const AxisList& list : *lists)
            for (const AxisRef& ref : list) {
                auto& of = boundaries[static_cast<std::size_t>(ref.axis)];
                of.push_back(ref.pre);
                of.push_back(ref.next());
            }
    for (auto& of : boundaries) {
        std::sort(of.begin(), of.end());
        of.erase(std::unique(of.begin(), of.end()), of.end());
        for (std::size_t i = 1; i < of.size(); ++i)
            if (of[i] % of[i - 1] != 0)
                return false;
    }
    for (Lists* lists : { &a, &b })
        for (AxisList& list : *lists) {
            AxisList split;
            for (const AxisRef& ref : list) {
                std::int64_t begin = ref.pre;
                for (const std::int64_t boundary : boundaries[static_cast<std::size_t>(ref.axis)]) {
                    if (boundary <= begin || boundary > ref.next())
                        continue;
                    split.push_back(
                        { ref.axis, static_cast<std::int32_t>(begin), static_cast<std::int32_t>(boundary / begin) });
                    begin = boundary;
                }
            }
            list = split;
        }
    return true;
}

AxisRef takePrefix(AxisRef& ref, std::int64_t size)
{
    const AxisRef taken{ ref.axis, ref.pre, static_cast<std::int32_t>(size) };
    ref = { ref.axis, static_cast<std::int32_t>(ref.pre * size), static_cast<std::int32_t>(ref.size / size) };
    return taken;
}

} // namespace shardscope::reshard
