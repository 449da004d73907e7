// SPDX-License-Identifier: GPL-3.0-or-later
// TPU devices as an array indexed by their coordinates.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "mesh/device_array.h"
#include "mesh/device_set.h"

namespace shardscope {

/// Whose mesh_utils. They differ in the kinds of devices that have a rule of their own, in two-core chips of TPU v5p
/// and later, and in GPUs, which only the later one sorts.
enum class MeshUtilsVersion : std::uint8_t {
    V0_4_35, ///< 2024
    Head, ///< 2026-08
};

struct PhysicalMesh {
    std::vector<PhysicalAxis> axes;
    std::vector<std::int32_t> ids; ///< row-major

    [[nodiscard]] MeshShape shape() const
    {
        MeshShape sizes;
        for (const PhysicalAxis& axis : axes)
            sizes.push_back(axis.size);
        return sizes;
    }
};

/// Families of device kinds that are treated alike.
enum class KindFamily : std::uint8_t { Other, V2V3, V4Lite, V5eV6e, V5p, Tpu7, Tpu8i };
[[nodiscard]] KindFamily kindFamily(std::string_view kind, MeshUtilsVersion version);

/// The devices over the box from the smallest to the largest coordinates: x, y, core on TPU v2 and v3; x, y, z, core on
/// TPU7, TPU8i and two-core TPU v5p; x, y, z elsewhere, where a chip is one device.
/// Errors: DevicesDoNotFillBox (box, devices, missing), NeedsOneDevicePerChip (kind, core), NotACuboid (missing,
/// twice).
[[nodiscard]] Result<PhysicalMesh> physicalTpuMesh(
    const DeviceList& devices, MeshUtilsVersion version = MeshUtilsVersion::Head);

} // namespace shardscope
