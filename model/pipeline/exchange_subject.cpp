// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipeline/exchange_subject.h"

#include <algorithm>

#include "program/other_attributes.h"

namespace shardscope {

namespace {

/// The devices of one group as a mesh, in the order that they have in the other one: over the axes of groups, or over
/// one that stands for the group where no axes make it. Null where the axes do not say how many they are.
MeshPtr meshOfGroup(const Mesh& mesh, const AxisList& axesOfGroups, const std::vector<std::int64_t>& group)
{
    std::vector<MeshAxis> axes(mesh.axes().begin(), mesh.axes().end());
    for (MeshAxis& axis : axes)
        axis.size = 1;
    for (const AxisRef& axis : axesOfGroups) {
        MeshAxis& own = axes[static_cast<std::size_t>(axis.axis)];
        if (own.size == 1)
            own.name = toString(mesh, axis); // of a part of an axis "y:(1)2"
        own.size *= axis.size;
    }
    if (axes.empty())
        return nullptr;
    if (axesOfGroups.empty())
        axes.front() = { "group", static_cast<std::int64_t>(group.size()) };
    std::vector<std::int32_t> devices;
    for (const std::int64_t device : group)
        if (const auto id = static_cast<std::int32_t>(device); mesh.positionOf(id) < mesh.deviceCount())
            devices.push_back(id);
    std::sort(devices.begin(), devices.end(),
        [&](std::int32_t a, std::int32_t b) { return mesh.positionOf(a) < mesh.positionOf(b); });
    auto made = Mesh::createOver(std::move(axes), std::move(devices));
    return made ? std::make_shared<const Mesh>(std::move(*made)) : nullptr;
}

/// The devices that come first along the axes.
MeshPtr firstAlong(const Mesh& mesh, const AxisList& along)
{
    std::vector<MeshAxis> axes(mesh.axes().begin(), mesh.axes().end());
    for (const AxisRef& axis : along)
        axes[static_cast<std::size_t>(axis.axis)].size = 1;
    std::vector<std::int32_t> devices;
    for (std::int64_t position = 0; position < mesh.deviceCount(); ++position)
        if (std::all_of(along.begin(), along.end(), [&](const AxisRef& axis) {
                return mesh.coordinate(position, static_cast<std::size_t>(axis.axis)) == 0;
            }))
            devices.push_back(mesh.deviceAt(position));
    auto made = Mesh::createOver(std::move(axes), std::move(devices));
    return made ? std::make_shared<const Mesh>(std::move(*made)) : nullptr;
}

/// The devices in the order of the arrays that they get. Null where not every device gets one.
MeshPtr meshOfReceivers(const Mesh& mesh, const std::vector<std::vector<std::int64_t>>& pairs)
{
    std::vector<std::int32_t> receivers(static_cast<std::size_t>(mesh.deviceCount()), -1);
    for (const std::vector<std::int64_t>& pair : pairs)
        if (const std::int64_t from = mesh.positionOf(static_cast<std::int32_t>(pair[0])); from < mesh.deviceCount())
            receivers[static_cast<std::size_t>(from)] = static_cast<std::int32_t>(pair[1]);
    auto made = Mesh::createOver({ mesh.axes().begin(), mesh.axes().end() }, std::move(receivers));
    return made ? std::make_shared<const Mesh>(std::move(*made)) : nullptr;
}

/// All axes of several devices.
AxisList axesOf(const Mesh& mesh)
{
    AxisList axes;
    for (std::size_t axis = 0; axis < mesh.rank(); ++axis)
        if (mesh.size(axis) > 1)
            axes.push_back(fullAxis(mesh, axis));
    return axes;
}

} // namespace

ExchangeSubject exchangeSubject(const CollectiveList& list, const CollectiveEntry& entry)
{
    ExchangeSubject subject{ entry.type, entry.before, entry.after, entry.mesh };
    const auto* declared = entry.declaredGroups.empty()
        ? nullptr
        : attributesAs<CollectiveAttributes>(list.sharded->program.operation(entry.operation).attributes);
    // Each device along them has another array.
    const auto useFirstAlong = [&](const AxisList& along) {
        MeshPtr first = along.empty() ? nullptr : firstAlong(*entry.mesh, along);
        if (!first)
            return;
        subject.mesh = std::move(first);
        for (const AxisRef& axis : along)
            subject.manualAxes.push_back(toString(*entry.mesh, axis));
    };
    if (!declared) {
        useFirstAlong(entry.manualAxes);
        return subject;
    }
    // Along axes that are not manual the array is sharded as the program's own.
    AxisList others;
    for (const AxisRef& axis : entry.manualAxes)
        if (std::none_of(entry.axes.begin(), entry.axes.end(), [&](AxisRef own) { return overlaps(own, axis); }))
            others.push_back(axis);
    const bool isFull = std::all_of(entry.axes.begin(), entry.axes.end(),
        [&](AxisRef axis) { return axis == fullAxis(*entry.mesh, static_cast<std::size_t>(axis.axis)); });
    const std::int64_t manualDevices = product(entry.manualAxes);
    AxisList axes = entry.axes;
    if (!entry.manualAxes.empty() && !axes.empty() && isFull && manualDevices < entry.mesh->deviceCount()) {
        useFirstAlong(others);
    } else {
        subject.mesh = meshOfGroup(*entry.mesh, axes, entry.declaredGroups.front());
        subject.ofOneGroup = true;
        if (subject.mesh)
            axes = axesOf(*subject.mesh);
        subject.before = subject.after = TensorSharding::fullyReplicated(entry.type.rank());
    }
    if (!subject.mesh)
        return { entry.type, entry.before, entry.after, entry.mesh };
    const std::size_t rank = entry.type.rank();
    TensorSharding local = subject.after; // what a device has, along the axes that are not manual
    local.unreduced.clear();
    const auto sharded = [&](std::int64_t dimension) {
        TensorSharding sharding = local;
        if (dimension >= 0 && static_cast<std::size_t>(dimension) < rank) {
            AxisList& own = sharding.dims[static_cast<std::size_t>(dimension)].axes;
            AxisList both = axes; // the group's blocks stand one after the other
            for (const AxisRef& axis : own)
                both.push_back(axis);
            own = std::move(both);
        }
        return sharding;
    };
    const std::int64_t groupSize = subject.ofOneGroup ? subject.mesh->deviceCount() : entry.groupSize;
    const auto longer = [&](std::int64_t dimension) {
        Shape shape = entry.type.shape;
        if (dimension >= 0 && static_cast<std::size_t>(dimension) < rank)
            shape[static_cast<std::size_t>(dimension)] *= groupSize;
        return shape;
    };
    TensorSharding partial = local;
    partial.unreduced = axes;
    switch (entry.kind) {
    case CollectiveKind::AllReduce:
        subject.before = std::move(partial);
        subject.after = local;
        break;
    case CollectiveKind::ReduceScatter:
        subject.before = std::move(partial);
        subject.after = sharded(declared->dimension);
        break;
    case CollectiveKind::AllGather:
        subject.type.shape = longer(declared->dimension);
        subject.before = sharded(declared->dimension);
        subject.after = local;
        break;
    case CollectiveKind::AllToAll:
        // Pieces of the split dimension go out; those that come in are put together along the other one.
        subject.type.shape = longer(declared->concatDimension);
        subject.before = sharded(declared->concatDimension);
        subject.after = sharded(declared->dimension);
        break;
    case CollectiveKind::CollectivePermute:
    case CollectiveKind::CollectiveBroadcast:
    case CollectiveKind::AllSlice:
        // An array per device, one after the other.
        subject.type.shape = { groupSize };
        for (const std::int64_t size : entry.type.shape)
            subject.type.shape.push_back(size);
        subject.arrayPerDevice = true;
        subject.after = TensorSharding::fullyReplicated(rank + 1);
        subject.after.dims[0].axes = axes;
        for (std::size_t d = 0; d < rank; ++d)
            subject.after.dims[d + 1] = local.dims[d];
        subject.before = subject.after;
        if (entry.kind == CollectiveKind::CollectivePermute)
            subject.meshAfter = meshOfReceivers(*subject.mesh, entry.declaredPairs);
        break;
    }
    return subject;
}

} // namespace shardscope
