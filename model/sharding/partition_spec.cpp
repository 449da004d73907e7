// SPDX-License-Identifier: GPL-3.0-or-later
#include "sharding/partition_spec.h"

#include <algorithm>

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

Result<void> validate(const PartitionSpec& spec, const Mesh& mesh)
{
    std::vector<std::string> seen;
    std::vector<std::string> repeated;
    for (const SpecEntry& entry : spec.entries) {
        for (const std::string& axis : entry.axes) {
            if (std::find(seen.begin(), seen.end(), axis) == seen.end())
                seen.push_back(axis);
            else if (std::find(repeated.begin(), repeated.end(), axis) == repeated.end())
                repeated.push_back(axis);
        }
    }
    if (!repeated.empty()) {
        // Named in the order in which they first occur, as a counter of them lists them.
        std::vector<std::string> ordered;
        std::copy_if(seen.begin(), seen.end(), std::back_inserter(ordered), [&](const std::string& axis) {
            return std::find(repeated.begin(), repeated.end(), axis) != repeated.end();
        });
        return fail(Code::AxisUsedTwice, { { "axes", std::move(ordered) } });
    }
    for (const std::string& axis : seen)
        if (!mesh.axisIndex(axis))
            return fail(Code::UnknownAxis, { { "axis", axis }, { "known", mesh.axisNames() } });
    return {};
}

Result<void> validate(const PartitionSpec& spec, const Mesh& mesh, std::span<const std::int64_t> shape)
{
    if (Result<void> names = validate(spec, mesh); !names)
        return names;
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
