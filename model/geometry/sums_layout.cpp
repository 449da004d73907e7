// SPDX-License-Identifier: GPL-3.0-or-later
#include "geometry/sums_layout.h"

#include <algorithm>
#include <cmath>

#include "geometry/index_at.h"

namespace shardscope {

namespace {

constexpr int sumsMargin = 8, sumsGap = 6, minimumBar = 2;

} // namespace

SumsLayout SumsLayout::make(const std::vector<double>& shares, int width, int rowHeight, int figureWidth)
{
    SumsLayout layout;
    int y = 0;
    for (const double share : shares) {
        Row row;
        row.row = QRect(0, y, width, rowHeight);
        const QRect inside = row.row.adjusted(sumsMargin, 0, -sumsMargin, 0);
        const int figure = std::min(figureWidth, std::max(inside.width(), 0));
        row.figure = QRect(inside.right() - figure + 1, y, figure, rowHeight);
        row.name = QRect(inside.left(), y, std::max(inside.width() - figure - sumsGap, 0), rowHeight);
        // Bars end before the figures.
        const QRect track(row.row.left() + sumsMargin / 2, y + 2, row.name.width() + sumsMargin / 2, rowHeight - 4);
        const int wanted = static_cast<int>(std::lround(track.width() * std::clamp(share, 0.0, 1.0)));
        row.bar = QRect(track.topLeft(), QSize(share > 0 ? std::max(wanted, minimumBar) : 0, track.height()));
        layout.rows.push_back(row);
        y += rowHeight;
    }
    return layout;
}

int SumsLayout::rowAt(QPoint point) const
{
    return indexAt(rows, point, &Row::row);
}

} // namespace shardscope
