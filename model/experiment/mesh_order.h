// SPDX-License-Identifier: GPL-3.0-or-later
// The devices of an experiment in the order in which they fill its mesh, with the reason.
//
//     TPU v4 of 4 x 4 x 4, axes data 16 and model 4, create_device_mesh: model runs along x, data along y and z.
#pragma once

#include "experiment/experiment.h"
#include "mesh/device_array.h"

namespace shardscope {

/// The slices (hosts) along each axis that a hybrid mesh has: those of the setting, or, where it names none, as many as
/// each axis can take, the first axis first. Errors: UnknownAxis, InvalidAxisSize when the size of an axis does not
/// divide by its number.
[[nodiscard]] Result<MeshShape> dcnShape(const DeviceSet& devices, const MeshSetting& setting);

/// One device per position of the mesh, row-major. The axes must take all devices. Errors: InvalidAttribute for an
/// explicit order that is none, those of the builders (with `axis_name` where they name an axis), those of dcnShape(),
/// and OrderShape when T5X makes a mesh of other sizes than the axes have.
[[nodiscard]] Result<DeviceArray> orderDevices(const DeviceSet& devices, const MeshSetting& setting);

struct OrderedMesh {
    Mesh mesh;
    MeshReason reason;
};
/// The axes over the devices in that order. Where the axes do not take all devices, in the plain order or the explicit
/// one. Errors: those of Mesh::create and of orderDevices(), with their place in the file.
[[nodiscard]] Result<OrderedMesh> orderedMesh(const DeviceSet& devices, const MeshSetting& setting);
[[nodiscard]] Result<Mesh> makeMesh(const DeviceSet& devices, const MeshSetting& setting);

/// Device ids by position, numbered along the first axis first.
///     data 2, model 4: 0 2 4 6 1 3 5 7
[[nodiscard]] std::vector<std::int32_t> columnMajorOrder(const Mesh& mesh);

/// What "auto" chooses: create_device_mesh, over the slices where there are several; physical axes are shared where
/// that is the only way. What fails even so is left at create_device_mesh, whose failure says what would work.
[[nodiscard]] OrderSetting automaticOrder(const DeviceSet& devices, const MeshSetting& setting);

} // namespace shardscope
