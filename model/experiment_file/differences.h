// SPDX-License-Identifier: GPL-3.0-or-later
// In which settings two experiments differ, by the keys of their files.
//
//     mesh data=2,model=4 against data=4,model=2:  /mesh/axes/0/1  2  4,  /mesh/axes/1/1  4  2
//     a rule more:  /rules/list/2  (nothing)  ["mlp", "model"]
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiment/experiment.h"

namespace shardscope {

struct SettingDifference {
    std::string pointer; ///< JSON pointer in the file; of what one of them lacks, in that of the other
    std::optional<std::string> before, after; ///< compact JSON; nothing where the experiment does not have it
    bool operator==(const SettingDifference&) const = default;
};

/// What decides how arrays are laid out and what is computed: hardware, mesh, rules, model, step, placement and
/// propagation, in that order. Title, notes, run settings and acknowledged warnings do not count. Rules are compared as
/// lists: one that is added or taken away is one difference, whatever stands after it. Texts of programs are one
/// difference, "/model/text", of two texts {"lines": 31, "others": 7}: how many lines the text has, and how many of
/// them the other one lacks.
[[nodiscard]] std::vector<SettingDifference> settingDifferences(const Experiment& before, const Experiment& after);

/// A hash of these settings and of what a run begins with (seed, initial values, state, roles): equal for experiments
/// whose steps compute the same. Within one build of the program.
[[nodiscard]] std::uint64_t hashOfInputs(const Experiment& experiment);

} // namespace shardscope
