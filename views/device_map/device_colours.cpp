// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/device_map/device_colours.h"

#include <algorithm>

#include "mesh/by_device.h"
#include "views/widgets/shard_colour.h"

namespace shardscope {

ColouredGrades gradesOf(ColourBy by, const Theme& theme, const Layout& layout, std::int64_t elementBytes,
    const QString& axis, std::span<const double> seconds)
{
    ColouredGrades grades;
    if (by == ColourBy::Coordinate)
        grades = { words::gradesAlong(layout.mesh(), axis), {} };
    else if (by == ColourBy::Bytes)
        grades = { words::gradesByBytes(layout, elementBytes), {} };
    else if (by == ColourBy::Time)
        grades = { words::gradesByTime(layout.mesh(), seconds), {} };
    const auto count = static_cast<std::int64_t>(grades.names.size());
    for (std::int64_t i = 0; i < count; ++i) // hues along an axis; of numbers the least one is the palest
        grades.colours.push_back(
            (by == ColourBy::Coordinate ? theme.shard(i, count, i % 8, i / 8) : theme.shard(0, 64, 0, count - 1 - i))
                .rgb());
    return grades;
}

DeviceFills fillsByGrade(const ColouredGrades& grades)
{
    DeviceFills fills;
    for (const std::int32_t group : grades.groups)
        fills.colours.push_back(grades.colours[static_cast<std::size_t>(group)]);
    return fills;
}

DeviceFills fillsAlongAxis(const Theme& theme, const Mesh& mesh, std::size_t axis)
{
    const std::int64_t size = mesh.size(axis), shared = neighboursPerGroup(size);
    const std::int64_t count = (size + shared - 1) / shared;
    std::vector<QRgb> colours;
    for (std::int64_t i = 0; i < count; ++i)
        colours.push_back(theme.shard(i, count, i % 8, i / 8).rgb());
    DeviceFills fills;
    fills.colours = byDevice<QRgb>(mesh, [&](std::int64_t position) {
        return colours[static_cast<std::size_t>(mesh.coordinate(position, axis) / shared)];
    });
    if (size > 8)
        fills.marks = byDevice<std::uint8_t>(mesh, [&](std::int64_t position) {
            return static_cast<std::uint8_t>(mesh.coordinate(position, axis) / shared / 8);
        });
    return fills;
}

DeviceFills fillsByShard(const Theme& theme, const Layout& layout)
{
    const std::int64_t shards = layout.distinctShards();
    const bool motifs = hasMotifs(layout);
    std::vector<QRgb> colours;
    std::vector<std::uint8_t> corners;
    for (std::int64_t shard = 0; shard < shards; ++shard) {
        colours.push_back(shards == 1 ? theme.alternateRow.rgb() : shardColour(theme, layout, shard).rgb());
        if (motifs)
            corners.push_back(static_cast<std::uint8_t>(shardMark(layout, shard).motif));
    }
    const auto ofShard = [&layout](const auto& values) {
        return [&](std::int64_t position) { return values[static_cast<std::size_t>(layout.shardAt(position))]; };
    };
    DeviceFills fills;
    fills.colours = byDevice<QRgb>(layout.mesh(), ofShard(colours));
    if (motifs)
        fills.marks = byDevice<std::uint8_t>(layout.mesh(), ofShard(corners));
    fills.copies = shards == 1 ? 8 : layout.copies();
    return fills;
}

DeviceFills fillsByDevice(const Theme& theme, const Mesh& mesh)
{
    DeviceFills fills;
    fills.colours =
        byDevice<QRgb>(mesh, [&](std::int64_t position) { return theme.shard(mesh.deviceAt(position), 8).rgb(); });
    return fills;
}

DeviceFills fillsByHost(const Theme& theme, const DevicePlaces& places)
{
    std::vector<QRgb> tints;
    for (std::int64_t i = 0; i < 8; ++i)
        tints.push_back(theme.shard(i, 8).rgb());
    DeviceFills fills;
    fills.colours.resize(static_cast<std::size_t>(places.count()));
    for (std::int32_t id = 0; id < places.count(); ++id)
        if (places.has(id))
            fills.colours[static_cast<std::size_t>(id)] =
                tints[static_cast<std::size_t>(places.host(id)) % tints.size()];
    return fills;
}

} // namespace shardscope
