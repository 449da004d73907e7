// SPDX-License-Identifier: GPL-3.0-or-later
// An experiment in MaxText's keys: mesh and rules, and of a transformer its sizes, batch, types, rematerialisation and
// optimizer. Comments say what MaxText has no key for. Keys are those of its configs/base.yml of August 2026.
//
//     mesh_axes: ['data', 'fsdp', 'tensor']
//     ici_fsdp_parallelism: 4
//     per_device_batch_size: 2
//     remat_policy: 'full'
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/snapshot.h"

namespace shardscope {

enum class MaxTextStyle : std::uint8_t {
    Yaml, ///< a configuration that goes over base.yml
    Flags, ///< the same as words of the command line, in an array of bash; lists are left to the configuration
};

/// Logical names of the experiment's rules that the rules of MaxText's own configurations of August 2026 do not have:
/// its model annotates nothing with them. Each once, in the order of the rules.
[[nodiscard]] std::vector<std::string> namesUnknownToMaxText(const LogicalRules& rules);

/// A comment alone where the experiment has no mesh.
[[nodiscard]] std::string maxTextCode(const Snapshot& snapshot, MaxTextStyle style);

} // namespace shardscope
