// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/topology_view/device_colours.h"

#include <algorithm>

#include "views/widgets/shard_colour.h"

namespace shardscope {

namespace {

constexpr std::int64_t maxColours = 32; ///< eight hues in four steps of lightness

/// Calls `colour(position)` for every mesh position.
template <class Value, class Colour>
std::vector<Value> byDevice(const Mesh& mesh, const Colour& colour)
{
    std::int32_t largest = 0;
    for (std::int64_t position = 0; position < mesh.deviceCount(); ++position)
        largest = std::max(largest, mesh.deviceAt(position));
    std::vector<Value> fills(static_cast<std::size_t>(largest) + 1);
    for (std::int64_t position = 0; position < mesh.deviceCount(); ++position)
        fills[static_cast<std::size_t>(mesh.deviceAt(position))] = colour(position);
    return fills;
}

} // namespace

std::int64_t neighboursPerColour(std::int64_t size)
{
    return (size + maxColours - 1) / maxColours;
}

std::vector<QRgb> coloursAlongAxis(const Theme& theme, const Mesh& mesh, std::size_t axis)
{
    const std::int64_t size = mesh.size(axis), shared = neighboursPerColour(size);
    const std::int64_t count = (size + shared - 1) / shared;
    std::vector<QRgb> colours;
    for (std::int64_t i = 0; i < count; ++i)
        colours.push_back(theme.shard(i, count, i % 8, i / 8).rgb());
    return byDevice<QRgb>(mesh, [&](std::int64_t position) {
        return colours[static_cast<std::size_t>(mesh.coordinate(position, axis) / shared)];
    });
}

std::vector<QRgb> coloursByShard(const Theme& theme, const Layout& layout)
{
    const std::int64_t shards = layout.distinctShards();
    std::vector<QRgb> colours;
    for (std::int64_t shard = 0; shard < shards; ++shard)
        colours.push_back(shardColour(theme, layout, shard).rgb());
    return byDevice<QRgb>(layout.mesh(),
        [&](std::int64_t position) { return colours[static_cast<std::size_t>(layout.shardAt(position))]; });
}

std::vector<std::uint8_t> marksAlongAxis(const Mesh& mesh, std::size_t axis)
{
    const std::int64_t shared = neighboursPerColour(mesh.size(axis));
    if (mesh.size(axis) <= 8)
        return {};
    return byDevice<std::uint8_t>(mesh,
        [&](std::int64_t position) { return static_cast<std::uint8_t>(mesh.coordinate(position, axis) / shared / 8); });
}

std::vector<std::uint8_t> marksByShard(const Layout& layout)
{
    if (!hasMotifs(layout))
        return {};
    std::vector<std::uint8_t> motifs;
    for (std::int64_t shard = 0; shard < layout.distinctShards(); ++shard)
        motifs.push_back(static_cast<std::uint8_t>(shardMark(layout, shard).motif));
    return byDevice<std::uint8_t>(layout.mesh(),
        [&](std::int64_t position) { return motifs[static_cast<std::size_t>(layout.shardAt(position))]; });
}

std::vector<QRgb> coloursByHost(const Theme& theme, const DevicePlaces& places)
{
    std::vector<QRgb> tints;
    for (std::int64_t i = 0; i < 8; ++i)
        tints.push_back(theme.shard(i, 8).rgb());
    std::vector<QRgb> fills(static_cast<std::size_t>(places.count()));
    for (std::int32_t id = 0; id < places.count(); ++id)
        if (places.has(id))
            fills[static_cast<std::size_t>(id)] = tints[static_cast<std::size_t>(places.host(id)) % tints.size()];
    return fills;
}

} // namespace shardscope
