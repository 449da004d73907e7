// SPDX-License-Identifier: GPL-3.0-or-later
// Devices as cells of a map: where they are in the machine, or where they stand in the mesh.
#pragma once

#include <QString>
#include <cstdint>
#include <vector>

#include "mesh/device_places.h"
#include "mesh/mesh.h"
#include "views/topology_view/field_layout.h"
#include "words/words.h"

namespace shardscope {

struct DeviceField {
    /// A direction of the map: "y", or a mesh axis.
    struct Direction {
        QString name;
        int axis = -1; ///< mesh axis
        std::int64_t size = 1;
        bool operator==(const Direction&) const = default;
    };
    FieldShape shape;
    std::vector<std::int32_t> devices; ///< by cell; -1 where there is none
    std::vector<std::int64_t> cells; ///< by device id
    Direction columns, rows;
    std::vector<Direction> planes; ///< the first one major

    /// "z 2", "slice 1, z 0", "hosts 32–63"; empty where there is nothing to tell apart.
    [[nodiscard]] words::Text title(const FieldPanel& panel) const;
    /// "x to the right, y down, a plane for every z".
    [[nodiscard]] words::Text heading() const;
    bool operator==(const DeviceField&) const = default;
};

/// The chips of a grid by coordinates, the cores of a chip side by side, a group of planes per slice; elsewhere hosts
/// below each other, their devices side by side.
[[nodiscard]] DeviceField machineField(const DevicePlaces& places);
/// The last axis across, the one before it down, planes for the others. A single long axis is wrapped into lines.
[[nodiscard]] DeviceField meshField(const Mesh& mesh);

/// "d12: x 0, y 3, z 0, host 3".
[[nodiscard]] QString placeText(const DevicePlaces& places, std::int32_t device);
/// "data 1, model 2".
[[nodiscard]] QString meshPlaceText(const Mesh& mesh, std::int64_t position);

} // namespace shardscope
