// SPDX-License-Identifier: GPL-3.0-or-later
// What arguments hold in each step of a run: batches of a text for a transformer's tokens.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "experiment/experiment.h"
#include "simulate/run/initial_values.h"

namespace shardscope::cli {

/// For the arguments tokens, targets and encoder_tokens, by number: the next byte of the text is the target. The seed
/// is that of the experiment. Nothing for a model without tokens. Errors: those of TokenBatches::create().
[[nodiscard]] Result<std::map<std::size_t, StepSource>> textInputs(
    const Program& program, const Experiment& experiment, const std::string& text);

/// The text about sharding that comes with the program, in resources/texts/.
[[nodiscard]] std::string_view trainingText();

} // namespace shardscope::cli
