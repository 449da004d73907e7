// SPDX-License-Identifier: GPL-3.0-or-later
// What the colours of devices tell: their place along a mesh axis, the shard that they hold, their host, or a number.
#pragma once

#include <QRgb>
#include <QString>
#include <cstdint>
#include <span>
#include <vector>

#include "document/selection.h"
#include "mesh/device_places.h"
#include "sharding/layout.h"
#include "views/theme/theme.h"
#include "words/device_grades.h"

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

/// Groups of devices with a colour for each, as a legend has them.
struct ColouredGrades : DeviceGrades {
    std::vector<QRgb> colours;
};
/// What devices are grouped by when colours tell a coordinate, bytes or time; empty for the others.
[[nodiscard]] ColouredGrades gradesOf(ColourBy by, const Theme& theme, const Layout& layout, std::int64_t elementBytes,
    const QString& axis, std::span<const double> seconds);
[[nodiscard]] DeviceFills fillsByGrade(const ColouredGrades& grades);

} // namespace shardscope
