// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/block_program.h"

#include "program/body.h"
#include <algorithm>

#include "base/codes.h"
#include "program/wide_attributes.h"

namespace shardscope {

namespace {

std::size_t at(std::int64_t i)
{
    return static_cast<std::size_t>(i);
}

CollectiveAttributes collective(std::vector<std::vector<std::int64_t>> groups)
{
    CollectiveAttributes own;
    own.groups = std::move(groups);
    own.channelId = 1;
    own.useGlobalDeviceIds = true;
    return own;
}

} // namespace

BlockBuilder::BlockBuilder(MeshPtr mesh)
    : m_mesh(std::move(mesh))
{
    m_program.regions.emplace_back();
    m_program.scopes.emplace_back();
}

Result<BlockBuilder> BlockBuilder::over(MeshPtr mesh)
{
    if (!mesh || mesh->rank() == 0)
        return fail(Code::EmptyMesh);
    return BlockBuilder(std::move(mesh));
}

ValueId BlockBuilder::addValue(const TensorType& type)
{
    m_program.values.push_back({ type, {}, 0, Role::Temporary, {}, {} });
    return ValueId(m_program.values.size() - 1);
}

ValueId BlockBuilder::add(
    OpKind kind, std::initializer_list<ValueId> operands, const TensorType& type, Attributes attributes)
{
    const OperationId id(m_program.operations.size());
    const ValueId result = addValue(type);
    m_program.values.back().definition = id;
    Operation op;
    op.kind = kind;
    op.operands = operands;
    op.results = { result };
    op.attributes = std::move(attributes);
    m_program.operations.push_back(std::move(op));
    m_program.regions[0].operations.push_back(id);
    return result;
}

Result<std::vector<std::size_t>> BlockBuilder::axisIndices(const Axes& axes) const
{
    std::vector<std::size_t> indices;
    for (const std::string& axis : axes) {
        const auto index = m_mesh->axisIndex(axis);
        if (!index)
            return fail(Code::UnknownAxis, { { "axis", axis }, { "known", m_mesh->axisNames() } });
        indices.push_back(*index);
    }
    return indices;
}

std::int64_t BlockBuilder::sizeOf(const std::vector<std::size_t>& axes) const
{
    std::int64_t size = 1;
    for (const std::size_t axis : axes)
        size *= m_mesh->size(axis);
    return size;
}

std::vector<std::vector<std::int64_t>> BlockBuilder::deviceGroups(const std::vector<std::size_t>& axes) const
{
    std::vector<std::vector<std::int64_t>> groups;
    const std::int64_t size = sizeOf(axes);
    for (std::int64_t position = 0; position < m_mesh->deviceCount(); ++position) {
        if (std::any_of(axes.begin(), axes.end(), [&](std::size_t a) { return m_mesh->coordinate(position, a) != 0; }))
            continue;
        std::vector<std::int64_t>& group = groups.emplace_back();
        for (std::int64_t k = 0; k < size; ++k) {
            std::int64_t place = position, left = k;
            for (std::size_t i = axes.size(); i-- > 0;) {
                place += left % m_mesh->size(axes[i]) * m_mesh->stride(axes[i]);
                left /= m_mesh->size(axes[i]);
            }
            group.push_back(m_mesh->deviceAt(place));
        }
    }
    return groups;
}

Result<ValueId> BlockBuilder::input(const TensorType& full, const PartitionSpec& spec)
{
    if (auto valid = validate(spec, *m_mesh, full.shape); !valid)
        return tl::unexpected(valid.error());
    TensorType type = full;
    AxisSet set = 0;
    for (std::size_t d = 0; d < full.rank(); ++d) {
        const std::vector<std::size_t> axes = *axisIndices(spec.axesOf(d));
        type.shape[d] /= sizeOf(axes);
        for (const std::size_t axis : axes)
            set |= AxisSet{ 1 } << axis;
    }
    const ValueId value = addValue(type);
    m_program.values.back().index = static_cast<std::uint32_t>(m_arguments.size());
    m_program.regions[0].arguments.push_back(value);
    m_arguments.push_back(set);
    return value;
}

Result<ValueId> BlockBuilder::reduce(ReduceKind kind, ValueId value, const Axes& axes, const Groups& groups)
{
    const auto indices = axisIndices(axes);
    if (!indices)
        return tl::unexpected(indices.error());
    std::vector<std::vector<std::int64_t>> devices = deviceGroups(*indices);
    if (!groups.empty()) {
        std::vector<std::int64_t> covered;
        for (const std::vector<std::int64_t>& group : groups)
            covered.insert(covered.end(), group.begin(), group.end());
        std::sort(covered.begin(), covered.end());
        const std::int64_t size = sizeOf(*indices);
        bool once = static_cast<std::int64_t>(covered.size()) == size;
        for (std::size_t i = 0; i < covered.size() && once; ++i)
            once = covered[i] == static_cast<std::int64_t>(i);
        if (!once)
            return fail(Code::GroupsDoNotCover, { { "axes", axes }, { "size", size } });
        std::vector<std::vector<std::int64_t>> parts;
        for (const std::vector<std::int64_t>& all : devices)
            for (const std::vector<std::int64_t>& group : groups) {
                std::vector<std::int64_t>& part = parts.emplace_back();
                for (const std::int64_t place : group)
                    part.push_back(all[at(place)]);
            }
        devices = std::move(parts);
    }
    const TensorType own = type(value);
    return addReduction(OpKind::AllReduce, value, own, wide(collective(std::move(devices))), kind);
}

ValueId BlockBuilder::addReduction(
    OpKind kind, ValueId value, const TensorType& type, Attributes attributes, ReduceKind how)
{
    const ValueId result = add(kind, { value }, type, std::move(attributes));
    const OperationId reduction = m_program.value(result).definition;
    const RegionId body(m_program.regions.size());
    m_program.regions.emplace_back();
    const ValueId a = addValue({ type.dtype, {} }), b = addValue({ type.dtype, {} });
    m_program.values.back().index = 1;
    const ValueId both = addValue({ type.dtype, {} });
    const OperationId inner(m_program.operations.size());
    m_program.values.back().definition = inner;
    Operation op;
    op.kind = combinerOf(how);
    op.operands = { a, b };
    op.results = { both };
    m_program.operations.push_back(std::move(op));
    m_program.regions[body.index] = { { a, b }, { inner }, { both } };
    m_program.operations[reduction.index].regions = { body };
    return result;
}

Result<ValueId> BlockBuilder::mean(ValueId value, const Axes& axes)
{
    const auto sum = reduce(ReduceKind::Sum, value, axes);
    if (!sum)
        return sum;
    return binary(
        OpKind::Divide, *sum, constant({ type(value).dtype, {} }, { static_cast<double>(sizeOf(*axisIndices(axes))) }));
}

Result<ValueId> BlockBuilder::allGather(ValueId value, const Axes& axes, std::int64_t dimension, bool tiled)
{
    const auto indices = axisIndices(axes);
    if (!indices)
        return tl::unexpected(indices.error());
    if (!tiled) {
        Shape shape = type(value).shape;
        shape.insert(shape.begin() + dimension, 1);
        value = reshape(value, shape);
    }
    TensorType result = type(value);
    result.shape[at(dimension)] *= sizeOf(*indices);
    CollectiveAttributes own = collective(deviceGroups(*indices));
    own.dimension = dimension;
    return add(OpKind::AllGather, { value }, result, wide(std::move(own)));
}

namespace {

tl::unexpected<Error> indivisible(std::int64_t dimension, std::int64_t size, std::int64_t shards)
{
    return fail(Code::Indivisible, { { "dim", dimension }, { "size", size }, { "partitions", shards } });
}

} // namespace

Result<ValueId> BlockBuilder::scatterSum(ValueId value, const Axes& axes, std::int64_t dimension, bool tiled)
{
    const auto indices = axisIndices(axes);
    if (!indices)
        return tl::unexpected(indices.error());
    const std::int64_t shards = sizeOf(*indices), size = type(value).shape[at(dimension)];
    if (tiled ? size % shards != 0 : size != shards)
        return indivisible(dimension, size, shards);
    CollectiveAttributes own = collective(deviceGroups(*indices));
    own.dimension = dimension;
    TensorType shard = type(value);
    shard.shape[at(dimension)] /= shards;
    const ValueId sum = addReduction(OpKind::ReduceScatter, value, shard, wide(std::move(own)), ReduceKind::Sum);
    if (tiled)
        return sum;
    Shape without = shard.shape;
    without.erase(without.begin() + dimension);
    return reshape(sum, without);
}

Result<ValueId> BlockBuilder::permute(
    ValueId value, const Axes& axes, const std::vector<std::pair<std::int64_t, std::int64_t>>& pairs)
{
    const auto indices = axisIndices(axes);
    if (!indices)
        return tl::unexpected(indices.error());
    const std::int64_t size = sizeOf(*indices);
    std::vector<bool> sends(at(size)), receives(at(size));
    for (const auto& [source, target] : pairs) {
        for (const std::int64_t place : { source, target })
            if (place < 0 || place >= size)
                return fail(
                    Code::OutOfRange, { { "key", "permute" }, { "value", place }, { "min", 0 }, { "max", size - 1 } });
        if (sends[at(source)])
            return fail(Code::PermutePairs, { { "axes", axes }, { "source", source } });
        if (receives[at(target)])
            return fail(Code::PermutePairs, { { "axes", axes }, { "target", target } });
        sends[at(source)] = receives[at(target)] = true;
    }
    std::vector<std::vector<std::int64_t>> devices;
    for (const std::vector<std::int64_t>& group : deviceGroups(*indices))
        for (const auto& [source, target] : pairs)
            devices.push_back({ group[at(source)], group[at(target)] });
    // Without a channel the ids are replicas; they are partitions here.
    return add(OpKind::CollectivePermute, { value }, type(value), wide(collective(std::move(devices))));
}

Result<ValueId> BlockBuilder::allToAll(
    ValueId value, const Axes& axes, std::int64_t split, std::int64_t concat, bool tiled)
{
    const auto indices = axisIndices(axes);
    if (!indices)
        return tl::unexpected(indices.error());
    const std::int64_t shards = sizeOf(*indices), size = type(value).shape[at(split)];
    if (tiled ? size % shards != 0 : size != shards)
        return indivisible(split, size, shards);
    CollectiveAttributes own = collective(deviceGroups(*indices));
    own.dimension = split;
    own.concatDimension = tiled ? concat : split;
    own.splitCount = shards;
    TensorType result = type(value);
    result.shape[at(split)] /= shards;
    result.shape[at(own.concatDimension)] *= shards;
    const ValueId moved = add(OpKind::AllToAll, { value }, result, wide(std::move(own)));
    if (tiled)
        return moved;
    // The split dimension counts the sources now; it moves to its place among the others.
    Dimensions permutation;
    for (std::int64_t d = 0; d < static_cast<std::int64_t>(result.rank()); ++d)
        if (d != split)
            permutation.push_back(d);
    permutation.insert(permutation.begin() + concat, split);
    return transpose(moved, permutation);
}

Result<ValueId> BlockBuilder::axisIndex(const Axes& axes)
{
    const auto indices = axisIndices(axes);
    if (!indices)
        return tl::unexpected(indices.error());
    std::vector<double> table(at(m_mesh->deviceCount()));
    for (const std::vector<std::int64_t>& group : deviceGroups(*indices))
        for (std::size_t k = 0; k < group.size(); ++k)
            table[at(group[k])] = static_cast<double>(k);
    const ValueId all = constant({ DType::I32, { m_mesh->deviceCount() } }, std::move(table));
    const ValueId own = add(OpKind::PartitionId, {}, { DType::U32, {} }, {});
    const ValueId entry =
        add(OpKind::DynamicSlice, { all, own }, { DType::I32, { 1 } }, wide(DynamicSliceAttributes{ { 1 } }));
    return reshape(entry, {});
}

ValueId BlockBuilder::unary(OpKind kind, ValueId value)
{
    return add(kind, { value }, type(value), {});
}

ValueId BlockBuilder::binary(OpKind kind, ValueId lhs, ValueId rhs)
{
    const DType dtype = type(lhs).dtype;
    if (type(rhs).dtype != dtype)
        rhs = add(OpKind::Convert, { rhs }, { dtype, type(rhs).shape }, {});
    const std::size_t rank = std::max(type(lhs).rank(), type(rhs).rank());
    Shape shape;
    for (std::size_t d = 0; d < rank; ++d) {
        std::int64_t size = 1;
        for (const ValueId operand : { lhs, rhs })
            if (const std::size_t missing = rank - type(operand).rank(); d >= missing)
                size = std::max(size, type(operand).shape[d - missing]);
        shape.push_back(size);
    }
    const auto spread = [&](ValueId operand) {
        if (type(operand).shape == shape)
            return operand;
        BroadcastAttributes own;
        for (std::size_t d = rank - type(operand).rank(); d < rank; ++d)
            own.dimensions.push_back(static_cast<std::int64_t>(d));
        return add(OpKind::BroadcastInDim, { operand }, { dtype, shape }, std::move(own));
    };
    const ValueId a = spread(lhs), b = spread(rhs);
    return add(kind, { a, b }, { dtype, shape }, {});
}

ValueId BlockBuilder::constant(const TensorType& own, std::vector<double> values)
{
    return add(OpKind::Constant, {}, own, ConstantAttributes{ std::move(values) });
}

ValueId BlockBuilder::matmul(ValueId lhs, ValueId rhs)
{
    DotGeneralAttributes own;
    own.lhsContracting = { static_cast<std::int64_t>(type(lhs).rank()) - 1 };
    own.rhsContracting = { 0 };
    Shape shape(type(lhs).shape.begin(), type(lhs).shape.end() - 1);
    for (std::size_t d = 1; d < type(rhs).rank(); ++d)
        shape.push_back(type(rhs).shape[d]);
    return add(OpKind::DotGeneral, { lhs, rhs }, { type(lhs).dtype, shape }, std::move(own));
}

ValueId BlockBuilder::reshape(ValueId value, Shape shape)
{
    return add(OpKind::Reshape, { value }, { type(value).dtype, std::move(shape) }, {});
}

ValueId BlockBuilder::transpose(ValueId value, Dimensions permutation)
{
    TensorType result{ type(value).dtype, {} };
    for (const std::int64_t d : permutation)
        result.shape.push_back(type(value).shape[at(d)]);
    return add(OpKind::Transpose, { value }, result, TransposeAttributes{ std::move(permutation) });
}

ValueId BlockBuilder::reduceLocally(ReduceKind kind, ValueId value, Dimensions dimensions)
{
    TensorType result{ type(value).dtype, {} };
    for (std::size_t d = 0; d < type(value).rank(); ++d)
        if (std::find(dimensions.begin(), dimensions.end(), static_cast<std::int64_t>(d)) == dimensions.end())
            result.shape.push_back(type(value).shape[d]);
    return add(OpKind::Reduce, { value }, result, ReduceAttributes{ std::move(dimensions), kind });
}

BlockProgram BlockBuilder::finish(ValueId result) &&
{
    m_program.regions[0].results = { result };
    m_program.argumentAnnotations.resize(m_arguments.size());
    m_program.resultAnnotations.resize(1);
    BlockProgram done{ std::move(m_program), m_mesh, {} };
    done.varying = varyingAxes(done.program, RegionId{ 0 }, *m_mesh, m_arguments);
    return done;
}

Result<void> checkOutput(const BlockProgram& block, const PartitionSpec& spec)
{
    if (auto valid = validate(spec, *block.mesh); !valid)
        return valid;
    AxisSet mentioned = 0;
    for (const SpecEntry& entry : spec.entries)
        for (const std::string& axis : entry.axes)
            mentioned |= AxisSet{ 1 } << *block.mesh->axisIndex(axis);
    const ValueId result = block.program.main().results[0];
    const std::size_t rank = block.program.value(result).type.rank();
    if (spec.size() > rank)
        return fail(Code::SpecTooLong, { { "spec_len", spec.size() }, { "rank", rank } });
    return checkReplication(block.program, block.varying, *block.mesh, result, mentioned, 0);
}

} // namespace shardscope
