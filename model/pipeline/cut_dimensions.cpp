// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipeline/cut_dimensions.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace shardscope {

CutDimensions::CutDimensions(const Program& program, const Mesh& mesh, const Annotations& annotations)
    : m_axes(mesh.axes().begin(), mesh.axes().end())
{
    std::set<Cut> cuts;
    for (const auto* list : { &annotations.arguments, &annotations.results, &annotations.constraints })
        for (const ResolvedAnnotation& annotation : *list) {
            const Value& value = program.value(annotation.value);
            for (std::size_t d = 0; d < value.type.rank(); ++d) {
                Cut cut{ d < value.dimNames.size() ? value.dimNames[d] : std::string(), value.type.shape[d], {} };
                if (annotation.spec && d < annotation.spec->size())
                    for (const std::string& axis : annotation.spec->axesOf(d))
                        if (const auto index = mesh.axisIndex(axis))
                            cut.axes.push_back(*index);
                if (!cut.name.empty() || !cut.axes.empty())
                    cuts.insert(std::move(cut));
            }
        }
    m_cuts.assign(cuts.begin(), cuts.end());
}

std::int64_t CutDimensions::partitions(const Cut& cut, std::span<const MeshAxis> axes)
{
    std::int64_t parts = 1;
    for (const std::size_t axis : cut.axes)
        parts *= axes[axis].size;
    return parts;
}

bool CutDimensions::divideOn(std::span<const MeshAxis> axes) const
{
    return std::all_of(m_cuts.begin(), m_cuts.end(), [&](const Cut& cut) {
        return cut.size % partitions(cut, m_axes) != 0 || cut.size % partitions(cut, axes) == 0;
    });
}

std::int64_t CutDimensions::step(const std::string& name, std::int64_t partitions_) const
{
    std::int64_t multiple = partitions_;
    std::int64_t size = -1;
    for (const Cut& cut : m_cuts) {
        if (cut.name != name)
            continue;
        if (size >= 0 && cut.size != size)
            return 0;
        size = cut.size;
        const std::int64_t parts = partitions(cut, m_axes); // at most all devices of the mesh
        multiple = std::lcm(multiple, parts);
        if (multiple > maximumDevices)
            return 0;
    }
    return multiple;
}

} // namespace shardscope
