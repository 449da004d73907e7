// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/mesh_of_groups.h"

#include <algorithm>
#include <ranges>

#include "program/types.h"

namespace shardscope {

AxisStrides axisStrides(std::span<const MeshAxis> axes)
{
    AxisStrides strides{ 1 };
    std::int64_t product = 1;
    for (const MeshAxis& axis : std::views::reverse(axes))
        strides.insert(product = saturatingProduct(product, axis.size));
    return strides;
}

MeshOfGroups::MeshOfGroups(std::int64_t devices)
    : m_devices(devices)
    , m_strides{ 1, devices }
{
}

void MeshOfGroups::addGroup(std::vector<std::int32_t> group)
{
    if (group.empty())
        return;
    AxisStrides strides{ 1 };
    std::sort(group.begin(), group.end());
    const auto count = static_cast<std::int64_t>(group.size());
    const auto at = [&](std::int64_t place) {
        return std::int64_t{ group[static_cast<std::size_t>(place)] } - group.front();
    };
    for (std::int64_t known = 1; known < count;) { // the first `known` members are explained
        const std::int64_t stride = at(known);
        std::int64_t times = 1;
        while (known * times < count && at(known * times) == stride * times)
            ++times;
        // Each run is like the first one, and the group begins where its axis does.
        for (std::int64_t place = known; place < std::min(known * times, count); ++place)
            if (at(place) != at(place % known) + place / known * stride)
                return;
        if (stride <= 0 || known * times > count || group.front() / stride % times != 0)
            return;
        strides.insert(stride);
        strides.insert(stride * times);
        known *= times;
    }
    addStrides(strides);
}

void MeshOfGroups::addStrides(const AxisStrides& strides)
{
    AxisStrides both = m_strides;
    for (const std::int64_t stride : strides)
        if (stride > 0 && m_devices % stride == 0)
            both.insert(stride);
        else
            return;
    for (auto stride = both.begin(); std::next(stride) != both.end(); ++stride)
        if (*std::next(stride) % *stride != 0)
            return;
    m_strides = std::move(both);
}

std::vector<MeshAxis> MeshOfGroups::axes(std::span<const MeshAxis> named) const
{
    std::vector<MeshAxis> axes;
    for (auto stride = m_strides.begin(); std::next(stride) != m_strides.end(); ++stride)
        axes.insert(axes.begin(), { std::string(), *std::next(stride) / *stride });
    std::int64_t stride = 1;
    for (MeshAxis& axis : std::views::reverse(axes)) {
        std::int64_t own = 1;
        for (const MeshAxis& other : std::views::reverse(named)) {
            if (own == stride && other.size == axis.size && other.size > 1)
                axis.name = other.name;
            own *= other.size;
        }
        stride *= axis.size;
    }
    if (axes.empty())
        axes.push_back({ std::string(), 1 });
    const auto isTaken = [&](const std::string& name) {
        return std::any_of(axes.begin(), axes.end(), [&](const MeshAxis& axis) { return axis.name == name; });
    };
    for (std::size_t i = 0, number = 0; i < axes.size(); ++i)
        while (axes[i].name.empty())
            if (std::string name = "axis_" + std::to_string(number++); !isTaken(name))
                axes[i].name = std::move(name);
    return axes;
}

} // namespace shardscope
