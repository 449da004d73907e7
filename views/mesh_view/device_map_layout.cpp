// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/mesh_view/device_map_layout.h"

#include <algorithm>

namespace shardscope {

DeviceMapLayout::DeviceMapLayout(const Mesh& mesh, const QRect& area, int tileHeight)
    : m_area(area)
    , m_columns(mesh.rank() == 0 ? 1 : mesh.axes().back().size)
{
    m_rows = mesh.deviceCount() / m_columns;
    // Tiles keep their height and close up when they are many; only then do they shrink.
    for (const int gap : { 8, 4, 2, 1 }) {
        m_rowGap = gap;
        if (m_rows * (tileHeight + gap) - gap <= area.height())
            break;
    }
    const std::int64_t wanted = m_rows * (tileHeight + m_rowGap) - m_rowGap;
    if (wanted > area.height() && m_rows > 0 && area.height() / m_rows < 4)
        m_rowGap = 0;
    m_area.setHeight(static_cast<int>(std::min<std::int64_t>(wanted, area.height())));
    m_columnGap = m_columns > 0 && area.width() / m_columns < 4 ? 0
        : m_columns > 0 && area.width() / m_columns < 12        ? 1
                                                                : 3;
}

QRect DeviceMapLayout::tile(std::int64_t position) const
{
    if (m_rows == 0 || m_columns == 0)
        return {};
    const std::int64_t row = position / m_columns, column = position % m_columns;
    const std::int64_t height = m_area.height() + m_rowGap, width = m_area.width() + m_columnGap;
    const auto left = static_cast<int>(width * column / m_columns),
               right = static_cast<int>(width * (column + 1) / m_columns);
    const auto top = static_cast<int>(height * row / m_rows), bottom = static_cast<int>(height * (row + 1) / m_rows);
    return { m_area.left() + left, m_area.top() + top, std::max(right - left - m_columnGap, 0),
        std::max(bottom - top - m_rowGap, 0) };
}

std::int64_t DeviceMapLayout::nearestPosition(QPoint point) const
{
    const auto part = [](int offset, int length, std::int64_t pieces) {
        return std::clamp<std::int64_t>(std::int64_t{ offset } * pieces / std::max(length, 1), 0, pieces - 1);
    };
    const std::int64_t row = part(point.y() - m_area.top(), m_area.height() + m_rowGap, m_rows);
    const std::int64_t column = part(point.x() - m_area.left(), m_area.width() + m_columnGap, m_columns);
    return row * m_columns + column;
}

std::optional<std::int64_t> DeviceMapLayout::positionAt(QPoint point) const
{
    if (m_rows == 0 || !m_area.contains(point))
        return std::nullopt;
    const std::int64_t near = nearestPosition(point);
    if (isRaster())
        return near;
    // The quotient may miss by one, since edges are rounded.
    for (const std::int64_t position : { near, near - 1, near + 1, near - m_columns, near + m_columns })
        if (position >= 0 && position < m_rows * m_columns && tile(position).contains(point))
            return position;
    return std::nullopt;
}

std::vector<HostBox> DeviceMapLayout::hosts(const Mesh& mesh, std::int32_t devicesPerHost) const
{
    struct Run {
        std::int32_t host;
        std::int64_t begin, end;
        std::size_t box;
    };
    std::vector<HostBox> boxes;
    std::vector<Run> above, here;
    for (std::int64_t row = 0; row < m_rows; ++row) {
        here.clear();
        for (std::int64_t column = 0; column < m_columns;) {
            const auto hostAt = [&](std::int64_t c) {
                return mesh.deviceAt(row * m_columns + c) / std::max(1, devicesPerHost);
            };
            const std::int32_t host = hostAt(column);
            std::int64_t end = column + 1;
            while (end < m_columns && hostAt(end) == host)
                ++end;
            const QRect rect = tile(row * m_columns + column).united(tile(row * m_columns + end - 1));
            const auto same = std::find_if(above.begin(), above.end(),
                [&](const Run& run) { return run.host == host && run.begin == column && run.end == end; });
            if (same != above.end()) {
                boxes[same->box].rect = boxes[same->box].rect.united(rect);
                here.push_back({ host, column, end, same->box });
            } else {
                here.push_back({ host, column, end, boxes.size() });
                boxes.push_back({ host, rect });
            }
            column = end;
        }
        above.swap(here);
    }
    return boxes;
}

} // namespace shardscope
