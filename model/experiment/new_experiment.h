// SPDX-License-Identifier: GPL-3.0-or-later
// What a new experiment begins with: one of each kind of model, on a mesh of 2 x 4 devices with the axes data and
// model.
//
//     newExperiment(NewKind::Transformer, "llama3-8b")    Llama 3 8B with the rules t5x-a2p2, as defaultRules() has it
#pragma once

#include <cstdint>
#include <string_view>

#include "experiment/experiment.h"

namespace shardscope {

enum class NewKind : std::uint8_t {
    Mlp, ///< the network of the notebook, without rules
    Transformer, ///< a published one, with a train step and published rules
    Arrays, ///< two arrays with named dimensions and a rule, to be replaced by others
    Program, ///< a product of two matrices in StableHLO's text
    Blank, ///< no array and no rule
};

/// `preset`: of a transformer. Errors: UnknownValue for a preset that there is not, and those of networkExperiment()
/// and experimentOf().
[[nodiscard]] Result<Experiment> newExperiment(NewKind kind, std::string_view preset = {});

} // namespace shardscope
