// SPDX-License-Identifier: GPL-3.0-or-later
// A transformer and its train step as one program: parameters and forward pass (networks/transformer.h), loss, their
// derivatives and the optimizer (networks/train_step.h).
//
//     TransformerTraining training;           // a small Llama with Adam
//     training.optimizer.kind = OptimizerKind::AdamW;
//     training.microbatches = 2;              // gradients of 2 times 4 sequences are added up before they are applied
//     buildTransformer(training)
//
// Arguments of main: step, params/..., opt/..., then the inputs. Results: the new state, loss.
#pragma once

#include <cstdint>
#include <vector>

#include "networks/optimizer_settings.h"
#include "networks/transformer_settings.h"
#include "program/initial_value.h"
#include "program/program.h"

namespace shardscope {

struct TransformerTraining {
    TransformerSettings model;
    OptimizerSettings optimizer;
    std::int64_t microbatches = 1; ///< parts of the batch that are worked on one after the other
    bool trainStep = true; ///< false: the forward pass alone, which drops nothing
    /// In place of the step the program that makes its state (networks/initializer.h); buildTransformer() does not look
    /// at it.
    bool initialise = false;
    bool operator==(const TransformerTraining&) const = default;
};

/// Errors: those of checkTransformer(); OutOfRange {key: microbatches}, InvalidAttribute {wrong: microbatches} where
/// they do not divide the batch.
[[nodiscard]] Result<void> checkTraining(const TransformerTraining& training);
/// The same errors.
[[nodiscard]] Result<Program> buildTransformer(const TransformerTraining& training);

/// What parameters and inputs begin with: kernels normal with the deviation 1 / sqrt(n) of a sum of n terms, so that
/// what comes out is about as large as what goes in (LeCun et al., 1998); scales of norms so that they change nothing,
/// biases zeros; the embedding normal with deviation 1, or 1 / sqrt(D) where it makes the logits as well; tokens and
/// targets any numbers of the vocabulary.
[[nodiscard]] std::vector<ChosenInitial> transformerInitials(const TransformerSettings& settings);
/// Parameters of layers in a loop, which begin as those of the same layers one after the other. Empty where the form is
/// Unrolled. Of settings that checkTransformer() accepts.
[[nodiscard]] std::vector<StackedInitial> stackedInitials(const TransformerSettings& settings);

} // namespace shardscope
