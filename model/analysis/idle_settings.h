// SPDX-License-Identifier: GPL-3.0-or-later
// Settings of a network, of its train step and of propagation that change nothing: people lose days to them. A setting
// counts as made where it is not what it is when the file leaves it out.
//
//     "step": { "optimizer": "adam", "momentum": 0.8, "nesterov": true }
//         W243 at /step/momentum: settings {momentum, nesterov}, needs optimizer, values {momentum}
//     "step": { "master_weights": true }, parameters of f32
//         W243 at /step/master_weights: needs parameter_dtype, values {bf16, f16}
//     "sliding_window": 4096, a length of 2048
//         I305 at /model/sliding_window: value 4096, wrong window, reach 2048
//     "window_pattern": 3, two layers
//         I305 at /model/window_pattern: value 3, wrong pattern, reach 3
//     "experts": { "experts": 4, "per_token": 2, "capacity_factor": 8 }
//         I305 at /model/experts/capacity_factor: value 8, wrong capacity, reach 2 (= 4 / 2)
//     "constraints": [{ "at": "decoder/layers.*", "names": ["batc", null] }], a rule for "batch"
//         W247 at /model/constraints/0/names/0: name batc, nearest batch
#pragma once

#include <string>
#include <vector>

#include "pipeline/snapshot.h"

namespace shardscope {

/// W243, one for all settings that need the same, with the fix that takes them away; W247, one for each name; I305.
[[nodiscard]] std::vector<Problem> idleSettings(const Experiment& experiment);
/// The settings at these places of the file (JSON pointers) as if the file left them out; those that idleSettings()
/// does not know stay.
[[nodiscard]] Experiment withoutSettings(Experiment experiment, const std::vector<std::string>& pointers);

} // namespace shardscope
