// SPDX-License-Identifier: GPL-3.0-or-later
// How a map of devices is drawn: fills, names, outlines of hosts and slices; then the path, what is selected and what
// is pointed at. The names around the map, and the path, are in device_map_names.cpp.
// Declared in device_map.h.
#include <QImage>
#include <QPainter>
#include <algorithm>
#include <map>
#include <utility>

#include "views/device_map/device_map.h"
#include "views/theme/theme.h"
#include "views/widgets/shard_colour.h"
#include "views/widgets/span_line.h"
#include "words/words.h"

namespace shardscope {

void DeviceMap::paintEvent(QPaintEvent*)
{
    const Theme& theme = Theme::current();
    if (m_array && m_fillsTheme != &theme) { // nobody has told a map that was hidden
        m_fillsTheme = &theme;
        m_fills = fillsOfArray(theme);
        m_base = {};
    }
    QPainter painter(this);
    if (!m_field || m_layout.side() == 0) {
        painter.setPen(theme.secondary);
        painter.drawText(rect().adjusted(12, 8, -12, -8), Qt::AlignCenter | Qt::TextWordWrap,
            m_field && m_layout.shape().count() > 0 ? tr("There is too little room for the devices here.")
                                                    : m_emptyText);
        return;
    }
    if (m_base.isNull() || m_base.size() != size() * devicePixelRatioF()) {
        m_base = QPixmap(size() * devicePixelRatioF());
        m_base.setDevicePixelRatio(devicePixelRatioF());
        QPainter base(&m_base);
        base.setFont(font());
        paintBase(base, theme);
    }
    painter.drawPixmap(0, 0, m_base);
    painter.save();
    if (m_level > 0)
        painter.setClipRect(viewport());
    painter.translate(-offset());
    paintPath(painter, theme);
    paintMarks(painter, theme);
    painter.restore();
    if (hasFocus() && m_current < 0) {
        painter.setPen(QPen(theme.accent, 2));
        painter.drawRect(rect().adjusted(1, 1, -2, -2));
    }
}

void DeviceMap::paintMarks(QPainter& painter, const Theme& theme) const
{
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setBrush(Qt::NoBrush);
    outline(painter, m_selected, theme.accent, 3);
    outline(painter, m_highlighted, theme.text, 2);
    if (hasFocus() && m_current >= 0) {
        painter.setPen(QPen(theme.accent, 2));
        painter.drawRect(m_layout.rectOf(m_current).adjusted(-2, -2, 1, 1));
    }
}

void DeviceMap::outline(QPainter& painter, const DeviceGroup& devices, const QColor& colour, int width) const
{
    if (devices.empty())
        return;
    const MapTile& tile = m_layout.tile();
    if (m_field->isOfMesh(devices)) { // tile by tile: the group may have a million devices
        const QRect view = viewport().translated(offset());
        for (const MapPanel& panel : m_layout.panels()) {
            const MapBlock seen = m_layout.within(panel, view);
            for (std::int64_t row = seen.firstRow; row < seen.endRow; row += tile.rows)
                for (std::int64_t column = seen.firstColumn; column < seen.endColumn; column += tile.columns) {
                    const MapBlock block{ panel.plane, row, std::min(row + tile.rows, panel.endRow), column,
                        std::min(column + tile.columns, panel.endColumn) };
                    if (m_field->countIn(devices, block) > 0)
                        outline(painter, cellRect(m_layout.shape().cell(panel.plane, row, column)), colour, width);
                }
        }
        return;
    }
    std::int64_t last = -1; // the tile marked last: neighbours share one
    for (const std::int32_t device : devices.ids()) {
        const std::int64_t cell = cellOf(device);
        if (cell < 0)
            continue;
        const MapBlock block = m_layout.blockOf(cell);
        const std::int64_t first = m_layout.shape().cell(block.plane, block.firstRow, block.firstColumn);
        if (std::exchange(last, first) != first)
            outline(painter, cellRect(first), colour, width);
    }
}

void DeviceMap::outline(QPainter& painter, const QRect& cell, const QColor& colour, int width) const
{
    // Marks of small cells would hide what is around them: they are as large as the cell, and 3 pixels at least.
    if (cell.width() < 6) {
        const int room = std::max(0, (4 - cell.width()) / 2);
        painter.fillRect(cell.adjusted(-room, -room, room, room), colour);
        return;
    }
    painter.setPen(QPen(colour, width, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
    const int inside = width / 2;
    painter.drawRect(cell.adjusted(inside, inside, -1 - (width - 1) / 2, -1 - (width - 1) / 2));
}

void DeviceMap::paintBase(QPainter& painter, const Theme& theme) const
{
    painter.fillRect(rect(), palette().color(backgroundRole()));
    painter.save();
    if (m_level > 0)
        painter.setClipRect(viewport());
    painter.translate(-offset());
    if (m_layout.cellsPerTile() > 1)
        paintTiles(painter, theme);
    else if (isSmall())
        paintPixels(painter);
    else
        paintCells(painter, theme);
    paintGroups(painter, theme);
    paintRegions(painter, theme);
    paintTitles(painter, theme);
    painter.restore();
    if (m_layout.hasHeads())
        paintHeads(painter, theme);
    else if (m_level == 0 && hasHeading()) {
        const QRect line(Metrics::scaled(8), Metrics::scaled(4), width() - 2 * Metrics::scaled(8), sizes().title);
        const auto& panels = m_layout.panels();
        const bool rowsBeside = panels.size() > 1 && panels[0].plane == panels[1].plane
            && panels[0].firstRow != panels[1].firstRow && panels[0].rect.top() == panels[1].rect.top();
        paintSpans(painter, line, m_field->heading(true, rowsBeside), Metrics::small(), theme.secondary, theme);
    }
}

/// Tiles of several devices: each in the colours of its devices, where these lie, as far as they can be told apart.
void DeviceMap::paintTiles(QPainter& painter, const Theme& theme) const
{
    const QRect view = viewport().translated(offset());
    const MapShape& shape = m_layout.shape();
    const MapTile& tile = m_layout.tile();
    const QFontMetrics metrics(Metrics::small());
    painter.setFont(Metrics::small());
    const bool hosts = tile == m_hostTile;
    QImage picture(m_layout.tileWidth(), m_layout.side(), QImage::Format_RGB32);
    for (const MapPanel& panel : m_layout.panels()) {
        const MapBlock seen = m_layout.within(panel, view);
        for (std::int64_t top = seen.firstRow; top < seen.endRow; top += tile.rows)
            for (std::int64_t left = seen.firstColumn; left < seen.endColumn; left += tile.columns) {
                const std::int64_t rows = std::min(tile.rows, panel.endRow - top);
                const std::int64_t columns = std::min(tile.columns, panel.endColumn - left);
                const auto deviceIn = [&](std::int64_t row, std::int64_t column) {
                    return m_field
                        ->devices[static_cast<std::size_t>(shape.cell(panel.plane, top + row, left + column))];
                };
                const QRect rect = cellRect(shape.cell(panel.plane, top, left));
                std::int64_t changesDown = 0, changesAcross = 0;
                for (std::int64_t row = 1; row < rows; ++row)
                    changesDown += fillOf(deviceIn(row, 0)) != fillOf(deviceIn(row - 1, 0)) ? 1 : 0;
                for (std::int64_t column = 1; column < columns; ++column)
                    changesAcross += fillOf(deviceIn(0, column)) != fillOf(deviceIn(0, column - 1)) ? 1 : 0;
                const QColor plain = fillOf(deviceIn(0, 0));
                constexpr int least = 2; // pixels of a band
                if (rect.height() < least * (changesDown + 1) || rect.width() < least * (changesAcross + 1)) {
                    // Too fine for their places: which ones there are.
                    paintBands(painter, rect,
                        coloursIn({ panel.plane, top, top + rows, left, left + columns }, maxBands), theme);
                } else if (changesDown + changesAcross == 0) {
                    painter.fillRect(rect, plain);
                } else {
                    for (int y = 0; y < rect.height(); ++y) {
                        auto* const line = reinterpret_cast<QRgb*>(picture.scanLine(y));
                        for (int x = 0; x < rect.width(); ++x)
                            line[x] = fillOf(deviceIn(rows * y / rect.height(), columns * x / rect.width()));
                    }
                    painter.drawImage(rect.topLeft(), picture, QRect(QPoint(), rect.size()));
                }
                // Deep fills would sink into a dark base.
                if (theme.dark && rect.width() >= 6 && rect.height() >= 6) {
                    painter.setPen(
                        changesDown + changesAcross == 0 ? shardEdge(theme, plain) : QColor(theme.strongLine));
                    painter.setBrush(Qt::NoBrush);
                    painter.drawRect(rect.adjusted(0, 0, -1, -1));
                }
                const QString name = hosts ? tr("host %1").arg(hostOf(deviceIn(0, 0))) : words::count(rows * columns);
                const QSize needed(metrics.horizontalAdvance(name) + 6, metrics.height());
                if (needed.width() > rect.width() || needed.height() + 2 > rect.height())
                    continue;
                if (changesDown + changesAcross > 0) {
                    QRect plate(QPoint(), needed);
                    plate.moveCenter(rect.center());
                    painter.fillRect(plate, theme.base);
                    painter.setPen(theme.text);
                } else {
                    painter.setPen(theme.textOn(plain));
                }
                painter.drawText(rect, Qt::AlignCenter, name);
            }
    }
}

/// Single devices: with their names, and with what they hold, where these have room.
void DeviceMap::paintCells(QPainter& painter, const Theme& theme) const
{
    const QRect view = viewport().translated(offset());
    const MapShape& shape = m_layout.shape();
    const bool named = hasNames(), holding = hasHoldings();
    const bool stripes = m_fills.copies > 1 && m_layout.tileWidth() >= 12 && m_layout.side() >= 10;
    painter.setBrushOrigin(0, 0);
    for (const MapPanel& panel : m_layout.panels()) {
        const MapBlock seen = m_layout.within(panel, view);
        for (std::int64_t row = seen.firstRow; row < seen.endRow; ++row)
            for (std::int64_t column = seen.firstColumn; column < seen.endColumn; ++column) {
                const std::int64_t cell = shape.cell(panel.plane, row, column);
                const std::int32_t device = deviceAt(cell);
                if (device < 0)
                    continue;
                const QColor fill = fillOf(device);
                const QRect rect = cellRect(cell);
                painter.fillRect(rect, fill);
                if (stripes)
                    painter.fillRect(rect, theme.stripes(fill, m_fills.copies, devicePixelRatioF()));
                const QColor edge = m_room == Room::Flat ? QColor(theme.strongLine) : shardEdge(theme, fill);
                if (edge.isValid() && rect.width() >= 6) {
                    painter.setPen(edge);
                    painter.setBrush(Qt::NoBrush);
                    painter.drawRect(rect.adjusted(0, 0, -1, -1));
                }
                if (const int mark = markOf(device); mark != 0)
                    paintMotif(painter, rect, mark, theme.textOn(fill));
                if (named)
                    paintName(painter, theme, device, rect, { .onPlate = stripes, .holding = holding });
            }
    }
    paintHosts(painter, theme);
}

void DeviceMap::paintName(
    QPainter& painter, const Theme& theme, std::int32_t device, const QRect& cell, NameLook look) const
{
    const QFontMetrics metrics(Metrics::small());
    const QColor fill = fillOf(device);
    const int largest = metrics.horizontalAdvance(QStringLiteral("d%1").arg(m_field->cells.size() - 1));
    const QString name = // "d12" where that has room for the largest id
        (m_layout.tileWidth() >= largest + 8 ? QStringLiteral("d%1") : QStringLiteral("%1")).arg(device);
    const QStringList lines = look.holding ? m_holding(device) : QStringList();
    const int height = static_cast<int>(lines.size() + 1) * metrics.height();
    QRect line(cell.left(), cell.top() + (cell.height() - height) / 2, cell.width(), metrics.height());
    if (look.onPlate) {
        int width = metrics.horizontalAdvance(name) + 6;
        for (const QString& text : lines)
            width = std::max(width, metrics.horizontalAdvance(text) + 4);
        QRect plate(0, 0, std::min(width, cell.width() - 2), std::min(height, cell.height() - 2));
        plate.moveCenter(cell.center());
        painter.fillRect(plate, fill);
    }
    painter.setPen(theme.textOn(fill));
    QFont strong = Metrics::small();
    strong.setWeight(QFont::DemiBold);
    painter.setFont(look.holding || m_room == Room::Flat ? strong : Metrics::small());
    painter.drawText(line, Qt::AlignCenter, name);
    painter.setFont(Metrics::small());
    for (const QString& text : lines) {
        line.translate(0, metrics.height());
        painter.drawText(line, Qt::AlignCenter, text);
    }
}

/// A few pixels for a device: written into an image.
void DeviceMap::paintPixels(QPainter& painter) const
{
    QRect area;
    for (const MapPanel& panel : m_layout.panels())
        area = area.united(panel.rect);
    QImage image(area.size(), QImage::Format_RGB32);
    image.fill(palette().color(backgroundRole()).rgb());
    const int side = m_layout.side(), width = m_layout.tileWidth();
    const int shown = side >= 6 ? side - 1 : side, across = width >= 6 ? width - 1 : width;
    for (const MapPanel& panel : m_layout.panels())
        for (std::int64_t row = panel.firstRow; row < panel.endRow; ++row) {
            const int top = panel.rect.top() - area.top() + static_cast<int>(row - panel.firstRow) * side;
            auto* const first = reinterpret_cast<QRgb*>(image.scanLine(top));
            for (std::int64_t column = panel.firstColumn; column < panel.endColumn; ++column) {
                const int left = panel.rect.left() - area.left() + static_cast<int>(column - panel.firstColumn) * width;
                std::fill_n(first + left, std::min(across, image.width() - left),
                    fillOf(deviceAt(m_layout.shape().cell(panel.plane, row, column))));
            }
            // Rows of panels beside this one are written by these.
            const int from = panel.rect.left() - area.left();
            for (int line = 1; line < shown; ++line)
                std::copy_n(
                    first + from, panel.rect.width(), reinterpret_cast<QRgb*>(image.scanLine(top + line)) + from);
        }
    painter.drawImage(area.topLeft(), image);
}

/// Colours beside each other, as wide as whole pixels let them be.
void DeviceMap::paintBands(
    QPainter& painter, const QRect& rect, const std::vector<QRgb>& colours, const Theme& theme) const
{
    const auto count = static_cast<int>(colours.size());
    if (count > std::min<int>(rect.width(), maxBands)) {
        painter.fillRect(rect, theme.alternateRow);
        painter.fillRect(rect, QBrush(theme.strongLine, Qt::BDiagPattern));
        return;
    }
    for (int i = 0; i < count; ++i) {
        const int left = rect.width() * i / count, right = rect.width() * (i + 1) / count;
        painter.fillRect(
            rect.left() + left, rect.top(), right - left, rect.height(), QColor(colours[static_cast<std::size_t>(i)]));
    }
}

void DeviceMap::paintRegions(QPainter& painter, const Theme& theme) const
{
    for (const MapRegion& region : m_regions) {
        std::map<std::size_t, QRect> boxes; // by panel
        for (const std::int32_t device : region.devices)
            if (const std::int64_t cell = cellOf(device); cell >= 0) {
                QRect& box = boxes[m_layout.panelOf(cell)];
                box = box.united(cellRect(cell));
            }
        const bool wrong = region.kind == MapRegion::Kind::Wrong;
        painter.setPen(QPen(wrong ? theme.error : theme.text, 2, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
        for (const auto& [panel, box] : boxes) {
            painter.setBrush(wrong ? QBrush(theme.error, Qt::BDiagPattern) : QBrush(Qt::NoBrush));
            painter.drawRect(wrong ? box.adjusted(1, 1, -1, -1) : box.adjusted(-1, -1, 1, 1));
        }
    }
    painter.setBrush(Qt::NoBrush);
}

void DeviceMap::paintGroups(QPainter& painter, const Theme& theme) const
{
    const MapShape& shape = m_layout.shape();
    const std::int64_t groups = shape.planes / shape.planesPerGroup;
    if (groups < 2 || shape.planesPerGroup < 2 || groups > 64)
        return;
    painter.setPen(QPen(theme.border, 1));
    painter.setBrush(Qt::NoBrush);
    for (std::int64_t group = 0; group < groups; ++group)
        painter.drawRect(m_layout.groupRect(group).adjusted(-4, -1, 2, 2));
}

/// Dashed lines where a device and the one beside it belong to different hosts, and around the panels.
void DeviceMap::paintHosts(QPainter& painter, const Theme& theme) const
{
    if (m_layout.side() < 6)
        return;
    const auto hostAt = [this](std::int64_t cell) { return hostOf(deviceAt(cell)); };
    const QRect view = viewport().translated(offset());
    const MapShape& shape = m_layout.shape();
    const int side = m_layout.side(), width = m_layout.tileWidth(), gap = side >= 14 ? 3 : 1;
    const int before = gap - gap / 2; // from the edge of a cell back into the gap
    std::vector<QLine> lines;
    for (const MapPanel& panel : m_layout.panels()) {
        const auto at = [&](std::int64_t row, std::int64_t column) {
            const bool inside =
                row >= panel.firstRow && row < panel.endRow && column >= panel.firstColumn && column < panel.endColumn;
            return inside ? hostAt(shape.cell(panel.plane, row, column)) : -1;
        };
        const auto x = [&](std::int64_t column) {
            return panel.rect.left() + static_cast<int>(column - panel.firstColumn) * width - before;
        };
        const auto y = [&](std::int64_t row) {
            return panel.rect.top() + static_cast<int>(row - panel.firstRow) * side - before;
        };
        const MapBlock seen = m_layout.within(panel, view);
        if (seen.count() == 0)
            continue;
        for (std::int64_t row = seen.firstRow; row <= seen.endRow; ++row)
            for (std::int64_t column = seen.firstColumn; column < seen.endColumn; ++column) {
                const std::int64_t begin = column;
                while (column < seen.endColumn && at(row - 1, column) != at(row, column))
                    ++column;
                if (column > begin)
                    lines.emplace_back(x(begin), y(row), x(column), y(row));
            }
        for (std::int64_t column = seen.firstColumn; column <= seen.endColumn; ++column)
            for (std::int64_t row = seen.firstRow; row < seen.endRow; ++row) {
                const std::int64_t begin = row;
                while (row < seen.endRow && at(row, column - 1) != at(row, column))
                    ++row;
                if (row > begin)
                    lines.emplace_back(x(column), y(begin), x(column), y(row));
            }
    }
    QPen dashed(theme.strongLine, 1);
    dashed.setDashPattern({ 3, 2 });
    painter.setPen(dashed);
    for (const QLine& line : lines)
        painter.drawLine(line);
}

} // namespace shardscope
