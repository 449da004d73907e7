// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/host_share.h"

#include <algorithm>
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
    HostShare result;
    result.block = m_blocks[index];
    result.host = result.block.process;
    const Mesh& mesh = *m_snapshot->mesh;
    std::vector<std::int64_t> positions;
    for (std::size_t position = 0; position < m_hosts.size(); ++position)
        if (m_hosts[position] == result.host) {
            positions.push_back(static_cast<std::int64_t>(position));
            result.devices.push_back(mesh.deviceAt(positions.back()));
        }
    // What the host's devices hold of an array, where that is no chunk.
    const auto holdShards = [&](HostArray& array, const TensorRow& tensor) {
        for (const std::int64_t position : positions)
            array.shards.push_back(tensor.layout.shardAt(position));
        std::sort(array.shards.begin(), array.shards.end());
        array.shards.erase(std::unique(array.shards.begin(), array.shards.end()), array.shards.end());
        array.bytes = saturatingProduct(static_cast<std::int64_t>(array.shards.size()), tensor.bytesPerDevice);
    };
    const Result<LocalChunker> chunker = LocalChunker::create(mesh, m_hosts, result.host);
    if (!chunker) {
        result.problem = chunker.error();
        for (std::size_t row = 0; row < m_snapshot->tensors.size(); ++row) {
            const TensorRow& tensor = m_snapshot->tensors[row];
            HostArray array{ row, tl::unexpected(chunker.error()), 0, isTrainState(tensor.role), {}, 1, {} };
            holdShards(array, tensor);
            if (array.inCheckpoint)
                result.state = saturatingSum(result.state, tensor.bytesInAll);
            result.arrays.push_back(std::move(array));
        }
        return result;
    }
    for (std::size_t row = 0; row < m_snapshot->tensors.size(); ++row) {
        const TensorRow& tensor = m_snapshot->tensors[row];
        HostArray array{ row, chunker->chunk(tensor.type.shape, tensor.spec), 0, isTrainState(tensor.role), {}, 1, {} };
        if (array.inCheckpoint)
            result.state = saturatingSum(result.state, tensor.bytesInAll);
        if (array.chunk) {
            Shape shape = tensor.type.shape;
            for (std::size_t dim = 0; dim < shape.size(); ++dim)
                if (const auto& range = array.chunk->slice[dim])
                    shape[dim] = range->size();
            array.bytes = TensorType{ tensor.type.dtype, shape }.byteCount();
            // The writer is the host at chunk 0 of every axis that does not shard the array.
            MeshShape at(mesh.rank(), 0);
            for (const SpecEntry& entry : tensor.spec.entries)
                for (const std::string& name : entry.axes)
                    if (const auto axis = mesh.axisIndex(name)) {
                        at[*axis] = chunker->chunkId(*axis);
                        array.writers *= chunker->chunks(*axis);
                    }
            if (const auto writer = m_hostOfChunk.find(key(at)); writer != m_hostOfChunk.end())
                array.writer = writer->second;
            if (array.inCheckpoint && array.chunk->writes())
                result.written += array.bytes;
        } else {
            holdShards(array, tensor);
        }
        result.arrays.push_back(std::move(array));
    }
    return result;
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
