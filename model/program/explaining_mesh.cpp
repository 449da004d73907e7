// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/explaining_mesh.h"

#include <algorithm>
#include <optional>
#include <string_view>

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

std::vector<MeshAxis> statedAxes(const Program& program, std::int64_t devices)
{
    const std::optional<std::string_view> text = labelIn(program.dictionaries[program.extra], meshLabel);
    const Result<Mesh> mesh = text ? parseMesh(*text) : Result<Mesh>(Mesh());
    if (!mesh || mesh->deviceCount() != devices)
        return {};
    return { mesh->axes().begin(), mesh->axes().end() };
}

} // namespace

bool isPartitioned(const Program& program)
{
    return isOfOneDevice(program) || (!mainMesh(program) && !statedAxes(program, statedDevices(program).all()).empty());
}

std::vector<MeshAxis> explainingMesh(const Program& program)
{
    const DeviceCounts devices = statedDevices(program);
    MeshOfGroups mesh(devices.all());
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
            mesh.addGroup(std::move(group));
    }
    const std::vector<MeshAxis> stated = statedAxes(program, devices.all());
    const AxisStrides known = axisStrides(stated), &needed = mesh.strides();
    if (!stated.empty() && std::includes(known.begin(), known.end(), needed.begin(), needed.end()))
        return stated;
    return mesh.axes();
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
