// SPDX-License-Identifier: GPL-3.0-or-later
// How the input pipeline is spread over the hosts of a mesh: T5X's get_data_layout of each.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mesh/host_block.h"
#include "report.h"
#include "rules/local_chunker.h"

namespace shardscope::cli {

/// One layout per block, in their order, for a batch of so many rows (0: one row per device along the data axes). The
/// data axes are those axes of the mesh that are called replica and data, in this order; without any of them every
/// host reads all.
///     replica 2 x data 2 x model 4, hosts of 4 devices along model, 32 rows: 4 shards, host 3 reads rows 24 to 31
/// Errors: those of Mesh::create() for the axes, LocalDevicesNotContiguous, BatchNotDivisibleByDataMesh,
/// BatchNotDivisibleByShards.
[[nodiscard]] Result<std::vector<DataLayout>> hostBatches(const DeviceArray& array,
    const std::vector<std::string>& names, std::span<const HostBlock> hosts, std::int64_t batch);

/// Members of T5X's DataLayout: `batch_size` (null where no axis has the batch and none is asked for), `shard_id`,
/// `num_shards`, `first_host_in_replica_set`.
[[nodiscard]] Json dataLayoutJson(const DataLayout& layout);

/// A row per host: the rows that it reads, the number of its shard, and whether it is the first of its replica set.
[[nodiscard]] Table hostBatchTable(std::span<const HostBlock> hosts, std::span<const DataLayout> layouts);

} // namespace shardscope::cli
