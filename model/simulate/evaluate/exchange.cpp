// SPDX-License-Identifier: GPL-3.0-or-later
// StableHLO's collectives: groups of device ids, or of replicas or partitions.
#include <algorithm>

#include "base/codes.h"
#include "simulate/evaluate/exchange_moves.h"

namespace shardscope::evaluate {

namespace {

bool contains(const Devices& active, std::int32_t device)
{
    return std::binary_search(active.begin(), active.end(), device);
}

/// How ids in groups are meant. Without a channel they are replicas, and every partition has its own groups. With one
/// they are replicas with all of their partitions for the reductions and gathers, partitions for the others.
enum class Ids : std::uint8_t { Replicas, Partitions, Devices, ReplicasWithPartitions };

Ids idsOf(const Operation& op, const CollectiveAttributes& own)
{
    const bool permutes =
        op.kind == OpKind::AllToAll || op.kind == OpKind::CollectivePermute || op.kind == OpKind::CollectiveBroadcast;
    if (own.channelId <= 0 && !own.useGlobalDeviceIds)
        return Ids::Replicas;
    return permutes ? Ids::Partitions : own.useGlobalDeviceIds ? Ids::Devices : Ids::ReplicasWithPartitions;
}

std::int64_t countOf(Ids ids, const DeviceCounts& devices)
{
    return ids == Ids::Partitions ? devices.partitions : ids == Ids::Devices ? devices.all() : devices.replicas;
}

/// Ids are below countOf().
Groups groupsOf(const DeviceCounts& devices, const Operation& op, const CollectiveAttributes& own)
{
    const auto device = [&](std::int64_t replica, std::int64_t partition) {
        return static_cast<std::int32_t>(replica * devices.partitions + partition);
    };
    const Ids meant = idsOf(op, own);
    std::vector<std::vector<std::int64_t>> listed = own.groups;
    if (op.kind != OpKind::CollectivePermute
        && (listed.empty() || (listed.size() == 1 && listed[0].empty()))) { // all of them
        listed.assign(1, {});
        for (std::int64_t i = 0; i < countOf(meant, devices); ++i)
            listed[0].push_back(i);
    }
    Groups groups;
    const auto add = [&](const std::vector<std::int64_t>& ids, auto deviceOf) {
        Devices& group = groups.emplace_back();
        for (const std::int64_t id : ids)
            if (id >= 0)
                group.push_back(deviceOf(id));
    };
    for (const std::vector<std::int64_t>& ids : listed) {
        switch (meant) {
        case Ids::Replicas:
            for (std::int64_t p = 0; p < devices.partitions; ++p)
                add(ids, [&](std::int64_t id) { return device(id, p); });
            break;
        case Ids::Partitions:
            for (std::int64_t r = 0; r < devices.replicas; ++r)
                add(ids, [&](std::int64_t id) { return device(r, id); });
            break;
        case Ids::Devices:
            add(ids, [&](std::int64_t id) { return static_cast<std::int32_t>(id); });
            break;
        case Ids::ReplicasWithPartitions: {
            Devices& group = groups.emplace_back();
            for (const std::int64_t id : ids)
                for (std::int64_t p = 0; id >= 0 && p < devices.partitions; ++p)
                    group.push_back(device(id, p));
            break;
        }
        }
    }
    return groups;
}

/// All devices of a group reach the operation, or none of them.
Result<void> checkTogether(Interpreter& state, const Operation& op, const Groups& groups, const Devices& active)
{
    for (const Devices& group : groups) {
        const auto reached = static_cast<std::size_t>(
            std::count_if(group.begin(), group.end(), [&](std::int32_t device) { return contains(active, device); }));
        if (reached != 0 && reached != group.size())
            return cannot(
                state.program(), op, { { "wrong", "diverged" }, { "found", reached }, { "devices", group.size() } });
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

Array partOf(const Array& array, std::size_t dimension, std::int64_t part, std::int64_t parts)
{
    TensorType type = array.type;
    type.shape[dimension] /= parts;
    Array result = Array::make(type);
    const Shape from = stridesOf(array.type.shape);
    if (result.count() > 0)
        copyBox(type.shape, result.data(), stridesOf(type.shape),
            array.data() + part * type.shape[dimension] * from[dimension] * array.elementBytes(), from,
            array.elementBytes());
    return result;
}

Array copied(const Array& array)
{
    Array copy = Array::make(array.type);
    if (copy.bytes)
        std::copy_n(array.data(), static_cast<std::size_t>(array.type.byteCount()), copy.data());
    return copy;
}

Array joined(std::span<const Array> arrays, std::size_t dimension)
{
    TensorType type = arrays[0].type;
    type.shape[dimension] = 0;
    for (const Array& array : arrays)
        type.shape[dimension] += array.type.shape[dimension];
    Array result = Array::make(type);
    const Shape to = stridesOf(type.shape);
    std::int64_t offset = 0;
    for (const Array& array : arrays) {
        if (array.count() > 0)
            copyBox(array.type.shape, result.data() + offset * to[dimension] * array.elementBytes(), to, array.data(),
                stridesOf(array.type.shape), array.elementBytes());
        offset += array.type.shape[dimension];
    }
    return result;
}

std::vector<Devices> groupsOf(const Operation& op, const DeviceCounts& devices)
{
    return groupsOf(devices, op, *wideAs<CollectiveAttributes>(op.attributes));
}

bool isExchange(OpKind kind)
{
    switch (kind) {
    case OpKind::PartitionId:
    case OpKind::ReplicaId:
    case OpKind::AllReduce:
    case OpKind::AllGather:
    case OpKind::ReduceScatter:
    case OpKind::AllToAll:
    case OpKind::CollectivePermute:
    case OpKind::CollectiveBroadcast:
        return true;
    default:
        return false;
    }
}

std::optional<std::vector<Arg>> wrongGroups(const Program& program, const Operation& op, const DeviceCounts& devices)
{
    using Args = std::vector<Arg>;
    if (op.kind == OpKind::PartitionId || op.kind == OpKind::ReplicaId)
        return {};
    const auto* own = wideAs<CollectiveAttributes>(op.attributes);
    if (!own)
        return Args{ { "wrong", "unknown" } };
    const std::int64_t count = countOf(idsOf(op, *own), devices);
    for (const std::vector<std::int64_t>& ids : own->groups)
        for (const std::int64_t id : ids)
            if (id >= count)
                return Args{ { "wrong", "groups" }, { "device", id }, { "devices", count } };
    const Groups groups = groupsOf(devices, op, *own);
    const bool permutes = op.kind == OpKind::CollectivePermute;
    std::vector<bool> used(static_cast<std::size_t>(devices.all()));
    std::size_t first = 0; // the size of the first group
    for (const Devices& group : groups) {
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

Result<void> exchange(Interpreter& state, const Operation& op, const Devices& active)
{
    if (op.kind == OpKind::PartitionId || op.kind == OpKind::ReplicaId) {
        state.forEach(active, 0, [&](std::int32_t device) {
            Array id = Array::make(state.program().value(op.results[0]).type);
            const std::int64_t partitions = state.options().partitions;
            setInteger(id, 0, op.kind == OpKind::PartitionId ? device % partitions : device / partitions);
            state.set(op.results[0], device, std::move(id));
        });
        return {};
    }
    const auto* own = wideAs<CollectiveAttributes>(op.attributes);
    if (!own)
        return cannot(state.program(), op, { { "wrong", "unknown" } });
    const DeviceCounts counts{ state.options().replicas, state.options().partitions };
    if (std::optional<std::vector<Arg>> wrong =
            wrongGroups(state.program(), op, counts)) // or kernels leave their arrays
        return cannot(state.program(), op, std::move(*wrong));
    const Groups listed = groupsOf(counts, op, *own);
    if (auto fine = checkTogether(state, op, listed, active); !fine)
        return fine;
    Groups groups; // of devices that are here
    std::copy_if(listed.begin(), listed.end(), std::back_inserter(groups),
        [&](const Devices& group) { return !group.empty() && contains(active, group[0]); });
    const auto devices = static_cast<std::size_t>(state.deviceCount());
    std::vector<std::vector<Array>> made(op.results.size()); // before any is set: a device may be in several pairs
    for (std::size_t i = 0; i < op.results.size(); ++i) {
        made[i].resize(devices);
        const Exchanged all{ state, op, groups, op.operands[i], op.results[i], static_cast<std::size_t>(own->dimension),
            static_cast<std::size_t>(own->concatDimension), made[i] };
        std::vector<bool> given(devices);
        for (const Devices& group : groups)
            for (const std::int32_t device : group)
                given[static_cast<std::size_t>(device)] = true;
        std::vector<std::int32_t> sources(devices, -1);
        Devices takers;
        switch (op.kind) {
        case OpKind::AllReduce:
            allReduce(all);
            break;
        case OpKind::ReduceScatter:
            reduceScatter(all);
            break;
        case OpKind::AllGather:
            allGather(all);
            break;
        case OpKind::AllToAll:
            allToAll(all);
            break;
        default:
            given.assign(devices, false);
            for (const Devices& group : groups) {
                if (op.kind == OpKind::CollectivePermute) {
                    if (group.size() > 1)
                        sources[static_cast<std::size_t>(group[1])] = group[0];
                } else { // CollectiveBroadcast
                    for (const std::int32_t device : group)
                        sources[static_cast<std::size_t>(device)] = group[0];
                }
            }
            break;
        }
        for (const std::int32_t device : active)
            if (!given[static_cast<std::size_t>(device)]) // takes another's, or zeros: nobody sends it anything
                takers.push_back(device);
        copyFrom(all, takers, sources);
    }
    for (std::size_t i = 0; i < op.results.size(); ++i)
        for (const std::int32_t device : active)
            state.set(op.results[i], device, std::move(made[i][static_cast<std::size_t>(device)]));
    return {};
}

} // namespace shardscope::evaluate
