// SPDX-License-Identifier: GPL-3.0-or-later
// Pointer, wheel and keys on the program's graph.
// A part of GraphCanvas, which is declared in graph_canvas.h.
#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QNativeGestureEvent>
#include <QWheelEvent>
#include <cmath>

#include "views/program_view/graph_canvas.h"
#include "views/theme/theme.h"
#include "views/widgets/plain_tip.h"

namespace shardscope {

namespace {

constexpr double zoomStep = 1.2;

} // namespace

/// The arrow of an open part lies at the left of its head, that of a folded one at its left edge.
bool GraphCanvas::isOnArrow(QPointF pixels, GraphPlace place) const
{
    const GraphItem& item = m_layout->item(place);
    if (item.part < 0 || !m_outline->isContainer(item.part))
        return false;
    const QRectF frame = toWidget(m_layout->rect(place));
    const double side = Metrics::scaled(26) * m_zoom;
    return pixels.x() < frame.left() + side
        && pixels.y() < frame.top() + std::max(side, m_layout->isOpen(item.part) ? side : frame.height());
}

void GraphCanvas::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton)
        return QWidget::mousePressEvent(event);
    m_pressed = m_last = event->position();
    m_dragging = event->button() == Qt::MiddleButton;
}

void GraphCanvas::mouseMoveEvent(QMouseEvent* event)
{
    const QPointF at = event->position();
    if (m_pressed) {
        if (!m_dragging && (at - *m_pressed).manhattanLength() >= QApplication::startDragDistance()) {
            m_dragging = true;
            setCursor(Qt::ClosedHandCursor);
        }
        if (m_dragging)
            panBy(at - m_last);
        m_last = at;
        return;
    }
    const GraphPlace place = placeAt(at);
    if (place == m_hovered)
        return;
    m_hovered = place;
    update();
}

void GraphCanvas::mouseReleaseEvent(QMouseEvent* event)
{
    if (!m_pressed)
        return QWidget::mouseReleaseEvent(event);
    const bool clicked = !m_dragging && event->button() == Qt::LeftButton;
    m_pressed.reset();
    m_dragging = false;
    unsetCursor();
    if (!clicked || !m_layout)
        return;
    const GraphPlace place = m_layout->at(toGraph(event->position()));
    if (place.valid() && isOnArrow(event->position(), place))
        toggle(m_layout->item(place).part);
    else
        choose(place);
}

void GraphCanvas::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || !m_layout)
        return QWidget::mouseDoubleClickEvent(event);
    const GraphPlace place = m_layout->at(toGraph(event->position()));
    if (place.valid() && !isOnArrow(event->position(), place))
        activate(place);
}

/// Folds or unfolds a part; goes to where a value is made.
void GraphCanvas::activate(GraphPlace place)
{
    if (!place.valid())
        return;
    const GraphItem item = m_layout->item(place);
    if (item.part >= 0) {
        toggle(item.part);
        return;
    }
    if (item.kind == GraphItem::Kind::Collective) {
        Q_EMIT collectiveOpened();
        return;
    }
    const OperationId definition = m_layout->program().value(item.value).definition;
    if (item.kind == GraphItem::Kind::Value && definition.valid()) {
        show(m_outline->partOfOperation[definition.index]);
        Q_EMIT currentChanged();
    }
}

void GraphCanvas::leaveEvent(QEvent*)
{
    if (m_hovered.valid()) {
        m_hovered = {};
        update();
    }
}

void GraphCanvas::wheelEvent(QWheelEvent* event)
{
    // Touch pads tell pixels and move the picture; wheels tell angles and zoom, as both do with Ctrl.
    const bool zooms = event->modifiers() & Qt::ControlModifier || event->pixelDelta().isNull();
    if (zooms)
        setZoom(m_zoom * std::pow(zoomStep, event->angleDelta().y() / 120.0), event->position());
    else
        panBy(event->pixelDelta());
    event->accept();
}

void GraphCanvas::keyPressEvent(QKeyEvent* event)
{
    if (!m_layout)
        return QWidget::keyPressEvent(event);
    const bool pans = event->modifiers() & Qt::ControlModifier;
    const double step = Metrics::scaled(48);
    const auto go = [&](GraphDirection direction, QPointF pan) {
        if (pans)
            panBy(pan * step);
        else if (const GraphPlace next = m_layout->neighbour(m_current, direction);
                 next.valid() && !(next == m_current))
            choose(next);
    };
    switch (event->key()) {
    case Qt::Key_Up:
        return go(GraphDirection::Up, { 0, 1 });
    case Qt::Key_Down:
        return go(GraphDirection::Down, { 0, -1 });
    case Qt::Key_Left:
        return go(GraphDirection::Left, { 1, 0 });
    case Qt::Key_Right:
        return go(GraphDirection::Right, { -1, 0 });
    case Qt::Key_PageUp:
        return panBy({ 0, height() * 0.8 });
    case Qt::Key_PageDown:
        return panBy({ 0, -height() * 0.8 });
    case Qt::Key_Home:
    case Qt::Key_End:
        if (!places().empty())
            choose(event->key() == Qt::Key_Home ? places().front() : places().back());
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        return activate(m_current);
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        return zoomBy(zoomStep);
    case Qt::Key_Minus:
        return zoomBy(1 / zoomStep);
    case Qt::Key_0:
        return zoomBy(1 / m_zoom);
    case Qt::Key_F:
        return event->modifiers() & Qt::ShiftModifier ? fitCurrent() : fit();
    default:
        QWidget::keyPressEvent(event);
    }
}

QString GraphCanvas::tipOf(GraphPlace place) const
{
    const GraphItem& item = m_layout->item(place);
    switch (item.kind) {
    case GraphItem::Kind::Results:
        return m_words->results(item.more + 1);
    case GraphItem::Kind::Value:
        return item.more > 0 ? m_words->valueName(item.value, place.level, item.more) : m_words->tip(item.value);
    case GraphItem::Kind::Collective:
        return m_words->collectiveTip(item.collective);
    case GraphItem::Kind::Part:
        break;
    }
    const ProgramPart& part = m_outline->part(item.part);
    const int own = part.kind == PartKind::Operation ? m_layout->collectives().ofOperation(part.operation) : -1;
    if (own >= 0)
        return m_words->tip(item.part) + u'\n' + m_words->collectiveTip(own);
    return m_words->tip(item.part);
}

Canvas::Tip GraphCanvas::tipAt(QPoint point) const
{
    const GraphPlace place = placeAt(point);
    return place.valid() ? Tip{ plainTip(tipOf(place)), toWidget(m_layout->rect(place)).toAlignedRect() } : Tip();
}

bool GraphCanvas::event(QEvent* event)
{
    if (event->type() == QEvent::NativeGesture)
        if (const auto* gesture = static_cast<QNativeGestureEvent*>(event);
            gesture->gestureType() == Qt::ZoomNativeGesture) {
            setZoom(m_zoom * (1 + gesture->value()), gesture->position());
            return true;
        }
    return Canvas::event(event);
}

} // namespace shardscope
