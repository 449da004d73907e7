// SPDX-License-Identifier: GPL-3.0-or-later
#include "sharding/partition_spec.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/codes.h"

namespace shardscope {

const std::vector<std::string>& PartitionSpec::axesOf(std::size_t dimension) const
{
    static const std::vector<std::string> none;
    return dimension < entries.size() ? entries[dimension].axes : none;
}

PartitionSpec canonical(const PartitionSpec& spec)
{
    PartitionSpec result = spec;
    for (SpecEntry& entry : result.entries) {
        if (entry.kind != SpecEntry::Kind::Tuple)
            continue;
        if (entry.axes.empty())
            entry = SpecEntry::none();
        else if (entry.axes.size() == 1)
            entry.kind = SpecEntry::Kind::Single;
    }
    return result;
}

namespace {

/// As they stand; text may name very many.
std::vector<std::string_view> axesOf(const PartitionSpec& spec)
{
    std::size_t count = 0;
    for (const SpecEntry& entry : spec.entries)
        count += entry.axes.size();
    std::vector<std::string_view> axes;
    axes.reserve(count);
    for (const SpecEntry& entry : spec.entries)
        axes.insert(axes.end(), entry.axes.begin(), entry.axes.end());
    return axes;
}

} // namespace

Result<void> validate(const PartitionSpec& spec)
{
    const std::vector<std::string_view> axes = axesOf(spec);
    std::vector<std::string_view> sorted = axes;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
        // Named in the order in which they first occur, as a counter of them lists them.
        std::set<std::string_view> named;
        std::vector<std::string> repeated;
        for (const std::string_view axis : axes) {
            const auto [first, end] = std::equal_range(sorted.begin(), sorted.end(), axis);
            if (end - first > 1 && named.insert(axis).second)
                repeated.emplace_back(axis);
        }
        return fail(Code::AxisUsedTwice, { { "axes", std::move(repeated) } });
    }
    return {};
}

Result<void> validate(const PartitionSpec& spec, const Mesh& mesh)
{
    SHARDSCOPE_CHECK(validate(spec));
    for (const SpecEntry& entry : spec.entries)
        for (const std::string& axis : entry.axes)
            if (!mesh.axisIndex(axis))
                return fail(Code::UnknownAxis, { { "axis", axis }, { "known", mesh.axisNames() } });
    return {};
}

Result<void> validate(const PartitionSpec& spec, const Mesh& mesh, std::span<const std::int64_t> shape)
{
    SHARDSCOPE_CHECK(validate(spec, mesh));
    if (spec.size() > shape.size())
        return fail(Code::SpecTooLong, { { "spec_len", spec.size() }, { "rank", shape.size() } });
    for (std::size_t dim = 0; dim < spec.size(); ++dim) {
        std::int64_t partitions = 1;
        for (const std::string& axis : spec.axesOf(dim))
            partitions *= mesh.size(*mesh.axisIndex(axis));
        if (shape[dim] % partitions != 0)
            return fail(Code::Indivisible, { { "dim", dim }, { "size", shape[dim] }, { "partitions", partitions } });
    }
    return {};
}

} // namespace shardscope
