// SPDX-License-Identifier: GPL-3.0-or-later
// Devices in a few groups that have a name each: by their place along a mesh axis, by what they hold of an array, or by
// how long they were busy.
#pragma once

#include <QString>
#include <QStringList>
#include <cstdint>
#include <span>
#include <vector>

#include "sharding/layout.h"

namespace shardscope {

struct DeviceGrades {
    QString title; ///< "Along data"
    QStringList names; ///< of the groups: "data 0"; empty where nothing is known
    std::vector<std::int32_t> groups; ///< by the devices' ids
    [[nodiscard]] bool isEmpty() const { return names.isEmpty(); }
};

/// Neighbours along an axis that share a group, where it is longer than there are groups to be told apart.
[[nodiscard]] std::int64_t neighboursPerGroup(std::int64_t size);

namespace words {

/// The axis named, or the first one of more than one device; empty where all have one.
[[nodiscard]] DeviceGrades gradesAlong(const Mesh& mesh, const QString& axis);
/// Of an array. Numbers of which there are few have a group each, others four steps from the least to the most.
[[nodiscard]] DeviceGrades gradesByBytes(const Layout& layout, std::int64_t elementBytes);
/// `seconds` are those of each mesh position, none before a step has run.
[[nodiscard]] DeviceGrades gradesByTime(const Mesh& mesh, std::span<const double> seconds);

} // namespace words

} // namespace shardscope
