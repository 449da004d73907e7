// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipeline/exchange_subject.h"

#include <algorithm>

#include "program/other_attributes.h"

namespace shardscope {

namespace {

/// The devices of one group as a mesh, in the order that they have in the other one. Null where the axes do not say how
/// many they are.
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
    std::vector<std::int32_t> devices;
    for (const std::int64_t device : group)
        if (const auto id = static_cast<std::int32_t>(device); mesh.positionOf(id) < mesh.deviceCount())
            devices.push_back(id);
    std::sort(devices.begin(), devices.end(),
        [&](std::int32_t a, std::int32_t b) { return mesh.positionOf(a) < mesh.positionOf(b); });
    auto made = Mesh::createOver(std::move(axes), std::move(devices));
    return made ? std::make_shared<const Mesh>(std::move(*made)) : nullptr;
}

/// The devices that come first along the axes. Null for no axes.
MeshPtr firstAlong(const Mesh& mesh, const AxisList& along)
{
    if (along.empty())
        return nullptr;
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
    if (entry.declaredGroups.empty())
        if (MeshPtr first = firstAlong(*entry.mesh, entry.manualAxes)) {
            subject.mesh = std::move(first);
            for (const AxisRef& axis : entry.manualAxes)
                subject.manualAxes.push_back(toString(*entry.mesh, axis));
        }
    if (entry.declaredGroups.empty() || entry.axes.empty())
        return subject; // of groups that no axes make there is nothing to be drawn beyond that
    const auto* declared =
        attributesAs<CollectiveAttributes>(list.sharded->program.operation(entry.operation).attributes);
    MeshPtr mesh = declared ? meshOfGroup(*entry.mesh, entry.axes, entry.declaredGroups.front()) : nullptr;
    if (!mesh)
        return subject;
    subject.mesh = std::move(mesh);
    subject.ofOneGroup = true;
    const AxisList axes = axesOf(*subject.mesh);
    const std::size_t rank = entry.type.rank();
    const auto full = TensorSharding::fullyReplicated(rank);
    const auto sharded = [&](std::int64_t dimension) {
        TensorSharding sharding = full;
        if (dimension >= 0 && static_cast<std::size_t>(dimension) < rank)
            sharding.dims[static_cast<std::size_t>(dimension)].axes = axes;
        return sharding;
    };
    const auto longer = [&](std::int64_t dimension) {
        Shape shape = entry.type.shape;
        if (dimension >= 0 && static_cast<std::size_t>(dimension) < rank)
            shape[static_cast<std::size_t>(dimension)] *= entry.groupSize;
        return shape;
    };
    TensorSharding partial = full;
    partial.unreduced = axes;
    switch (entry.kind) {
    case CollectiveKind::AllReduce:
        subject.before = std::move(partial);
        subject.after = full;
        break;
    case CollectiveKind::ReduceScatter:
        subject.before = std::move(partial);
        subject.after = sharded(declared->dimension);
        break;
    case CollectiveKind::AllGather:
        subject.type.shape = longer(declared->dimension);
        subject.before = sharded(declared->dimension);
        subject.after = full;
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
        subject.type.shape = { entry.groupSize };
        for (const std::int64_t size : entry.type.shape)
            subject.type.shape.push_back(size);
        subject.arrayPerDevice = true;
        subject.before = subject.after = TensorSharding::fullyReplicated(rank + 1);
        subject.before.dims[0].axes = subject.after.dims[0].axes = axes;
        break;
    }
    return subject;
}

} // namespace shardscope
