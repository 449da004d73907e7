// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/program_view/graph_canvas.h"

#include <QEvent>
#include <QPaintEvent>
#include <QPainter>
#include <algorithm>

#include "views/program_view/graph_measure.h"
#include "views/theme/theme.h"

namespace shardscope {

GraphCanvas::GraphCanvas(QWidget* parent)
    : Canvas(tr("Graph of the program"), parent)
{
    setAccessibleDescription(
        tr("Arrow keys walk along the edges and through the parts. Return opens or folds a part. Plus and "
           "minus zoom, F shows all of the graph, Shift+F the current part. Space plays it, [ and ] go one step."));
    setAttribute(Qt::WA_OpaquePaintEvent);
    m_way.setStartValue(0.0);
    m_way.setEndValue(1.0);
    m_way.setDuration(450);
    m_way.setEasingCurve(QEasingCurve::InOutQuad);
    connect(&m_way, &QVariantAnimation::valueChanged, this, [this](const QVariant& way) {
        m_step.way = way.toDouble();
        update();
    });
}

GraphCanvas::~GraphCanvas() = default;

void GraphCanvas::setSnapshot(SnapshotPtr snapshot)
{
    const ProgramPtr program = snapshot ? snapshot->program : nullptr;
    const bool same = m_layout && program && program.get() == &m_layout->program();
    m_snapshot = std::move(snapshot);
    m_replay = nullptr;
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
        fitAgain();
    layoutChanged();
}

std::unique_ptr<GraphLayout> GraphCanvas::newLayout() const
{
    return std::make_unique<GraphLayout>(
        m_snapshot->program, m_outline, graphMeasure(*m_words, *m_outline), m_words->collectives());
}

void GraphCanvas::makeLayout(const std::vector<std::string>& openKeys)
{
    m_layout = newLayout();
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

void GraphCanvas::layoutChanged()
{
    m_places.reset();
    m_hovered = {};
    m_painter.forget();
    findMarks();
    placeStep();
    tableChanged(this);
    update();
}

void GraphCanvas::findMarks()
{
    m_marks = m_layout && m_marked.valid() ? m_layout->placesOf(m_marked) : std::vector<GraphPlace>();
    std::sort(m_marks.begin(), m_marks.end());
}

void GraphCanvas::setMarkedValue(ValueId value)
{
    if (value == m_marked)
        return;
    m_marked = value;
    findMarks();
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

int GraphCanvas::currentCollective() const
{
    if (!m_current.valid())
        return -1;
    const OperationId operation = currentOperation();
    return operation.valid() ? m_layout->collectives().ofOperation(operation) : m_layout->item(m_current).collective;
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

void GraphCanvas::changeEvent(QEvent* event)
{
    if ((event->type() == QEvent::FontChange || event->type() == QEvent::ApplicationFontChange) && m_layout) {
        const std::vector<int> open = m_layout->openParts();
        m_layout = newLayout();
        m_layout->setOpenParts(open);
        layoutChanged();
        if (!m_moved)
            fit();
    }
    Canvas::changeEvent(event);
}

void GraphCanvas::paintEvent(QPaintEvent* event)
{
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.fillRect(event->rect(), theme.base);
    if (!m_layout || !m_layout->level(0))
        return;
    const GraphScene scene{ *m_layout, *m_words, m_zoom, m_offset, QSizeF(size()), m_current, m_hovered, m_marked,
        m_marks, m_step, hasFocus(), devicePixelRatioF() };
    m_painter.paint(painter, QRectF(event->rect()), scene);
    if (hasFocus() && !m_current.valid())
        paintFocusFrame(painter);
}

} // namespace shardscope
