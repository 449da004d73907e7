// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in edits.h.
#include "experiment/edits.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/codes.h"
#include "experiment/edit_support.h"
#include "mesh/device_places.h"
#include "mesh/nearest_shapes.h"
#include "sharding/sharding_text.h"

namespace shardscope {

namespace {

using edit_support::checkIndex;
using edit_support::checkName;

/// Number of positions, at most one beyond the limit.
std::int64_t positions(const std::vector<MeshAxis>& axes)
{
    std::int64_t product = 1;
    for (const MeshAxis& axis : axes) {
        if (axis.size < 1 || axis.size > maximumDevices || product * axis.size > maximumDevices)
            return maximumDevices + 1;
        product *= axis.size;
    }
    return product;
}

/// So many chips on a usual grid with the cores and slices of `devices`; none where there is no such grid.
std::optional<DeviceSet> chipsFor(const DeviceSet& devices, std::int64_t count)
{
    const std::int64_t cores = std::int64_t{ devices.coresPerChip } * devices.slices;
    const auto chips =
        count % cores == 0 ? usualChips(devices.kind, count / cores) : std::optional<std::array<std::int32_t, 3>>();
    if (!chips)
        return std::nullopt;
    Result<DeviceSet> set = DeviceSet::ofChips(
        devices.kind, *chips, DeviceSet::usualHostChips(*chips), devices.coresPerChip, devices.slices);
    return set ? std::optional(std::move(*set)) : std::nullopt;
}

/// So many devices on as many hosts as before where that divides.
DeviceSet hostsFor(const DeviceSet& devices, std::int64_t count)
{
    const bool divides = devices.hosts >= 1 && count % devices.hosts == 0;
    const std::int32_t hosts = divides ? devices.hosts : 1;
    return DeviceSet::ofHosts(devices.kind, devices.platform, hosts, static_cast<std::int32_t>(count / hosts));
}

/// The experiment with these axes, if they make a mesh.
Result<Experiment> withAxes(const Experiment& before, std::vector<MeshAxis> axes)
{
    MeshSetting mesh{ std::move(axes), before.mesh.deviceOrder, before.mesh.order };
    if (positions(mesh.axes) != positions(before.mesh.axes))
        mesh.deviceOrder.clear();
    SHARDSCOPE_CHECK(makeMesh(mesh));
    const bool same = positions(mesh.axes) == positions(before.mesh.axes);
    Experiment after = before;
    after.mesh = std::move(mesh);
    return same ? after : withHardwareFollowing(std::move(after), before.hardware);
}

/// Size that `axis` must take so that the product stays when `changed` goes to `size`; absent if it is not whole.
std::optional<std::int64_t> inverse(
    const std::vector<MeshAxis>& axes, std::size_t changed, std::int64_t size, std::size_t axis)
{
    const std::int64_t both = axes[changed].size * axes[axis].size;
    if (both % size != 0)
        return std::nullopt;
    return both / size;
}

/// AxisUsedTwice if the entry names both.
Result<void> renameIn(SpecEntry& entry, const std::string& from, const std::string& to)
{
    const auto old = std::find(entry.axes.begin(), entry.axes.end(), from);
    if (old == entry.axes.end() || from == to)
        return {};
    if (std::find(entry.axes.begin(), entry.axes.end(), to) != entry.axes.end())
        return fail(Code::AxisUsedTwice, { { "axes", std::vector<std::string>{ to } } });
    *old = to;
    return {};
}

/// The last other axis that can take the inverse change.
std::optional<std::size_t> partnerOf(const std::vector<MeshAxis>& axes, std::size_t axis, std::int64_t size)
{
    for (std::size_t other = axes.size(); other-- > 0;)
        if (other != axis && inverse(axes, axis, size, other))
            return other;
    return std::nullopt;
}

/// No axis takes the inverse change: the sizes that would do.
tl::unexpected<Error> refusedSize(const std::vector<MeshAxis>& axes, std::size_t axis, std::int64_t size)
{
    const std::int64_t devices = positions(axes);
    std::vector<std::string> possible;
    for (const std::int64_t each : divisorsOf(devices))
        if (each == axes[axis].size || partnerOf(axes, axis, each))
            possible.push_back(std::to_string(each));
    return fail(Code::InvalidAxisSize,
        { { "axis", axes[axis].name }, { "size", size }, { "devices", devices }, { "others", axes.size() - 1 },
            { "possible", std::move(possible) } });
}

} // namespace

Result<Experiment> withAxisSize(const Experiment& before, std::size_t axis, std::int64_t size, bool keepProduct)
{
    std::vector<MeshAxis> axes = before.mesh.axes;
    if (const auto valid = checkIndex("mesh axis", axis, axes.size()); !valid) {
        return fail(Code::UnknownAxis, { { "axis", axis }, { "known", [&] {
                                                                std::vector<std::string> names;
                                                                for (const MeshAxis& known : axes)
                                                                    names.push_back(known.name);
                                                                return names;
                                                            }() } });
    }
    if (size < 1 || size > maximumDevices)
        return fail(Code::InvalidAxisSize, { { "axis", axes[axis].name }, { "size", size } });
    if (keepProduct && size != axes[axis].size) {
        const auto partner = partnerOf(axes, axis, size);
        if (!partner)
            return refusedSize(axes, axis, size);
        axes[*partner].size = *inverse(axes, axis, size, *partner);
    }
    axes[axis].size = size;
    return withAxes(before, std::move(axes));
}

std::vector<std::int64_t> possibleAxisSizes(const Experiment& experiment, std::size_t axis, bool keepProduct)
{
    const std::vector<MeshAxis>& axes = experiment.mesh.axes;
    if (axis >= axes.size())
        return {};
    // Hardware that follows the mesh has room for twice as many devices.
    const std::int64_t room = experiment.hardware.devices.count() * (experiment.hardware.pinned ? 1 : 2);
    std::vector<std::int64_t> sizes = divisorsOf(keepProduct ? positions(axes) : std::min(room, maximumDevices));
    std::erase_if(
        sizes, [&](std::int64_t size) { return !withAxisSize(experiment, axis, size, keepProduct).has_value(); });
    return sizes;
}

std::optional<std::size_t> axisToHalve(const Experiment& experiment)
{
    const std::vector<MeshAxis>& axes = experiment.mesh.axes;
    for (std::size_t axis = axes.size(); axis-- > 0;)
        if (axes[axis].size % 2 == 0 && axes[axis].size > 2
            && withAxisSize(experiment, axis, axes[axis].size / 2, true))
            return axis;
    return std::nullopt;
}

Result<Experiment> withAxisMoved(const Experiment& before, std::size_t from, std::size_t to)
{
    std::vector<MeshAxis> axes = before.mesh.axes;
    for (const std::size_t index : { from, to })
        SHARDSCOPE_CHECK(checkIndex("mesh axis", index, axes.size()));
    edit_support::moveElement(axes, from, to);
    return withAxes(before, std::move(axes));
}

Result<Experiment> withAxisRenamed(const Experiment& before, std::size_t axis, std::string name)
{
    SHARDSCOPE_CHECK(checkIndex("mesh axis", axis, before.mesh.axes.size()));
    SHARDSCOPE_CHECK(checkName("mesh axis", name));
    std::vector<MeshAxis> axes = before.mesh.axes;
    const std::string old = std::exchange(axes[axis].name, name);
    SHARDSCOPE_TRY(after, withAxes(before, std::move(axes)));
    for (MeshAxis& dcn : after->mesh.order.dcn)
        if (dcn.name == old)
            dcn.name = name;
    const auto renameInRules = [&](std::vector<LogicalRule>& rules, const std::string& within) -> Result<void> {
        for (std::size_t i = 0; i < rules.size(); ++i)
            if (auto renamed = renameIn(rules[i].target, old, name); !renamed) {
                renamed.error().args.emplace_back("rule", i + 1);
                if (!within.empty())
                    renamed.error().args.emplace_back("within", within);
                return renamed;
            }
        return {};
    };
    SHARDSCOPE_CHECK(renameInRules(after->rules.rules.list, {}));
    for (InnerRules& inner : after->rules.inner)
        SHARDSCOPE_CHECK(renameInRules(inner.rules.list, inner.within));
    if (auto* mlp = std::get_if<MlpModel>(&after->model)) {
        MlpSettings& settings = mlp->settings;
        for (auto& [dimension, entry] : settings.deviceAxes)
            SHARDSCOPE_CHECK(renameIn(entry, old, name));
        if (settings.axes == MlpSettings::Axes::Device && settings.layersName == old)
            settings.layersName = name;
    }
    if (auto* transformer = std::get_if<TransformerModel>(&after->model)) {
        TransformerSettings& settings = transformer->settings.model;
        for (std::vector<ChosenSharding>* list : { &settings.constraints, &settings.parameterSpecs })
            for (ChosenSharding& chosen : *list)
                if (auto* device = std::get_if<DeviceAxes>(&chosen.axes))
                    for (SpecEntry& entry : device->spec.entries)
                        SHARDSCOPE_CHECK(renameIn(entry, old, name));
    }
    if (auto* program = std::get_if<ProgramModel>(&after->model)) {
        // What cannot be read over the mesh as it was stays as it is written.
        const Result<Mesh> meshBefore = makeMesh(before.mesh), meshAfter = makeMesh(after->mesh);
        for (ValueSharding& specified : program->shardings)
            if (meshBefore && meshAfter)
                if (const auto sharding = parseDimensions(specified.sharding, *meshBefore))
                    specified.sharding = dimensionsText(*sharding, *meshAfter);
    }
    return after;
}

Result<Experiment> withAxisAdded(const Experiment& before, std::string name, std::int64_t size)
{
    SHARDSCOPE_CHECK(checkName("mesh axis", name));
    std::vector<MeshAxis> axes = before.mesh.axes;
    axes.push_back({ std::move(name), size });
    return withAxes(before, std::move(axes));
}

Result<Experiment> withAxisRemoved(const Experiment& before, std::size_t axis)
{
    std::vector<MeshAxis> axes = before.mesh.axes;
    SHARDSCOPE_CHECK(checkIndex("mesh axis", axis, axes.size()));
    const std::string name = axes[axis].name;
    axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(axis));
    Result<Experiment> after = withAxes(before, std::move(axes));
    if (after)
        std::erase_if(after->mesh.order.dcn, [&](const MeshAxis& dcn) { return dcn.name == name; });
    return after;
}

Result<Experiment> withDevices(const Experiment& before, DeviceSet devices)
{
    if (devices.count() < 1 || devices.count() > maximumDevices)
        return fail(
            Code::TooLarge, { { "what", "devices" }, { "count", devices.count() }, { "limit", maximumDevices } });
    if (const auto missing = missingId(devices))
        return fail(Code::InvalidAttribute,
            { { "op", "devices" },
                { "detail", "ids count from 0 on without a gap, and " + std::to_string(*missing) + " is missing" } });
    std::vector<MeshAxis> axes = before.mesh.axes;
    if (!axes.empty() && positions(axes) != devices.count()) {
        std::int64_t rest = devices.count();
        for (std::size_t axis = axes.size(); axis-- > 1;) {
            axes[axis].size = std::gcd(axes[axis].size, rest);
            rest /= axes[axis].size;
        }
        axes.front().size = rest;
    }
    SHARDSCOPE_TRY(after, withAxes(before, std::move(axes)));
    after->hardware.devices = std::move(devices);
    if (!(after->hardware.devices == before.hardware.devices)) {
        after->mesh.deviceOrder.clear();
        after->mesh.order.dcn.clear();
        after->mesh.order.submesh.clear();
    }
    return after;
}

Result<Experiment> withOrder(const Experiment& before, OrderSetting order)
{
    Experiment after = before;
    after.mesh.deviceOrder.clear();
    after.mesh.order = std::move(order);
    return after;
}

Result<Experiment> withDeviceOrder(const Experiment& before, std::vector<std::int32_t> order)
{
    Experiment after = before;
    after.mesh.deviceOrder = std::move(order);
    after.mesh.order = {};
    SHARDSCOPE_CHECK(makeMesh(after.mesh));
    return after;
}

Result<Experiment> withAxisSizes(const Experiment& before, const std::vector<std::int64_t>& sizes)
{
    std::vector<MeshAxis> axes = before.mesh.axes;
    if (sizes.size() != axes.size())
        return fail(Code::AxisNamesLength, { { "names", axes.size() }, { "axes", sizes.size() } });
    for (std::size_t axis = 0; axis < axes.size(); ++axis)
        axes[axis].size = sizes[axis];
    return withAxes(before, std::move(axes));
}

Result<Experiment> withDevicesForMesh(const Experiment& before)
{
    SHARDSCOPE_TRY(mesh, makeMesh(before.mesh));
    Experiment after = before;
    DeviceSet& devices = after.hardware.devices;
    std::optional<DeviceSet> chips;
    if (devices.hasChipGrid())
        chips = chipsFor(devices, mesh->deviceCount());
    devices = chips ? std::move(*chips) : hostsFor(devices, mesh->deviceCount());
    return after;
}

Experiment withHardwareFollowing(Experiment after, const HardwareSetting& start)
{
    const DeviceSet& devices = start.devices;
    const std::int64_t count = positions(after.mesh.axes);
    if (after.hardware.pinned)
        return after;
    after.hardware.devices = devices;
    if (count == devices.count() || count > maximumDevices || !devices.own.empty())
        return after;
    if (!devices.hasChipGrid())
        after.hardware.devices = hostsFor(devices, count);
    else if (std::optional<DeviceSet> chips = chipsFor(devices, count))
        after.hardware.devices = std::move(*chips);
    return after;
}

Result<Experiment> withHardwarePinned(const Experiment& before, bool pinned)
{
    Experiment after = before;
    after.hardware.pinned = pinned;
    return after;
}

} // namespace shardscope
