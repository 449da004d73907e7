// SPDX-License-Identifier: GPL-3.0-or-later
// What arguments hold in each step of a run: batches of a text for a transformer's tokens.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "experiment/experiment.h"
#include "pipeline/snapshot.h"
#include "simulate/run/initial_values.h"

namespace shardscope {

/// For the arguments tokens, targets and encoder_tokens, by number: the next byte of the text is the target. The seed
/// is that of the experiment. Nothing for a model without tokens. Errors: those of TokenBatches::create().
[[nodiscard]] Result<std::map<std::size_t, StepSource>> textInputs(
    const Program& program, const Experiment& experiment, const std::string& text);

/// The same with another batch of trainingText() in every step. An argument that `values` chooses something for begins
/// with that and stays so; so does every argument where the text does not fit the transformer (a vocabulary without one
/// of its bytes, sequences longer than it is).
[[nodiscard]] InitialValues withTrainingText(InitialValues values, const Snapshot& snapshot);
/// What steps of the experiment read: initialValuesOf(), withTrainingText().
[[nodiscard]] InitialValues trainingValuesOf(const Snapshot& snapshot);

} // namespace shardscope
