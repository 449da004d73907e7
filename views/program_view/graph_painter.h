// SPDX-License-Identifier: GPL-3.0-or-later
// Draws the program's graph: frames, edges, boxes, and what is written on them, as much of it as can be read. It looks
// at what is in sight alone, and keeps what it has laid out from one frame to the next.
#pragma once

#include <QPainterPath>
#include <QRectF>
#include <optional>
#include <utility>
#include <vector>

#include "geometry/graph_layout.h"
#include "views/program_view/graph_texts.h"

class QPainter;

namespace shardscope {

struct Theme;

/// A step of propagation, where the graph draws it.
struct GraphStep {
    struct Arrow {
        GraphPlace from, to;
        int axis = 0; ///< of the mesh
    };
    struct Chip {
        GraphPlace at;
        QString axis; ///< that arrives there
        int index = 0; ///< of it in the mesh
    };
    GraphPlace operation; ///< by whose rule
    std::vector<Arrow> arrows;
    std::vector<Chip> chips;
    double way = 1; ///< how far the axes have come
};

/// What is drawn, and from where it is looked at.
struct GraphScene {
    const GraphLayout& layout;
    const GraphWords& words;
    double zoom = 1;
    QPointF offset; ///< of the graph at the widget's top left corner
    QSizeF size; ///< of the widget
    GraphPlace current, hovered;
    ValueId marked; ///< invalid for none
    const std::vector<GraphPlace>& marks; ///< where it is drawn, sorted
    const GraphStep& step;
    bool hasFocus = false;
    double pixelRatio = 1;
};

class GraphPainter {
public:
    /// `clip`: what of the widget is painted.
    void paint(QPainter& painter, const QRectF& clip, const GraphScene& scene);
    /// The layout, the words or the fonts are others.
    void forget() { m_texts.forget(); }

private:
    struct Frame;
    GraphTexts m_texts;
    // Kept for their memory alone.
    QPainterPath m_path;
    std::vector<QLineF> m_lines;
    std::vector<int> m_highlighted;
    std::vector<std::pair<QRectF, GraphPlace>> m_signs; ///< heads of small frames, written last
    std::vector<GraphPlace> m_above; ///< frames in sight whose heads lie above
    std::vector<QRectF> m_plates; ///< of those that are written
};

} // namespace shardscope
