// SPDX-License-Identifier: GPL-3.0-or-later
// Boxes in layers from left to right, with curves from box to box: one level of a graph, without any nesting. What is
// much longer than high goes on in rows, as text does.
//
// Every edge goes from a layer to a later one. Where it passes layers between, it holds a place in each of them, so
// that no curve runs through a box. Boxes stand as close as they can to the middle of what they are connected with;
// chains become straight lines. Equal input gives equal output, and boxes keep the order in which they are given
// wherever crossings do not ask for another one.
#pragma once

#include <QPointF>
#include <QSizeF>
#include <vector>

namespace shardscope {

struct LayeredBox {
    double width = 0, height = 0;
    QSizeF label; ///< of what is written below the box, from its left side on
    int layer = 0;
};
struct LayeredEdge {
    int from = 0, to = 0;
};
struct LayeredSizes {
    double gap = 16; ///< between neighbours of a layer
    double straight = 6; ///< length of a line before it curves, and of an arrow at its end
    double curve = 24; ///< the least width in which lines may change their place
    double thread = 12; ///< kept for a line that passes a layer
    double port = 8; ///< between arrows into one box
    double row = 1200; ///< what is shorter stays in one row
    double shape = 1.8; ///< width to height that rows are made for
    double betweenRows = 28;
};

struct LayeredPlaces {
    std::vector<QPointF> boxes; ///< top left corners, from (0, 0) on
    /// From the right side of one box to the left side of another one: a line from the 1st to the 2nd point, a curve
    /// to the 3rd that begins and ends straight to the side, a line to the 4th, and so on. An even number of points.
    std::vector<std::vector<QPointF>> edges;
    std::vector<double> layerBegin, layerEnd; ///< of the boxes in each layer, labels included
    QSizeF size; ///< of everything, labels included
};

/// The layer of each box: after all that it depends on, and right before the first that depends on it. Edges go from
/// lower to higher indices.
[[nodiscard]] std::vector<int> layersOf(int boxes, const std::vector<LayeredEdge>& edges);
[[nodiscard]] LayeredPlaces placeInLayers(
    const std::vector<LayeredBox>& boxes, const std::vector<LayeredEdge>& edges, const LayeredSizes& sizes);
/// Breaks one long row of layers into several, where few edges pass; those run back between the rows.
void breakIntoRows(LayeredPlaces& places, const std::vector<LayeredBox>& boxes, const std::vector<LayeredEdge>& edges,
    const LayeredSizes& sizes);

} // namespace shardscope
