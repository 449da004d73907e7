// SPDX-License-Identifier: GPL-3.0-or-later
// The colours in which jax.debug.visualize_array_sharding paints its cells, as far as they do not depend on a library
// of colour maps: where in the map each cell looks, and whether its label is black or white.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace shardscope {

/// Positions in the colour map, 0 to 1, in the order in which cells take them row by row. They are visited with a
/// stride of about half of them, so that neighbours differ; JAX repeats some where stride and number have a factor in
/// common.
[[nodiscard]] std::vector<double> gridColorPositions(std::int64_t rows, std::int64_t columns);

/// Red, green and blue from 0 to 1 as "#FF4C00": rounded down, clamped.
[[nodiscard]] std::string gridColorText(const std::array<double, 3>& rgb);
/// "#000000" on light cells (luma over 186 of 255), else "#ffffff".
[[nodiscard]] std::string gridLabelColor(const std::array<double, 3>& rgb);

} // namespace shardscope
