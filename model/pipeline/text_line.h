// SPDX-License-Identifier: GPL-3.0-or-later
// What stands where in a line of a program's text, and in which role.
//
//     "  %0 = stablehlo.tanh %arg0 {sdy.sharding = ...[{\"x\"}]...} : tensor<8xf32>  // y"
//     %0 and %arg0 as values, "x" as a mesh axis, from "//" on as a comment
#pragma once

#include <string_view>
#include <vector>

#include "mesh/mesh.h"

namespace shardscope {

struct TextPart {
    enum class Role : std::uint8_t { Plain, Value, Axis, Quiet };
    std::size_t begin = 0, end = 0; ///< bytes
    Role role = Role::Plain;
    int axis = -1; ///< of the mesh, for Axis
    bool operator==(const TextPart&) const = default;
};

/// All of the line, part after part. `mesh` may be null. Attributes of shardings are quiet but for their axes.
[[nodiscard]] std::vector<TextPart> textParts(std::string_view line, const Mesh* mesh);
/// The name of a value at that byte, without what stands after "#": "%12", "%arg0"; empty for none.
[[nodiscard]] std::string_view valueNameAt(std::string_view line, std::size_t at);

} // namespace shardscope
