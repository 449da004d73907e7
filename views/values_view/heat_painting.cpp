// SPDX-License-Identifier: GPL-3.0-or-later
// How HeatCanvas (heat_canvas.h) is drawn: colours, padding, outlines of shards, marks, and the words around it.
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "document/selection.h"
#include "views/theme/theme.h"
#include "views/values_view/heat_canvas.h"
#include "views/widgets/shard_colour.h"
#include "words/words.h"

namespace shardscope {

namespace {

/// A line that is seen on any colour.
void drawBorder(QPainter& painter, const QPoint& from, const QPoint& to, const Theme& theme)
{
    painter.setPen(QPen(theme.base, 3));
    painter.drawLine(from, to);
    painter.setPen(QPen(theme.text, 1));
    painter.drawLine(from, to);
}

} // namespace

void HeatCanvas::paintEvent(QPaintEvent*)
{
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.fillRect(rect(), theme.base);
    if (!m_shown)
        return;
    if (m_layout.panels().empty() || m_data.panels.size() != m_layout.panels().size()) {
        painter.setPen(theme.secondary);
        painter.drawText(rect().adjusted(16, 8, -16, -8), Qt::AlignCenter | Qt::TextWordWrap,
            m_layout.panels().empty() ? tr("There is too little room for the heat map here.")
                                      : tr("A step is running; the heat map follows when it is over."));
        return;
    }
    if (m_images.size() != m_layout.panels().size()) {
        m_images.clear();
        for (const HeatPanel& panel : m_data.panels)
            m_images.push_back(heatImage(panel, m_data.all.magnitude(), theme));
    }
    for (int panel = 0; panel < static_cast<int>(m_layout.panels().size()); ++panel)
        paintPanel(painter, panel, theme);
    if (!m_shown->local)
        paintBorders(painter, theme);
    if (m_shown->rank() > 0)
        paintHeaders(painter, theme);
    if (m_shown->local)
        paintTitles(painter, theme);
    paintMarks(painter, theme);
}

void HeatCanvas::paintPanel(QPainter& painter, int panel, const Theme& theme) const
{
    const QRect& rect = m_layout.panels()[static_cast<std::size_t>(panel)];
    painter.setPen(theme.strongLine);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(rect.adjusted(-1, -1, 0, 0));
    painter.drawImage(rect, m_images[static_cast<std::size_t>(panel)]);
    paintNumbers(painter, panel, theme);
    if (m_shown->local && m_shown->subject.layout.addends() > 1) {
        painter.setBrushOrigin(0, 0);
        painter.fillRect(rect, theme.dots(theme.base, devicePixelRatioF()));
    }
    for (const QRect& part : m_layout.padding(panel))
        paintPadding(painter, part, theme, devicePixelRatioF());
}

/// Elements that are large enough bear their numbers.
void HeatCanvas::paintNumbers(QPainter& painter, int panel, const Theme& theme) const
{
    const HeatPanel& points = m_data.panels[static_cast<std::size_t>(panel)];
    const QRect& rect = m_layout.panels()[static_cast<std::size_t>(panel)];
    const QFontMetrics small{ Metrics::small() };
    const auto rows = m_layout.rows(), columns = m_layout.columns();
    const int width = small.horizontalAdvance(QStringLiteral("-1.2346e-10")) + 6, height = small.height() + 4;
    if (m_data.rowsPerPoint * m_data.columnsPerPoint > 1 || columns * width > rect.width()
        || rows * height > rect.height() || points.points.size() != static_cast<std::size_t>(rows * columns))
        return;
    painter.setFont(Metrics::small());
    for (std::int64_t row = 0; row < m_layout.validRows(panel); ++row)
        for (std::int64_t column = 0; column < m_layout.validColumns(panel); ++column) {
            const double value = points.points[static_cast<std::size_t>(row * columns + column)];
            const QString text = valueText(value, m_shown->dtype, m_shown->difference);
            const QRect where = m_layout.rectOf({ panel, row, column });
            QColor fill = theme.text; // of what is not a number
            if (std::isfinite(value)) {
                fill = heatColour(theme, value, m_data.all.magnitude());
            } else if (std::isinf(value)) { // checks need a plate
                fill = theme.base;
                QRect plate(0, 0, small.horizontalAdvance(text) + 8, small.height());
                plate.moveCenter(where.center());
                painter.fillRect(plate, fill);
            }
            painter.setPen(theme.textOn(fill));
            painter.drawText(where, Qt::AlignCenter, text);
        }
}

void HeatCanvas::paintBorders(QPainter& painter, const Theme& theme) const
{
    const GridLayout& grid = m_layout.grid();
    const QRect& rect = m_layout.panels().front();
    constexpr int nearest = 6; // closer ones would cover the picture
    if (grid.columns().blocks() * nearest <= rect.width())
        for (std::int64_t i = 1; i < grid.columns().blocks(); ++i) {
            const int x = grid.columnEdge(rect, i);
            drawBorder(painter, { x, rect.top() }, { x, rect.bottom() }, theme);
        }
    if (grid.rows().blocks() * nearest <= rect.height())
        for (std::int64_t i = 1; i < grid.rows().blocks(); ++i) {
            const int y = grid.rowEdge(rect, i);
            drawBorder(painter, { rect.left(), y }, { rect.right(), y }, theme);
        }
}

void HeatCanvas::paintHeaders(QPainter& painter, const Theme& theme) const
{
    const GridSubject& subject = m_shown->subject;
    const QRect& panel = m_layout.panels().front();
    const QFontMetrics names{ font() }, small{ Metrics::small() };
    const bool local = m_shown->local;
    // Of a dimension the blocks as they lie in the picture; a shard by itself has one.
    const auto blocks = [&](const GridDimension& d) { return local ? std::int64_t{ 1 } : d.blocks(); };
    const auto rangeOf = [&](const GridDimension& d, std::int64_t i, std::int64_t size) {
        if (local)
            return words::range(0, size);
        const std::int64_t begin = d.blockBegin(i), end = d.blockEnd(i);
        return begin < end ? words::range(begin, end) : QStringLiteral("–");
    };
    const auto title = [&](int dimension, int room) {
        if (local && dimension == m_shown->columns)
            return names.elidedText(columnTitle(), Qt::ElideMiddle, room);
        const QString name = subject.dimensionName(dimension);
        return names.elidedText(
            names.horizontalAdvance(name) <= room ? name : subject.shortName(dimension), Qt::ElideMiddle, room);
    };
    const auto drawTitle = [&](const QRect& where, int dimension, Qt::Alignment alignment) {
        const QString axes = local ? QString() : subject.axesOf(dimension);
        const QFontMetrics bold(Metrics::semibold());
        const int room = where.width() - (axes.isEmpty() ? 0 : bold.horizontalAdvance(axes) + 6);
        const QString name = title(dimension, std::max(room, 40));
        const int width = names.horizontalAdvance(name) + (axes.isEmpty() ? 0 : 6 + bold.horizontalAdvance(axes));
        int x = alignment & Qt::AlignHCenter ? where.center().x() - width / 2 : where.left();
        x = std::max(x, where.left());
        painter.setFont(font());
        painter.setPen(theme.text);
        painter.drawText(QRect(x, where.top(), width + 4, where.height()), Qt::AlignLeft | Qt::AlignVCenter, name);
        if (axes.isEmpty())
            return;
        painter.setFont(Metrics::semibold());
        painter.setPen(theme.meshAxis(std::max(subject.firstAxis(dimension), 0)));
        painter.drawText(QRect(x + names.horizontalAdvance(name) + 6, where.top(), width, where.height()),
            Qt::AlignLeft | Qt::AlignVCenter, axes);
    };
    const auto axisPen = [&](int dimension) {
        const int axis = local ? -1 : subject.firstAxis(dimension);
        return axis >= 0 ? theme.axisPen(axis, 2) : QPen(theme.border, 2);
    };

    const int titles = local && m_layout.panels().size() > 1 ? names.height() + 4 : 0;
    const int lineY = panel.top() - titles - small.height() - 9;
    const GridDimension& columns = m_layout.grid().columns();
    painter.setPen(axisPen(m_shown->columns));
    painter.drawLine(panel.left(), lineY, panel.right(), lineY);
    // A narrow panel's title goes on to its right.
    drawTitle({ panel.left(), lineY - names.height() - 4, std::max(panel.width(), width() - panel.left() - 8),
                  names.height() },
        m_shown->columns, Qt::AlignLeft);
    painter.setFont(Metrics::small());
    painter.setPen(theme.secondary);
    const std::int64_t columnBlocks = local ? 0 : blocks(columns);
    const auto columnEdge = [&](std::int64_t i) { return m_layout.grid().columnEdge(panel, i); };
    constexpr std::int64_t maxLabels = 64;
    int widest = 0;
    for (std::int64_t i = 0; i < std::min(columnBlocks, maxLabels); ++i)
        widest = std::max(widest, small.horizontalAdvance(rangeOf(columns, i, m_shown->columnCount())));
    if (columnBlocks <= maxLabels && (widest + 6) * columnBlocks <= panel.width()) {
        for (std::int64_t i = 0; i < columnBlocks; ++i)
            painter.drawText(QRect(columnEdge(i), lineY + 4, columnEdge(i + 1) - columnEdge(i), small.height()),
                Qt::AlignCenter, rangeOf(columns, i, m_shown->columnCount()));
    } else {
        // Where a block begins; the first one always.
        int after = 0;
        for (std::int64_t i = 0; i < std::min<std::int64_t>(columnBlocks, panel.width()); ++i) {
            const QString text = words::count(i * columns.block);
            const int needed = small.horizontalAdvance(text), x = columnEdge(i);
            if (x < after || (i > 0 && x + needed > panel.right()))
                continue;
            painter.drawText(QRect(x, lineY + 4, needed + 2, small.height()), Qt::AlignLeft | Qt::AlignVCenter, text);
            after = x + needed + 8;
        }
    }
    if (m_shown->rows < 0)
        return;
    const GridDimension& rows = m_layout.grid().rows();
    const int lineX = panel.left() - 6, right = lineX - 5;
    painter.setPen(axisPen(m_shown->rows));
    painter.drawLine(lineX, panel.top(), lineX, panel.bottom());
    const QRect corner(
        Metrics::scaled(4), panel.top() - titles - 2 * names.height() - 6, right - Metrics::scaled(4), names.height());
    painter.setFont(font());
    painter.setPen(theme.text);
    painter.drawText(corner, Qt::AlignRight | Qt::AlignVCenter, title(m_shown->rows, corner.width()));
    if (!local) {
        painter.setFont(Metrics::semibold());
        painter.setPen(theme.meshAxis(std::max(subject.firstAxis(m_shown->rows), 0)));
        painter.drawText(
            corner.translated(0, names.height()), Qt::AlignRight | Qt::AlignVCenter, subject.axesOf(m_shown->rows));
    }
    painter.setFont(Metrics::small());
    painter.setPen(theme.secondary);
    int after = 0;
    for (std::int64_t i = 0; i < std::min<std::int64_t>(blocks(rows), panel.height()); ++i) {
        const int begin = local ? panel.top() : m_layout.grid().rowEdge(panel, i);
        const int end = local ? panel.bottom() : m_layout.grid().rowEdge(panel, i + 1);
        const int top = (begin + end - small.height()) / 2;
        if (top < after)
            continue;
        painter.drawText(QRect(Metrics::scaled(4), top, right - Metrics::scaled(4), small.height()),
            Qt::AlignRight | Qt::AlignVCenter, rangeOf(rows, i, m_shown->rowCount()));
        after = top + small.height() + 2;
    }
}

/// Of the columns of a device's own shard.
QString HeatCanvas::columnTitle() const
{
    return tr("%1 %2, local indices", "hidden 0–255, local indices")
        .arg(m_shown->subject.dimensionName(m_shown->columns), words::range(0, m_shown->columnCount()));
}

QString HeatCanvas::panelTitle(int panel) const
{
    const Layout& layout = m_shown->subject.layout;
    const std::int64_t position = m_layout.position(panel);
    const QString device = tr("d%1").arg(layout.mesh().deviceAt(position));
    return layout.addends() > 1 ? tr("%1, one of %2 partial values").arg(device, words::count(layout.addends()))
                                : device;
}

void HeatCanvas::paintTitles(QPainter& painter, const Theme& theme) const
{
    const QFontMetrics bold(Metrics::semibold()), small{ Metrics::small() };
    for (int p = 0; p < static_cast<int>(m_layout.panels().size()); ++p) {
        const QRect& panel = m_layout.panels()[static_cast<std::size_t>(p)];
        QRect line(panel.left(), panel.top() - bold.height() - 4, panel.width(), bold.height());
        if (m_layout.panels().size() == 1) {
            // Beside the name of the columns.
            line.moveTop(panel.top() - small.height() - 13 - bold.height());
            line.setRight(width() - Metrics::scaled(4));
            line.setLeft(panel.left() + QFontMetrics(font()).horizontalAdvance(columnTitle()) + 16);
        }
        const QString title = panelTitle(p);
        const QString ranges =
            describeCell(m_shown->subject, m_shown->subject.layout.shardAt(m_layout.position(p))).ranges;
        painter.setFont(Metrics::semibold());
        painter.setPen(theme.text);
        painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, bold.elidedText(title, Qt::ElideRight, line.width()));
        line.setLeft(line.left() + bold.horizontalAdvance(title) + 8);
        if (small.horizontalAdvance(ranges) <= line.width()) {
            painter.setFont(Metrics::small());
            painter.setPen(theme.secondary);
            painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, ranges);
        }
    }
}

void HeatCanvas::paintMarks(QPainter& painter, const Theme& theme) const
{
    painter.setBrush(Qt::NoBrush);
    const auto outline = [&](const QRect& rect, const QColor& colour, double width) {
        painter.setPen(QPen(colour, width, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
        painter.drawRect(QRectF(rect).adjusted(width / 2, width / 2, -width / 2, -width / 2));
    };
    const std::int64_t parts = m_layout.partCount();
    constexpr std::int64_t maxMarked = 4096;
    if (!m_shown->local && !m_shown->positions.empty() && parts <= maxMarked) {
        // What the chosen device does not hold steps back.
        QColor veil = theme.base;
        veil.setAlphaF(0.65F);
        const std::int64_t held = m_shown->subject.layout.shardAt(m_shown->positions.front());
        for (std::int64_t part = 0; part < parts; ++part) {
            const HeatElement first = m_layout.firstOf(part);
            if (!m_layout.isPadding(first) && shardOf(first) == held)
                outline(m_layout.partRect(part), theme.accent, 3);
            else
                painter.fillRect(m_layout.partRect(part), veil);
        }
    }
    if (m_highlighted) {
        const QRect element = m_layout.rectOf(*m_highlighted);
        outline(m_layout.partRect(m_layout.partOf(*m_highlighted)), theme.text, 2);
        if (element.width() >= 5 && element.height() >= 5)
            outline(element, theme.text, 2);
    }
    if (m_current >= 0 && hasFocus())
        outline(m_layout.partRect(m_current), theme.accent, 2);
}

} // namespace shardscope
