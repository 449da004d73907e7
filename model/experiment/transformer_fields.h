// SPDX-License-Identifier: GPL-3.0-or-later
// The settings of a transformer and of its train step one by one, each with its key in files and the numbers that it
// can be: for what treats all alike (files, hashes, comparisons, edits).
//
//     forEachOption(settings, [&](std::string_view key, const auto& value, const auto&... range) { ... });
//     // "positions", PositionKind::Rotary   then   "rotary_base", 10000.0, RealRange{ ... }   and so on
#pragma once

#include <cstdint>
#include <limits>

#include "networks/transformer_training.h"

namespace shardscope {

struct IntegerRange {
    std::int64_t least = 0;
    std::int64_t most = std::int64_t{ 1 } << 40;
};
struct RealRange {
    double least = 0;
    double limit = std::numeric_limits<double>::infinity(); ///< the first number that is too large
};

/// Sizes of dimensions.
template <class Settings, class Visit>
void forEachSize(Settings& s, Visit&& visit)
{
    constexpr IntegerRange size{ 1 };
    visit("batch", s.batch, size);
    visit("length", s.length, size);
    visit("embed", s.embed, size);
    visit("heads", s.heads, size);
    visit("kv_heads", s.kvHeads, size);
    visit("head_size", s.headSize, size);
    visit("mlp", s.mlp, size);
    visit("vocab", s.vocab, size);
}

/// All else but the number of layers, the experts and latent attention, in groups.
template <class Settings, class Visit>
void forEachOption(Settings& s, Visit&& visit)
{
    constexpr IntegerRange layers{ 0, 4096 };
    visit("axis_names", s.axisNames);
    visit("form", s.form);
    visit("layers_axis", s.layersAxis, IntegerRange{ 0, 8 });
    visit("remat", s.remat);
    visit("parameter_dtype", s.parameterDtype);
    visit("compute_dtype", s.computeDtype);

    visit("positions", s.positions);
    visit("rotary_base", s.rotaryBase, RealRange{});
    visit("rotary_fraction", s.rotaryFraction, RealRange{});
    visit("rotary_factor", s.rotaryFactor, RealRange{});
    visit("maximum_length", s.maximumLength, IntegerRange{});
    visit("relative_buckets", s.relativeBuckets, IntegerRange{ 1 });
    visit("relative_maximum_distance", s.relativeMaximumDistance, IntegerRange{ 1 });
    visit("sliding_window", s.slidingWindow, IntegerRange{});
    visit("window_pattern", s.windowPattern, layers);
    visit("window_rotary_base", s.windowRotaryBase, RealRange{});

    visit("norm", s.norm);
    visit("norm_placement", s.normPlacement);
    visit("norm_epsilon", s.normEpsilon, RealRange{});
    visit("norm_plus_one", s.normPlusOne);
    visit("query_key_norm", s.queryKeyNorm);
    visit("final_norm", s.finalNorm);
    visit("parallel_block", s.parallelBlock);
    visit("parallel_norms", s.parallelNorms);

    visit("activation", s.activation);
    visit("gated_mlp", s.gatedMlp);
    visit("fused_qkv", s.fusedQkv);
    visit("qkv_bias", s.qkvBias);
    visit("output_bias", s.outputBias);
    visit("mlp_bias", s.mlpBias);
    visit("scaled_attention", s.scaledAttention);
    visit("attention_scalar", s.attentionScalar, RealRange{});
    visit("attention_softcap", s.attentionSoftcap, RealRange{});

    visit("tied_logits", s.tiedLogits);
    visit("scaled_logits", s.scaledLogits);
    visit("scaled_embedding", s.scaledEmbedding);
    visit("embed_by_one_hot", s.embedByOneHot);
    visit("logit_softcap", s.logitSoftcap, RealRange{});

    visit("dropout", s.dropout, RealRange{ 0, 1 });
    visit("attention_dropout", s.attentionDropout, RealRange{ 0, 1 });
    visit("dropout_seed", s.dropoutSeed, IntegerRange{ 0, 65535 });

    visit("encoder_layers", s.encoderLayers, layers);
    visit("encoder_length", s.encoderLength, IntegerRange{});
}

template <class Settings, class Visit>
void forEachExpertOption(Settings& experts, Visit&& visit)
{
    visit("experts", experts.experts, IntegerRange{ 1 });
    visit("per_token", experts.perToken, IntegerRange{ 1 });
    visit("mlp", experts.mlp, IntegerRange{});
    visit("capacity_factor", experts.capacityFactor, RealRange{});
    visit("normalise", experts.normalise);
    visit("score", experts.score);
    visit("scale", experts.scale, RealRange{});
    visit("shared_mlp", experts.sharedMlp, IntegerRange{});
    visit("shared_gate", experts.sharedGate);
    visit("dense_layers", experts.denseLayers, IntegerRange{ 0, 4096 });
}

template <class Settings, class Visit>
void forEachLatentOption(Settings& latent, Visit&& visit)
{
    visit("rank", latent.rank, IntegerRange{ 1 });
    visit("query_rank", latent.queryRank, IntegerRange{});
    visit("rotary_size", latent.rotarySize, IntegerRange{ 2 });
    visit("value_size", latent.valueSize, IntegerRange{ 1 });
}

/// The numbers that every optimizer of files has, the MLP's as well.
template <class Settings, class Visit>
void forEachAdamNumber(Settings& adam, Visit&& visit)
{
    visit("learning_rate", adam.learningRate, RealRange{});
    visit("beta1", adam.beta1, RealRange{ 0, 1 });
    visit("beta2", adam.beta2, RealRange{ 0, 1 });
    visit("epsilon", adam.epsilon, RealRange{});
}

/// What an optimizer has besides these and Adafactor's.
template <class Settings, class Visit>
void forEachOptimizerOption(Settings& optimizer, Visit&& visit)
{
    visit("weight_decay", optimizer.weightDecay, RealRange{});
    visit("momentum", optimizer.momentum, RealRange{ 0, 1 });
    visit("nesterov", optimizer.nesterov);
    visit("clip_norm", optimizer.clipNorm, RealRange{});
    visit("master_weights", optimizer.masterWeights);
    visit("state_dtype", optimizer.stateDtype);
}

template <class Settings, class Visit>
void forEachAdafactorOption(Settings& adafactor, Visit&& visit)
{
    visit("decay_exponent", adafactor.decayExponent, RealRange{});
    visit("factored_size", adafactor.factoredSize, IntegerRange{ 1 });
    visit("clip_rms", adafactor.clipRms, RealRange{});
    visit("scale_by_parameter", adafactor.scaleByParameter);
}

} // namespace shardscope
