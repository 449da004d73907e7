// SPDX-License-Identifier: GPL-3.0-or-later
// Which devices exchange with each other in a collective of HLO text, in all forms in which XLA prints them.
//
//     replica_groups={{0,1},{2,3}}                            as listed
//     replica_groups=[4,2]<=[2,4]T(1,0)                       0..7 in a 2 x 4 grid, transposed, 4 groups of 2: {0,4}
//     {1,5} .. replica_groups=mesh['x'=2,'y'=4] {'x'}                  along the axis x of a grid with names: {0,4}
//     {1,5} .. replica_groups=mesh['x'=2,'y'=4] {'y':(1)2}             along the major half of y: {0,2} {1,3} {4,6}
//     {5,7} replica_groups={}                                       all devices in one group
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "hlo/module.h"
#include "sharding/tile_assignment.h"

namespace shardscope {

struct HloGroups {
    enum class Form : std::uint8_t { All, List, Iota, Mesh };
    Form form = Form::All;
    std::vector<std::vector<std::int32_t>> lists; ///< of a list; of all, once their number is known
    TileAssignment tiles; ///< of an iota and of a mesh: groups x members

    /// Number of groups; 0 for all devices while their number is not known.
    [[nodiscard]] std::int64_t count() const;
    /// Members of the largest group; likewise.
    [[nodiscard]] std::int64_t size() const;
    /// Members of all groups, in the order of the text. Of `devices` devices where the text says all.
    [[nodiscard]] std::vector<std::vector<std::int32_t>> expanded(std::int64_t devices) const;
    /// Members of all groups together; likewise.
    [[nodiscard]] std::int64_t memberCount() const;
    /// The largest device number plus one; likewise.
    [[nodiscard]] std::int64_t deviceEnd() const;
};

/// The value of an attribute replica_groups. Errors, with line and column: Syntax, OutOfRange, TooLarge; TileDevices
/// where groups and grid differ in their number of devices, BadAxis for no permutation, DeviceTwice for a device in two
/// groups, UnknownAxis and AxisUsedTwice for axes of a mesh.
[[nodiscard]] Result<HloGroups> readGroups(const HloModule& module, TextSpan value);

/// The value of an attribute source_target_pairs: "{{0,1},{1,0}}". Errors: Syntax, OutOfRange; DeviceTwice where a
/// device sends or receives twice.
[[nodiscard]] Result<std::vector<std::pair<std::int32_t, std::int32_t>>> readPairs(
    const HloModule& module, TextSpan value);

} // namespace shardscope
