// SPDX-License-Identifier: GPL-3.0-or-later
#include "mesh/mesh_in_axes.h"

#include <algorithm>
#include <numeric>

namespace shardscope {

namespace {

std::vector<std::int32_t> devicesOf(const Mesh& mesh)
{
    std::vector<std::int32_t> devices(static_cast<std::size_t>(mesh.deviceCount()));
    for (std::size_t position = 0; position < devices.size(); ++position)
        devices[position] = mesh.deviceAt(static_cast<std::int64_t>(position));
    return devices;
}

AxisRef part(std::size_t axis, std::int64_t pre, std::int64_t size)
{
    return { static_cast<std::int32_t>(axis), static_cast<std::int32_t>(pre), static_cast<std::int32_t>(size) };
}

/// Of two meshes with the same order of devices, by the positions that an axis steps over.
std::optional<std::vector<AxisList>> axesByStride(const Mesh& main, const Mesh& mesh)
{
    std::vector<AxisList> axes(mesh.rank());
    for (std::size_t own = 0; own < mesh.rank(); ++own) {
        const std::int64_t least = mesh.stride(own), most = least * mesh.size(own);
        for (std::size_t other = 0; other < main.rank(); ++other) {
            const std::int64_t from = main.stride(other), to = from * main.size(other);
            const std::int64_t low = std::max(least, from), high = std::min(most, to);
            if (low >= high)
                continue;
            if (low % least != 0 || low % from != 0 || high % low != 0 || most % high != 0 || to % high != 0)
                return {};
            appendMerged(axes[own], part(other, to / high, high / low));
        }
    }
    return axes;
}

/// Axes of one name and size are the same; the others take what is left, from the major part on.
std::vector<AxisList> axesByName(const Mesh& main, const Mesh& mesh)
{
    std::vector<AxisList> axes(mesh.rank());
    std::vector<std::int64_t> taken(main.rank(), 1);
    const auto isSame = [&](std::size_t own) {
        const std::optional<std::size_t> other = main.axisIndex(mesh.axis(own).name);
        return other && main.size(*other) == mesh.size(own) ? other : std::nullopt;
    };
    for (std::size_t own = 0; own < mesh.rank(); ++own)
        if (const std::optional<std::size_t> other = isSame(own); other && mesh.size(own) > 1) {
            axes[own].push_back(fullAxis(main, *other));
            taken[*other] = main.size(*other);
        }
    for (std::size_t own = 0; own < mesh.rank(); ++own) {
        std::int64_t wanted = axes[own].empty() ? mesh.size(own) : 1;
        for (std::size_t other = 0; other < main.rank() && wanted > 1; ++other) {
            const std::int64_t size = std::gcd(wanted, main.size(other) / taken[other]);
            if (size == 1)
                continue;
            appendMerged(axes[own], part(other, taken[other], size));
            taken[other] *= size;
            wanted /= size;
        }
    }
    return axes;
}

} // namespace

MeshPtr overAxes(const Mesh& main, const Mesh& mesh, const std::vector<AxisList>& axes)
{
    std::vector<std::int32_t> devices(static_cast<std::size_t>(main.deviceCount()));
    for (std::size_t position = 0; position < devices.size(); ++position) {
        std::int64_t there = 0;
        for (std::size_t own = 0; own < mesh.rank(); ++own) {
            std::int64_t coordinate = 0;
            for (const AxisRef& ref : axes[own]) {
                const auto other = static_cast<std::size_t>(ref.axis);
                const std::int64_t along = main.coordinate(static_cast<std::int64_t>(position), other);
                coordinate = coordinate * ref.size + along / (main.size(other) / ref.next()) % ref.size;
            }
            there += coordinate * mesh.stride(own);
        }
        devices[position] = mesh.deviceAt(there);
    }
    Result<Mesh> made = Mesh::createOver({ main.axes().begin(), main.axes().end() }, std::move(devices));
    return made ? std::make_shared<const Mesh>(std::move(*made)) : nullptr;
}

std::optional<MeshInAxes> inAxesOf(const Mesh& main, const Mesh& mesh)
{
    if (main.rank() == 0 || mesh.rank() == 0 || main.deviceCount() != mesh.deviceCount())
        return {};
    std::vector<std::int32_t> here = devicesOf(main), there = devicesOf(mesh);
    std::optional<std::vector<AxisList>> axes;
    if (here == there)
        axes = axesByStride(main, mesh);
    std::sort(here.begin(), here.end());
    std::sort(there.begin(), there.end());
    if (here != there)
        return {};
    if (!axes)
        axes = axesByName(main, mesh);
    MeshPtr made = overAxes(main, mesh, *axes);
    if (!made)
        return {};
    return MeshInAxes{ std::move(made), std::move(*axes) };
}

std::optional<AxisList> partsOf(const MeshInAxes& mesh, AxisRef ref)
{
    AxisList parts;
    std::int64_t from = 1; // sizes of the parts before, together
    for (const AxisRef& each : mesh.axes[static_cast<std::size_t>(ref.axis)]) {
        const std::int64_t to = from * each.size;
        const std::int64_t low = std::max<std::int64_t>(from, ref.pre), high = std::min<std::int64_t>(to, ref.next());
        if (low < high) {
            if (low % from != 0 || high % low != 0 || to % high != 0)
                return {};
            appendMerged(parts, part(static_cast<std::size_t>(each.axis), each.pre * (low / from), high / low));
        }
        from = to;
    }
    return parts;
}

std::optional<AxisList> partsOf(const MeshInAxes& mesh, const AxisList& list)
{
    AxisList parts;
    for (const AxisRef& ref : list) {
        const std::optional<AxisList> own = partsOf(mesh, ref);
        if (!own)
            return {};
        for (const AxisRef& each : *own)
            appendMerged(parts, each);
    }
    return parts;
}

} // namespace shardscope
