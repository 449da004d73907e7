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

/// Fills by device id. More places than there are colours share one with their neighbours.
[[nodiscard]] std::vector<QRgb> coloursAlongAxis(const Theme& theme, const Mesh& mesh, std::size_t axis);
[[nodiscard]] std::vector<QRgb> coloursByShard(const Theme& theme, const Layout& layout);
/// Corners that are marked (paintMotif), by device id: hues that come again have other ones. Empty where none does.
[[nodiscard]] std::vector<std::uint8_t> marksAlongAxis(const Mesh& mesh, std::size_t axis);
[[nodiscard]] std::vector<std::uint8_t> marksByShard(const Layout& layout);
/// Eight tints in turn.
[[nodiscard]] std::vector<QRgb> coloursByHost(const Theme& theme, const DevicePlaces& places);
/// Neighbours along an axis that share a colour.
[[nodiscard]] std::int64_t neighboursPerColour(std::int64_t size);

} // namespace shardscope
