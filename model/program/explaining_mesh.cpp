// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/explaining_mesh.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include "base/codes.h"
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
    if (!axes)
        return std::nullopt;
    const Result<Mesh> read = parseMesh(*axes);
    if (!read || read->deviceCount() != statedDevices(program).all())
        return std::nullopt;
    std::vector<std::int32_t> devices;
    for (std::size_t begin = 0; order && begin <= order->size();) {
        const std::size_t end = std::min(order->find(',', begin), order->size());
        devices.push_back(wholeNumber<std::int32_t>(order->substr(begin, end - begin)).value_or(-1));
        begin = end + 1;
    }
    const Result<Mesh> mesh = Mesh::create({ read->axes().begin(), read->axes().end() }, std::move(devices));
    return mesh ? std::optional(*mesh) : std::nullopt;
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
        const auto areDevices = [&](const auto& lists) { // nothing has looked at the text so far
            return std::all_of(lists.begin(), lists.end(), [&](const auto& ids) {
                return std::all_of(ids.begin(), ids.end(), [&](auto id) { return id < devices.all(); });
            });
        };
        if (!areDevices(attributes->groups))
            continue;
        if (std::vector<std::vector<std::int32_t>> named = groupsOf(operation, devices); areDevices(named))
            std::move(named.begin(), named.end(), std::back_inserter(groups));
    }
    return groups;
}

/// Whether groups of devices are axes of the mesh or parts of axes, those aside that are so of no mesh.
bool explains(const Mesh& mesh, std::vector<std::vector<std::int32_t>> groups)
{
    MeshOfGroups alone(mesh.deviceCount()), both(mesh.deviceCount());
    both.addStrides(axisStrides(mesh.axes()));
    std::vector<std::int32_t> positions(static_cast<std::size_t>(mesh.deviceCount()));
    for (std::int64_t position = 0; position < mesh.deviceCount(); ++position)
        positions[static_cast<std::size_t>(mesh.deviceAt(position))] = static_cast<std::int32_t>(position);
    for (std::vector<std::int32_t>& group : groups) {
        for (std::int32_t& device : group)
            device = positions[static_cast<std::size_t>(device)];
        alone.addGroup(group);
        both.addGroup(std::move(group));
    }
    return std::ranges::includes(both.strides(), alone.strides());
}

} // namespace

bool isPartitioned(const Program& program)
{
    const DeviceCounts devices = statedDevices(program);
    return devices.replicas == 1 && devices.partitions > 1 && !mainMesh(program)
        && (isOfOneDevice(program) || statedMesh(program).has_value());
}

Mesh explainingMesh(const Program& program)
{
    std::vector<std::vector<std::int32_t>> groups = namedGroups(program);
    if (std::optional<Mesh> stated = statedMesh(program); stated && explains(*stated, groups))
        return std::move(*stated);
    MeshOfGroups mesh(statedDevices(program).all());
    for (std::vector<std::int32_t>& group : groups)
        mesh.addGroup(std::move(group));
    if (const Result<Mesh> found = Mesh::create(mesh.axes()))
        return *found;
    return Mesh::create({ { "axis_0", statedDevices(program).all() } }).value(); // it had too many axes
}

std::vector<std::optional<TensorSharding>> statedParts(const Program& program, const Mesh& mesh)
{
    const Region& main = program.main();
    std::vector<std::optional<TensorSharding>> parts(main.arguments.size());
    if (program.functions.empty())
        return parts;
    const std::vector<std::uint32_t>& extras = program.functions.front().argumentExtras;
    for (std::size_t i = 0; i < std::min(parts.size(), extras.size()); ++i)
        if (const std::optional<std::string_view> text = labelIn(program.dictionaries[extras[i]], shardingLabel))
            if (const Result<TensorSharding> read = parseDimensions(*text, mesh);
                read && read->rank() == program.value(main.arguments[i]).type.rank())
                parts[i] = *read;
    return parts;
}

std::vector<Diagnostic> unusedLabels(
    const Program& program, const Mesh& mesh, const std::vector<std::optional<TensorSharding>>& parts)
{
    const auto unused = [](std::string where, const char* label) {
        return Diagnostic{ Code::ShardingIgnored,
            { { "op", std::move(where) }, { "attribute", label }, { "label", std::int64_t{ 1 } } }, {} };
    };
    if (labelIn(program.dictionaries[program.extra], meshLabel) && statedMesh(program) != mesh)
        return { unused("module", meshLabel) };
    std::vector<Diagnostic> found;
    for (std::size_t i = 0; i < parts.size(); ++i)
        if (!parts[i] && !program.functions.empty() && i < program.functions.front().argumentExtras.size()
            && labelIn(program.dictionaries[program.functions.front().argumentExtras[i]], shardingLabel))
            found.push_back(unused("argument " + std::to_string(i), shardingLabel));
    return found;
}

} // namespace shardscope
