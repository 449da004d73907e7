// SPDX-License-Identifier: GPL-3.0-or-later
// What of the graph is in sight: zoom, place, and how it is brought there.
// A part of GraphCanvas, which is declared in graph_canvas.h.
#include <algorithm>
#include <cmath>

#include "views/program_view/graph_canvas.h"

namespace shardscope {

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
    m_fitsAll = true;
    fitAgain();
}

/// All of it. Where that would be too small to be read, and nobody has asked for it: all of its width, or all of its
/// height; where that is too small as well, its beginning. What is not in sight is scrolled to; what is current or
/// marked is in sight.
void GraphCanvas::fitAgain()
{
    if (!m_layout || m_layout->size().isEmpty())
        return;
    constexpr double leastLegible = 0.75, zoomOfBeginning = 0.85, margins = 16; // of letters 12 pixels high
    const QSizeF graph = m_layout->size();
    const double full = std::max(smallestZoom, std::min({ width() / graph.width(), height() / graph.height(), 1.0 }));
    const double oneWay =
        std::min(std::max((width() - margins) / graph.width(), (height() - margins) / graph.height()), 1.0);
    const bool fits = m_fitsAll || full >= leastLegible;
    const double zoom = fits ? full : oneWay >= leastLegible ? oneWay : zoomOfBeginning;
    const bool changed = zoom != m_zoom;
    m_zoom = zoom;
    if (fits) {
        m_offset = QPointF((graph.width() - width() / zoom) / 2, (graph.height() - height() / zoom) / 2);
    } else {
        const GraphPlace place = m_current.valid() ? m_current : m_marks.empty() ? GraphPlace() : m_marks.front();
        const QRectF wanted = place.valid() ? m_layout->rect(place) : firstRect();
        const QSizeF room = QSizeF(size()) / zoom;
        // No empty room beside the graph where there is more of it to see; what is larger than the widget is seen from
        // its beginning on.
        const auto offset = [](double from, double to, double all, double seen) {
            const double margin = std::min(24.0, seen / 16);
            if (all < seen)
                return (all - seen) / 2;
            if (to + margin <= seen)
                return -margin;
            const double at = to - from + 2 * margin < seen ? (from + to - seen) / 2 : from - margin;
            return std::clamp(at, -margin, all - seen + margin);
        };
        m_offset = { offset(wanted.left(), wanted.right(), graph.width(), room.width()),
            offset(wanted.top(), wanted.bottom(), graph.height(), room.height()) };
    }
    m_moved = false;
    update();
    if (changed)
        Q_EMIT zoomChanged();
}

/// Where reading begins.
QRectF GraphCanvas::firstRect() const
{
    int part = 0;
    GraphPlace first;
    for (const GraphLevel* in = m_layout->level(part); in && !in->items.empty(); in = m_layout->level(part)) {
        const auto at = std::find_if(in->items.begin(), in->items.end(),
            [](const GraphItem& item) { return item.kind == GraphItem::Kind::Part; });
        if (at == in->items.end())
            break;
        first = { part, static_cast<int>(at - in->items.begin()) };
        if (!m_layout->isOpen(at->part))
            break;
        part = at->part;
    }
    return first.valid() ? m_layout->rect(first) : QRectF();
}

void GraphCanvas::fitCurrent()
{
    if (!m_layout || !m_current.valid())
        return fit();
    constexpr double share = 0.9, largest = 1.5; // of the widget; single operations need not fill it
    const QRectF wanted = m_layout->rect(m_current);
    m_zoom = std::clamp(share * std::min(width() / wanted.width(), height() / wanted.height()), smallestZoom, largest);
    m_offset = wanted.center() - QPointF(width(), height()) / (2 * m_zoom);
    m_moved = true;
    keepInSight();
    update();
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
    QSizeF room = QSizeF(size()) / m_zoom;
    const double margin = std::min({ 24.0, room.width() / 8, room.height() / 8 });
    QRectF seen(m_offset, room);
    const auto moved = [margin](double from, double to, double first, double last) {
        if (last - first > to - from - 2 * margin || first < from + margin)
            return first < from + margin || last > to - margin ? first - margin - from : 0.0;
        return last > to - margin ? last + margin - to : 0.0;
    };
    QPointF by(moved(seen.left(), seen.right(), rect.left(), rect.right()),
        moved(seen.top(), seen.bottom(), rect.top(), rect.bottom()));
    if (by.isNull())
        return;
    if (!m_moved) { // fitted, and it stays so: the widget may not have its size yet
        fitAgain();
        room = QSizeF(size()) / m_zoom;
        seen = QRectF(m_offset, room);
        if (seen.adjusted(-1, -1, 1, 1).contains(rect) || rect.width() > room.width() || rect.height() > room.height())
            return;
        by = { moved(seen.left(), seen.right(), rect.left(), rect.right()),
            moved(seen.top(), seen.bottom(), rect.top(), rect.bottom()) };
    }
    if (std::abs(by.x()) > room.width() || std::abs(by.y()) > room.height()) // far away: into the middle
        by = QRectF(rect.topLeft(), rect.size().boundedTo(room)).center() - seen.center();
    m_offset += by;
    m_moved = true;
    update();
}

void GraphCanvas::resizeEvent(QResizeEvent*)
{
    if (!m_moved)
        fitAgain();
    else
        keepInSight();
}

} // namespace shardscope
