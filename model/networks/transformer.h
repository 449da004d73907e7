// SPDX-License-Identifier: GPL-3.0-or-later
// A transformer from tokens to its loss, as operations: decoders (GPT-2, Llama, Gemma, PaLM), mixtures of experts
// (Mixtral) and encoder-decoders (T5), as transformer_settings.h describes them.
//
//     x = E[tokens] (B, L, D)    layers    logits = norm(x) W (B, L, V)
//     loss = mean over all tokens of log(sum(exp(logits))) - logits[target]
//
// Paths: params/decoder/layers.0/mlp/wo/kernel (params/decoder/layers/mlp/wo/kernel for scanned layers); tokens,
// targets and encoder_tokens; activations by the part that they come from, decoder/layers.0/self_attention/query;
// decoder/logits; loss.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "networks/dropout.h"
#include "networks/transformer_axes.h"
#include "networks/transformer_settings.h"
#include "program/differentiate.h"

namespace shardscope {

struct TransformerInput {
    std::string path;
    TensorType type;
    std::vector<Axis> axes; ///< one per dimension
    bool operator==(const TransformerInput&) const = default;
};
/// tokens and targets (B, L), and with an encoder encoder_tokens (B, S); numbers of the vocabulary, i32.
[[nodiscard]] std::vector<TransformerInput> inputsOf(const TransformerSettings& settings);

struct TransformerResults {
    ValueId loss; ///< scalar, f32 or f64
    ValueId logits; ///< (B, L, V), of the loss' type
    DifferentiateOptions derivative; ///< with the policy of the settings for each layer
};
/// Adds the network to a program. `parameters` are in the order of parametersOf(settings), `inputs` in that of
/// inputsOf(settings). Without a source nothing is dropped. Errors: those of checkTransformer().
[[nodiscard]] Result<TransformerResults> transformerForward(Builder& builder, const TransformerSettings& settings,
    std::span<const ValueId> parameters, std::span<const ValueId> inputs, const DropoutSource& dropout = {});

/// The forward pass alone, without dropout: arguments are the parameters and then the inputs, with their logical names;
/// results are loss and logits. Errors: those of checkTransformer().
[[nodiscard]] Result<Program> buildTransformerForward(const TransformerSettings& settings);

} // namespace shardscope
