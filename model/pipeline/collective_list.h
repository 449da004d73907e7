// SPDX-License-Identifier: GPL-3.0-or-later
// The collectives of one step in order of execution, for networks and for programs read from a text alike. Each entry
// says what is sent, how often per step, for which value and why.
//
//     The notebook's MLP (batch 8, embed 1024, four layers) on the mesh data=2, model=4:
//     entries[0]  all_reduce over model, 2 groups of 4 devices, for layers.0/z, whose shard f32[4, 1024] is 16 KiB:
//                 every device sends 2 * 3/4 * 16 KiB = 24 KiB. The reason is ReducedFactor: the product with W2 sums
//                 over hidden, which model shards, so that each device holds partial sums.
//     sums(list, CollectiveKey::Axes)[0]  { "data", 8 collectives, 8,388,608 bytes }
//
// All bytes are per device, by the ring model (partition/collective.h), and exact: rational numbers.
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

/// An operand and the sharding that it has where the operation reads it.
struct OperandSharding {
    ValueId value;
    TensorSharding sharding;
    ValueId partOf; ///< as CollectiveEntry::partOf
};

/// A halo: how many elements of its neighbours' blocks a device reads along a dimension, such as 1 before and 1 after
/// its own block for a convolution with a window of 3. The largest numbers of any device.
struct HaloSide {
    std::size_t dimension = 0;
    std::int64_t before = 0, after = 0;
    bool operator==(const HaloSide&) const = default;
};

/// Result `result` of a manual computation.
struct ManualResult {
    OperationId computation;
    std::size_t result = 0;
};

struct CollectiveEntry {
    CollectiveKind kind = CollectiveKind::AllReduce;
    /// The mesh axes that it runs over, in mesh order. Empty where the program lists groups of devices that do not
    /// follow from mesh axes.
    AxisList axes;
    std::int64_t groupSize = 1; ///< devices of a group
    std::int64_t groupCount = 1;
    Rational sentBytes; ///< per device, once
    /// How often it runs in a step: the product of the trip counts of the loops around it, added up over all calls of
    /// its function. A loop of unknown trip count counts as one trip; timesKnown is false then.
    std::int64_t times = 1;
    bool timesKnown = true;
    bool conditional = false; ///< is in a branch; `times` counts as if that branch were taken
    bool inSums = true; ///< false: another branch of the same conditional sends more, and sums count only that one
    bool scalarLoss = false; ///< reduces the loss, or a scalar computed from it; reports leave it out of sums
    /// The value that it exchanges, of CollectiveList::program. Where that value has no path but a constraint of it
    /// has, the constraint's result.
    ValueId value;
    /// The named array that `value` is a part of (program/array_parts.h), such as qkv of q; invalid for none.
    ValueId partOf;
    std::optional<Reason> reason; ///< absent: the program itself contains the collective
    // Of the operation that it was inserted for; "" where the program does not say:
    std::string scope; ///< "layers.0/mlp"
    std::string operationName; ///< from its location: "jit(step)/layers.0/mlp/dot_general"
    std::string source; ///< "train.py:38"
    TensorType type; ///< global; in a manual computation local along the manual axes and global along the others
    /// Of `value`. Before a reduction it is unreduced over the axes that the reduction adds up.
    TensorSharding before, after;
    AxisList manualAxes; ///< in a manual computation: those along which every device has an array of its own

    // What views and reports need beyond that.
    Collective collective; ///< kind, axes and dimensions in full
    MeshPtr mesh; ///< of `axes` and of the shardings; never null
    // Of a collective that the program itself contains:
    std::vector<std::vector<std::int64_t>> declaredGroups; ///< its replica groups as device ids
    std::vector<std::vector<std::int64_t>> declaredPairs; ///< of a collective_permute: { sender, receiver }
    std::optional<ManualResult> result; ///< the result of a manual computation that it only produces
    MeshPtr meshBefore; ///< the mesh of `before`, where that has the devices in another order; else null
    std::vector<OperandSharding> operands; ///< of a reduction: operands of the operation that gives the partial sums
    OperationId operation; ///< in CollectiveList::sharded: the collective; of a halo the operation that reads it
    // Of Reason::Kind::Halo:
    std::vector<HaloSide> halos; ///< the dimensions along which devices send to their neighbours
    bool haloOfAll = false; ///< every device sends in each round, those at the two ends of the axis too
    Rational gatheredBytes; ///< what a device would send if these dimensions were gathered instead

    [[nodiscard]] Rational sentPerStep() const { return sentBytes * Rational(times); }
};

struct CollectiveList {
    /// The program after partitioning, to which `value`, `partOf` and reason.operation belong. Values and operations of
    /// the snapshot's program have the same ids in it, and copies of them have the same paths.
    ProgramPtr program;
    std::shared_ptr<const ShardedProgram> sharded; ///< to which `operation` and `result` belong
    MeshPtr mesh;
    std::vector<CollectiveEntry> entries; ///< in order of execution; collective N on screen is entries[N - 1]
};

/// Bytes of the largest shard.
[[nodiscard]] std::int64_t localBytes(const TensorType& type, const TensorSharding& sharding);
/// Replica groups as device ids, one list per group. Of a collective_permute: devices that exchange data with each
/// other are one group.
[[nodiscard]] std::vector<std::vector<std::int64_t>> replicaGroups(const CollectiveEntry& entry, const Mesh& mesh);

/// Whether devices send each other data: all kinds but all_slice, by which each device takes a slice of what it holds.
[[nodiscard]] bool isExchange(const CollectiveEntry& entry);
/// Of a collective_permute: { sender, receiver } of every device that sends to another one. Empty where it takes
/// several permutes.
[[nodiscard]] std::vector<std::vector<std::int64_t>> sentPairs(const CollectiveEntry& entry);

/// Whether every device sends sentBytes whenever the collective runs. Not so where a collective_permute has devices
/// that send nothing, for the last receiver of a collective_broadcast, for a halo at the ends of an axis, and where the
/// program's own groups differ in size.
[[nodiscard]] bool allSend(const CollectiveEntry& entry);
/// Whether that holds for all entries, and none of them is in a branch.
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
/// Exchanges added up by one key, the largest sum first; without the scalar loss. Of a conditional, the branch that
/// sends most counts.
[[nodiscard]] std::vector<CollectiveSum> sums(const CollectiveList& list, CollectiveKey key);
/// Bytes of the step, per device, with those for the scalar loss in a figure of their own. Of a conditional, the branch
/// that sends most counts.
[[nodiscard]] SentBytes sentBytes(const CollectiveList& list);

/// The snapshot's list. Where it has none yet the program is partitioned with the experiment's shardings and strategy,
/// which takes seconds for a large program: not for the window's thread. Errors: the first of the snapshot where it has
/// no layout; those of partitioning.
[[nodiscard]] Result<std::shared_ptr<const CollectiveList>> collectivesOf(
    const Snapshot& snapshot, bool optimalReshards = false);

} // namespace shardscope
