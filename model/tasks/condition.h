// SPDX-License-Identifier: GPL-3.0-or-later
// What a task asks of an experiment, condition by condition: each is a predicate over an analysis, with the figure that
// it compares.
//
//     the MLP of the notebook on {data=2, model=4}, its example as it comes
//     { PeakAtMost, number 20 MiB }                       unmet: 33,591,316 bytes
//     { CollectivesAtMost, name all_reduce, number 8 }    unmet: 16
//     { ModelKept }                                       met
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pipeline/snapshot.h"

namespace shardscope {

struct Condition {
    enum class Kind : std::uint8_t {
        PeakAtMost, ///< `number` bytes per device at the peak of the plan
        SentAtMost, ///< `number` bytes per device and step, without the scalar loss
        CollectivesAtMost, ///< `number` of the kind `name` ("all_reduce") per step, the loss among them
        CopiesAtMost, ///< no parameter is held by more than `number` devices in the same part
        NoneReplicated, ///< no parameter is held in full by every device
        ArrayAtMost, ///< the array `name` takes `number` bytes per device
        ArrayLaidOut, ///< the spec of the array `name` is `spec`, as narrow columns have it: "P(data, -)"
        ShardedByRule, ///< a rule shards the dimension `dimension` of the array `name` over the mesh axis `axis`
        ConstraintsApply, ///< every sharding constraint of the program has a sharding
        AxesUsed, ///< every mesh axis of more than one device shards a dimension of some array
        SizeAtLeast, ///< the model's size `name` ("batch")
        ModelKept, ///< the model is that of the example, apart from its size `name` and from shardings of values
        MeshKept, ///< the mesh has the axes of the example
        DevicesKept, ///< the mesh has as many devices as that of the example
        RulesKept, ///< the rules are those of the example, in any order
    };
    Kind kind = Kind::ModelKept;
    std::string_view name = {};
    std::int64_t number = 0;
    std::string_view spec = {}, dimension = {}, axis = {};
    bool operator==(const Condition&) const = default;
};

struct ConditionState {
    Condition condition;
    bool met = false;
    /// What was compared with `number`: bytes, collectives, devices of the parameter that is held by most of them,
    /// arrays that are replicated, constraints without a sharding, mesh axes without use, the model's size, devices.
    /// Absent where the analysis has no such figure.
    std::optional<Rational> found = {};
    std::string
        foundText = {}; ///< the spec of the array; the path of an array or the name of an axis that stands in the way
    bool operator==(const ConditionState&) const = default;
};

/// `start` is the experiment that the task begins with. A condition whose figure is not there is unmet. Linear in the
/// number of arrays, of collectives and of constraints.
[[nodiscard]] ConditionState checkCondition(
    const Condition& condition, const Experiment& start, const Snapshot& snapshot);

} // namespace shardscope
