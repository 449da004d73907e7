// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/sharded_dimensions.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace shardscope {

ShardedDimensions::ShardedDimensions(const Program& program, const Mesh& mesh, const Annotations& annotations)
    : m_axes(mesh.axes().begin(), mesh.axes().end())
{
    std::set<Sharded> all;
    for (const auto* list : { &annotations.arguments, &annotations.results, &annotations.constraints })
        for (const ResolvedAnnotation& annotation : *list) {
            const Value& value = program.value(annotation.value);
            for (std::size_t d = 0; d < value.type.rank(); ++d) {
                Sharded sharded{ d < value.dimNames.size() ? value.dimNames[d] : std::string(), value.type.shape[d],
                    {} };
                if (annotation.spec && d < annotation.spec->size())
                    for (const std::string& axis : annotation.spec->axesOf(d))
                        if (const auto index = mesh.axisIndex(axis))
                            sharded.axes.push_back(*index);
                if (!sharded.name.empty() || !sharded.axes.empty())
                    all.insert(std::move(sharded));
            }
        }
    m_sharded.assign(all.begin(), all.end());
}

std::int64_t ShardedDimensions::partitions(const Sharded& sharded, std::span<const MeshAxis> axes)
{
    std::int64_t parts = 1;
    for (const std::size_t axis : sharded.axes)
        parts *= axes[axis].size;
    return parts;
}

bool ShardedDimensions::divideOn(std::span<const MeshAxis> axes) const
{
    return std::all_of(m_sharded.begin(), m_sharded.end(), [&](const Sharded& sharded) {
        return sharded.size % partitions(sharded, m_axes) != 0 || sharded.size % partitions(sharded, axes) == 0;
    });
}

std::int64_t ShardedDimensions::step(const std::string& name, std::int64_t partitions_) const
{
    std::int64_t multiple = partitions_;
    std::int64_t size = -1;
    for (const Sharded& sharded : m_sharded) {
        if (sharded.name != name)
            continue;
        if (size >= 0 && sharded.size != size)
            return 0;
        size = sharded.size;
        const std::int64_t parts = partitions(sharded, m_axes); // at most all devices of the mesh
        multiple = std::lcm(multiple, parts);
        if (multiple > maximumDevices)
            return 0;
    }
    return multiple;
}

} // namespace shardscope
