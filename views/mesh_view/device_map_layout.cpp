// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/mesh_view/device_map_layout.h"

#include <algorithm>
#include <utility>

namespace shardscope {

void DeviceMapLayout::apply(const MapFold& fold)
{
    m_fold = fold;
    m_squareRows = m_rows / fold.squareRows.period * fold.squareRows.perPeriod();
    m_squareColumns = (m_columns + fold.squareColumns - 1) / fold.squareColumns;
    m_fold.slots = std::clamp<std::int64_t>(fold.slots, 1, m_squareColumns);
    if (m_fold.slots < m_squareColumns) {
        // A row that is wrapped has its lines for itself.
        m_fold.lineRows = m_fold.squareRows;
        m_groups = 1;
        m_lines = m_squareRows * linesPerRow();
        return;
    }
    m_groups = m_fold.squareRows.indexOf(m_fold.lineRows.end(0) - 1) + 1;
    m_lines = m_rows / m_fold.lineRows.period * m_fold.lineRows.perPeriod();
}

void DeviceMapLayout::place(const QRect& area, int tile)
{
    m_area = area;
    // Squares close up when they are many; gaps wide enough for the outlines of hosts go last.
    const auto heightWith = [&](int gap) { return (std::int64_t{ area.height() } + gap) / m_lines - gap; };
    m_lineGap = 0;
    for (const auto& [gap, least] : { std::pair(8, 20), std::pair(4, 12), std::pair(2, 8), std::pair(1, 3) })
        if (heightWith(gap) >= std::min(least, tile)) {
            m_lineGap = gap;
            break;
        }
    const std::int64_t wanted = m_lines * (tile + m_lineGap) - m_lineGap;
    m_area.setHeight(static_cast<int>(std::min<std::int64_t>(wanted, area.height())));
    const std::int64_t pitch = area.width() / slotsPerLine();
    m_columnGap = pitch < 3 ? 0 : pitch < 16 ? 1 : 3;
    m_groupGap = m_groups == 1 || m_fold.slots == 1 ? 0 : pitch < 8 ? 2 : 6;
}

QSize DeviceMapLayout::unit() const
{
    const std::int64_t room = m_area.width() + m_columnGap - (m_groups - 1) * m_groupGap;
    return { static_cast<int>(std::max<std::int64_t>(room / slotsPerLine() - m_columnGap, 0)),
        static_cast<int>(std::max<std::int64_t>(
            (m_area.height() + m_lineGap) / std::max<std::int64_t>(m_lines, 1) - m_lineGap, 0)) };
}

int DeviceMapLayout::slotLeft(std::int64_t slot) const
{
    const std::int64_t room = m_area.width() + m_columnGap - (m_groups - 1) * m_groupGap;
    return m_area.left() + static_cast<int>(room * slot / slotsPerLine() + slot / m_fold.slots * m_groupGap);
}

int DeviceMapLayout::slotEnd(std::int64_t slot) const
{
    const std::int64_t room = m_area.width() + m_columnGap - (m_groups - 1) * m_groupGap;
    return m_area.left() + static_cast<int>(room * (slot + 1) / slotsPerLine() + slot / m_fold.slots * m_groupGap)
        - m_columnGap;
}

int DeviceMapLayout::lineTop(std::int64_t line) const
{
    return m_area.top()
        + static_cast<int>((std::int64_t{ m_area.height() } + m_lineGap) * line / std::max<std::int64_t>(m_lines, 1));
}

std::int64_t DeviceMapLayout::lineAt(int y) const
{
    const std::int64_t height = std::max<std::int64_t>(m_area.height() + m_lineGap, 1);
    std::int64_t line = std::clamp<std::int64_t>(
        (std::int64_t{ y } - m_area.top()) * m_lines / height, 0, std::max<std::int64_t>(m_lines - 1, 0));
    // The quotient may miss by one, since edges are rounded.
    while (line > 0 && lineTop(line) > y)
        --line;
    while (line + 1 < m_lines && lineTop(line + 1) <= y)
        ++line;
    return line;
}

MeshBlock DeviceMapLayout::blockOf(std::int64_t square) const
{
    const std::int64_t row = square / m_squareColumns, column = square % m_squareColumns;
    return { m_fold.squareRows.begin(row), m_fold.squareRows.end(row), column * m_fold.squareColumns,
        std::min((column + 1) * m_fold.squareColumns, m_columns) };
}

std::int64_t DeviceMapLayout::squareOf(std::int64_t position) const
{
    return m_fold.squareRows.indexOf(position / m_columns) * m_squareColumns
        + position % m_columns / m_fold.squareColumns;
}

std::int64_t DeviceMapLayout::positionOf(std::int64_t square) const
{
    const MeshBlock block = blockOf(square);
    return block.firstRow * m_columns + block.firstColumn;
}

std::int64_t DeviceMapLayout::lineOf(std::int64_t square) const
{
    const std::int64_t row = square / m_squareColumns;
    if (m_fold.slots < m_squareColumns)
        return row * linesPerRow() + square % m_squareColumns / m_fold.slots;
    return m_fold.lineRows.indexOf(m_fold.squareRows.begin(row));
}

std::int64_t DeviceMapLayout::slotOf(std::int64_t square) const
{
    const std::int64_t row = square / m_squareColumns, column = square % m_squareColumns;
    if (m_fold.slots < m_squareColumns)
        return column % m_fold.slots;
    const std::int64_t first = m_fold.squareRows.indexOf(m_fold.lineRows.begin(lineOf(square)));
    return (row - first) * m_squareColumns + column;
}

std::optional<std::int64_t> DeviceMapLayout::squareIn(std::int64_t line, std::int64_t slot) const
{
    if (line < 0 || line >= m_lines || slot < 0 || slot >= slotsPerLine())
        return std::nullopt;
    if (m_fold.slots < m_squareColumns) {
        const std::int64_t column = line % linesPerRow() * m_fold.slots + slot;
        if (column >= m_squareColumns)
            return std::nullopt;
        return line / linesPerRow() * m_squareColumns + column;
    }
    const std::int64_t row = m_fold.squareRows.indexOf(m_fold.lineRows.begin(line)) + slot / m_squareColumns;
    if (row > m_fold.squareRows.indexOf(m_fold.lineRows.end(line) - 1))
        return std::nullopt;
    return row * m_squareColumns + slot % m_squareColumns;
}

MeshBlock DeviceMapLayout::blockOfLine(std::int64_t line) const
{
    if (m_fold.slots == m_squareColumns)
        return { m_fold.lineRows.begin(line), m_fold.lineRows.end(line), 0, m_columns };
    const std::int64_t row = line / linesPerRow();
    const std::int64_t first = line % linesPerRow() * m_fold.slots * m_fold.squareColumns;
    return { m_fold.squareRows.begin(row), m_fold.squareRows.end(row), first,
        std::min(first + m_fold.slots * m_fold.squareColumns, m_columns) };
}

QRect DeviceMapLayout::rectOf(std::int64_t square) const
{
    if (m_rows == 0 || m_columns == 0)
        return {};
    const std::int64_t line = lineOf(square), slot = slotOf(square);
    const int left = slotLeft(slot), top = lineTop(line);
    return { left, top, std::max(slotEnd(slot) - left, 0), std::max(lineHeight(line), 0) };
}

std::optional<std::int64_t> DeviceMapLayout::squareAt(QPoint point) const
{
    if (m_rows == 0 || !m_area.contains(point))
        return std::nullopt;
    const std::int64_t line = lineAt(point.y());
    const std::int64_t room = std::max<std::int64_t>(m_area.width() + m_columnGap, 1);
    std::int64_t slot = std::clamp<std::int64_t>(
        std::int64_t{ point.x() - m_area.left() } * slotsPerLine() / room, 0, slotsPerLine() - 1);
    while (slot > 0 && slotLeft(slot) > point.x())
        --slot;
    while (slot + 1 < slotsPerLine() && slotLeft(slot + 1) <= point.x())
        ++slot;
    const auto square = squareIn(line, slot);
    return square && rectOf(*square).contains(point) ? square : std::nullopt;
}

std::optional<std::int64_t> DeviceMapLayout::positionAt(QPoint point) const
{
    const auto square = squareAt(point);
    return square ? std::optional(positionOf(*square)) : std::nullopt;
}

MapHosts::MapHosts(const DeviceMapLayout& map, MeshPtr mesh, DevicePlacesPtr places)
    : m_mesh(std::move(mesh))
    , m_places(std::move(places))
{
    const bool cornersTell = m_mesh->deviceOrder().empty() && m_places->hostsAreRuns();
    if (cornersTell || map.devicesPerSquare() == 1)
        return;
    constexpr std::int32_t unknown = -2;
    m_bySquare.assign(static_cast<std::size_t>(map.squareCount()), unknown);
    for (std::int64_t position = 0; position < m_mesh->deviceCount(); ++position) {
        const std::int32_t host = hostAt(position);
        std::int32_t& known = m_bySquare[static_cast<std::size_t>(map.squareOf(position))];
        known = known == unknown || known == host ? host : -1;
    }
}

std::int32_t MapHosts::hostAt(std::int64_t position) const
{
    const std::int32_t device = m_mesh->deviceAt(position);
    return m_places->has(device) ? m_places->host(device) : -1;
}

std::int32_t MapHosts::ofSquare(const DeviceMapLayout& map, std::int64_t square) const
{
    if (!m_bySquare.empty())
        return m_bySquare[static_cast<std::size_t>(square)];
    // One device, or hosts that are runs in the plain order: the corners have the lowest and the highest number.
    const MeshBlock block = map.blockOf(square);
    const std::int32_t first = hostAt(block.firstRow * map.columns() + block.firstColumn);
    const std::int32_t last = hostAt((block.endRow - 1) * map.columns() + block.endColumn - 1);
    return first == last ? first : -1;
}

std::int32_t MapHosts::ofLine(const DeviceMapLayout& map, std::int64_t line) const
{
    std::int32_t host = -1;
    for (std::int64_t slot = 0; slot < map.slotsPerLine(); ++slot) {
        const auto square = map.squareIn(line, slot);
        if (!square)
            break;
        const std::int32_t here = ofSquare(map, *square);
        if (here < 0 || (slot > 0 && here != host))
            return -1;
        host = here;
    }
    return host;
}

std::vector<HostBox> hostBoxes(
    const DeviceMapLayout& map, const MapHosts& hosts, std::int64_t firstLine, std::int64_t lastLine)
{
    struct SlotRun {
        std::int32_t host;
        std::int64_t begin, end;
        std::size_t box;
    };
    std::vector<HostBox> boxes;
    std::vector<SlotRun> above, here;
    for (std::int64_t line = firstLine; line <= lastLine; ++line) {
        here.clear();
        const auto hostIn = [&](std::int64_t slot) -> std::optional<std::int32_t> {
            const auto square = map.squareIn(line, slot);
            return square ? std::optional(hosts.ofSquare(map, *square)) : std::nullopt;
        };
        std::optional<std::int32_t> host = hostIn(0);
        for (std::int64_t slot = 0; host;) {
            std::int64_t end = slot + 1;
            std::optional<std::int32_t> next = hostIn(end);
            while (next && *next == *host)
                next = hostIn(++end);
            if (*host >= 0) {
                const QRect rect =
                    map.rectOf(*map.squareIn(line, slot)).united(map.rectOf(*map.squareIn(line, end - 1)));
                const auto same = std::find_if(above.begin(), above.end(),
                    [&](const SlotRun& run) { return run.host == *host && run.begin == slot && run.end == end; });
                if (same != above.end()) {
                    boxes[same->box].rect = boxes[same->box].rect.united(rect);
                    here.push_back({ *host, slot, end, same->box });
                } else {
                    here.push_back({ *host, slot, end, boxes.size() });
                    boxes.push_back({ *host, rect });
                }
            }
            slot = end;
            host = next;
        }
        above.swap(here);
    }
    return boxes;
}

} // namespace shardscope
