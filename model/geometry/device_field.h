// SPDX-License-Identifier: GPL-3.0-or-later
// Devices as cells of a map: where they are in the machine, or where they stand in the mesh.
#pragma once

#include <QString>
#include <cstdint>
#include <optional>
#include <vector>

#include "geometry/device_map_layout.h"
#include "mesh/device_places.h"
#include "mesh/mesh.h"
#include "sharding/device_group.h"
#include "words/words.h"

namespace shardscope {

struct DeviceField {
    /// A direction of the map: "y", or a mesh axis.
    struct Direction {
        QString name;
        int axis = -1; ///< mesh axis
        std::int64_t size = 1;
        /// By place, where the numbers are not 0, 1, 2, …: the hosts and slices of an own list, ascending.
        std::vector<std::int32_t> numbers = {};
        [[nodiscard]] std::int64_t number(std::int64_t place) const
        {
            return numbers.empty() ? place : numbers[static_cast<std::size_t>(place)];
        }
        bool operator==(const Direction&) const = default;
    };
    MeshPtr mesh; ///< whose positions the cells are, one by one; null for the machine
    MapShape shape;
    std::vector<std::int32_t> devices; ///< by cell; -1 where there is none
    std::vector<std::int64_t> cells; ///< by device id
    Direction columns, rows;
    std::vector<Direction> planes; ///< the first one major

    /// "z 2", "slice 1, z 0", "host 32–63": what tells a part of the map from the others; empty where nothing does.
    [[nodiscard]] words::Text title(const MapBlock& part) const;
    /// The same without names, which the heading has in this order and these colours: "1, 0".
    [[nodiscard]] words::Text numbers(const MapBlock& part) const;
    /// Where the cells of a block are: "z 2, y 0–7, x 8–15".
    [[nodiscard]] QString place(const MapBlock& block) const;
    /// "y 8–15"; "data 0–31" of the first one's line where a single long axis is wrapped into lines.
    [[nodiscard]] words::Text rowName(std::int64_t first, std::int64_t end) const;
    /// Number of a column along its direction: both cores of a chip have that of the chip.
    [[nodiscard]] std::int64_t columnNumber(std::int64_t column) const { return column / shape.together; }
    /// How many of what a tile is: "x 8 × y 8", "data 64"; empty for a single cell.
    [[nodiscard]] QString extent(const MapTile& tile) const;
    /// One cell as a block.
    [[nodiscard]] MapBlock blockOf(std::int64_t cell) const;
    /// A block as rows and columns of the mesh; nothing where it is none, where it holds no device, and in the machine.
    [[nodiscard]] std::optional<MeshBlock> meshBlock(const MapBlock& block) const;
    /// Devices of the cells of a block, in the order of the cells.
    [[nodiscard]] DeviceGroup devicesOf(const MapBlock& block) const;
    /// Whether positions of the group are positions of the mesh here.
    [[nodiscard]] bool isOfMesh(const DeviceGroup& group) const;
    /// How many devices of such a group are in a block.
    [[nodiscard]] std::int64_t countIn(const DeviceGroup& group, const MapBlock& block) const;
    /// "x across, y down, z beside"; where room is short "x →, y ↓, z beside".
    /// `rowsBeside`: rows stand side by side, in panels of their own.
    [[nodiscard]] words::Text heading(bool brief = false, bool rowsBeside = false) const;
    /// The same devices at the same places.
    bool operator==(const DeviceField& other) const;

private:
    [[nodiscard]] std::vector<std::int64_t> planeCoordinates(std::int64_t plane) const;
};

/// Ids have to be 0 … n-1, as those of every experiment are (missingId()).
/// The chips of a grid by coordinates, the cores of a chip side by side, a group of planes per slice; elsewhere hosts
/// below each other, their devices side by side.
[[nodiscard]] DeviceField machineField(const DevicePlaces& places);
/// The last axis across, the one before it down, planes for the others; where these would be too many, all of them
/// down. A single long axis is wrapped into lines, for a room that is `aspect` times as wide as high.
[[nodiscard]] DeviceField meshField(const MeshPtr& mesh, double aspect = 1);
/// The host of every device, by id; -1 for ids that there are not.
[[nodiscard]] std::vector<std::int32_t> hostsOf(const DevicePlaces& places);
/// The tile that all devices of a host fill, wherever they are: 2 x 2 on a torus of TPU v4. One cell where hosts have
/// no such tile. Looks at every device once. `hosts` by device.
[[nodiscard]] MapTile hostTile(const DeviceField& field, const std::vector<std::int32_t>& hosts);

/// "d12: x 0, y 3, z 0, host 3".
[[nodiscard]] QString placeText(const DevicePlaces& places, std::int32_t device);
/// "data 1, model 2".
[[nodiscard]] QString meshPlaceText(const Mesh& mesh, std::int64_t position);

} // namespace shardscope
