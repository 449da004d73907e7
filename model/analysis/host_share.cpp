// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/host_share.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "program/types.h"

namespace shardscope {

namespace {

bool isTrainState(Role role)
{
    return role == Role::Parameter || isOptimizerArray(role) || role == Role::Count || role == Role::Step;
}

} // namespace

HostIndex::HostIndex(SnapshotPtr snapshot)
    : m_snapshot(std::move(snapshot))
    , m_places(m_snapshot->experiment->hardware.devices)
{
    const Mesh& mesh = *m_snapshot->mesh;
    DeviceArray array;
    for (const MeshAxis& axis : mesh.axes())
        array.shape.push_back(axis.size);
    array.ids.reserve(static_cast<std::size_t>(mesh.deviceCount()));
    m_hosts.reserve(array.ids.capacity());
    for (std::int64_t position = 0; position < mesh.deviceCount(); ++position) {
        array.ids.push_back(mesh.deviceAt(position));
        m_hosts.push_back(m_places.host(array.ids.back()));
    }
    m_blocks = hostBlocks(array, m_places.set());
    for (const HostBlock& block : m_blocks)
        m_hostOfChunk.emplace(key(block.chunk), block.process);
}

/// Chunks are those of the first host: where all hosts fill blocks, they are of one size.
std::int64_t HostIndex::key(const MeshShape& chunks) const
{
    std::int64_t key = 0;
    for (std::size_t axis = 0; axis < chunks.size(); ++axis)
        key = key * m_blocks.front().chunks[axis] + chunks[axis];
    return key;
}

HostShare HostIndex::of(std::size_t index) const
{
    const Mesh& mesh = *m_snapshot->mesh;
    const HostBlock& block = m_blocks[index];
    HostShare result{ block.process, {}, block, {}, LocalChunker::create(mesh, m_hosts, block.process) };
    for (std::size_t position = 0; position < m_hosts.size(); ++position)
        if (m_hosts[position] == result.host) {
            result.positions.push_back(static_cast<std::int64_t>(position));
            result.devices.push_back(mesh.deviceAt(result.positions.back()));
        }
    for (std::size_t row = 0; row < m_snapshot->tensors.size(); ++row) {
        const TensorRow& tensor = m_snapshot->tensors[row];
        if (!isTrainState(tensor.role))
            continue;
        result.state = saturatingSum(result.state, tensor.bytesInAll);
        if (const HostArray array = chunkOf(result, row); array.chunk && array.chunk->writes())
            result.written += array.bytes;
    }
    return result;
}

HostArray HostIndex::array(const HostShare& share, std::size_t row) const
{
    HostArray array = chunkOf(share, row);
    if (array.chunk)
        return array;
    // What the host's devices hold, where that is no chunk.
    const TensorRow& tensor = m_snapshot->tensors[row];
    if (share.positions.size() == m_hosts.size()) { // one host, which holds every shard
        array.shards.resize(static_cast<std::size_t>(tensor.layout.distinctShards()));
        std::iota(array.shards.begin(), array.shards.end(), std::int64_t{ 0 });
    } else {
        for (const std::int64_t position : share.positions)
            array.shards.push_back(tensor.layout.shardAt(position));
        std::sort(array.shards.begin(), array.shards.end());
        array.shards.erase(std::unique(array.shards.begin(), array.shards.end()), array.shards.end());
    }
    array.bytes = saturatingProduct(static_cast<std::int64_t>(array.shards.size()), tensor.bytesPerDevice);
    return array;
}

/// Its chunk with who writes it, or why there is none.
HostArray HostIndex::chunkOf(const HostShare& share, std::size_t row) const
{
    const TensorRow& tensor = m_snapshot->tensors[row];
    HostArray array{ row, tl::unexpected(Diagnostic{}), 0, isTrainState(tensor.role), {}, 1, {} };
    if (!share.chunker) {
        array.chunk = tl::unexpected(share.chunker.error());
        return array;
    }
    const LocalChunker& chunker = *share.chunker;
    array.chunk = chunker.chunk(tensor.type.shape, tensor.spec);
    if (!array.chunk)
        return array;
    Shape shape = tensor.type.shape;
    for (std::size_t dim = 0; dim < shape.size(); ++dim)
        if (const auto& range = array.chunk->slice[dim])
            shape[dim] = range->size();
    array.bytes = TensorType{ tensor.type.dtype, shape }.byteCount();
    // The writer is the host at chunk 0 of every axis that does not shard the array.
    const Mesh& mesh = *m_snapshot->mesh;
    MeshShape at(mesh.rank(), 0);
    for (const SpecEntry& entry : tensor.spec.entries)
        for (const std::string& name : entry.axes)
            if (const auto axis = mesh.axisIndex(name)) {
                at[*axis] = chunker.chunkId(*axis);
                array.writers *= chunker.chunks(*axis);
            }
    if (const auto writer = m_hostOfChunk.find(key(at)); writer != m_hostOfChunk.end())
        array.writer = writer->second;
    return array;
}

std::optional<HostBatch> HostIndex::batch(std::size_t index) const
{
    for (const TensorRow& tensor : m_snapshot->tensors) {
        if (tensor.role != Role::Input)
            continue;
        const auto dim = std::find(tensor.dimNames.begin(), tensor.dimNames.end(), "batch") - tensor.dimNames.begin();
        const auto d = static_cast<std::size_t>(dim);
        if (d >= tensor.dimNames.size() || d >= tensor.type.rank())
            continue;
        const SpecEntry axis = d < tensor.spec.size() ? tensor.spec.entries[d] : SpecEntry::none();
        const std::int64_t rows = tensor.type.shape[d];
        return HostBatch{ rows, axis, dataLayout(*m_snapshot->mesh, m_hosts, m_blocks[index].process, axis, rows) };
    }
    return std::nullopt;
}

} // namespace shardscope
