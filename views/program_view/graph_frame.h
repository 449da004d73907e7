// SPDX-License-Identifier: GPL-3.0-or-later
// One frame of the graph's picture being painted. For graph_painter.cpp and graph_edge_painting.cpp alone.
#pragma once

#include <QFont>
#include <QFontMetricsF>
#include <QPainter>

#include "views/program_view/graph_painter.h"
#include "views/theme/theme.h"

namespace shardscope {

/// From these zooms on.
inline constexpr double shapesFrom = 0.6, titlesFrom = 0.3, edgesFrom = 0.12;

struct GraphPainter::Frame {
    GraphPainter& own;
    const GraphScene& scene;
    const GraphLayout& layout;
    const GraphWords& stated;
    const Theme& theme;
    QPainter& painter;
    const QRectF clip; ///< in the widget
    const double zoom;
    const QFont plain;
    const QFontMetricsF plainMetrics;

    Frame(GraphPainter& painterOf, QPainter& with, const QRectF& where, const GraphScene& of);

    [[nodiscard]] double pixels(int at12) const { return Metrics::scaled(at12) * zoom; }
    [[nodiscard]] QPointF toWidget(QPointF point, QPointF origin) const
    {
        return (point + origin - scene.offset) * zoom;
    }
    [[nodiscard]] QRectF toWidget(const QRectF& rect, QPointF origin) const
    {
        return { toWidget(rect.topLeft(), origin), rect.size() * zoom };
    }
    /// What is in sight, in the frame of a level.
    [[nodiscard]] QRectF inSight(QPointF origin) const
    {
        return { clip.topLeft() / zoom + scene.offset - origin, clip.size() / zoom };
    }

    void level(int part, int depth);
    void bars(const GraphLevel& in, QPointF origin);
    void item(GraphPlace place, const GraphItem& item, QPointF origin, bool text, int depth);
    void frame(GraphPlace place, const QRectF& rect, int depth);
    void folded(GraphPlace place, const GraphItem& item, const QRectF& rect, bool container);
    void sign(const QRectF& rect, GraphPlace place);
    void trail();
    void plate(QPointF at, const QString& text);
    void arrow(const QRectF& at, bool open);
    void label(const GraphTexts::Line& line, const QRectF& rect);
    /// Number of the collective that it is, -1 for none.
    [[nodiscard]] int collectiveAt(const GraphItem& item) const;
    void leaving(const QRectF& rect);

    void step();
    void travel(const GraphStep::Arrow& arrow);
    void chips();

    void edges(int part, const GraphLevel& in, QPointF origin, bool readable);
    /// `partial`: of a mesh axis along which what flows is still to be added up, -1 for none.
    void edge(const GraphEdge& edge, QPointF origin, const QColor& color, double width, int partial = -1);
};

} // namespace shardscope
