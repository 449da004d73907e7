// SPDX-License-Identifier: GPL-3.0-or-later
// Edges of the graph: curves with arrow heads where they can be told apart, straight lines in one go where they cannot.
// Declared in graph_frame.h.
#include <algorithm>

#include "views/program_view/graph_frame.h"

namespace shardscope {

namespace {

constexpr int maxEdges = 6000; ///< of a level in one frame: more would be a grey plane
constexpr int maxCurves = 400; ///< beyond which lines have corners

/// From `a` to `b`, beginning and ending straight to the right.
struct Curve {
    QPointF a, b;
    [[nodiscard]] double y(double t) const { return a.y() + (b.y() - a.y()) * t * t * (3 - 2 * t); }
    [[nodiscard]] double x(double t) const
    {
        const double middle = (a.x() + b.x()) / 2, s = 1 - t;
        return a.x() * s * s * s + 3 * middle * s * t + b.x() * t * t * t;
    }
    [[nodiscard]] QPointF slope(double t) const
    {
        const double middle = (a.x() + b.x()) / 2, s = 1 - t;
        return { 3 * ((middle - a.x()) * s * s + (b.x() - middle) * t * t), 6 * (b.y() - a.y()) * t * s };
    }
    /// Where it passes a y; 0 or 1 if that lies beyond its ends.
    [[nodiscard]] double at(double wanted) const
    {
        double low = 0, high = 1;
        for (int i = 0; i < 24; ++i) {
            const double t = (low + high) / 2;
            ((y(t) < wanted) == (a.y() < b.y()) ? low : high) = t;
        }
        return (low + high) / 2;
    }
};

/// The part of a curve that lies between two heights; all of it may be a thousand times as high.
void addPart(QPainterPath& path, const Curve& curve, double top, double bottom)
{
    double from = curve.at(top), to = curve.at(bottom);
    if (from > to)
        std::swap(from, to);
    const double third = (to - from) / 3;
    const QPointF first(curve.x(from), curve.y(from)), last(curve.x(to), curve.y(to));
    path.moveTo(first);
    path.cubicTo(first + curve.slope(from) * third, last - curve.slope(to) * third, last);
}

} // namespace

void GraphPainter::Frame::edges(int part, const GraphLevel& in, QPointF origin, bool readable)
{
    const int current = scene.current.level == part ? scene.current.item : -1;
    std::vector<int>& lit = own.m_highlighted;
    std::vector<QLineF>& lines = own.m_lines;
    lit.clear();
    lines.clear();
    const double reach = 8 / zoom; // of arrow heads
    const QRectF seen = inSight(origin).adjusted(-reach, -reach, reach, reach);
    const bool curved = readable && in.edgeTree.count(seen, maxCurves) <= maxCurves;
    painter.setRenderHint(QPainter::Antialiasing, curved);
    painter.setBrush(Qt::NoBrush);
    int drawn = 0;
    in.edgeTree.visit(seen, [&](int index) {
        const GraphEdge& each = in.edges[static_cast<std::size_t>(index)];
        if (each.from == current || each.to == current
            || (scene.marked.valid() && each.value == scene.marked && each.more == 0))
            lit.push_back(index);
        else if (curved)
            edge(each, origin, theme.strongLine, 1.5, stated.addsUp(in.item(each.to).collective));
        else if (readable)
            for (std::size_t i = 1; i < each.points.size(); ++i)
                lines.emplace_back(toWidget(each.points[i - 1], origin), toWidget(each.points[i], origin));
        else
            lines.emplace_back(toWidget(each.points.front(), origin), toWidget(each.points.back(), origin));
        return ++drawn < maxEdges;
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

void GraphPainter::Frame::edge(const GraphEdge& edge, QPointF origin, const QColor& color, double width, int partial)
{
    QPainterPath& path = own.m_path;
    path.clear();
    const QRectF near = clip.adjusted(-8, -8, 8, 8);
    QPointF before = toWidget(edge.points.front(), origin);
    bool down = false; // the pen stands at `before`
    for (std::size_t i = 1; i < edge.points.size(); ++i) {
        const QPointF at = toWidget(edge.points[i], origin);
        const double left = std::min(before.x(), at.x()), right = std::max(before.x(), at.x());
        const double top = std::min(before.y(), at.y()), bottom = std::max(before.y(), at.y());
        const bool isSeen =
            left <= near.right() && right >= near.left() && top <= near.bottom() && bottom >= near.top();
        if (isSeen && i % 2 == 0 && bottom - top > 2 * near.height()) {
            addPart(path, { before, at }, near.top(), near.bottom());
            down = false;
        } else if (isSeen) {
            if (!down)
                path.moveTo(before);
            const double middle = (before.x() + at.x()) / 2;
            if (i % 2 == 1 || bottom - top < 0.5)
                path.lineTo(at);
            else
                path.cubicTo({ middle, before.y() }, { middle, at.y() }, at);
            down = true;
        } else {
            down = false;
        }
        before = at;
    }
    if (path.isEmpty())
        return;
    const QColor drawn = partial >= 0 ? theme.meshAxis(partial) : color;
    QPen pen(drawn, width * std::clamp(zoom, 0.6, 1.4));
    if (partial >= 0)
        pen.setDashPattern({ 1.4, 2 }); // dotted: parts that are still to be added up
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(path);
    if (partial >= 0 && zoom >= shapesFrom) {
        const QPointF middle = path.pointAtPercent(0.5);
        const double radius = pixels(7);
        painter.setPen(QPen(drawn, 1.5));
        painter.setBrush(theme.base);
        painter.drawEllipse(middle, radius, radius);
        painter.setFont(zoomed(Metrics::small(), zoom));
        painter.drawText(QRectF(middle - QPointF(radius, radius), QSizeF(2 * radius, 2 * radius)), Qt::AlignCenter,
            QStringLiteral("Σ"));
    }
    if (!near.contains(before))
        return;
    const double half = 3.5 * std::clamp(zoom, 0.5, 1.5);
    const QPointF head[]{ before, before + QPointF(-2 * half, -half), before + QPointF(-2 * half, half) };
    painter.setPen(Qt::NoPen);
    painter.setBrush(drawn);
    painter.drawPolygon(head, 3);
}

} // namespace shardscope
