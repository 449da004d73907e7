// SPDX-License-Identifier: GPL-3.0-or-later
// The words around GridCanvas (grid_canvas.h): names, shardings and ranges of columns and rows, titles of panels.
#include <QPainter>
#include <algorithm>

#include "views/shard_grid_view/grid_canvas.h"
#include "views/theme/theme.h"
#include "views/widgets/label_step.h"
#include "words/words.h"

namespace shardscope {

namespace {

QFont demiBold(QFont font)
{
    font.setWeight(QFont::DemiBold);
    return font;
}

using AxisMarkList = std::vector<std::pair<QString, int>>;

/// Each axis in its colour, from x rightwards.
void drawAxes(QPainter& painter, int x, const QRect& rect, const AxisMarkList& marks, const Theme& theme)
{
    for (const auto& [text, axis] : marks) {
        const int width = painter.fontMetrics().horizontalAdvance(text);
        painter.setPen(theme.meshAxis(axis));
        painter.drawText(QRect(x, rect.top(), width + 4, rect.height()), Qt::AlignLeft | Qt::AlignVCenter, text);
        x += width;
    }
}

/// The line over columns or beside rows: the axes that shard take turns in it.
void drawAxisLine(QPainter& painter, QPoint from, QPoint to, const AxisMarkList& marks, const Theme& theme)
{
    if (marks.size() < 2) {
        painter.setPen(marks.empty() ? QPen(theme.border, 2) : theme.axisPen(marks.front().second, 2));
        painter.drawLine(from, to);
        return;
    }
    const int turn = Metrics::scaled(24), length = std::max(to.x() - from.x(), to.y() - from.y());
    const bool across = to.x() > from.x();
    for (int at = 0, i = 0; at < length; at += turn, ++i) {
        const int end = std::min(at + turn, length);
        painter.setPen(theme.axisPen(marks[static_cast<std::size_t>(i) % marks.size()].second, 2));
        painter.drawLine(across ? from + QPoint(at, 0) : from + QPoint(0, at),
            across ? from + QPoint(end, 0) : from + QPoint(0, end));
    }
}

/// Text with its "@axis" in the axis' colour, from x rightwards; returns its width. A long name is shortened, so that
/// the axis, which cannot be guessed, has its room.
int drawName(QPainter& painter, const QRect& rect, Qt::Alignment alignment, const QString& full,
    const AxisMarkList& marks, const Theme& theme)
{
    QString axes;
    for (const auto& [text, axis] : marks)
        axes += text;
    const QFontMetrics plain(painter.font());
    const QFont bold = demiBold(painter.font());
    const QFontMetrics strong(bold);
    const int room = rect.width() - (axes.isEmpty() ? 0 : strong.horizontalAdvance(axes) + plain.averageCharWidth());
    const QString name = plain.elidedText(full, Qt::ElideMiddle, std::max(room, 8 * plain.averageCharWidth()));
    const QString first = axes.isEmpty() ? name : name + QLatin1Char(' ');
    const int width = plain.horizontalAdvance(first) + strong.horizontalAdvance(axes);
    int x = rect.left();
    if (alignment & Qt::AlignHCenter)
        x = rect.center().x() - width / 2;
    else if (alignment & Qt::AlignRight)
        x = rect.right() - width;
    x = std::max(x, 2);
    painter.setPen(theme.text);
    painter.drawText(QRect(x, rect.top(), width + 4, rect.height()), Qt::AlignLeft | Qt::AlignVCenter, first);
    if (!axes.isEmpty()) {
        const QFont before = painter.font();
        painter.setFont(bold);
        drawAxes(painter, x + plain.horizontalAdvance(first), rect, marks, theme);
        painter.setFont(before);
    }
    return width;
}

/// Of a block: stronger where one alone is pointed at, which is it.
void setBlockFace(QPainter& painter, bool strong, const Theme& theme)
{
    painter.setFont(strong ? demiBold(Metrics::small()) : Metrics::small());
    painter.setPen(strong ? theme.text : theme.secondary);
}

} // namespace

void GridCanvas::paintColumnHeader(QPainter& painter, const Theme& theme) const
{
    const QRect& panel = m_grid.panels().front();
    const GridDimension& dimension = m_grid.columns();
    const QFontMetrics small(Metrics::small());
    const int rangesTop = panel.top() - 2 - small.height() - 4;
    const int lineY = rangesTop - 5;
    const int nameTop = lineY - Metrics::scaled(18);
    const int titleShift = m_grid.panelsInAll() > 1 ? QFontMetrics(font()).height() + 4 : 0;
    const int axis = m_subject->firstAxis(dimension.dimension);
    const bool sharded = dimension.parts > 1 || axis >= 0;

    // How many block labels fit: every range, or block numbers at a step of 4, 8, ...
    const std::int64_t firstBlock = dimension.firstBlock(), endBlock = dimension.endBlock();
    const double blockWidth = static_cast<double>(panel.width()) * static_cast<double>(dimension.inner)
        / static_cast<double>(std::max<std::int64_t>(dimension.shown, 1));
    const auto rangeOf = [&](std::int64_t i) { return words::range(dimension.blockBegin(i), dimension.blockEnd(i)); };
    int widest = 0;
    for (std::int64_t i = firstBlock; i < std::min<std::int64_t>(endBlock, firstBlock + 64); ++i)
        widest = std::max(widest, small.horizontalAdvance(rangeOf(i)));
    const bool everyRange = sharded && widest + 6 <= blockWidth;

    painter.setFont(font());
    QString name = m_subject->dimensionName(dimension.dimension);
    QString brief = m_subject->shortName(dimension.dimension);
    QString suffix;
    if (!sharded) {
        name += QStringLiteral(" %1, ").arg(words::range(0, dimension.size)) + tr("not sharded");
        brief += QStringLiteral(", ") + tr("not sharded");
    } else if (!everyRange)
        suffix = tr(", block %1", "hidden @model, block 0–31").arg(words::range(firstBlock, endBlock));
    // Over the panel; where it is wider than that it goes on to the right, and not into the corner of the row's name.
    const QFont bold = demiBold(font());
    const QString axes = m_subject->axesOf(dimension.dimension);
    const AxisMarkList marks = m_subject->axisMarks(dimension.dimension);
    const auto wanted = [&](const QString& text) {
        return QFontMetrics(font()).horizontalAdvance(text + QLatin1Char(' '))
            + QFontMetrics(bold).horizontalAdvance(axes);
    };
    if (wanted(name) > width() - panel.left() - 4)
        name = brief;
    const bool fits = wanted(name) <= panel.width();
    const QRect nameRect(
        panel.left(), nameTop - titleShift, fits ? panel.width() : width() - panel.left() - 4, Metrics::scaled(16));
    const int nameWidth = drawName(painter, nameRect, fits ? Qt::AlignHCenter : Qt::AlignLeft, name, marks, theme);
    if (!suffix.isEmpty()) {
        painter.setPen(theme.secondary);
        const int x = (fits ? std::max(nameRect.center().x() - nameWidth / 2, 2) : nameRect.left()) + nameWidth;
        const int length = painter.fontMetrics().horizontalAdvance(suffix);
        if (x + length < width()) // in part it would be another number
            painter.drawText(QRect(x, nameRect.top(), length + 4, nameRect.height()),
                Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip, suffix);
    }
    drawAxisLine(painter, { panel.left(), lineY - titleShift }, { panel.right(), lineY - titleShift }, marks, theme);

    if (!sharded || titleShift > 0)
        return;
    const std::vector<GridCell>& lit = m_highlightedCells;
    const auto label = [&](std::int64_t i, const QString& text, int width) {
        const std::int64_t first = std::max(i * dimension.inner, dimension.first);
        const std::int64_t last = std::min((i + 1) * dimension.inner, dimension.end());
        const int x = (m_grid.columnEdge(panel, first) + m_grid.columnEdge(panel, last)) / 2 - width / 2;
        setBlockFace(painter, lit.size() == 1 && lit.front().column / dimension.inner == i, theme);
        painter.drawText(QRect(x - 6, rangesTop, width + 12, small.height()), Qt::AlignCenter, text);
    };
    if (everyRange) {
        for (std::int64_t i = firstBlock; i < endBlock; ++i)
            label(i, rangeOf(i), widest);
        return;
    }
    const int needed = small.horizontalAdvance(QString::number(dimension.blocks())) + 8;
    const std::int64_t step = labelStep(endBlock - firstBlock, blockWidth, needed);
    for (std::int64_t i = (firstBlock + step - 1) / step * step; i < endBlock; i += step)
        label(i, words::count(i), needed);
}

void GridCanvas::paintRowHeader(QPainter& painter, const Theme& theme) const
{
    const GridDimension& dimension = m_grid.rows();
    if (dimension.dimension < 0)
        return;
    const QRect& panel = m_grid.panels().front();
    if (panel.isEmpty())
        return;
    const QFontMetrics metrics(font()), small(Metrics::small());
    const int axis = m_subject->firstAxis(dimension.dimension);
    const bool sharded = dimension.parts > 1 || axis >= 0;
    const int lineX = panel.left() - 6;
    const int right = lineX - 6;
    const QRect column(2, panel.top(), right - 2, panel.height());
    const AxisMarkList marks = m_subject->axisMarks(dimension.dimension);
    drawAxisLine(painter, { lineX, panel.top() }, { lineX, panel.bottom() }, marks, theme);

    painter.setFont(font());
    const QString full = m_subject->dimensionName(dimension.dimension), axes = m_subject->axesOf(dimension.dimension);
    const QString name =
        metrics.horizontalAdvance(full) <= column.width() ? full : m_subject->shortName(dimension.dimension);
    int y = panel.top();
    const auto write = [&](const QString& text, const QColor& color, const QFont& face) {
        painter.setFont(face);
        painter.setPen(color);
        const int height = QFontMetrics(face).height();
        painter.drawText(QRect(column.left(), y, column.width(), height), Qt::AlignRight | Qt::AlignVCenter,
            QFontMetrics(face).elidedText(text, Qt::ElideMiddle, column.width()));
        y += height;
    };
    // A number of which a part is missing is another number.
    const auto hasRoom = [&](const QString& number) { return small.horizontalAdvance(number) <= column.width(); };
    if (!sharded) {
        write(name, theme.text, font());
        if (const QString all = words::range(0, dimension.size); hasRoom(all))
            write(all, theme.secondary, Metrics::small());
        if (panel.height() >= metrics.height() + 2 * small.height())
            write(tr("not sharded"), theme.secondary, Metrics::small());
        return;
    }
    // Names stand above the first range, in the corner beside the column header.
    y = panel.top() - 2 * metrics.height() - 8;
    write(name, theme.text, font());
    const QFont bold = demiBold(font());
    if (const int needed = QFontMetrics(bold).horizontalAdvance(axes); needed <= column.width()) {
        painter.setFont(bold);
        drawAxes(painter, column.right() - needed + 1,
            QRect(column.left(), y, column.width(), QFontMetrics(bold).height()), marks, theme);
        y += QFontMetrics(bold).height();
    } else {
        write(axes, theme.meshAxis(std::max(axis, 0)), bold);
    }
    const std::int64_t firstBlock = dimension.firstBlock(), endBlock = dimension.endBlock();
    const double blockHeight = static_cast<double>(panel.height()) * static_cast<double>(dimension.inner)
        / static_cast<double>(dimension.shown);
    // Numbers, which nothing hangs below the line of.
    const std::int64_t step = labelStep(endBlock - firstBlock, blockHeight, small.ascent() + 3);
    const bool ranges =
        step == 1 && hasRoom(words::range(std::max<std::int64_t>(dimension.size - 2, 0), dimension.size));
    const std::vector<GridCell>& lit = m_highlightedCells;
    for (std::int64_t i = (firstBlock + step - 1) / step * step; i < endBlock; i += step) {
        const int top = m_grid.rowEdge(panel, std::max(i * dimension.inner, dimension.first));
        const int bottom = m_grid.rowEdge(panel, std::min((i + 1) * dimension.inner, dimension.end()));
        setBlockFace(painter, lit.size() == 1 && lit.front().row / dimension.inner == i, theme);
        const std::int64_t begin = dimension.blockBegin(i), end = dimension.blockEnd(i);
        const QString text = !ranges ? words::count(i) : begin < end ? words::range(begin, end) : QStringLiteral("–");
        painter.drawText(QRect(column.left(), (top + bottom) / 2 - small.height() / 2, column.width(), small.height()),
            Qt::AlignRight | Qt::AlignVCenter, text);
    }
}

void GridCanvas::paintPanelTitles(QPainter& painter, const Theme& theme) const
{
    if (m_grid.panelsInAll() <= 1)
        return;
    painter.setFont(Metrics::semibold());
    painter.setPen(theme.text);
    const QFontMetrics metrics(Metrics::semibold());
    for (int panel = 0; panel < static_cast<int>(m_grid.panels().size()); ++panel) {
        const std::vector<std::int64_t> index = m_grid.panelIndex(panel);
        QStringList parts, numbers;
        for (std::size_t i = 0; i < index.size(); ++i) {
            parts << m_subject->blockText(m_grid.multiples()[i], index[i]);
            numbers << words::count(index[i]);
        }
        // The numbers of the blocks where names have no room; the legend says of which dimensions.
        const QRect& rect = m_grid.panels()[static_cast<std::size_t>(panel)];
        const QRect title = rect.adjusted(-10, 0, 10, 0);
        const QString full = parts.join(QStringLiteral(", ")), brief = numbers.join(QStringLiteral(", "));
        painter.drawText(QRect(title.left(), rect.top() - metrics.height() - 4, title.width(), metrics.height()),
            Qt::AlignCenter,
            metrics.horizontalAdvance(full) <= title.width()
                ? full
                : metrics.elidedText(brief, Qt::ElideRight, title.width()));
    }
}

} // namespace shardscope
