// SPDX-License-Identifier: GPL-3.0-or-later
// What `mesh` says of the devices of a machine and of the batch that its hosts read.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mesh/device_set.h"
#include "mesh/host_block.h"
#include "report.h"
#include "rules/local_chunker.h"

namespace shardscope::cli {

/// T5X's bounds_from_last_device: chips along x, y and z and cores of a chip, from the device that is listed last;
/// without coordinates the hosts and the devices of one.
///     tpu-v3:2x2: [2, 2, 1, 2]; gpu:2x8: [2, 8]
[[nodiscard]] Json boundsJson(const DeviceSet& set);

/// A list of every device in the order of listing: `device`, its number; `process`; of TPUs `coordinates` (x, y, z),
/// `core` and `slice` as well.
[[nodiscard]] Json deviceListJson(const DeviceSet& set);

/// The same as text: the bounds, and at most 64 devices as JAX prints them.
void printDeviceList(Console& console, const DeviceSet& set);

// How the input pipeline is spread over the hosts of a mesh: T5X's get_data_layout of each.

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
