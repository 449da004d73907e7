// SPDX-License-Identifier: GPL-3.0-or-later
// A part of LiveMemoryPlot, which is declared in memory_widgets.h.
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <utility>

#include "schedule/plan.h"
#include "views/memory_view/memory_widgets.h"
#include "views/theme/theme.h"
#include "views/widgets/plain_tip.h"
#include "words/words.h"

namespace shardscope {

using namespace Qt::StringLiterals;

LiveMemoryPlot::LiveMemoryPlot(QWidget* parent)
    : Canvas(tr("Live memory over the instructions of a step"), parent)
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Expanding);
}

void LiveMemoryPlot::setMemory(words::ShownMemory shown)
{
    m_shown = std::move(shown);
    m_hovered = m_current = m_cursor = -1;
    if (const MemorySummary* memory = m_shown.memory())
        setAccessibleDescription(
            tr("Peak %1 %2").arg(words::bytes(static_cast<double>(memory->peakBytes)), m_shown.peakWords()));
    tableChanged(this);
    update();
}

void LiveMemoryPlot::setCursor(const std::string& path)
{
    int found = -1;
    const int count = path.empty() || !m_shown.memory() ? 0 : tableRowCount();
    for (int i = 0; i < count && found < 0; ++i)
        if (m_shown.pathAt(static_cast<std::size_t>(i)) == path)
            found = i;
    if (std::exchange(m_cursor, found) != found)
        update();
}

LiveLine LiveMemoryPlot::lineLayout() const
{
    const int axis = QFontMetrics(Metrics::small()).horizontalAdvance(tr("1,023 MiB")) + Metrics::scaled(8);
    // Room for the name of the peak, where that leaves the line its own.
    const int head = height() >= Metrics::scaled(90) ? QFontMetrics(Metrics::semibold()).height() : Metrics::scaled(6);
    const QRect plot(axis, head, std::max(1, width() - axis - 2), std::max(1, height() - head - Metrics::scaled(18)));
    return m_shown.memory()
        ? LiveLine::make(*m_shown.memory(), plot, m_shown.snapshot->experiment->hardware.memoryPerDevice)
        : LiveLine::make({}, plot);
}

QRect LiveMemoryPlot::foot() const
{
    const QRect plot = lineLayout().plot;
    return { plot.left(), plot.bottom() + 1, plot.width(), height() - plot.bottom() - 1 };
}

LiveMemoryPlot::Name LiveMemoryPlot::peakName() const
{
    if (!m_shown.memory())
        return {};
    const QFontMetrics metrics(Metrics::semibold());
    const QString text = tr("peak %1").arg(words::bytes(static_cast<double>(m_shown.memory()->peakBytes)));
    const QRectF place = lineLayout().overPeak(QSizeF(metrics.horizontalAdvance(text) + 1, metrics.height()), 4);
    return { text, place.top() < 0 || place.right() > width() ? QRectF() : place };
}

LiveMemoryPlot::Name LiveMemoryPlot::limitName() const
{
    const LiveLine line = lineLayout();
    if (!line.showsLimit)
        return {};
    const std::int64_t limit = m_shown.snapshot->experiment->hardware.memoryPerDevice;
    const QFontMetrics metrics(Metrics::small());
    const QString text = tr("a device has %1", "of memory").arg(words::bytes(static_cast<double>(limit)));
    const QSizeF size(metrics.horizontalAdvance(text) + 1, metrics.height());
    // At the end that the peak is farther from; below the line where it is close to the upper edge.
    const bool right = line.peak.x() < line.plot.center().x();
    const qreal left = right ? line.plot.right() - size.width() - 2 : line.plot.left() + 4, y = line.y(limit);
    const QRectF above(QPointF(left, y - size.height() - 1), size);
    return { text, above.top() >= 0 ? above : above.translated(0, size.height() + 2) };
}

LiveMemoryPlot::Name LiveMemoryPlot::cursorName() const
{
    if (m_cursor < 0 || m_cursor >= tableRowCount())
        return {};
    const QFontMetrics metrics(Metrics::small());
    const QRect foot = this->foot();
    const QString text = metrics.elidedText(tableText(m_cursor, 2), Qt::ElideMiddle, foot.width() / 2);
    QRectF place(0, foot.top(), metrics.horizontalAdvance(text) + 1, foot.height());
    place.moveLeft(std::clamp<qreal>(
        lineLayout().middleOf(m_cursor) - place.width() / 2, foot.left(), foot.right() + 1 - place.width()));
    return { text, place };
}

void LiveMemoryPlot::paintEvent(QPaintEvent*)
{
    const Theme& theme = Theme::current();
    const LiveLine line = lineLayout();
    if (line.corners.empty())
        return;
    const MemorySummary& memory = *m_shown.memory();
    QPainter painter(this);
    painter.setFont(Metrics::small());
    const QFontMetrics metrics = painter.fontMetrics();
    const QRect plot = line.plot;

    // Levels that mean something: nothing, what every step starts with, the peak.
    std::vector<std::int64_t> levels{ 0 };
    for (const std::int64_t level : { memory.peakBytes, memory.stateBytes }) {
        const bool clear = std::all_of(levels.begin(), levels.end(),
            [&](std::int64_t other) { return std::abs(line.y(other) - line.y(level)) >= metrics.height(); });
        if (level > 0 && clear)
            levels.push_back(level);
    }
    for (const std::int64_t level : levels) {
        const int y = static_cast<int>(std::lround(line.y(level)));
        painter.setPen(QPen(level == 0 ? theme.border : theme.plotGrid, 1));
        painter.drawLine(plot.left(), y, plot.right(), y);
        painter.setPen(theme.secondary);
        const QString text = level == 0 ? u"0"_s : words::bytes(static_cast<double>(level));
        painter.drawText(QRect(0, y - metrics.height() / 2, plot.left() - Metrics::scaled(6), metrics.height()),
            Qt::AlignRight | Qt::AlignVCenter, text);
    }

    QPolygonF outline(QList<QPointF>(line.corners.begin(), line.corners.end()));
    QPolygonF area = outline;
    area << QPointF(plot.left() + plot.width(), line.y(0)) << QPointF(plot.left(), line.y(0));
    QColor fill = theme.secondary;
    fill.setAlphaF(0.16F);
    painter.setRenderHint(QPainter::Antialiasing, line.instructions > 400);
    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    painter.drawPolygon(area);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.text, 1.5));
    painter.drawPolyline(outline);
    painter.setRenderHint(QPainter::Antialiasing, false);

    const auto write = [&painter, &theme](const Name& name, const QFont& font, const QColor& colour) {
        if (name.place.isEmpty())
            return;
        painter.setFont(font);
        QColor ground = theme.base; // what lies below is seen, and does not cross the letters
        ground.setAlphaF(0.8F);
        painter.fillRect(name.place, ground);
        painter.setPen(colour);
        painter.drawText(name.place, Qt::AlignCenter | Qt::TextDontClip, name.text);
    };
    if (line.showsLimit) {
        const qreal y = line.y(m_shown.snapshot->experiment->hardware.memoryPerDevice);
        painter.setPen(QPen(theme.error, 1.5, Qt::DashLine));
        painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
        write(limitName(), Metrics::small(), theme.error);
    }
    write(peakName(), Metrics::semibold(), theme.text);
    painter.setBrush(theme.text);
    painter.setPen(Qt::NoPen);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.drawEllipse(
        QPointF(line.peak.x() + plot.width() / 2.0 / static_cast<double>(line.instructions), line.peak.y()), 3, 3);
    painter.setRenderHint(QPainter::Antialiasing, false);

    const QRect foot = this->foot();
    const Name cursor = cursorName();
    painter.setFont(Metrics::small());
    painter.setPen(theme.secondary);
    const QString last = words::count(static_cast<qint64>(line.instructions));
    const auto number = [&](const QString& text, Qt::Alignment side) {
        QRectF place(foot);
        place.setWidth(metrics.horizontalAdvance(text) + 1);
        if (side == Qt::AlignRight)
            place.moveRight(foot.right() + 1);
        if (place.adjusted(-8, 0, 8, 0).intersects(cursor.place))
            return;
        painter.drawText(place, Qt::AlignCenter | Qt::TextDontClip, text);
    };
    number(u"1"_s, Qt::AlignLeft);
    number(last, Qt::AlignRight);
    const QString unit = tr("instructions, in order");
    QRectF middle(0, foot.top(), metrics.horizontalAdvance(unit) + 1, foot.height());
    middle.moveCenter(QRectF(foot).center());
    if (middle.width() + 2 * metrics.horizontalAdvance(last) + 32 < foot.width()
        && !middle.adjusted(-8, 0, 8, 0).intersects(cursor.place))
        painter.drawText(middle, Qt::AlignCenter | Qt::TextDontClip, unit);
    painter.setPen(theme.accent);
    painter.drawText(cursor.place, Qt::AlignCenter | Qt::TextDontClip, cursor.text);

    if (hasFocus())
        paintFocusFrame(painter);
    const auto upright = [&](int instruction, const QPen& pen) {
        if (instruction < 0)
            return;
        const qreal x = line.middleOf(instruction);
        painter.setPen(pen);
        painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
    };
    upright(m_cursor, QPen(theme.accent, 1.5));
    upright(m_hovered, QPen(theme.strongLine, 1));
}

Canvas::Tip LiveMemoryPlot::tipAt(QPoint point) const
{
    const int at = m_shown.memory() ? lineLayout().instructionAt(point) : -1;
    return at < 0 ? Tip() : Tip{ plainTip(instructionText(at)), {} };
}

void LiveMemoryPlot::hoverAt(std::optional<QPoint> point)
{
    const int at = point ? lineLayout().instructionAt(*point) : hasFocus() ? m_current : -1;
    if (at != m_hovered) {
        m_hovered = at;
        update();
    }
}

void LiveMemoryPlot::focusInEvent(QFocusEvent* event)
{
    m_hovered = m_current;
    QWidget::focusInEvent(event);
}

void LiveMemoryPlot::focusOutEvent(QFocusEvent* event)
{
    m_hovered = -1;
    QWidget::focusOutEvent(event);
}

void LiveMemoryPlot::mousePressEvent(QMouseEvent* event)
{
    const int at = lineLayout().instructionAt(event->position().toPoint());
    if (at < 0 || event->button() != Qt::LeftButton)
        return;
    m_current = at;
    tableActivate(at);
}

void LiveMemoryPlot::keyPressEvent(QKeyEvent* event)
{
    if (isActivation(*event)) {
        if (m_current >= 0)
            tableActivate(m_current);
        return;
    }
    const std::optional<int> row = rowAfter(*event, m_current, tableRowCount(), Qt::Horizontal, 10);
    if (!row) {
        QWidget::keyPressEvent(event);
        return;
    }
    const int next = *row;
    if (next < 0)
        return;
    m_current = m_hovered = next;
    setAccessibleDescription(instructionText(next));
    tableCurrentChanged(this);
    QToolTip::showText(mapToGlobal(tableRect(next).center()), plainTip(instructionText(next)), this);
    update();
}

QString LiveMemoryPlot::instructionText(int instruction) const
{
    const QString number = words::count(instruction + 1), bytes = tableText(instruction, 1);
    const QString operation = m_shown.operationAt(static_cast<std::size_t>(instruction));
    QString text = operation.isEmpty()
        ? tr("Instruction %1: %2 live").arg(number, bytes)
        : tr("Operation %1, %2: %3 live", "number, name, bytes").arg(number, operation, bytes);
    if (const QString tensor = tableText(instruction, 2); !tensor.isEmpty())
        text += u'\n' + tensor;
    return text;
}

// The table.

int LiveMemoryPlot::tableRowCount() const
{
    return m_shown.memory() ? static_cast<int>(m_shown.memory()->live.size()) : 0;
}

QString LiveMemoryPlot::tableText(int row, int column) const
{
    const auto index = static_cast<std::size_t>(row);
    if (column == 0)
        return words::count(row + 1);
    if (column == 1)
        return words::bytes(static_cast<double>(m_shown.memory()->live[index]));
    const std::string path = m_shown.pathAt(index);
    return path.empty() ? QString() : words::tensorName(path);
}

QRect LiveMemoryPlot::tableRect(int row) const
{
    const QRect plot = lineLayout().plot;
    const int count = std::max(tableRowCount(), 1);
    const int left = plot.left() + static_cast<int>(qint64{ plot.width() } * row / count);
    const int right = plot.left() + static_cast<int>(qint64{ plot.width() } * (row + 1) / count);
    return { left, plot.top(), std::max(right - left, 1), plot.height() };
}

void LiveMemoryPlot::tableActivate(int row)
{
    if (row < 0)
        return;
    const std::string path = m_shown.pathAt(static_cast<std::size_t>(row));
    if (!path.empty() && m_shown.snapshot->row(path))
        Q_EMIT picked(QString::fromStdString(path));
}

} // namespace shardscope
