// SPDX-License-Identifier: GPL-3.0-or-later
#include "rules/local_chunker.h"

#include <algorithm>

#include "base/codes.h"
#include "mesh/host_block.h"

namespace shardscope {

namespace {

Result<std::size_t> axisOf(const Mesh& mesh, const std::string& name)
{
    if (const auto index = mesh.axisIndex(name))
        return *index;
    return fail(Code::UnknownAxis, { { "axis", name }, { "known", mesh.axisNames() } });
}

/// Product over axes of what `factor` says of each.
template <class Factor>
Result<std::int64_t> productOver(const Mesh& mesh, const std::vector<std::string>& axes, Factor factor)
{
    std::int64_t product = 1;
    for (const std::string& axis : axes) {
        SHARDSCOPE_TRY(index, axisOf(mesh, axis));
        product *= factor(*index);
    }
    return product;
}

} // namespace

Result<LocalChunker> LocalChunker::create(const Mesh& mesh, std::span<const std::int32_t> hosts, std::int32_t host)
{
    MeshShape shape;
    for (const MeshAxis& axis : mesh.axes())
        shape.push_back(axis.size);
    SHARDSCOPE_TRY(block, hostBlock(shape, hosts, host));
    LocalChunker chunker;
    chunker.m_mesh = mesh;
    chunker.m_chunks = std::move(block->chunks);
    chunker.m_ids = std::move(block->chunk);
    return chunker;
}

Result<void> LocalChunker::moveTo(const HostBlock& block)
{
    if (!block.contiguous()) {
        std::int64_t places = 1;
        for (const std::int64_t size : block.shape)
            places *= size;
        return fail(Code::LocalDevicesNotContiguous,
            { { "host", block.process }, { "devices", block.devices }, { "block", places } });
    }
    m_chunks = block.chunks;
    m_ids = block.chunk;
    return {};
}

Result<LocalChunk> LocalChunker::chunk(std::span<const std::int64_t> shape, const PartitionSpec& spec) const
{
    LocalChunk chunk;
    chunk.slice.resize(shape.size());
    chunk.uncovered.resize(shape.size());
    std::vector<std::string> used;
    for (std::size_t dim = 0; dim < std::min(shape.size(), spec.size()); ++dim) {
        const SpecEntry& entry = spec.entries[dim];
        if (entry.axes.empty())
            continue;
        if (entry.kind == SpecEntry::Kind::Tuple) {
            Where where;
            where.dimension = static_cast<int>(dim);
            return fail(Code::TupleAxisNotSupported, { { "dim", dim }, { "axes", entry.axes } }, std::move(where));
        }
        SHARDSCOPE_TRY(axis, axisOf(m_mesh, entry.axes.front()));
        used.push_back(entry.axes.front());
        const std::int64_t size = shape[dim] / m_chunks[*axis];
        chunk.slice[dim] = IndexRange{ m_ids[*axis] * size, (m_ids[*axis] + 1) * size };
        chunk.uncovered[dim] = shape[dim] - size * m_chunks[*axis];
    }
    chunk.replica = replicaId(used);
    return chunk;
}

Result<std::int64_t> LocalChunker::shardId(std::span<const std::string> axes) const
{
    std::int64_t id = 0;
    for (const std::string& name : axes) {
        SHARDSCOPE_TRY(axis, axisOf(m_mesh, name));
        id = id * m_chunks[*axis] + m_ids[*axis];
    }
    return id;
}

std::int64_t LocalChunker::replicaId(std::span<const std::string> axes) const
{
    std::int64_t id = 0;
    for (std::size_t axis = 0; axis < m_mesh.rank(); ++axis)
        if (std::find(axes.begin(), axes.end(), m_mesh.axis(axis).name) == axes.end())
            id = id * m_chunks[axis] + m_ids[axis];
    return id;
}

Result<std::int64_t> dataMeshSize(const Mesh& mesh, const SpecEntry& dataAxis)
{
    return productOver(mesh, dataAxis.axes, [&](std::size_t axis) { return mesh.size(axis); });
}

Result<std::int64_t> dataShards(const LocalChunker& chunker, const SpecEntry& dataAxis)
{
    return productOver(chunker.mesh(), dataAxis.axes, [&](std::size_t axis) { return chunker.chunks(axis); });
}

namespace {

/// The batch, once its size is known to divide by the devices along the data axes.
Result<std::int64_t> dividedBatch(const Mesh& mesh, const SpecEntry& dataAxis, std::optional<std::int64_t> batchSize)
{
    SHARDSCOPE_TRY(meshSize, dataMeshSize(mesh, dataAxis));
    const std::int64_t batch = batchSize.value_or(0) == 0 ? *meshSize : *batchSize;
    if (batch % *meshSize != 0)
        return fail(Code::BatchNotDivisibleByDataMesh, { { "batch", batch }, { "size", *meshSize } });
    return batch;
}

DataLayout undividedLayout(std::int32_t host, std::optional<std::int64_t> batchSize)
{
    DataLayout layout;
    layout.batchSize = batchSize;
    layout.firstHostInReplicaSet = host == 0;
    return layout;
}

} // namespace

Result<DataLayout> dataLayout(const Mesh& mesh, std::span<const std::int32_t> hosts, std::int32_t host,
    const SpecEntry& dataAxis, std::optional<std::int64_t> batchSize)
{
    if (dataAxis.axes.empty())
        return undividedLayout(host, batchSize);
    SHARDSCOPE_CHECK(dividedBatch(mesh, dataAxis, batchSize));
    SHARDSCOPE_TRY(chunker, LocalChunker::create(mesh, hosts, host));
    return dataLayout(*chunker, host, dataAxis, batchSize);
}

Result<DataLayout> dataLayout(
    const LocalChunker& chunker, std::int32_t host, const SpecEntry& dataAxis, std::optional<std::int64_t> batchSize)
{
    if (dataAxis.axes.empty())
        return undividedLayout(host, batchSize);
    SHARDSCOPE_TRY(batch, dividedBatch(chunker.mesh(), dataAxis, batchSize));
    const std::int64_t shards = *dataShards(chunker, dataAxis);
    if (*batch % shards != 0)
        return fail(Code::BatchNotDivisibleByShards, { { "batch", *batch }, { "shards", shards } });
    DataLayout layout;
    layout.batchSize = *batch;
    layout.shards = shards;
    layout.shardId = *chunker.shardId(dataAxis.axes);
    layout.firstHostInReplicaSet = chunker.replicaId(dataAxis.axes) == 0;
    return layout;
}

} // namespace shardscope
