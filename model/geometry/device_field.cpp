// SPDX-License-Identifier: GPL-3.0-or-later
#include "geometry/device_field.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <map>

namespace shardscope {

namespace {

QString tr(const char* text, const char* about = nullptr)
{
    return QCoreApplication::translate("DeviceField", text, about);
}

void fill(DeviceField& field, std::int64_t devices)
{
    field.devices.assign(static_cast<std::size_t>(field.shape.count()), -1);
    field.cells.assign(static_cast<std::size_t>(devices), -1);
}

void put(DeviceField& field, std::int64_t cell, std::int32_t device)
{
    field.devices[static_cast<std::size_t>(cell)] = device;
    field.cells[static_cast<std::size_t>(device)] = cell;
}

/// The numbers that are the keys; none where they are 0, 1, 2, …
template <class Of>
std::vector<std::int32_t> numbersOf(const std::map<std::int32_t, Of>& byNumber)
{
    std::vector<std::int32_t> numbers;
    for (const auto& [number, of] : byNumber)
        numbers.push_back(number);
    const bool isCount = numbers.empty() || numbers.back() + 1 == static_cast<std::int64_t>(numbers.size());
    return isCount ? std::vector<std::int32_t>() : numbers;
}

/// Hosts below each other.
DeviceField hostField(const DevicePlaces& places)
{
    DeviceField field;
    field.shape.columns = std::max(1, places.set().devicesPerHost);
    field.shape.rows = std::max(1, places.set().hosts);
    field.columns = { tr("device", "of a host"), -1, field.shape.columns };
    field.rows = { tr("host"), -1, field.shape.rows };
    fill(field, places.count());
    if (places.set().own.empty()) {
        for (std::int32_t id = 0; id < places.count(); ++id)
            put(field, id, id);
        return field;
    }
    std::map<std::int32_t, std::vector<std::int32_t>> hosts;
    for (const DevicePlace& place : places.set().own)
        hosts[place.process].push_back(place.id);
    field.rows.numbers = numbersOf(hosts);
    std::int64_t row = 0;
    for (const auto& [process, devices] : hosts) {
        for (std::size_t i = 0; i < devices.size(); ++i)
            put(field, field.shape.cell(0, row, static_cast<std::int64_t>(i)), devices[i]);
        ++row;
    }
    return field;
}

/// A box of chips, if the devices of an own list have each a place of their own in one that is not much larger.
bool boxField(const DevicePlaces& places, DeviceField& field)
{
    const DeviceSet& set = places.set();
    std::array<std::int64_t, 3> chips{ set.chips[0], set.chips[1], set.chips[2] };
    std::int64_t cores = set.coresPerChip;
    std::map<std::int32_t, std::int64_t> slices;
    if (!set.own.empty()) {
        chips = { 1, 1, 1 };
        cores = 1;
        for (const DevicePlace& place : set.own) {
            for (std::size_t i = 0; i < 3; ++i)
                chips[i] = std::max<std::int64_t>(chips[i], place.coordinates[i] + 1);
            cores = std::max<std::int64_t>(cores, place.core + 1);
            slices.emplace(place.slice, 0);
        }
        std::int64_t number = 0;
        for (auto& [slice, index] : slices)
            index = number++;
    } else {
        for (std::int32_t slice = 0; slice < set.slices; ++slice)
            slices.emplace(slice, slice);
    }
    const auto count = static_cast<std::int64_t>(slices.size());
    constexpr std::int64_t most = 4; // empty places for every device
    const double cells = static_cast<double>(chips[0]) * static_cast<double>(chips[1]) * static_cast<double>(chips[2])
        * static_cast<double>(cores) * static_cast<double>(count);
    if (cells > static_cast<double>(most * places.count() + 64))
        return false;
    field.shape = { chips[0] * cores, chips[1], chips[2] * count, chips[2], cores };
    field.columns = { QStringLiteral("x"), -1, chips[0] };
    field.rows = { QStringLiteral("y"), -1, chips[1] };
    field.planes = { { tr("slice"), -1, count, numbersOf(slices) }, { QStringLiteral("z"), -1, chips[2] } };
    fill(field, places.count());
    for (std::int32_t id = 0; id < places.count(); ++id) {
        const DevicePlace place = places[id];
        const std::int64_t cell = field.shape.cell(slices[place.slice] * chips[2] + place.coordinates[2],
            place.coordinates[1], place.coordinates[0] * cores + place.core);
        if (field.devices[static_cast<std::size_t>(cell)] >= 0)
            return false;
        put(field, cell, id);
    }
    return true;
}

void append(words::Text& text, const QString& stated, int axis = -1)
{
    if (!text.empty())
        text.push_back({ QStringLiteral(", ") });
    text.push_back({ stated, axis < 0 ? words::Span::Style::Plain : words::Span::Style::Axis, axis });
}

} // namespace

/// Coordinates of a plane, the first direction major.
std::vector<std::int64_t> DeviceField::planeCoordinates(std::int64_t plane) const
{
    std::vector<std::int64_t> indices(planes.size());
    for (std::size_t i = planes.size(); i-- > 0;) {
        indices[i] = plane % planes[i].size;
        plane /= planes[i].size;
    }
    return indices;
}

words::Text DeviceField::title(const MapBlock& part) const
{
    words::Text text;
    const std::vector<std::int64_t> indices = planeCoordinates(part.plane);
    for (std::size_t i = 0; i < planes.size(); ++i)
        if (planes[i].size > 1)
            append(text, planes[i].name + QLatin1Char(' ') + QString::number(planes[i].number(indices[i])),
                planes[i].axis);
    if (part.endRow - part.firstRow < shape.rows)
        for (const words::Span& span : rowName(part.firstRow, part.endRow))
            append(text, span.text, span.axis);
    if (part.endColumn - part.firstColumn < shape.columns)
        append(text,
            columns.name + QLatin1Char(' ')
                + words::range(part.firstColumn / shape.together, (part.endColumn - 1) / shape.together + 1),
            columns.axis);
    return text;
}

words::Text DeviceField::numbers(const MapBlock& part) const
{
    words::Text text = title(part);
    for (words::Span& span : text)
        if (span.text != QLatin1String(", "))
            span.text.remove(0, span.text.lastIndexOf(QLatin1Char(' ')) + 1);
    return text;
}

QString DeviceField::place(const MapBlock& block) const
{
    const auto numbers = [](std::int64_t first, std::int64_t end) {
        return end - first == 1 ? QString::number(first) : words::range(first, end);
    };
    QStringList parts;
    const std::vector<std::int64_t> indices = planeCoordinates(block.plane);
    for (std::size_t i = 0; i < planes.size(); ++i)
        if (planes[i].size > 1)
            parts << planes[i].name + QLatin1Char(' ') + QString::number(planes[i].number(indices[i]));
    if (shape.rows > 1)
        parts << words::plain(rowName(block.firstRow, block.endRow));
    if (!columns.name.isEmpty() && (!rows.name.isEmpty() || shape.rows == 1))
        parts << columns.name + QLatin1Char(' ')
                + numbers(columnNumber(block.firstColumn), columnNumber(block.endColumn - 1) + 1);
    return parts.join(QStringLiteral(", "));
}

words::Text DeviceField::rowName(std::int64_t first, std::int64_t end) const
{
    words::Text text;
    if (shape.rows == 1)
        return text;
    const bool wrapped = rows.name.isEmpty();
    if (wrapped) {
        first *= shape.columns;
        end = std::min(end * shape.columns, columns.size);
    }
    const Direction& along = wrapped ? columns : rows;
    append(text,
        along.name + QLatin1Char(' ')
            + (end - first == 1 ? QString::number(along.number(first))
                                : words::range(along.number(first), along.number(end - 1) + 1)),
        along.axis);
    return text;
}

QString DeviceField::extent(const MapTile& tile) const
{
    QStringList parts;
    const bool wrapped = rows.name.isEmpty();
    if (tile.rows > 1)
        parts << (wrapped ? columns.name : rows.name) + QLatin1Char(' ')
                + words::count(wrapped ? std::min(tile.rows * tile.columns, columns.size) : tile.rows);
    if (tile.columns > 1 && !(wrapped && tile.rows > 1))
        parts << columns.name + QLatin1Char(' ')
                + words::count(std::max<std::int64_t>(tile.columns / shape.together, 1));
    return parts.join(QStringLiteral(" × "));
}

MapBlock DeviceField::blockOf(std::int64_t cell) const
{
    const std::int64_t row = cell / shape.columns, column = cell % shape.columns;
    return { row / shape.rows, row % shape.rows, row % shape.rows + 1, column, column + 1 };
}

std::optional<MeshBlock> DeviceField::meshBlock(const MapBlock& block) const
{
    if (!mesh)
        return std::nullopt;
    const std::int64_t width = columnsOf(*mesh);
    const std::int64_t firstRow = block.plane * shape.rows + block.firstRow;
    const std::int64_t endRow = block.plane * shape.rows + block.endRow;
    if (width == shape.columns)
        return MeshBlock{ firstRow, endRow, block.firstColumn, block.endColumn };
    // Lines of the map are no rows of the mesh: a run of positions may be part of one, or several of one device each.
    if (endRow - firstRow > 1 && block.endColumn - block.firstColumn < shape.columns)
        return std::nullopt;
    const std::int64_t first = firstRow * shape.columns + block.firstColumn;
    const std::int64_t end = std::min((endRow - 1) * shape.columns + block.endColumn, mesh->deviceCount());
    if (first >= end) // after the last device, on a last line that is not full
        return std::nullopt;
    if (width == 1)
        return MeshBlock{ first, end, 0, 1 };
    return end <= width ? std::optional(MeshBlock{ 0, 1, first, end }) : std::nullopt;
}

bool DeviceField::isOfMesh(const DeviceGroup& group) const
{
    return mesh && group.mesh() && (group.mesh() == mesh.get() || *group.mesh() == *mesh);
}

std::int64_t DeviceField::countIn(const DeviceGroup& group, const MapBlock& block) const
{
    if (const auto all = meshBlock(block))
        return group.countIn(*all);
    std::int64_t count = 0;
    for (std::int64_t row = block.firstRow; row < block.endRow; ++row)
        if (const auto line = meshBlock({ block.plane, row, row + 1, block.firstColumn, block.endColumn }))
            count += group.countIn(*line);
    return count;
}

bool DeviceField::operator==(const DeviceField& other) const
{
    return !mesh == !other.mesh && shape == other.shape && columns == other.columns && rows == other.rows
        && planes == other.planes && devices == other.devices;
}

DeviceGroup DeviceField::devicesOf(const MapBlock& block) const
{
    if (const auto inMesh = meshBlock(block))
        return DeviceGroup::block(mesh, *inMesh);
    std::vector<std::int32_t> found;
    found.reserve(static_cast<std::size_t>(block.count()));
    for (std::int64_t row = block.firstRow; row < block.endRow; ++row)
        for (std::int64_t column = block.firstColumn; column < block.endColumn; ++column)
            if (const std::int32_t device = devices[static_cast<std::size_t>(shape.cell(block.plane, row, column))];
                device >= 0)
                found.push_back(device);
    return found;
}

words::Text DeviceField::heading(bool brief, bool rowsBeside) const
{
    words::Text text;
    const auto add = [&text](const Direction& direction, const QString& how) {
        append(text, direction.name, direction.axis);
        text.push_back({ QLatin1Char(' ') + how });
    };
    if (!columns.name.isEmpty())
        add(columns,
            rows.name.isEmpty() && shape.rows > 1 ? tr("in lines")
                : brief                           ? QStringLiteral("→")
                                                  : tr("across"));
    if (!rows.name.isEmpty() && !rowsBeside)
        add(rows, brief ? QStringLiteral("↓") : tr("down"));
    for (const Direction& plane : planes)
        if (plane.size > 1)
            add(plane, tr("beside"));
    if (!rows.name.isEmpty() && rowsBeside)
        add(rows, tr("beside"));
    return text;
}

DeviceField machineField(const DevicePlaces& places)
{
    DeviceField field;
    if (places.slicesAreFast() && boxField(places, field))
        return field;
    return hostField(places);
}

DeviceField meshField(const MeshPtr& ofMesh, double aspect)
{
    const Mesh& mesh = *ofMesh;
    DeviceField field;
    field.mesh = ofMesh;
    std::vector<DeviceField::Direction> axes;
    for (std::size_t i = 0; i < mesh.rank(); ++i)
        if (mesh.size(i) > 1)
            axes.push_back({ QString::fromStdString(mesh.axis(i).name), static_cast<int>(i), mesh.size(i) });
    constexpr std::int64_t longest = 32; // on one line
    if (!axes.empty()) {
        field.columns = axes.back();
        field.shape.columns = axes.back().size;
        axes.pop_back();
    }
    if (!axes.empty()) {
        field.rows = axes.back();
        field.shape.rows = axes.back().size;
        axes.pop_back();
    } else if (field.shape.columns > longest) {
        // Lines of one length, if some are not much too long.
        const std::int64_t size = field.shape.columns;
        const auto wanted =
            std::max<std::int64_t>(std::llround(std::ceil(std::sqrt(static_cast<double>(size) * aspect))), 1);
        field.shape.columns = wanted;
        for (std::int64_t columns = wanted; columns < 2 * wanted; ++columns)
            if (size % columns == 0) {
                field.shape.columns = columns;
                break;
            }
        field.shape.rows = (size + field.shape.columns - 1) / field.shape.columns;
    }
    constexpr std::int64_t maxPlanes = 64;
    std::int64_t planes = 1;
    for (const DeviceField::Direction& axis : axes)
        planes *= axis.size;
    if (planes > maxPlanes) {
        QStringList names;
        for (const DeviceField::Direction& axis : axes)
            names << axis.name;
        names << field.rows.name;
        field.shape.rows *= planes;
        field.rows = { names.join(QStringLiteral(" × ")), -1, field.shape.rows };
        axes.clear();
    }
    for (const DeviceField::Direction& axis : axes) {
        field.planes.push_back(axis);
        field.shape.planes *= axis.size;
    }
    std::int32_t largest = 0;
    for (std::int64_t position = 0; position < mesh.deviceCount(); ++position)
        largest = std::max(largest, mesh.deviceAt(position));
    fill(field, std::int64_t{ largest } + 1);
    for (std::int64_t position = 0; position < mesh.deviceCount(); ++position)
        put(field, position, mesh.deviceAt(position));
    return field;
}

std::vector<std::int32_t> hostsOf(const DevicePlaces& places)
{
    std::vector<std::int32_t> hosts(static_cast<std::size_t>(places.count()), -1);
    for (std::int32_t id = 0; id < places.count(); ++id)
        if (places.has(id))
            hosts[static_cast<std::size_t>(id)] = places.host(id);
    return hosts;
}

MapTile hostTile(const DeviceField& field, const std::vector<std::int32_t>& hosts)
{
    const MapShape& shape = field.shape;
    const auto hostAt = [&](std::int64_t row, std::int64_t column, std::int64_t plane = 0) {
        const std::int32_t device = field.devices[static_cast<std::size_t>(shape.cell(plane, row, column))];
        return device >= 0 && static_cast<std::size_t>(device) < hosts.size() ? hosts[static_cast<std::size_t>(device)]
                                                                              : -1;
    };
    const std::int32_t first = hostAt(0, 0);
    MapTile tile;
    while (tile.columns < shape.columns && hostAt(0, tile.columns) == first)
        ++tile.columns;
    while (tile.rows < shape.rows && hostAt(tile.rows, 0) == first)
        ++tile.rows;
    if (first < 0 || tile.cells() == 1 || shape.columns % tile.columns != 0 || shape.rows % tile.rows != 0)
        return {};
    // Every tile is one host, and no host has two.
    std::vector<bool> seen(hosts.size());
    for (std::int64_t plane = 0; plane < shape.planes; ++plane)
        for (std::int64_t row = 0; row < shape.rows; row += tile.rows)
            for (std::int64_t column = 0; column < shape.columns; column += tile.columns) {
                const std::int32_t host = hostAt(row, column, plane);
                if (host < 0 || static_cast<std::size_t>(host) >= seen.size() || seen[static_cast<std::size_t>(host)])
                    return {};
                seen[static_cast<std::size_t>(host)] = true;
                for (std::int64_t cell = 0; cell < tile.cells(); ++cell)
                    if (hostAt(row + cell / tile.columns, column + cell % tile.columns, plane) != host)
                        return {};
            }
    return tile;
}

QString placeText(const DevicePlaces& places, std::int32_t device)
{
    QStringList parts;
    const DevicePlace place = places[device];
    if (places.slicesAreFast()) {
        if (places.set().slices > 1)
            parts << tr("slice %1").arg(place.slice);
        const auto& chips = places.set().chips;
        const bool flat = places.set().hasChipGrid() && chips[2] == 1;
        for (std::size_t i = 0; i < (flat ? 2 : 3); ++i)
            parts << QStringLiteral("%1 %2").arg(QLatin1Char("xyz"[i])).arg(place.coordinates[i]);
        if (places.set().coresPerChip > 1 || place.core > 0)
            parts << tr("core %1").arg(place.core);
    }
    parts << tr("host %1").arg(place.process);
    return tr("d%1: %2").arg(device).arg(parts.join(QStringLiteral(", ")));
}

QString meshPlaceText(const Mesh& mesh, std::int64_t position)
{
    QStringList parts;
    for (std::size_t axis = 0; axis < mesh.rank(); ++axis)
        parts << QString::fromStdString(mesh.axis(axis).name) + QLatin1Char(' ')
                + QString::number(mesh.coordinate(position, axis));
    return parts.join(QStringLiteral(", "));
}

} // namespace shardscope
