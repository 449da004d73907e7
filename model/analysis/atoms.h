// SPDX-License-Identifier: GPL-3.0-or-later
// What must stay in one shard: a head of attention, a head of keys and values, an expert. A dimension of a transformer
// that counts such units can be sharded at most as far as its size divides.
//
//     8 KV heads over the 16 devices along model   ->   E105, largest 8
//     12 heads over the 8 devices along model      ->   E105, largest 6
#pragma once

#include <cstdint>
#include <string_view>

#include "experiment/experiment.h"

namespace shardscope {

/// Whether a dimension of that name counts units: "heads", "kv_heads" and "expert" of a transformer.
[[nodiscard]] bool countsAtoms(const Experiment& experiment, std::string_view dimension);
/// The largest number of equal parts up to `partitions` into which `size` units can be put: at least 1.
/// largestParts(12, 8) is 6.
[[nodiscard]] std::int64_t largestParts(std::int64_t size, std::int64_t partitions);
/// E101 about a dimension that counts units as E105, with `largest`; any other diagnostic as it is.
[[nodiscard]] Diagnostic aboutAtoms(const Experiment& experiment, Diagnostic diagnostic);

} // namespace shardscope
