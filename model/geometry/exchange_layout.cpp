// SPDX-License-Identifier: GPL-3.0-or-later
#include "geometry/exchange_layout.h"

#include <algorithm>

namespace shardscope {

namespace {

ExchangeLayout::Arrow arrowFrom(QPoint from, QPoint to)
{
    constexpr int length = 7, half = 4;
    if (from.y() == to.y())
        return { QLine(from, to - QPoint(length, 0)), { to, to + QPoint(-length, -half), to + QPoint(-length, half) } };
    return { QLine(from, to - QPoint(0, length)), { to, to + QPoint(-half, -length), to + QPoint(half, -length) } };
}

} // namespace

bool ExchangeLayout::isBeside(int width, const ExchangeSizes& sizes)
{
    return width >= 2 * sizes.minimumGridWidth + sizes.arrow;
}

int ExchangeLayout::minimumHeight(int width, const ExchangeSizes& sizes)
{
    const int grid = sizes.headHeight + sizes.minimumGridHeight;
    return isBeside(width, sizes) ? sizes.bandHeight + sizes.gap + grid : sizes.bandHeight + 2 * sizes.arrow + 2 * grid;
}

ExchangeLayout ExchangeLayout::make(QSize area, const ExchangeSizes& sizes)
{
    ExchangeLayout layout;
    const int width = area.width(), height = std::max(area.height(), minimumHeight(width, sizes));
    layout.beside = isBeside(width, sizes);
    if (layout.beside) {
        const int column = (width - sizes.arrow) / 2, right = width - column;
        const int top = sizes.bandHeight + sizes.gap, grid = height - top - sizes.headHeight;
        layout.band = QRect(0, 0, width, sizes.bandHeight);
        layout.beforeHead = QRect(0, top, column, sizes.headHeight);
        layout.afterHead = QRect(right, top, column, sizes.headHeight);
        layout.beforeGrid = QRect(0, top + sizes.headHeight, column, grid);
        layout.afterGrid = QRect(right, top + sizes.headHeight, column, grid);
        const int y = top + sizes.headHeight / 2;
        layout.arrows = { arrowFrom({ column + 4, y }, { right - 5, y }) };
        return layout;
    }
    const int grid = (height - sizes.bandHeight - 2 * sizes.arrow) / 2 - sizes.headHeight;
    int y = 0;
    const auto take = [&](int rows) {
        const QRect rect(0, y, width, rows);
        y += rows;
        return rect;
    };
    layout.beforeHead = take(sizes.headHeight);
    layout.beforeGrid = take(grid);
    const QRect in = take(sizes.arrow);
    layout.band = take(sizes.bandHeight);
    const QRect out = take(sizes.arrow);
    layout.afterHead = take(sizes.headHeight);
    layout.afterGrid = take(grid);
    const int x = std::min(width / 2, 3 * sizes.arrow);
    layout.arrows = { arrowFrom({ x, in.top() + 2 }, { x, in.bottom() - 1 }),
        arrowFrom({ x, out.top() + 2 }, { x, out.bottom() - 1 }) };
    return layout;
}

GridLayout::Choice ExchangeLayout::commonChoice(const Layout& before, const Layout& after)
{
    const std::size_t rank = before.shape().size();
    if (rank < 3 || after.shape().size() != rank)
        return GridLayout::defaultChoice(before);
    Shape blocks(rank);
    for (std::size_t d = 0; d < rank; ++d)
        blocks[d] = std::max(before.shardGrid()[d], after.shardGrid()[d]);
    const std::vector<int> order = GridLayout::dimensionsByShards(blocks);
    GridLayout::Choice choice{ std::min(order[0], order[1]), std::max(order[0], order[1]) };
    std::int64_t panels = 1;
    for (std::size_t i = 2; i < rank; ++i)
        panels *= blocks[static_cast<std::size_t>(order[i])];
    constexpr std::int64_t maxPanels = GridLayout::maximumPanels / 8; // each grid has half the room
    if (panels > maxPanels) { // of all other dimensions one block at a time
        choice.others.assign(rank, GridPlace::Multiples);
        for (std::size_t i = 2; i < rank; ++i)
            choice.others[static_cast<std::size_t>(order[i])] = GridPlace::Slider;
    }
    return choice;
}

} // namespace shardscope
