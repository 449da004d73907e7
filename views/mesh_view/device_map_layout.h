// SPDX-License-Identifier: GPL-3.0-or-later
// Where the devices of a mesh lie in its map. Geometry and hit test alone.
//
// Columns are the last axis, rows all others. A mesh that is long one way is folded, as text is: several rows stand
// side by side on one line, or one row goes on over several lines. Where single devices would be too small to be told
// apart, a square stands for a host, and where these would be, for a block of so many rows and columns of the mesh.
//
//     64 × 1, room for 16 squares side by side: four lines, data 0–15, data 16–31, data 32–47, data 48–63
#pragma once

#include <QRect>
#include <optional>
#include <vector>

#include "mesh/device_places.h"
#include "sharding/device_group.h"

namespace shardscope {

/// Numbers from 0 on, cut into runs of `span` that never cross a multiple of `period`; the last one of a period may be
/// shorter.
struct Runs {
    std::int64_t period = 1, span = 1;
    [[nodiscard]] std::int64_t perPeriod() const { return (period + span - 1) / span; }
    [[nodiscard]] std::int64_t indexOf(std::int64_t number) const
    {
        return number / period * perPeriod() + number % period / span;
    }
    [[nodiscard]] std::int64_t begin(std::int64_t index) const
    {
        return index / perPeriod() * period + index % perPeriod() * span;
    }
    [[nodiscard]] std::int64_t end(std::int64_t index) const
    {
        return std::min(begin(index) + span, (index / perPeriod() + 1) * period);
    }
    bool operator==(const Runs&) const = default;
};

/// How many rows stand on a line, how many columns, and how many devices make a square.
struct MapFold {
    Runs squareRows; ///< rows of the mesh that share a square
    Runs lineRows; ///< rows of the mesh that share a line; whole squares
    std::int64_t squareColumns = 1; ///< columns that share a square
    std::int64_t slots = 1; ///< squares of one row on a line; fewer than the row has where it is wrapped
    bool operator==(const MapFold&) const = default;
};

/// Sizes in pixels that the layout keeps to.
struct MapSizes {
    int tile = 26; ///< height of a square where there is room
    QSize name = { 30, 14 }; ///< a device's name with its margin
    QSize named = { 48, 28 }; ///< a square with that name and what it holds
    int smallestDevice = 3; ///< side of a square that stands for one device
    int smallestHost = 4; ///< side of a square that stands for a host
    int smallestBlock = 10; ///< side of a square that stands for several devices otherwise
    std::int64_t devicesPerHost = 0; ///< 0 where hosts are no runs of positions
};

enum class MapZoom : std::uint8_t {
    Fit, ///< the whole mesh in the room there is
    Hosts, ///< one square per host, scrolled
    Devices, ///< one square per device, scrolled
    Names, ///< large enough for names and shards, scrolled
};

/// Devices of one host that lie together.
struct HostBox {
    std::int32_t host = 0;
    QRect rect;
    bool operator==(const HostBox&) const = default;
};

class DeviceMapLayout {
public:
    DeviceMapLayout() = default;
    /// `area` is the room for squares without headings. Fitted maps stay within it; the others keep to its width.
    DeviceMapLayout(const Mesh& mesh, const QRect& area, const MapSizes& sizes, MapZoom zoom = MapZoom::Fit);

    [[nodiscard]] std::int64_t rows() const { return m_rows; } ///< of the mesh
    [[nodiscard]] std::int64_t columns() const { return m_columns; }
    [[nodiscard]] const MapFold& fold() const { return m_fold; }
    /// Devices of a full square.
    [[nodiscard]] std::int64_t devicesPerSquare() const { return m_fold.squareRows.span * m_fold.squareColumns; }
    [[nodiscard]] std::int64_t squareCount() const { return m_squareRows * m_squareColumns; }
    /// Every square is one whole host of several devices.
    [[nodiscard]] bool showsHosts() const { return m_showsHosts; }
    /// Covered by squares; higher than the room where the map is scrolled.
    [[nodiscard]] const QRect& area() const { return m_area; }
    /// The least that a square has; the last of a period may be narrower by a pixel.
    [[nodiscard]] QSize unit() const;
    [[nodiscard]] int lineGap() const { return m_lineGap; }
    [[nodiscard]] int columnGap() const { return m_columnGap; }

    // Squares count row by row of the mesh.
    [[nodiscard]] MeshBlock blockOf(std::int64_t square) const;
    [[nodiscard]] std::int64_t squareOf(std::int64_t position) const;
    /// Mesh position of a square's first device.
    [[nodiscard]] std::int64_t positionOf(std::int64_t square) const;
    [[nodiscard]] QRect rectOf(std::int64_t square) const;
    /// Rectangle of the square that a mesh position belongs to.
    [[nodiscard]] QRect tile(std::int64_t position) const { return rectOf(squareOf(position)); }
    [[nodiscard]] std::optional<std::int64_t> squareAt(QPoint point) const;
    /// Mesh position of the first device of the square under a point.
    [[nodiscard]] std::optional<std::int64_t> positionAt(QPoint point) const;

    // Lines.
    [[nodiscard]] std::int64_t lineCount() const { return m_lines; }
    [[nodiscard]] std::int64_t slotsPerLine() const { return m_groups * m_fold.slots; }
    /// Blocks of rows side by side on a line.
    [[nodiscard]] std::int64_t groupsPerLine() const { return m_groups; }
    [[nodiscard]] std::int64_t lineOf(std::int64_t square) const;
    [[nodiscard]] std::int64_t slotOf(std::int64_t square) const;
    [[nodiscard]] std::optional<std::int64_t> squareIn(std::int64_t line, std::int64_t slot) const;
    /// What a whole line stands for.
    [[nodiscard]] MeshBlock blockOfLine(std::int64_t line) const;
    [[nodiscard]] int lineTop(std::int64_t line) const;
    [[nodiscard]] int lineHeight(std::int64_t line) const { return lineTop(line + 1) - m_lineGap - lineTop(line); }
    /// The line at a height, or the nearest one.
    [[nodiscard]] std::int64_t lineAt(int y) const;
    /// Left edge of a slot, and behind its right edge.
    [[nodiscard]] int slotLeft(std::int64_t slot) const;
    [[nodiscard]] int slotEnd(std::int64_t slot) const;

private:
    void apply(const MapFold& fold);
    void place(const QRect& area, int tile);
    void chooseFit(const Mesh& mesh, const QRect& area, const MapSizes& sizes);
    /// Devices that share a square.
    struct Block {
        Runs rows;
        std::int64_t columns = 1;
        [[nodiscard]] std::int64_t devices() const { return rows.span * columns; }
    };
    [[nodiscard]] std::optional<Block> hostBlock(const Mesh& mesh, std::int64_t devicesPerHost) const;
    void chooseScrolled(const Mesh& mesh, const QRect& area, QSize square, const Block& block);
    [[nodiscard]] std::int64_t linesPerRow() const { return (m_squareColumns + m_fold.slots - 1) / m_fold.slots; }

    QRect m_area;
    std::int64_t m_rows = 0, m_columns = 0;
    MapFold m_fold;
    std::int64_t m_squareRows = 0, m_squareColumns = 0;
    std::int64_t m_groups = 1, m_lines = 0;
    bool m_showsHosts = false;
    int m_lineGap = 0, m_columnGap = 0, m_groupGap = 0;
};

/// Which host the devices of a square belong to. Looks at every device once, when it is made, and only where squares
/// stand for several devices and these are in an order of their own, or their hosts no runs of ids.
class MapHosts {
public:
    MapHosts() = default;
    MapHosts(const DeviceMapLayout& map, MeshPtr mesh, DevicePlacesPtr places);
    /// -1 for the devices of several hosts.
    [[nodiscard]] std::int32_t ofSquare(const DeviceMapLayout& map, std::int64_t square) const;
    /// The one host of a whole line, -1 for several.
    [[nodiscard]] std::int32_t ofLine(const DeviceMapLayout& map, std::int64_t line) const;

private:
    [[nodiscard]] std::int32_t hostAt(std::int64_t position) const;

    MeshPtr m_mesh;
    DevicePlacesPtr m_places;
    std::vector<std::int32_t> m_bySquare; ///< empty where the corners of a square tell
};

/// Boxes around the squares of one host, on lines first .. last: one per run of squares, merged over lines where the
/// runs lie below each other. Squares that several hosts share have none.
[[nodiscard]] std::vector<HostBox> hostBoxes(
    const DeviceMapLayout& map, const MapHosts& hosts, std::int64_t firstLine, std::int64_t lastLine);

} // namespace shardscope
