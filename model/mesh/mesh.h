// SPDX-License-Identifier: GPL-3.0-or-later
// A device mesh: named axes with sizes, and the order in which devices fill it.
//
// Positions count row-major, the first axis being the major one. On Mesh {data=2, model=4} in plain order the position
// of (data 1, model 2) is 1*4 + 2 = 6, and it holds device 6. A device order is one permutation; there is no object per
// device.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/small_vector.h"

namespace shardscope {

struct MeshAxis {
    std::string name;
    std::int64_t size = 1;
    bool operator==(const MeshAxis&) const = default;
};

inline constexpr std::int64_t maximumDevices = 1'048'576;
inline constexpr std::size_t maximumMeshAxes = 16;

class Mesh {
public:
    /// The mesh without axes: one device.
    Mesh() = default;
    /// A mesh over the devices 0 .. n-1. Errors: DuplicateAxis, InvalidAxisSize, TooLarge (axes or devices),
    /// InvalidAttribute for an axis without a name, or when `deviceOrder` is given and does not name each of these
    /// devices once.
    static Result<Mesh> create(std::vector<MeshAxis> axes, std::vector<std::int32_t> deviceOrder = {});
    /// A mesh over any devices: part of a machine, say [12, 15, 13, 14]. Code that keeps one thing per device must use
    /// positions, then, not ids. Errors as above; InvalidAttribute when ids are negative, repeated, or not one per
    /// position.
    static Result<Mesh> createOver(std::vector<MeshAxis> axes, std::vector<std::int32_t> deviceIds);

    [[nodiscard]] std::span<const MeshAxis> axes() const { return m_axes; }
    [[nodiscard]] std::size_t rank() const { return m_axes.size(); }
    [[nodiscard]] const MeshAxis& axis(std::size_t index) const { return m_axes[index]; }
    [[nodiscard]] std::int64_t size(std::size_t index) const { return m_axes[index].size; }
    [[nodiscard]] std::optional<std::size_t> axisIndex(std::string_view name) const;
    [[nodiscard]] std::vector<std::string> axisNames() const;
    /// Number of devices: the product of the axis sizes.
    [[nodiscard]] std::int64_t deviceCount() const { return m_deviceCount; }
    /// Positions between two neighbours along the axis: the product of the sizes of the axes minor to it.
    [[nodiscard]] std::int64_t stride(std::size_t index) const { return m_strides[index]; }
    /// Coordinate of a position along an axis.
    [[nodiscard]] std::int64_t coordinate(std::int64_t position, std::size_t index) const
    {
        return position / m_strides[index] % m_axes[index].size;
    }
    /// Device at a position, and position of a device; deviceCount() for one that is not in the mesh.
    [[nodiscard]] std::int32_t deviceAt(std::int64_t position) const
    {
        return m_deviceOrder.empty() ? static_cast<std::int32_t>(position)
                                     : m_deviceOrder[static_cast<std::size_t>(position)];
    }
    [[nodiscard]] std::int64_t positionOf(std::int32_t device) const;
    /// Empty for the plain order 0, 1, 2, ...
    [[nodiscard]] std::span<const std::int32_t> deviceOrder() const { return m_deviceOrder; }

    bool operator==(const Mesh& other) const { return m_axes == other.m_axes && m_deviceOrder == other.m_deviceOrder; }

private:
    static Result<Mesh> ofAxes(std::vector<MeshAxis> axes);

    std::vector<MeshAxis> m_axes;
    std::vector<std::int64_t> m_strides;
    std::vector<std::int32_t> m_deviceOrder; ///< by position; empty for the plain order
    std::int64_t m_deviceCount = 1;
};

using MeshPtr = std::shared_ptr<const Mesh>;

} // namespace shardscope
