// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/collective_groups.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/codes.h"
#include "program/calls.h"
#include "program/function_names.h"
#include "program/op_row.h"
#include "program/other_attributes.h"
#include "program/over_mesh.h"
#include "program/verify_manual.h"

namespace shardscope {

namespace {

using Groups = std::vector<std::vector<std::int32_t>>;

GroupIds idsOf(const Operation& op, const CollectiveAttributes& own)
{
    const bool permutes =
        op.kind == OpKind::AllToAll || op.kind == OpKind::CollectivePermute || op.kind == OpKind::CollectiveBroadcast;
    return groupIds(permutes, own.channelId > 0, own.useGlobalDeviceIds);
}

/// Ids are below countOf().
Groups groupsOf(const DeviceCounts& devices, const Operation& op, const CollectiveAttributes& own)
{
    const GroupIds meant = idsOf(op, own);
    std::vector<std::vector<std::int64_t>> listed = own.groups;
    if (op.kind != OpKind::CollectivePermute
        && (listed.empty() || (listed.size() == 1 && listed[0].empty()))) { // all of them
        listed.assign(1, {});
        for (std::int64_t i = 0; i < countOf(meant, devices); ++i)
            listed[0].push_back(i);
    }
    return devicesOfGroups(listed, meant, devices);
}

/// The first id of a group that no replica, partition or device has: arguments of NotExecutable. `missing` is the
/// attribute without which the ids are replicas, where the program has partitions.
std::optional<std::vector<Arg>> wrongId(
    const Operation& op, const CollectiveAttributes& own, const DeviceCounts& devices)
{
    const GroupIds meant = idsOf(op, own);
    const std::int64_t count = countOf(meant, devices);
    for (const std::vector<std::int64_t>& ids : own.groups)
        for (const std::int64_t id : ids) {
            if (id < count)
                continue;
            std::vector<Arg> args{ { "wrong", "groups" }, { "device", id }, { "devices", count } };
            if (devices.partitions > 1 && (meant == GroupIds::Replicas || meant == GroupIds::ReplicasWithPartitions))
                args.emplace_back("missing", meant == GroupIds::Replicas ? "channel_handle" : "use_global_device_ids");
            return args;
        }
    return {};
}

/// Whether the result has the shape that a group of this size makes of the operand.
bool fitsTypes(const Program& program, const Operation& op, const CollectiveAttributes& own, std::int64_t size)
{
    const auto dimension = static_cast<std::size_t>(own.dimension),
               concat = static_cast<std::size_t>(own.concatDimension);
    for (std::size_t i = 0; i < op.results.size(); ++i) {
        Shape shape = program.value(op.operands[i]).type.shape;
        if (size < 1)
            return false;
        if (op.kind == OpKind::AllGather) {
            shape[dimension] = saturatingProduct(shape[dimension], size);
        } else if (op.kind == OpKind::ReduceScatter || op.kind == OpKind::AllToAll) {
            if (shape[dimension] % size != 0)
                return false;
            shape[dimension] /= size;
            if (op.kind == OpKind::AllToAll)
                shape[concat] = saturatingProduct(shape[concat], size);
        }
        const Shape& wanted = program.value(op.results[i]).type.shape;
        if (shape != wanted)
            return false;
    }
    return true;
}

} // namespace

GroupIds groupIds(bool permutes, bool hasChannel, bool usesGlobalIds)
{
    if (!hasChannel && !usesGlobalIds)
        return GroupIds::Replicas;
    return permutes ? GroupIds::Partitions : usesGlobalIds ? GroupIds::Devices : GroupIds::ReplicasWithPartitions;
}

std::int64_t countOf(GroupIds ids, const DeviceCounts& devices)
{
    return ids == GroupIds::Partitions ? devices.partitions
        : ids == GroupIds::Devices     ? devices.all()
                                       : devices.replicas;
}

std::vector<std::vector<std::int32_t>> devicesOfGroups(
    const std::vector<std::vector<std::int64_t>>& groups, GroupIds ids, const DeviceCounts& devices)
{
    const auto device = [&](std::int64_t replica, std::int64_t partition) {
        return static_cast<std::int32_t>(replica * devices.partitions + partition);
    };
    Groups found;
    const auto add = [&](const std::vector<std::int64_t>& listed, auto deviceOf) {
        std::vector<std::int32_t>& group = found.emplace_back();
        for (const std::int64_t id : listed)
            if (id >= 0)
                group.push_back(deviceOf(id));
    };
    for (const std::vector<std::int64_t>& listed : groups) {
        switch (ids) {
        case GroupIds::Replicas:
            for (std::int64_t p = 0; p < devices.partitions; ++p)
                add(listed, [&](std::int64_t id) { return device(id, p); });
            break;
        case GroupIds::Partitions:
            for (std::int64_t r = 0; r < devices.replicas; ++r)
                add(listed, [&](std::int64_t id) { return device(r, id); });
            break;
        case GroupIds::Devices:
            add(listed, [&](std::int64_t id) { return static_cast<std::int32_t>(id); });
            break;
        case GroupIds::ReplicasWithPartitions: {
            std::vector<std::int32_t>& group = found.emplace_back();
            for (const std::int64_t id : listed)
                for (std::int64_t p = 0; id >= 0 && p < devices.partitions; ++p)
                    group.push_back(device(id, p));
            break;
        }
        }
    }
    return found;
}

std::vector<std::vector<std::int32_t>> groupsOf(const Operation& op, const DeviceCounts& devices)
{
    return groupsOf(devices, op, *attributesAs<CollectiveAttributes>(op.attributes));
}

std::optional<std::vector<Arg>> wrongGroups(const Program& program, const Operation& op, const DeviceCounts& devices)
{
    using Args = std::vector<Arg>;
    if (op.kind == OpKind::PartitionId || op.kind == OpKind::ReplicaId)
        return {};
    const auto* own = attributesAs<CollectiveAttributes>(op.attributes);
    if (!own)
        return Args{ { "wrong", "unknown" } };
    if (auto wrong = wrongId(op, *own, devices))
        return wrong;
    const Groups groups = groupsOf(devices, op, *own);
    const bool permutes = op.kind == OpKind::CollectivePermute;
    std::vector<bool> used(static_cast<std::size_t>(devices.all()));
    std::size_t first = 0; // the size of the first group
    for (const auto& group : groups) {
        for (const std::int32_t device : group) {
            if (!permutes && used[static_cast<std::size_t>(device)])
                return Args{ { "wrong", "groups_twice" }, { "device", device }, { "devices", devices.all() } };
            used[static_cast<std::size_t>(device)] = true;
        }
        if (group.empty())
            continue;
        first = first == 0 ? group.size() : first;
        if (!fitsTypes(program, op, *own, static_cast<std::int64_t>(group.size()))
            || (op.kind == OpKind::AllToAll && group.size() != first)) // groups of one size
            return Args{ { "wrong", "groups_size" }, { "found", group.size() } };
    }
    return {};
}

std::vector<Diagnostic> verifyCollectiveGroups(const Program& program)
{
    std::vector<Diagnostic> found;
    std::set<std::pair<std::uint32_t, std::int64_t>> seen; // bodies, with the partitions that they run on
    const FunctionNames functions(program);
    const auto check = [&](const Operation& operation, const DeviceCounts& devices) {
        const auto* own = attributesAs<CollectiveAttributes>(operation.attributes);
        auto wrong = own && isExchange(operation.kind) ? wrongId(operation, *own, devices) : std::nullopt;
        if (!wrong)
            return;
        wrong->insert(wrong->begin(), Arg{ "op", qualifiedName(operation) });
        found.push_back({ Code::NotExecutable, std::move(*wrong), placeOf(program, operation) });
    };
    if (!mainMesh(program)) {
        const DeviceCounts devices = statedDevices(program);
        const auto& attributes = program.dictionaries[program.extra];
        if (std::any_of(attributes.begin(), attributes.end(),
                [](const NamedText& entry) { return entry.name == "mhlo.num_partitions"; }))
            for (const Operation& operation : program.operations)
                check(operation, devices);
        return found;
    }
    for (const Operation& computation : program.operations) {
        const auto* manual = attributesAs<ManualComputationAttributes>(computation.attributes);
        const Mesh* mesh = manual ? verification::commonMesh(program, *manual) : nullptr;
        if (!mesh)
            continue;
        const DeviceCounts devices{ 1, mesh->deviceCount() };
        std::vector<RegionId> bodies(computation.regions.begin(), computation.regions.end());
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            if (!seen.insert({ bodies[i].index, devices.partitions }).second)
                continue;
            for (const OperationId id : program.regions[bodies[i].index].operations) {
                const Operation& operation = program.operation(id);
                check(operation, devices);
                bodies.insert(bodies.end(), operation.regions.begin(), operation.regions.end());
                const std::string* callee = calleeOf(operation);
                if (const Function* function = callee ? functions.find(program, *callee) : nullptr)
                    bodies.push_back(function->body);
            }
        }
    }
    return found;
}

} // namespace shardscope
