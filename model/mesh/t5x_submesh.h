// SPDX-License-Identifier: GPL-3.0-or-later
// The decisions of T5X's get_mesh, apart from moving devices. For the builders of this folder.
#pragma once

#include <array>
#include <vector>

#include "mesh/t5x_mesh.h"

namespace shardscope {

/// Bounds of all devices and of host 0, as T5X sees them.
struct T5xHardware {
    explicit T5xHardware(const DeviceList& devices);
    /// (x, y, z, core), or (host, device of the host, 0, 0).
    [[nodiscard]] std::array<std::int32_t, 4> coordinates(const DevicePlace& device) const;

    bool hasCoordinates = false;
    HostCounts counts; ///< without coordinates
    HardwareMesh bounds;
    HardwareMesh hostBounds;
};

/// Whether and how the submesh tiles the hardware. Errors as of t5xMesh().
[[nodiscard]] Result<SubmeshReason> planSubmesh(
    const T5xHardware& hardware, const HardwareMesh& submesh, bool tileByHost);
/// Submeshes that planSubmesh() accepts: those of `size` devices first, then those like `wanted`.
[[nodiscard]] std::vector<HardwareMesh> workingSubmeshes(
    const T5xHardware& hardware, const HardwareMesh& wanted, std::int64_t size, bool tileByHost);

} // namespace shardscope
