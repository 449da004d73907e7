// SPDX-License-Identifier: GPL-3.0-or-later
// How a map of devices is drawn: fills, names, outlines of hosts and slices; then the path, what is selected and what
// is pointed at.
#include <QImage>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "views/theme/theme.h"
#include "views/topology_view/field_map.h"
#include "views/widgets/span_line.h"

namespace shardscope {

void FieldMap::paintEvent(QPaintEvent*)
{
    const Theme& theme = Theme::current();
    QPainter painter(this);
    if (!m_field || m_layout.side() == 0) {
        painter.fillRect(rect(), theme.base);
        painter.setPen(theme.secondary);
        painter.drawText(rect().adjusted(12, 8, -12, -8), Qt::AlignCenter | Qt::TextWordWrap,
            m_field ? tr("There is too little room for the devices here.") : m_emptyText);
        return;
    }
    if (m_base.isNull() || m_base.size() != size() * devicePixelRatioF()) {
        m_base = QPixmap(size() * devicePixelRatioF());
        m_base.setDevicePixelRatio(devicePixelRatioF());
        QPainter base(&m_base);
        paintBase(base, theme);
    }
    painter.drawPixmap(0, 0, m_base);
    paintPath(painter, theme);

    const auto outline = [&](const std::vector<std::int32_t>& devices, const QColor& colour, int width) {
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.setBrush(Qt::NoBrush);
        // Marks of small cells would hide what is around them: they are as large as the cell, and 3 pixels at least.
        for (const std::int32_t device : devices) {
            const std::int64_t cell = cellOf(device);
            if (cell < 0)
                continue;
            const QRect rect = cellRect(cell);
            if (rect.width() < 6) {
                const int room = std::max(0, (4 - rect.width()) / 2);
                painter.fillRect(rect.adjusted(-room, -room, room, room), colour);
                continue;
            }
            painter.setPen(QPen(colour, width, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
            const int inside = width / 2;
            painter.drawRect(rect.adjusted(inside, inside, -1 - (width - 1) / 2, -1 - (width - 1) / 2));
        }
    };
    outline(m_selected, theme.accent, 3);
    outline(m_lit, theme.text, 2);
    if (hasFocus() && m_current >= 0) {
        painter.setPen(QPen(theme.accent, 2));
        painter.drawRect(m_layout.rectOf(m_current).adjusted(-2, -2, 1, 1));
    } else if (hasFocus()) {
        painter.setPen(QPen(theme.accent, 2));
        painter.drawRect(rect().adjusted(1, 1, -2, -2));
    }
}

void FieldMap::paintBase(QPainter& painter, const Theme& theme) const
{
    painter.fillRect(rect(), theme.base);
    if (isSmall()) {
        paintPixels(painter);
    } else {
        const QFont names = Metrics::small();
        const bool named = hasNames();
        painter.setFont(names);
        for (std::size_t cell = 0; cell < m_field->devices.size(); ++cell) {
            const std::int32_t device = m_field->devices[cell];
            if (device < 0)
                continue;
            const auto id = static_cast<std::size_t>(device);
            const QColor fill = id < m_fills.size() ? QColor(m_fills[id]) : theme.alternateRow;
            const QRect rect = cellRect(static_cast<std::int64_t>(cell));
            painter.fillRect(rect, fill);
            if (!named)
                continue;
            painter.setPen(theme.textOn(fill));
            painter.drawText(rect, Qt::AlignCenter, QString::number(device));
        }
        paintHosts(painter, theme);
    }
    if (m_layout.hasTitles()) {
        const auto fits = [](const words::Text& title, const FieldPanel& panel) {
            return spansWidth(title, Metrics::small()) <= panel.rect.width() + Metrics::scaled(8);
        };
        // Without the name, where that does not fit over every panel.
        const bool whole = std::all_of(m_layout.panels().begin(), m_layout.panels().end(),
            [&](const FieldPanel& panel) { return fits(m_field->title(panel), panel); });
        for (const FieldPanel& panel : m_layout.panels()) {
            words::Text title = m_field->title(panel);
            if (!whole && !title.empty()) {
                title = { title.back() };
                title.front().text.remove(0, title.front().text.lastIndexOf(QLatin1Char(' ')) + 1);
            }
            if (!title.empty() && fits(title, panel))
                paintSpans(painter, m_layout.titleRect(panel).adjusted(0, 0, Metrics::scaled(8), 0), title,
                    Metrics::small(), theme.secondary, theme);
        }
    }
    if (!m_layout.hasTitles() && m_layout.panels().size() > 1 && m_layout.panels().size() <= 64) {
        // Where titles above would cost pictures, they stand in their corners.
        const int height = QFontMetrics(Metrics::small()).height();
        for (const FieldPanel& panel : m_layout.panels()) {
            const words::Text title = m_field->title(panel);
            const int width = spansWidth(title, Metrics::small());
            if (title.empty() || width + 8 > panel.rect.width() || height + 4 > panel.rect.height())
                continue;
            const QRect plate(panel.rect.left() + 2, panel.rect.bottom() - height - 1, width + 4, height);
            painter.fillRect(plate, theme.base);
            paintSpans(painter, plate.adjusted(2, 0, 2, 0), title, Metrics::small(), theme.text, theme);
        }
    }
    const FieldShape& shape = m_layout.shape();
    const std::int64_t groups = shape.planes / shape.planesPerGroup;
    if (groups < 2 || shape.planesPerGroup < 2 || groups > 64)
        return;
    painter.setPen(QPen(theme.border, 1));
    painter.setBrush(Qt::NoBrush);
    for (std::int64_t group = 0; group < groups; ++group)
        painter.drawRect(m_layout.groupRect(group).adjusted(-4, -1, 2, 2));
}

/// One pixel or few of them for a device: written into an image.
void FieldMap::paintPixels(QPainter& painter) const
{
    QRect area;
    for (const FieldPanel& panel : m_layout.panels())
        area = area.united(panel.rect);
    const QRgb base = Theme::current().base.rgb();
    QImage image(area.size(), QImage::Format_RGB32);
    image.fill(base);
    const int side = m_layout.side(), width = m_layout.tileWidth();
    const int shown = side >= 6 ? side - 1 : side, across = width >= 6 ? width - 1 : width;
    for (const FieldPanel& panel : m_layout.panels())
        for (std::int64_t row = panel.firstRow; row < panel.endRow; row += m_layout.tileRows()) {
            const int top =
                panel.rect.top() - area.top() + static_cast<int>((row - panel.firstRow) / m_layout.tileRows()) * side;
            auto* const first = reinterpret_cast<QRgb*>(image.scanLine(top));
            for (std::int64_t column = panel.firstColumn; column < panel.endColumn; column += m_layout.tileColumns()) {
                const std::int32_t device = deviceAt(m_layout.shape().cell(panel.plane, row, column));
                const auto id = static_cast<std::size_t>(device);
                const QRgb colour = device >= 0 && id < m_fills.size() ? m_fills[id] : base;
                const int left = panel.rect.left() - area.left()
                    + static_cast<int>((column - panel.firstColumn) / m_layout.tileColumns()) * width;
                std::fill_n(first + left, std::min(across, image.width() - left), colour);
            }
            for (int line = 1; line < shown; ++line)
                std::copy_n(first, image.width(), reinterpret_cast<QRgb*>(image.scanLine(top + line)));
        }
    painter.drawImage(area.topLeft(), image);
}

/// Dashed lines where a device and the one beside it belong to different hosts, and around the panels.
void FieldMap::paintHosts(QPainter& painter, const Theme& theme) const
{
    if (m_layout.side() < 6)
        return;
    const auto hostAt = [this](std::int64_t cell) {
        const std::int32_t device = deviceAt(cell);
        return device >= 0 && static_cast<std::size_t>(device) < m_hosts.size()
            ? m_hosts[static_cast<std::size_t>(device)]
            : -1;
    };
    const FieldShape& shape = m_layout.shape();
    const int side = m_layout.side(), width = m_layout.tileWidth(), gap = side >= 14 ? 3 : 1;
    const int before = gap - gap / 2; // from the edge of a cell back into the gap
    std::vector<QLine> lines;
    for (const FieldPanel& panel : m_layout.panels()) {
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
        for (std::int64_t row = panel.firstRow; row <= panel.endRow; ++row)
            for (std::int64_t column = panel.firstColumn; column < panel.endColumn; ++column) {
                const std::int64_t begin = column;
                while (column < panel.endColumn && at(row - 1, column) != at(row, column))
                    ++column;
                if (column > begin)
                    lines.emplace_back(x(begin), y(row), x(column), y(row));
            }
        for (std::int64_t column = panel.firstColumn; column <= panel.endColumn; ++column)
            for (std::int64_t row = panel.firstRow; row < panel.endRow; ++row) {
                const std::int64_t begin = row;
                while (row < panel.endRow && at(row, column - 1) != at(row, column))
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

void FieldMap::paintPath(QPainter& painter, const Theme& theme) const
{
    if (m_path.axis < 0 || m_path.devices.size() < 2)
        return;
    // Beside the ids: below them on its way along a row, left of them along a column.
    const bool beside = hasNames();
    const auto centre = [this, beside](std::int32_t device) {
        const std::int64_t cell = cellOf(device);
        if (cell < 0)
            return QPointF();
        const QRectF rect = cellRect(cell);
        return beside ? rect.bottomLeft() + QPointF(0, 1) : rect.center(); // in the gap between cells
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
    const bool bold = m_layout.side() >= 10 && !beside;
    painter.setPen(QPen(theme.base, bold ? 5 : 3, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.drawPolyline(line);
    QPen pen = theme.axisPen(m_path.axis, bold ? 2.5 : beside ? 2 : 1.5);
    pen.setJoinStyle(Qt::RoundJoin);
    painter.setPen(pen);
    painter.drawPolyline(line);
    // From the dot to the arrow.
    const QColor colour = theme.meshAxis(m_path.axis);
    const double size = bold ? 4.5 : beside ? 3.5 : 2.5;
    painter.setPen(QPen(theme.base, 1));
    painter.setBrush(colour);
    painter.drawEllipse(line.first(), size, size);
    const QPointF tip = line.last();
    QPointF way = tip - line[line.size() - 2];
    const double length = std::hypot(way.x(), way.y());
    if (length > 0) {
        way /= length;
        const QPointF across(-way.y(), way.x());
        const QPointF end = tip + way * size;
        painter.drawPolygon(QPolygonF{ end, end - way * (2 * size + 1) + across * (size + 0.5),
            end - way * (2 * size + 1) - across * (size + 0.5) });
    }
    painter.restore();
}

} // namespace shardscope
