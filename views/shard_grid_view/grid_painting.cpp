// SPDX-License-Identifier: GPL-3.0-or-later
// How GridCanvas (grid_canvas.h) is drawn. Order per cell: fill, stripes or dots, gap line, frame of a copy, plate;
// then what is selected and hovered over.
#include <QLocale>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "document/selection.h"
#include "views/shard_grid_view/grid_canvas.h"
#include "views/theme/theme.h"
#include "views/widgets/shard_colour.h"
#include "words/device_list.h"
#include "words/words.h"

namespace shardscope {

namespace {

constexpr std::int64_t maxPaintedCells = 4096;
constexpr int spare = 3; ///< pixels that must stay free around a text inside a cell
constexpr int spareOfSmall = 2;

/// Of how many hold a cell, where it has no room for more.
QFont smallName()
{
    QFont font = Metrics::small();
    font.setWeight(Metrics::semibold().weight());
    return font;
}

/// A line's height has some room of its own, above and below the letters.
bool hasHeightForName(int height)
{
    return QFontMetrics(Metrics::semibold()).height() + 2 <= height;
}

} // namespace

QColor GridCanvas::fillOf(const GridCell& cell, const Theme& theme) const
{
    const Layout& layout = m_subject->layout;
    const std::int64_t shard = m_grid.shardOf(cell);
    if (byShard()) {
        if (m_grid.rowsPerTile() > 1 || m_grid.columnsPerTile() > 1) {
            // Which shard it is cannot be seen any more: two steps of one tint tell the tiles apart.
            const bool odd = (cell.row / m_grid.rowsPerTile() + cell.column / m_grid.columnsPerTile()) % 2 != 0;
            return theme.shard(0, 64, 0, odd ? 2 : 0);
        }
        if (m_subject->isFull() && layout.copies() > 1)
            return theme.alternateRow;
        return shardColour(theme, layout, shard);
    }
    const DeviceGroup holders = DeviceGroup::holders(layout, shard);
    const auto group = [&](std::int64_t n) { return colourKeyOf(holders.deviceAt(n)); };
    // A cell that belongs to several has no colour of its own. Ids mostly ascend: the ends tell.
    const std::int32_t first = group(0);
    if (group(holders.size() - 1) != first)
        return theme.alternateRow;
    if (!layout.mesh().deviceOrder().empty() || !m_grades.isEmpty()
        || (m_colour == ColourBy::Host && !m_subject->hostsAreRuns()))
        for (std::int64_t n = 1; n < holders.size(); ++n)
            if (group(n) != first)
                return theme.alternateRow;
    return colourOfKey(first, theme);
}

std::vector<std::int32_t> GridCanvas::coloursIn(const GridCell& cell) const
{
    std::vector<std::int32_t> ids;
    if (byShard())
        return ids;
    constexpr std::size_t most = 64;
    const DeviceGroup holders = DeviceGroup::holders(m_subject->layout, m_grid.shardOf(cell));
    for (std::int64_t n = 0; n < holders.size() && ids.size() < most; ++n) {
        const std::int32_t id = colourKeyOf(holders.deviceAt(n));
        if (std::find(ids.begin(), ids.end(), id) == ids.end())
            ids.push_back(id);
    }
    return ids;
}

/// A cell with several devices or hosts has a band of each colour where there is room for them.
void GridCanvas::paintFill(QPainter& painter, const QRect& rect, const GridCell& cell, const Theme& theme) const
{
    constexpr int narrowestBand = 3;
    const std::vector<std::int32_t> ids = coloursIn(cell);
    const int bands = static_cast<int>(ids.size());
    painter.fillRect(rect, fillOf(cell, theme));
    if (bands < 2 || rect.width() < narrowestBand * bands)
        return;
    for (int i = 0; i < bands; ++i) {
        const int from = rect.width() * i / bands, to = rect.width() * (i + 1) / bands;
        painter.fillRect(QRect(rect.left() + from, rect.top(), to - from, rect.height()),
            colourOfKey(ids[static_cast<std::size_t>(i)], theme));
    }
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
        const QString note = tr("drawn %1, in truth %2").arg(ratio(m_grid.drawnAspect()), ratio(m_grid.trueAspect()));
        // From the panel's left, or from further left where it would not fit.
        const int room = width() - painter.fontMetrics().horizontalAdvance(note) - 2;
        const int left = std::max(0, std::min(m_grid.panels().front().left(), room));
        painter.drawText(
            QRect(left, last.bottom() + 4, width(), Metrics::scaled(16)), Qt::AlignLeft | Qt::AlignVCenter, note);
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
    const std::int64_t cells = m_grid.rows().shown * m_grid.columns().shown;
    if (m_grid.detail() == GridDetail::Raster || cells > maxPaintedCells) {
        paintRaster(painter, panel, theme);
    } else {
        for (std::int64_t row = m_grid.rows().first; row < m_grid.rows().end(); ++row)
            for (std::int64_t column = m_grid.columns().first; column < m_grid.columns().end(); ++column)
                paintCell(painter, { panel, row, column }, theme);
    }
    paintPadding(painter, rect, theme);
    const bool plates = m_grid.detail() >= GridDetail::Name && cells <= maxPaintedCells;
    if (!plates || !m_hasNames || !paintPlates(painter, panel, theme))
        paintPaddingWords(painter, rect, theme);
    if (m_subject->isFull() && m_subject->mesh().deviceCount() > 1) {
        painter.setPen(QPen(theme.text, 2, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(rect).adjusted(1, 1, -1, -1));
    }
    if (m_grid.isClamped()) {
        // A zigzag across the long edge says that the drawing leaves something out; at the edge that has no captions,
        // and there above the note on proportions.
        const bool across = m_grid.trueAspect() > m_grid.drawnAspect();
        painter.save();
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(theme.strongLine, 1.25));
        const QPointF c =
            across ? QPointF(rect.right() - 12, rect.bottom() - 2) : QPointF(rect.right() + 2, rect.center().y());
        QPolygonF zigzag;
        for (const QPointF& step : { QPointF(-8, 0), QPointF(-4, -5), QPointF(2, 5), QPointF(6, -3), QPointF(8, 0) })
            zigzag << c + (across ? step : QPointF(step.y(), step.x()));
        painter.drawPolyline(zigzag);
        painter.restore();
    }
}

void GridCanvas::paintRaster(QPainter& painter, int panel, const Theme& theme) const
{
    const QRect& rect = m_grid.panels()[static_cast<std::size_t>(panel)];
    // Painted once for what is shown; the pointer over it costs nothing.
    if (m_rasters.size() != m_grid.panels().size())
        m_rasters.assign(m_grid.panels().size(), {});
    QImage& image = m_rasters[static_cast<std::size_t>(panel)];
    if (image.isNull())
        image = rasterOf(panel, theme);
    painter.drawImage(rect.topLeft(), image);
    if (m_grid.detail() == GridDetail::Raster)
        return;
    painter.setPen(theme.base);
    for (std::int64_t column = m_grid.columns().first + 1; column < m_grid.columns().end(); ++column) {
        const int x = m_grid.columnEdge(rect, column) - 1;
        painter.drawLine(x, rect.top(), x, rect.bottom());
    }
    for (std::int64_t row = m_grid.rows().first + 1; row < m_grid.rows().end(); ++row) {
        const int y = m_grid.rowEdge(rect, row) - 1;
        painter.drawLine(rect.left(), y, rect.right(), y);
    }
}

QImage GridCanvas::rasterOf(int panel, const Theme& theme) const
{
    const QRect& rect = m_grid.panels()[static_cast<std::size_t>(panel)];
    QImage image(rect.size(), QImage::Format_RGB32);
    // One colour per pixel, that of its cell or of the first cell of its tile: the cost does not grow with the devices.
    const bool tiles = byShard();
    const auto start = [tiles](std::int64_t index, std::int64_t perTile) {
        return tiles ? index / perTile * perTile : index;
    };
    std::vector<std::int64_t> columnOf(static_cast<std::size_t>(rect.width()));
    for (int x = 0; x < rect.width(); ++x)
        columnOf[static_cast<std::size_t>(x)] =
            start(m_grid.cellAt({ rect.left() + x, rect.top() })->column, m_grid.columnsPerTile());
    std::int64_t lastRow = -1;
    for (int y = 0; y < rect.height(); ++y) {
        auto* line = reinterpret_cast<QRgb*>(image.scanLine(y));
        const std::int64_t row = start(m_grid.cellAt({ rect.left(), rect.top() + y })->row, m_grid.rowsPerTile());
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
    return image;
}

int GridCanvas::sheetsBehind() const
{
    return static_cast<int>(std::min<std::int64_t>(m_subject->layout.addends(), 4)) - 1;
}

int GridCanvas::sheetStep(const GridCell& cell) const
{
    const QRect rect = m_grid.cellRect(cell);
    const int room = std::min(rect.width(), rect.height()) / 2 - 2; // the other half is the face
    return std::clamp(room / std::max(sheetsBehind(), 1), 1, 4);
}

QRect GridCanvas::faceOf(const GridCell& cell) const
{
    // The last pixel of a cell in each direction is the gap to the next.
    // Between blocks that have others nested in them it is wider.
    constexpr int blockGap = 4, roomy = 16;
    const auto gap = [](const GridDimension& d, std::int64_t line, int length) {
        if (line + 1 >= d.parts || length <= 2)
            return 0;
        return d.inner > 1 && (line + 1) % d.inner == 0 && length >= roomy ? blockGap : 1;
    };
    QRect rect = m_grid.cellRect(cell);
    rect.setRight(rect.right() - gap(m_grid.columns(), cell.column, rect.width()));
    rect.setBottom(rect.bottom() - gap(m_grid.rows(), cell.row, rect.height()));
    if (m_subject->layout.addends() > 1 && m_grid.detail() >= GridDetail::Marks) {
        const int sheets = sheetStep(cell) * sheetsBehind();
        rect.adjust(2, 2 + sheets, -2 - sheets, -2);
    }
    return rect;
}

void GridCanvas::paintCell(QPainter& painter, const GridCell& cell, const Theme& theme) const
{
    const Layout& layout = m_subject->layout;
    const QColor fill = fillOf(cell, theme);
    const qreal ratio = devicePixelRatioF();
    const QRect rect = faceOf(cell);

    painter.setBrushOrigin(0, 0); // patterns run on from cell to cell
    if (layout.addends() > 1 && m_grid.detail() >= GridDetail::Marks) {
        painter.setPen(theme.strongLine);
        const int step = sheetStep(cell);
        for (int i = sheetsBehind(); i > 0; --i) {
            painter.setBrush(fill);
            painter.drawRect(rect.translated(step * i, -step * i));
        }
        painter.drawRect(rect);
        paintFill(painter, rect, cell, theme);
        painter.fillRect(rect, theme.dots(fill, ratio));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect);
    } else {
        paintFill(painter, rect, cell, theme);
        if (layout.addends() > 1)
            painter.fillRect(rect, theme.dots(fill, ratio));
        else if (layout.copies() > 1 && m_grid.detail() >= GridDetail::Marks)
            painter.fillRect(rect, theme.stripes(fill, m_subject->isFull() ? 8 : layout.copies(), ratio));
        const QColor edge = shardEdge(theme, fill);
        if (edge.isValid() && m_grid.detail() >= GridDetail::Marks) {
            painter.setPen(edge);
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(rect.adjusted(0, 0, -1, -1));
        }
        if (byShard() && m_grid.rowsPerTile() == 1 && m_grid.columnsPerTile() == 1 && hasMotifs(layout))
            paintMotif(painter, rect, shardMark(layout, m_grid.shardOf(cell)).motif, theme.textOn(fill));
    }
}

QSize GridCanvas::smallestFace() const
{
    const GridDimension &rows = m_grid.rows(), &columns = m_grid.columns();
    QSize room = size();
    if (m_grid.detail() < GridDetail::Name)
        return room; // nobody asks
    for (int panel = 0; panel < static_cast<int>(m_grid.panels().size()); ++panel) {
        for (std::int64_t row = rows.first; row < rows.end(); ++row)
            room.setHeight(std::min(room.height(), faceOf({ panel, row, columns.first }).height()));
        for (std::int64_t column = columns.first; column < columns.end(); ++column)
            room.setWidth(std::min(room.width(), faceOf({ panel, rows.first, column }).width()));
    }
    return room;
}

/// Of cells that each belong to one device, or to as many, all are named, in every panel, or none is.
bool GridCanvas::haveAllNames() const
{
    const Layout& layout = m_subject->layout;
    if (m_subject->isFull() || layout.addends() > 1 || m_grid.detail() < GridDetail::Name)
        return true;
    const auto fits = [this](const QFont& font, const QString& name, int around) {
        return hasHeightForName(m_smallestFace.height())
            && QFontMetrics(font).horizontalAdvance(name) + 2 * around <= m_smallestFace.width();
    };
    if (layout.copies() > 1)
        return fits(smallName(), words::copies(layout.copies()), spareOfSmall);
    std::int32_t last = 0;
    for (std::int64_t position = 0; position < layout.mesh().deviceCount(); ++position)
        last = std::max(last, layout.mesh().deviceAt(position));
    return fits(Metrics::semibold(), QStringLiteral("d%1").arg(last), spare);
}

bool GridCanvas::paintPlates(QPainter& painter, int panel, const Theme& theme) const
{
    bool onPadding = false;
    const QRect& full = m_grid.panels()[static_cast<std::size_t>(panel)];
    const QRect right = m_grid.rightPadding(full), bottom = m_grid.bottomPadding(full);
    for (std::int64_t row = m_grid.rows().first; row < m_grid.rows().end(); ++row)
        for (std::int64_t column = m_grid.columns().first; column < m_grid.columns().end(); ++column) {
            const GridCell cell{ panel, row, column };
            const QColor fill = fillOf(cell, theme);
            const std::int64_t shard = m_grid.shardOf(cell);
            const QRect face = faceOf(cell);
            // Words stand on the array, and on its padding only where the array's own strip is too narrow for them.
            QRect filled = face;
            if (!right.isEmpty())
                filled.setRight(std::min(filled.right(), right.left() - 1));
            if (!bottom.isEmpty())
                filled.setBottom(std::min(filled.bottom(), bottom.top() - 1));
            const bool strips = (m_grid.rows().padded() && m_grid.rows().inner > 1)
                || (m_grid.columns().padded() && m_grid.columns().inner > 1);
            if (filled.isEmpty() || paintPlate(painter, filled, fill, shard, strips, theme) || filled == face)
                continue;
            onPadding = paintPlate(painter, face, fill, shard, true, theme) || onPadding;
        }
    return onPadding;
}

bool GridCanvas::paintPlate(QPainter& painter, const QRect& cell, const QColor& fill, std::int64_t shard,
    bool patterned, const Theme& theme) const
{
    const Layout& layout = m_subject->layout;
    std::vector<IndexRange> ranges = layout.rangesOfShard(shard);
    const bool onlyPadding =
        std::any_of(ranges.begin(), ranges.end(), [](const IndexRange& r) { return r.size() == 0; });
    if (onlyPadding && !layout.shape().empty())
        return false;
    const DeviceGroup holders = DeviceGroup::holders(layout, shard);
    QString first, second;
    const bool full = m_grid.detail() == GridDetail::Full;
    if (m_subject->isFull() && layout.mesh().deviceCount() > 1) {
        first = tr("ALL %1", "devices").arg(words::counted(layout.mesh().deviceCount(), words::Noun::Device));
        second = words::copies(layout.copies());
    } else if (layout.addends() > 1) {
        QStringList parts;
        constexpr std::size_t most = 8; // more have no room in a cell
        const std::vector<std::int32_t> addends = addendsOfOneCopy(layout, holders);
        for (std::size_t n = 0; n < std::min(addends.size(), most); ++n)
            parts << QStringLiteral("d%1").arg(addends[n]);
        if (addends.size() > most)
            parts << QStringLiteral("…");
        first = tr("Σ of %1: %2").arg(layout.addends()).arg(parts.join(QStringLiteral(" + ")));
        if (layout.copies() > 1)
            second = words::copies(layout.copies());
    } else {
        first = words::devices(holders);
        if (full && layout.copies() > 1)
            second = words::copies(layout.copies());
    }
    QFont strong = Metrics::semibold();
    const QFont small = Metrics::small();
    QFontMetrics strongMetrics(strong);
    const QFontMetrics smallMetrics(small);
    const int room = std::min(cell.width(), m_smallestFace.width()); // cells say the same kind of thing
    int around = spare;
    const auto widthOf = [&] {
        return std::max(strongMetrics.horizontalAdvance(first), smallMetrics.horizontalAdvance(second));
    };
    if (widthOf() + 2 * spare > room && layout.addends() > 1)
        first = tr("Σ of %1").arg(layout.addends());
    if (strongMetrics.horizontalAdvance(first) + 2 * spare > room)
        first = words::counted(holders.size(), words::Noun::Device);
    if (strongMetrics.horizontalAdvance(first) + 2 * spare > room && layout.copies() > 1) {
        first = words::copies(layout.copies());
        second.clear();
        if (strongMetrics.horizontalAdvance(first) + 2 * spare > room) {
            strong = smallName();
            strongMetrics = QFontMetrics(strong);
            around = spareOfSmall;
        }
    }
    if (strongMetrics.horizontalAdvance(first) + 2 * around > room || !hasHeightForName(cell.height()))
        return false;
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
    if (patterned || layout.copies() > 1 || layout.addends() > 1) {
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
    return true;
}

void GridCanvas::paintPadding(QPainter& painter, const QRect& panel, const Theme& theme) const
{
    for (const QRect& part : m_grid.padding(panel))
        shardscope::paintPadding(painter, part, theme, devicePixelRatioF());
}

void GridCanvas::paintPaddingWords(QPainter& painter, const QRect& panel, const Theme& theme) const
{
    for (const QRect& part : m_grid.padding(panel)) {
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

void GridCanvas::paintMarks(QPainter& painter, const Theme& theme) const
{
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.accent, 3, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
    for (const GridCell& cell : m_selectedCells)
        painter.drawRect(QRectF(m_grid.markRect(cell)).adjusted(1.5, 1.5, -1.5, -1.5));
    painter.setPen(QPen(theme.text, 2, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
    for (const GridCell& cell : m_highlightedCells)
        painter.drawRect(QRectF(m_grid.markRect(cell)));
    if (m_current && hasFocus() && m_grid.shows(*m_current)) {
        painter.setPen(QPen(theme.accent, 2, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
        painter.drawRect(QRectF(m_grid.markRect(*m_current)).adjusted(-1, -1, 1, 1));
    } else if (hasFocus() && m_ring) {
        painter.setPen(QPen(theme.accent, 2));
        painter.drawRect(rect().adjusted(2, 2, -2, -2));
    }
}

} // namespace shardscope
