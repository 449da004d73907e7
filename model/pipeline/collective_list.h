// SPDX-License-Identifier: GPL-3.0-or-later
// All collectives of a step in one list, whatever program they come from: what is sent, how often, for which value and
// why.
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
#include <string>
#include <string_view>
#include <vector>

#include "partition/partition_program.h"
#include "pipeline/snapshot.h"

namespace shardscope {

/// A value as an operation reads it.
struct OperandSharding {
    ValueId value;
    TensorSharding sharding;
    ValueId partOf; ///< as CollectiveEntry::partOf
};

/// What devices read of each other's blocks along a dimension of a value, in elements.
struct HaloSide {
    std::size_t dimension = 0;
    std::int64_t before = 0, after = 0; ///< the device's own block, at most
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
    bool inSums = true; ///< false: another branch of the same conditional sends more, and sums count that
    bool scalarLoss = false; ///< adds up the loss, or a scalar that follows from it; reports leave it out of sums
    /// Of CollectiveList::program: the value that it works for; where that has no path and a constraint names it, what
    /// the constraint gives.
    ValueId value;
    ValueId partOf; ///< likewise: the named array that `value` is a part of (program/array_parts.h); invalid for none
    std::optional<Reason> reason; ///< absent: the program itself says so
    std::string scope; ///< of the operation that it comes from, "layers.0/mlp"; "" where it has none
    std::string operationName; ///< of that operation, as its location has it: "jit(step)/layers.0/mlp/dot_general"
    std::string source; ///< likewise, "train.py:38"
    TensorType type; ///< global; within a manual computation, of what is held along its manual axes
    TensorSharding before, after; ///< of `value`; `before` is unreduced over what a reduction adds up

    // What views and reports need beyond that.
    Collective collective; ///< kind, axes and dimensions in full
    MeshPtr mesh; ///< never null; whose axes these are
    std::vector<std::vector<std::int64_t>> declaredGroups; ///< device ids, where the program itself names groups
    std::vector<std::vector<std::int64_t>> declaredPairs; ///< sender and receiver, where the program permutes itself
    MeshPtr meshBefore; ///< that of `before`, where data goes to another order of devices; else null
    std::optional<ManualResult> result; ///< of an exchange of the program itself: what it gives is that and no more
    std::vector<OperandSharding> operands; ///< of the operation that left the parts which a reduction adds up
    OperationId operation; ///< of CollectiveList::sharded: the collective; for a halo the operation that reads it
    std::vector<HaloSide> halos; ///< of Reason::Kind::Halo: the dimensions along which strips are sent
    bool haloOfAll = false; ///< likewise: every device sends a strip in each round, also those at the ends
    Rational gatheredBytes; ///< likewise: what a device would send for having these dimensions in full

    [[nodiscard]] Rational sentPerStep() const { return sentBytes * Rational(times); }
};

struct CollectiveList {
    /// What value and reason.operation speak of: the program after partitioning. Values and operations of the
    /// snapshot's program stand in there under the same ids, and copies of them have the same paths.
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

/// Whether every device sends what the entry says, if it runs: a collective_permute may leave devices out, or have them
/// keep what they have, a collective_broadcast has a last receiver, those at the ends of an axis have neighbours on one
/// side alone, and groups of the program itself may be smaller than others.
[[nodiscard]] bool allSend(const CollectiveEntry& entry);
/// Of all entries; none may stand in a branch.
[[nodiscard]] bool allSend(const CollectiveList& list);

/// Why it is there: "reduced_factor", "operand_reshard", ...; "program" where that has the collective itself.
[[nodiscard]] std::string_view causeId(const CollectiveEntry& entry);

enum class CollectiveKey : std::uint8_t { Kind, Axes, Layer, Source };
struct CollectiveSum {
    std::string key; ///< "all_reduce"; "data, model:(1)2"; "layers.0", "" for no layer; "train.py:38", "" for no line
    std::int64_t collectives = 0, timesPerStep = 0;
    Rational sent; ///< per device and step
};
/// "data, model:(1)2"
[[nodiscard]] std::string namesOf(const AxisList& axes, const Mesh& mesh);
/// "all_reduce", "data, model", "layers.0", "train.py:38": what sums() puts an entry under.
[[nodiscard]] std::string keyOf(const CollectiveEntry& entry, CollectiveKey key);
/// Sums of all exchanges by one key, the largest first, without the scalar loss. Of branches that which sends most.
[[nodiscard]] std::vector<CollectiveSum> sums(const CollectiveList& list, CollectiveKey key);
/// Of the whole step, per device; the scalar loss apart. Of branches that which sends most.
[[nodiscard]] SentBytes sentBytes(const CollectiveList& list);

/// The snapshot's own list; where it has none yet, by partitioning the program with the experiment's shardings and
/// strategy, which takes a while (seconds for a large program: call it off the window's thread). Errors: the
/// snapshot's first, where it has no layout; those of partitioning.
[[nodiscard]] Result<std::shared_ptr<const CollectiveList>> collectivesOf(
    const Snapshot& snapshot, bool optimalReshards = false);

} // namespace shardscope
