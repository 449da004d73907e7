// SPDX-License-Identifier: GPL-3.0-or-later
#include "mesh/mesh.h"

#include <algorithm>

namespace shardscope {

Result<Mesh> Mesh::create(std::vector<MeshAxis> axes, std::vector<std::int32_t> deviceOrder)
{
    if (axes.size() > maximumMeshAxes)
        return fail(
            Code::TooLarge, { { "what", "mesh axes" }, { "count", axes.size() }, { "limit", maximumMeshAxes } });
    Mesh mesh;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const MeshAxis& axis = axes[i];
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

    if (!deviceOrder.empty()) {
        std::vector<bool> seen(static_cast<std::size_t>(mesh.m_deviceCount));
        bool permutation = deviceOrder.size() == seen.size();
        for (const std::int32_t device : deviceOrder) {
            permutation =
                permutation && device >= 0 && device < mesh.m_deviceCount && !seen[static_cast<std::size_t>(device)];
            if (!permutation)
                return fail(Code::InvalidAttribute,
                    { { "op", "mesh" }, { "detail", "device order must name every device once" } });
            seen[static_cast<std::size_t>(device)] = true;
        }
        if (!std::is_sorted(deviceOrder.begin(), deviceOrder.end()))
            mesh.m_deviceOrder = std::move(deviceOrder);
    }
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
        return device;
    return std::find(m_deviceOrder.begin(), m_deviceOrder.end(), device) - m_deviceOrder.begin();
}

} // namespace shardscope
