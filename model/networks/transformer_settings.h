// SPDX-License-Identifier: GPL-3.0-or-later
// What a transformer is made of: sizes, blocks and how their parameters are named.
//
// The family covers decoders (GPT-2, Llama, Mistral, Gemma, Qwen, PaLM), mixtures of experts (Mixtral, Qwen MoE,
// DeepSeek) and encoder-decoders (T5). Sizes: B batch, L length, D embed, H heads, K kv heads, h head size, F mlp, V
// vocab, E experts.
//
//     TransformerSettings s;             // a small Llama: 2 layers of width 64, 4 heads, 2 KV heads
//     s.layers = 32; s.embed = 4096; s.heads = 32; s.kvHeads = 8; s.headSize = 128; s.mlp = 14336; s.vocab = 128256;
//     parameterCount(s)                  // 8,030,261,248: Llama 3 8B
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "networks/chosen_sharding.h"
#include "networks/layer_form.h"
#include "program/rematerialise.h"

namespace shardscope {

enum class PositionKind : std::uint8_t {
    None,
    Rotary, ///< rotates pairs of query and key elements by an angle of the position (RoFormer); no parameters
    Learned, ///< a table (maximumLength, D) added to the embedding
    RelativeBias, ///< T5: a table (H, buckets) per stack, added to the logits of its self-attention
};
enum class NormKind : std::uint8_t {
    Rms, ///< x / sqrt(mean(x²) + ε) · w
    Layer, ///< (x - mean) / sqrt(variance + ε) · w + b
    LayerWithoutBias, ///< as Layer, without b
};
enum class NormPlacement : std::uint8_t {
    Before, ///< one in front of attention, one in front of the MLP
    BeforeAndAfter, ///< Gemma 2: also on the output of each, before it is added to the residual
};
enum class ActivationKind : std::uint8_t { Relu, Gelu /* its tanh approximation */, Silu };

/// How a router's logits become probabilities: all together (softmax), or each alone (DeepSeek V3: 1 / (1 + exp(-x))).
enum class RouterScore : std::uint8_t { Softmax, Sigmoid };

/// A mixture of experts in the place of the MLP (Switch, GShard): each token goes to the `perToken` experts of the
/// largest router probability, and each expert takes at most
/// ceil(capacityFactor · L·perToken / experts) tokens of a sequence, first choices before second ones and early tokens
/// before late ones; the rest pass through the residual alone.
struct ExpertSettings {
    std::int64_t experts = 8;
    std::int64_t perToken = 2;
    std::int64_t mlp = 0; ///< hidden size of one expert; 0 = that of the model
    double capacityFactor = 1.25;
    bool normalise = true; ///< the probabilities of the chosen experts are scaled to add up to 1
    RouterScore score = RouterScore::Softmax;
    double scale = 1; ///< DeepSeek: of what the chosen experts add
    std::int64_t sharedMlp = 0; ///< DeepSeek, Qwen 2: hidden size of an MLP beside them for every token; 0 = none
    bool sharedGate = false; ///< Qwen 2: what that adds is multiplied by 1 / (1 + exp(-x w))
    std::int64_t denseLayers = 0; ///< DeepSeek: so many of the decoder's first layers have an MLP and no experts
    bool operator==(const ExpertSettings&) const = default;
};

/// Latent attention (DeepSeek-AI, 2024): keys and values of all heads are made of one vector of size `rank` per token,
/// and queries, too, of one of size `queryRank`. Of each query and key `headSize` elements have no position, and
/// `rotarySize` further ones are rotated; in keys these are the same for all heads.
struct LatentSettings {
    std::int64_t rank = 512;
    std::int64_t queryRank = 0; ///< 0 = queries are made of the layer's input
    std::int64_t rotarySize = 64;
    std::int64_t valueSize = 128; ///< of a head
    bool operator==(const LatentSettings&) const = default;
};

/// Whose names the dimensions of parameters and activations have, so that rule sets of that project work as they stand.
enum class AxisNames : std::uint8_t {
    T5x, ///< heads, kv, mlp, expert, ... for parameters and activations alike
    MaxText2025, ///< q_heads, kv_heads, kv_head_dim, exp, ...; activation_batch, ...
    MaxText, ///< since April 2026: embed_vocab, embed_moe, mlp_moe
};

struct TransformerSettings {
    std::int64_t batch = 8;
    std::int64_t length = 16; ///< of the (decoder's) sequence
    std::int64_t layers = 2; ///< of the decoder
    std::int64_t embed = 64;
    std::int64_t heads = 4;
    std::int64_t kvHeads = 2; ///< = heads: multi-head; 1: multi-query; a divisor of heads: grouped-query
    std::int64_t headSize = 16;
    std::int64_t mlp = 256;
    std::int64_t vocab = 256;

    PositionKind positions = PositionKind::Rotary;
    double rotaryBase = 10000;
    double rotaryFraction = 1; ///< of the head that is rotated (GPT-NeoX: 0.25)
    double rotaryFactor = 1; ///< positions are divided by it before
    std::int64_t maximumLength = 0; ///< rows of learned positions; 0 = length
    std::int64_t relativeBuckets = 32, relativeMaximumDistance = 128;
    std::int64_t slidingWindow = 0; ///< tokens that a token sees, itself included; 0 = all before it
    std::int64_t windowPattern = 0; ///< Gemma: every so many layers one sees all before it (2, 6); 0 = none does
    double windowRotaryBase = 0; ///< Gemma 3: of layers with a window, without the factor; 0 = as that of all

    NormKind norm = NormKind::Rms;
    NormPlacement normPlacement = NormPlacement::Before;
    double normEpsilon = 1e-6;
    bool normPlusOne = false; ///< Gemma: scales by 1 + w
    bool queryKeyNorm = false; ///< RMSNorm over each head's query and key, weights of size h
    bool parallelBlock = false; ///< attention and MLP read the same norm of the block's input (PaLM, GPT-J)
    bool parallelNorms = false; ///< in a parallel block the MLP has a norm of its own (GPT-NeoX)

    ActivationKind activation = ActivationKind::Silu;
    bool gatedMlp = true; ///< act(x W_gate) · (x W_up) instead of act(x W_up)
    bool fusedQkv =
        false; ///< self-attention has one kernel (D, 3, H, h) for query, key and value; takes kvHeads = heads
    bool qkvBias = false, outputBias = false, mlpBias = false;
    bool tiedLogits = false; ///< logits = x Eᵀ with the embedding E
    bool finalNorm = true;
    bool scaledLogits = false; ///< T5: what goes into the logits is divided by sqrt(D)
    bool scaledEmbedding = false; ///< Gemma: the embedding is multiplied by sqrt(D)
    bool embedByOneHot = false; ///< rows of the embedding are found by a product with one-hot vectors, not gathered
    bool scaledAttention = true; ///< logits of attention are divided by sqrt(h); T5 has that in its initial values
    double attentionScalar = 0; ///< Gemma 2: by the root of this number instead; 0 = h
    double attentionSoftcap = 0, logitSoftcap = 0; ///< Gemma 2: c · tanh(x / c); 0 = none

    /// Of a train step: the share of the elements that become 0, of the embedding and of what each part of a layer adds
    /// to the residual (networks/dropout.h).
    double dropout = 0;
    double attentionDropout = 0; ///< likewise, of the probabilities of attention
    std::int64_t dropoutSeed = 0; ///< below 2^16

    std::optional<ExpertSettings> experts;
    std::optional<LatentSettings> latent; ///< of a decoder's attention
    /// T5: layers of an encoder, whose output the decoder's layers attend to; 0 = a decoder alone.
    std::int64_t encoderLayers = 0;
    std::int64_t encoderLength = 0; ///< 0 = length

    LayerForm form = LayerForm::Unrolled;
    std::int64_t layersAxis = 0; ///< where "layers" stands among a scanned parameter's dimensions (MaxText, T5X: 1)
    AxisNames axisNames = AxisNames::T5x;
    RematPolicy remat = RematPolicy::None; ///< of each layer, in the backward pass
    DType parameterDtype = DType::F32; ///< of the parameters that are stored
    DType computeDtype = DType::F32; ///< of activations; parameters are converted where they are used

    /// On the outputs of modules (networks/chosen_parts.h lists them): layers, attention, MLPs, norms.
    std::vector<ChosenSharding> constraints = {};
    /// Of parameters, in the place of what the rules say of their logical names.
    std::vector<ChosenSharding> parameterSpecs = {};

    bool operator==(const TransformerSettings&) const = default;
};

} // namespace shardscope
