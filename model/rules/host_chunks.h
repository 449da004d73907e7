// SPDX-License-Identifier: GPL-3.0-or-later
// What every host holds of an array and writes to a checkpoint, as T5X has it.
//
//     mesh {data=4, model=2} on 4 hosts, [18, 8] on (data, None): host 1 holds rows 4 to 7; rows 16 and 17 are in no
//     host's chunk, since 18 does not divide into 4 chunks
#pragma once

#include "rules/local_chunker.h"

namespace shardscope {

struct HostChunk {
    std::int32_t host = 0;
    LocalChunk chunk;
};

struct HostChunks {
    std::vector<HostChunk> hosts; ///< by number
    std::vector<Diagnostic> truncated; ///< ChunkTruncated, by dimension
};

/// Devices go to hosts by id, as many to each. One pass over the mesh, whatever the number of hosts. Errors:
/// DevicesMismatch where the hosts do not divide the devices, OutOfRange for device ids beyond their number,
/// LocalDevicesNotContiguous, and those of LocalChunker::chunk().
[[nodiscard]] Result<HostChunks> hostChunks(
    const Mesh& mesh, std::int64_t hosts, std::span<const std::int64_t> shape, const PartitionSpec& spec);

} // namespace shardscope
