// SPDX-License-Identifier: GPL-3.0-or-later
// Operations that place elements elsewhere, or make them from their places.
// Declared in call.h.
#include <algorithm>
#include <cstring>
#include <limits>

#include "program/element_bits.h"
#include "program/types.h"
#include "simulate/kernels/call.h"
#include "simulate/kernels/element_types.h"
#include "simulate/kernels/elementwise.h"
#include "simulate/kernels/position.h"

namespace shardscope::kernels {

namespace {

Arrays constant(const Call& call)
{
    return { constantArray(std::get<ConstantAttributes>(call.operation.attributes), call.type()) };
}

Arrays iota(const Call& call)
{
    const auto& own = std::get<IotaAttributes>(call.operation.attributes);
    const TensorType& type = call.type();
    return { broadcast(numbered(type.dtype, type.shape[at(own.dimension)]), std::array{ own.dimension }, type) };
}

Arrays same(const Call& call)
{
    return { call.operands.begin(), call.operands.end() };
}

Arrays reshape(const Call& call)
{
    return { call.operands[0].reshaped(call.type()) };
}

Arrays broadcastInDim(const Call& call)
{
    return { broadcast(
        call.operands[0], std::get<BroadcastAttributes>(call.operation.attributes).dimensions, call.type()) };
}

Arrays transpose(const Call& call)
{
    return { transposed(call.operands[0], std::get<TransposeAttributes>(call.operation.attributes).permutation) };
}

Arrays reverse(const Call& call)
{
    const Array& operand = call.operands[0];
    Array result = Array::make(call.type());
    if (operand.count() == 0)
        return { result };
    const Shape to = stridesOf(operand.type.shape);
    Shape from = to;
    std::int64_t offset = 0;
    for (const std::int64_t d : call.own<DimensionsAttributes>().dimensions) {
        offset += (operand.type.shape[at(d)] - 1) * from[at(d)];
        from[at(d)] = -from[at(d)];
    }
    copyBox(operand.type.shape, result.data(), to, operand.data() + offset * operand.elementBytes(), from,
        operand.elementBytes());
    return { result };
}

/// The box that begins at `starts` with a step per dimension.
Array sliced(const Array& operand, std::span<const std::int64_t> starts, std::span<const std::int64_t> steps,
    const TensorType& type)
{
    Array result = Array::make(type);
    if (result.count() == 0)
        return result;
    Shape from = stridesOf(operand.type.shape);
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < starts.size(); ++d) {
        offset += starts[d] * from[d];
        from[d] *= steps.empty() ? 1 : steps[d];
    }
    copyBox(type.shape, result.data(), stridesOf(type.shape), operand.data() + offset * operand.elementBytes(), from,
        operand.elementBytes());
    return result;
}

Arrays slice(const Call& call)
{
    const auto& own = call.own<SliceAttributes>();
    return { sliced(call.operands[0], own.starts, own.strides, call.type()) };
}

/// Starts from scalars, moved so that the box lies inside.
Shape clampedStarts(
    std::span<const Array> scalars, std::span<const std::int64_t> shape, std::span<const std::int64_t> sizes)
{
    Shape starts;
    for (std::size_t d = 0; d < shape.size(); ++d)
        starts.push_back(
            std::clamp<std::int64_t>(integerAt(scalars[d], 0), 0, std::max<std::int64_t>(shape[d] - sizes[d], 0)));
    return starts;
}

Arrays dynamicSlice(const Call& call)
{
    const Array& operand = call.operands[0];
    const Shape starts = clampedStarts(call.operands.subspan(1), operand.type.shape, call.type().shape);
    return { sliced(operand, starts, {}, call.type()) };
}

Arrays dynamicUpdateSlice(const Call& call)
{
    const Array &operand = call.operands[0], &update = call.operands[1];
    const Shape starts = clampedStarts(call.operands.subspan(2), operand.type.shape, update.type.shape);
    Array result = Array::make(call.type());
    if (result.count() == 0)
        return { result };
    std::memcpy(result.data(), operand.data(), at(operand.type.byteCount()));
    const Shape to = stridesOf(operand.type.shape);
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < starts.size(); ++d)
        offset += starts[d] * to[d];
    copyBox(update.type.shape, result.data() + offset * operand.elementBytes(), to, update.data(),
        stridesOf(update.type.shape), operand.elementBytes());
    return { result };
}

Arrays pad(const Call& call)
{
    const Array& operand = call.operands[0];
    Array result = Array::make(call.type());
    fill(result.data(), call.operands[1].data(), operand.elementBytes(), result.count());
    paddedCopy(call.own<PadAttributes>(), operand.type, result.type).run(result.data(), operand.data());
    return { result };
}

Arrays concatenate(const Call& call)
{
    const std::size_t d = at(call.own<DimensionAttributes>().dimension);
    Array result = Array::make(call.type());
    const Shape to = stridesOf(call.type().shape);
    std::int64_t offset = 0;
    for (const Array& operand : call.operands) {
        copyBox(operand.type.shape, result.data() + offset * to[d] * result.elementBytes(), to, operand.data(),
            stridesOf(operand.type.shape), result.elementBytes());
        offset += operand.type.shape[d];
    }
    return { result };
}

/// Bits of elements one after the other, the low ones first, as those of a wider or narrower type.
Arrays bitcast(const Call& call)
{
    const Array& operand = call.operands[0];
    const TensorType& type = call.type();
    const int from = elementBits(operand.type.dtype), to = elementBits(type.dtype);
    if (from >= 8 && to >= 8)
        return { operand.reshaped(type) };
    Array result = Array::zeros(type);
    const std::int64_t total = result.count() * to;
    for (std::int64_t bit = 0; bit < total; ++bit) {
        const auto read = operand.data()[bit / from * operand.elementBytes() + bit % from / 8];
        const unsigned value = static_cast<unsigned>(read) >> (bit % from % 8) & 1U;
        result.data()[bit / to * result.elementBytes() + bit % to / 8] |=
            static_cast<std::byte>(value << (bit % to % 8));
    }
    if (to < 8 && !isFloat(type.dtype)) // their signs
        for (std::int64_t i = 0; i < result.count(); ++i)
            setInteger(result, i, static_cast<std::int64_t>(result.data()[i]));
    return { result };
}

} // namespace

Array constantArray(const ConstantAttributes& own, const TensorType& type)
{
    Array result = Array::make(type);
    const std::int64_t count = result.count(), bytes = result.elementBytes();
    if (count == 0)
        return result;
    if (own.bytes) {
        if (static_cast<std::int64_t>(own.bytes->size()) == bytes)
            fill(result.data(), own.bytes->data(), bytes, count);
        else
            std::memcpy(result.data(), own.bytes->data(), at(count * bytes));
        return result;
    }
    const bool splat = own.values.size() == 1;
    for (std::int64_t i = 0; i < (splat ? 1 : count); ++i)
        setNumber(result, i, own.values[at(i)]);
    if (splat)
        fill(result.data() + (count > 1 ? bytes : 0), result.data(), bytes, std::max<std::int64_t>(count - 1, 1));
    return result;
}

Array numbered(DType dtype, std::int64_t count)
{
    Array line = Array::make({ dtype, { count } });
    for (std::int64_t i = 0; i < line.count(); ++i)
        setInteger(line, i, i);
    return line;
}

StridedCopy paddedCopy(const PadAttributes& own, const TensorType& operand, const TensorType& result)
{
    Shape to = stridesOf(result.shape), extents;
    const Shape from = stridesOf(operand.shape);
    std::int64_t source = 0, target = 0;
    for (std::size_t d = 0; d < from.size(); ++d) {
        // Elements i stand at low + i * step; negative padding leaves some out. Between fewer than two is no step.
        const std::int64_t step = operand.shape[d] < 2 ? 1 : saturatingSum(entryOr(own.interior, d, 0), 1);
        const std::int64_t low = std::max(own.low[d], -std::numeric_limits<std::int64_t>::max());
        const std::int64_t room = saturatingSum(result.shape[d] - 1, -low);
        const std::int64_t first = low >= 0 ? 0 : -(low + 1) / step + 1;
        const std::int64_t last = room < 0 ? -1 : std::min(operand.shape[d] - 1, room / step);
        extents.push_back(std::max<std::int64_t>(last - first + 1, 0));
        if (last < first)
            continue;
        source += first * from[d];
        target += (low + first * step) * to[d];
        if (last > first)
            to[d] *= step;
    }
    return StridedCopy(extents, to, from, byteSize(operand.dtype), target, source);
}

Array broadcast(const Array& operand, std::span<const std::int64_t> dims, const TensorType& to)
{
    Array result = Array::make({ operand.type.dtype, to.shape });
    if (result.count() == 0)
        return result;
    const Shape own = stridesOf(operand.type.shape);
    Shape from;
    from.resize(to.shape.size(), 0);
    for (std::size_t d = 0; d < dims.size(); ++d)
        if (operand.type.shape[d] != 1)
            from[at(dims[d])] = own[d];
    copyBox(to.shape, result.data(), stridesOf(to.shape), operand.data(), from, result.elementBytes());
    return result;
}

Array transposed(const Array& operand, std::span<const std::int64_t> permutation)
{
    const Shape own = stridesOf(operand.type.shape);
    TensorType type{ operand.type.dtype, {} };
    Shape from;
    for (const std::int64_t d : permutation) {
        type.shape.push_back(operand.type.shape[at(d)]);
        from.push_back(own[at(d)]);
    }
    Array result = Array::make(type);
    copyBox(type.shape, result.data(), stridesOf(type.shape), operand.data(), from, result.elementBytes());
    return result;
}

Array converted(const Array& operand, DType to)
{
    if (operand.type.dtype == to)
        return operand;
    Array result = Array::make({ to, operand.type.shape });
    convertElements(operand.type.dtype, operand.data(), to, result.data(), operand.count());
    return result;
}

Arrays evaluateElementwise(const Call& call)
{
    const std::optional<ElementKernel> kernel = elementKernel(call.program, call.operation);
    Array result = Array::make(call.type());
    const Shape& shape = call.type().shape;
    Arrays spread;
    spread.reserve(call.operands.size());
    std::array<const std::byte*, 3> operands{};
    const auto* dims = std::get_if<BroadcastAttributes>(&call.operation.attributes);
    for (std::size_t i = 0; i < call.operands.size(); ++i) {
        const Array& operand = call.operands[i];
        operands[i] = operand.data();
        if (operand.type.shape == shape)
            continue;
        Dimensions map;
        for (std::size_t d = 0; d < operand.type.rank(); ++d)
            map.push_back(dims && dims->dimensions.size() == operand.type.rank()
                    ? dims->dimensions[d]
                    : static_cast<std::int64_t>(shape.size() - operand.type.rank() + d));
        operands[i] = spread.emplace_back(broadcast(operand, map, call.type())).data();
    }
    kernel->run(operands.data(), result.data(), result.count());
    return { result };
}

Evaluate movementEvaluator(OpKind kind)
{
    switch (kind) {
    case OpKind::Constant:
    case OpKind::SdyConstant:
    case OpKind::ChloConstant:
        return constant;
    case OpKind::Iota:
        return iota;
    case OpKind::BroadcastInDim:
        return broadcastInDim;
    case OpKind::Reshape:
        return reshape;
    case OpKind::Transpose:
        return transpose;
    case OpKind::Reverse:
        return reverse;
    case OpKind::Slice:
        return slice;
    case OpKind::DynamicSlice:
        return dynamicSlice;
    case OpKind::DynamicUpdateSlice:
        return dynamicUpdateSlice;
    case OpKind::Pad:
        return pad;
    case OpKind::Concatenate:
        return concatenate;
    case OpKind::BitcastConvert:
        return bitcast;
    case OpKind::ShardingConstraint:
    case OpKind::Reshard:
    case OpKind::PropagationBarrier:
    case OpKind::DataFlowEdge:
    case OpKind::FuncDataFlowEdge:
    case OpKind::OptimizationBarrier:
    case OpKind::ReplicatedToUnreduced:
        return same;
    default:
        return nullptr;
    }
}

} // namespace shardscope::kernels
