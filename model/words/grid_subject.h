// SPDX-License-Identifier: GPL-3.0-or-later
// The array that a shard grid shows, and what there is to say about one of its cells.
#pragma once

#include <QStringList>
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "mesh/device_places.h"
#include "sharding/device_group.h"
#include "sharding/layout.h"

namespace shardscope {

struct GridSubject {
    Layout layout;
    std::vector<std::string> names; ///< of the dimensions; may be empty
    std::int64_t elementBytes = 4;
    std::int32_t devicesPerHost = 1; ///< where there are no places
    DevicePlacesPtr places = {}; ///< of the devices

    [[nodiscard]] const Mesh& mesh() const { return layout.mesh(); }
    [[nodiscard]] std::int32_t hostOf(std::int32_t id) const
    {
        return places && places->has(id) ? places->host(id) : id / std::max(1, devicesPerHost);
    }
    /// Whether each host has as many ids in a row, the first host the first ones.
    [[nodiscard]] bool hostsAreRuns() const { return !places || places->hostsAreRuns(); }
    /// "embed", or "dimension 1" for a nameless one.
    [[nodiscard]] QString dimensionName(int dimension) const;
    /// The same for where that does not fit: "dim 0" for a dimension without a name of its own.
    [[nodiscard]] QString shortName(int dimension) const;
    /// "@model", "@pod, data"; empty for an unsharded dimension.
    [[nodiscard]] QString axesOf(int dimension) const;
    /// The same axis by axis, with the number of each: "@pod" 0, ", data" 1.
    [[nodiscard]] std::vector<std::pair<QString, int>> axisMarks(int dimension) const;
    /// "hidden @model".
    [[nodiscard]] QString titleOf(int dimension) const;
    /// One of its blocks: "layers = 2", "layers 2–3".
    [[nodiscard]] QString blockText(int dimension, std::int64_t block) const;
    /// The first mesh axis along which a dimension is sharded, -1 for none.
    [[nodiscard]] int firstAxis(int dimension) const;
    /// Mesh axes along which the array is replicated, and parts of them: "data", "x:(2)2".
    [[nodiscard]] QStringList copyAxes() const;
    [[nodiscard]] bool isFull() const { return layout.distinctShards() == 1 && layout.addends() == 1; }
    [[nodiscard]] std::int64_t shardBytes() const;
};

/// Everything about the shard that a cell stands for.
struct CellText {
    QString title; ///< "Shard 1"
    QString ranges; ///< "embed 0–1023, hidden 256–511"
    QString holding; ///< "d1 and d5 hold the same data, 1 MiB each."
    QString copies; ///< "Copies along data."
    QString padding; ///< "2 of its 3 rows are padding."; mostly empty
};
[[nodiscard]] CellText describeCell(const GridSubject& subject, std::int64_t shard);
/// Of a shard held in parts, the holders of the parts of one copy: d0 … d3 of eight devices that hold 4 addends twice.
[[nodiscard]] std::vector<std::int32_t> addendsOfOneCopy(const Layout& layout, const DeviceGroup& holders);
/// "d1 and d5", "d0, d1 and d2", "d0 … d511, 512 devices", "16 devices (d1, d5, …, d61)".
[[nodiscard]] QString listDevices(const DeviceGroup& devices);

} // namespace shardscope
