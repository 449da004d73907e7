// SPDX-License-Identifier: GPL-3.0-or-later
// Finding one's way in the layout: what is at a point, where a part is drawn, where arrow keys lead.
// A part of GraphLayout, which is declared in graph_layout.h.
#include <algorithm>
#include <cmath>
#include <limits>

#include "views/program_view/graph_layout.h"

namespace shardscope {

std::pair<int, int> GraphLevel::layersWithin(double top, double bottom) const
{
    const auto first = std::lower_bound(layerBottom.begin(), layerBottom.end(), top);
    const auto end = std::upper_bound(layerTop.begin(), layerTop.end(), bottom);
    return { static_cast<int>(first - layerBottom.begin()), static_cast<int>(end - layerTop.begin()) };
}

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
        const auto [first, end] = in->layersWithin(within.y(), within.y());
        for (int layer = first; layer < end && !hit.valid(); ++layer) {
            const auto begin = in->items.begin() + in->layerStart[static_cast<std::size_t>(layer)];
            const auto after = in->items.begin() + in->layerStart[static_cast<std::size_t>(layer) + 1];
            auto item = std::upper_bound(
                begin, after, within.x(), [](double x, const GraphItem& each) { return x < each.rect.left(); });
            if (item != begin && (--item)->rect.contains(within))
                hit = { part, static_cast<int>(item - in->items.begin()) };
        }
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

/// The item of a level that one comes to from outside: the first one from above, the last one from below.
GraphPlace GraphLayout::enter(int part, GraphWay way) const
{
    const GraphLevel* in = level(part);
    if (!in || in->items.empty())
        return {};
    return { part, way == GraphWay::Up ? static_cast<int>(in->items.size()) - 1 : 0 };
}

GraphPlace GraphLayout::neighbour(GraphPlace place, GraphWay way) const
{
    if (!place.valid())
        return enter(0, GraphWay::Down);
    const GraphLevel& in = *level(place.level);
    const GraphItem& from = in.item(place.item);
    const auto start = [&in](int layer) { return in.layerStart[static_cast<std::size_t>(layer)]; };
    const auto outwards = [&]() -> GraphPlace {
        const GraphPlace frame = placeOf(place.level);
        if (!frame.valid())
            return place;
        if (way == GraphWay::Up)
            return frame; // its head lies above what is in it
        const GraphPlace next = way == GraphWay::Down ? GraphPlace() : neighbour(frame, way);
        if (way == GraphWay::Down) {
            // Not back into the frame that is being left.
            const GraphLevel& around = *level(frame.level);
            const GraphItem& left = around.item(frame.item);
            GraphPlace below;
            double nearest = std::numeric_limits<double>::max();
            for (const GraphEdge& edge : around.edges)
                if (edge.from == frame.item)
                    if (const double aside = std::abs(around.item(edge.to).rect.center().x() - left.rect.center().x());
                        !below.valid() || around.item(edge.to).layer < around.item(below.item).layer
                        || (around.item(edge.to).layer == around.item(below.item).layer && aside < nearest)) {
                        nearest = aside;
                        below = { frame.level, edge.to };
                    }
            return below.valid() ? below : place;
        }
        return next == frame ? place : next;
    };

    if (way == GraphWay::Left || way == GraphWay::Right) { // in the order of reading, which reaches every item
        const int to = place.item + (way == GraphWay::Left ? -1 : 1);
        return to >= 0 && to < static_cast<int>(in.items.size()) ? GraphPlace{ place.level, to } : outwards();
    }
    if (way == GraphWay::Down && from.part >= 0 && isOpen(from.part))
        return enter(from.part, way);

    // Along an edge, to the nearest end; otherwise to what lies next in the direction.
    GraphPlace best;
    double nearest = std::numeric_limits<double>::max();
    const double x = from.rect.center().x();
    const auto consider = [&](int item) {
        const double distance = std::abs(in.item(item).rect.center().x() - x);
        if (distance < nearest) {
            nearest = distance;
            best = { place.level, item };
        }
    };
    if (way == GraphWay::Down) {
        for (int i = in.edgeStart[static_cast<std::size_t>(from.layer)];
             i < in.edgeStart[static_cast<std::size_t>(from.layer) + 1]; ++i)
            if (const GraphEdge& edge = in.edges[static_cast<std::size_t>(i)]; edge.from == place.item)
                consider(edge.to);
    } else {
        for (int i = in.edgeStart[static_cast<std::size_t>(std::max(0, from.layer - longestEdge))];
             i < in.edgeStart[static_cast<std::size_t>(from.layer)]; ++i)
            if (const GraphEdge& edge = in.edges[static_cast<std::size_t>(i)]; edge.to == place.item)
                consider(edge.from);
    }
    const int step = way == GraphWay::Down ? 1 : -1;
    for (int layer = from.layer + step; !best.valid() && layer >= 0 && layer < in.layers(); layer += step)
        for (int item = start(layer); item < start(layer + 1); ++item)
            consider(item);
    return best.valid() ? best : outwards();
}

} // namespace shardscope
