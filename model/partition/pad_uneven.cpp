// SPDX-License-Identifier: GPL-3.0-or-later
#include "partition/pad_uneven.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <unordered_set>

#include "partition/padding_constants.h"
#include "partition/stated_sizes.h"
#include "program/editor.h"
#include "program/other_attributes.h"
#include "program/value_shardings.h"
#include "propagation/pass_support.h"
#include "sharding/layout.h"

namespace shardscope {

namespace {

/// Numbers of dimensions.
using Places = SmallVector<std::size_t, 6>;

class Padder {
public:
    explicit Padder(Program program)
        : m_edit(std::move(program))
        , m_specified(m_edit.program())
    {
    }

    PaddedProgram run() &&
    {
        collect();
        for (const auto& [value, shape] : m_shapes)
            m_edit.raw().values[value.index].type.shape = paddedShape(value, shape);
        for (const OperationId id : m_order)
            visit(id);
        return { std::move(m_edit).finish(), std::move(m_shapes), std::move(m_origins) };
    }

    /// Whether there is anything to do.
    static bool isNeeded(const Program& program)
    {
        const ValueShardings shardings(program);
        for (std::size_t i = 0; i < program.values.size(); ++i)
            if (const ProgramSharding* found = shardings.of(ValueId(i)))
                for (std::size_t d = 0; d < std::min(found->sharding.rank(), program.values[i].type.rank()); ++d)
                    if (program.values[i].type.shape[d] % shardCount(found->sharding.dims[d]) != 0)
                        return true;
        return false;
    }

private:
    /// Operations and values outside of manual computations.
    void collect()
    {
        std::vector<char> inManual(m_edit.program().operations.size(), 0);
        for (std::size_t r = 0; r < m_edit.program().regions.size(); ++r)
            for (const ValueId argument : m_edit.program().regions[r].arguments)
                m_regionOfArgument[argument] = RegionId(r);
        for (const RegionId body : bodies(m_edit.program())) {
            for (const ValueId argument : m_edit.region(body).arguments)
                note(argument);
            walk(m_edit.program(), body, [&](OperationId id) {
                const Operation& operation = m_edit.operation(id);
                if (inManual[id.index])
                    return;
                m_order.push_back(id);
                for (const ValueId result : operation.results)
                    note(result);
                if (operation.kind == OpKind::ManualComputation) {
                    walk(m_edit.program(), operation.regions[0], [&](OperationId inner) { inManual[inner.index] = 1; });
                    return;
                }
                for (const RegionId region : operation.regions)
                    for (const ValueId argument : m_edit.region(region).arguments)
                        note(argument);
            });
        }
    }

    void note(ValueId value)
    {
        const TensorType& type = m_edit.value(value).type;
        if (!isTensor(type.dtype))
            return;
        const Shape shape = type.shape;
        if (paddedShape(value, shape) != shape)
            m_shapes.emplace(value, shape);
    }

    [[nodiscard]] Shape paddedShape(ValueId value, Shape shape) const
    {
        const ProgramSharding* found = m_specified.of(value);
        for (std::size_t d = 0; found && d < std::min(found->sharding.rank(), shape.size()); ++d) {
            const std::int64_t shards = shardCount(found->sharding.dims[d]);
            shape[d] = (shape[d] + shards - 1) / shards * shards;
        }
        return shape;
    }

    [[nodiscard]] Shape shapeOf(ValueId value) const { return m_edit.value(value).type.shape; }
    [[nodiscard]] Shape fullOf(ValueId value) const { return trueShape(m_shapes, m_edit.program(), value); }

    /// Nothing where nothing is sharded.
    [[nodiscard]] std::optional<ProgramSharding> shardingOf(ValueId value) const
    {
        const ProgramSharding* found = passes::shardingAnywhere(m_edit, value);
        if (!found)
            found = m_specified.of(value);
        return found ? std::optional(*found) : std::nullopt;
    }

    void visit(OperationId id)
    {
        switch (m_edit.operation(id).kind) {
        case OpKind::Reshard:
            return visitReshard(id);
        case OpKind::ShardedToUnreduced:
            return gatherFirst(id);
        case OpKind::Constant:
        case OpKind::SdyConstant:
            return visitConstant(id);
        case OpKind::Slice:
        case OpKind::DynamicSlice:
        case OpKind::Gather:
            return fitSizes(id);
        case OpKind::Dot:
        case OpKind::DotGeneral:
        case OpKind::Convolution:
            return maskContracted(id);
        case OpKind::Reduce:
        case OpKind::VariadicReduce:
            return maskReduced(id);
        default:
            return;
        }
    }

    // Adding operations. Values that are made have a sharding and, where they are padded, a true shape.

    ValueId put(OperationId made, const std::optional<ProgramSharding>& sharding, const Shape& full)
    {
        const ValueId result = m_edit.result(made);
        if (sharding)
            m_edit.setSharding(result, *sharding);
        if (full != shapeOf(result))
            m_shapes[result] = full;
        return result;
    }

    ValueId constantBefore(OperationId before, DType dtype)
    {
        const OperationId made =
            m_edit.add(OpKind::Constant, {}, std::array{ TensorType{ dtype, {} } }, zeroOf(dtype), before);
        m_edit.placeBefore(before, made);
        return m_edit.result(made);
    }

    /// The value with other lengths of dimensions that are not sharded: what is longer is zero after its end.
    ValueId resized(ValueId value, const Shape& to, OperationId before, const std::optional<ProgramSharding>& sharding)
    {
        const Shape full = fullOf(value);
        TensorType type = m_edit.value(value).type;
        const Shape from = type.shape;
        const std::size_t rank = from.size();
        Shape shorter = from;
        for (std::size_t d = 0; d < rank; ++d)
            shorter[d] = std::min(from[d], to[d]);
        if (shorter != from) {
            SliceAttributes slice{ Dimensions(rank, 0), Dimensions(rank, 0), Dimensions(rank, 1) };
            for (std::size_t d = 0; d < rank; ++d)
                slice.limits.edit()[d] = shorter[d];
            type.shape = shorter;
            const OperationId made = m_edit.add(
                OpKind::Slice, std::array{ value }, std::array{ type }, otherAttributes(std::move(slice)), before);
            m_edit.placeBefore(before, made);
            value = put(made, sharding, full);
        }
        if (shorter != to) {
            PadAttributes pad{ Dimensions(rank, 0), Dimensions(rank, 0), Dimensions(rank, 0) };
            for (std::size_t d = 0; d < rank; ++d)
                pad.high.edit()[d] = to[d] - shorter[d];
            type.shape = to;
            const bool isClean = shorter == full || m_zero.contains(value);
            const ValueId zero = constantBefore(before, type.dtype);
            const OperationId made = m_edit.add(
                OpKind::Pad, std::array{ value, zero }, std::array{ type }, otherAttributes(std::move(pad)), before);
            m_edit.placeBefore(before, made);
            value = put(made, sharding, full);
            if (isClean)
                m_zero.insert(value);
        }
        return value;
    }

    /// From one length of padded dimensions to another. A dimension that is sharded before and after, into shards that
    /// pad otherwise, is full in between.
    void visitReshard(OperationId id)
    {
        const ValueId operand = m_edit.operation(id).operands[0], result = m_edit.result(id);
        const Shape from = shapeOf(operand), to = shapeOf(result);
        if (m_zero.contains(operand) && from == to)
            m_zero.insert(result);
        const std::optional<ProgramSharding> source = shardingOf(operand);
        const auto* own = attributesAs<OwnShardingAttributes>(m_edit.operation(id).attributes);
        if (from == to || !own || !own->sharding)
            return;
        const ProgramSharding target = *own->sharding;
        const std::size_t rank = from.size();
        const auto isSharded = [](const TensorSharding& sharding, std::size_t d) {
            return d < sharding.rank() && !sharding.dims[d].axes.empty();
        };
        ProgramSharding current = source ? *source : passes::closedSharding(target.mesh, rank);
        ProgramSharding between = current;
        Shape meet = from;
        for (std::size_t d = 0; d < rank; ++d) {
            if (from[d] == to[d])
                continue;
            if (isSharded(current.sharding, d) && isSharded(target.sharding, d))
                between.sharding.dims[d].axes.clear();
            if (!isSharded(between.sharding, d))
                meet[d] = to[d];
        }
        ValueId value = operand;
        if (!(between == current)) {
            const OperationId gathers =
                m_edit.addLike(OpKind::Reshard, { value }, otherAttributes(OwnShardingAttributes{ between }));
            m_edit.placeBefore(id, gathers);
            m_origins.emplace_back(gathers, id);
            const bool isZero = m_zero.contains(value);
            value = m_edit.result(gathers);
            m_shapes[value] = fullOf(operand);
            if (isZero)
                m_zero.insert(value);
        } else if (meet != from && padSum(operand, meet)) {
            value = operand; // the sum has the new length
        }
        if (shapeOf(value) != meet)
            value = resized(value, meet, id, between);
        m_edit.setOperand(id, 0, value);
        const Shape full = fullOf(value);
        setShape(result, meet, full);
        if (m_zero.contains(value))
            m_zero.insert(result);
        if (meet == to)
            return;
        // What is full now loses its padding.
        SliceAttributes slice{ Dimensions(rank, 0), Dimensions(rank, 0), Dimensions(rank, 1) };
        for (std::size_t d = 0; d < rank; ++d)
            slice.limits.edit()[d] = to[d];
        TensorType type = m_edit.value(result).type;
        type.shape = to;
        const OperationId made =
            m_edit.add(OpKind::Slice, std::array{ result }, std::array{ type }, otherAttributes(std::move(slice)), id);
        m_edit.placeAfter(id, made);
        const bool isZero = m_zero.contains(result);
        const ValueId sliced = put(made, target, full);
        if (isZero)
            m_zero.insert(sliced);
        m_edit.replaceUses(result, sliced, made);
    }

    /// Shards that pad otherwise have no place in the longer ones that follow: they are gathered, and one device keeps
    /// the whole.
    void gatherFirst(OperationId id)
    {
        const ValueId operand = m_edit.operation(id).operands[0], result = m_edit.result(id);
        const SdyCollectiveAttributes declared =
            *attributesAs<SdyCollectiveAttributes>(m_edit.operation(id).attributes);
        bool isPadded = false;
        for (std::size_t d = 0; d < declared.axesPerDimension.size(); ++d)
            isPadded = isPadded || (!declared.axesPerDimension[d].empty() && shapeOf(operand)[d] != fullOf(operand)[d]);
        if (!isPadded)
            return;
        ProgramSharding gathered = declared.out;
        const std::optional<ProgramSharding> current = shardingOf(operand);
        gathered.sharding.unreduced = current ? current->sharding.unreduced : AxisList{};
        SdyCollectiveAttributes kept;
        for (const AxisList& axes : declared.axesPerDimension)
            for (const AxisRef axis : axes)
                kept.axes.push_back(axis);
        passes::sortAndMerge(kept.axes);
        kept.out = declared.out;
        const OperationId reshard =
            m_edit.addLike(OpKind::Reshard, { operand }, otherAttributes(OwnShardingAttributes{ std::move(gathered) }));
        m_edit.placeBefore(id, reshard);
        m_origins.emplace_back(reshard, id);
        setShape(m_edit.result(reshard), shapeOf(result), fullOf(operand));
        m_edit.setOperand(id, 0, m_edit.result(reshard));
        Operation& operation = m_edit.raw().operations[id.index];
        operation.kind = OpKind::ReplicatedToUnreduced;
        operation.attributes = otherAttributes(std::move(kept));
        visitReshard(reshard);
    }

    /// A sum over devices that is sharded at once is padded before it is added up, so that it can be scattered.
    bool padSum(ValueId value, const Shape& to)
    {
        const OperationId sum = m_edit.value(value).definition;
        if (!sum.valid() || m_edit.operation(sum).kind != OpKind::SdyAllReduce || m_edit.uses(value).size() != 1)
            return false;
        const Shape full = fullOf(value);
        const ValueId addend = m_edit.operation(sum).operands[0];
        for (std::size_t d = 0; d < to.size(); ++d)
            if (to[d] < shapeOf(value)[d])
                return false;
        const ValueId longer = resized(addend, to, sum, shardingOf(addend));
        m_edit.setOperand(sum, 0, longer);
        setShape(value, to, full);
        if (m_zero.contains(longer))
            m_zero.insert(value);
        return true;
    }

    void setShape(ValueId value, const Shape& shape, const Shape& full)
    {
        m_edit.raw().values[value.index].type.shape = shape;
        if (shape == full)
            m_shapes.erase(value);
        else
            m_shapes[value] = full;
    }

    void visitConstant(OperationId id)
    {
        const ValueId result = m_edit.result(id);
        const auto found = m_shapes.find(result);
        if (found == m_shapes.end())
            return;
        auto* constant = std::get_if<ConstantAttributes>(&m_edit.raw().operations[id.index].attributes);
        if (!constant)
            return;
        const Shape& full = found->second;
        const DType dtype = m_edit.value(result).type.dtype;
        const auto width = static_cast<std::size_t>(byteSize(dtype));
        if (constant->bytes ? constant->bytes->size() == width : constant->values.size() == 1) {
            const bool isZero = constant->bytes ? std::all_of(constant->bytes->begin(), constant->bytes->end(),
                                    [](std::byte b) { return b == std::byte{}; })
                                                : (*constant->values)[0] == 0;
            if (isZero)
                m_zero.insert(result);
            return;
        }
        if (constant->bytes)
            constant->bytes = bytesOf(lengthened(*constant->bytes, full, shapeOf(result), width));
        else
            constant->values = lengthened(*constant->values, full, shapeOf(result), 1);
        m_zero.insert(result);
    }

    /// Sizes that attributes name: those of dimensions that are taken in full.
    void fitSizes(OperationId id)
    {
        Operation& operation = m_edit.raw().operations[id.index];
        const auto found = m_shapes.find(operation.operands[0]);
        if (found == m_shapes.end())
            return;
        fitStatedSizes(operation, found->second, shapeOf(operation.operands[0]));
    }

    /// Those of the dimensions that are padded.
    [[nodiscard]] Places padded(ValueId value, const Dimensions& dimensions) const
    {
        Places found;
        const Shape full = fullOf(value), shape = shapeOf(value);
        for (const std::int64_t dimension : dimensions)
            if (const auto d = static_cast<std::size_t>(dimension); full[d] != shape[d])
                found.push_back(d);
        return found;
    }

    /// Zero on both sides: what is no number stays none in a product with zero. Whole numbers need one side only.
    void maskContracted(OperationId id)
    {
        const Operation& operation = m_edit.operation(id);
        const std::array operands{ operation.operands[0], operation.operands[1] };
        std::array<Dimensions, 2> contracted;
        if (const auto* dot = std::get_if<DotGeneralAttributes>(&operation.attributes)) {
            contracted = { *dot->lhsContracting, *dot->rhsContracting };
        } else if (const auto* convolution = attributesAs<ConvolutionAttributes>(operation.attributes)) {
            contracted = { Dimensions{ convolution->inputFeature }, Dimensions{ convolution->kernelInputFeature } };
        } else {
            contracted = { Dimensions{ static_cast<std::int64_t>(shapeOf(operands[0]).size()) - 1 }, Dimensions{ 0 } };
        }
        std::array<bool, 2> needed{};
        for (std::size_t i = 0; i < 2; ++i)
            needed[i] = !padded(operands[i], contracted[i]).empty();
        const auto isExact = [&](std::size_t i) {
            const DType dtype = m_edit.value(operands[i]).type.dtype;
            return !isFloat(dtype) && !isComplex(dtype);
        };
        if (isExact(0) && isExact(1)) {
            if (m_zero.contains(operands[0]) || m_zero.contains(operands[1]))
                return;
            if (needed[0] && needed[1]) {
                const bool first =
                    m_edit.value(operands[0]).type.elementCount() <= m_edit.value(operands[1]).type.elementCount();
                needed[first ? 1 : 0] = false;
            }
        }
        for (std::size_t i = 0; i < 2; ++i)
            if (needed[i] && !m_zero.contains(operands[i]))
                m_edit.setOperand(id, i, withZeros(operands[i], padded(operands[i], contracted[i])));
    }

    void maskReduced(OperationId id)
    {
        const Operation operation = m_edit.operation(id);
        if (const auto* reduce = std::get_if<ReduceAttributes>(&operation.attributes)) {
            const ValueId operand = operation.operands[0];
            const Places dims = padded(operand, reduce->dimensions);
            if (dims.empty())
                return;
            const DType dtype = m_edit.value(operand).type.dtype;
            const OperationId fill = m_edit.add(OpKind::Constant, {}, std::array{ TensorType{ dtype, {} } },
                ConstantAttributes{ std::vector{ identityOf(reduce->kind) }, {} }, id);
            m_edit.placeBefore(id, fill);
            m_edit.setOperand(id, 0, masked(operand, dims, m_edit.result(fill), id));
            return;
        }
        const auto* reduce = attributesAs<VariadicReduceAttributes>(operation.attributes);
        const std::size_t inputs = operation.operands.size() / 2;
        for (std::size_t i = 0; reduce && i < inputs; ++i) {
            const ValueId operand = operation.operands[i];
            if (const Places dims = padded(operand, reduce->dimensions); !dims.empty())
                m_edit.setOperand(id, i, masked(operand, dims, operation.operands[inputs + i], id));
        }
    }

    /// The value with zeros in the padding of these dimensions; made once, after its definition.
    ValueId withZeros(ValueId value, const Places& dims)
    {
        std::pair<std::uint32_t, std::vector<std::size_t>> key{ value.index, { dims.begin(), dims.end() } };
        if (const auto known = m_masked.find(key); known != m_masked.end())
            return known->second;
        const ValueId result = masked(value, dims, {}, {});
        if (padded(value, everyDimension(shapeOf(value).size())).size() == dims.size())
            m_zero.insert(result);
        m_masked.emplace(std::move(key), result);
        return result;
    }

    static Dimensions everyDimension(std::size_t rank)
    {
        Dimensions all;
        for (std::size_t d = 0; d < rank; ++d)
            all.push_back(static_cast<std::int64_t>(d));
        return all;
    }

    /// `fill`, a scalar (zero without one), where one of the dimensions is after its end. Before the operation; after
    /// the value's definition without one.
    ValueId masked(ValueId value, const Places& dims, ValueId fill, OperationId before)
    {
        const TensorType type = m_edit.value(value).type;
        const Shape shape = type.shape, full = fullOf(value);
        std::optional<ProgramSharding> sharding = shardingOf(value);
        const OperationId like = before.valid() ? before : m_edit.value(value).definition;
        const auto add = [&](OpKind kind, std::initializer_list<ValueId> operands, const TensorType& made,
                             Attributes attributes, const std::optional<ProgramSharding>& how, const Shape& inTruth) {
            const OperationId id = m_edit.add(
                kind, std::span(operands.begin(), operands.size()), std::array{ made }, std::move(attributes), like);
            if (before.valid())
                m_edit.placeBefore(before, id);
            else
                m_edit.placeAfterDefinition(value, m_regionOfArgument[value], id);
            return put(id, how, inTruth);
        };
        std::optional<ProgramSharding> ofFlags = sharding;
        if (ofFlags)
            ofFlags->sharding.unreduced.clear();
        const TensorType flags{ DType::Pred, shape };
        ValueId all;
        for (const std::size_t d : dims) {
            const DType counts = shape[d] > std::numeric_limits<std::int32_t>::max() ? DType::I64 : DType::I32;
            const Shape end{ full[d] };
            const TensorType line{ counts, Shape{ shape[d] } };
            std::optional<ProgramSharding> ofLine;
            if (sharding) {
                ofLine = passes::closedSharding(sharding->mesh, 1);
                ofLine->sharding.dims[0].axes = sharding->sharding.dims[d].axes;
            }
            std::vector<std::byte> number(static_cast<std::size_t>(byteSize(counts)));
            const auto narrow = static_cast<std::int32_t>(full[d]);
            if (counts == DType::I64)
                std::memcpy(number.data(), &full[d], sizeof(full[d]));
            else
                std::memcpy(number.data(), &narrow, sizeof(narrow));
            const ValueId numbers = add(OpKind::Iota, {}, line, IotaAttributes{ 0 }, ofLine, end);
            const ValueId limit =
                add(OpKind::Constant, {}, line, ConstantAttributes{ {}, bytesOf(std::move(number)) }, ofLine, end);
            const ValueId inside = add(OpKind::Compare, { numbers, limit }, { DType::Pred, Shape{ shape[d] } },
                CompareAttributes{ Comparison::Less, CompareType::Signed }, ofLine, end);
            const ValueId otherAttributes = add(OpKind::BroadcastInDim, { inside }, flags,
                BroadcastAttributes{ Dimensions{ static_cast<std::int64_t>(d) } }, ofFlags, full);
            all = all.valid() ? add(OpKind::And, { all, otherAttributes }, flags, {}, ofFlags, full) : otherAttributes;
        }
        const ValueId other = fill.valid()
            ? add(OpKind::BroadcastInDim, { fill }, type, BroadcastAttributes{ Dimensions{} }, sharding, full)
            : add(OpKind::Constant, {}, type, zeroOf(type.dtype), sharding, full);
        return add(OpKind::Select, { all, value, other }, type, {}, sharding, full);
    }

    Editor m_edit;
    ValueShardings m_specified; ///< of values that the program had
    TrueShapes m_shapes;
    std::vector<OperationId> m_order;
    std::unordered_map<ValueId, RegionId> m_regionOfArgument;
    std::unordered_set<ValueId> m_zero; ///< their padding holds zeros
    std::map<std::pair<std::uint32_t, std::vector<std::size_t>>, ValueId> m_masked;
    std::vector<std::pair<OperationId, OperationId>> m_origins;
};

} // namespace

Shape extentsAt(const PaddedShard& shard, const MeshPtr& mesh, std::int32_t device)
{
    const Layout layout(mesh, shard.sharding, shard.padded);
    const Shape block = layout.blockAt(mesh->positionOf(device));
    Shape extents = layout.shardShape();
    for (std::size_t d = 0; d < extents.size(); ++d)
        extents[d] = std::clamp<std::int64_t>(shard.full[d] - block[d] * extents[d], 0, extents[d]);
    return extents;
}

PaddedProgram padUneven(Program program)
{
    if (!Padder::isNeeded(program))
        return { std::move(program), {}, {} };
    return Padder(std::move(program)).run();
}

void addExchanged(TrueShapes& shapes, const Program& program)
{
    if (shapes.empty())
        return;
    for (const RegionId body : bodies(program))
        walk(program, body, [&](OperationId id) {
            const Operation& operation = program.operation(id);
            if (!isShardyCollective(operation.kind) || operation.operands.size() != 1)
                return;
            const auto from = shapes.find(operation.operands[0]);
            const ValueId result = operation.results[0];
            if (from != shapes.end()
                && program.value(result).type.shape == program.value(operation.operands[0]).type.shape)
                shapes.emplace(result, Shape(from->second));
        });
}

} // namespace shardscope
