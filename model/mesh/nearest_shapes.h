// SPDX-License-Identifier: GPL-3.0-or-later
// What would work instead of a shape that does not.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "mesh/device_array.h"

namespace shardscope {

/// Shapes of as many axes as `wanted` whose product is `product`, nearest to `wanted` first: the sum over the axes of
/// |log(size / wanted size)|, then with the last axes kept. `works` says of a shape whether it really works; at most
/// `limit` that do are returned. Tried are: shapes that differ in one or two axes, orders of the same sizes, and
/// `more`; where none of these works, one axis of all.
[[nodiscard]] std::vector<MeshShape> nearestShapes(const MeshShape& wanted, std::int64_t product,
    const std::function<bool(const MeshShape&)>& works, std::vector<MeshShape> more = {}, std::size_t limit = 4);

/// How far a shape is from another one of the same rank, by the measure above.
[[nodiscard]] double shapeDistance(const MeshShape& shape, const MeshShape& wanted);

[[nodiscard]] std::vector<std::string> shapeTexts(const std::vector<MeshShape>& shapes);

/// Ascending. `number` is at least 1.
[[nodiscard]] std::vector<std::int64_t> divisorsOf(std::int64_t number);

} // namespace shardscope
