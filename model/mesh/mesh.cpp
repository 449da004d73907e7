// SPDX-License-Identifier: GPL-3.0-or-later
#include "mesh/mesh.h"

#include <algorithm>

#include "base/codes.h"

namespace shardscope {

namespace {

tl::unexpected<Error> invalidOrder(const char* detail)
{
    return fail(Code::InvalidAttribute, { { "op", "mesh" }, { "detail", detail } });
}

/// No id is negative and none occurs twice.
bool allDistinct(const std::vector<std::int32_t>& ids)
{
    const auto [smallest, largest] = std::minmax_element(ids.begin(), ids.end());
    if (*smallest < 0)
        return false;
    if (*largest / 8 > static_cast<std::int64_t>(ids.size())) { // few ids of a large range
        std::vector<std::int32_t> sorted = ids;
        std::sort(sorted.begin(), sorted.end());
        return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
    }
    std::vector<bool> seen(static_cast<std::size_t>(*largest) + 1, false);
    for (const std::int32_t id : ids) {
        if (seen[static_cast<std::size_t>(id)])
            return false;
        seen[static_cast<std::size_t>(id)] = true;
    }
    return true;
}

} // namespace

Result<Mesh> Mesh::create(std::vector<MeshAxis> axes, std::vector<std::int32_t> deviceOrder)
{
    if (deviceOrder.empty())
        return ofAxes(std::move(axes));
    Result<Mesh> mesh = createOver(std::move(axes), std::move(deviceOrder));
    if (mesh && std::any_of(mesh->m_deviceOrder.begin(), mesh->m_deviceOrder.end(), [&](std::int32_t device) {
            return device >= mesh->deviceCount();
        }))
        return invalidOrder("device order must name every device once");
    return mesh;
}

Result<Mesh> Mesh::createOver(std::vector<MeshAxis> axes, std::vector<std::int32_t> deviceIds)
{
    Result<Mesh> mesh = ofAxes(std::move(axes));
    if (!mesh)
        return mesh;
    if (deviceIds.size() != static_cast<std::size_t>(mesh->m_deviceCount) || !allDistinct(deviceIds))
        return invalidOrder("device order must name every device once");
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
            return fail(Code::InvalidAttribute, { { "op", "mesh" }, { "detail", "an axis needs a name" } });
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
