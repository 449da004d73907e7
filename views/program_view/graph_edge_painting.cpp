// SPDX-License-Identifier: GPL-3.0-or-later
// Edges of the graph: curves with arrow heads where they can be told apart, straight lines in one go where they cannot.
#include <algorithm>
#include <cmath>

#include "views/program_view/graph_frame.h"

namespace shardscope {

namespace {

constexpr int mostEdges = 6000; ///< of a level in one frame: more would be a grey plane

} // namespace

void GraphPainter::Frame::edges(int part, const GraphLevel& in, QPointF origin, bool curved)
{
    const int current = scene.current.level == part ? scene.current.item : -1;
    std::vector<int>& lit = own.m_lit;
    std::vector<QLineF>& lines = own.m_lines;
    lit.clear();
    lines.clear();
    painter.setRenderHint(QPainter::Antialiasing, curved);
    painter.setBrush(Qt::NoBrush);
    int drawn = 0;
    const double reach = 8 / zoom; // of arrow heads
    in.edgeTree.visit(inSight(origin).adjusted(-reach, -reach, reach, reach), [&](int index) {
        const GraphEdge& each = in.edges[static_cast<std::size_t>(index)];
        if (each.from == current || each.to == current
            || (scene.marked.valid() && each.value == scene.marked && each.more == 0))
            lit.push_back(index);
        else if (curved)
            edge(each, origin, theme.strongLine, 1.5);
        else
            lines.emplace_back(toWidget(each.points.front(), origin), toWidget(each.points.back(), origin));
        return ++drawn < mostEdges;
    });
    if (!curved) {
        painter.setPen(QPen(theme.strongLine, 1));
        painter.drawLines(lines.data(), static_cast<int>(lines.size()));
        painter.setRenderHint(QPainter::Antialiasing, true);
    }
    for (const int index : lit)
        edge(in.edges[static_cast<std::size_t>(index)], origin, theme.accent, 2);
    painter.setRenderHint(QPainter::Antialiasing, true);
}

void GraphPainter::Frame::edge(const GraphEdge& edge, QPointF origin, const QColor& color, double width)
{
    QPainterPath& path = own.m_path;
    path.clear();
    path.moveTo(toWidget(edge.points.front(), origin));
    for (std::size_t i = 1; i < edge.points.size(); ++i) {
        const QPointF at = toWidget(edge.points[i], origin);
        const QPointF before = path.currentPosition();
        const double middle = (before.y() + at.y()) / 2;
        if (i % 2 == 1 || std::abs(before.x() - at.x()) < 0.5)
            path.lineTo(at);
        else
            path.cubicTo({ before.x(), middle }, { at.x(), middle }, at);
    }
    painter.setPen(QPen(color, width * std::clamp(zoom, 0.6, 1.4)));
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(path);
    const QPointF tip = path.currentPosition();
    const double half = 3.5 * std::clamp(zoom, 0.5, 1.5);
    const QPointF head[]{ tip, tip + QPointF(-half, -2 * half), tip + QPointF(half, -2 * half) };
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    painter.drawPolygon(head, 3);
}

} // namespace shardscope
