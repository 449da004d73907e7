// SPDX-License-Identifier: GPL-3.0-or-later
// What the colours of devices tell: their place along a mesh axis, the shard that they hold, their host, or a number.
#pragma once

#include <QRgb>
#include <QString>
#include <QStringList>
#include <cstdint>
#include <span>
#include <vector>

#include "document/selection.h"
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
/// Devices in a few groups that share a colour each, as a legend has them.
struct DeviceGrades {
    QString title; ///< "Along data"
    QStringList names; ///< of the groups: "data 0"; empty where nothing is known
    std::vector<QRgb> colours; ///< of the groups
    std::vector<std::int32_t> groups; ///< by the devices' ids
    [[nodiscard]] bool isEmpty() const { return names.isEmpty(); }
};
/// What devices are grouped by when colours tell a coordinate, bytes or time; empty for the others. The axis is the one
/// named, or the first one of more than one device; `seconds` are those of each mesh position, none before a step has
/// run. Numbers of which there are few have a group each, others four steps from the least to the most.
[[nodiscard]] DeviceGrades gradesOf(ColourBy by, const Theme& theme, const Layout& layout, std::int64_t elementBytes,
    const QString& axis, std::span<const double> seconds);
[[nodiscard]] DeviceFills fillsByGrade(const DeviceGrades& grades);
/// Neighbours along an axis that share a colour.
[[nodiscard]] std::int64_t neighboursPerColour(std::int64_t size);

} // namespace shardscope
