// SPDX-License-Identifier: GPL-3.0-or-later
// What DeviceMap (device_map.h) writes around its cells, and the path along a mesh axis.
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <set>

#include "geometry/device_map_layout.h"
#include "views/device_map/device_map.h"
#include "views/theme/theme.h"
#include "views/widgets/label_step.h"
#include "views/widgets/span_line.h"

namespace shardscope {

void DeviceMap::paintTitles(QPainter& painter, const Theme& theme) const
{
    const QFont face = Metrics::small();
    const int height = QFontMetrics(face).height();
    const QRect view = viewport().translated(offset());
    if (m_layout.hasTitles()) {
        // A title may reach over the end of its panel, but not to that of the next one.
        int beyond = Metrics::scaled(8);
        const std::vector<MapPanel>& panels = m_layout.panels();
        for (std::size_t i = 1; i < panels.size(); ++i)
            if (panels[i].rect.left() > panels[i - 1].rect.right())
                beyond = std::min(beyond, panels[i].rect.left() - panels[i - 1].rect.right() - Metrics::scaled(5));
        const auto fits = [&](const words::Text& title, const MapPanel& panel) {
            return spansWidth(title, face) <= panel.rect.width() + beyond;
        };
        // Without names, where these do not fit over every panel.
        const auto allFit = [&](const auto& textOf) {
            return std::all_of(m_layout.panels().begin(), m_layout.panels().end(),
                [&](const MapPanel& panel) { return fits(textOf(panel), panel); });
        };
        const bool full = allFit([&](const MapPanel& panel) { return m_field->title(panel); });
        const bool numbered = full || allFit([&](const MapPanel& panel) { return m_field->numbers(panel); });
        for (const MapPanel& panel : m_layout.panels()) {
            const QRect place = m_layout.titleRect(panel);
            if (!panel.rect.united(place).intersects(view))
                continue;
            words::Text title = full ? m_field->title(panel) : m_field->numbers(panel);
            if (!numbered && !title.empty())
                title = { title.back() };
            if (title.empty() || !fits(title, panel))
                continue;
            // It stays in sight as long as its panel does.
            QRect shown = place.adjusted(0, 0, Metrics::scaled(8), 0);
            const int width = spansWidth(title, face);
            if (m_level > 0) {
                shown.moveTop(std::clamp(shown.top(), std::min(view.top(), panel.rect.bottom() - shown.height()),
                    std::max(view.top(), place.top())));
                shown.moveLeft(std::clamp(
                    view.left(), panel.rect.left(), std::max(panel.rect.left(), panel.rect.right() - width)));
                painter.fillRect(
                    shown.left(), shown.top(), width + 6, shown.height(), palette().color(backgroundRole()));
            }
            paintSpans(painter, shown, title, face, theme.secondary, theme);
        }
    } else if (m_layout.panels().size() > 1 && m_layout.panels().size() <= 64) {
        // Where titles above would cost pictures, they stand in their corners: in all of them, and only where most of
        // the picture stays in sight.
        const auto fits = [&](const MapPanel& panel) {
            return spansWidth(m_field->title(panel), face) + 8 <= panel.rect.width()
                && 3 * (height + 2) <= panel.rect.height();
        };
        if (!std::all_of(m_layout.panels().begin(), m_layout.panels().end(), fits))
            return;
        for (const MapPanel& panel : m_layout.panels()) {
            const words::Text title = m_field->title(panel);
            const int width = spansWidth(title, face);
            if (title.empty())
                continue;
            const QRect plate(panel.rect.left() + 2, panel.rect.bottom() - height - 1, width + 4, height);
            painter.fillRect(plate, theme.base);
            paintSpans(painter, plate.adjusted(2, 0, 2, 0), title, face, theme.text, theme);
        }
    }
}

/// Names of rows left of the cells, numbers of columns above them and their axis once, in the corner. They stay where
/// they are while the map is scrolled below them.
void DeviceMap::paintHeads(QPainter& painter, const Theme& theme) const
{
    const QFont face = Metrics::small();
    const QFontMetrics metrics(face);
    const QPoint off = offset();
    const QRect view = m_level > 0 ? viewport() : m_layout.panels().front().rect;
    const QSize room = headRoom();
    const MapTile& tile = m_layout.tile();
    const auto ofAxis = [&](int axis) { return axis < 0 ? theme.secondary : theme.meshAxis(axis); };
    painter.setFont(face);

    const bool lined = m_field->rows.name.isEmpty() && m_field->shape.rows > 1; // one axis wrapped into lines
    const QString last = QString::number(m_field->columnNumber(m_field->shape.columns - 1));
    const QString axis = m_field->columns.name + QLatin1Char(' ');
    // "model 3" over each column, where that has room.
    const bool full = tile.columns == 1 && m_field->shape.together == 1
        && metrics.horizontalAdvance(axis + last) + 8 <= m_layout.tileWidth();
    const int most = metrics.horizontalAdvance(full ? axis + last : last) + 8;
    const std::int64_t across = (m_field->shape.columns + tile.columns - 1) / tile.columns;
    std::int64_t step = labelStep(across, m_layout.tileWidth(), most);
    if (tile.columns < m_field->shape.together)
        step = std::max(step, m_field->shape.together);
    const int above = view.top() - room.height() - 2; // clear of the line around a host
    painter.save();
    painter.setClipRect(QRect(view.left() - 2, view.top() - room.height(), view.width() + 4, room.height()));
    painter.setPen(ofAxis(m_field->columns.axis));
    std::set<int> done;
    for (const MapPanel& panel : m_layout.panels()) {
        if (lined || (across == 1 && !full) || (step >= across && across > 1) || !done.insert(panel.rect.left()).second)
            continue;
        for (std::int64_t i = 0; i < across; i += step) {
            const std::int64_t spanned = tile.columns < m_field->shape.together ? m_field->shape.together : 1;
            const int left = panel.rect.left() + static_cast<int>(i) * m_layout.tileWidth() - off.x();
            const int width = static_cast<int>(spanned) * m_layout.tileWidth();
            const int middle = left + width / 2;
            if (middle < view.left() || middle > view.right())
                continue;
            painter.drawText(QRect(middle - most, above, 2 * most, room.height()), Qt::AlignCenter,
                (full ? axis : QString()) + QString::number(m_field->columnNumber(i * tile.columns)));
        }
    }
    painter.restore();
    if (!lined && !full && across > 1 && step < across) {
        const QString& name = m_field->columns.name;
        const QRect corner(view.left() - room.width() - 2, above, room.width() - 4, room.height());
        if (metrics.horizontalAdvance(name) <= corner.width() + 2) {
            painter.setPen(ofAxis(m_field->columns.axis));
            painter.drawText(corner, Qt::AlignRight | Qt::AlignVCenter, name);
        }
    }

    const std::int64_t down = (m_field->shape.rows + tile.rows - 1) / tile.rows;
    const std::int64_t every = labelStep(down, m_layout.side(), metrics.height() - 1);
    done.clear();
    painter.save();
    painter.setClipRect(QRect(0, view.top() - 2, view.left(), view.height() + 4));
    for (const MapPanel& panel : m_layout.panels()) {
        if ((down == 1 && m_field->shape.rows > 1) || !done.insert(panel.rect.top()).second)
            continue;
        for (std::int64_t i = 0; i < down; i += every) {
            const int top = panel.rect.top() + static_cast<int>(i) * m_layout.side() - off.y();
            if (top + m_layout.side() / 2 < view.top() || top + m_layout.side() / 2 > view.bottom())
                continue;
            const words::Text name =
                m_field->rowName(i * tile.rows, std::min((i + 1) * tile.rows, m_field->shape.rows));
            const int width = std::min(spansWidth(name, face), room.width() - 4);
            const int host = m_field->mesh && tile.rows == 1 && m_layout.side() >= 2 * metrics.height() - 2
                ? hostOfRow(panel, panel.firstRow + i)
                : -1;
            QRect place(view.left() - 4 - width, top + (m_layout.side() - (host < 0 ? 1 : 2) * metrics.height()) / 2,
                width + 1, metrics.height());
            paintSpans(painter, place, name, face, theme.secondary, theme);
            if (host < 0)
                continue;
            place.setLeft(view.left() - room.width());
            painter.setPen(theme.secondary);
            painter.drawText(
                place.translated(0, metrics.height() - 1), Qt::AlignRight | Qt::AlignVCenter, tr("host %1").arg(host));
        }
    }
    painter.restore();
}

/// The one host of a row, -1 for several.
std::int32_t DeviceMap::hostOfRow(const MapPanel& panel, std::int64_t row) const
{
    const std::int64_t first = m_layout.shape().cell(panel.plane, row, panel.firstColumn);
    const std::int32_t host = hostOf(deviceAt(first));
    for (std::int64_t i = 1; i < panel.endColumn - panel.firstColumn; ++i)
        if (hostOf(deviceAt(first + i)) != host)
            return -1;
    return host;
}

/// A circle at the first device of the path and an arrow at the last one. `last` ends there; where it has one point
/// alone, since the path jumps to it, the arrow points to the right.
void DeviceMap::paintPathEnds(
    QPainter& painter, const Theme& theme, QPointF first, const QPolygonF& last, double size) const
{
    painter.setPen(QPen(theme.base, 1));
    painter.setBrush(theme.meshAxis(m_path.axis));
    painter.drawEllipse(first, size, size);
    const QPointF tip = last.last();
    QPointF direction = last.size() > 1 ? tip - last[last.size() - 2] : QPointF(1, 0);
    const double length = std::hypot(direction.x(), direction.y());
    if (length <= 0)
        return;
    direction /= length;
    const QPointF across(-direction.y(), direction.x());
    const QPointF back = tip + direction * size - direction * (2 * size + 1);
    painter.drawPolygon(
        QPolygonF{ tip + direction * size, back + across * (size + 0.5), back - across * (size + 0.5) });
}

/// Whether both devices are in one row or column of a plane.
bool DeviceMap::inOneLine(std::int32_t from, std::int32_t to) const
{
    const std::int64_t columns = m_layout.shape().columns, first = cellOf(from), second = cellOf(to);
    return first >= 0 && second >= 0 && m_layout.panelOf(first) == m_layout.panelOf(second)
        && (first / columns == second / columns || first % columns == second % columns);
}

/// The path as lines along rows and columns of planes. It jumps from the end of each to the start of the next one.
std::vector<QPolygonF> DeviceMap::pathLines() const
{
    std::vector<QPolygonF> lines;
    std::vector<QRectF> cells; // of the line that is being made
    const auto endLine = [&] {
        if (cells.empty())
            return;
        QPolygonF line;
        for (const QRectF& cell : cells)
            line << cell.center();
        lines.push_back(hasNames() ? pathThrough(cells) : line);
        cells.clear();
    };
    for (std::size_t i = 0; i < m_path.devices.size(); ++i) {
        if (i > 0 && !inOneLine(m_path.devices[i - 1], m_path.devices[i]))
            endLine();
        if (const std::int64_t cell = cellOf(m_path.devices[i]); cell >= 0)
            cells.emplace_back(cellRect(cell));
    }
    endLine();
    return lines;
}

/// In a small map lines from plane to plane would hide what they join: a dot for each device.
void DeviceMap::paintPathDots(QPainter& painter, const Theme& theme) const
{
    for (const std::int32_t device : m_path.devices)
        if (const std::int64_t cell = cellOf(device); cell >= 0) {
            const QRect dot(QRectF(cellRect(cell)).center().toPoint() - QPoint(1, 1), QSize(3, 3));
            painter.fillRect(dot.adjusted(-1, -1, 1, 1), theme.base);
            painter.fillRect(dot, theme.meshAxis(m_path.axis));
        }
}

/// Jumps would strike through what they cross: they are thin, and lead from dot to dot.
void DeviceMap::paintPathLines(QPainter& painter, const Theme& theme, const std::vector<QPolygonF>& lines) const
{
    const bool named = hasNames(), bold = m_layout.side() >= 10 && !named;
    const QColor colour = theme.meshAxis(m_path.axis);
    QPen pen = theme.axisPen(m_path.axis, bold ? 2.5 : named ? 2 : 1.5);
    pen.setJoinStyle(Qt::RoundJoin);
    const double dot = bold ? 3 : 2;
    QColor faint = colour;
    faint.setAlpha(120);
    painter.setPen(QPen(faint, 1));
    for (std::size_t i = 1; i < lines.size(); ++i)
        painter.drawLine(lines[i - 1].last(), lines[i].first());
    for (const QPolygonF& line : lines) {
        painter.setPen(QPen(theme.base, bold ? 5 : 3, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter.drawPolyline(line);
        painter.setPen(pen);
        painter.drawPolyline(line);
        if (lines.size() == 1)
            continue;
        painter.setPen(QPen(theme.base, 1));
        painter.setBrush(colour);
        painter.drawEllipse(line.first(), dot, dot);
        painter.drawEllipse(line.last(), dot, dot);
        painter.setBrush(Qt::NoBrush);
    }
    paintPathEnds(painter, theme, lines.front().first(), lines.back(), bold ? 4.5 : named ? 3.5 : 2.5);
}

void DeviceMap::paintPath(QPainter& painter, const Theme& theme) const
{
    if (m_path.axis < 0 || m_path.devices.size() < 2)
        return;
    if (isSmall())
        return paintPathDots(painter, theme);
    const auto isShown = [this](std::int32_t device) { return cellOf(device) >= 0; };
    if (std::count_if(m_path.devices.begin(), m_path.devices.end(), isShown) < 2)
        return;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    paintPathLines(painter, theme, pathLines());
    painter.restore();
    if (!hasNames())
        return;
    // Names stand over the path.
    const bool holding = hasHoldings();
    const QRect view = viewport().translated(offset());
    for (const std::int32_t device : m_path.devices)
        if (const std::int64_t cell = cellOf(device); cell >= 0 && cellRect(cell).intersects(view))
            paintName(painter, theme, device, cellRect(cell), { .onPlate = true, .holding = holding });
}

} // namespace shardscope
