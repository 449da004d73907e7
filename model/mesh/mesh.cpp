// SPDX-License-Identifier: GPL-3.0-or-later
#include "mesh/mesh.h"

#include <algorithm>
#include <optional>

#include "base/codes.h"

namespace shardscope {

namespace {

/// `which` = "device" for one that occurs twice, "unknown_device" for one that is not there.
tl::unexpected<Error> invalidOrder(const char* which, std::int32_t device, std::int64_t devices)
{
    return fail(Code::InvalidAttribute, { { "op", "device_order" }, { which, device }, { "devices", devices } });
}

/// The first id that occurs twice. None is negative.
std::optional<std::int32_t> repeated(const std::vector<std::int32_t>& ids)
{
    const std::int32_t largest = *std::max_element(ids.begin(), ids.end());
    if (largest / 8 > static_cast<std::int64_t>(ids.size())) { // few ids of a large range
        std::vector<std::int32_t> sorted = ids;
        std::sort(sorted.begin(), sorted.end());
        const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
        return twice == sorted.end() ? std::nullopt : std::optional(*twice);
    }
    std::vector<bool> seen(static_cast<std::size_t>(largest) + 1, false);
    for (const std::int32_t id : ids) {
        if (seen[static_cast<std::size_t>(id)])
            return id;
        seen[static_cast<std::size_t>(id)] = true;
    }
    return std::nullopt;
}

} // namespace

Result<Mesh> Mesh::create(std::vector<MeshAxis> axes, std::vector<std::int32_t> deviceOrder)
{
    if (deviceOrder.empty())
        return ofAxes(std::move(axes));
    Result<Mesh> mesh = createOver(std::move(axes), std::move(deviceOrder));
    if (mesh)
        for (const std::int32_t device : mesh->m_deviceOrder)
            if (device >= mesh->deviceCount())
                return invalidOrder("unknown_device", device, mesh->deviceCount());
    return mesh;
}

Result<Mesh> Mesh::createOver(std::vector<MeshAxis> axes, std::vector<std::int32_t> deviceIds)
{
    SHARDSCOPE_TRY(mesh, ofAxes(std::move(axes)));
    if (deviceIds.size() != static_cast<std::size_t>(mesh->m_deviceCount))
        return fail(Code::InvalidAttribute,
            { { "op", "device_order" }, { "named", deviceIds.size() }, { "devices", mesh->m_deviceCount } });
    if (const std::int32_t least = *std::min_element(deviceIds.begin(), deviceIds.end()); least < 0)
        return invalidOrder("unknown_device", least, mesh->m_deviceCount);
    if (const auto twice = repeated(deviceIds))
        return invalidOrder("device", *twice, mesh->m_deviceCount);
    bool plain = true;
    for (std::size_t i = 0; i < deviceIds.size() && plain; ++i)
        plain = deviceIds[i] == static_cast<std::int32_t>(i);
    if (!plain)
        mesh->m_deviceOrder = std::move(deviceIds);
    return mesh;
}

Result<Mesh> Mesh::ofAxes(std::vector<MeshAxis> axes)
{
    if (axes.size() > maximumMeshAxes)
        return fail(
            Code::TooLarge, { { "what", "mesh axes" }, { "count", axes.size() }, { "limit", maximumMeshAxes } });
    Mesh mesh;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const MeshAxis& axis = axes[i];
        if (axis.name.find_first_not_of(" \t\r\n") == std::string::npos)
            return fail(Code::InvalidAttribute, { { "op", "mesh" }, { "wrong", "axis_name" } });
        if (axis.size < 1)
            return fail(Code::InvalidAxisSize, { { "axis", axis.name }, { "size", axis.size } });
        if (std::any_of(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(i),
                [&](const MeshAxis& earlier) { return earlier.name == axis.name; }))
            return fail(Code::DuplicateAxis, { { "axis", axis.name } });
        if (axis.size > maximumDevices || mesh.m_deviceCount * axis.size > maximumDevices)
            return fail(Code::TooLarge, { { "what", "devices" }, { "axis", axis.name }, { "limit", maximumDevices } });
        mesh.m_deviceCount *= axis.size;
    }
    mesh.m_strides.resize(axes.size());
    std::int64_t stride = 1;
    for (std::size_t i = axes.size(); i-- > 0;) {
        mesh.m_strides[i] = stride;
        stride *= axes[i].size;
    }
    mesh.m_axes = std::move(axes);
    return mesh;
}

std::optional<std::size_t> Mesh::axisIndex(std::string_view name) const
{
    for (std::size_t i = 0; i < m_axes.size(); ++i)
        if (m_axes[i].name == name)
            return i;
    return std::nullopt;
}

std::vector<std::string> Mesh::axisNames() const
{
    std::vector<std::string> names;
    names.reserve(m_axes.size());
    for (const MeshAxis& axis : m_axes)
        names.push_back(axis.name);
    return names;
}

std::int64_t Mesh::positionOf(std::int32_t device) const
{
    if (m_deviceOrder.empty())
        return device >= 0 && device < m_deviceCount ? device : m_deviceCount;
    return std::find(m_deviceOrder.begin(), m_deviceOrder.end(), device) - m_deviceOrder.begin();
}

} // namespace shardscope
