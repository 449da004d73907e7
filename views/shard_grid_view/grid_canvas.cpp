// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/shard_grid_view/grid_canvas.h"

#include <QKeyEvent>
#include <algorithm>
#include <utility>

#include "document/selection.h"
#include "words/words.h"

namespace shardscope {

namespace {

constexpr int outer = 8;
constexpr std::int64_t maxMarkedDevices = 1024;

} // namespace

GridCanvas::GridCanvas(Selection* selection, QWidget* parent)
    : Canvas(tr("Shard grid"), Zooms::ByLevels, parent)
    , m_selection(selection)
{
    connect(selection, &Selection::hoverChanged, this, &GridCanvas::followSelection);
    connect(selection, &Selection::changed, this, &GridCanvas::followSelection);
}

void GridCanvas::setSubject(std::optional<GridSubject> subject)
{
    highlight(std::nullopt, false); // its devices would stay lit everywhere
    const bool same = m_subject && subject && m_subject->layout.shape() == subject->layout.shape()
        && m_subject->layout.shardGrid() == subject->layout.shardGrid();
    m_subject = std::move(subject);
    m_positions.reset();
    recolour();
    if (!same) { // what was zoomed to is another thing now
        m_level = 0;
        m_window = {};
    }
    arrange();
    update();
}

void GridCanvas::setChoice(GridLayout::Choice choice)
{
    GridLayout::Choice before = m_choice;
    before.slides = choice.slides; // another block of the same cells keeps the zoom
    if (!(before == choice)) {
        m_level = 0;
        m_window = {};
    }
    m_choice = std::move(choice);
    arrange();
    if (m_current) // it stands for another shard now
        setCurrentCell(std::exchange(m_current, std::nullopt));
    update();
    Q_EMIT choiceChanged();
}

bool GridCanvas::canMove(int dimension, GridPlace place) const
{
    return m_subject && GridLayout::moved(m_subject->layout, m_choice, dimension, place);
}

bool GridCanvas::moveDimension(int dimension, GridPlace place)
{
    auto moved = m_subject ? GridLayout::moved(m_subject->layout, m_choice, dimension, place) : std::nullopt;
    if (!moved)
        return false;
    setChoice(std::move(*moved));
    return true;
}

void GridCanvas::setSlide(int dimension, std::int64_t block)
{
    GridLayout::Choice choice = m_grid.choiceAt(m_choice, m_grid.slide());
    const auto d = static_cast<std::size_t>(dimension);
    if (d >= choice.slides.size() || choice.slides[d] == block)
        return;
    choice.slides[d] = block;
    setChoice(std::move(choice));
}

void GridCanvas::turnPage(int by)
{
    if (m_grid.slides() > 1) {
        const std::int64_t slide = std::clamp<std::int64_t>(m_grid.slide() + by, 0, m_grid.slides() - 1);
        if (slide != m_grid.slide())
            setChoice(m_grid.choiceAt(m_choice, slide));
        return;
    }
    GridCell cell = m_current.value_or(GridCell{});
    cell.panel = std::clamp(cell.panel + (m_current ? by : 0), 0, static_cast<int>(m_grid.panels().size()) - 1);
    setCurrentCell(cell);
}

void GridCanvas::setColour(ColourBy colour)
{
    m_colour = colour;
    recolour();
}

void GridCanvas::setSeconds(std::vector<double> seconds)
{
    m_seconds = std::move(seconds);
    if (m_colour == ColourBy::Time)
        recolour();
}

void GridCanvas::recolour()
{
    m_gradedAxis = m_selection->meshAxis();
    m_grades = m_subject
        ? gradesOf(m_colour, Theme::current(), m_subject->layout, m_subject->elementBytes, m_gradedAxis, m_seconds)
        : ColouredGrades();
    forgetPictures();
}

std::int32_t GridCanvas::colourKeyOf(std::int32_t device) const
{
    if (m_colour == ColourBy::Host)
        return m_subject->hostOf(device);
    return m_grades.isEmpty() ? device : m_grades.groups[static_cast<std::size_t>(device)];
}

QColor GridCanvas::colourOfKey(std::int32_t key, const Theme& theme) const
{
    return m_grades.isEmpty() ? theme.shard(key, 8) : QColor(m_grades.colours[static_cast<std::size_t>(key)]);
}

void GridCanvas::chooseColour(ColourBy colour)
{
    setColour(colour);
    m_selection->setColouring(colour);
}

void GridCanvas::setEmptyText(const QString& text)
{
    m_emptyText = text;
    update();
}

void GridCanvas::setCurrentCell(std::optional<GridCell> cell)
{
    if (std::exchange(m_current, cell) == cell)
        return;
    if (cell && m_subject) {
        ensureVisible(*cell);
        const std::int64_t shard = m_grid.shardOf(*cell);
        const CellText text = describeCell(*m_subject, shard);
        setAccessibleDescription(text.title + QStringLiteral(", ") + text.ranges + QStringLiteral(". ") + text.holding);
    }
    if (cell || m_highlightedByKeys)
        highlight(cell, true);
    tableCurrentChanged(this);
    update();
}
void GridCanvas::arrange()
{
    forgetPictures();
    layOut();
    // Another array, or less room for panels, may have no place for the cell where the keys were.
    if (m_current && (!m_subject || !m_grid.has(*m_current)))
        m_current.reset();
    if (m_highlightedCell && (!m_subject || !m_grid.has(*m_highlightedCell)))
        highlight(std::nullopt, false);
    followSelection();
    Q_EMIT zoomChanged();
    tableChanged(this);
}

GridMargins GridCanvas::margins() const
{
    const Layout& layout = m_subject->layout;
    const int rank = static_cast<int>(layout.shape().size());
    const QFontMetrics names{ font() }, strong{ Metrics::semibold() }, small{ Metrics::small() };
    GridMargins margins;
    margins.top = names.height() + small.height() + Metrics::scaled(22);
    margins.panelTitle = names.height() + 4;
    int left = 0;
    if (m_choice.rows >= 0) {
        left = std::max(names.horizontalAdvance(m_subject->dimensionName(m_choice.rows)),
            strong.horizontalAdvance(m_subject->axesOf(m_choice.rows)));
        left = std::max(left, small.horizontalAdvance(tr("not sharded")));
        // A long name is shortened before it takes the room of the grid.
        const QString shortened = m_subject->shortName(m_choice.rows);
        const int brief = shortened == m_subject->dimensionName(m_choice.rows) ? 0 : names.horizontalAdvance(shortened);
        left = std::min(left, std::max({ width() / 5, small.horizontalAdvance(tr("not sharded")), brief }));
        // Numbers are not: they have their room, or blocks are counted in place of their ranges.
        const std::int64_t size = layout.shape()[static_cast<std::size_t>(m_choice.rows)];
        const int ranges = small.horizontalAdvance(words::range(std::max<std::int64_t>(size - 2, 0), size));
        if (ranges <= width() * 2 / 5)
            left = std::max(left, ranges);
    }
    margins.left = left + Metrics::scaled(22);
    if (rank == 0) {
        margins.top = Metrics::scaled(16);
        margins.left = outer;
    }
    return margins;
}

GridCell GridCanvas::windowCentre() const
{
    return m_window.isFull()
        ? m_focus
        : GridCell{ m_focus.panel, m_window.firstRow + m_window.rows / 2, m_window.firstColumn + m_window.columns / 2 };
}

void GridCanvas::layOut()
{
    m_grid = GridLayout();
    if (!m_subject)
        return;
    const Layout& layout = m_subject->layout;
    const int rank = static_cast<int>(layout.shape().size());
    const auto fits = [rank](int d) { return d >= -1 && d < rank; };
    if (!fits(m_choice.rows) || !fits(m_choice.columns) || (rank > 0 && m_choice.columns < 0)
        || (rank > 1 && m_choice.rows < 0) || (rank > 0 && m_choice.rows == m_choice.columns))
        m_choice = GridLayout::defaultChoice(layout);
    if (rank == 0)
        m_choice = {};

    const GridMargins room = margins();
    const QFontMetrics small{ Metrics::small() };
    QRect area = rect().adjusted(outer, outer, -outer - 2, -outer - 2);
    const int legendWidth = Metrics::scaled(150), legendHeight = Metrics::scaled(24);
    if (legendBeside())
        area.setRight(area.right() - legendWidth - Metrics::scaled(12));
    else
        area.setBottom(area.bottom() - legendHeight);
    if (m_level > 0 || GridLayout(layout, m_choice, area.size(), room).isClamped())
        area.setBottom(area.bottom() - small.height() - 4); // the note on proportions stands below the grid
    m_area = area.size() + QSize(outer, outer);
    const HostTile host =
        m_subject->hostsAreRuns() ? GridLayout::hostTile(layout, m_choice, m_subject->devicesPerHost) : HostTile{};
    m_grid = GridLayout(layout, m_choice, m_area, room, {}, host);
    m_levels.clear();
    for (const GridDetail nearer : { GridDetail::Name, GridDetail::Full })
        if (m_grid.detail() < nearer && m_grid.detail() != GridDetail::Name && !m_grid.panels().empty())
            m_levels.push_back(nearer);
    m_level = std::min(m_level, m_levels.size());
    if (m_level > 0) {
        m_window = GridLayout::windowAround(layout, m_choice, m_area, room, m_levels[m_level - 1], windowCentre());
        m_grid = GridLayout(layout, m_choice, m_area, room, m_window, host);
    }
    m_smallestFace = smallestFace();
    m_hasNames = haveAllNames();
    // The layout starts at the origin; the canvas has an outer margin.
    if (legendBeside()) {
        int right = 0;
        for (const QRect& panel : m_grid.panels())
            right = std::max(right, panel.right());
        const int x = std::min(right + Metrics::scaled(20), width() - legendWidth - outer);
        m_legend =
            QRect(x, m_grid.panels().empty() ? outer : m_grid.panels().front().top(), width() - x - outer, height());
    } else {
        int bottom = 0;
        for (const QRect& panel : m_grid.panels())
            bottom = std::max(bottom, panel.bottom());
        const int note = m_grid.isClamped() ? small.height() + 4 : 0, lowest = height() - legendHeight - 2;
        const int y = bottom == 0 ? lowest : std::min(bottom + note + Metrics::scaled(10), lowest);
        m_legend = QRect(outer, y, width() - 2 * outer, legendHeight);
    }
}

std::vector<GridCell> GridCanvas::cellsOf(const DeviceGroup& devices)
{
    std::vector<GridCell> cells;
    if (!m_subject || devices.empty())
        return cells;
    const Layout& layout = m_subject->layout;
    if (const auto shard = devices.shardIn(layout)) {
        if (const auto cell = m_grid.cellOf(*shard))
            cells.push_back(*cell);
        return cells;
    }
    const bool positioned = devices.mesh() && (devices.mesh() == &layout.mesh() || *devices.mesh() == layout.mesh());
    // The array may be on other devices than what was pointed at.
    if (!positioned && !m_positions)
        m_positions = DevicePositions(layout.mesh());
    // More devices than can be outlined one by one would light everything.
    std::vector<std::int64_t> shards;
    for (std::int64_t n = 0; n < std::min<std::int64_t>(devices.size(), maxMarkedDevices); ++n) {
        const auto position = positioned ? devices.positionAt(n) : m_positions->of(devices.deviceAt(n));
        if (position)
            shards.push_back(layout.shardAt(*position));
    }
    std::sort(shards.begin(), shards.end());
    shards.erase(std::unique(shards.begin(), shards.end()), shards.end());
    for (const std::int64_t shard : shards)
        if (const auto cell = m_grid.cellOf(shard))
            cells.push_back(*cell);
    return cells;
}

void GridCanvas::followSelection()
{
    if (m_colour == ColourBy::Coordinate && m_gradedAxis != m_selection->meshAxis())
        recolour();
    m_selectedCells = cellsOf(m_selection->deviceGroup());
    m_highlightedCells = cellsOf(m_selection->hoveredGroup());
    update();
}

void GridCanvas::highlight(std::optional<GridCell> cell, bool byKeys)
{
    if (!cell && !m_highlightedCell)
        return;
    m_highlightedCell = m_subject ? cell : std::nullopt;
    m_highlightedByKeys = byKeys;
    m_selection->setHoveredDevices(m_highlightedCell
            ? DeviceGroup::holders(m_subject->layout, m_grid.shardOf(*m_highlightedCell))
            : DeviceGroup());
}

Canvas::Tip GridCanvas::tipAt(QPoint point) const
{
    const std::optional<GridCell> cell = m_subject ? m_grid.cellAt(point) : std::nullopt;
    if (!cell)
        return {};
    const CellText text = describeCell(*m_subject, m_grid.shardOf(*cell));
    QString html = QStringLiteral("<p style='white-space:pre'><b>%1</b><br><code>%2</code><br>%3")
                       .arg(text.title.toHtmlEscaped(), text.ranges.toHtmlEscaped(), text.holding.toHtmlEscaped());
    for (const QString& line : { text.copies, text.padding })
        if (!line.isEmpty())
            html += QStringLiteral("<br>") + line.toHtmlEscaped();
    return { html + QStringLiteral("</p>"), m_grid.cellRect(*cell) };
}

void GridCanvas::hoverAt(std::optional<QPoint> point)
{
    if (point || !m_highlightedByKeys)
        highlight(m_subject && point ? m_grid.cellAt(*point) : std::nullopt, false);
}

void GridCanvas::mousePressEvent(QMouseEvent* event)
{
    if (!m_subject || event->button() != Qt::LeftButton)
        return;
    const std::optional<GridCell> cell = m_grid.cellAt(event->pos());
    if (!cell) {
        setCurrentCell(std::nullopt);
        m_selection->setDevices({});
        return;
    }
    DeviceGroup devices = DeviceGroup::holders(m_subject->layout, m_grid.shardOf(*cell));
    if (event->modifiers() & Qt::ControlModifier) {
        std::vector<std::int32_t> all = m_selection->devices();
        const std::vector<std::int32_t> more = devices.ids();
        all.insert(all.end(), more.begin(), more.end());
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
        devices = std::move(all);
    }
    setCurrentCell(cell);
    highlight(cell, false); // until the pointer leaves
    m_selection->setDevices(std::move(devices));
}

void GridCanvas::keyPressEvent(QKeyEvent* event)
{
    if (!m_subject || m_grid.panels().empty())
        return QWidget::keyPressEvent(event);
    GridCell cell = m_current.value_or(GridCell{});
    const bool started = m_current.has_value();
    const int panels = static_cast<int>(m_grid.panels().size());
    switch (event->key()) {
    case Qt::Key_Left:
        if (cell.column > 0)
            --cell.column;
        else if (cell.panel > 0 && panels > 1)
            cell = { cell.panel - 1, cell.row, m_grid.columns().parts - 1 };
        break;
    case Qt::Key_Right:
        if (!started)
            break;
        if (cell.column + 1 < m_grid.columns().parts)
            ++cell.column;
        else if (cell.panel + 1 < panels)
            cell = { cell.panel + 1, cell.row, 0 };
        break;
    case Qt::Key_Up:
        cell.row = std::max<std::int64_t>(0, cell.row - 1);
        break;
    case Qt::Key_Down:
        if (started)
            cell.row = std::min(m_grid.rows().parts - 1, cell.row + 1);
        break;
    case Qt::Key_Home:
        cell.column = 0;
        break;
    case Qt::Key_End:
        cell.column = m_grid.columns().parts - 1;
        break;
    case Qt::Key_PageUp:
        return turnPage(-1);
    case Qt::Key_PageDown:
        return turnPage(1);
    case Qt::Key_Plus:
        return zoomIn(m_current);
    case Qt::Key_Minus:
    case Qt::Key_Backspace:
        return zoomOut();
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
        if (started)
            m_selection->setDevices(DeviceGroup::holders(m_subject->layout, m_grid.shardOf(cell)));
        return;
    case Qt::Key_Escape:
        if (!m_current && m_selection->deviceGroup().empty()) // the window may have something to take back
            return QWidget::keyPressEvent(event);
        setCurrentCell(std::nullopt);
        m_selection->setDevices({});
        return highlight(std::nullopt, false);
    default:
        return QWidget::keyPressEvent(event);
    }
    setCurrentCell(cell);
}

void GridCanvas::focusInEvent(QFocusEvent* event)
{
    QWidget::focusInEvent(event);
    // Whoever comes by keyboard needs to see where they are; a click shows that by itself.
    const Qt::FocusReason reason = event->reason();
    m_ring = reason == Qt::TabFocusReason || reason == Qt::BacktabFocusReason || reason == Qt::ShortcutFocusReason;
    update();
}

void GridCanvas::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    if (m_highlightedByKeys)
        highlight(std::nullopt, false);
    update();
}

} // namespace shardscope
