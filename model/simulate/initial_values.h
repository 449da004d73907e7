// SPDX-License-Identifier: GPL-3.0-or-later
// Initial values that do not depend on the sharding: element i of the array at a path is a function of the seed, the
// path and i alone, by a counter-based generator. Any device can make its own shard without the rest.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "program/program.h"
#include "sharding/layout.h"

namespace shardscope {

/// Parameters: Xavier normal (variance 2 / (fan_in + fan_out)). Inputs: ones, as in the notebook. State: zeros.
struct InitialValues {
    std::uint64_t seed = 0;
    /// Given arrays (row-major, global) that replace the generated ones, by path.
    std::map<std::string, std::vector<double>> given;
    /// Inputs drawn from a standard normal distribution instead of ones.
    bool randomInputs = false;
};

/// The global element with row-major index `element` of an argument.
[[nodiscard]] double initialValue(
    const InitialValues& values, const Program& program, ValueId argument, std::int64_t element);
/// Fills a shard: `ranges` in global indices, row-major within the shard, `out` of the value's local size.
void fillShard(const InitialValues& values, const Program& program, ValueId argument,
    std::span<const IndexRange> ranges, std::span<double> out);

} // namespace shardscope
