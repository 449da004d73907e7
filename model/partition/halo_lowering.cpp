// SPDX-License-Identifier: GPL-3.0-or-later
#include "partition/halo_lowering.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "partition/collective_axes.h"
#include "partition/device_numbers.h"
#include "partition/lower_collectives.h"
#include "program/other_attributes.h"

namespace shardscope {

namespace {

/// No number of elements that the devices look up or compare with is larger than that.
std::int64_t largestCount(const HaloPlan& plan, std::int64_t current)
{
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 16;
    const auto bounded = [most](std::int64_t number) { return std::clamp(number, -most, most); };
    const std::int64_t step = std::abs(bounded(plan.delta));
    const std::int64_t steps = step > most / plan.devices ? most : step * plan.devices;
    // Margins on both sides of what is read are no longer than what is held.
    return std::abs(bounded(plan.begin)) + steps + bounded(plan.length) + 2 * bounded(current);
}

} // namespace

Attributes haloAttributes(const Attributes& attributes, const HaloDimension& dimension)
{
    const std::size_t d = dimension.dimension;
    const HaloPlan& plan = dimension.plan;
    if (const auto* slice = attributesAs<SliceAttributes>(attributes)) {
        SliceAttributes own = *slice;
        own.starts[d] = 0;
        own.limits[d] = plan.length;
        return otherAttributes(std::move(own));
    }
    if (const auto* pad = attributesAs<PadAttributes>(attributes)) {
        PadAttributes own = *pad;
        own.low[d] = plan.low;
        own.high[d] = plan.high;
        return otherAttributes(std::move(own));
    }
    if (const auto* window = attributesAs<WindowAttributes>(attributes)) {
        WindowAttributes own = *window;
        if (d < own.padding.size())
            own.padding[d] = { plan.low, plan.high };
        return otherAttributes(std::move(own));
    }
    if (const auto* convolution = attributesAs<ConvolutionAttributes>(attributes)) {
        ConvolutionAttributes own = *convolution;
        const auto i = static_cast<std::size_t>(dimension.spatial);
        own.padding.resize(std::max(own.padding.size(), own.inputSpatial.size()));
        own.padding[i] = { plan.low, plan.high };
        return otherAttributes(std::move(own));
    }
    return attributes;
}

HaloLowering::HaloLowering(Editor& edit, const Mesh& mesh, OperationId before)
    : m_edit(edit)
    , m_mesh(mesh)
    , m_before(before)
{
}

ValueId HaloLowering::add(OpKind kind, std::span<const ValueId> operands, TensorType type, Attributes attributes)
{
    const OperationId added =
        m_edit.add(kind, operands, std::array{ std::move(type) }, std::move(attributes), m_before);
    m_edit.placeBefore(m_before, added);
    return m_edit.result(added);
}

ValueId HaloLowering::add(OpKind kind, std::initializer_list<ValueId> operands, TensorType type, Attributes attributes)
{
    return add(
        kind, std::span<const ValueId>(operands.begin(), operands.size()), std::move(type), std::move(attributes));
}

ValueId HaloLowering::slice(ValueId value, std::size_t dimension, std::int64_t start, std::int64_t size)
{
    TensorType type = m_edit.value(value).type;
    if (start == 0 && size == type.shape[dimension])
        return value;
    const std::size_t rank = type.rank();
    SliceAttributes attributes{ Dimensions(rank, 0), Dimensions(rank, 0), Dimensions(rank, 1) };
    for (std::size_t d = 0; d < rank; ++d)
        attributes.limits[d] = d == dimension ? start + size : type.shape[d];
    attributes.starts[dimension] = start;
    type.shape[dimension] = size;
    return add(OpKind::Slice, { value }, std::move(type), otherAttributes(std::move(attributes)));
}

ValueId HaloLowering::concatenate(const std::vector<ValueId>& parts, std::size_t dimension)
{
    if (parts.size() == 1)
        return parts.front();
    TensorType type = m_edit.value(parts.front()).type;
    std::int64_t size = 0;
    for (const ValueId part : parts)
        size += m_edit.value(part).type.shape[dimension];
    type.shape[dimension] = size;
    return add(OpKind::Concatenate, std::span<const ValueId>(parts), std::move(type),
        otherAttributes(DimensionAttributes{ static_cast<std::int64_t>(dimension) }));
}

ValueId HaloLowering::number(std::int64_t value)
{
    return add(
        OpKind::Constant, {}, { m_counts, {} }, ConstantAttributes{ {}, countBytes(m_counts, std::array{ value }) });
}

ValueId HaloLowering::spread(ValueId scalar, const TensorType& type)
{
    return add(OpKind::BroadcastInDim, { scalar }, type, BroadcastAttributes{});
}

ValueId HaloLowering::filled(TensorType type, std::size_t dimension, std::int64_t size, ValueId fill)
{
    type.shape[dimension] = size;
    if (fill.valid())
        return spread(fill, type);
    const auto bytes = static_cast<std::size_t>(std::max<std::int64_t>(1, byteSize(type.dtype)));
    return add(OpKind::Constant, {}, std::move(type),
        ConstantAttributes{ {}, std::make_shared<const std::vector<std::byte>>(bytes, std::byte{}) });
}

bool HaloLowering::isZero(ValueId scalar) const
{
    if (!scalar.valid())
        return true;
    const OperationId made = m_edit.value(scalar).definition;
    const auto* constant = made.valid() ? std::get_if<ConstantAttributes>(&m_edit.operation(made).attributes) : nullptr;
    if (!constant)
        return false;
    if (constant->bytes)
        return std::all_of(
            constant->bytes->begin(), constant->bytes->end(), [](std::byte byte) { return byte == std::byte{}; });
    return std::all_of(constant->values.begin(), constant->values.end(),
        [](double number) { return number == 0 && !std::signbit(number); });
}

ValueId HaloLowering::permute(ValueId value, const AxisList& axes, const std::vector<HaloPlan::Edge>& edges)
{
    CollectiveAttributes attributes;
    attributes.channelId = 1;
    attributes.channelType = 1;
    for (const std::vector<std::int64_t>& group : deviceGroups(m_mesh, axes))
        for (const HaloPlan::Edge& edge : edges)
            attributes.groups.push_back(
                { group[static_cast<std::size_t>(edge.source)], group[static_cast<std::size_t>(edge.target)] });
    std::sort(attributes.groups.begin(), attributes.groups.end());
    const ValueId result =
        add(OpKind::CollectivePermute, { value }, m_edit.value(value).type, otherAttributes(std::move(attributes)));
    addLabel(m_edit.raw(), m_edit.value(result).definition, m_mesh, axes);
    return result;
}

ValueId HaloLowering::lookUp(const AxisList& axes, const std::vector<std::int64_t>& numbers)
{
    if (std::all_of(numbers.begin(), numbers.end(), [&](std::int64_t number) { return number == numbers.front(); }))
        return number(numbers.front());
    std::int32_t lastDevice = 0;
    for (std::int64_t p = 0; p < m_mesh.deviceCount(); ++p)
        lastDevice = std::max(lastDevice, m_mesh.deviceAt(p));
    std::vector<std::int64_t> table(static_cast<std::size_t>(lastDevice) + 1, 0);
    for (const std::vector<std::int64_t>& group : deviceGroups(m_mesh, axes))
        for (std::size_t k = 0; k < group.size(); ++k)
            table[static_cast<std::size_t>(group[k])] = numbers[k];
    if (!m_device.valid())
        m_device = add(OpKind::PartitionId, {}, { DType::U32, {} }, {});
    const TensorType all{ m_counts, Shape{ static_cast<std::int64_t>(table.size()) } };
    const ValueId listed = add(OpKind::Constant, {}, all, ConstantAttributes{ {}, countBytes(m_counts, table) });
    const ValueId own = add(OpKind::DynamicSlice, { listed, m_device }, { m_counts, Shape{ 1 } },
        otherAttributes(DynamicSliceAttributes{ Dimensions{ 1 } }));
    return add(OpKind::Reshape, { own }, { m_counts, {} }, {});
}

ValueId HaloLowering::exchange(
    std::span<const ValueId> inputs, std::size_t dimension, const AxisList& axes, const HaloPlan& plan, ValueId fill)
{
    if (plan.reversed)
        return permute(inputs[0], axes, plan.rounds.front().edges);
    if (isZero(fill))
        fill = {};
    std::int64_t current = 0;
    for (const ValueId input : inputs)
        current += m_edit.value(input).type.shape[dimension];
    m_counts = countingType(largestCount(plan, current));
    return plan.uniform ? strips(inputs[0], dimension, axes, plan, fill)
                        : assemble(inputs, dimension, axes, plan, fill);
}

/// The same parts on every device: ends of blocks in a row, and one part of filling for what lies before or after
/// the array on all of them. Devices that get none of a round have zeros there.
ValueId HaloLowering::strips(
    ValueId own, std::size_t dimension, const AxisList& axes, const HaloPlan& plan, ValueId fill)
{
    const TensorType type = m_edit.value(own).type;
    const std::int64_t block = plan.delta, end = plan.begin + plan.length;
    // Blocks that lie nearer than that are some device's.
    const std::int64_t near = std::clamp((1 - plan.devices) * block, plan.begin, end);
    const std::int64_t far = std::clamp(plan.devices * block, plan.begin, end);
    std::vector<ValueId> parts;
    if (near > plan.begin)
        parts.push_back(filled(type, dimension, near - plan.begin, fill));
    for (std::int64_t k = floorDivide(near, block); near < far && k <= floorDivide(far - 1, block); ++k) {
        const std::int64_t from = std::max(plan.begin, k * block) - k * block;
        const std::int64_t size = std::min(end, (k + 1) * block) - k * block - from;
        const auto round = std::find_if(plan.rounds.begin(), plan.rounds.end(),
            [&](const HaloPlan::Round& r) { return r.edges.front().source - r.edges.front().target == k; });
        if (k == 0)
            parts.push_back(slice(own, dimension, from, size));
        else if (round == plan.rounds.end())
            parts.push_back(filled(type, dimension, size, fill));
        else
            parts.push_back(permute(slice(own, dimension, from, size), axes, round->edges));
    }
    if (end > far)
        parts.push_back(filled(type, dimension, end - far, fill));
    const ValueId all = concatenate(parts, dimension);
    return plan.beyond && fill.valid() ? masked(all, dimension, axes, plan, block * plan.devices, fill) : all;
}

/// Places before and after the array get the filling.
ValueId HaloLowering::masked(
    ValueId value, std::size_t dimension, const AxisList& axes, const HaloPlan& plan, std::int64_t size, ValueId fill)
{
    const TensorType type = m_edit.value(value).type;
    const TensorType line{ m_counts, Shape{ plan.length } }, flags{ DType::Pred, Shape{ plan.length } };
    std::vector<std::int64_t> starts;
    for (std::int64_t d = 0; d < plan.devices; ++d)
        starts.push_back(plan.begin + d * plan.delta);
    const ValueId places = add(OpKind::Add,
        { add(OpKind::Iota, {}, line, IotaAttributes{ 0 }), spread(lookUp(axes, starts), line) }, line, {});
    const auto compare = [&](Comparison direction, std::int64_t boundary) {
        return add(OpKind::Compare, { places, spread(number(boundary), line) }, flags,
            CompareAttributes{ direction, CompareType::Signed });
    };
    const ValueId exists =
        add(OpKind::And, { compare(Comparison::GreaterEqual, 0), compare(Comparison::Less, size) }, flags, {});
    const ValueId chosen = add(OpKind::BroadcastInDim, { exists }, { DType::Pred, type.shape },
        BroadcastAttributes{ Dimensions{ static_cast<std::int64_t>(dimension) } });
    return add(OpKind::Select, { chosen, value, spread(fill, type) }, type, {});
}

/// Every device puts the parts where they belong into a line of filling, with margins that take what a round brings
/// beyond what is read, and all of what it brings to those that need nothing of it.
ValueId HaloLowering::assemble(
    std::span<const ValueId> inputs, std::size_t dimension, const AxisList& axes, const HaloPlan& plan, ValueId fill)
{
    const TensorType type = m_edit.value(inputs[0]).type;
    std::vector<std::int64_t> starts; // of the inputs' blocks, one after the other
    std::int64_t all = 0, margin = 0;
    for (const ValueId input : inputs) {
        starts.push_back(all);
        all += m_edit.value(input).type.shape[dimension];
    }
    for (const auto* rounds : { &plan.rounds, &plan.own })
        for (const HaloPlan::Round& round : *rounds)
            margin = std::max(margin, round.elements);
    const ValueId blocks = concatenate({ inputs.begin(), inputs.end() }, dimension);
    ValueId line = filled(type, dimension, plan.length + 2 * margin, fill);
    const TensorType lineType = m_edit.value(line).type;
    ValueId zero;
    const auto indices = [&](ValueId first, ValueId at) {
        std::vector<ValueId> operands{ first };
        for (std::size_t d = 0; d < type.rank(); ++d) {
            if (d != dimension && !zero.valid())
                zero = number(0);
            operands.push_back(d == dimension ? at : zero);
        }
        return operands;
    };
    const auto place = [&](const HaloPlan::Round& round, bool sent) {
        std::vector<std::int64_t> from(static_cast<std::size_t>(plan.devices), 0);
        std::vector<std::int64_t> to(static_cast<std::size_t>(plan.devices), 0); // nothing: all in the margin
        for (const HaloPlan::Edge& edge : round.edges) {
            const std::int64_t block = m_edit.value(inputs[edge.input]).type.shape[dimension];
            const std::int64_t start = std::min(edge.from, block - round.elements);
            from[static_cast<std::size_t>(edge.source)] = starts[edge.input] + start;
            to[static_cast<std::size_t>(edge.target)] = margin + edge.to - (edge.from - start);
        }
        TensorType strip = type;
        strip.shape[dimension] = round.elements;
        DynamicSliceAttributes sizes;
        sizes.sizes.assign(strip.shape.begin(), strip.shape.end());
        ValueId part = blocks;
        if (round.elements != all)
            part = add(OpKind::DynamicSlice, std::span<const ValueId>(indices(blocks, lookUp(axes, from))), strip,
                otherAttributes(std::move(sizes)));
        if (sent)
            part = permute(part, axes, round.edges);
        std::vector<ValueId> operands = indices(line, lookUp(axes, to));
        operands.insert(operands.begin() + 1, part);
        line = add(OpKind::DynamicUpdateSlice, std::span<const ValueId>(operands), lineType, {});
    };
    for (const HaloPlan::Round& round : plan.own)
        place(round, false);
    for (const HaloPlan::Round& round : plan.rounds)
        place(round, true);
    return slice(line, dimension, margin, plan.length);
}

} // namespace shardscope
