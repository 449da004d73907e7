// SPDX-License-Identifier: GPL-3.0-or-later
// The dimension that a lifted transform, nn.scan or nn.vmap, gives the parameters of a module. Outside of it the names
// in their boxes have one more, which the transform is told (metadata_params={nn.PARTITION_NAME: name} in Linen,
// transform_metadata={nnx.PARTITION_NAME: name} in NNX); the module inside sees them without. Both keep names and
// values the same way: a list in the box, or metadata of the variable. Of Flax: Partitioned.add_axis.
//
//     addAxis((embed, hidden), { 0, "layers" })               (layers, embed, hidden)
//     addAxis((embed), { 2, {} })                             (embed, -, -)    places before it without a name
#pragma once

#include <optional>
#include <string>

#include "program/attributes.h"
#include "sharding/logical_rules.h"

namespace shardscope {

struct LiftedAxis {
    std::int64_t index = 0; ///< where it stands outside: 0 of variable_axes={"params": 0}
    std::optional<std::string> name; ///< nothing: None, which no rule shards
    bool operator==(const LiftedAxis&) const = default;
};

[[nodiscard]] LogicalNames addAxis(LogicalNames names, const LiftedAxis& axis);

/// The annotation of an array outside, of what it is inside. Of device axes the name is a mesh axis. Where there is
/// none it stays none.
[[nodiscard]] Annotation addAxis(const Annotation& annotation, const LiftedAxis& axis);

} // namespace shardscope
