// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipeline/value_meshes.h"

#include <algorithm>

namespace shardscope {

namespace {

/// Per axis of `of`, its number in `in`; empty where the axes are not the same.
std::vector<std::size_t> places(const Mesh& of, const Mesh& in)
{
    std::vector<std::size_t> found;
    if (of.rank() != in.rank())
        return found;
    for (const MeshAxis& axis : of.axes()) {
        const auto index = in.axisIndex(axis.name);
        if (!index || in.size(*index) != axis.size)
            return {};
        found.push_back(*index);
    }
    return found;
}

} // namespace

TensorSharding renumbered(TensorSharding sharding, const Mesh& from, const Mesh& main)
{
    const std::vector<std::size_t> inMain = places(from, main);
    const auto renumber = [&](AxisList& axes) {
        for (AxisRef& ref : axes)
            ref.axis = static_cast<std::int32_t>(inMain[static_cast<std::size_t>(ref.axis)]);
    };
    for (DimensionSharding& dim : sharding.dims)
        renumber(dim.axes);
    for (AxisList* list : { &sharding.replicated, &sharding.unreduced }) {
        renumber(*list);
        std::sort(list->begin(), list->end());
    }
    return sharding;
}

std::optional<TensorSharding> alongParts(TensorSharding sharding, const MeshInAxes& mesh)
{
    for (DimensionSharding& dim : sharding.dims) {
        std::optional<AxisList> parts = partsOf(mesh, dim.axes);
        if (!parts)
            return {};
        dim.axes = std::move(*parts);
    }
    for (AxisList* list : { &sharding.replicated, &sharding.unreduced }) {
        AxisList sorted, merged;
        for (const AxisRef ref : *list) {
            const std::optional<AxisList> parts = partsOf(mesh, ref);
            if (!parts)
                return {};
            for (const AxisRef part : *parts)
                sorted.push_back(part);
        }
        std::sort(sorted.begin(), sorted.end());
        for (const AxisRef part : sorted)
            appendMerged(merged, part);
        *list = std::move(merged);
    }
    return sharding;
}

void keepFullAxes(TensorSharding& sharding, const Mesh& mesh)
{
    for (DimensionSharding& dim : sharding.dims) {
        if (!dim.open)
            continue;
        AxisList& axes = dim.axes;
        axes.erase(std::find_if(axes.begin(), axes.end(), [&](const AxisRef& axis) { return !isFull(mesh, axis); }),
            axes.end());
    }
}

MainAxes::MainAxes(const Program& program, MeshPtr main)
    : m_program(program)
    , m_main(std::move(main))
{
}

const MainAxes::Entry& MainAxes::entry(std::uint32_t mesh)
{
    const auto [found, isNew] = m_entries.try_emplace(mesh);
    Entry& entry = found->second;
    if (!isNew || mesh >= m_program.meshes.size())
        return entry;
    const Mesh& own = *m_program.meshes[mesh].mesh;
    entry.sameAxes = own == *m_main ? m_main : inAxisOrderOf(*m_main, own);
    if (entry.sameAxes && *entry.sameAxes == *m_main)
        entry.sameAxes = m_main;
    if (!entry.sameAxes && !m_program.meshes[mesh].isMaximal() && own.rank() > 0)
        entry.parts = inAxesOf(*m_main, own);
    if (entry.parts && *entry.parts->mesh == *m_main)
        entry.parts->mesh = m_main;
    return entry;
}

bool MainAxes::hasSameAxes(std::uint32_t mesh)
{
    return entry(mesh).sameAxes != nullptr;
}

const MeshInAxes* MainAxes::parts(std::uint32_t mesh)
{
    const Entry& found = entry(mesh);
    return found.parts ? &*found.parts : nullptr;
}

const MeshPtr& MainAxes::over(std::uint32_t mesh)
{
    const Entry& found = entry(mesh);
    return found.sameAxes ? found.sameAxes : found.parts ? found.parts->mesh : m_main;
}

} // namespace shardscope
