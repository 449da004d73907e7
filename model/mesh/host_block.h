// SPDX-License-Identifier: GPL-3.0-or-later
// The part of a mesh that belongs to one host, as JAX's local mesh and T5X's LocalChunker see it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mesh/device_array.h"
#include "mesh/device_set.h"

namespace shardscope {

/// The smallest block of the mesh that holds all devices of a host. A host can use the mesh only if nobody else's
/// devices are in the block.
struct HostBlock {
    std::int32_t process = 0;
    std::int64_t devices = 0; ///< of the host, in the mesh
    MeshShape start;
    MeshShape shape;
    MeshShape chunks; ///< blocks of this size along every axis: axis size / block size, rounded down
    MeshShape chunk; ///< which of them this is: start / block size, rounded down

    [[nodiscard]] bool contiguous() const;
    bool operator==(const HostBlock&) const = default;
};

/// The host (process) of each of these devices; -1 for one that the set lacks. One pass over the set.
[[nodiscard]] std::vector<std::int32_t> hostsOf(std::span<const std::int32_t> ids, const DeviceSet& set);

/// One block per host that has devices in the mesh, by process. One pass over the mesh, whatever the number of hosts.
[[nodiscard]] std::vector<HostBlock> hostBlocks(const DeviceArray& array, const DeviceSet& set);
/// The same for a mesh of that shape with these hosts by position, row-major.
[[nodiscard]] std::vector<HostBlock> hostBlocks(const MeshShape& shape, std::span<const std::int32_t> hosts);
/// The block of one host. Errors: NoLocalDevices, LocalDevicesNotContiguous.
[[nodiscard]] Result<HostBlock> hostBlock(
    const MeshShape& shape, std::span<const std::int32_t> hosts, std::int32_t process);

} // namespace shardscope
