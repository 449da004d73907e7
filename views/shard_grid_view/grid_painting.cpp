// SPDX-License-Identifier: GPL-3.0-or-later
// How a shard grid is drawn. Order per cell: fill, stripes or dots, gap line, frame of a whole copy, plate; then what
// is selected and hovered over.
#include <QLocale>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "document/selection.h"
#include "views/shard_grid_view/grid_canvas.h"
#include "views/theme/theme.h"
#include "views/widgets/shard_colour.h"
#include "words/words.h"

namespace shardscope {

namespace {

constexpr std::int64_t mostPaintedCells = 4096;
constexpr int spare = 3; ///< pixels that must stay free around a text inside a cell

QString copiesText(std::int64_t copies)
{
    return words::copies(copies);
}

/// Text with its "@axis" in the axis' colour, from x rightwards; returns its width.
int drawName(QPainter& painter, const QRect& rect, Qt::Alignment alignment, const QString& name, const QString& axes,
    int axis, const Theme& theme)
{
    const QFontMetrics plain(painter.font());
    QFont bold = painter.font();
    bold.setWeight(QFont::DemiBold);
    const QFontMetrics strong(bold);
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
        painter.setPen(theme.meshAxis(axis));
        painter.drawText(QRect(x + plain.horizontalAdvance(first), rect.top(), width + 4, rect.height()),
            Qt::AlignLeft | Qt::AlignVCenter, axes);
        painter.setFont(before);
    }
    return width;
}

} // namespace

QColor GridCanvas::fillOf(const GridCell& cell, const Theme& theme) const
{
    const Layout& layout = m_subject->layout;
    const std::int64_t shard = m_grid.shardOf(cell);
    if (m_colour == GridColour::Shard) {
        if (m_grid.rowsPerTile() > 1 || m_grid.columnsPerTile() > 1) {
            // Which shard it is cannot be seen any more: two steps of one tint tell the tiles apart.
            const bool odd = (cell.row / m_grid.rowsPerTile() + cell.column / m_grid.columnsPerTile()) % 2 != 0;
            return theme.shard(0, 64, 0, odd ? 2 : 0);
        }
        if (m_subject->isWhole() && layout.copies() > 1)
            return theme.alternateRow;
        return shardColour(theme, layout, shard);
    }
    const std::vector<std::int32_t> holders = layout.holders(shard);
    const auto group = [this](std::int32_t id) {
        return m_colour == GridColour::Device ? id : id / std::max(1, m_subject->devicesPerHost);
    };
    if (holders.empty())
        return theme.base;
    const std::int32_t first = group(holders.front());
    // A cell that belongs to several has no colour of its own.
    if (std::any_of(holders.begin(), holders.end(), [&](std::int32_t id) { return group(id) != first; }))
        return theme.alternateRow;
    return theme.shard(first, 8);
}

void GridCanvas::paintEvent(QPaintEvent*)
{
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.fillRect(rect(), theme.base);
    if (!m_subject || m_grid.panels().empty()) {
        painter.setPen(theme.secondary);
        painter.drawText(rect().adjusted(16, 8, -16, -8), Qt::AlignCenter | Qt::TextWordWrap,
            m_subject ? tr("There is too little room for the grid here.") : m_emptyText);
        return;
    }
    for (int panel = 0; panel < static_cast<int>(m_grid.panels().size()); ++panel)
        paintPanel(painter, panel, theme);
    if (!m_subject->layout.shape().empty()) {
        paintColumnHeader(painter, theme);
        paintRowHeader(painter, theme);
    }
    paintPanelTitles(painter, theme);
    paintMarks(painter, theme);
    paintLegend(painter, theme);

    if (m_grid.isClamped()) {
        const auto ratio = [this](double aspect) {
            const QString one = QLocale().toString(1);
            const auto number = [](double v) { return words::count(std::llround(v)); };
            return aspect >= 1 ? tr("%1 : %2", "proportion").arg(number(aspect), one)
                               : tr("%1 : %2", "proportion").arg(one, number(1 / aspect));
        };
        painter.setFont(Metrics::small());
        painter.setPen(theme.secondary);
        const QRect& last = m_grid.panels().back();
        painter.drawText(QRect(m_grid.panels().front().left(), last.bottom() + 4, width(), Metrics::scaled(16)),
            Qt::AlignLeft | Qt::AlignVCenter,
            tr("drawn %1, in truth %2").arg(ratio(m_grid.drawnAspect()), ratio(m_grid.trueAspect())));
    }
}

void GridCanvas::paintPanel(QPainter& painter, int panel, const Theme& theme) const
{
    const QRect& rect = m_grid.panels()[static_cast<std::size_t>(panel)];
    const bool sheets = m_subject->layout.addends() > 1;
    if (!sheets) {
        painter.setPen(theme.strongLine);
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect.adjusted(-2, -2, 1, 1));
    }
    const std::int64_t cells = m_grid.rows().pieces * m_grid.columns().pieces;
    if (m_grid.detail() == GridDetail::Raster || cells > mostPaintedCells) {
        paintRaster(painter, panel, theme);
    } else {
        for (std::int64_t row = 0; row < m_grid.rows().pieces; ++row)
            for (std::int64_t column = 0; column < m_grid.columns().pieces; ++column)
                paintCell(painter, { panel, row, column }, theme);
    }
    paintPadding(painter, rect, theme);
    if (m_subject->isWhole() && m_subject->mesh().deviceCount() > 1) {
        painter.setPen(QPen(theme.text, 2, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(rect).adjusted(1, 1, -1, -1));
    }
    if (m_grid.isClamped()) {
        // A zigzag across the long edge says that the drawing leaves something out.
        const bool wide = m_grid.trueAspect() > m_grid.drawnAspect();
        painter.save();
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(theme.strongLine, 1.25));
        const QPointF c =
            wide ? QPointF(rect.center().x(), rect.top() - 2) : QPointF(rect.left() - 2, rect.center().y());
        QPolygonF zigzag;
        for (const QPointF& step : { QPointF(-8, 0), QPointF(-4, -5), QPointF(2, 5), QPointF(6, -3), QPointF(8, 0) })
            zigzag << c + (wide ? step : QPointF(step.y(), step.x()));
        painter.drawPolyline(zigzag);
        painter.restore();
    }
}

void GridCanvas::paintRaster(QPainter& painter, int panel, const Theme& theme) const
{
    const QRect& rect = m_grid.panels()[static_cast<std::size_t>(panel)];
    QImage image(rect.size(), QImage::Format_RGB32);
    // One colour per pixel, looked up in its cell: the cost is that of the picture, whatever the number of devices.
    std::vector<std::int64_t> columnOf(static_cast<std::size_t>(rect.width()));
    for (int x = 0; x < rect.width(); ++x)
        columnOf[static_cast<std::size_t>(x)] = m_grid.cellAt({ rect.left() + x, rect.top() })->column;
    std::int64_t lastRow = -1;
    for (int y = 0; y < rect.height(); ++y) {
        auto* line = reinterpret_cast<QRgb*>(image.scanLine(y));
        const std::int64_t row = m_grid.cellAt({ rect.left(), rect.top() + y })->row;
        if (row == lastRow) {
            const auto* above = reinterpret_cast<const QRgb*>(image.constScanLine(y - 1));
            std::copy(above, above + rect.width(), line);
            continue;
        }
        lastRow = row;
        std::int64_t lastColumn = -1;
        QRgb color = 0;
        for (int x = 0; x < rect.width(); ++x) {
            const std::int64_t column = columnOf[static_cast<std::size_t>(x)];
            if (column != lastColumn) {
                color = fillOf({ panel, row, column }, theme).rgb();
                lastColumn = column;
            }
            line[x] = color;
        }
    }
    painter.drawImage(rect.topLeft(), image);
    if (m_grid.detail() == GridDetail::Raster)
        return;
    painter.setPen(theme.base);
    for (std::int64_t column = 1; column < m_grid.columns().pieces; ++column) {
        const int x = m_grid.columnEdge(rect, column) - 1;
        painter.drawLine(x, rect.top(), x, rect.bottom());
    }
    for (std::int64_t row = 1; row < m_grid.rows().pieces; ++row) {
        const int y = m_grid.rowEdge(rect, row) - 1;
        painter.drawLine(rect.left(), y, rect.right(), y);
    }
}

void GridCanvas::paintCell(QPainter& painter, const GridCell& cell, const Theme& theme) const
{
    const Layout& layout = m_subject->layout;
    const std::int64_t shard = m_grid.shardOf(cell);
    const QColor fill = fillOf(cell, theme);
    const qreal ratio = devicePixelRatioF();
    // The last pixel of a cell in each direction is the gap to the next.
    QRect rect = m_grid.cellRect(cell);
    if (rect.width() > 2 && cell.column + 1 < m_grid.columns().pieces)
        rect.setRight(rect.right() - 1);
    if (rect.height() > 2 && cell.row + 1 < m_grid.rows().pieces)
        rect.setBottom(rect.bottom() - 1);

    painter.setBrushOrigin(0, 0); // patterns run on from cell to cell
    if (layout.addends() > 1 && m_grid.detail() >= GridDetail::Marks) {
        const int behind = static_cast<int>(std::min<std::int64_t>(layout.addends(), 4)) - 1;
        rect.adjust(2, 2, -2, -2);
        rect.adjust(0, 4 * behind, -4 * behind, 0);
        painter.setPen(theme.strongLine);
        for (int i = behind; i > 0; --i) {
            painter.setBrush(fill);
            painter.drawRect(rect.translated(4 * i, -4 * i));
        }
        painter.drawRect(rect);
        painter.fillRect(rect, fill);
        painter.fillRect(rect, theme.dots(fill, ratio));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect);
    } else {
        painter.fillRect(rect, fill);
        if (layout.addends() > 1)
            painter.fillRect(rect, theme.dots(fill, ratio));
        else if (layout.copies() > 1 && m_grid.detail() >= GridDetail::Marks)
            painter.fillRect(rect, theme.stripes(fill, m_subject->isWhole() ? 8 : layout.copies(), ratio));
    }
    if (m_grid.detail() < GridDetail::Name)
        return;
    // Words stand on the array, not on its padding.
    const QRect& panel = m_grid.panels()[static_cast<std::size_t>(cell.panel)];
    if (const QRect padding = m_grid.rightPadding(panel); !padding.isEmpty())
        rect.setRight(std::min(rect.right(), padding.left() - 1));
    if (const QRect padding = m_grid.bottomPadding(panel); !padding.isEmpty())
        rect.setBottom(std::min(rect.bottom(), padding.top() - 1));
    if (!rect.isEmpty())
        paintPlate(painter, rect, fill, shard, theme);
}

void GridCanvas::paintPlate(
    QPainter& painter, const QRect& cell, const QColor& fill, std::int64_t shard, const Theme& theme) const
{
    const Layout& layout = m_subject->layout;
    std::vector<IndexRange> ranges = layout.rangesOfShard(shard);
    const bool onlyPadding =
        std::any_of(ranges.begin(), ranges.end(), [](const IndexRange& r) { return r.size() == 0; });
    if (onlyPadding && !layout.shape().empty())
        return;
    const std::vector<std::int32_t> holders = layout.holders(shard);
    QString first, second;
    const bool full = m_grid.detail() == GridDetail::Full;
    if (m_subject->isWhole() && layout.mesh().deviceCount() > 1) {
        first = tr("ALL %n devices", nullptr, static_cast<int>(layout.mesh().deviceCount()));
        second = copiesText(layout.copies());
    } else if (layout.addends() > 1) {
        QStringList parts;
        for (std::size_t i = 0; i < holders.size() && i < 8; ++i)
            parts << QStringLiteral("d%1").arg(holders[i]);
        first = tr("Σ of %1: %2").arg(layout.addends()).arg(parts.join(QStringLiteral(" + ")));
        if (layout.copies() > 1)
            second = copiesText(layout.copies());
    } else {
        first = words::devices(holders);
        if (full && layout.copies() > 1)
            second = copiesText(layout.copies());
    }
    const QFont strong = Metrics::semibold(), small = Metrics::small();
    const QFontMetrics strongMetrics(strong), smallMetrics(small);
    const auto widthOf = [&] {
        return std::max(strongMetrics.horizontalAdvance(first), smallMetrics.horizontalAdvance(second));
    };
    if (widthOf() + 2 * spare > cell.width() && layout.addends() > 1)
        first = tr("Σ of %1").arg(layout.addends());
    if (strongMetrics.horizontalAdvance(first) + 2 * spare > cell.width())
        first = tr("%n devices", nullptr, static_cast<int>(holders.size()));
    if (strongMetrics.horizontalAdvance(first) + 2 * spare > cell.width()
        || strongMetrics.height() + 2 * spare > cell.height() + 2)
        return;
    int height = strongMetrics.height();
    if (!second.isEmpty()) {
        if (height + smallMetrics.height() + 2 * spare <= cell.height())
            height += smallMetrics.height();
        else if (strongMetrics.horizontalAdvance(first + QLatin1Char(' ') + second) + 2 * spare <= cell.width()) {
            first += QLatin1Char(' ') + second;
            second.clear();
        } else {
            second.clear();
        }
    }
    QRect plate(0, 0, widthOf() + 10, height + 2);
    plate = plate.intersected(QRect(0, 0, cell.width() - 2, cell.height() - 2));
    plate.moveCenter(cell.center());
    const bool patterned = layout.copies() > 1 || layout.addends() > 1;
    if (patterned) {
        painter.save();
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(fill);
        painter.drawRoundedRect(plate, 2, 2);
        painter.restore();
    }
    painter.setPen(theme.textOn(fill));
    painter.setFont(strong);
    QRect line(plate.left(), plate.top() + (plate.height() - height) / 2, plate.width(), strongMetrics.height());
    painter.drawText(line, Qt::AlignCenter, first);
    if (!second.isEmpty()) {
        painter.setFont(small);
        line.moveTop(line.bottom() + 1);
        line.setHeight(smallMetrics.height());
        painter.drawText(line, Qt::AlignCenter, second);
    }
}

void GridCanvas::paintPadding(QPainter& painter, const QRect& panel, const Theme& theme) const
{
    for (const QRect& part : { m_grid.rightPadding(panel), m_grid.bottomPadding(panel) }) {
        if (part.isEmpty())
            continue;
        painter.setBrushOrigin(0, 0);
        painter.fillRect(part, theme.alternateRow);
        painter.fillRect(part, theme.hatch(devicePixelRatioF()));
        QPen pen(theme.strongLine, 1);
        pen.setDashPattern({ 3, 2 });
        painter.setPen(pen);
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(part.adjusted(0, 0, -1, -1));
        const QFontMetrics metrics(Metrics::small());
        const QString text = tr("padding");
        if (metrics.horizontalAdvance(text) + 16 <= part.width() && metrics.height() + 6 <= part.height()) {
            QRect plate(0, 0, metrics.horizontalAdvance(text) + 10, metrics.height() + 2);
            plate.moveCenter(part.center());
            painter.fillRect(plate, theme.alternateRow);
            painter.setFont(Metrics::small());
            painter.setPen(theme.text);
            painter.drawText(plate, Qt::AlignCenter, text);
        }
    }
}

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
    const bool cut = dimension.pieces > 1 || axis >= 0;

    // How many block labels fit: every range, or block numbers at a step of 4, 8, ...
    const int cell = panel.width() / static_cast<int>(std::max<std::int64_t>(dimension.pieces, 1));
    const auto rangeOf = [&](std::int64_t i) {
        return words::range(
            std::min(i * dimension.block, dimension.size), std::min((i + 1) * dimension.block, dimension.size));
    };
    int widest = 0;
    for (std::int64_t i = 0; i < std::min<std::int64_t>(dimension.pieces, 64); ++i)
        widest = std::max(widest, small.horizontalAdvance(rangeOf(i)));
    const bool everyRange = cut && widest + 6 <= cell;

    painter.setFont(font());
    QString name = m_subject->dimensionName(dimension.dimension);
    QString suffix;
    if (!cut)
        name += QStringLiteral(" %1, ").arg(words::range(0, dimension.size)) + tr("not cut");
    else if (!everyRange)
        suffix = tr(", block 0–%1").arg(dimension.pieces - 1);
    const QRect nameRect(panel.left(), nameTop - titleShift, panel.width(), Metrics::scaled(16));
    const int nameWidth =
        drawName(painter, nameRect, Qt::AlignHCenter, name, m_subject->axesOf(dimension.dimension), axis, theme);
    if (!suffix.isEmpty()) {
        painter.setPen(theme.secondary);
        const int x = std::max(nameRect.center().x() - nameWidth / 2, 2) + nameWidth;
        painter.drawText(QRect(x, nameRect.top(), Metrics::scaled(160), nameRect.height()),
            Qt::AlignLeft | Qt::AlignVCenter, suffix);
    }
    painter.setPen(axis >= 0 ? theme.axisPen(axis, 2) : QPen(theme.border, 2));
    painter.drawLine(panel.left(), lineY - titleShift, panel.right(), lineY - titleShift);

    if (!cut || titleShift > 0)
        return;
    const std::vector<GridCell> lit = litCells(m_selection->hoveredDevices());
    const auto label = [&](std::int64_t i, const QString& text, int width) {
        const int left = m_grid.columnEdge(panel, i), right = m_grid.columnEdge(panel, i + 1);
        const int x = (left + right) / 2 - width / 2;
        const bool strong = lit.size() == 1 && lit.front().column == i;
        QFont face = Metrics::small();
        face.setWeight(strong ? QFont::DemiBold : QFont::Normal);
        painter.setFont(face);
        painter.setPen(strong ? theme.text : theme.secondary);
        painter.drawText(QRect(x - 6, rangesTop, width + 12, small.height()), Qt::AlignCenter, text);
    };
    if (everyRange) {
        for (std::int64_t i = 0; i < dimension.pieces; ++i)
            label(i, rangeOf(i), widest);
        return;
    }
    const int needed = small.horizontalAdvance(QString::number(dimension.pieces)) + 8;
    std::int64_t step = 1;
    while (step < dimension.pieces
        && static_cast<double>(panel.width()) * static_cast<double>(step) / static_cast<double>(dimension.pieces)
            < needed)
        step = step == 1 ? 4 : step * 2;
    for (std::int64_t i = 0; i < dimension.pieces; i += step)
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
    const bool cut = dimension.pieces > 1 || axis >= 0;
    const int lineX = panel.left() - 6;
    const int right = lineX - 6;
    const QRect column(2, panel.top(), right - 2, panel.height());
    painter.setPen(axis >= 0 ? theme.axisPen(axis, 2) : QPen(theme.border, 2));
    painter.drawLine(lineX, panel.top(), lineX, panel.bottom());

    painter.setFont(font());
    const QString name = m_subject->dimensionName(dimension.dimension), axes = m_subject->axesOf(dimension.dimension);
    int y = panel.top();
    const auto write = [&](const QString& text, const QColor& color, const QFont& face) {
        painter.setFont(face);
        painter.setPen(color);
        const int height = QFontMetrics(face).height();
        painter.drawText(QRect(column.left(), y, column.width(), height), Qt::AlignRight | Qt::AlignVCenter, text);
        y += height;
    };
    if (!cut) {
        write(name, theme.text, font());
        write(words::range(0, dimension.size), theme.secondary, Metrics::small());
        if (panel.height() >= metrics.height() + 2 * small.height())
            write(tr("not cut"), theme.secondary, Metrics::small());
        return;
    }
    // Names stand above the first range, in the corner beside the column header.
    y = panel.top() - 2 * metrics.height() - 8;
    write(name, theme.text, font());
    QFont bold = font();
    bold.setWeight(QFont::DemiBold);
    write(axes, theme.meshAxis(std::max(axis, 0)), bold);
    const double cell = static_cast<double>(panel.height()) / static_cast<double>(dimension.pieces);
    std::int64_t step = 1;
    while (step < dimension.pieces && cell * static_cast<double>(step) < small.height() + 2)
        step = step == 1 ? 4 : step * 2;
    const bool ranges = step == 1;
    const std::vector<GridCell> lit = litCells(m_selection->hoveredDevices());
    for (std::int64_t i = 0; i < dimension.pieces; i += step) {
        const int top = m_grid.rowEdge(panel, i), bottom = m_grid.rowEdge(panel, i + 1);
        const bool strong = lit.size() == 1 && lit.front().row == i;
        QFont face = Metrics::small();
        face.setWeight(strong ? QFont::DemiBold : QFont::Normal);
        painter.setFont(face);
        painter.setPen(strong ? theme.text : theme.secondary);
        const std::int64_t begin = std::min(i * dimension.block, dimension.size);
        const std::int64_t end = std::min((i + 1) * dimension.block, dimension.size);
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
        QStringList parts;
        for (std::size_t i = 0; i < index.size(); ++i) {
            const int d = m_grid.multiples()[i];
            const auto at = static_cast<std::size_t>(d);
            const std::int64_t block = m_subject->layout.shardShape()[at], size = m_subject->layout.shape()[at];
            const std::int64_t begin = std::min(index[i] * block, size), end = std::min(begin + block, size);
            parts << (block == 1 ? tr("%1 = %2").arg(m_subject->dimensionName(d)).arg(begin)
                                 : m_subject->dimensionName(d) + QLatin1Char(' ') + words::range(begin, end));
        }
        const QRect& rect = m_grid.panels()[static_cast<std::size_t>(panel)];
        painter.drawText(QRect(rect.left(), rect.top() - metrics.height() - 4, rect.width(), metrics.height()),
            Qt::AlignCenter, metrics.elidedText(parts.join(QStringLiteral(", ")), Qt::ElideRight, rect.width()));
    }
}

void GridCanvas::paintMarks(QPainter& painter, const Theme& theme) const
{
    painter.setBrush(Qt::NoBrush);
    if (m_selection->devices().size() <= 64) {
        for (const GridCell& cell : litCells(m_selection->devices())) {
            painter.setPen(QPen(theme.accent, 3, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
            painter.drawRect(QRectF(m_grid.cellRect(cell)).adjusted(1.5, 1.5, -1.5, -1.5));
        }
    }
    for (const GridCell& cell : litCells(m_selection->hoveredDevices())) {
        painter.setPen(QPen(theme.text, 2, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
        painter.drawRect(QRectF(m_grid.cellRect(cell)).adjusted(0, 0, 0, 0));
    }
    if (m_current && hasFocus()) {
        painter.setPen(QPen(theme.accent, 2, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
        painter.drawRect(QRectF(m_grid.cellRect(*m_current)).adjusted(-1, -1, 1, 1));
    } else if (hasFocus() && m_ring) {
        painter.setPen(QPen(theme.accent, 2));
        painter.drawRect(rect().adjusted(2, 2, -2, -2));
    }
}

void GridCanvas::paintLegend(QPainter& painter, const Theme& theme) const
{
    const Layout& layout = m_subject->layout;
    const qreal ratio = devicePixelRatioF();
    const QFontMetrics small(Metrics::small());
    struct Row {
        std::int64_t copies;
        QString text;
        bool current;
    };
    QStringList axes;
    for (const int axis : m_subject->copyAxes())
        axes << QString::fromStdString(layout.mesh().axis(static_cast<std::size_t>(axis)).name);
    const std::int64_t copies = layout.copies();
    const auto row = [&](std::int64_t number, const QString& text, bool current) {
        if (!current || axes.isEmpty() || number == 1)
            return Row{ number, text, current };
        const QString whole = tr("%1, along %2").arg(text, axes.join(QStringLiteral(", ")));
        const bool fits =
            QFontMetrics(Metrics::semibold()).horizontalAdvance(whole) + Metrics::scaled(30) < m_legend.width();
        return Row{ number, fits ? whole : text, current };
    };
    const QList<Row> rows{ row(1, tr("1"), copies == 1),
        row(2, copies == 3 ? tr("3") : tr("2"), copies == 2 || copies == 3),
        row(4, copies > 4 && copies < 8 ? words::count(copies) : tr("4"), copies >= 4 && copies < 8),
        row(8, tr("8 or more"), copies >= 8) };

    const bool beside = legendBeside();
    int x = m_legend.left(), y = m_legend.top();
    const int swatchWidth = Metrics::scaled(22), swatchHeight = Metrics::scaled(14), lineHeight = Metrics::scaled(20);
    const auto swatch = [&](const QBrush& pattern, const QColor& fill) {
        const QRect box(x, y + (lineHeight - swatchHeight) / 2, swatchWidth, swatchHeight);
        painter.setBrushOrigin(0, 0);
        painter.fillRect(box, fill);
        if (pattern.style() != Qt::NoBrush)
            painter.fillRect(box, pattern);
        painter.setPen(theme.strongLine);
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(box.adjusted(0, 0, -1, -1));
    };
    const auto write = [&](const QString& text, bool strong, const QColor& color, int indent) {
        QFont face = Metrics::small();
        face.setWeight(strong ? QFont::DemiBold : QFont::Normal);
        painter.setFont(face);
        painter.setPen(color);
        const int room = m_legend.right() - x - indent;
        const QFontMetrics metrics(face);
        painter.drawText(QRect(x + indent, y, room, lineHeight), Qt::AlignLeft | Qt::AlignVCenter,
            beside ? metrics.elidedText(text, Qt::ElideRight, room) : text);
        return indent + metrics.horizontalAdvance(text);
    };
    const int step = swatchWidth + Metrics::scaled(8);
    if (!beside) {
        x += write(tr("Copies"), true, theme.text, 0) + Metrics::scaled(10);
        for (const Row& r : rows) {
            if (x + step + small.horizontalAdvance(r.text) > m_legend.right())
                break;
            swatch(theme.stripes(theme.base, r.copies, ratio), theme.base);
            x += write(r.text, r.current, r.current ? theme.text : theme.secondary, step) + Metrics::scaled(12);
        }
        return;
    }
    if (y + 4 * lineHeight > height())
        return;
    write(tr("Copies"), true, theme.text, 0);
    y += lineHeight;
    for (const Row& r : rows) {
        if (y + lineHeight > height())
            return;
        swatch(theme.stripes(theme.base, r.copies, ratio), theme.base);
        write(r.text, r.current, r.current ? theme.text : theme.secondary, step);
        y += lineHeight;
    }
    const auto paragraph = [&](const QString& head, const QStringList& lines) {
        if (y + lineHeight * (1 + static_cast<int>(lines.size())) > height())
            return;
        y += Metrics::scaled(6);
        write(head, true, theme.text, 0);
        y += lineHeight - 2;
        for (const QString& line : lines) {
            if (line.isEmpty())
                continue;
            write(line, false, theme.secondary, 0);
            y += lineHeight - 4;
        }
    };
    const std::int64_t deviceCount = layout.mesh().deviceCount();
    std::int64_t elements = 1;
    for (const std::int64_t size : layout.shape())
        elements *= size;
    const QString whole = words::bytes(static_cast<double>(elements) * static_cast<double>(m_subject->elementBytes));
    const QString held = words::bytes(static_cast<double>(m_subject->shardBytes()) * static_cast<double>(deviceCount));
    if (layout.addends() > 1) {
        y += Metrics::scaled(6);
        swatch(theme.dots(theme.base, ratio), theme.base);
        write(tr("partial sums"), true, theme.text, step);
        y += lineHeight;
    } else if (copies > 1) {
        paragraph(copies == 2 ? tr("Held twice") : tr("Held %n times", nullptr, static_cast<int>(copies)),
            { tr("%1 on %n devices", nullptr, static_cast<int>(deviceCount)).arg(held), tr("for a %1 array").arg(whole),
                axes.size() > 1 ? tr("along %1").arg(axes.join(QStringLiteral(", "))) : QString() });
    }
    if (layout.isUneven()) {
        y += Metrics::scaled(6);
        swatch(theme.hatch(ratio), theme.alternateRow);
        write(tr("padding"), true, theme.text, step);
        y += lineHeight;
        for (std::size_t d = 0; d < layout.shape().size(); ++d) {
            const std::int64_t padded = layout.shardGrid()[d] * layout.shardShape()[d];
            if (padded <= layout.shape()[d] || y + 2 * lineHeight > height())
                continue;
            write(tr("%1: %2 on %3 pieces")
                      .arg(m_subject->dimensionName(static_cast<int>(d)), words::count(layout.shape()[d]))
                      .arg(layout.shardGrid()[d]),
                false, theme.secondary, 0);
            y += lineHeight - 4;
            write(tr("%1 of %2 are padding").arg(words::count(padded - layout.shape()[d]), words::count(padded)), false,
                theme.secondary, 0);
            y += lineHeight;
        }
    }
    if (!m_grid.folded().empty() && layout.shape().size() > 2) {
        QStringList names;
        for (const int d : m_grid.folded())
            names << QStringLiteral("%1 %2")
                         .arg(m_subject->dimensionName(d))
                         .arg(layout.shape()[static_cast<std::size_t>(d)]);
        paragraph(tr("Not cut"), names);
    }
    if (m_grid.rowsPerTile() > 1 || m_grid.columnsPerTile() > 1)
        paragraph(tr("1 tile"), { tr("%1 × %2 shards").arg(m_grid.rowsPerTile()).arg(m_grid.columnsPerTile()) });
    if (m_grid.panelsInAll() > static_cast<std::int64_t>(m_grid.panels().size()))
        paragraph(tr("First %1 of %2").arg(m_grid.panels().size()).arg(words::count(m_grid.panelsInAll())), {});
}

} // namespace shardscope
