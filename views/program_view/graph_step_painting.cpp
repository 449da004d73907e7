// SPDX-License-Identifier: GPL-3.0-or-later
// A step of propagation over the graph: the way of each axis as an arrow, and the axis as a chip where it arrives.
// Declared in graph_frame.h.
#include <algorithm>
#include <cmath>
#include <map>

#include "views/program_view/graph_frame.h"
#include "views/widgets/chip.h"

namespace shardscope {

namespace {

/// Where the way from the middle of a box to a point leaves the box.
QPointF borderTowards(const QRectF& box, QPointF point)
{
    const QPointF middle = box.center(), way = point - middle;
    const double across = std::abs(way.x()) < 1e-6 ? 1e9 : box.width() / 2 / std::abs(way.x());
    const double down = std::abs(way.y()) < 1e-6 ? 1e9 : box.height() / 2 / std::abs(way.y());
    return middle + way * std::min({ across, down, 1.0 });
}

} // namespace

void GraphPainter::Frame::step()
{
    painter.setRenderHint(QPainter::Antialiasing, true);
    for (const GraphStep::Arrow& arrow : scene.step.arrows)
        travel(arrow);
    chips();
}

void GraphPainter::Frame::travel(const GraphStep::Arrow& arrow)
{
    const QRectF from = toWidget(layout.rect(arrow.from), {}), to = toWidget(layout.rect(arrow.to), {});
    const QPointF way = to.center() - from.center();
    const double length = std::hypot(way.x(), way.y());
    if (length < 1 || !from.united(to).adjusted(-60, -60, 60, 60).intersects(clip))
        return;
    // Beside the edge that it goes along.
    const QPointF bend = QPointF(-way.y(), way.x()) / length * std::clamp(length * 0.2, 8.0, 40.0);
    const QPointF middle = (from.center() + to.center()) / 2 + bend;
    const QPointF begin = borderTowards(from, middle), end = borderTowards(to, middle);
    QPainterPath& path = own.m_path;
    path.clear();
    path.moveTo(begin);
    path.quadTo(middle, end);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(theme.axisPen(arrow.axis, 2.5));
    painter.drawPath(path);
    const QPointF straight = end - middle;
    const QPointF ahead = straight / std::max(1.0, std::hypot(straight.x(), straight.y()));
    const QPointF aside(-ahead.y(), ahead.x());
    const double size = Metrics::scaled(5);
    const QPointF head[]{ end, end - ahead * 2 * size + aside * size, end - ahead * 2 * size - aside * size };
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.meshAxis(arrow.axis));
    painter.drawPolygon(head, 3);
    if (scene.step.way < 1)
        painter.drawEllipse(path.pointAtPercent(std::clamp(scene.step.way, 0.0, 1.0)), size, size);
}

/// Above the boxes, side by side; as large as ever. Where there is no room any more, a dot.
void GraphPainter::Frame::chips()
{
    std::map<GraphPlace, double> taken; // width, by place
    for (const GraphStep::Chip& chip : scene.step.chips) {
        const QRectF box = toWidget(layout.rect(chip.at), {});
        const QSize size = chipSize(chip.axis);
        double& left = taken[chip.at];
        const QRect at(
            QPoint(static_cast<int>(box.left() + left), static_cast<int>(box.top()) - size.height() - 1), size);
        left += size.width() + 3;
        if (!QRectF(at).united(box).intersects(clip))
            continue;
        const bool isFree = std::none_of(own.m_plates.begin(), own.m_plates.end(),
            [&at](const QRectF& other) { return other.intersects(QRectF(at)); });
        if (isFree) {
            own.m_plates.push_back(at);
            paintChip(painter, at, chip.axis, chip.index, theme, ChipState::Applied);
        } else {
            painter.setPen(Qt::NoPen);
            painter.setBrush(theme.meshAxis(chip.index));
            painter.drawEllipse(QPointF(box.left() + 3, box.top()), 3, 3);
        }
    }
}

} // namespace shardscope
