// SPDX-License-Identifier: GPL-3.0-or-later
// What one host (JAX: process) holds and writes of an array, after T5X' LocalChunker.
//
// The devices of a host have to fill a block of the mesh. Counted in such blocks the mesh is a coarser one, and every
// host stands at one of its coordinates.
//
//     mesh {data=4, model=2}, host 1 has the devices at data 1: blocks of 1 x 2, chunks {data 4, model 1}, host 1 at
//     {data 1, model 0}. Of an array [16, 8] on (data, None) it holds rows 4 to 7, as replica 0: it writes them. Of one
//     on (None, model) it holds everything, as replica 1: host 0 writes it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sharding/layout.h"
#include "sharding/partition_spec.h"

namespace shardscope {

/// A host's part of one array.
struct LocalChunk {
    /// Per dimension of the array; absent = the full dimension.
    std::vector<std::optional<IndexRange>> slice;
    std::int64_t replica = 0; ///< among the hosts that hold the same slice
    /// Elements at the end of each dimension that belong to no host's slice: chunks have floor(size / chunks) elements.
    std::vector<std::int64_t> uncovered;

    /// One host of those with the same slice writes it to the checkpoint.
    [[nodiscard]] bool writes() const { return replica == 0; }
    bool operator==(const LocalChunk&) const = default;
};

struct HostBlock;

class LocalChunker {
public:
    /// Stands on no host yet.
    explicit LocalChunker(Mesh mesh)
        : m_mesh(std::move(mesh))
    {
    }
    /// On the host of that block of the mesh. Errors: LocalDevicesNotContiguous.
    [[nodiscard]] Result<void> moveTo(const HostBlock& block);
    /// `hosts`: the host of the device at each mesh position. Errors: NoLocalDevices, LocalDevicesNotContiguous.
    static Result<LocalChunker> create(const Mesh& mesh, std::span<const std::int32_t> hosts, std::int32_t host);

    [[nodiscard]] const Mesh& mesh() const { return m_mesh; }
    /// Chunks along an axis, and the one that this host stands in.
    [[nodiscard]] std::int64_t chunks(std::size_t axis) const { return m_chunks[axis]; }
    [[nodiscard]] std::int64_t chunkId(std::size_t axis) const { return m_ids[axis]; }

    /// Errors: UnknownAxis, TupleAxisNotSupported for a dimension sharded by several axes (T5X has none).
    [[nodiscard]] Result<LocalChunk> chunk(std::span<const std::int64_t> shape, const PartitionSpec& spec) const;
    /// The host's number along these axes, the first one major. Errors: UnknownAxis.
    [[nodiscard]] Result<std::int64_t> shardId(std::span<const std::string> axes) const;
    /// The host's number along all other axes of the mesh.
    [[nodiscard]] std::int64_t replicaId(std::span<const std::string> axes) const;

private:
    LocalChunker() = default;

    Mesh m_mesh;
    std::vector<std::int64_t> m_chunks;
    std::vector<std::int64_t> m_ids;
};

/// How the input pipeline is spread over hosts (T5X' DataLayout).
struct DataLayout {
    std::optional<std::int64_t> batchSize; ///< absent when none was asked for and no axis carries the batch
    std::int64_t shardId = 0; ///< of the data that this host reads
    std::int64_t shards = 1;
    bool firstHostInReplicaSet = true;
    bool operator==(const DataLayout&) const = default;
};

/// Devices along the data axes: what a batch has to divide by. Errors: UnknownAxis.
[[nodiscard]] Result<std::int64_t> dataMeshSize(const Mesh& mesh, const SpecEntry& dataAxis);
/// Hosts with different data. Errors: UnknownAxis.
[[nodiscard]] Result<std::int64_t> dataShards(const LocalChunker& chunker, const SpecEntry& dataAxis);
/// `dataAxis` None: one shard for all hosts. `batchSize` absent or 0: one example per device along the data axes.
/// Errors, in this order: UnknownAxis, BatchNotDivisibleByDataMesh, those of LocalChunker::create(),
/// BatchNotDivisibleByShards.
[[nodiscard]] Result<DataLayout> dataLayout(const Mesh& mesh, std::span<const std::int32_t> hosts, std::int32_t host,
    const SpecEntry& dataAxis, std::optional<std::int64_t> batchSize);
/// The same for a chunker that stands on `host`: many hosts without a pass over the mesh for each. Errors: UnknownAxis,
/// BatchNotDivisibleByDataMesh, BatchNotDivisibleByShards.
[[nodiscard]] Result<DataLayout> dataLayout(
    const LocalChunker& chunker, std::int32_t host, const SpecEntry& dataAxis, std::optional<std::int64_t> batchSize);

} // namespace shardscope
