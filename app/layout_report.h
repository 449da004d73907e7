// SPDX-License-Identifier: GPL-3.0-or-later
// Meshes and the shards of arrays, drawn.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "console.h"

namespace shardscope {
class Layout;
class Mesh;
struct Snapshot;
struct TensorRow;
} // namespace shardscope

namespace shardscope::cli {

/// How much of something large is printed: what people read, or all of it.
enum class Extent : std::uint8_t { Readable, Everything };

/// "data 2 × model 4: 8 devices on 2 hosts", axes of size 1 by their names alone, then the device grid: the boxes that
/// JAX draws of few devices, rows of numbers of more.
void printMesh(Console& console, const Snapshot& snapshot, Extent extent = Extent::Readable);
/// "x  f32[batch 8@data, embed 1024]  2 shards of [4, 1024]", then the grid.
void printGrid(Console& console, const Snapshot& snapshot, const TensorRow& row, Extent extent = Extent::Readable);
/// Which devices hold which shard.
void printHolders(Console& console, const Layout& layout, const QString& indent, Extent extent = Extent::Readable);

/// Rows of device ids, the last axis across; those without a name are "axis 1" and so on. Long ones end early, which is
/// said.
struct IdLimits {
    std::int64_t rows = std::numeric_limits<std::int64_t>::max();
    std::int64_t columns = std::numeric_limits<std::int64_t>::max();
};
void printDeviceIds(Console& console, std::span<const std::int64_t> shape, std::span<const std::string> names,
    std::span<const std::int32_t> ids, IdLimits limits);

/// "0, 4": at most sixteen ids, then how many there are.
[[nodiscard]] QString idsText(const std::vector<std::int32_t>& ids);
/// "data 2 × model 4"
[[nodiscard]] QString axesText(const Mesh& mesh);

} // namespace shardscope::cli
