// SPDX-License-Identifier: GPL-3.0-or-later
// A mesh on which parts of axes are axes: a PartitionSpec of JAX has no name for a part.
//
//     x=8, y=2 with the parts x:(1)2 and x:(4)2    x_1=2, x_2=2, x_3=2, y=2; x:(1)2 is x_1, x:(4)2 is x_3, x all three
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "mesh/mesh.h"

namespace shardscope {

class SplitAxes {
public:
    /// `parts` as "x:(1)2". Nothing where they overlap without one dividing the other, and where there would be too
    /// many axes.
    [[nodiscard]] static std::optional<SplitAxes> of(const Mesh& mesh, const std::set<std::string>& parts);

    [[nodiscard]] const Mesh& mesh() const { return m_mesh; }
    /// The axes that an axis or a part of one has become; itself where nothing of it is split.
    [[nodiscard]] std::vector<std::string> axesOf(const std::string& axisOrPart) const;
    /// "x is x_1, x_2 and x_3": those that are split.
    [[nodiscard]] std::string explained() const;

private:
    struct SubAxis {
        std::string name;
        std::int64_t major = 1; ///< product of the sizes before it, within the axis
    };
    std::map<std::string, std::vector<SubAxis>> m_subAxes; ///< per axis that is split
    Mesh m_mesh;
};

/// Devices along an axis or a part of one, "x" or "x:(1)2"; 1 for what the mesh lacks.
[[nodiscard]] std::int64_t devicesAlong(const Mesh& mesh, const std::string& axisOrPart);

} // namespace shardscope
