// SPDX-License-Identifier: GPL-3.0-or-later
// StableHLO's collectives: groups of device ids, or of replicas or partitions.
#include <algorithm>

#include "base/codes.h"
#include "program/body.h"
#include "simulate/evaluate/body.h"
#include "simulate/evaluate/interpreter.h"

namespace shardscope::evaluate {

namespace {

using Groups = std::vector<Devices>; ///< in the order of the group, not ascending

bool contains(const Devices& active, std::int32_t device)
{
    return std::binary_search(active.begin(), active.end(), device);
}

/// How ids in groups are meant. Without a channel they are replicas, and every partition has its own groups. With one
/// they are replicas with all of their partitions for the reductions and gathers, partitions for the others.
Groups groupsOf(const Interpreter& state, const Operation& op, const CollectiveAttributes& own)
{
    const std::int64_t replicas = state.options().replicas, partitions = state.options().partitions;
    const auto device = [&](std::int64_t replica, std::int64_t partition) {
        return static_cast<std::int32_t>(replica * partitions + partition);
    };
    const bool permutes =
        op.kind == OpKind::AllToAll || op.kind == OpKind::CollectivePermute || op.kind == OpKind::CollectiveBroadcast;
    const bool acrossReplicas = own.channelId <= 0 && !own.useGlobalDeviceIds;
    const bool acrossPartitions = !acrossReplicas && permutes;
    std::vector<std::vector<std::int64_t>> listed = own.groups;
    if (listed.empty() || (listed.size() == 1 && listed[0].empty())) { // all of them
        const std::int64_t count = acrossReplicas ? replicas
            : acrossPartitions                    ? partitions
            : own.useGlobalDeviceIds              ? replicas * partitions
                                                  : replicas;
        listed.assign(1, {});
        for (std::int64_t i = 0; i < count; ++i)
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
        if (acrossReplicas) {
            for (std::int64_t p = 0; p < partitions; ++p)
                add(ids, [&](std::int64_t id) { return device(id, p); });
        } else if (acrossPartitions) {
            for (std::int64_t r = 0; r < replicas; ++r)
                add(ids, [&](std::int64_t id) { return device(r, id); });
        } else if (own.useGlobalDeviceIds) {
            add(ids, [&](std::int64_t id) { return static_cast<std::int32_t>(id); });
        } else {
            Devices& group = groups.emplace_back();
            for (const std::int64_t id : ids)
                for (std::int64_t p = 0; id >= 0 && p < partitions; ++p)
                    group.push_back(device(id, p));
        }
    }
    return groups;
}

/// Devices exist and reach the operation together.
Result<void> checkGroups(Interpreter& state, const Operation& op, const Groups& groups, const Devices& active)
{
    std::vector<bool> used(static_cast<std::size_t>(state.deviceCount()));
    const bool permutes = op.kind == OpKind::CollectivePermute;
    for (const Devices& group : groups) {
        std::size_t reached = 0;
        for (const std::int32_t device : group) {
            if (device < 0 || device >= state.deviceCount())
                return cannot(state.program(), op,
                    { { "wrong", "groups" }, { "device", device }, { "devices", state.deviceCount() } });
            if (!permutes && used[static_cast<std::size_t>(device)])
                return cannot(state.program(), op,
                    { { "wrong", "groups_twice" }, { "device", device }, { "devices", state.deviceCount() } });
            used[static_cast<std::size_t>(device)] = true;
            reached += contains(active, device) ? 1U : 0U;
        }
        if (reached != 0 && reached != group.size())
            return cannot(
                state.program(), op, { { "wrong", "diverged" }, { "found", reached }, { "devices", group.size() } });
    }
    return {};
}

/// The values of the members put together one after the other, in the order of the group.
Array reduced(Interpreter& state, const Operation& op, const Devices& group, ValueId operand)
{
    const Array& first = state.at(operand, group[0]);
    Array sum = Array::make(first.type);
    std::copy_n(first.data(), static_cast<std::size_t>(first.type.byteCount()), sum.data());
    const Call call{ state.program(), op, {}, nullptr };
    const std::array types{ first.type.dtype };
    BodyRun body = op.regions.empty()
        ? BodyRun(Body::ofKind(reductionOf(state.program(), op).value_or(ReduceKind::Sum), types))
        : BodyRun(call, op.regions[0]);
    const std::array<std::byte*, 1> put{ sum.data() };
    for (std::size_t i = 1; i < group.size(); ++i) {
        const std::array<const std::byte*, 2> pair{ sum.data(), state.at(operand, group[i]).data() };
        body.run(pair, put, sum.count());
    }
    return sum;
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

Result<void> exchange(Interpreter& state, const Operation& op, const Devices& active)
{
    if (op.kind == OpKind::PartitionId || op.kind == OpKind::ReplicaId) {
        for (const std::int32_t device : active) {
            Array id = Array::make(state.program().value(op.results[0]).type);
            const std::int64_t partitions = state.options().partitions;
            setInteger(id, 0, op.kind == OpKind::PartitionId ? device % partitions : device / partitions);
            state.set(op.results[0], device, std::move(id));
        }
        return {};
    }
    const auto* own = wideAs<CollectiveAttributes>(op.attributes);
    if (!own)
        return cannot(state.program(), op, { { "wrong", "unknown" } });
    const Groups groups = groupsOf(state, op, *own);
    if (auto fine = checkGroups(state, op, groups, active); !fine)
        return fine;
    const auto dimension = static_cast<std::size_t>(own->dimension);
    // Results of all devices, before any of them is set: a device may be in several pairs.
    std::vector<std::pair<std::pair<ValueId, std::int32_t>, Array>> made;
    for (std::size_t i = 0; i < op.results.size(); ++i) {
        const ValueId operand = op.operands[i], result = op.results[i];
        const auto put = [&](std::int32_t device, Array array) {
            made.push_back({ { result, device }, std::move(array) });
        };
        std::vector<bool> given(static_cast<std::size_t>(state.deviceCount()));
        for (const Devices& group : groups) {
            if (group.empty() || !contains(active, group[0]))
                continue;
            for (const std::int32_t device : group)
                given[static_cast<std::size_t>(device)] = true;
            const auto size = static_cast<std::int64_t>(group.size());
            const auto gathered = [&] {
                Arrays arrays;
                for (const std::int32_t device : group)
                    arrays.push_back(state.at(operand, device));
                return arrays;
            };
            switch (op.kind) {
            case OpKind::AllReduce:
            case OpKind::ReduceScatter: {
                const Array sum = reduced(state, op, group, operand);
                for (std::int64_t k = 0; k < size; ++k)
                    put(group[static_cast<std::size_t>(k)],
                        op.kind == OpKind::AllReduce ? sum : partOf(sum, dimension, k, size));
                break;
            }
            case OpKind::AllGather: {
                const Array whole = joined(gathered(), dimension);
                for (const std::int32_t device : group)
                    put(device, whole);
                break;
            }
            case OpKind::AllToAll: {
                const Arrays arrays = gathered();
                for (std::int64_t k = 0; k < size; ++k) {
                    Arrays parts;
                    for (const Array& array : arrays)
                        parts.push_back(partOf(array, dimension, k, size));
                    put(group[static_cast<std::size_t>(k)],
                        joined(parts, static_cast<std::size_t>(own->concatDimension)));
                }
                break;
            }
            case OpKind::CollectivePermute:
                given[static_cast<std::size_t>(group[0])] = false; // sends; what it receives is another pair's
                if (group.size() > 1)
                    put(group[1], state.at(operand, group[0]));
                break;
            default: // CollectiveBroadcast
                for (const std::int32_t device : group)
                    put(device, state.at(operand, group[0]));
                break;
            }
        }
        if (op.kind == OpKind::CollectivePermute) {
            std::fill(given.begin(), given.end(), false);
            for (const Devices& group : groups)
                if (group.size() > 1)
                    given[static_cast<std::size_t>(group[1])] = true;
        }
        for (const std::int32_t device : active) // nobody sends them anything
            if (!given[static_cast<std::size_t>(device)])
                put(device, Array::zeros(state.program().value(result).type));
    }
    for (auto& [place, array] : made)
        state.set(place.first, place.second, std::move(array));
    return {};
}

} // namespace shardscope::evaluate
