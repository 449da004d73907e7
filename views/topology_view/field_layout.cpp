// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/topology_view/field_layout.h"

#include <algorithm>

namespace shardscope {

namespace {

constexpr std::int64_t mostTitledPanels = 64;

std::int64_t divided(std::int64_t number, std::int64_t by)
{
    return (number + by - 1) / by;
}

} // namespace

FieldLayout::FieldLayout(const FieldShape& shape, const QRect& area, const FieldSizes& sizes)
    : m_shape(shape)
{
    if (area.width() < 1 || area.height() < 1 || shape.count() < 1)
        return;
    while (true) {
        // Titles go before cells become small, gaps before cells become blocks.
        const int titled = shape.planes <= mostTitledPanels ? sizes.title : 0;
        const int legible = sizes.largest / 5;
        for (int side = sizes.largest; side >= 1; --side) {
            const bool roomy = side >= legible;
            const int gap = roomy ? sizes.gap : std::max(2, sizes.gap / 4);
            const double widest = roomy || sizes.widest <= 1 ? sizes.widest : 4;
            if (!roomy && titled > 0 && sizes.titleWidth > 0 && arrange(area, side, titled, gap, widest)
                && m_panels.front().rect.width() >= sizes.titleWidth)
                return;
            if (arrange(area, side, roomy ? titled : 0, gap, widest))
                return;
        }
        const bool wide = divided(m_shape.columns, m_tileColumns) >= divided(m_shape.rows, m_tileRows);
        (wide ? m_tileColumns : m_tileRows) *= 2;
        if (m_tileColumns > 2 * m_shape.columns || m_tileRows > 2 * m_shape.rows)
            return; // more planes than there are pixels
    }
}

bool FieldLayout::arrange(const QRect& area, int side, int title, int gap, double widest)
{
    const std::int64_t columns = divided(m_shape.columns, m_tileColumns), rows = divided(m_shape.rows, m_tileRows);
    const std::int64_t mostColumns = area.width() / side, mostRows = (area.height() - title) / side;
    if (mostColumns < 1 || mostRows < 1)
        return false;
    // A plane that does not fit is cut evenly.
    const std::int64_t parts = divided(columns, mostColumns), slabs = divided(rows, mostRows);
    const std::int64_t panelColumns = divided(columns, parts), panelRows = divided(rows, slabs);
    const std::int64_t across = divided(columns, panelColumns), down = divided(rows, panelRows);
    const std::int64_t perPlane = across * down, count = m_shape.planes * perPlane;
    std::int64_t width = panelColumns * side + gap;
    const std::int64_t height = panelRows * side + title + gap;
    std::int64_t perLine = (area.width() + gap) / width;
    if (perLine < 1)
        return false;
    const std::int64_t group = m_shape.planesPerGroup * perPlane;
    std::int64_t lines = 0, linesOfGroup = 1;
    if (group > perLine && group < count) { // a slice on lines of its own
        linesOfGroup = divided(group, perLine);
        perLine = divided(group, linesOfGroup);
        lines = linesOfGroup * (count / group);
    } else {
        if (group > 1 && group <= perLine)
            perLine = perLine / group * group;
        else if (perPlane > 1 && perPlane <= perLine)
            perLine = perLine / perPlane * perPlane;
        lines = divided(count, perLine);
        // As many on every line: four in two lines of two, not three and one.
        const std::int64_t unit = group > 1 && group <= perLine ? group : perPlane <= perLine ? perPlane : 1;
        perLine = std::min(perLine, divided(divided(count, lines), unit) * unit);
    }
    if (lines * height - gap > area.height())
        return false;
    m_side = side;
    // Width that is left over goes to the cells.
    const std::int64_t perPanel = (area.width() + gap) / std::min(perLine, count) - gap;
    m_width = static_cast<int>(
        std::clamp<std::int64_t>(perPanel / panelColumns, side, static_cast<std::int64_t>(side * widest)));
    width = panelColumns * m_width + gap;
    m_title = title;
    m_panelColumns = panelColumns * m_tileColumns;
    m_panelRows = panelRows * m_tileRows;
    m_panels.clear();
    m_panels.reserve(static_cast<std::size_t>(count));
    for (std::int64_t panel = 0; panel < count; ++panel) {
        const std::int64_t part = panel % across, slab = panel / across % down;
        FieldPanel made;
        made.plane = panel / perPlane;
        made.firstColumn = part * m_panelColumns;
        made.endColumn = std::min(made.firstColumn + m_panelColumns, m_shape.columns);
        made.firstRow = slab * m_panelRows;
        made.endRow = std::min(made.firstRow + m_panelRows, m_shape.rows);
        const std::int64_t inLines = linesOfGroup > 1 ? panel % group : panel;
        const std::int64_t line = (linesOfGroup > 1 ? panel / group * linesOfGroup : 0) + inLines / perLine;
        made.rect = QRect(area.left() + static_cast<int>(inLines % perLine * width),
            area.top() + title + static_cast<int>(line * height),
            static_cast<int>(divided(made.endColumn - made.firstColumn, m_tileColumns)) * m_width,
            static_cast<int>(divided(made.endRow - made.firstRow, m_tileRows)) * side);
        m_panels.push_back(made);
    }
    return true;
}

QRect FieldLayout::titleRect(const FieldPanel& panel) const
{
    return { panel.rect.left(), panel.rect.top() - m_title, panel.rect.width(), m_title };
}

QRect FieldLayout::groupRect(std::int64_t group) const
{
    QRect all;
    for (const FieldPanel& panel : m_panels)
        if (panel.plane / m_shape.planesPerGroup == group)
            all = all.united(panel.rect).united(titleRect(panel));
    return all;
}

std::size_t FieldLayout::panelOf(std::int64_t cell) const
{
    const std::int64_t column = cell % m_shape.columns, row = cell / m_shape.columns % m_shape.rows;
    const std::int64_t plane = cell / (m_shape.columns * m_shape.rows);
    const std::int64_t across = divided(m_shape.columns, m_panelColumns), down = divided(m_shape.rows, m_panelRows);
    return static_cast<std::size_t>((plane * down + row / m_panelRows) * across + column / m_panelColumns);
}

QRect FieldLayout::rectOf(std::int64_t cell) const
{
    if (m_side == 0)
        return {};
    const FieldPanel& panel = m_panels[panelOf(cell)];
    const std::int64_t column = cell % m_shape.columns - panel.firstColumn;
    const std::int64_t row = cell / m_shape.columns % m_shape.rows - panel.firstRow;
    return { panel.rect.left() + static_cast<int>(column / m_tileColumns) * m_width,
        panel.rect.top() + static_cast<int>(row / m_tileRows) * m_side, m_width, m_side };
}

std::optional<std::int64_t> FieldLayout::cellAt(QPoint point) const
{
    for (const FieldPanel& panel : m_panels) {
        if (!panel.rect.contains(point))
            continue;
        const std::int64_t column = panel.firstColumn + (point.x() - panel.rect.left()) / m_width * m_tileColumns;
        const std::int64_t row = panel.firstRow + (point.y() - panel.rect.top()) / m_side * m_tileRows;
        return m_shape.cell(panel.plane, row, column);
    }
    return std::nullopt;
}

std::int64_t FieldLayout::neighbour(std::int64_t cell, std::int64_t columns, std::int64_t rows) const
{
    std::int64_t column = cell % m_shape.columns + columns * m_tileColumns;
    std::int64_t row = cell / m_shape.columns % m_shape.rows + rows * m_tileRows;
    std::int64_t plane = cell / (m_shape.columns * m_shape.rows);
    const auto within = [&](std::int64_t& index, std::int64_t size) {
        const std::int64_t step = index < 0 ? -1 : index >= size ? 1 : 0;
        if (plane + step < 0 || plane + step >= m_shape.planes) {
            index = std::clamp<std::int64_t>(index, 0, size - 1);
            return;
        }
        plane += step;
        index -= step * size;
        index = std::clamp<std::int64_t>(index, 0, size - 1);
    };
    within(column, m_shape.columns);
    within(row, m_shape.rows);
    return m_shape.cell(plane, row, column);
}

} // namespace shardscope
