// SPDX-License-Identifier: GPL-3.0-or-later
// Meshes as T5X builds them (t5x/partitioning.py, cc342d41): axes data and model, or replica, data and model over
// several slices. The model axis is a submesh of the hardware, the data axis counts its tiles.
//
// An error says in its arguments what would work instead, computed and tried.
#pragma once

#include <optional>
#include <string_view>

#include "mesh/device_array.h"
#include "mesh/device_set.h"
#include "mesh/physical_mesh.h"

namespace shardscope {

/// Hosts, and devices of one host, where there are no coordinates.
struct HostCounts {
    std::int32_t processes = 1;
    std::int32_t localDevices = 1;
};

/// T5X's get_coords of a device that has coordinates: (x, y, z, core).
[[nodiscard]] HardwareMesh hardwareCoordinates(const DevicePlace& device);
/// T5X's bounds_from_last_device: one more than the coordinates, or (processes, devices of a host).
[[nodiscard]] HardwareMesh boundsFromLastDevice(const DevicePlace& last);
[[nodiscard]] HardwareMesh boundsFromLastDevice(HostCounts counts);
/// The hosts of a list, and the devices of its host 0.
[[nodiscard]] HostCounts hostCounts(const DeviceList& devices);

/// T5X's get_mesh. Host bounds are those of the devices of host 0. The order of the list does not matter. Errors:
///  - SubmeshRank: the submesh has another number of entries than the hardware has dimensions
///  - ZeroDivision: a size of 0 in the submesh
///  - SubmeshNotFactor: an entry does not divide the bounds
///  - HostNotFactor: the bounds of a host do not divide the bounds of all
///  - ZMajorNeedsAllCores: a whole row or plane without all cores of its chips
///  - HostTiling: tiling by hosts, where a submesh entry neither divides nor is a multiple of the host's
///  - MultiSlice, DevicesDoNotFillBox: there is not one device at every place, which T5X does not notice
/// Arguments: submesh, bounds, host; `submeshes` that work; `untiled` if it works without tiling.
[[nodiscard]] Result<DeviceArray> t5xMesh(
    const DeviceList& devices, const HardwareMesh& submesh, bool tileByHostIfNeeded = true);

/// The table of default_mesh: the submesh for so many partitions of a kind of TPU with these bounds; nothing where the
/// table has none.
[[nodiscard]] std::optional<HardwareMesh> t5xDefaultSubmesh(
    std::string_view kind, const HardwareMesh& bounds, std::int64_t partitions);

/// hosts x devices of a host; the number of partitions plays no part. Error: DevicesDoNotFillBox.
[[nodiscard]] Result<DeviceArray> t5xCpuMesh(const DeviceList& devices);
/// Model inside a host as far as it goes, the rest over hosts. Errors: ZeroDivision, GpuPartitions, DcnShapeMismatch;
/// `partitions_list` names numbers of partitions that work.
[[nodiscard]] Result<DeviceArray> t5xGpuMesh(
    const DeviceList& devices, std::int64_t partitions, MeshUtilsVersion version = MeshUtilsVersion::Head);

struct T5xDefaultOptions {
    std::int64_t partitions = 1;
    HardwareMesh submesh; ///< empty: none given; takes precedence over `partitions`
    std::optional<MeshShape> ici; ///< together with `dcn`: a hybrid mesh, whatever else is given
    std::optional<MeshShape> dcn;
    MeshUtilsVersion version = MeshUtilsVersion::Head;
};

/// T5X's default_mesh. Kind and bounds are those of the device listed last. Errors: NoDefaultMesh (kind, partitions,
/// bounds; `partitions_list` and `submeshes` that work) and those of the builders above.
[[nodiscard]] Result<DeviceArray> t5xDefaultMesh(const DeviceList& devices, const T5xDefaultOptions& options);

} // namespace shardscope
