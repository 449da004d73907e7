// SPDX-License-Identifier: GPL-3.0-or-later
// The painting of the device map.
#include <QPainter>
#include <QScrollBar>
#include <algorithm>

#include "views/mesh_view/device_map.h"
#include "views/theme/theme.h"
#include "views/widgets/shard_colour.h"
#include "views/widgets/span_line.h"

namespace shardscope {

namespace {

/// At how many places labels stand so that they do not touch: at each, or at each 4th, 8th, 16th, ...
std::int64_t labelStep(std::int64_t count, double pitch, int needed)
{
    std::int64_t step = 1;
    while (step < count && pitch * static_cast<double>(step) < needed)
        step = step == 1 ? 4 : step * 2;
    return step;
}

QFont smallBold()
{
    QFont face = Metrics::small();
    face.setWeight(QFont::DemiBold);
    return face;
}

} // namespace

void DeviceMap::paintEvent(QPaintEvent*)
{
    const Theme& theme = Theme::current();
    QPainter painter(this);
    if (!m_mesh || m_map.squareCount() == 0)
        return;
    const int offset = m_scroll->value();
    const std::int64_t first = m_map.lineAt(m_top + offset), last = m_map.lineAt(height() + offset);
    if (hasColumnHeading())
        paintColumnHeading(painter, theme);

    painter.save();
    painter.setClipRect(viewport());
    painter.translate(0, -offset);
    paintLineNames(painter, theme, first, last);
    paintSquares(painter, theme, first, last);
    painter.setBrush(Qt::NoBrush);
    const QSize unit = m_map.unit();
    if (unit.width() >= 8 && m_map.lineGap() >= 4 && m_places.set().hosts > 1) {
        QPen dashed(theme.strongLine, 1);
        dashed.setDashPattern({ 3, 2 });
        painter.setPen(dashed);
        // In the middle of gaps that are too narrow for two lines.
        const int across = std::min(3, (m_map.columnGap() + 1) / 2), along = std::min(3, (m_map.lineGap() + 1) / 2);
        for (const HostBox& box : hostBoxes(m_map, *m_mesh, m_places, first, last))
            painter.drawRect(box.rect.adjusted(-across, -along, across - 1, along - 1));
    }
    const auto outline = [&](const std::vector<bool>& marks, const QColor& color, qreal width) {
        if (marks.empty())
            return;
        width = std::min(width, std::max(std::min(unit.width(), unit.height()) / 4.0, 1.0));
        painter.setPen(QPen(color, width, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
        for (std::int64_t line = first; line <= last; ++line)
            for (std::int64_t slot = 0; slot < m_map.slotsPerLine(); ++slot) {
                const auto square = m_map.squareIn(line, slot);
                if (square && marks[static_cast<std::size_t>(*square)])
                    painter.drawRect(QRectF(m_map.rectOf(*square))
                                         .adjusted(width / 2 - 1, width / 2 - 1, 1 - width / 2, 1 - width / 2));
            }
    };
    outline(m_selected, theme.accent, 3);
    outline(m_lit, theme.text, 2);
    painter.restore();

    if (hasFocus() && m_current < 0) {
        painter.setPen(QPen(theme.accent, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
}

void DeviceMap::paintSquares(QPainter& painter, const Theme& theme, std::int64_t firstLine, std::int64_t lastLine) const
{
    const qreal ratio = devicePixelRatioF();
    const QSize unit = m_map.unit();
    const QFont face = unit.height() < Metrics::scaled(20) ? smallBold() : Metrics::semibold();
    const QFontMetrics metrics(face);
    painter.setFont(face);
    painter.setBrushOrigin(0, 0);
    const bool whole = m_layout && m_layout->distinctShards() == 1;
    const bool stripes = m_layout && m_layout->copies() > 1 && unit.width() >= 12 && unit.height() >= 10;
    const bool named = m_map.devicesPerSquare() == 1 && namesFit(); // all or none
    for (std::int64_t line = firstLine; line <= lastLine; ++line)
        for (std::int64_t slot = 0; slot < m_map.slotsPerLine(); ++slot) {
            const auto square = m_map.squareIn(line, slot);
            if (!square)
                break;
            const QRect rect = m_map.rectOf(*square);
            const std::int64_t shard = shardOf(*square);
            if (shard < 0) {
                paintParts(painter, theme, *square);
                continue;
            }
            const QColor fill = !m_layout || whole ? theme.alternateRow : shardColour(theme, *m_layout, shard);
            painter.fillRect(rect, fill);
            if (stripes)
                painter.fillRect(rect, theme.stripes(fill, whole ? 8 : m_layout->copies(), ratio));
            painter.setPen(theme.strongLine);
            painter.setBrush(Qt::NoBrush);
            if (std::min(rect.width(), rect.height()) >= 8)
                painter.drawRect(rect.adjusted(0, 0, -1, -1));
            if (!named)
                continue;
            const QString text = QStringLiteral("d%1").arg(m_mesh->deviceAt(m_map.positionOf(*square)));
            const int width = metrics.horizontalAdvance(text);
            if (width + 6 > rect.width())
                continue;
            QRect plate(0, 0, width + 6, std::min(metrics.height(), rect.height() - 2));
            plate.moveCenter(rect.center());
            if (stripes)
                painter.fillRect(plate, fill);
            painter.setPen(theme.textOn(fill));
            painter.drawText(plate, Qt::AlignCenter, text);
        }
}

void DeviceMap::paintParts(QPainter& painter, const Theme& theme, std::int64_t square) const
{
    // The shards of a block where they lie, as far as there are pixels for them; a plain square otherwise.
    const QRect rect = m_map.rectOf(square);
    const MeshBlock block = m_map.blockOf(square);
    const auto shardAt = [&](std::int64_t row, std::int64_t column) {
        return m_layout->shardAt((block.firstRow + row) * m_map.columns() + block.firstColumn + column);
    };
    // What devices hold is a matter of each axis by itself: what differs along a row does so along every row.
    std::int64_t rows = 1, columns = 1;
    for (std::int64_t row = 1; row < block.endRow - block.firstRow && rows == 1; ++row)
        if (shardAt(row, 0) != shardAt(0, 0))
            rows = block.endRow - block.firstRow;
    for (std::int64_t column = 1; column < block.endColumn - block.firstColumn && columns == 1; ++column)
        if (shardAt(0, column) != shardAt(0, 0))
            columns = block.endColumn - block.firstColumn;
    painter.fillRect(rect, theme.alternateRow);
    const auto edge = [](int start, int length, std::int64_t part, std::int64_t parts) {
        return start + static_cast<int>(length * part / parts);
    };
    if (rect.height() >= rows && rect.width() >= columns)
        for (std::int64_t row = 0; row < rows; ++row)
            for (std::int64_t column = 0; column < columns; ++column) {
                const int left = edge(rect.left(), rect.width(), column, columns);
                const int top = edge(rect.top(), rect.height(), row, rows);
                const QSize size(edge(rect.left(), rect.width(), column + 1, columns) - left,
                    edge(rect.top(), rect.height(), row + 1, rows) - top);
                painter.fillRect(QRect(QPoint(left, top), size), shardColour(theme, *m_layout, shardAt(row, column)));
            }
    painter.setPen(theme.strongLine);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(rect.adjusted(0, 0, -1, -1));
}

void DeviceMap::paintColumnHeading(QPainter& painter, const Theme& theme) const
{
    const int axis = static_cast<int>(m_mesh->rank()) - 1;
    const QString name = QString::fromStdString(m_mesh->axes().back().name) + QLatin1Char(' ');
    const QFont face = smallBold();
    const QFontMetrics metrics(face);
    const int top = m_map.area().top() - metrics.height() - 5;
    painter.setFont(face);
    painter.setPen(theme.meshAxis(axis));
    const auto write = [&](int left, int right, const QString& text, Qt::Alignment alignment = Qt::AlignHCenter) {
        painter.drawText(
            QRect(left, top, right - left, metrics.height()), static_cast<int>(alignment | Qt::AlignVCenter), text);
    };
    const std::int64_t slots = m_map.fold().slots, span = m_map.fold().squareColumns, groups = m_map.groupsPerLine();
    const QString last = QString::number(m_map.columns() - 1);
    const double pitch = static_cast<double>(m_map.slotEnd(slots - 1) - m_map.slotLeft(0)) / static_cast<double>(slots);
    if (groups == 1 && span == 1 && metrics.horizontalAdvance(name + last) <= m_map.unit().width()) {
        for (std::int64_t slot = 0; slot < slots; ++slot)
            write(m_map.slotLeft(slot), m_map.slotEnd(slot), name + QString::number(slot));
        return;
    }
    const QString range = name + words::range(0, m_map.columns());
    const int group = m_map.slotEnd(slots - 1) - m_map.slotLeft(0);
    if (groups > 1) {
        const bool all = metrics.horizontalAdvance(range) <= group;
        for (std::int64_t i = 0; i < (all ? groups : 1); ++i)
            write(m_map.slotLeft(i * slots), all ? m_map.slotEnd((i + 1) * slots - 1) : m_map.area().right(), range,
                all ? Qt::AlignHCenter : Qt::AlignLeft);
        return;
    }
    // Numbers above the columns as in the shard grid, and the axis once, in the corner.
    const int needed = metrics.horizontalAdvance(last) + 8;
    const std::int64_t step = labelStep(slots, pitch, needed);
    if (metrics.horizontalAdvance(name) + 4 > m_map.area().left() - 4 || slots <= 2 || step >= slots) {
        write(m_map.area().left(), m_map.area().right(), range);
        return;
    }
    write(0, m_map.area().left() - 8, name.trimmed(), Qt::AlignRight);
    for (std::int64_t slot = 0; slot < slots; slot += step) {
        const int centre = (m_map.slotLeft(slot) + m_map.slotEnd(slot)) / 2;
        write(centre - needed / 2, centre + needed / 2, QString::number(slot * span));
    }
}

void DeviceMap::paintLineNames(
    QPainter& painter, const Theme& theme, std::int64_t firstLine, std::int64_t lastLine) const
{
    const QFontMetrics small(Metrics::small());
    const int room = m_map.area().left() - 8;
    const int pitch = m_map.unit().height() + m_map.lineGap();
    const std::int64_t step = labelStep(m_map.lineCount(), pitch, small.height() - 1);
    words::Text before;
    for (std::int64_t line = (firstLine + step - 1) / step * step; line <= lastLine; line += step) {
        words::Text name = lineName(line);
        if (name.empty())
            return;
        // What does not fit leaves out first what is the same as above.
        if (spansWidth(name, Metrics::small()) > room && before.size() == name.size()) {
            words::Text rest;
            for (std::size_t i = 0; i < name.size(); ++i)
                if (!rest.empty() || i + 1 == name.size() || !(name[i] == before[i]))
                    rest.push_back(name[i]);
            if (rest.front().text.startsWith(QStringLiteral(", ")))
                rest.front().text.remove(0, 2);
            before = std::exchange(name, std::move(rest));
        } else {
            before = name;
        }
        const int top = m_map.lineTop(line), height = m_map.lineHeight(line);
        std::int32_t host = -1;
        if (height + m_map.lineGap() >= 2 * small.height() && m_places.set().hosts > 1)
            host = hostOfBlock(*m_mesh, m_map.blockOfLine(line), m_map.columns(), m_places);
        const int lines = host >= 0 ? 2 : 1;
        QRect place(0, top + height / 2 - lines * small.height() / 2, room, small.height());
        const int width = std::min(spansWidth(name, Metrics::small()), place.width());
        paintSpans(painter, QRect(place.right() - width, place.top(), width + 1, place.height()), name,
            Metrics::small(), theme.text, theme);
        if (host < 0)
            continue;
        place.translate(0, small.height() - 1);
        painter.setFont(Metrics::small());
        painter.setPen(theme.secondary);
        painter.drawText(place, Qt::AlignRight | Qt::AlignVCenter, tr("host %1").arg(host));
    }
}

} // namespace shardscope
