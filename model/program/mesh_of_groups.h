// SPDX-License-Identifier: GPL-3.0-or-later
// A mesh of which groups of devices are axes: what a program tells of its mesh that names devices by number alone.
//
//     8 devices, groups {0,4} {1,5} {2,6} {3,7}          2 x 4: along the first axis
//     8 devices, groups {0,1,2,3} {4,5,6,7}              2 x 4: along the second
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "mesh/mesh.h"

namespace shardscope {

/// Products of the minor axes: of 2 x 4 devices 1, 4 and 8. Each divides the next one.
using AxisStrides = std::set<std::int64_t>;

[[nodiscard]] AxisStrides axisStrides(std::span<const MeshAxis> axes);

class MeshOfGroups {
public:
    /// `devices` >= 1: on one axis until a group needs more.
    explicit MeshOfGroups(std::int64_t devices);

    /// Devices at equal distances, runs of these at equal distances, and so on, from where an axis begins. A group that
    /// is anything else, or fits no mesh together with what was added before, is left aside.
    void addGroup(std::vector<std::int32_t> group);
    void addStrides(const AxisStrides& strides);

    [[nodiscard]] const AxisStrides& strides() const { return m_strides; }
    /// The mesh of the fewest axes, in rows. An axis that lies where one of `named` does has its name, the others are
    /// axis_0, axis_1, ...
    [[nodiscard]] std::vector<MeshAxis> axes(std::span<const MeshAxis> named = {}) const;

private:
    std::int64_t m_devices;
    AxisStrides m_strides;
};

} // namespace shardscope
