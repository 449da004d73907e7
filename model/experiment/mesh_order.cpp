// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/mesh_order.h"

#include <algorithm>
#include <numeric>

#include "base/codes.h"
#include "mesh/device_mesh.h"
#include "mesh/t5x_mesh.h"

namespace shardscope {

namespace {

MeshShape sizesOf(const MeshSetting& setting)
{
    MeshShape sizes;
    for (const MeshAxis& axis : setting.axes)
        sizes.push_back(axis.size);
    return sizes;
}

std::vector<std::string> namesOf(const MeshSetting& setting)
{
    std::vector<std::string> names;
    for (const MeshAxis& axis : setting.axes)
        names.push_back(axis.name);
    return names;
}

/// Number of devices of the mesh; absent when the axes make none.
std::optional<std::int64_t> positions(const MeshSetting& setting)
{
    std::int64_t product = 1;
    for (const MeshAxis& axis : setting.axes) {
        if (axis.size < 1 || axis.size > maximumDevices || product * axis.size > maximumDevices)
            return std::nullopt;
        product *= axis.size;
    }
    return product;
}

Result<DeviceArray> hybrid(const DeviceSet& devices, const MeshSetting& setting)
{
    SHARDSCOPE_TRY(outer, dcnShape(devices, setting));
    MeshShape inner = sizesOf(setting);
    for (std::size_t axis = 0; axis < inner.size(); ++axis)
        inner[axis] /= (*outer)[axis];
    return createHybridDeviceMesh(inner, *outer, DeviceList(devices),
        { setting.order.byHost, true, setting.order.sharePhysicalAxes, MeshUtilsVersion::Head });
}

Result<DeviceArray> t5x(const DeviceSet& devices, const MeshSetting& setting)
{
    const auto differs = [&](const std::string& shape) {
        return fail(Code::OrderShape, { { "shape", shape }, { "wanted", shapeText(sizesOf(setting)) } });
    };
    if (setting.axes.size() != 2)
        return differs({});
    T5xDefaultOptions options;
    options.partitions = setting.axes.back().size;
    options.submesh = setting.order.submesh;
    Result<DeviceArray> array = t5xDefaultMesh(DeviceList(devices), options);
    if (array && array->shape != sizesOf(setting))
        return differs(shapeText(array->shape));
    return array;
}

Result<DeviceArray> build(const DeviceSet& devices, const MeshSetting& setting)
{
    const OrderSetting& order = setting.order;
    const DeviceList list(devices);
    switch (order.method) {
    case OrderMethod::CreateDeviceMesh:
        return createDeviceMesh(
            sizesOf(setting), list, { order.contiguousSubmeshes, order.sharePhysicalAxes, MeshUtilsVersion::Head });
    case OrderMethod::MakeMesh:
        return makeMesh(sizesOf(setting), namesOf(setting), list);
    case OrderMethod::Hybrid:
        return hybrid(devices, setting);
    case OrderMethod::T5x:
        return t5x(devices, setting);
    case OrderMethod::RowMajor:
    case OrderMethod::AsListed:
        break;
    }
    DeviceArray array{ sizesOf(setting), {}, std::vector<std::int32_t>(static_cast<std::size_t>(devices.count())), {} };
    if (order.method == OrderMethod::RowMajor) {
        std::iota(array.ids.begin(), array.ids.end(), 0);
        array.reason.rule = OrderRule::ById;
    } else {
        auto next = array.ids.begin();
        list.forEach([&next](const DevicePlace& place) { *next++ = place.id; });
    }
    array.reason.kind = devices.kind;
    return array;
}

} // namespace

Result<MeshShape> dcnShape(const DeviceSet& devices, const MeshSetting& setting)
{
    const OrderSetting& order = setting.order;
    MeshShape shape(setting.axes.size(), 1);
    if (order.dcn.empty()) {
        std::int64_t rest = order.byHost ? devices.hosts : devices.slices;
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            shape[axis] = std::gcd(setting.axes[axis].size, rest);
            rest /= shape[axis];
        }
        return shape; // what is left over is for the builder to refuse
    }
    for (const MeshAxis& dcn : order.dcn) {
        const auto axis = std::find_if(
            setting.axes.begin(), setting.axes.end(), [&](const MeshAxis& each) { return each.name == dcn.name; });
        if (axis == setting.axes.end())
            return fail(Code::UnknownAxis, { { "axis", dcn.name }, { "known", namesOf(setting) } });
        if (dcn.size < 1 || axis->size % dcn.size != 0)
            return fail(Code::InvalidAxisSize, { { "axis", dcn.name }, { "size", axis->size }, { "dcn", dcn.size } });
        shape[static_cast<std::size_t>(axis - setting.axes.begin())] = dcn.size;
    }
    return shape;
}

Result<DeviceArray> orderDevices(const DeviceSet& devices, const MeshSetting& setting)
{
    if (!setting.deviceOrder.empty()) {
        SHARDSCOPE_CHECK(makeMesh(setting));
        DeviceArray array{ sizesOf(setting), {}, setting.deviceOrder, {} };
        array.reason.kind = devices.kind;
        return array;
    }
    Result<DeviceArray> array = build(devices, setting);
    if (!array) {
        Error& error = array.error();
        if (const auto axis = static_cast<std::size_t>(error.number("axis"));
            error.code == Code::NoAxisAssignment && axis < setting.axes.size())
            error.args.push_back({ "axis_name", setting.axes[axis].name });
    }
    return array;
}

Result<OrderedMesh> orderedMesh(const DeviceSet& devices, const MeshSetting& setting)
{
    const auto at = [](Error error, const char* pointer) {
        if (error.where.pointer.empty())
            error.where.pointer = pointer;
        return tl::unexpected(std::move(error));
    };
    Result<Mesh> mesh = makeMesh(setting);
    if (!mesh)
        return at(mesh.error(), "/mesh/axes");
    OrderedMesh ordered{ std::move(*mesh), {} };
    ordered.reason.kind = devices.kind;
    const bool plain = !setting.deviceOrder.empty() || setting.order.method == OrderMethod::RowMajor;
    if (plain || positions(setting) != devices.count())
        return ordered;
    Result<DeviceArray> array = orderDevices(devices, setting);
    if (!array)
        return at(array.error(), "/mesh/device_order");
    ordered.reason = std::move(array->reason);
    mesh = Mesh::create(setting.axes, std::move(array->ids));
    if (!mesh)
        return at(mesh.error(), "/mesh/device_order");
    ordered.mesh = std::move(*mesh);
    return ordered;
}

Result<Mesh> makeMesh(const DeviceSet& devices, const MeshSetting& setting)
{
    SHARDSCOPE_TRY(ordered, orderedMesh(devices, setting));
    return std::move(ordered->mesh);
}

std::vector<std::int32_t> columnMajorOrder(const Mesh& mesh)
{
    std::vector<std::int32_t> order(static_cast<std::size_t>(mesh.deviceCount()));
    for (std::int64_t position = 0; position < mesh.deviceCount(); ++position) {
        std::int64_t device = 0, stride = 1;
        for (std::size_t axis = 0; axis < mesh.rank(); ++axis) {
            device += mesh.coordinate(position, axis) * stride;
            stride *= mesh.size(axis);
        }
        order[static_cast<std::size_t>(position)] = static_cast<std::int32_t>(device);
    }
    return order;
}

OrderSetting automaticOrder(const DeviceSet& devices, const MeshSetting& setting)
{
    OrderSetting first;
    first.method = devices.hasCoordinates() && devices.slices > 1 ? OrderMethod::Hybrid : OrderMethod::CreateDeviceMesh;
    OrderSetting sharing = first;
    sharing.sharePhysicalAxes = true;
    for (const OrderSetting& order : { first, sharing })
        if (orderDevices(devices, { setting.axes, {}, order }))
            return order;
    return first;
}

} // namespace shardscope
