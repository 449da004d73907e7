// SPDX-License-Identifier: GPL-3.0-or-later
// On how many devices a program runs by what its module says, where it names no mesh.
#pragma once

#include <cstdint>

#include "program/program.h"

namespace shardscope {

/// StableHLO numbers devices by replica and partition: device = replica * partitions + partition.
struct DeviceCounts {
    std::int64_t replicas = 1, partitions = 1;
    [[nodiscard]] std::int64_t all() const { return replicas * partitions; }
};

/// Operations by which devices exchange values, or that ask which device it is.
[[nodiscard]] bool isExchange(OpKind kind);
/// As the attributes mhlo.num_replicas and mhlo.num_partitions count them; one without these, or where there would be
/// more than 65536.
[[nodiscard]] DeviceCounts statedDevices(const Program& program);
/// Of a program that each device runs: the devices that its collectives and partition_id address by number, as
/// statedDevices() counts them; one where it has no such operation.
[[nodiscard]] DeviceCounts addressedDevices(const Program& program);
/// Whether it is what each of several devices runs: it names no mesh, and addresses the others by their numbers.
[[nodiscard]] bool isOfOneDevice(const Program& program);

} // namespace shardscope
