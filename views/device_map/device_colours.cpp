// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/device_map/device_colours.h"

#include <QCoreApplication>
#include <algorithm>

#include "views/widgets/shard_colour.h"
#include "words/words.h"

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

struct GradeWords {
    Q_DECLARE_TR_FUNCTIONS(GradeWords)
};

/// Groups of equal numbers, or of numbers that are near each other: the least one is the palest.
template <class Text>
void gradeNumbers(
    DeviceGrades& grades, const Theme& theme, const Mesh& mesh, const std::vector<double>& numbers, const Text& text)
{
    constexpr std::size_t most = 4; // as many steps as a hue has
    std::vector<double> different = numbers;
    std::sort(different.begin(), different.end());
    different.erase(std::unique(different.begin(), different.end()), different.end());
    const double least = different.front(), range = different.back() - least;
    const bool single = different.size() <= most;
    const std::size_t count = single ? different.size() : most;
    for (std::size_t i = 0; i < count; ++i) {
        const double from = least + range * static_cast<double>(i) / most,
                     to = least + range * static_cast<double>(i + 1) / most;
        grades.names << (single ? text(different[i]) : GradeWords::tr("%1 – %2", "range").arg(text(from), text(to)));
        grades.colours.push_back(theme.shard(0, 64, 0, static_cast<std::int64_t>(count - 1 - i)).rgb());
    }
    grades.groups = byDevice<std::int32_t>(mesh, [&](std::int64_t position) {
        const double number = numbers[static_cast<std::size_t>(position)];
        if (single)
            return static_cast<std::int32_t>(
                std::lower_bound(different.begin(), different.end(), number) - different.begin());
        return std::min(
            static_cast<std::int32_t>((number - least) / range * most), static_cast<std::int32_t>(most) - 1);
    });
}

/// Elements of a shard that lie within the array.
std::int64_t elementsWithin(const Layout& layout, std::int64_t shard)
{
    std::int64_t elements = 1;
    for (const IndexRange& range : layout.rangesOfShard(shard))
        elements *= std::max<std::int64_t>(range.end - range.begin, 0);
    return elements;
}

} // namespace

DeviceGrades gradesOf(ColourBy by, const Theme& theme, const Layout& layout, std::int64_t elementBytes,
    const QString& axis, std::span<const double> seconds)
{
    DeviceGrades grades;
    const Mesh& mesh = layout.mesh();
    if (by == ColourBy::Coordinate) {
        std::size_t along = mesh.axisIndex(axis.toStdString()).value_or(mesh.rank());
        for (std::size_t i = 0; along == mesh.rank() && i < mesh.rank(); ++i)
            if (mesh.size(i) > 1)
                along = i;
        if (along == mesh.rank())
            return grades;
        const QString name = QString::fromStdString(mesh.axis(along).name);
        const std::int64_t size = mesh.size(along), shared = neighboursPerColour(size);
        const std::int64_t count = (size + shared - 1) / shared;
        grades.title = GradeWords::tr("Along %1").arg(name);
        for (std::int64_t i = 0; i < count; ++i) {
            const std::int64_t first = i * shared, last = std::min(first + shared, size) - 1;
            grades.names << (first == last
                    ? QStringLiteral("%1 %2").arg(name, QString::number(first))
                    : QStringLiteral("%1 %2–%3").arg(name, QString::number(first), QString::number(last)));
            grades.colours.push_back(theme.shard(i, count, i % 8, i / 8).rgb());
        }
        grades.groups = byDevice<std::int32_t>(mesh, [&](std::int64_t position) {
            return static_cast<std::int32_t>(mesh.coordinate(position, along) / shared);
        });
    } else if (by == ColourBy::Bytes) {
        grades.title = GradeWords::tr("Held of it");
        std::vector<double> bytes;
        for (std::int64_t position = 0; position < mesh.deviceCount(); ++position)
            bytes.push_back(static_cast<double>(elementsWithin(layout, layout.shardAt(position)) * elementBytes));
        gradeNumbers(grades, theme, mesh, bytes, [](double number) { return words::bytes(number); });
    } else if (by == ColourBy::Time) {
        grades.title = GradeWords::tr("Busy in the last step");
        if (seconds.size() != static_cast<std::size_t>(mesh.deviceCount()))
            grades.title = GradeWords::tr("No step has run yet");
        else
            gradeNumbers(grades, theme, mesh, { seconds.begin(), seconds.end() },
                [](double number) { return words::seconds(number); });
    }
    return grades;
}

DeviceFills fillsByGrade(const DeviceGrades& grades)
{
    DeviceFills fills;
    for (const std::int32_t group : grades.groups)
        fills.colours.push_back(grades.colours[static_cast<std::size_t>(group)]);
    return fills;
}

std::int64_t neighboursPerColour(std::int64_t size)
{
    return (size + maxColours - 1) / maxColours;
}

DeviceFills fillsAlongAxis(const Theme& theme, const Mesh& mesh, std::size_t axis)
{
    const std::int64_t size = mesh.size(axis), shared = neighboursPerColour(size);
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
