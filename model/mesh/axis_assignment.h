// SPDX-License-Identifier: GPL-3.0-or-later
// Which physical axes of a torus make up which logical mesh axes.
//
// Source: the assignment of jax.experimental.mesh_utils (create_device_mesh), 2026-08. Logical axes are treated from
// the last, which communicates most, to the first.
//
// Full axes: each logical axis takes a set of physical axes that are still free and whose product is its size; larger
// sets are tried first, sets of equal size in lexicographic order. Free axes of one chip are absorbed by that.
//     physical 4x4x8, logical 8x16:  16 = x*y, 8 = z
//
// Splitting: each logical axis takes a factor of every physical axis. Preferred is, in this order: the larger product
// of physical axes that are taken in full; more such axes; the larger share on physical axes that later logical axes
// use already; the lexicographically larger factors. Inside a physical axis later logical axes are minor.
//     physical 4x4x4, logical 8x8:  the last 8 = x4 y2, the first 8 = y2 z4
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mesh/device_array.h"

namespace shardscope {

/// All ways to compose `size` of one factor per physical axis, each of which divides what is free of that axis
/// (physical[i] / assigned[i]). In lexicographic order.
[[nodiscard]] std::vector<MeshShape> feasibleAssignments(
    std::span<const std::int64_t> physical, std::span<const std::int64_t> assigned, std::int64_t size);
/// Whether factors `x` are preferred to factors `y`. `assigned` is the product of what later logical axes took of each
/// physical axis.
[[nodiscard]] bool isPreferred(std::span<const std::int64_t> x, std::span<const std::int64_t> y,
    std::span<const std::int64_t> physical, std::span<const std::int64_t> assigned);

/// Assignment of full axes, [physical][logical] as in AxisAssignment. The products of both shapes must be equal.
/// Error: NoAxisAssignment with the first logical axis that finds no set: axis (index), size, physical, remaining.
[[nodiscard]] Result<std::vector<std::int64_t>> assignFullAxes(
    std::span<const std::int64_t> physical, std::span<const std::int64_t> logical);
/// Assignment with splitting. The products of both shapes must be equal; then there always is one.
[[nodiscard]] std::vector<std::int64_t> assignSplitAxes(
    std::span<const std::int64_t> physical, std::span<const std::int64_t> logical);

/// The devices of a physical mesh, an axis of which lies with a stride in `ids`, in logical order.
[[nodiscard]] std::vector<std::int32_t> inLogicalOrder(std::span<const std::int32_t> ids,
    std::span<const std::int64_t> physical, std::span<const std::int64_t> strides,
    std::span<const std::int64_t> assignment);

/// Strides of a row-major array.
[[nodiscard]] MeshShape meshStrides(std::span<const std::int64_t> shape);

} // namespace shardscope
