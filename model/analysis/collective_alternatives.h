// SPDX-License-Identifier: GPL-3.0-or-later
// What could stand in place of a collective, and what each way would send.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "pipeline/collective_list.h"

namespace shardscope {

/// What could stand in place of a collective, the present one first, with what the whole step would send then.
struct CollectiveAlternative {
    enum class Kind : std::uint8_t {
        Keep, ///< as it is
        ScatterResult, ///< reduce_scatter in place of all_reduce: every device keeps a shard of the sum
        GatherOperands, ///< both operands full along the summed axes, so that nothing is left to add up
        OptimalReshard, ///< the sequence that sends the fewest bytes
        ShardyReshard, ///< Shardy's sequence, where that is not what there is
        GatherAndSlice, ///< all_gather everything, slice what is wanted
        ScatterReturned, ///< the same, in a manual computation that returns the sum: out_specs names the axes
        ReturnBlocks, ///< no all_gather: the manual computation returns its blocks, and out_specs names the axes
        ChangeSharding ///< another sharding for `value`, worked out by partitioning the program with it
    };
    Kind kind = Kind::Keep;
    Rational sentBytes; ///< per device and step, of what stands in this place
    /// Of the whole step, without the scalar loss: with this in place and all else as it is, or as tried out (`after`).
    std::optional<Rational> stepBytes;
    std::vector<Collective> steps; ///< once
    std::int64_t moreBytesHeld = 0; ///< per device, additionally; negative for less
    std::int64_t timesWork = 1; ///< as much is computed in this place; not worked out for ChangeSharding
    std::optional<TensorSharding> sharding; ///< the other sharding that `value` has then: ScatterResult, ChangeSharding
    ValueId value;
    std::optional<std::int64_t>
        stepMoreBytesHeld = {}; ///< per device, of all that main takes; where stepBytes is tried out
    bool allReshards = false; ///< stepBytes is that of a step of which every reshard sends the fewest bytes
    std::optional<Experiment> after = {}; ///< with that sharding, where the experiment can have it
    /// Of `after`, where rules change: the part of the model that has them for itself, "" for all of it.
    std::optional<std::string> rulesWithin = {};
};
/// Of entries[index]; steps of one reshard are one thing, and stand for all of them. Prices are computed: those of
/// reshards by the planners, those of a sum from the operation's operands and the sizes of their shards.
///
///     all_reduce over model of y W2 (8 x 1024, on {data=2, model=4}; y P(data, model), W2 P(model, -)):
///     Keep            2 * 3/4 * 16 KiB = 24 KiB
///     ScatterResult       3/4 * 16 KiB = 12 KiB, and what comes next has to take z sharded along a dimension by model,
///     or
///                     gathers it again: tried out on a program in a text
///     GatherOperands  3 * 4 KiB (y) + 3 * 1 MiB (W2)
///     ChangeSharding  W2 replicated, P(-, -): 3 * 4 KiB for y, and 3 MiB more on every device
[[nodiscard]] std::vector<CollectiveAlternative> alternatives(const CollectiveList& list, std::size_t index);
/// The same; other shardings are tried out as edits of the experiment, as far as it can have them, and have the bytes
/// of the whole step and of what main takes (those of the step with that edit, which may change other arrays as well: a
/// rule counts for all arrays that have its name). Takes an analysis for each: off the window's thread.
[[nodiscard]] std::vector<CollectiveAlternative> alternatives(
    const Snapshot& snapshot, const CollectiveList& list, std::size_t index, std::stop_token stop = {});

} // namespace shardscope
