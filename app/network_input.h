// SPDX-License-Identifier: GPL-3.0-or-later
// Experiments around a network, from what a command line says of mesh and rules.
#pragma once

#include <optional>
#include <string>

#include "networks/transformer_settings.h"
#include "rules_input.h"

namespace shardscope::cli {

struct NetworkOptions {
    std::string rules; ///< as --rules of resolve has them; empty: none
    MeshOptions mesh;
    std::string axisNames; ///< "t5x", "maxtext-2025", "maxtext"; empty: those that the rules speak of
};

/// Whose names rules speak of: MaxText's where they are in its dialect, those before April 2026 where they lack the
/// names that came then ("embed_vocab", "mlp_moe").
[[nodiscard]] AxisNames axisNamesOf(const RulesInput& rules);

/// A train step with Adam on as many devices as the mesh needs. Errors: those of readRulesInput() and readMeshOption();
/// UnresolvedAxisSize without a mesh.
[[nodiscard]] Result<Experiment> networkExperiment(
    const TransformerSettings& settings, std::string title, const NetworkOptions& options);

} // namespace shardscope::cli
