// SPDX-License-Identifier: GPL-3.0-or-later
#include "geometry/heat_layout.h"

#include <algorithm>
#include <memory>

namespace shardscope {

namespace {

/// Shards of several devices as one array that is sharded along its first dimension: a panel for each of them.
Layout panelsOf(std::size_t devices, std::int64_t rows, std::int64_t columns)
{
    const auto count = static_cast<std::int64_t>(devices);
    auto mesh = std::make_shared<const Mesh>(Mesh::create({ { "device", count } }).value());
    TensorSharding sharding = TensorSharding::fullyReplicated(3);
    if (count > 1)
        sharding.dims[0].axes = { AxisRef{ 0, 1, static_cast<std::int32_t>(count) } };
    return { std::move(mesh), std::move(sharding), Shape{ count, rows, columns } };
}

} // namespace

HeatLayout::HeatLayout(const ShownValues& shown, QSize area, const GridMargins& margins)
    : m_local(shown.local)
{
    if (shown.isEmpty())
        return;
    const Layout& layout = shown.subject.layout;
    if (m_local) {
        m_positions = shown.positions;
        m_rows = shown.rowCount();
        m_columns = shown.columnCount();
        if (!m_positions.empty())
            m_grid = GridLayout(panelsOf(m_positions.size(), m_rows, m_columns), { 1, 2 }, area, margins);
        m_positions.resize(panels().size());
    } else {
        GridLayout::Choice choice{ shown.rows, shown.columns };
        choice.others.assign(shown.rank(), GridPlace::Slider);
        for (std::size_t d = 0; d < shown.rank(); ++d)
            choice.slides.push_back(shown.index[d] / std::max<std::int64_t>(layout.shardShape()[d], 1));
        m_grid = GridLayout(layout, choice, area, margins);
        m_positions.assign(panels().size(), -1);
        m_rows = m_grid.rows().extent();
        m_columns = m_grid.columns().extent();
    }
    for (const std::int64_t position : m_positions) {
        m_validRows.push_back(shown.validRows(position));
        m_validColumns.push_back(shown.validColumns(position));
    }
}

std::optional<HeatElement> HeatLayout::elementAt(QPoint point) const
{
    for (int panel = 0; panel < static_cast<int>(panels().size()); ++panel) {
        const QRect& rect = panels()[static_cast<std::size_t>(panel)];
        if (rect.contains(point))
            return HeatElement{ panel, partAt(point.y() - rect.top(), rect.height(), m_rows),
                partAt(point.x() - rect.left(), rect.width(), m_columns) };
    }
    return std::nullopt;
}

bool HeatLayout::isPadding(const HeatElement& element) const
{
    return element.row >= validRows(element.panel) || element.column >= validColumns(element.panel);
}

QRect HeatLayout::rectOf(const HeatElement& element) const
{
    const QRect& rect = panels()[static_cast<std::size_t>(element.panel)];
    const auto corner = [&](std::int64_t row, std::int64_t column) {
        return rect.topLeft()
            + QPoint(pixelEdge(rect.width(), column, m_columns), pixelEdge(rect.height(), row, m_rows));
    };
    const QPoint first = corner(element.row, element.column), after = corner(element.row + 1, element.column + 1);
    return QRect(first, after - QPoint(1, 1)).united(QRect(first, QSize(1, 1))); // a pixel at least
}

std::vector<QRect> HeatLayout::padding(int panel) const
{
    const QRect& rect = panels()[static_cast<std::size_t>(panel)];
    if (!m_local)
        return m_grid.padding(rect);
    std::vector<QRect> parts;
    const int right = rect.left() + pixelEdge(rect.width(), validColumns(panel), m_columns);
    const int bottom = rect.top() + pixelEdge(rect.height(), validRows(panel), m_rows);
    if (validColumns(panel) < m_columns)
        parts.emplace_back(QPoint(right, rect.top()), rect.bottomRight());
    if (validRows(panel) < m_rows)
        parts.emplace_back(QPoint(rect.left(), bottom), rect.bottomRight());
    return parts;
}

std::int64_t HeatLayout::partsAcross() const
{
    if (!m_local)
        return m_grid.columns().blocks();
    std::int64_t across = 0;
    for (const QRect& panel : panels())
        across += panel.top() == panels().front().top();
    return std::max<std::int64_t>(across, 1);
}

std::int64_t HeatLayout::partCount() const
{
    if (m_local)
        return static_cast<std::int64_t>(panels().size());
    return panels().empty() ? 0 : m_grid.rows().blocks() * m_grid.columns().blocks();
}

QRect HeatLayout::partRect(std::int64_t part) const
{
    if (m_local)
        return panels()[static_cast<std::size_t>(part)];
    return m_grid.cellRect({ 0, part / partsAcross(), part % partsAcross() });
}

std::int64_t HeatLayout::partOf(const HeatElement& element) const
{
    if (m_local)
        return element.panel;
    return element.row / std::max<std::int64_t>(m_grid.rows().block, 1) * partsAcross()
        + element.column / std::max<std::int64_t>(m_grid.columns().block, 1);
}

HeatElement HeatLayout::firstOf(std::int64_t part) const
{
    if (m_local)
        return { static_cast<int>(part), 0, 0 };
    return { 0, part / partsAcross() * m_grid.rows().block, part % partsAcross() * m_grid.columns().block };
}

} // namespace shardscope
