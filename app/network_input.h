// SPDX-License-Identifier: GPL-3.0-or-later
// Experiments around a network, from what a command line says of mesh and rules.
#pragma once

#include <string>
#include <vector>

#include "networks/transformer_settings.h"
#include "rules_input.h"

namespace shardscope::cli {

struct NetworkOptions {
    std::string rules; ///< as --rules of resolve has them; empty: defaultRules(), "()": none
    MeshOptions mesh;
    std::string axisNames; ///< "t5x", "maxtext-2025", "maxtext"; empty: those that the rules speak of
};

/// An experiment around a network, and the published rules that it has since none were given ("" otherwise).
struct MadeNetwork {
    Experiment experiment;
    std::string defaultRules;
    std::vector<Diagnostic> warnings = {}; ///< about the file of rules
    std::vector<std::string> passedOver = {}; ///< keys of a MaxText file that say nothing about sharding
};

/// As networkExperiment() of experiment/network_rules.h. Errors: those of readRulesInput() and readMeshOption();
/// DevicesMismatch where the slices do not divide the devices; UnresolvedAxisSize without a mesh.
[[nodiscard]] Result<MadeNetwork> makeNetwork(
    const TransformerSettings& settings, std::string title, const NetworkOptions& options);
/// Says on the error stream which rules were taken, where none were given, and what warnings there are about a file.
void remarkRules(const MadeNetwork& made, const NetworkOptions& options);
/// Says on the error stream how many errors the experiment has, with the first one; or what of its rules and its mesh
/// does not go together, and that this machine cannot run it, as `run` would refuse it.
void remarkProblems(const Experiment& experiment);

} // namespace shardscope::cli
