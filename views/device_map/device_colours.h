// SPDX-License-Identifier: GPL-3.0-or-later
// What the colours of devices tell: their place along a mesh axis, the shard that they hold, or their host.
#pragma once

#include <QRgb>
#include <QString>
#include <cstdint>
#include <vector>

#include "mesh/device_places.h"
#include "sharding/layout.h"
#include "views/theme/theme.h"

namespace shardscope {

/// Fills of devices, by id.
struct DeviceFills {
    std::vector<QRgb> colours;
    std::vector<std::uint8_t> marks; ///< corners that are marked (paintMotif); empty where none is
    std::int64_t copies = 1; ///< of each shard: stripes from two on
    bool operator==(const DeviceFills&) const = default;
};

/// More places than there are colours share one with their neighbours; hues that come again have other corners.
[[nodiscard]] DeviceFills fillsAlongAxis(const Theme& theme, const Mesh& mesh, std::size_t axis);
/// All devices look the same where all hold the same.
[[nodiscard]] DeviceFills fillsByShard(const Theme& theme, const Layout& layout);
/// Eight tints in turn, by the devices' own ids.
[[nodiscard]] DeviceFills fillsByDevice(const Theme& theme, const Mesh& mesh);
/// Eight tints in turn.
[[nodiscard]] DeviceFills fillsByHost(const Theme& theme, const DevicePlaces& places);
/// Neighbours along an axis that share a colour.
[[nodiscard]] std::int64_t neighboursPerColour(std::int64_t size);

} // namespace shardscope
