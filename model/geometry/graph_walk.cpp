// SPDX-License-Identifier: GPL-3.0-or-later
// Finding one's way in the layout: what is at a point, where a part is drawn, where arrow keys lead.
// A part of GraphLayout, which is declared in graph_layout.h.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "geometry/graph_layout.h"

namespace shardscope {

const GraphLevel* GraphLayout::level(int part) const
{
    for (int at = part; at >= 0; at = m_outline->part(at).parent)
        if (!isOpen(at))
            return nullptr;
    return m_levels[static_cast<std::size_t>(part)].get();
}

QRectF GraphLayout::rect(GraphPlace place) const
{
    return item(place).rect.translated(origin(place.level));
}

GraphPlace GraphLayout::at(QPointF point) const
{
    GraphPlace found;
    for (int part = 0;;) {
        const GraphLevel* in = level(part);
        if (!in)
            return found;
        const QPointF within = point - origin(part);
        GraphPlace hit;
        in->itemTree.visit(QRectF(within, QSizeF()), [&](int item) {
            if (in->item(item).rect.contains(within))
                hit = { part, item };
            return !hit.valid();
        });
        if (!hit.valid())
            return found;
        found = hit;
        const int inner = in->item(hit.item).part;
        if (inner < 0 || !isOpen(inner))
            return found;
        part = inner;
    }
}

GraphPlace GraphLayout::placeOf(int part) const
{
    GraphPlace found;
    for (int at = part; at > 0; at = m_outline->part(at).parent) {
        const int parent = m_outline->part(at).parent;
        if (level(parent))
            return { parent, m_itemOfPart[static_cast<std::size_t>(at)] };
    }
    return found;
}

void GraphLayout::forEachLevel(const std::function<void(int)>& visit) const
{
    std::vector<int> waiting{ 0 };
    while (!waiting.empty()) {
        const int part = waiting.back();
        waiting.pop_back();
        const GraphLevel* in = level(part);
        if (!in)
            continue;
        visit(part);
        for (auto item = in->items.rbegin(); item != in->items.rend(); ++item)
            if (item->part >= 0 && isOpen(item->part))
                waiting.push_back(item->part);
    }
}

std::vector<GraphPlace> GraphLayout::placesOf(ValueId value) const
{
    std::vector<GraphPlace> found;
    const OperationId definition = m_program->value(value).definition;
    if (definition.valid() && m_outline->partOfOperation[definition.index] >= 0)
        if (const GraphPlace place = placeOf(m_outline->partOfOperation[definition.index]); place.valid())
            found.push_back(place);
    forEachLevel([&](int part) {
        const GraphLevel& in = *level(part);
        for (std::size_t i = 0; i < in.items.size(); ++i)
            if (in.items[i].kind == GraphItem::Kind::Value && in.items[i].value == value)
                found.push_back({ part, static_cast<int>(i) });
    });
    return found;
}

std::vector<GraphPlace> GraphLayout::places() const
{
    std::vector<GraphPlace> all;
    const auto visit = [&](const auto& self, int part) -> void {
        const GraphLevel* in = level(part);
        if (!in)
            return;
        for (std::size_t i = 0; i < in->items.size(); ++i) {
            all.push_back({ part, static_cast<int>(i) });
            if (in->items[i].part >= 0 && isOpen(in->items[i].part))
                self(self, in->items[i].part);
        }
    };
    visit(visit, 0);
    return all;
}

GraphPlace GraphLayout::placeOfCollective(int collective) const
{
    const OperationId operation = m_collectives.operationOf(collective);
    if (!operation.valid() || operation.index >= m_outline->partOfOperation.size())
        return {};
    const int own = m_outline->partOfOperation[operation.index];
    if (own < 0)
        return {};
    if (m_collectives.ofOperation(operation) == collective)
        return placeOf(own);
    const int parent = m_outline->part(own).parent;
    const GraphLevel* in = level(parent);
    for (std::size_t i = 0; in && i < in->items.size(); ++i)
        if (in->items[i].collective == collective)
            return { parent, static_cast<int>(i) };
    return {};
}

/// The item of a level that one comes to from outside: the first one from the left, the last one from the right.
GraphPlace GraphLayout::enter(int part, GraphDirection direction) const
{
    const GraphLevel* in = level(part);
    if (!in || in->items.empty())
        return {};
    return { part, direction == GraphDirection::Left ? static_cast<int>(in->items.size()) - 1 : 0 };
}

/// Where one comes to from an item of a level in whose direction there is no other one: the place itself where there is
/// nothing beyond the frame either.
GraphPlace GraphLayout::outwards(GraphPlace place, GraphDirection direction) const
{
    const GraphPlace frame = placeOf(place.level);
    if (!frame.valid())
        return place;
    if (direction == GraphDirection::Left)
        return frame; // its head lies before what is in it
    if (direction != GraphDirection::Right) {
        const GraphPlace next = neighbour(frame, direction);
        return next == frame ? place : next;
    }
    // Along the edges of the frame, since right of its head lies what is in it: to the nearest layer, and there to the
    // item that is nearest in height.
    const GraphLevel& around = *level(frame.level);
    const double y = around.item(frame.item).rect.center().y();
    const auto distance = [&](int item) {
        const GraphItem& of = around.item(item);
        return std::pair(of.layer, std::abs(of.rect.center().y() - y));
    };
    GraphPlace next = place;
    for (const GraphEdge& edge : around.edges)
        if (edge.from == frame.item && (next == place || distance(edge.to) < distance(next.item)))
            next = { frame.level, edge.to };
    return next;
}

GraphPlace GraphLayout::neighbour(GraphPlace place, GraphDirection direction) const
{
    if (!place.valid())
        return enter(0, GraphDirection::Right);
    const GraphLevel& in = *level(place.level);
    const GraphItem& from = in.item(place.item);
    if (direction == GraphDirection::Up
        || direction == GraphDirection::Down) { // in the order of reading, which reaches every item
        const int to = place.item + (direction == GraphDirection::Up ? -1 : 1);
        return to >= 0 && to < static_cast<int>(in.items.size()) ? GraphPlace{ place.level, to }
                                                                 : outwards(place, direction);
    }
    if (direction == GraphDirection::Right && from.part >= 0 && isOpen(from.part))
        return enter(from.part, direction);

    // Along an edge, to the end that is nearest in height; otherwise to what lies next in the direction.
    int best = -1;
    double nearest = std::numeric_limits<double>::max();
    const auto consider = [&](int item) {
        const double distance = std::abs(in.item(item).rect.center().y() - from.rect.center().y());
        if (distance < nearest) {
            nearest = distance;
            best = item;
        }
    };
    const auto at = [](const std::vector<int>& starts, int layer) { return starts[static_cast<std::size_t>(layer)]; };
    const bool toRight = direction == GraphDirection::Right;
    const int firstLayer = toRight ? from.layer : std::max(0, from.layer - longestEdge);
    for (int i = at(in.edgeStart, firstLayer); i < at(in.edgeStart, from.layer + (toRight ? 1 : 0)); ++i) {
        const GraphEdge& edge = in.edges[static_cast<std::size_t>(i)];
        if ((toRight ? edge.from : edge.to) == place.item)
            consider(toRight ? edge.to : edge.from);
    }
    const int step = toRight ? 1 : -1;
    for (int layer = from.layer + step; best < 0 && layer >= 0 && layer < in.layers(); layer += step)
        for (int item = at(in.layerStart, layer); item < at(in.layerStart, layer + 1); ++item)
            consider(item);
    return best >= 0 ? GraphPlace{ place.level, best } : outwards(place, direction);
}

} // namespace shardscope
