// SPDX-License-Identifier: GPL-3.0-or-later
// Meshes as JAX builds them: jax.experimental.mesh_utils.create_device_mesh and create_hybrid_device_mesh, and
// jax.make_mesh, 2026-08. Logical axes stand in the order of their need for communication, least first.
//
// An error says in its arguments what would work instead: `shapes` of the same number of axes, computed and tried.
#pragma once

#include <string>
#include <vector>

#include "mesh/device_array.h"
#include "mesh/device_set.h"
#include "mesh/physical_mesh.h"

namespace shardscope {

struct DeviceMeshOptions {
    bool contiguousSubmeshes = false;
    bool allowSplitPhysicalAxes = false;
    MeshUtilsVersion version = MeshUtilsVersion::Head;
};

/// All devices of the list, in an order that suits the hardware. Errors: TooLarge (axes), DeviceCountMismatch,
/// InvalidAxisSize, those of physicalTpuMesh(), NoContiguousTopology, NoContiguousShape, NoAxisAssignment.
[[nodiscard]] Result<DeviceArray> createDeviceMesh(
    const MeshShape& shape, const DeviceList& devices, const DeviceMeshOptions& options = {});

/// The first devices of the list, as many as the mesh needs; axes of TPU v5e may be split. Errors: InvalidAxisSize,
/// TooFewDevices, MultiSlice, AxisNamesLength and those of createDeviceMesh().
[[nodiscard]] Result<DeviceArray> makeMesh(const MeshShape& shape, const std::vector<std::string>& names,
    const DeviceList& devices, MeshUtilsVersion version = MeshUtilsVersion::Head);

struct HybridMeshOptions {
    bool processIsGranule = false; ///< otherwise slices are the granules
    bool sortGranulesByKey = true;
    bool allowSplitPhysicalAxes = false;
    MeshUtilsVersion version = MeshUtilsVersion::Head;
};

/// One mesh of shape `inner` per slice or host, put side by side in the shape `outer`: along every axis the granule is
/// major. The shorter shape gets axes of one in front. Errors: MissingGranuleAttribute, GranuleCountMismatch,
/// InvalidAxisSize, and those of createDeviceMesh() for the first granule that fails, with its key as `granule`.
[[nodiscard]] Result<DeviceArray> createHybridDeviceMesh(
    const MeshShape& inner, const MeshShape& outer, const DeviceList& devices, const HybridMeshOptions& options = {});

} // namespace shardscope
