// SPDX-License-Identifier: GPL-3.0-or-later
// Two analyses side by side: A, what is compared with, and B. Settings first, then what follows of them.
//
//     A: the MLP of the notebook on data=2, model=4;  B: the same on data=4, model=2
//     inputs        /mesh/axes/0/1  2  4;  /mesh/axes/1/1  4  2
//     held          Parameter  8 MiB  16 MiB;  Gradient, Mu and Nu likewise
//     sent          data  8 MiB  24 MiB;  model  168 KiB  56 KiB, of 8 rows
//     largest       State, 32 MiB  64 MiB, sharded 2 ways instead of 4, by the mesh
//
// Mesh axes that have other names and are alike otherwise are one axis, with the name that B has for it.
//
// Arrays are matched by path, collectives by kind, cause and mesh axes, operations by path or, where they have none, by
// kind and types, problems by code and place. What both have alike is not listed, sums are. Bytes are those of one
// device; sent ones are of one step, without the scalar loss.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "comparison/compared_program.h"
#include "comparison/sent_cause.h"
#include "experiment_file/differences.h"
#include "partition/reason.h"
#include "pipeline/collective_list.h"
#include "pipeline/snapshot.h"
#include "schedule/plan.h"

namespace shardscope {

/// A mesh axis that has another name in B: of all axes larger than 1 there are as many, of the same sizes in the same
/// order. Where both meshes have both names it is another axis: data=8, fsdp=1 is not data=1, fsdp=8.
struct RenamedAxis {
    std::string before, after;
    std::int64_t size = 1;
    bool operator==(const RenamedAxis&) const = default;
};

/// An array that one of them lacks, or that is sharded, copied, typed or placed otherwise, or takes other bytes.
struct ComparedArray {
    std::string path;
    Role role = Role::Temporary;
    std::optional<std::size_t> before, after; ///< rows of Snapshot::tensors; one of them at least
    std::int64_t bytesBefore = 0, bytesAfter = 0; ///< per device
};

/// What a device holds of all arrays of one role, in its own memory, when it holds all of them.
struct ComparedRole {
    Role role = Role::Parameter;
    std::int64_t bytesBefore = 0, bytesAfter = 0;
};

/// What a device holds at its peak for one owner.
struct ComparedOwner {
    Owner owner = Owner::Parameters;
    std::int64_t bytesBefore = 0, bytesAfter = 0;
};

/// All exchanges of one kind, for one cause, along the same axes.
struct ComparedCollectives {
    CollectiveKind kind = CollectiveKind::AllReduce;
    std::optional<Reason::Kind> cause; ///< absent: the program has them itself
    std::string axes; ///< "data, model"; by the names that B has
    std::int64_t timesBefore = 0, timesAfter = 0; ///< in a step
    Rational sentBefore, sentAfter;
    std::int64_t groupBefore = 0, groupAfter = 0; ///< devices of a group; 0 where there are several sizes, or none
    /// One of them, in the list of the snapshot that has them: of `after` if both do.
    std::size_t example = 0;
    bool operator==(const ComparedCollectives&) const = default;
    /// Only one side has them.
    [[nodiscard]] bool isAdded() const { return timesBefore == 0; }
    [[nodiscard]] bool isGone() const { return timesAfter == 0; }
    [[nodiscard]] bool isChanged() const { return timesBefore != timesAfter || !(sentBefore == sentAfter); }
};

/// All that is sent along the same axes.
struct ComparedAxes {
    std::string axes;
    Rational sentBefore, sentAfter;
};

/// A problem that one of them has and the other one lacks.
struct ComparedProblem {
    Diagnostic problem;
    bool isGone = false; ///< of A; else of B
};

/// A time that was measured.
struct StepTime {
    double mean = 0, deviation = 0; ///< seconds per step
    bool operator==(const StepTime&) const = default;
};

/// What differs most in bytes per device, and why.
struct LargestDifference {
    enum class What : std::uint8_t {
        Nothing,
        State, ///< parameters, gradients and moments, where several of these roles differ
        Role, ///< the one of them that differs
        Owner, ///< activations or buffers, at the peak
        Sent
    };
    What what = What::Nothing;
    Role role = Role::Parameter; ///< of Role
    Owner owner = Owner::Activations; ///< of Owner
    std::string axes; ///< of Sent
    double before = 0, after = 0; ///< bytes per device; per step for Sent
    /// Of State and Role: the number of shards of every array that differs; absent where these arrays do not all have
    /// the same.
    std::optional<std::int64_t> shardsBefore, shardsAfter;
    /// Their sizes in all, where these differ: then it is not the sharding alone.
    std::optional<std::int64_t> inAllBefore, inAllAfter;
    /// Of Sent: why, by the collectives of the kind that make up most of it; absent where that is no half of it.
    std::optional<SentCause> cause;
    /// The settings that differ, the first kind of these. None: it follows from what is no setting.
    enum class By : std::uint8_t { None, Mesh, Rules, Model, Other };
    By by = By::None;
};

struct SnapshotComparison {
    SnapshotPtr before, after; ///< A and B; never null
    std::vector<RenamedAxis> renamed; ///< in the order of the mesh
    std::vector<SettingDifference> inputs;
    std::vector<ComparedArray> arrays; ///< that are not alike, in the order of B; those that A alone has follow
    std::vector<ComparedRole> held; ///< parameters, gradients, moments; those that either has
    std::int64_t stateBefore = 0, stateAfter = 0; ///< their sum
    std::vector<ComparedOwner> peak; ///< those that either has, where both have a plan; else none
    std::optional<std::int64_t> peakBefore, peakAfter; ///< absent where no step can run
    std::vector<ComparedCollectives> collectives; ///< alike or not, the largest difference of bytes first
    std::vector<ComparedAxes> sent; ///< the same by axes alone, alike or not; none where a list is missing
    std::optional<Rational> sentBefore, sentAfter; ///< in all; absent where no step can run
    ComparedProgram program;
    std::vector<ComparedProblem> problems; ///< what came, then what is gone
    std::optional<StepTime> timeBefore, timeAfter;
    LargestDifference largest;

    /// No setting, array, collective, operation or problem differs; times may.
    [[nodiscard]] bool nothing() const;
};

/// Linear in arrays, collectives, operations and problems, but for sorting. Takes what the snapshots have: collectives
/// and memory of one that was analysed up to propagation alone are absent.
[[nodiscard]] SnapshotComparison compareSnapshots(SnapshotPtr before, SnapshotPtr after,
    std::optional<StepTime> timeBefore = {}, std::optional<StepTime> timeAfter = {});

} // namespace shardscope
