// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/device_grades.h"

#include <algorithm>

#include "mesh/by_device.h"
#include "words/tr.h"
#include "words/words.h"

namespace shardscope {

namespace {

constexpr std::int64_t maxGroups = 32; ///< eight hues in four steps of lightness

/// Groups of equal numbers, or of numbers that are near each other.
template <class TextOf>
void gradeNumbers(DeviceGrades& grades, const Mesh& mesh, std::span<const double> numbers, const TextOf& text)
{
    constexpr std::size_t most = 4; // as many steps as a hue has
    std::vector<double> different(numbers.begin(), numbers.end());
    std::sort(different.begin(), different.end());
    different.erase(std::unique(different.begin(), different.end()), different.end());
    const double least = different.front(), range = different.back() - least;
    const bool single = different.size() <= most;
    for (std::size_t i = 0; i < (single ? different.size() : most); ++i) {
        const double from = least + range * static_cast<double>(i) / most,
                     to = least + range * static_cast<double>(i + 1) / most;
        grades.names << (single ? text(different[i]) : words::Words::tr("%1 – %2", "range").arg(text(from), text(to)));
    }
    grades.groups = byDevice<std::int32_t>(mesh, [&](std::int64_t position) {
        const double number = numbers[static_cast<std::size_t>(position)];
        return single ? std::lower_bound(different.begin(), different.end(), number) - different.begin()
                      : std::min(static_cast<std::ptrdiff_t>((number - least) / range * most),
                          static_cast<std::ptrdiff_t>(most) - 1);
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

std::int64_t neighboursPerGroup(std::int64_t size)
{
    return (size + maxGroups - 1) / maxGroups;
}

namespace words {

DeviceGrades gradesAlong(const Mesh& mesh, const QString& axis)
{
    DeviceGrades grades;
    std::size_t along = mesh.axisIndex(axis.toStdString()).value_or(mesh.rank());
    for (std::size_t i = 0; along == mesh.rank() && i < mesh.rank(); ++i)
        if (mesh.size(i) > 1)
            along = i;
    if (along == mesh.rank())
        return grades;
    const QString name = fromStd(mesh.axis(along).name);
    const std::int64_t size = mesh.size(along), shared = neighboursPerGroup(size);
    grades.title = Words::tr("Along %1").arg(name);
    for (std::int64_t first = 0; first < size; first += shared) {
        const std::int64_t last = std::min(first + shared, size) - 1;
        grades.names << (first == last
                ? QStringLiteral("%1 %2").arg(name, QString::number(first))
                : QStringLiteral("%1 %2–%3").arg(name, QString::number(first), QString::number(last)));
    }
    grades.groups =
        byDevice<std::int32_t>(mesh, [&](std::int64_t position) { return mesh.coordinate(position, along) / shared; });
    return grades;
}

DeviceGrades gradesByBytes(const Layout& layout, std::int64_t elementBytes)
{
    DeviceGrades grades;
    grades.title = Words::tr("Held of it");
    std::vector<double> held;
    for (std::int64_t position = 0; position < layout.mesh().deviceCount(); ++position)
        held.push_back(static_cast<double>(elementsWithin(layout, layout.shardAt(position)) * elementBytes));
    gradeNumbers(grades, layout.mesh(), held, [](double number) { return bytes(number); });
    return grades;
}

DeviceGrades gradesByTime(const Mesh& mesh, std::span<const double> seconds)
{
    DeviceGrades grades;
    grades.title = Words::tr("Busy in the last step");
    if (seconds.size() != static_cast<std::size_t>(mesh.deviceCount()))
        grades.title = Words::tr("No step has run yet");
    else
        gradeNumbers(grades, mesh, seconds, [](double number) { return words::seconds(number); });
    return grades;
}

} // namespace words

} // namespace shardscope
