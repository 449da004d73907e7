// SPDX-License-Identifier: GPL-3.0-or-later
// Why a tensor looks as it does, as data; words/ makes sentences of it.
#pragma once

#include <vector>

#include "analysis/analyse.h"
#include "pipeline/snapshot.h"

namespace shardscope {

struct CollectiveEntry;

/// The reason for one dimension.
struct DimensionReason {
    enum class Kind : std::uint8_t {
        Rule, ///< `rule` maps the dimension's logical name to the axes
        RuleToNull, ///< `rule` maps it to None
        NoRule, ///< no rule names it
        RulesSkipped, ///< every rule that names it was skipped; `trace` of the first
        DeviceAxes, ///< written as device axes
        DeviceUnsharded, ///< left out of device axes: written as None
        Propagated, ///< came along `chain` from another value
        Unannotated, ///< nothing asked for anything and nothing arrived
    };
    Kind kind = Kind::Unannotated;
    std::size_t dimension = 0;
    std::string name; ///< of the dimension, may be empty
    AxisList axes;
    int rule = -1;
    std::optional<RuleTrace> trace;
    std::vector<PropagationStep> chain;
};

struct Explanation {
    ValueId value;
    std::vector<DimensionReason> dims;
    AxisList copiedAlong; ///< replicatedAxes(): the tensor is held once per coordinate along them
    /// Of Snapshot::collectives: those that make or reshard this value, or the nameless one that its constraint was put
    /// on.
    std::vector<const CollectiveEntry*> collectives;
    /// The annotation it was resolved from, own or inherited (mu and nu from their parameter); null if none.
    const ResolvedAnnotation* annotation = nullptr;
    std::vector<const Problem*> problems;
};

[[nodiscard]] Explanation explain(const Snapshot& snapshot, ValueId value);

/// Things to try, each with what it would change, computed by analysing the changed experiment.
struct WhatIf {
    enum class Kind : std::uint8_t { MapName, Mesh };
    Kind kind = Kind::MapName;
    std::string name; ///< logical name for MapName
    std::string axis; ///< mesh axis for MapName
    std::vector<std::int64_t> sizes; ///< axis sizes for Mesh
    Experiment after;
    std::int64_t bytesPerDeviceBefore = 0, bytesPerDeviceAfter = 0; ///< of the tensor
    std::int64_t stateBytesBefore = 0, stateBytesAfter = 0; ///< params, gradients and moments per device
    Rational sentBefore, sentAfter;
    int collectivesBefore = 0, collectivesAfter = 0;
};
/// Those that were worked out before it was stopped or memory ran out.
[[nodiscard]] std::vector<WhatIf> whatIfs(
    const Snapshot& snapshot, ValueId value, AnalysisCache& cache, const std::stop_token& stop = {});

} // namespace shardscope
