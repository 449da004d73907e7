// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/device_map/map_path.h"

namespace shardscope {

namespace {

constexpr double margin = 0.12; ///< of a cell's width, left at its sides

/// The step from one cell to the next: -1, 0 or 1 each way.
struct Step {
    int across = 0, down = 0;
};

Step stepOf(const QRectF& from, const QRectF& to)
{
    const QPointF way = to.center() - from.center();
    const bool alongRow = qAbs(way.x()) >= qAbs(way.y());
    return { alongRow ? (way.x() > 0 ? 1 : way.x() < 0 ? -1 : 0) : 0, alongRow ? 0 : (way.y() > 0 ? 1 : -1) };
}

} // namespace

QPolygonF pathBeside(const std::vector<QRectF>& cells)
{
    QPolygonF line;
    bool right = false; // the side of a cell that the line is at
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const QRectF& cell = cells[i];
        const Step in = i > 0 ? stepOf(cells[i - 1], cell) : Step();
        const Step out = i + 1 < cells.size() ? stepOf(cell, cells[i + 1]) : Step();
        const double below = cell.bottom() + 1; // in the gap between rows
        const auto add = [&](double y) {
            const QPointF point(right ? cell.right() - cell.width() * margin : cell.left() + cell.width() * margin, y);
            if (line.isEmpty() || line.last() != point)
                line << point;
        };
        if (in.across != 0)
            right = in.across < 0;
        else if (out.across != 0 && i == 0)
            right = out.across < 0;
        add(i == 0 && out.down > 0 ? cell.top() : below);
        if (in.across != 0 || out.across != 0) { // through it
            if (out.across != 0)
                right = out.across > 0;
            else
                right = in.across > 0;
            add(below);
        }
        if (i + 1 == cells.size() && in.down < 0)
            add(cell.top());
    }
    return line;
}

} // namespace shardscope
