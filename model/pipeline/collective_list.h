// SPDX-License-Identifier: GPL-3.0-or-later
// All collectives of a step in one list, whatever program they come from: what is sent, how often, for which value and
// why; and what could stand in place of each.
//
//     the MLP of the notebook (8 x 1024, four layers) on {data=2, model=4}:
//     entries[0]  all_reduce over model, 2 groups of 4, for layers.0/z: every device sends 2 * 3/4 * 16 KiB = 24 KiB;
//                 ReducedFactor, the product with W2 sums over hidden, which model shards
//     sums(list, CollectiveKey::Axes)[0]  { "data", 8 collectives, 8,388,608 bytes }
//
// Bytes are those of the ring model (partition/collective.h), per device, as rational numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "partition/partition_program.h"
#include "pipeline/snapshot.h"

namespace shardscope {

/// A value as an operation reads it.
struct HeldOperand {
    ValueId value;
    TensorSharding sharding;
};

/// What devices read of each other's blocks along a dimension of a value, in elements.
struct HaloSide {
    std::size_t dimension = 0;
    std::int64_t before = 0, behind = 0; ///< the device's own block, at most
    bool operator==(const HaloSide&) const = default;
};

/// Result `result` of a manual computation.
struct ManualResult {
    OperationId computation;
    std::size_t result = 0;
};

struct CollectiveEntry {
    CollectiveKind kind = CollectiveKind::AllReduce;
    AxisList axes; ///< that it runs over, in mesh order; empty where the program names groups that no axes make
    std::int64_t groupSize = 1; ///< devices of a group
    std::int64_t groupCount = 1;
    Rational sentBytes; ///< per device, once
    std::int64_t times = 1; ///< per step: the trips of the loops around it, over all calls of its function
    bool timesKnown = true; ///< false: a loop around it has trips that nobody can tell before it runs; they count once
    bool conditional = false; ///< stands in a branch, and is counted as if that were taken
    bool scalarLoss = false; ///< adds up the loss, or a scalar behind it; reports leave it out of sums
    /// Of CollectiveList::program: the value that it works for; where that has no path and a constraint names it, what
    /// the constraint gives.
    ValueId value;
    std::optional<Reason> reason; ///< absent: the program itself says so
    std::string scope; ///< of the operation behind it, "layers.0/mlp"; "" where it has none
    TensorType type; ///< global; within a manual computation, of what is held along its manual axes
    TensorSharding before, after; ///< of `value`; `before` is unreduced over what a reduction adds up

    // What views and reports need beyond that.
    Collective collective; ///< kind, axes and dimensions in full
    MeshPtr mesh; ///< never null; whose axes these are
    std::vector<std::vector<std::int64_t>> writtenGroups; ///< device ids, where the program itself names groups
    std::vector<std::vector<std::int64_t>> writtenPairs; ///< sender and receiver, where the program permutes itself
    MeshPtr meshBefore; ///< that of `before`, where data goes to another order of devices; else null
    std::optional<ManualResult> result; ///< of an exchange of the program itself: what it gives is that and no more
    std::vector<HeldOperand> operands; ///< of the operation that left the parts which a reduction adds up
    OperationId operation; ///< of CollectiveList::sharded: the collective; for a halo the operation that reads it
    std::vector<HaloSide> halos; ///< of Reason::Kind::Halo: the dimensions along which strips are sent
    Rational gatheredBytes; ///< likewise: what a device would send for having these dimensions in full

    [[nodiscard]] Rational sentPerStep() const { return sentBytes * Rational(times); }
};

struct CollectiveList {
    /// What value and reason.operation speak of. Of a network its own program. Of a text the program after
    /// partitioning: values of the snapshot's program stand in there under the same ids, and copies of them have the
    /// same paths.
    ProgramPtr program;
    std::shared_ptr<const ShardedProgram> sharded; ///< what operation and result speak of
    MeshPtr mesh;
    std::vector<CollectiveEntry> entries; ///< in order of execution; number N of users is entries[N - 1]
};

/// Bytes of the largest shard.
[[nodiscard]] std::int64_t localBytes(const TensorType& type, const TensorSharding& sharding);
/// Replica groups as device ids, as partitioning writes them; of a collective_permute: the devices among which data
/// moves.
[[nodiscard]] std::vector<std::vector<std::int64_t>> replicaGroups(const CollectiveEntry& entry, const Mesh& mesh);

/// Whether devices send each other anything by it: an all_slice only slices what each of them holds.
[[nodiscard]] bool isExchange(const CollectiveEntry& entry);
/// Of a collective_permute: sender and receiver, of the devices that send to another one. None where it is made of
/// several.
[[nodiscard]] std::vector<std::vector<std::int64_t>> sentPairs(const CollectiveEntry& entry);

enum class CollectiveKey : std::uint8_t { Kind, Axes, Layer };
struct CollectiveSum {
    std::string key; ///< "all_reduce"; "data, model:(1)2"; "layers.0", "" for no layer
    std::int64_t collectives = 0, timesPerStep = 0;
    Rational sent; ///< per device and step
};
/// "all_reduce", "data, model", "layers.0": what sums() puts an entry under.
[[nodiscard]] std::string keyOf(const CollectiveEntry& entry, CollectiveKey key);
/// Sums of all exchanges by one key, the largest first, without the scalar loss.
[[nodiscard]] std::vector<CollectiveSum> sums(const CollectiveList& list, CollectiveKey key);
/// Of the whole step, per device; the scalar loss apart.
[[nodiscard]] SentBytes sentBytes(const CollectiveList& list);

/// The snapshot's own list; where it has none yet, by partitioning the program with the experiment's shardings and
/// strategy, which takes a while (seconds for a large program: call it off the window's thread). Errors: the
/// snapshot's first, where it has no layout; those of partitioning.
/// When stopped, a list without program.
[[nodiscard]] Result<CollectiveList> collectivesOf(const Snapshot& snapshot, std::stop_token stop = {});

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
