// SPDX-License-Identifier: GPL-3.0-or-later
// Which mesh axes run where links are slow: between slices of TPU chips, between hosts elsewhere.
#pragma once

#include <map>
#include <vector>

#include "experiment/experiment.h"
#include "mesh/axis_ref.h"

namespace shardscope {

class SlowLinks {
public:
    /// The devices of the hardware along a mesh. Those that a larger mesh has besides count as one more slice (host).
    SlowLinks(const DeviceSet& devices, const Mesh& mesh);

    /// Whether some group of devices along the axis has members in different slices (on different hosts).
    [[nodiscard]] bool cross(const AxisRef& axis) const;

private:
    [[nodiscard]] bool findCrossing(const AxisRef& axis) const;

    const Mesh* m_mesh;
    std::vector<std::int32_t> m_groups; ///< slice or host, by mesh position
    mutable std::map<AxisRef, bool> m_known; ///< many ask of few axes
};

} // namespace shardscope
