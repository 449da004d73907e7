// SPDX-License-Identifier: GPL-3.0-or-later
// The words of the file format, by the order of the enumerations they stand for; reader and writer share them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiment/reserved_names.h"
#include "networks/transformer_settings.h"

namespace shardscope::file_words {

inline const std::vector<std::string> platforms{ "cpu", "gpu", "tpu" };
/// Dialect, and after them "penzai": rules that are a mapping.
inline const std::vector<std::string> dialects{ "flax-linen", "t5x", "maxtext", "maxtext-state", "penzai" };
inline constexpr std::size_t mappingDialect = 4;
inline const std::vector<std::string> flaxVersions{ "2024", "current" }; ///< FlaxVersion
inline const std::vector<std::string> fallbacks{ "axis_is_unsharded", "raise_error",
    "no_constraint" }; ///< RulesFallback
inline const std::vector<std::string> constraintMeshes{ "context", "none", "own" }; ///< ConstraintMesh
inline const std::vector<std::string> presets{ "mlp", "arrays", "program", "transformer" }; ///< ModelSetting
inline const std::vector<std::string> axes{ "device", "logical" }; ///< MlpSettings::Axes
inline const std::vector<std::string> losses{ "sum", "half_sum_of_squares" }; ///< LossKind
inline const std::vector<std::string> optimizers{ "sgd", "momentum", "adam", "adamw",
    "adafactor" }; ///< OptimizerKind; the MLP has "adam" alone
inline const std::vector<std::string> positions{ "none", "rotary", "learned", "relative_bias" }; ///< PositionKind
inline const std::vector<std::string> norms{ "rms", "layer", "layer_without_bias" }; ///< NormKind
inline const std::vector<std::string> normPlacements{ "before", "before_and_after" }; ///< NormPlacement
inline const std::vector<std::string> activations{ "relu", "gelu", "silu" }; ///< ActivationKind
inline const std::vector<std::string> axisNames{ "t5x", "maxtext-2025", "maxtext" }; ///< AxisNames
inline const std::vector<std::string> routerScores{ "softmax", "sigmoid" }; ///< RouterScore
inline const std::vector<std::string> forms{ "unrolled", "scanned" }; ///< LayerForm
inline const std::vector<std::string> remats{ "none", "full", "dots", "gathered" }; ///< RematPolicy
inline const std::vector<std::string>& wordsOf(PositionKind)
{
    return positions;
}
inline const std::vector<std::string>& wordsOf(NormKind)
{
    return norms;
}
inline const std::vector<std::string>& wordsOf(NormPlacement)
{
    return normPlacements;
}
inline const std::vector<std::string>& wordsOf(ActivationKind)
{
    return activations;
}
inline const std::vector<std::string>& wordsOf(AxisNames)
{
    return axisNames;
}
inline const std::vector<std::string>& wordsOf(RouterScore)
{
    return routerScores;
}
inline const std::vector<std::string>& wordsOf(LayerForm)
{
    return forms;
}
inline const std::vector<std::string>& wordsOf(RematPolicy)
{
    return remats;
}
inline const std::vector<std::string> orders{ "row-major", "as-listed", "create_device_mesh", "make_mesh", "hybrid",
    "t5x" }; ///< OrderMethod
/// In place of a name or an axis: P.UNCONSTRAINED of JAX.
inline const std::string unconstrained{ unconstrainedWord };

inline constexpr std::size_t maximumRank = 16;
inline constexpr std::size_t maximumRules = 10'000;
inline constexpr std::size_t maximumArrays = 65'536;
inline constexpr std::size_t maximumShardingRules = 65'536;
inline constexpr std::size_t maximumChosenShardings = 1024;
inline constexpr std::size_t maximumProgramLines = 4'000'000;
inline constexpr std::size_t maximumAcknowledged = 10'000;
inline constexpr std::int64_t maximumLayers = 4096;
inline constexpr std::int64_t maximumSize = std::int64_t{ 1 } << 40; ///< of one dimension
inline constexpr std::int64_t maximumBytes = std::int64_t{ 1 } << 62; ///< of one array
inline constexpr std::int64_t maximumRuns = 1'000'000;
inline constexpr std::int64_t maximumLoops = 1'000'000'000;

} // namespace shardscope::file_words
