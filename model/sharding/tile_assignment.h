// SPDX-License-Identifier: GPL-3.0-or-later
// Which device holds which tile, as XLA's HLO shardings say it: a grid of tiles, and the devices of its cells in
// row-major order. Devices are numbers from 0 (positions in a mesh, not ids).
//
//     [4,2]0,2,4,6,1,3,5,7    a list
//     [4,2]<=[4,2]T(1,0)      an iota: 0..7 counted in a 4 x 2 grid, transposed, and laid into the tiles: the same
//
// An iota is kept as such, so that text of 65,536 devices stays short. It is always canonical: dimensions of size 1 are
// dropped, and dimensions that stay neighbours in ascending order under the transpose are one.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "sharding/tensor_sharding.h"

namespace shardscope {

/// How far apart neighbours along each dimension of a grid are, where the last one runs fastest.
[[nodiscard]] std::vector<std::int64_t> gridStrides(std::span<const std::int64_t> sizes);

/// Dimensions of an array whose sharding is read from text. XLA's text has one more for each type of subgroup.
inline constexpr std::size_t maximumTileDimensions = 32;

class TileAssignment {
public:
    using Permutation = SmallVector<std::int32_t, 6>;

    /// No dimensions: one tile, on device 0.
    TileAssignment() = default;
    /// Devices 0, 1, 2, ... counted in a grid of the sizes `reshape` and read in the order of its dimensions that
    /// `transpose` names, major first. Errors: TooLarge (devices), OutOfRange for sizes
    /// below 1, TileDevices where the two grids do not have the same number of cells, BadAxis for no permutation.
    static Result<TileAssignment> iota(Shape dims, Shape reshape, Permutation transpose);
    /// Errors: as above; OutOfRange for negative devices. A device may stand in it twice; validate() refuses that.
    static Result<TileAssignment> list(Shape dims, std::vector<std::int32_t> devices);

    [[nodiscard]] const Shape& dims() const { return m_dims; }
    [[nodiscard]] bool isIota() const { return m_devices.empty(); }
    /// Of an iota.
    [[nodiscard]] const Shape& reshape() const { return m_reshape; }
    [[nodiscard]] const Permutation& transpose() const { return m_transpose; }
    /// Number of cells: the product of dims().
    [[nodiscard]] std::int64_t size() const { return m_size; }
    /// The device of every cell.
    [[nodiscard]] std::vector<std::int32_t> devices() const;

    /// The same devices in a grid of other sizes; their product has to be size().
    [[nodiscard]] TileAssignment withDims(Shape dims) const;
    /// The grid with its dimensions in the order that `order` names. An iota where that can be said as one.
    [[nodiscard]] TileAssignment transposed(std::span<const std::size_t> order) const;
    /// The same as an iota, if there is one.
    [[nodiscard]] std::optional<TileAssignment> asIota() const;
    /// How far apart the devices are along what the tiles tell apart, and the number of all: of [2,4]<=[8] 1, 4 and 8;
    /// of [4,2]<=[2,4]T(1,0), whose first tile has a device of each half, the same. Nothing where it is no iota.
    [[nodiscard]] std::optional<std::set<std::int64_t>> strides() const;
    /// The same as a list.
    [[nodiscard]] TileAssignment asList() const;

    /// "[4,2]<=[4,2]T(1,0)", "[4,2]0,2,4,6,1,3,5,7".
    [[nodiscard]] std::string text() const;

    /// Same sizes, same devices in the cells, in whatever form.
    bool operator==(const TileAssignment& other) const;

private:
    Shape m_dims;
    Shape m_reshape{ 1 };
    Permutation m_transpose{ 0 };
    std::vector<std::int32_t> m_devices; ///< empty: an iota
    std::int64_t m_size = 1;
};

} // namespace shardscope
