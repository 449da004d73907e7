// SPDX-License-Identifier: GPL-3.0-or-later
#include "geometry/trace_layout.h"

#include <algorithm>

namespace shardscope {

TraceLayout::TraceLayout(int ruleCount, int dimensionCount, int width, const TraceSizes& sizes)
    : rules(ruleCount)
    , dimensions(dimensionCount)
    , ruleLeft(sizes.number)
    , firstDimension(sizes.number + sizes.rule)
    , m_rowHeight(sizes.row)
{
    const int room = width - firstDimension;
    const int count = std::max(dimensionCount, 1);
    // First the reasons give way, then the columns get narrower, then the table gets wider than its place.
    showsReasons = room - count * sizes.narrowDimension >= sizes.reason;
    const int verdict = showsReasons ? sizes.reason : sizes.verdict;
    dimensionWidth = std::clamp((room - verdict) / count, sizes.narrowDimension, sizes.dimension);
    verdictLeft = firstDimension + count * dimensionWidth;
    minimumWidth = firstDimension + count * sizes.narrowDimension + sizes.verdict;
    const int right = std::max(width, verdictLeft + verdict);
    head = QRect(0, 0, right, sizes.head);
    result = QRect(0, sizes.head + ruleCount * sizes.row, right, sizes.result);
    size = QSize(right, result.bottom() + 1);
}

QRect TraceLayout::row(int rule) const
{
    return { 0, head.height() + rule * m_rowHeight, size.width(), m_rowHeight };
}

QRect TraceLayout::dimension(int dimension) const
{
    return { firstDimension + dimension * dimensionWidth, 0, dimensionWidth, size.height() };
}

QRect TraceLayout::cell(int rule, int dimension) const
{
    return row(rule).intersected(this->dimension(dimension));
}

QRect TraceLayout::verdict(int rule) const
{
    QRect rect = row(rule);
    rect.setLeft(verdictLeft);
    return rect;
}

QRect TraceLayout::chip(const QRect& cell) const
{
    QRect chip(0, 0, std::min(64, cell.width() - 8), std::min(26, cell.height() - 8));
    chip.moveCenter(cell.center());
    return chip;
}

std::optional<int> TraceLayout::ruleAt(QPoint point) const
{
    if (point.x() < 0 || point.x() >= size.width() || point.y() < head.height() || m_rowHeight == 0)
        return std::nullopt;
    const int rule = (point.y() - head.height()) / m_rowHeight;
    return rule < rules ? std::optional(rule) : std::nullopt;
}

} // namespace shardscope
