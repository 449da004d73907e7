// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/program_view/graph_canvas.h"

#include <QEvent>
#include <QFontMetricsF>
#include <QHash>
#include <algorithm>
#include <cmath>

#include "views/theme/theme.h"
#include "views/widgets/span_line.h"

namespace shardscope {

GraphCanvas::GraphCanvas(QWidget* parent)
    : QWidget(parent)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Graph of the program"));
    setAttribute(Qt::WA_OpaquePaintEvent);
}

GraphCanvas::~GraphCanvas() = default;

QSize GraphCanvas::sizeHint() const
{
    return { Metrics::scaled(480), Metrics::scaled(360) };
}

QSize GraphCanvas::minimumSizeHint() const
{
    return { Metrics::scaled(120), Metrics::scaled(80) };
}

void GraphCanvas::setSnapshot(SnapshotPtr snapshot)
{
    const ProgramPtr program = snapshot ? snapshot->program : nullptr;
    const bool same = m_layout && program && program.get() == &m_layout->program();
    m_snapshot = std::move(snapshot);
    if (!program) {
        m_layout.reset();
        m_words.reset();
        m_outline.reset();
        m_current = m_hovered = {};
        m_marked = {};
        m_marks.clear();
        layoutChanged();
        return;
    }
    std::vector<std::string> open;
    std::string current;
    if (m_layout) {
        for (const int part : m_layout->openParts())
            open.push_back(m_outline->key(part));
        if (m_current.valid() && m_layout->item(m_current).part >= 0)
            current = m_outline->key(m_layout->item(m_current).part);
    }
    if (!same) {
        m_outline = std::make_shared<const ProgramOutline>(ProgramOutline::build(*program));
        m_words = std::make_unique<GraphWords>(program, m_outline);
        m_marked = {};
    }
    m_words->setSnapshot(m_snapshot);
    makeLayout(open);
    m_current = m_hovered = {};
    if (!current.empty()) // the part of that name, if there is one in sight
        for (const GraphPlace& place : m_layout->places())
            if (const int part = m_layout->item(place).part; part >= 0 && m_outline->key(part) == current) {
                m_current = place;
                break;
            }
    if (!m_moved)
        fit();
    layoutChanged();
}

void GraphCanvas::makeLayout(const std::vector<std::string>& openKeys)
{
    m_layout = std::make_unique<GraphLayout>(m_snapshot->program, m_outline, measure());
    std::vector<int> open;
    if (!openKeys.empty()) {
        std::vector<std::string> keys = openKeys;
        std::sort(keys.begin(), keys.end());
        for (std::size_t i = 0; i < m_outline->parts.size(); ++i)
            if (const int part = static_cast<int>(i);
                m_outline->isContainer(part) && std::binary_search(keys.begin(), keys.end(), m_outline->key(part)))
                open.push_back(part);
    }
    // Another program altogether shows what a program shows at first.
    if (open.empty() || open.front() != 0 || (open.size() == 1 && openKeys.size() > 1))
        m_layout->openFirst();
    else
        m_layout->setOpenParts(open);
}

/// Sizes of what is painted at 100 %.
GraphMeasure GraphCanvas::measure() const
{
    const auto pixels = [](int at12) { return static_cast<double>(Metrics::scaled(at12)); };
    const QFont title = Metrics::semibold(), small = Metrics::small(), fixed = Metrics::fixed();
    const auto widths = std::make_shared<QHash<QString, double>>();
    const auto widthOf = [widths](const QString& text, const QFont& font, QChar kind) {
        double& width = (*widths)[kind + text];
        if (width == 0)
            width = std::ceil(QFontMetricsF(font).horizontalAdvance(text));
        return width;
    };
    const GraphWords* said = m_words.get();
    const ProgramOutline* outline = m_outline.get();
    GraphMeasure measure;
    measure.folded = [=](int part) {
        const ProgramPart& of = outline->part(part);
        double width = widthOf(said->title(part), title, u't') + pixels(24);
        if (of.kind == PartKind::Operation) {
            const bool pin = !of.children.empty() || said->isConstraint(of.operation); // or an arrow
            return QSizeF(std::max(pixels(48), width + (pin ? pixels(14) : 0)), pixels(28));
        }
        width = std::max(width + pixels(16), widthOf(said->subtitle(part), small, u's') + pixels(36));
        return QSizeF(std::max(pixels(120), width), pixels(44));
    };
    measure.head = [=](int part) {
        return widthOf(said->title(part), title, u't') + widthOf(said->counts(part), small, u's') + pixels(64);
    };
    measure.value = [=](ValueId value, int more, int level) {
        return QSizeF(
            std::max(pixels(28), widthOf(said->valueName(value, level, more), small, u's') + pixels(16)), pixels(22));
    };
    measure.results = [=](int count) {
        return QSizeF(widthOf(said->results(count), small, u's') + pixels(20), pixels(22));
    };
    measure.label = [=](OperationId operation) {
        double width = 0;
        const int part = outline->partOfOperation[operation.index];
        for (const words::Span& span : said->label(operation, outline->part(part).parent)) {
            QFont face =
                span.style == words::Span::Style::Strong || span.style == words::Span::Style::Plain ? small : fixed;
            if (span.style == words::Span::Style::Axis || span.style == words::Span::Style::Strong)
                face.setWeight(QFont::DemiBold);
            width += widthOf(span.text, face, QChar(u'0' + static_cast<char16_t>(span.style)));
        }
        return width;
    };
    measure.headHeight = pixels(26);
    measure.padding = pixels(16);
    measure.sizes = { pixels(16), pixels(18), pixels(20), pixels(12), pixels(18) };
    return measure;
}

void GraphCanvas::layoutChanged()
{
    m_places.reset();
    m_hovered = {};
    m_marks.clear();
    if (m_layout && m_marked.valid())
        m_marks = m_layout->placesOf(m_marked);
    tableChanged(this);
    update();
}

void GraphCanvas::setMarkedValue(ValueId value)
{
    if (value == m_marked)
        return;
    m_marked = value;
    m_marks.clear();
    if (m_layout && value.valid())
        m_marks = m_layout->placesOf(value);
    if (!m_marks.empty()) {
        const QRectF seen(toGraph({ 0, 0 }), QSizeF(size()) / m_zoom);
        const bool anySeen = std::any_of(m_marks.begin(), m_marks.end(),
            [&](const GraphPlace& place) { return seen.intersects(m_layout->rect(place)); });
        if (!anySeen)
            bringIntoSight(m_layout->rect(m_marks.front()));
    }
    update();
}

OperationId GraphCanvas::currentOperation() const
{
    if (!m_current.valid() || m_layout->item(m_current).part < 0)
        return {};
    const ProgramPart& part = m_outline->part(m_layout->item(m_current).part);
    return part.kind == PartKind::Operation ? part.operation : OperationId();
}

ValueId GraphCanvas::currentValue() const
{
    if (!m_current.valid())
        return {};
    if (const OperationId operation = currentOperation(); operation.valid()) {
        const auto& results = m_layout->program().operation(operation).results;
        return results.empty() ? ValueId() : results[0];
    }
    const GraphItem& item = m_layout->item(m_current);
    return item.kind == GraphItem::Kind::Part || item.more > 0 ? ValueId() : item.value;
}

void GraphCanvas::setCurrent(GraphPlace place)
{
    if (place == m_current)
        return;
    m_current = place;
    if (place.valid())
        bringIntoSight(m_layout->rect(place));
    tableCurrentChanged(this);
    update();
}

void GraphCanvas::choose(GraphPlace place)
{
    setCurrent(place);
    Q_EMIT currentChanged();
}

void GraphCanvas::show(int part)
{
    if (!m_layout)
        return;
    m_layout->reveal(part);
    layoutChanged();
    m_moved = true;
    m_current = {};
    setCurrent(m_layout->placeOf(part));
}

void GraphCanvas::toggle(int part)
{
    if (!m_layout || part <= 0 || !m_outline->isContainer(part))
        return;
    // The head stays under the pointer.
    const GraphPlace before = m_layout->placeOf(part);
    const int currentPart = m_current.valid() ? m_layout->item(m_current).part : -1;
    const QPointF was = before.valid() ? m_layout->rect(before).topLeft() : QPointF();
    m_layout->setOpen(part, !m_layout->isOpen(part));
    const GraphPlace after = m_layout->placeOf(part);
    if (after.valid())
        m_offset += m_layout->rect(after).topLeft() - was;
    m_current = m_layout->placeOf(currentPart >= 0 ? currentPart : part);
    m_moved = true;
    keepInSight();
    layoutChanged();
    tableCurrentChanged(this);
}

void GraphCanvas::foldAll()
{
    if (!m_layout)
        return;
    std::vector<int> open{ 0 };
    if (m_outline->part(0).kind == PartKind::Module)
        open.push_back(m_outline->part(0).children.front());
    m_layout->setOpenParts(open);
    m_current = {};
    layoutChanged();
    fit();
}

void GraphCanvas::unfoldAll()
{
    unfold(false);
}

void GraphCanvas::unfoldEverything()
{
    unfold(true);
}

void GraphCanvas::unfold(bool repeats)
{
    if (!m_layout)
        return;
    std::vector<int> open;
    const auto visit = [&](const auto& self, int part) -> void {
        if (!m_outline->isContainer(part) || (!repeats && m_outline->part(part).kind == PartKind::Repeat))
            return;
        open.push_back(part);
        for (const int child : m_outline->part(part).children)
            self(self, child);
    };
    visit(visit, 0);
    m_layout->setOpenParts(open);
    m_current = {};
    layoutChanged();
    fit();
}

// What is in sight.

QRectF GraphCanvas::toWidget(const QRectF& rect) const
{
    return { (rect.topLeft() - m_offset) * m_zoom, rect.size() * m_zoom };
}

void GraphCanvas::setZoom(double zoom, QPointF anchor)
{
    zoom = std::clamp(zoom, smallestZoom, largestZoom);
    if (!m_layout || zoom == m_zoom)
        return;
    m_offset += anchor / m_zoom - anchor / zoom;
    m_zoom = zoom;
    m_moved = true;
    keepInSight();
    update();
    Q_EMIT zoomChanged();
}

void GraphCanvas::zoomBy(double factor)
{
    // Around what is current, as long as it is in sight.
    QPointF anchor = QRectF(rect()).center();
    if (m_current.valid())
        if (const QRectF at = toWidget(m_layout->rect(m_current)); QRectF(rect()).contains(at.center()))
            anchor = at.center();
    setZoom(m_zoom * factor, anchor);
}

void GraphCanvas::fit()
{
    if (!m_layout || m_layout->size().isEmpty())
        return;
    constexpr double leastLegible = 0.6;
    const QSizeF graph = m_layout->size();
    const double across = width() / graph.width(), down = height() / graph.height();
    const double whole = std::min({ across, down, 1.0 });
    const double zoom = whole >= leastLegible ? whole : std::clamp(across, leastLegible, 1.0);
    const bool changed = zoom != m_zoom;
    m_zoom = zoom;
    m_offset = QPointF((graph.width() - width() / zoom) / 2, std::min(0.0, (graph.height() - height() / zoom) / 2));
    m_moved = false;
    update();
    if (changed)
        Q_EMIT zoomChanged();
}

void GraphCanvas::panBy(QPointF pixels)
{
    m_offset -= pixels / m_zoom;
    m_moved = true;
    keepInSight();
    update();
}

/// Some of the graph always stays in sight.
void GraphCanvas::keepInSight()
{
    if (!m_layout)
        return;
    const QSizeF graph = m_layout->size(), seen = QSizeF(size()) / m_zoom;
    const double x = std::min(graph.width(), seen.width()) / 2, y = std::min(graph.height(), seen.height()) / 2;
    m_offset.setX(std::clamp(m_offset.x(), x - seen.width(), graph.width() - x));
    m_offset.setY(std::clamp(m_offset.y(), y - seen.height(), graph.height() - y));
}

void GraphCanvas::bringIntoSight(const QRectF& rect)
{
    const QSizeF room = QSizeF(size()) / m_zoom;
    const double margin = std::min({ 24.0, room.width() / 8, room.height() / 8 });
    const QRectF seen(m_offset, room);
    const auto moved = [margin](double from, double to, double first, double last) {
        if (last - first > to - from - 2 * margin || first < from + margin)
            return first < from + margin || last > to - margin ? first - margin - from : 0.0;
        return last > to - margin ? last + margin - to : 0.0;
    };
    QPointF by(moved(seen.left(), seen.right(), rect.left(), rect.right()),
        moved(seen.top(), seen.bottom(), rect.top(), rect.bottom()));
    if (by.isNull())
        return;
    if (std::abs(by.x()) > room.width() || std::abs(by.y()) > room.height()) // far away: into the middle
        by = QRectF(rect.topLeft(), rect.size().boundedTo(room)).center() - seen.center();
    m_offset += by;
    m_moved = true;
    update();
}

void GraphCanvas::resizeEvent(QResizeEvent*)
{
    if (!m_moved)
        fit();
    else
        keepInSight();
}

void GraphCanvas::changeEvent(QEvent* event)
{
    if ((event->type() == QEvent::FontChange || event->type() == QEvent::ApplicationFontChange) && m_layout) {
        const std::vector<int> open = m_layout->openParts();
        m_layout = std::make_unique<GraphLayout>(m_snapshot->program, m_outline, measure());
        m_layout->setOpenParts(open);
        layoutChanged();
        if (!m_moved)
            fit();
    }
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::ApplicationPaletteChange)
        update();
    QWidget::changeEvent(event);
}

// As a table: one row per item.

const std::vector<GraphPlace>& GraphCanvas::places() const
{
    if (!m_places)
        m_places = m_layout ? m_layout->places() : std::vector<GraphPlace>();
    return *m_places;
}

int GraphCanvas::tableRowCount() const
{
    return static_cast<int>(places().size());
}

QString GraphCanvas::tableHeader(int column) const
{
    return column == 0 ? tr("Operation or value") : column == 1 ? tr("Shape and cut") : tr("Part of");
}

QString GraphCanvas::tableText(int row, int column) const
{
    if (row < 0 || row >= tableRowCount())
        return {};
    const GraphPlace place = places()[static_cast<std::size_t>(row)];
    const GraphItem& item = m_layout->item(place);
    if (column == 2)
        return m_words->place(place.level);
    if (item.kind == GraphItem::Kind::Results)
        return column == 0 ? m_words->results(item.more + 1) : QString();
    if (item.kind == GraphItem::Kind::Value)
        return column == 0 ? m_words->valueName(item.value, place.level, item.more)
                           : words::plain(m_words->shape(item.value));
    const ProgramPart& part = m_outline->part(item.part);
    if (column == 0)
        return part.children.empty()      ? m_words->title(item.part)
            : m_layout->isOpen(item.part) ? tr("%1, open").arg(m_words->title(item.part))
                                          : tr("%1, folded").arg(m_words->title(item.part));
    return part.kind == PartKind::Operation ? words::plain(m_words->label(part.operation, place.level))
                                            : m_words->subtitle(item.part);
}

QRect GraphCanvas::tableRect(int row) const
{
    if (row < 0 || row >= tableRowCount())
        return {};
    return toWidget(m_layout->rect(places()[static_cast<std::size_t>(row)])).toAlignedRect().intersected(rect());
}

int GraphCanvas::tableRowAt(QPoint point) const
{
    const GraphPlace place = m_layout ? m_layout->at(toGraph(point)) : GraphPlace();
    const auto found = std::find(places().begin(), places().end(), place);
    return place.valid() && found != places().end() ? static_cast<int>(found - places().begin()) : -1;
}

int GraphCanvas::tableCurrentRow() const
{
    const auto found = std::find(places().begin(), places().end(), m_current);
    return m_current.valid() && found != places().end() ? static_cast<int>(found - places().begin()) : -1;
}

void GraphCanvas::tableActivate(int row)
{
    if (row >= 0 && row < tableRowCount())
        choose(places()[static_cast<std::size_t>(row)]);
}

} // namespace shardscope
