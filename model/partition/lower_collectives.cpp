// SPDX-License-Identifier: GPL-3.0-or-later
#include "partition/lower_collectives.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "partition/collective_axes.h"
#include "partition/device_numbers.h"
#include "partition/route.h"
#include "program/body.h"

namespace shardscope {

std::vector<std::vector<std::int64_t>> deviceGroups(const Mesh& mesh, const AxisList& axes)
{
    std::vector<std::vector<std::int64_t>> ids;
    for (const std::vector<std::int32_t>& group : axisGroups(mesh, axes)) {
        std::vector<std::int64_t>& devices = ids.emplace_back();
        devices.reserve(group.size());
        for (const std::int32_t position : group)
            devices.push_back(mesh.deviceAt(position));
    }
    return ids;
}

namespace {

using MeshPositions = std::vector<std::int32_t>;

/// Stable. `keyOf` is by position, from 0 on, and small.
MeshPositions sortedBy(const MeshPositions& positions, const std::vector<std::int64_t>& keyOf)
{
    std::vector<std::size_t> begin; // by key
    for (const std::int32_t position : positions) {
        const auto key = static_cast<std::size_t>(keyOf[static_cast<std::size_t>(position)]);
        begin.resize(std::max(begin.size(), key + 2), 0);
        ++begin[key + 1];
    }
    for (std::size_t key = 1; key < begin.size(); ++key)
        begin[key] += begin[key - 1];
    MeshPositions sorted(positions.size());
    for (const std::int32_t position : positions)
        sorted[begin[static_cast<std::size_t>(keyOf[static_cast<std::size_t>(position)])]++] = position;
    return sorted;
}

/// For every position of `mesh` that of the same device in `other`.
MeshPositions positionsIn(const Mesh& other, const Mesh& mesh)
{
    std::unordered_map<std::int32_t, std::int32_t> places;
    for (std::int32_t p = 0; p < other.deviceCount(); ++p)
        places.emplace(other.deviceAt(p), p);
    MeshPositions positions;
    for (std::int64_t p = 0; p < mesh.deviceCount(); ++p)
        positions.push_back(places.at(mesh.deviceAt(p)));
    return positions;
}

} // namespace

std::vector<std::vector<std::int64_t>> permutePairs(const Layout& from, const Layout& to)
{
    const Mesh& mesh = from.mesh();
    const bool isSameMesh = mesh == to.mesh();
    const std::vector<std::int64_t> current = from.shards(), after = to.shards();
    // Devices by their positions in `mesh` from here on.
    std::vector<std::int64_t> wanted = after;
    MeshPositions receivers, senders, receiverOf(current.size(), -1);
    const MeshPositions moved = isSameMesh ? MeshPositions() : positionsIn(mesh, to.mesh());
    for (std::size_t p = 0; p < after.size(); ++p) {
        const std::int32_t position = isSameMesh ? static_cast<std::int32_t>(p) : moved[p];
        const auto at = static_cast<std::size_t>(position);
        wanted[at] = after[p];
        if (current[at] == after[p])
            receiverOf[at] = position;
        else
            receivers.push_back(position);
    }
    for (std::size_t p = 0; p < current.size(); ++p)
        if (receiverOf[p] < 0)
            senders.push_back(static_cast<std::int32_t>(p));
    if (isSameMesh) { // among the devices along the axes that move, where several hold a shard
        std::vector<std::int64_t> groupOf(current.size());
        const AxisList moving =
            reshard::permutedAxes(reshard::listsOf(from.sharding()), reshard::listsOf(to.sharding()), mesh.rank());
        std::int64_t group = 0;
        for (const std::vector<std::int32_t>& members : axisGroups(mesh, moving)) {
            for (const std::int32_t position : members)
                groupOf[static_cast<std::size_t>(position)] = group;
            ++group;
        }
        senders = sortedBy(senders, groupOf);
        receivers = sortedBy(receivers, groupOf);
    }
    senders = sortedBy(senders, current);
    receivers = sortedBy(receivers, wanted);
    for (std::size_t s = 0, r = 0; s < senders.size() && r < receivers.size();) {
        const std::int64_t held = current[static_cast<std::size_t>(senders[s])],
                           needed = wanted[static_cast<std::size_t>(receivers[r])];
        if (held == needed)
            receiverOf[static_cast<std::size_t>(senders[s])] = receivers[r];
        s += held <= needed ? 1 : 0;
        r += needed <= held ? 1 : 0;
    }
    std::vector<std::vector<std::int64_t>> pairs;
    pairs.reserve(current.size());
    for (std::size_t p = 0; p < receiverOf.size(); ++p)
        if (receiverOf[p] >= 0)
            pairs.push_back({ mesh.deviceAt(static_cast<std::int64_t>(p)), mesh.deviceAt(receiverOf[p]) });
    if (!mesh.deviceOrder().empty())
        std::sort(pairs.begin(), pairs.end());
    return pairs;
}

CollectiveLowering::CollectiveLowering(Editor& edit, const Mesh& mesh, OperationId before, LoweringTables& tables)
    : m_edit(edit)
    , m_mesh(mesh)
    , m_before(before)
    , m_tables(tables)
{
}

ValueId CollectiveLowering::add(
    OpKind kind, std::initializer_list<ValueId> operands, TensorType type, Attributes attributes)
{
    const OperationId added = m_edit.add(kind, std::span<const ValueId>(operands.begin(), operands.size()),
        std::array{ std::move(type) }, std::move(attributes), m_before);
    m_edit.placeBefore(m_before, added);
    return m_edit.result(added);
}

ValueId CollectiveLowering::addCollective(
    OpKind kind, ValueId operand, const TensorType& type, CollectiveAttributes attributes, const AxisList& axes)
{
    attributes.channelId = 1;
    attributes.channelType = 1;
    attributes.useGlobalDeviceIds =
        kind == OpKind::AllGather || kind == OpKind::AllReduce || kind == OpKind::ReduceScatter;
    LoweringTables::Collective wanted{ axes, attributes.dimension, attributes.concatDimension, attributes.splitCount,
        attributes.useGlobalDeviceIds, {} };
    const auto known = std::find_if(
        m_tables.collectives.begin(), m_tables.collectives.end(), [&](const LoweringTables::Collective& other) {
            return other.axes == wanted.axes && other.dimension == wanted.dimension
                && other.concatDimension == wanted.concatDimension && other.splitCount == wanted.splitCount
                && other.useGlobalDeviceIds == wanted.useGlobalDeviceIds;
        });
    if (known != m_tables.collectives.end()) {
        wanted.attributes = known->attributes;
    } else {
        attributes.groups = deviceGroups(m_mesh, axes);
        wanted.attributes = otherAttributes(std::move(attributes));
        m_tables.collectives.push_back(wanted);
    }
    return labelled(add(kind, { operand }, type, std::move(wanted.attributes)), m_mesh, axes);
}

ValueId CollectiveLowering::labelled(ValueId result, const Mesh& mesh, const AxisList& axes)
{
    addLabel(m_edit.raw(), m_edit.value(result).definition, mesh, axes);
    return result;
}

void CollectiveLowering::addReducer(OperationId owner, DType dtype, ReduceKind kind)
{
    const RegionId body = m_edit.addRegion(owner);
    const TensorType scalar{ dtype, {} };
    const ValueId lhs = m_edit.addArgument(body, scalar);
    const ValueId rhs = m_edit.addArgument(body, scalar);
    const OperationId combiner =
        m_edit.add(combinerOf(kind), std::array{ lhs, rhs }, std::array{ scalar }, {}, m_before);
    m_edit.placeLast(body, combiner);
    m_edit.raw().regions[body.index].results.push_back(m_edit.result(combiner));
}

ValueId CollectiveLowering::gather(ValueId value, std::span<const AxisList> axes)
{
    for (std::size_t d = 0; d < axes.size(); ++d) {
        if (axes[d].empty())
            continue;
        TensorType type = m_edit.value(value).type;
        type.shape[d] *= product(axes[d]);
        CollectiveAttributes attributes;
        attributes.dimension = static_cast<std::int64_t>(d);
        value = addCollective(OpKind::AllGather, value, type, std::move(attributes), axes[d]);
    }
    return value;
}

ElementBytes CollectiveLowering::offsetsOf(const AxisList& axes, std::int64_t partSize, DType type)
{
    for (const LoweringTables::Offsets& known : m_tables.offsets)
        if (known.axes == axes && known.partSize == partSize && known.type == type)
            return known.table;
    std::int32_t lastDevice = 0;
    for (std::int64_t p = 0; p < m_mesh.deviceCount(); ++p)
        lastDevice = std::max(lastDevice, m_mesh.deviceAt(p));
    std::vector<std::int64_t> offsets(static_cast<std::size_t>(lastDevice) + 1, 0);
    for (const std::vector<std::int32_t>& group : axisGroups(m_mesh, axes))
        for (std::size_t k = 0; k < group.size(); ++k)
            offsets[static_cast<std::size_t>(m_mesh.deviceAt(group[k]))] = static_cast<std::int64_t>(k) * partSize;
    m_tables.offsets.push_back({ axes, partSize, type, countBytes(type, offsets) });
    return m_tables.offsets.back().table;
}

ValueId CollectiveLowering::placeAlong(ValueId device, const AxisList& axes, std::int64_t partSize, DType counts)
{
    const ElementBytes offsets = offsetsOf(axes, partSize, counts);
    const TensorType table{ counts, Shape{ static_cast<std::int64_t>(offsets->size()) / byteSize(counts) } };
    const ValueId all = add(OpKind::Constant, {}, table, ConstantAttributes{ {}, offsets });
    const ValueId own = add(OpKind::DynamicSlice, { all, device }, { counts, Shape{ 1 } },
        otherAttributes(DynamicSliceAttributes{ Dimensions{ 1 } }));
    return add(OpKind::Reshape, { own }, { counts, {} }, {});
}

std::vector<ValueId> CollectiveLowering::partStarts(
    std::span<const AxisList> axes, const Shape& parts, std::int64_t longest)
{
    const DType counts = countingType(longest);
    const ValueId device = add(OpKind::PartitionId, {}, { DType::U32, {} }, {});
    std::vector<ValueId> starts;
    ValueId zero;
    for (std::size_t d = 0; d < axes.size(); ++d) {
        if (!axes[d].empty()) {
            starts.push_back(placeAlong(device, axes[d], parts[d], counts));
            continue;
        }
        if (!zero.valid())
            zero = add(OpKind::Constant, {}, { counts, {} },
                ConstantAttributes{ {}, countBytes(counts, std::array{ std::int64_t{ 0 } }) });
        starts.push_back(zero);
    }
    return starts;
}

ValueId CollectiveLowering::zeros(const TensorType& type)
{
    return add(OpKind::Constant, {}, type,
        ConstantAttributes{
            {}, std::make_shared<const std::vector<std::byte>>(static_cast<std::size_t>(byteSize(type.dtype))) });
}

ValueId CollectiveLowering::slice(ValueId value, std::span<const AxisList> axes)
{
    TensorType type = m_edit.value(value).type;
    std::int64_t longest = 0;
    bool isSharded = false;
    for (std::size_t d = 0; d < axes.size(); ++d) {
        if (axes[d].empty())
            continue;
        isSharded = true;
        longest = std::max(longest, type.shape[d]);
        type.shape[d] /= product(axes[d]);
    }
    if (!isSharded)
        return value;
    std::vector<ValueId> operands{ value };
    for (const ValueId start : partStarts(axes, type.shape, longest))
        operands.push_back(start);
    DynamicSliceAttributes attributes;
    attributes.sizes.assign(type.shape.begin(), type.shape.end());
    const OperationId sliced = m_edit.add(
        OpKind::DynamicSlice, operands, std::array{ type }, otherAttributes(std::move(attributes)), m_before);
    m_edit.placeBefore(m_before, sliced);
    return m_edit.result(sliced);
}

ValueId CollectiveLowering::keepFirst(ValueId value, const AxisList& axes)
{
    if (product(axes) == 1)
        return value;
    const TensorType type = m_edit.value(value).type;
    const TensorType scalar{ DType::I32, {} };
    const ValueId device = add(OpKind::PartitionId, {}, { DType::U32, {} }, {});
    const ValueId place = placeAlong(device, axes, 1, DType::I32);
    const ValueId isFirst = add(OpKind::Compare, { place, zeros(scalar) }, { DType::Pred, {} },
        CompareAttributes{ Comparison::Equal, CompareType::Signed });
    return add(OpKind::Select, { isFirst, value, zeros(type) }, type, {});
}

ValueId CollectiveLowering::spread(ValueId value, std::span<const AxisList> axes)
{
    const Shape part = m_edit.value(value).type.shape;
    TensorType type = m_edit.value(value).type;
    std::int64_t longest = 0;
    bool isSharded = false;
    for (std::size_t d = 0; d < axes.size(); ++d) {
        if (axes[d].empty())
            continue;
        isSharded = true;
        type.shape[d] *= product(axes[d]);
        longest = std::max(longest, type.shape[d]);
    }
    if (!isSharded)
        return value;
    std::vector<ValueId> operands{ zeros(type), value };
    for (const ValueId start : partStarts(axes, part, longest))
        operands.push_back(start);
    const OperationId placed = m_edit.add(OpKind::DynamicUpdateSlice, operands, std::array{ type }, {}, m_before);
    m_edit.placeBefore(m_before, placed);
    return m_edit.result(placed);
}

ValueId CollectiveLowering::reduce(ValueId value, const AxisList& axes, ReduceKind kind)
{
    const TensorType type = m_edit.value(value).type;
    value = addCollective(OpKind::AllReduce, value, type, {}, axes);
    addReducer(m_edit.value(value).definition, type.dtype, kind);
    return value;
}

ValueId CollectiveLowering::reduceScatter(ValueId value, std::span<const AxisList> axes, ReduceKind kind)
{
    for (std::size_t d = 0; d < axes.size(); ++d) {
        if (axes[d].empty())
            continue;
        TensorType type = m_edit.value(value).type;
        type.shape[d] /= product(axes[d]);
        CollectiveAttributes attributes;
        attributes.dimension = static_cast<std::int64_t>(d);
        value = addCollective(OpKind::ReduceScatter, value, type, std::move(attributes), axes[d]);
        addReducer(m_edit.value(value).definition, type.dtype, kind);
    }
    return value;
}

ValueId CollectiveLowering::exchange(ValueId value, std::span<const AxisMove> moves)
{
    for (const AxisMove& move : moves) {
        const std::int64_t count = product(move.axes);
        TensorType type = m_edit.value(value).type;
        type.shape[static_cast<std::size_t>(move.target)] /= count;
        type.shape[static_cast<std::size_t>(move.source)] *= count;
        CollectiveAttributes attributes;
        attributes.dimension = move.target;
        attributes.concatDimension = move.source;
        attributes.splitCount = count;
        value = addCollective(OpKind::AllToAll, value, type, std::move(attributes), move.axes);
    }
    return value;
}

ValueId CollectiveLowering::permute(ValueId value, const Layout& from, const Layout& to)
{
    const TensorType type = m_edit.value(value).type;
    Attributes attributes;
    for (const LoweringTables::Permute& known : m_tables.permutes)
        if (known.from.sharding() == from.sharding() && known.to.sharding() == to.sharding()
            && known.from.mesh() == from.mesh() && known.to.mesh() == to.mesh())
            attributes = known.attributes;
    if (!std::holds_alternative<SharedAttributes>(attributes)) {
        CollectiveAttributes made;
        made.groups = permutePairs(from, to);
        made.channelId = 1;
        made.channelType = 1;
        attributes = otherAttributes(std::move(made));
        m_tables.permutes.push_back({ from, to, attributes });
    }
    AxisList axes;
    if (from.mesh() == to.mesh())
        axes = reshard::permutedAxes(
            reshard::listsOf(from.sharding()), reshard::listsOf(to.sharding()), from.mesh().rank());
    else // another order of devices
        for (std::size_t axis = 0; axis < to.mesh().rank(); ++axis)
            axes.push_back(fullAxis(to.mesh(), axis));
    return labelled(add(OpKind::CollectivePermute, { value }, type, std::move(attributes)), to.mesh(), axes);
}

} // namespace shardscope
