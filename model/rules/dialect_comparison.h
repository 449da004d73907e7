// SPDX-License-Identifier: GPL-3.0-or-later
// The same rules read by two systems: which arrays get another spec, and the first step at which the two part.
//
//     names (kv_heads, head_dim), shape [2, 64], rule kv_heads -> model, mesh {data=2, model=4}
//     Flax     P(model), which 2 heads do not divide by
//     MaxText  P(None): the first step that differs is that MaxText drops model from kv_heads
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rules/dialect.h"
#include "sharding/logical_rules.h"
#include "sharding/tensor_sharding.h"

namespace shardscope {

/// A system as far as rules are concerned: what is made of the spec on a mesh, and the version of Flax below it.
struct RuleSystem {
    Dialect dialect = Dialect::FlaxLinen;
    FlaxVersion version = FlaxVersion::Current;
    bool operator==(const RuleSystem&) const = default;
};
/// All of them: Flax, T5X, MaxText of activations and of its state, each with the version of 2024 and the current one.
[[nodiscard]] const std::vector<RuleSystem>& ruleSystems();

struct NamedShape {
    std::string path;
    LogicalNames names;
    Shape shape; ///< one size per name
};

/// What one system makes of one array.
struct SystemResult {
    std::optional<PartitionSpec> spec; ///< absent: `error` says why
    std::optional<Diagnostic> error;
    std::optional<Resolution> resolution;
    std::vector<DroppedAxes> dropped;
};
[[nodiscard]] SystemResult resolveIn(
    const RuleSystem& system, const NamedShape& array, const LogicalRules& rules, const Mesh& mesh);

/// The first step at which two systems part.
struct DifferingStep {
    enum class Kind : std::uint8_t {
        Failure, ///< only one of them gives a spec
        Rule, ///< `rule` fires in one of them, or in both for different dimensions
        Dimension, ///< a dimension that no rule sets is left alone in one of them: `dimension`
        Dropped, ///< what is left of the spec on the mesh: `dropped`, by the second system if `bySecond`
    };
    Kind kind = Kind::Rule;
    std::size_t rule = 0;
    std::size_t dimension = 0;
    std::optional<DroppedAxes> dropped;
    bool bySecond = false;
};

struct ArrayInDialects {
    SystemResult first, second;
    /// Absent: both specs are the same, but for None at their ends; or both fail in the same way.
    std::optional<DifferingStep> step;
};

[[nodiscard]] ArrayInDialects compareIn(const RuleSystem& first, const RuleSystem& second, const NamedShape& array,
    const LogicalRules& rules, const Mesh& mesh);

} // namespace shardscope
