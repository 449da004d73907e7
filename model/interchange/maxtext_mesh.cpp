// SPDX-License-Identifier: GPL-3.0-or-later
// A MaxText configuration on a machine.
// A part of MaxTextMesh, which is declared in maxtext_config.h.
#include <algorithm>

#include "base/codes.h"
#include "interchange/maxtext_config.h"

namespace shardscope {

namespace {

/// Product of the sizes that are not open; 0 if it is beyond every mesh.
std::int64_t closedProduct(const std::vector<MaxTextAxis>& axes, std::int64_t MaxTextAxis::*size)
{
    std::int64_t product = 1;
    for (const MaxTextAxis& axis : axes) {
        if (axis.*size < 0)
            continue;
        if (product > maximumDevices / std::max<std::int64_t>(axis.*size, 1))
            return 0;
        product *= axis.*size;
    }
    return product;
}

std::vector<std::string> openKeys(const std::vector<MaxTextAxis>& axes, std::int64_t MaxTextAxis::*size)
{
    std::vector<std::string> keys;
    const std::string prefix = size == &MaxTextAxis::ici ? "ici_" : "dcn_";
    for (const MaxTextAxis& axis : axes)
        if (axis.*size < 0)
            keys.push_back(prefix + parallelismKey(axis.name) + "_parallelism");
    return keys;
}

/// Gives the one open size what is left of `target`; absent = not known.
Result<void> fill(std::vector<MaxTextAxis>& axes, std::int64_t MaxTextAxis::*size, std::optional<std::int64_t> target)
{
    const std::vector<std::string> open = openKeys(axes, size);
    if (open.size() > 1 || (!open.empty() && !target))
        return fail(Code::UnresolvedAxisSize, { { "axes", open } });
    const std::int64_t product = closedProduct(axes, size);
    if (product == 0)
        return fail(Code::TooLarge, { { "what", "devices" }, { "limit", maximumDevices } });
    if (target && (open.empty() ? *target != product : *target % product != 0)) {
        std::vector<Arg> args{ { "product", product }, { "devices", *target } };
        if (!open.empty()) {
            args.emplace_back("of", "open");
            args.emplace_back("open", open.front());
        } else if (size == &MaxTextAxis::dcn)
            args.emplace_back("of", "dcn");
        return fail(Code::DevicesMismatch, std::move(args));
    }
    for (MaxTextAxis& axis : axes)
        if (axis.*size < 0)
            axis.*size = *target / product;
    return {};
}

std::vector<std::int32_t> orderOf(const MaxTextMesh& mesh)
{
    const std::int64_t devices = mesh.slices * mesh.devicesPerSlice;
    std::vector<std::int32_t> order;
    order.reserve(static_cast<std::size_t>(devices));
    bool plain = true;
    for (std::int64_t position = 0; position < devices; ++position) {
        std::int64_t rest = position;
        std::int64_t slice = 0, sliceStride = 1, inside = 0, insideStride = 1;
        for (std::size_t i = mesh.axes.size(); i-- > 0;) {
            const MaxTextAxis& axis = mesh.axes[i];
            const std::int64_t coordinate = rest % (axis.ici * axis.dcn);
            rest /= axis.ici * axis.dcn;
            inside += coordinate % axis.ici * insideStride;
            insideStride *= axis.ici;
            slice += coordinate / axis.ici * sliceStride;
            sliceStride *= axis.dcn;
        }
        const std::int64_t device = slice * mesh.devicesPerSlice + inside;
        plain = plain && device == position;
        order.push_back(static_cast<std::int32_t>(device));
    }
    return plain ? std::vector<std::int32_t>() : order;
}

} // namespace

std::vector<MeshAxis> MaxTextMesh::meshAxes() const
{
    std::vector<MeshAxis> result;
    for (const MaxTextAxis& axis : axes)
        result.push_back({ axis.name, axis.ici * axis.dcn });
    return result;
}

std::optional<std::vector<MaxTextAxis>> splitOverSlices(
    const std::vector<MeshAxis>& axes, const std::vector<std::int32_t>& deviceOrder, std::int64_t slices)
{
    std::int64_t devices = 1;
    for (const MeshAxis& axis : axes) {
        if (axis.size < 1 || axis.size > maximumDevices / devices)
            return std::nullopt;
        devices *= axis.size;
    }
    if (slices < 1 || devices % slices != 0 || (!deviceOrder.empty() && std::ssize(deviceOrder) != devices))
        return std::nullopt;
    MaxTextMesh mesh;
    mesh.slices = slices;
    mesh.devicesPerSlice = devices / slices;
    std::int64_t stride = devices;
    std::int64_t between = 1;
    for (const MeshAxis& axis : axes) {
        stride /= axis.size;
        // Along the axis alone, the devices of slice 0 come first.
        std::int64_t inside = 1;
        const auto deviceAt = [&](std::int64_t position) {
            return deviceOrder.empty() ? position : deviceOrder[static_cast<std::size_t>(position)];
        };
        while (inside < axis.size && deviceAt(inside * stride) < mesh.devicesPerSlice)
            ++inside;
        if (axis.size % inside != 0)
            return std::nullopt;
        mesh.axes.push_back({ axis.name, inside, axis.size / inside });
        between *= axis.size / inside;
    }
    const std::vector<std::int32_t> order = orderOf(mesh); // empty for the plain one
    const bool plain = std::is_sorted(deviceOrder.begin(), deviceOrder.end());
    if (between != slices || (plain ? !order.empty() : order != deviceOrder))
        return std::nullopt;
    return std::move(mesh.axes);
}

Result<MaxTextMesh> resolveMesh(const MaxTextConfig& config, const MaxTextMachine& machine)
{
    MaxTextMesh mesh;
    mesh.axes = config.axes;
    const bool dcnOpen = !openKeys(mesh.axes, &MaxTextAxis::dcn).empty();
    const std::int64_t asked = dcnOpen ? 1 : closedProduct(mesh.axes, &MaxTextAxis::dcn);
    if (asked == 0)
        return fail(Code::TooLarge, { { "what", "slices" }, { "limit", maximumDevices } });
    mesh.slices = machine.slices.value_or(asked);
    if (mesh.slices == 1) {
        for (MaxTextAxis& axis : mesh.axes)
            axis.dcn = 1;
    } else if (Result<void> filled = fill(mesh.axes, &MaxTextAxis::dcn, mesh.slices); !filled) {
        return tl::unexpected(std::move(filled.error()));
    }
    std::optional<std::int64_t> perSlice;
    if (machine.devices) {
        if (mesh.slices < 1 || *machine.devices < 1 || *machine.devices % mesh.slices != 0)
            return fail(Code::DevicesMismatch,
                { { "of", "slices" }, { "product", mesh.slices }, { "devices", *machine.devices } });
        perSlice = *machine.devices / mesh.slices;
    }
    SHARDSCOPE_CHECK(fill(mesh.axes, &MaxTextAxis::ici, perSlice));
    mesh.devicesPerSlice = closedProduct(mesh.axes, &MaxTextAxis::ici);
    if (mesh.devicesPerSlice > maximumDevices / mesh.slices)
        return fail(Code::TooLarge, { { "what", "devices" }, { "limit", maximumDevices } });
    mesh.deviceOrder = orderOf(mesh);
    return mesh;
}

} // namespace shardscope
