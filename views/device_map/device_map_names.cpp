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
        const auto fits = [&](const words::Text& title, const MapPanel& panel) {
            return spansWidth(title, face) <= panel.rect.width() + Metrics::scaled(8);
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

void DeviceMap::paintPath(QPainter& painter, const Theme& theme) const
{
    if (m_path.axis < 0 || m_path.devices.size() < 2)
        return;
    const bool named = hasNames(); // names stand over it
    const auto centre = [this](std::int32_t device) {
        const std::int64_t cell = cellOf(device);
        if (cell < 0)
            return QPointF();
        return QRectF(cellRect(cell)).center();
    };
    const auto lineOf = [&](const std::vector<std::int32_t>& devices) {
        QPolygonF line;
        for (const std::int32_t device : devices)
            if (const QPointF point = centre(device); !point.isNull())
                line << point;
        return line;
    };
    if (isSmall()) {
        // Lines from plane to plane would hide what they join: where the devices are is marked.
        for (const QPointF& point : lineOf(m_path.devices)) {
            const QRect mark(point.toPoint() - QPoint(1, 1), QSize(3, 3));
            painter.fillRect(mark.adjusted(-1, -1, 1, 1), theme.base);
            painter.fillRect(mark, theme.meshAxis(m_path.axis));
        }
        return;
    }
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    const QPolygonF line = lineOf(m_path.devices);
    if (line.size() < 2) {
        painter.restore();
        return;
    }
    const bool bold = m_layout.side() >= 10 && !named;
    const QColor colour = theme.meshAxis(m_path.axis);
    // A line along rows and columns of a plane; jumps would strike through what they cross: thin, from dot to dot.
    const MapShape& shape = m_layout.shape();
    const auto straight = [&](std::int32_t from, std::int32_t to) {
        const std::int64_t first = cellOf(from), second = cellOf(to);
        return first >= 0 && second >= 0 && m_layout.panelOf(first) == m_layout.panelOf(second)
            && (first / shape.columns == second / shape.columns || first % shape.columns == second % shape.columns);
    };
    std::vector<QPolygonF> parts;
    std::vector<QRectF> run; // of cells along rows and columns
    const auto endRun = [&] {
        if (run.empty())
            return;
        QPolygonF part;
        for (const QRectF& cell : run)
            part << cell.center();
        parts.push_back(named ? pathThrough(run) : part);
        run.clear();
    };
    for (std::size_t i = 0; i < m_path.devices.size(); ++i) {
        if (i > 0 && !straight(m_path.devices[i - 1], m_path.devices[i]))
            endRun();
        if (const std::int64_t cell = cellOf(m_path.devices[i]); cell >= 0)
            run.emplace_back(cellRect(cell));
    }
    endRun();
    QPen pen = theme.axisPen(m_path.axis, bold ? 2.5 : named ? 2 : 1.5);
    pen.setJoinStyle(Qt::RoundJoin);
    const double dot = bold ? 3 : 2;
    QColor faint = colour;
    faint.setAlpha(120);
    painter.setPen(QPen(faint, 1));
    for (std::size_t i = 1; i < parts.size(); ++i)
        if (!parts[i - 1].isEmpty() && !parts[i].isEmpty())
            painter.drawLine(parts[i - 1].last(), parts[i].first());
    for (const QPolygonF& part : parts) {
        if (part.isEmpty())
            continue;
        painter.setPen(QPen(theme.base, bold ? 5 : 3, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter.drawPolyline(part);
        painter.setPen(pen);
        painter.drawPolyline(part);
        if (parts.size() == 1)
            continue;
        painter.setPen(QPen(theme.base, 1));
        painter.setBrush(colour);
        painter.drawEllipse(part.first(), dot, dot);
        painter.drawEllipse(part.last(), dot, dot);
        painter.setBrush(Qt::NoBrush);
    }
    // From the dot to the arrow.
    const double size = bold ? 4.5 : named ? 3.5 : 2.5;
    painter.setPen(QPen(theme.base, 1));
    painter.setBrush(colour);
    painter.drawEllipse(parts.front().first(), size, size);
    const QPolygonF& end = parts.back();
    const QPointF tip = end.last();
    // The last jump has no line for the arrow to end.
    QPointF way = end.size() > 1 ? tip - end[end.size() - 2] : QPointF(1, 0);
    const double length = std::hypot(way.x(), way.y());
    if (length > 0) {
        way /= length;
        const QPointF across(-way.y(), way.x());
        const QPointF point = tip + way * size;
        painter.drawPolygon(QPolygonF{ point, point - way * (2 * size + 1) + across * (size + 0.5),
            point - way * (2 * size + 1) - across * (size + 0.5) });
    }
    painter.restore();
    if (!named)
        return;
    const bool holding = hasHoldings();
    const QRect view = viewport().translated(offset());
    for (const std::int32_t device : m_path.devices)
        if (const std::int64_t cell = cellOf(device); cell >= 0 && cellRect(cell).intersects(view))
            paintName(painter, theme, device, cellRect(cell), { .onPlate = true, .holding = holding });
}

} // namespace shardscope
