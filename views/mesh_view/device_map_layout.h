// SPDX-License-Identifier: GPL-3.0-or-later
// Where the devices of a mesh lie in its map: columns are the last axis, rows all others. Geometry and hit test alone.
#pragma once

#include <QRect>
#include <optional>
#include <vector>

#include "mesh/mesh.h"

namespace shardscope {

/// Devices of one host that lie together.
struct HostBox {
    std::int32_t host = 0;
    QRect rect;
    bool operator==(const HostBox&) const = default;
};

class DeviceMapLayout {
public:
    DeviceMapLayout() = default;
    /// `area` is the room for tiles without headings; `tileHeight` is what a tile has where there is room.
    DeviceMapLayout(const Mesh& mesh, const QRect& area, int tileHeight);

    [[nodiscard]] std::int64_t rows() const { return m_rows; }
    [[nodiscard]] std::int64_t columns() const { return m_columns; }
    [[nodiscard]] const QRect& area() const { return m_area; } ///< covered by tiles
    /// Rectangle of a mesh position; may be empty where devices are smaller than pixels.
    [[nodiscard]] QRect tile(std::int64_t position) const;
    [[nodiscard]] std::optional<std::int64_t> positionAt(QPoint point) const;
    /// Position under a pixel, gaps belonging to the tile before them: for pictures of very large meshes.
    [[nodiscard]] std::int64_t nearestPosition(QPoint point) const;
    /// Single tiles are too small to be told apart.
    [[nodiscard]] bool isRaster() const
    {
        return m_columns * m_rows > 4096 || tile(0).width() < 3 || tile(0).height() < 3;
    }
    /// One box per run of devices of the same host, merged over rows where the runs lie below each other.
    [[nodiscard]] std::vector<HostBox> hosts(const Mesh& mesh, std::int32_t devicesPerHost) const;

private:
    QRect m_area;
    std::int64_t m_rows = 0, m_columns = 0;
    int m_rowGap = 0, m_columnGap = 0;
};

} // namespace shardscope
