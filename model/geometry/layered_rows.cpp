// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of layers: a long graph goes on in a row below, and edges from one row to the next run back between them.
// Declared in layered_layout.h.
#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/layered_layout.h"

namespace shardscope {

namespace {

constexpr int maxLanes = 12; ///< beside each other between two rows; further edges share them
constexpr double laneStep = 4, firstLane = 10;

struct LayerRow {
    int first = 0, end = 0; ///< layers
    double top = std::numeric_limits<double>::max(), bottom = std::numeric_limits<double>::lowest(); ///< as they were
    int lanes = 0; ///< below it
    QPointF shift; ///< to where it comes to stand

    void include(double from, double to)
    {
        top = std::min(top, from);
        bottom = std::max(bottom, to);
    }
};

std::size_t asIndex(int number)
{
    return static_cast<std::size_t>(number);
}

/// As many layers as fit into `limit`; of the last third of them the break with the fewest edges.
std::vector<LayerRow> rowsOf(const LayeredPlaces& places, const std::vector<int>& crossing, double limit)
{
    const int layers = static_cast<int>(places.layerBegin.size());
    std::vector<LayerRow> rows;
    for (int first = 0; first < layers;) {
        const double begin = places.layerBegin[asIndex(first)];
        int end = first + 1;
        while (end < layers && places.layerEnd[asIndex(end)] - begin <= limit)
            ++end;
        if (end < layers) {
            int best = end;
            for (int at = end - 1; at > first && places.layerEnd[asIndex(at) - 1] - begin >= 0.7 * limit; --at)
                if (crossing[asIndex(at) - 1] < crossing[asIndex(best) - 1])
                    best = at;
            end = best;
        }
        LayerRow& row = rows.emplace_back();
        row.first = first;
        row.end = end;
        row.lanes = end < layers ? std::min(maxLanes, crossing[asIndex(end) - 1]) : 0;
        first = end;
    }
    return rows;
}

} // namespace

void breakIntoRows(LayeredPlaces& places, const std::vector<LayeredBox>& boxes, const std::vector<LayeredEdge>& edges,
    const LayeredSizes& sizes)
{
    const auto layers = places.layerBegin.size();
    const double all = places.size.width();
    double widest = 0;
    for (std::size_t i = 0; i < layers; ++i)
        widest = std::max(widest, places.layerEnd[i] - places.layerBegin[i]);
    const double limit = std::max({ sizes.row, widest, std::sqrt(all * places.size.height() * sizes.shape) });
    if (layers < 2 || all <= 1.15 * limit)
        return;
    const auto layerOf = [&](int box) { return boxes[asIndex(box)].layer; };
    std::vector<int> crossing(layers + 1); // edges from a layer, or one before it, to those after it
    for (const LayeredEdge& edge : edges) {
        ++crossing[asIndex(layerOf(edge.from))];
        --crossing[asIndex(layerOf(edge.to))];
    }
    for (std::size_t i = 1; i < layers; ++i)
        crossing[i] += crossing[i - 1];
    std::vector<LayerRow> rows = rowsOf(places, crossing, limit);
    if (rows.size() < 2)
        return;

    std::vector<std::size_t> rowOf(layers);
    for (std::size_t r = 0; r < rows.size(); ++r)
        for (int layer = rows[r].first; layer < rows[r].end; ++layer)
            rowOf[asIndex(layer)] = r;
    const auto rowAt = [&](const LayeredEdge& edge, std::size_t point) { // two points in each layer
        return rowOf[asIndex(layerOf(edge.from)) + point / 2];
    };
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        const double top = places.boxes[i].y();
        rows[rowOf[asIndex(boxes[i].layer)]].include(top, top + boxes[i].height + boxes[i].label.height());
    }
    for (std::size_t i = 0; i < edges.size(); ++i)
        for (std::size_t p = 0; p < places.edges[i].size(); ++p) {
            const double y = places.edges[i][p].y();
            rows[rowAt(edges[i], p)].include(y - sizes.thread / 2, y + sizes.thread / 2);
        }

    int lanes = 0;
    for (const LayerRow& row : rows)
        lanes = std::max(lanes, row.lanes);
    const double margin = firstLane + laneStep * (lanes + 1);
    double y = 0, width = 0;
    for (LayerRow& row : rows) {
        row.shift = QPointF(margin - places.layerBegin[asIndex(row.first)], y - row.top);
        y += row.bottom - row.top + (row.end < static_cast<int>(layers) ? sizes.betweenRows + laneStep * row.lanes : 0);
        width = std::max(width, places.layerEnd[asIndex(row.end) - 1] + row.shift.x());
    }

    std::vector<int> taken(rows.size()); // lanes, below each row
    for (std::size_t i = 0; i < edges.size(); ++i) {
        std::vector<QPointF> moved;
        for (std::size_t p = 0; p < places.edges[i].size(); ++p) {
            const std::size_t at = rowAt(edges[i], p);
            const QPointF point = places.edges[i][p] + rows[at].shift;
            if (p > 0 && p % 2 == 0 && rowAt(edges[i], p - 1) != at) {
                const LayerRow& before = rows[at - 1];
                const double lane = laneStep * (taken[at - 1]++ % maxLanes);
                const double right = places.layerEnd[asIndex(before.end) - 1] + before.shift.x() + firstLane + lane;
                const double between = before.bottom + before.shift.y() + sizes.betweenRows / 2 + lane;
                const double left = margin - firstLane - lane, from = moved.back().y();
                for (const QPointF corner :
                    { QPointF(right, from), QPointF(right, between), QPointF(left, between), QPointF(left, point.y()) })
                    moved.push_back(corner);
            }
            moved.push_back(point);
        }
        places.edges[i] = std::move(moved);
    }
    for (std::size_t i = 0; i < boxes.size(); ++i)
        places.boxes[i] += rows[rowOf[asIndex(boxes[i].layer)]].shift;
    for (std::size_t i = 0; i < layers; ++i) {
        places.layerBegin[i] += rows[rowOf[i]].shift.x();
        places.layerEnd[i] += rows[rowOf[i]].shift.x();
    }
    places.size = QSizeF(width + margin, std::ceil(y));
}

} // namespace shardscope
