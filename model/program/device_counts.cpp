// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/device_counts.h"

#include <algorithm>
#include <charconv>

#include "program/over_mesh.h"

namespace shardscope {

bool isExchange(OpKind kind)
{
    return kind == OpKind::PartitionId || kind == OpKind::ReplicaId || isCollective(kind);
}

DeviceCounts statedDevices(const Program& program)
{
    constexpr std::int64_t most = 65536;
    DeviceCounts counts;
    for (const NamedText& entry : program.dictionaries[program.extra])
        if (entry.name == "mhlo.num_partitions" || entry.name == "mhlo.num_replicas") {
            std::int64_t count = 1;
            (void)std::from_chars(entry.text.data(), entry.text.data() + entry.text.size(), count);
            (entry.name == "mhlo.num_replicas" ? counts.replicas : counts.partitions) =
                std::max<std::int64_t>(count, 1);
        }
    return saturatingProduct(counts.replicas, counts.partitions) <= most ? counts : DeviceCounts();
}

DeviceCounts addressedDevices(const Program& program)
{
    return std::any_of(program.operations.begin(), program.operations.end(),
               [](const Operation& operation) { return isExchange(operation.kind); })
        ? statedDevices(program)
        : DeviceCounts();
}

bool isOfOneDevice(const Program& program)
{
    return !mainMesh(program) && addressedDevices(program).all() > 1;
}

} // namespace shardscope
