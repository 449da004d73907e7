// SPDX-License-Identifier: GPL-3.0-or-later
#include "propagation/sharding_table.h"

#include <algorithm>

#include "base/hash.h"

namespace shardscope {

namespace {

void add(Hasher& hasher, const AxisList& axes)
{
    hasher.add(axes.size());
    for (const AxisRef& axis : axes)
        hasher.add(axis.axis).add(
            (std::uint64_t{ static_cast<std::uint32_t>(axis.pre) } << 32) | static_cast<std::uint32_t>(axis.size));
}

std::uint64_t hashOf(const TensorSharding& sharding, std::uint32_t mesh)
{
    Hasher hasher;
    hasher.add(mesh).add(sharding.dims.size());
    for (const DimensionSharding& dim : sharding.dims) {
        add(hasher, dim.axes);
        hasher.add(dim.open).add(dim.priority);
    }
    add(hasher, sharding.replicated);
    add(hasher, sharding.unreduced);
    return hasher.value();
}

} // namespace

MeshTable::MeshTable(std::vector<ProgramMesh> meshes)
    : m_meshes(std::move(meshes))
{
    const auto same = [](const ProgramMesh& a, const ProgramMesh& b) {
        return a.onlyDevice == b.onlyDevice && *a.mesh == *b.mesh;
    };
    m_canonical.reserve(m_meshes.size());
    for (std::size_t i = 0; i < m_meshes.size(); ++i) {
        std::size_t first = 0;
        while (!same(m_meshes[first], m_meshes[i]))
            ++first;
        m_canonical.push_back(static_cast<std::uint32_t>(first));
    }
}

ShardingNumber ShardingTable::number(const TensorSharding& sharding, std::uint32_t mesh)
{
    const std::uint64_t hash = hashOf(sharding, mesh);
    const std::uint32_t found = m_index.find(
        hash, [&](std::uint32_t n) { return m_entries[n].mesh == mesh && m_entries[n].sharding == sharding; });
    if (found != HashIndex::none)
        return found;
    const auto made = static_cast<ShardingNumber>(m_entries.size());
    m_entries.push_back({ sharding, mesh });
    m_hasAxes.push_back(std::any_of(sharding.dims.begin(), sharding.dims.end(),
                            [](const DimensionSharding& dim) { return !dim.axes.empty(); })
            ? 1
            : 0);
    m_index.insert(hash, made);
    return made;
}

ShardingNumber ShardingTable::absent(std::size_t rank)
{
    if (m_absent.size() <= rank)
        m_absent.resize(rank + 1, 0);
    if (m_absent[rank] == 0)
        m_absent[rank] = number(TensorSharding::open(rank), 0) + 1;
    return m_absent[rank] - 1;
}

} // namespace shardscope
