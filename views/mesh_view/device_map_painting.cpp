// SPDX-License-Identifier: GPL-3.0-or-later
// The painting of the device map.
#include <QPainter>
#include <QScrollBar>
#include <algorithm>

#include "views/mesh_view/device_map.h"
#include "views/theme/theme.h"
#include "views/widgets/label_step.h"
#include "views/widgets/shard_colour.h"
#include "views/widgets/span_line.h"

namespace shardscope {

namespace {

QColor mixedWith(const QColor& colour, const QColor& other, double share)
{
    const auto part = [share](int a, int b) { return static_cast<int>(a + (b - a) * share); };
    return { part(colour.red(), other.red()), part(colour.green(), other.green()), part(colour.blue(), other.blue()) };
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
    const qreal ratio = devicePixelRatioF();
    if (m_picture.isNull() || m_picture.devicePixelRatio() != ratio) {
        m_picture = QPixmap(size() * ratio);
        m_picture.setDevicePixelRatio(ratio);
        m_picture.fill(palette().color(backgroundRole()));
        QPainter once(&m_picture);
        once.setFont(font());
        paintPicture(once, theme);
    }
    painter.drawPixmap(0, 0, m_picture);

    const int offset = m_scroll->value();
    const std::int64_t first = m_map.lineAt(m_top + offset), last = m_map.lineAt(height() + offset);
    painter.save();
    painter.setClipRect(viewport());
    painter.translate(0, -offset);
    painter.setBrush(Qt::NoBrush);
    paintMarks(painter, m_selected, theme.accent, 3, first, last);
    paintMarks(painter, m_lit, theme.text, 2, first, last);
    painter.restore();

    if (hasFocus() && m_current < 0) {
        painter.setPen(QPen(theme.accent, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
}

void DeviceMap::paintPicture(QPainter& painter, const Theme& theme) const
{
    const int offset = m_scroll->value();
    const std::int64_t first = m_map.lineAt(m_top + offset), last = m_map.lineAt(height() + offset);
    if (hasColumnHeading())
        paintColumnHeading(painter, theme);
    painter.setClipRect(viewport());
    painter.translate(0, -offset);
    paintLineNames(painter, theme, first, last);
    const QSize unit = m_map.unit();
    constexpr std::int64_t maxPainted = 4096;
    if (std::min(unit.width(), unit.height()) < 8 || (last - first + 1) * m_map.slotsPerLine() > maxPainted)
        paintRaster(painter, theme, first, last);
    else
        paintSquares(painter, theme, first, last);
    painter.setBrush(Qt::NoBrush);
    if (unit.width() < 8 || m_map.lineGap() < 4 || m_map.showsHosts() || m_places->set().hosts <= 1)
        return;
    QPen dashed(theme.strongLine, 1);
    dashed.setDashPattern({ 3, 2 });
    painter.setPen(dashed);
    // In the middle of gaps that are too narrow for two lines.
    const int across = std::min(3, (m_map.columnGap() + 1) / 2), along = std::min(3, (m_map.lineGap() + 1) / 2);
    for (const HostBox& box : hostBoxes(m_map, m_hosts, first, last))
        painter.drawRect(box.rect.adjusted(-across, -along, across - 1, along - 1));
}

void DeviceMap::paintMarks(QPainter& painter, const Marks& marks, const QColor& colour, qreal width,
    std::int64_t firstLine, std::int64_t lastLine) const
{
    if (marks.group.empty() && marks.squares.empty())
        return;
    const int side = std::min(m_map.unit().width(), m_map.unit().height());
    width = std::min(width, std::max(side / 4.0, 1.0));
    painter.setPen(QPen(colour, width, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
    const auto isMarkedIn = [&](std::int64_t line, std::int64_t slot) {
        const auto square = m_map.squareIn(line, slot);
        return square && isMarked(marks, *square);
    };
    for (std::int64_t line = firstLine; line <= lastLine; ++line)
        for (std::int64_t slot = 0; slot < m_map.slotsPerLine(); ++slot) {
            if (!isMarkedIn(line, slot))
                continue;
            // Small squares that stand beside each other have one outline.
            std::int64_t last = slot;
            while (side < 8 && isMarkedIn(line, last + 1))
                ++last;
            const QRect rect =
                m_map.rectOf(*m_map.squareIn(line, slot)).united(m_map.rectOf(*m_map.squareIn(line, last)));
            painter.drawRect(QRectF(rect).adjusted(width / 2 - 1, width / 2 - 1, 1 - width / 2, 1 - width / 2));
            slot = last;
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
    const QFont below = Metrics::small();
    const QFontMetrics belowMetrics(below);
    const bool withShard = named && m_layout && unit.height() >= metrics.height() + belowMetrics.height() + 2;
    for (std::int64_t line = firstLine; line <= lastLine; ++line)
        for (std::int64_t slot = 0; slot < m_map.slotsPerLine(); ++slot) {
            const auto square = m_map.squareIn(line, slot);
            if (!square)
                break;
            const QRect rect = m_map.rectOf(*square);
            const std::int64_t shard = shardOf(*square);
            if (shard < 0) {
                paintParts(painter, theme, *square, (line + slot) % 2 != 0);
                continue;
            }
            const QColor fill = fillOf(theme, *square, (line + slot) % 2 != 0);
            painter.fillRect(rect, fill);
            if (stripes)
                painter.fillRect(rect, theme.stripes(fill, whole ? 8 : m_layout->copies(), ratio));
            painter.setPen(theme.strongLine);
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(rect.adjusted(0, 0, -1, -1));
            if (m_layout && hasMotifs(*m_layout) && m_map.devicesPerSquare() == 1)
                paintMotif(painter, rect, shardMark(*m_layout, shardOf(*square)).motif, theme.textOn(fill));
            if (!named)
                continue;
            const QString text = QStringLiteral("d%1").arg(m_mesh->deviceAt(m_map.positionOf(*square)));
            QString second = withShard ? (whole ? tr("full", "copy of an array") : shardText(shard)) : QString();
            if (belowMetrics.horizontalAdvance(second) + 6 > rect.width())
                second.clear();
            const int width = std::max(metrics.horizontalAdvance(text), belowMetrics.horizontalAdvance(second));
            if (width + 6 > rect.width())
                continue;
            const int height = metrics.height() + (second.isEmpty() ? 0 : belowMetrics.height());
            QRect plate(0, 0, width + 6, std::min(height, rect.height() - 2));
            plate.moveCenter(rect.center());
            if (stripes)
                painter.fillRect(plate, fill);
            painter.setPen(theme.textOn(fill));
            painter.setFont(face);
            painter.drawText(
                plate, second.isEmpty() ? int(Qt::AlignCenter) : int(Qt::AlignHCenter | Qt::AlignTop), text);
            if (second.isEmpty())
                continue;
            painter.setFont(below);
            painter.drawText(plate, Qt::AlignHCenter | Qt::AlignBottom, second);
        }
}

QColor DeviceMap::fillOf(const Theme& theme, std::int64_t square, bool odd) const
{
    if (!m_layout || m_layout->distinctShards() == 1)
        return theme.alternateRow;
    const std::int64_t shard = shardOf(square);
    const bool several = m_map.devicesPerSquare() > 1;
    // A block of many shards says that there are many, and where it ends.
    if (shard < 0 || (several && m_layout->distinctShards() > 64))
        return theme.shard(0, 64, 0, odd ? 2 : 0);
    const QColor tint = shardColour(theme, *m_layout, shard);
    return several && odd ? mixedWith(tint, theme.base, 0.25) : tint;
}

void DeviceMap::paintParts(QPainter& painter, const Theme& theme, std::int64_t square, bool odd) const
{
    // The shards of a block where they lie, as far as there are pixels for them; a plain square otherwise.
    const QRect rect = m_map.rectOf(square);
    const MeshBlock block = m_map.blockOf(square);
    const auto shardAt = [&](std::int64_t row, std::int64_t column) {
        return m_layout->shardAt((block.firstRow + row) * m_map.columns() + block.firstColumn + column);
    };
    // What devices hold is a matter of each axis by itself: what differs along a row does so along every row.
    const std::int64_t rows = m_digits.varyAlongRows(block) ? block.endRow - block.firstRow : 1;
    const std::int64_t columns = m_digits.varyAlongColumns(block) ? block.endColumn - block.firstColumn : 1;
    painter.fillRect(rect, fillOf(theme, square, odd));
    const auto edge = [](int start, int length, std::int64_t part, std::int64_t parts) {
        return start + static_cast<int>(length * part / parts);
    };
    if (rect.height() >= 2 * rows && rect.width() >= 2 * columns)
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

void DeviceMap::paintRaster(QPainter& painter, const Theme& theme, std::int64_t firstLine, std::int64_t lastLine) const
{
    const QRect& area = m_map.area();
    const int top = m_map.lineTop(firstLine), bottom = m_map.lineTop(lastLine) + m_map.lineHeight(lastLine);
    if (area.width() <= 0 || bottom <= top)
        return;
    QImage image(area.width(), bottom - top, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    for (std::int64_t line = firstLine; line <= lastLine; ++line) {
        const int begin = m_map.lineTop(line) - top, end = std::min(begin + m_map.lineHeight(line), image.height());
        if (begin >= end)
            continue;
        auto* pixels = reinterpret_cast<QRgb*>(image.scanLine(begin));
        for (std::int64_t slot = 0; slot < m_map.slotsPerLine(); ++slot) {
            const auto square = m_map.squareIn(line, slot);
            if (!square)
                break;
            const int left = m_map.slotLeft(slot) - area.left();
            const int right = std::min(std::max(m_map.slotEnd(slot) - area.left(), left + 1), image.width());
            if (left < right)
                std::fill(pixels + left, pixels + right, fillOf(theme, *square, (line + slot) % 2 != 0).rgb());
        }
        for (int y = begin + 1; y < end; ++y)
            std::copy(pixels, pixels + image.width(), reinterpret_cast<QRgb*>(image.scanLine(y)));
    }
    painter.drawImage(QPoint(area.left(), top), image);
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
        if (paintGroupHeads(painter, theme, top))
            return;
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

/// Over each block of rows which of the line's rows it is: "seq 2", or "data +2" where the line says "data 4–7". The
/// columns of a block are the last axis, which is said once, in the corner.
bool DeviceMap::paintGroupHeads(QPainter& painter, const Theme& theme, int top) const
{
    const std::int64_t slots = m_map.fold().slots, groups = m_map.groupsPerLine();
    const QFontMetrics metrics(smallBold());
    std::vector<words::Text> heads;
    for (std::int64_t group = 0; group < groups; ++group) {
        heads.push_back(groupName(group));
        const int room = m_map.slotEnd((group + 1) * slots - 1) - m_map.slotLeft(group * slots) + m_map.columnGap();
        if (heads.back().empty() || spansWidth(heads.back(), smallBold()) > room)
            return false;
    }
    for (std::int64_t group = 0; group < groups; ++group) {
        const int left = m_map.slotLeft(group * slots), right = m_map.slotEnd((group + 1) * slots - 1);
        const int width = spansWidth(heads[static_cast<std::size_t>(group)], smallBold());
        paintSpans(painter, QRect((left + right - width) / 2, top, width + 2, metrics.height()),
            heads[static_cast<std::size_t>(group)], smallBold(), theme.secondary, theme);
    }
    const auto& last = m_mesh->axes().back();
    const words::Text corner{ { QString::fromStdString(last.name) + QLatin1Char(' ') + words::range(0, m_map.columns()),
        words::Span::Style::Axis, static_cast<int>(m_mesh->rank()) - 1 } };
    const int width = spansWidth(corner, smallBold()), room = m_map.area().left() - 8;
    if (width <= room)
        paintSpans(painter, QRect(room - width, top, width + 1, metrics.height()), corner, smallBold(), theme.secondary,
            theme);
    return true;
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
        if (height + m_map.lineGap() >= 2 * small.height() && m_places->set().hosts > 1)
            host = m_hosts.ofLine(m_map, line);
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
