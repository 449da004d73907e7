// SPDX-License-Identifier: GPL-3.0-or-later
#include "rules/dialect.h"

#include <algorithm>
#include <array>

namespace shardscope {

namespace {

constexpr std::array<std::string_view, 4> dialectNames{ "flax-linen", "t5x", "maxtext", "maxtext-state" };

/// Takes out the axes of which `leaves` is true, and notes them.
template <class Leaves>
void drop(SpecEntry& entry, std::size_t dimension, DroppedAxes::Reason reason, Leaves leaves, SpecOnMesh& result)
{
    DroppedAxes dropped;
    dropped.reason = reason;
    dropped.dimension = dimension;
    std::copy_if(entry.axes.begin(), entry.axes.end(), std::back_inserter(dropped.axes), leaves);
    if (dropped.axes.empty())
        return;
    std::erase_if(entry.axes, leaves);
    if (entry.axes.empty())
        entry = SpecEntry::none();
    result.dropped.push_back(std::move(dropped));
}

bool repeatsAxis(const SpecEntry& entry)
{
    for (auto axis = entry.axes.begin(); axis != entry.axes.end(); ++axis)
        if (std::find(entry.axes.begin(), axis, *axis) != axis)
            return true;
    return false;
}

/// At most the devices of the mesh, since no axis occurs twice.
std::int64_t partitionsOf(const SpecEntry& entry, const Mesh& mesh)
{
    std::int64_t partitions = 1;
    for (const std::string& axis : entry.axes)
        partitions *= mesh.size(*mesh.axisIndex(axis));
    return partitions;
}

} // namespace

std::string_view name(Dialect dialect)
{
    return dialectNames[static_cast<std::size_t>(dialect)];
}

std::optional<Dialect> parseDialect(std::string_view text)
{
    if (text == "flax")
        return Dialect::FlaxLinen;
    const auto found = std::find(dialectNames.begin(), dialectNames.end(), text);
    if (found == dialectNames.end())
        return std::nullopt;
    return static_cast<Dialect>(found - dialectNames.begin());
}

SpecOnMesh onMesh(const PartitionSpec& resolved, Dialect dialect, const Mesh& mesh,
    std::optional<std::span<const std::int64_t>> shape)
{
    SpecOnMesh result{ resolved, {} };
    for (std::size_t dim = 0; dim < result.spec.size(); ++dim) {
        SpecEntry& entry = result.spec.entries[dim];
        if (entry.axes.empty())
            continue;
        drop(
            entry, dim, DroppedAxes::Reason::NotInMesh, [&](const std::string& axis) { return !mesh.axisIndex(axis); },
            result);
        if (dialect != Dialect::MaxText)
            continue;
        drop(
            entry, dim, DroppedAxes::Reason::SizeOne,
            [&](const std::string& axis) { return mesh.size(*mesh.axisIndex(axis)) == 1; }, result);
        // An axis twice can be put on no mesh, whatever the shape: validate() says so.
        if (entry.axes.empty() || !shape || dim >= shape->size() || repeatsAxis(entry))
            continue;
        const std::int64_t partitions = partitionsOf(entry, mesh);
        if ((*shape)[dim] % partitions == 0)
            continue;
        drop(
            entry, dim, DroppedAxes::Reason::Indivisible, [](const std::string&) { return true; }, result);
        result.dropped.back().size = (*shape)[dim];
        result.dropped.back().partitions = partitions;
    }
    return result;
}

} // namespace shardscope
