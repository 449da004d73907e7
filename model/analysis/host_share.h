// SPDX-License-Identifier: GPL-3.0-or-later
// What each host has of an experiment: its devices, its chunk of every array, what it writes to a checkpoint, and which
// rows of the batch it reads. As T5X's LocalChunker and data layout count.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "mesh/device_places.h"
#include "mesh/host_block.h"
#include "pipeline/snapshot.h"
#include "rules/local_chunker.h"

namespace shardscope {

/// A host's part of one array.
struct HostArray {
    std::size_t row = 0; ///< in Snapshot::tensors
    Result<LocalChunk> chunk; ///< or why there is none: TupleAxisNotSupported
    std::int64_t bytes = 0; ///< of the chunk, or of those shards
    bool inCheckpoint = false; ///< part of the train state
    /// The host that writes the same chunk: this one, or another with the same chunk. Absent without a chunk.
    std::optional<std::int32_t> writer;
    std::int64_t writers = 1; ///< hosts that write a chunk of the array, each its own
    std::vector<std::int64_t>
        shards = {}; ///< those that its devices hold, ascending, where the host has no chunk of it
};

struct HostShare {
    std::int32_t host = 0;
    std::vector<std::int32_t> devices; ///< in the order of mesh positions
    HostBlock block;
    std::vector<std::int64_t> positions; ///< mesh positions of `devices`, ascending
    /// Or LocalDevicesNotContiguous: the host has no chunk of anything, but shards of every array.
    Result<LocalChunker> chunker;
    std::int64_t written = 0; ///< bytes of the train state that this host writes
    std::int64_t state = 0; ///< bytes of the train state in all
};

/// How the batch is split over hosts.
struct HostBatch {
    std::int64_t rows = 0; ///< of the global batch
    SpecEntry dataAxis; ///< mesh axes that shard it
    Result<DataLayout> layout;
    /// The rows that the host reads.
    [[nodiscard]] IndexRange range() const
    {
        const std::int64_t part = layout ? rows / layout->shards : 0;
        return { part * (layout ? layout->shardId : 0), part * ((layout ? layout->shardId : 0) + 1) };
    }
};

class HostIndex {
public:
    /// The snapshot is laid out. One pass over the mesh.
    explicit HostIndex(SnapshotPtr snapshot);

    [[nodiscard]] const Snapshot& snapshot() const { return *m_snapshot; }
    [[nodiscard]] const DevicePlaces& places() const { return m_places; }
    /// Blocks of all hosts, by process.
    [[nodiscard]] const std::vector<HostBlock>& blocks() const { return m_blocks; }
    /// `index` counts blocks(). One pass over the mesh, one over the train state.
    [[nodiscard]] HostShare of(std::size_t index) const;
    /// The host's part of the array in a row of Snapshot::tensors: at most linear in the devices of the host.
    [[nodiscard]] HostArray array(const HostShare& share, std::size_t row) const;
    /// Absent when no input has a dimension "batch".
    [[nodiscard]] std::optional<HostBatch> batch(std::size_t index) const;

private:
    [[nodiscard]] HostArray chunkOf(const HostShare& share, std::size_t row) const;
    [[nodiscard]] std::int64_t key(const MeshShape& chunks) const;
    SnapshotPtr m_snapshot;
    DevicePlaces m_places;
    std::vector<std::int32_t> m_hosts; ///< by mesh position
    std::vector<HostBlock> m_blocks;
    std::unordered_map<std::int64_t, std::int32_t> m_hostOfChunk;
};

} // namespace shardscope
