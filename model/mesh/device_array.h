// SPDX-License-Identifier: GPL-3.0-or-later
// What the builders of meshes return: which device stands where, and why.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "mesh/mesh.h"

namespace shardscope {

using MeshShape = std::vector<std::int64_t>;
/// Bounds or coordinates of hardware: (x, y, z, core) on TPUs, (host, device of the host) elsewhere.
using HardwareMesh = std::vector<std::int32_t>;

/// Which rule decided the order of the devices.
enum class OrderRule : std::uint8_t {
    AsListed, ///< no topology is known: the order of listing
    ById, ///< GPUs: ascending ids
    // Rules for kinds of devices; `ring` is the order in which each group of so many devices is visited.
    TrayRing, ///< TPU v2 and v3, eight devices: a ring through the tray, whatever the shape
    TrayRingPerRow, ///< TPU v2 and v3, last axis of eight: that ring in every row
    TrayAsListed, ///< TPU v2 and v3, any other shape: the order of listing
    SquareRing, ///< four devices of a 2x2: a ring
    BoardRing, ///< eight devices of TPU v5e and v6e: a ring of two rows
    BoardCube, ///< the same as 2x2x2
    BoardSnake, ///< 4x4 of TPU v5e and v6e in one logical axis: a ring in the form of a snake
    CubeRing, ///< TPU v5p as 2x2x2: a ring
    ChipRings, ///< TPU7: a ring through every eight devices
    // By assignment of physical axes.
    FullAxes, ///< every logical axis is a product of whole physical axes
    SplitAxes, ///< physical axes are shared between logical ones
    // Meshes made of meshes.
    Granules, ///< one mesh per slice or host, put side by side
    // T5X.
    Submesh, ///< tiles of a model-parallel submesh
    HostGrid, ///< hosts x devices of a host
};

struct PhysicalAxis {
    char name = 'x'; ///< 'x', 'y', 'z', or 'c' for the cores of a chip
    std::int64_t size = 1;
    bool operator==(const PhysicalAxis&) const = default;
};

/// Which parts of physical axes became which mesh axis.
struct AxisAssignment {
    std::vector<PhysicalAxis> physical;
    /// [physical][logical], flat: the share of a physical axis in a logical one. Products along a row are the size of
    /// the physical axis, down a column that of the logical one.
    std::vector<std::int64_t> sizes;
    bool contiguous = false; ///< physical axes were put into an order that makes submeshes contiguous

    [[nodiscard]] std::size_t rank() const { return physical.empty() ? 0 : sizes.size() / physical.size(); }
    [[nodiscard]] std::int64_t share(std::size_t physicalAxis, std::size_t logicalAxis) const
    {
        return sizes[physicalAxis * rank() + logicalAxis];
    }
    bool operator==(const AxisAssignment&) const = default;
};

/// A mesh made of one mesh per granule, a slice or a host. Along every axis the number of the granule is major.
struct GranuleReason {
    bool byProcess = false; ///< granules are hosts, not slices
    bool sorted = true; ///< by key; otherwise in the order of their first devices
    std::vector<std::int32_t> keys; ///< slice or process of each granule, in the order of use
    MeshShape inner; ///< shape inside a granule
    MeshShape outer; ///< shape of granules; of the same rank
    bool operator==(const GranuleReason&) const = default;
};

/// Tiles of T5X's get_mesh.
struct SubmeshReason {
    enum class Order : std::uint8_t {
        Plain, ///< tiles count x, y, z, core
        ZMajorInYZ, ///< y and z change places: the submesh is a whole row along x, or a whole YZ plane
        ZMajorInXZ, ///< x and z change places: the submesh is a whole row along y, or a whole XZ plane
        TiledByHost, ///< hosts, then devices inside hosts
    };
    HardwareMesh bounds;
    HardwareMesh hostBounds;
    HardwareMesh submesh;
    Order order = Order::Plain;
    /// Set when the submesh was found in the table of default meshes: for so many partitions.
    std::optional<std::int64_t> partitions;
    bool operator==(const SubmeshReason&) const = default;
};

/// The decision and what it rested on. Members that do not belong to the rule are empty.
struct MeshReason {
    OrderRule rule = OrderRule::AsListed;
    std::string kind; ///< of the devices
    std::vector<std::int32_t> ring;
    std::optional<AxisAssignment> assignment;
    std::optional<SubmeshReason> submesh;
    std::optional<GranuleReason> granules;
    std::vector<MeshReason> inner; ///< of the first granule
    /// The first devices that were used, when there were more.
    std::optional<std::int64_t> usedOf;
    bool splitByKind = false; ///< make_mesh lets physical axes be shared on this kind
    bool operator==(const MeshReason&) const = default;
};

struct DeviceArray {
    MeshShape shape;
    std::vector<std::string> names; ///< of the axes; empty where the builder gives none
    std::vector<std::int32_t> ids; ///< row-major
    MeshReason reason;
};

/// "4x16"; "()" for no axes at all.
[[nodiscard]] std::string shapeText(std::span<const std::int64_t> shape);
[[nodiscard]] std::string shapeText(std::span<const std::int32_t> shape);
/// Reads "4x16", "4,16", "(4, 16)" and "[4, 16]". Errors: MeshShapeNotIntegers when there is something but whole
/// numbers in it, Syntax when nothing is.
[[nodiscard]] Result<MeshShape> parseMeshShape(std::string_view text);

} // namespace shardscope
