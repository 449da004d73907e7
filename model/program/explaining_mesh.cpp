// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/explaining_mesh.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "program/collective_groups.h"
#include "program/device_counts.h"
#include "program/mesh_of_groups.h"
#include "program/other_attributes.h"
#include "program/over_mesh.h"
#include "sharding/sharding_text.h"
#include "sharding/text.h"

namespace shardscope {

namespace {

/// What stands between the quotes of an attribute; nothing where there is no such string.
std::optional<std::string_view> labelIn(const Dictionary& dictionary, std::string_view name)
{
    for (const NamedText& entry : dictionary)
        if (entry.name == name && entry.text.size() >= 2 && entry.text.front() == '"' && entry.text.back() == '"')
            return std::string_view(entry.text).substr(1, entry.text.size() - 2);
    return std::nullopt;
}

std::optional<Mesh> statedMesh(const Program& program)
{
    const Dictionary& labels = program.dictionaries[program.extra];
    const std::optional<std::string_view> axes = labelIn(labels, meshLabel), order = labelIn(labels, orderLabel);
    const Result<Mesh> mesh = axes ? parseMesh(*axes) : Result<Mesh>(Mesh());
    if (!axes || !mesh || mesh->deviceCount() != statedDevices(program).all())
        return std::nullopt;
    if (!order)
        return *mesh;
    std::vector<std::int32_t> devices;
    for (std::size_t begin = 0; begin <= order->size();) {
        const std::size_t end = std::min(order->find(',', begin), order->size());
        devices.push_back(wholeNumber<std::int32_t>(order->substr(begin, end - begin)).value_or(-1));
        begin = end + 1;
    }
    const Result<Mesh> ordered = Mesh::create({ mesh->axes().begin(), mesh->axes().end() }, std::move(devices));
    return ordered ? std::optional(*ordered) : std::nullopt;
}

/// Devices that collectives name together, those of the same groups once.
std::vector<std::vector<std::int32_t>> namedGroups(const Program& program)
{
    const DeviceCounts devices = statedDevices(program);
    std::vector<std::vector<std::int32_t>> groups;
    std::vector<const CollectiveAttributes*> seen; // of collectives with other groups each
    for (const Operation& operation : program.operations) {
        const auto* attributes = attributesAs<CollectiveAttributes>(operation.attributes);
        if (!attributes || operation.kind == OpKind::CollectivePermute || attributes->groups.size() < 2
            || std::any_of(seen.begin(), seen.end(), [&](const CollectiveAttributes* other) {
                   return other->useGlobalDeviceIds == attributes->useGlobalDeviceIds
                       && (other->channelId > 0) == (attributes->channelId > 0) && other->groups == attributes->groups;
               }))
            continue;
        seen.push_back(attributes);
        for (std::vector<std::int32_t>& group : groupsOf(operation, devices))
            groups.push_back(std::move(group));
    }
    return groups;
}

/// Whether groups of devices are axes of the mesh or parts of axes, those aside that are so of no mesh.
bool explains(const Mesh& mesh, std::vector<std::vector<std::int32_t>> groups)
{
    MeshOfGroups alone(mesh.deviceCount()), both(mesh.deviceCount());
    both.addStrides(axisStrides(mesh.axes()));
    for (std::vector<std::int32_t>& group : groups) {
        for (std::int32_t& device : group)
            device = static_cast<std::int32_t>(mesh.positionOf(device));
        alone.addGroup(group);
        both.addGroup(std::move(group));
    }
    return std::ranges::includes(both.strides(), alone.strides());
}

} // namespace

bool isPartitioned(const Program& program)
{
    return isOfOneDevice(program) || (!mainMesh(program) && statedMesh(program).has_value());
}

Mesh explainingMesh(const Program& program)
{
    std::vector<std::vector<std::int32_t>> groups = namedGroups(program);
    if (std::optional<Mesh> stated = statedMesh(program); stated && explains(*stated, groups))
        return std::move(*stated);
    MeshOfGroups mesh(statedDevices(program).all());
    for (std::vector<std::int32_t>& group : groups)
        mesh.addGroup(std::move(group));
    return Mesh::create(mesh.axes()).value_or(Mesh::create({ { "axis_0", statedDevices(program).all() } }).value());
}

std::vector<std::optional<TensorSharding>> statedParts(const Program& program, const Mesh& mesh)
{
    const Region& main = program.main();
    std::vector<std::optional<TensorSharding>> parts(main.arguments.size());
    const std::vector<std::uint32_t>& extras = program.functions.front().argumentExtras;
    for (std::size_t i = 0; i < std::min(parts.size(), extras.size()); ++i)
        if (const std::optional<std::string_view> text = labelIn(program.dictionaries[extras[i]], shardingLabel))
            if (const Result<TensorSharding> read = parseDimensions(*text, mesh);
                read && read->rank() == program.value(main.arguments[i]).type.rank())
                parts[i] = *read;
    return parts;
}

} // namespace shardscope
