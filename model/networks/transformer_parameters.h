// SPDX-License-Identifier: GPL-3.0-or-later
// The parameters of a transformer: paths as in T5X and MaxText, shapes, logical names, and how many numbers they are.
//
//     TransformerSettings s;                     // a small Llama
//     parametersOf(s)[0]                         // token_embedder/embedding (256, 64), vocab x embed
//     parametersOf(s)[2]                         // decoder/layers.0/self_attention/query/kernel (64, 4, 16)
//
// Paths of a layer: pre_self_attention_layer_norm/scale, self_attention/{query,key,value,out}/{kernel,bias},
// self_attention/qkv_proj/{kernel,bias} where query, key and value have one kernel, pre_mlp_layer_norm/scale
// (post_self_attention_layer_norm with MaxText's names), mlp/{wi_0,wi_1,wo}/kernel with a gate (wi_0 goes through the
// activation), else mlp/{wi,wo}/kernel; of experts mlp/router/kernel and mlp/experts/wi_0/kernel. Scanned layers have
// one array for all: decoder/layers/mlp/wo/kernel with the dimension "layers". Where the first layers have no experts,
// these are decoder/dense_layers/..., and the others decoder/moe_layers/.... Beside experts mlp/shared_experts/... and
// mlp/shared_expert_gate/kernel. Latent attention: self_attention/query/kernel, or wq_a/kernel, q_norm/scale and
// wq_b/kernel; wkv_a/kernel, kv_norm/scale, wkv_b/kernel; out/kernel.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "networks/transformer_axes.h"
#include "networks/transformer_settings.h"
#include "program/types.h"

namespace shardscope {

struct TransformerParameter {
    std::string path; ///< without "params/"
    Shape shape;
    std::vector<Axis> axes; ///< one per dimension
    bool operator==(const TransformerParameter&) const = default;
};

/// In the order in which the network uses them: embedding, encoder, decoder, logits. Of settings that
/// checkTransformer() accepts.
[[nodiscard]] std::vector<TransformerParameter> parametersOf(const TransformerSettings& settings);
/// How many numbers that is; the largest 64-bit number where it is more.
[[nodiscard]] std::int64_t parameterCount(const TransformerSettings& settings);
/// Those that take part for one token: of experts `perToken`.
[[nodiscard]] std::int64_t activeParameterCount(const TransformerSettings& settings);

/// The norm in front of the MLP: MaxText names it after what it follows, unless that has a norm of its own.
[[nodiscard]] std::string mlpNormName(const TransformerSettings& settings);
/// Rows of the table of learned positions of a stack over sequences of that length.
[[nodiscard]] std::int64_t learnedPositions(const TransformerSettings& settings, std::int64_t length);
/// Elements of each head that are rotated.
[[nodiscard]] std::int64_t rotarySize(const TransformerSettings& settings);
[[nodiscard]] std::int64_t encoderLength(const TransformerSettings& settings);
/// Hidden size of one expert, or of the MLP.
[[nodiscard]] std::int64_t hiddenSize(const TransformerSettings& settings);
/// Whether a layer has experts in the place of its MLP; `layer` is its number in the decoder.
[[nodiscard]] bool hasExperts(const TransformerSettings& settings, bool isEncoder, std::int64_t layer);
/// Layers of a stack that a loop goes through: all, or those without experts apart from the others.
struct LayerGroup {
    std::string name; ///< "layers"; "dense_layers", "moe_layers"
    std::int64_t first = 0, count = 0; ///< numbers in the stack
    Axis axis = Axis::Layers;
};
[[nodiscard]] std::vector<LayerGroup> layerGroups(const TransformerSettings& settings, bool isEncoder);
/// Elements of a head's query and key, and of its value.
[[nodiscard]] std::int64_t querySize(const TransformerSettings& settings);
[[nodiscard]] std::int64_t valueSize(const TransformerSettings& settings);

} // namespace shardscope
