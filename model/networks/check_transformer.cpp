// SPDX-License-Identifier: GPL-3.0-or-later
#include "networks/check_transformer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/codes.h"
#include "networks/chosen_parts.h"
#include "networks/experts.h"
#include "networks/transformer_parameters.h"

namespace shardscope {

namespace {

constexpr std::int64_t maximumLayers = 4096;
constexpr std::int64_t maximumDropoutSeed = 65535;
constexpr std::int64_t maximumIndex = std::numeric_limits<std::int32_t>::max(); ///< what 32-bit integers count

Result<void> inRange(const char* key, std::int64_t value, std::int64_t least, std::int64_t most)
{
    if (value >= least && value <= most)
        return {};
    return fail(Code::OutOfRange, { { "key", key }, { "value", value }, { "min", least }, { "max", most } });
}

/// A finite number above zero.
Result<void> isPositive(const char* key, double value)
{
    if (std::isfinite(value) && value > 0)
        return {};
    return fail(Code::OutOfRange, { { "key", key }, { "value", value }, { "min", 0 } });
}

tl::unexpected<Error> contradiction(const char* wrong, std::vector<Arg> args)
{
    args.emplace_back("op", "transformer");
    args.emplace_back("wrong", wrong);
    return fail(Code::InvalidAttribute, std::move(args));
}

Result<void> checkTransformerSizes(const TransformerSettings& s)
{
    SHARDSCOPE_CHECK(inRange("layers", s.layers, 1, maximumLayers));
    SHARDSCOPE_CHECK(inRange("encoder_layers", s.encoderLayers, 0, maximumLayers));
    for (const auto& [key, value] : { std::pair{ "batch", s.batch }, { "embed", s.embed }, { "heads", s.heads },
             { "kv_heads", s.kvHeads }, { "head_size", s.headSize }, { "mlp", s.mlp } })
        SHARDSCOPE_CHECK(inRange(key, value, 1, maximumBytes));
    SHARDSCOPE_CHECK(inRange("length", s.length, 1, maximumIndex));
    SHARDSCOPE_CHECK(inRange("vocab", s.vocab, 1, maximumIndex));
    SHARDSCOPE_CHECK(inRange("encoder_length", s.encoderLength, 0, maximumIndex));
    SHARDSCOPE_CHECK(inRange("sliding_window", s.slidingWindow, 0, maximumIndex));
    SHARDSCOPE_CHECK(inRange("window_pattern", s.windowPattern, 0, maximumLayers));
    SHARDSCOPE_CHECK(inRange("layers_axis", s.layersAxis, 0, 8));
    if (s.heads % s.kvHeads != 0)
        return contradiction("kv_heads", { { "heads", s.heads }, { "kv_heads", s.kvHeads } });
    if (s.fusedQkv && s.heads != s.kvHeads)
        return contradiction("fused_qkv", { { "heads", s.heads }, { "kv_heads", s.kvHeads } });
    return {};
}

Result<void> checkTransformerPositions(const TransformerSettings& s)
{
    if (s.positions == PositionKind::Rotary) {
        SHARDSCOPE_CHECK(isPositive("rotary_base", s.rotaryBase));
        SHARDSCOPE_CHECK(isPositive("rotary_fraction", s.rotaryFraction));
        SHARDSCOPE_CHECK(isPositive("rotary_factor", s.rotaryFactor));
        if (s.windowRotaryBase != 0)
            SHARDSCOPE_CHECK(isPositive("window_rotary_base", s.windowRotaryBase));
    }
    if (s.positions == PositionKind::Rotary && s.latent) {
        SHARDSCOPE_CHECK(inRange("rotary_size", s.latent->rotarySize, 2, maximumIndex));
        if (s.latent->rotarySize % 2 != 0)
            return contradiction("rotary", { { "size", s.latent->rotarySize }, { "head_size", s.latent->rotarySize } });
    } else if (s.positions == PositionKind::Rotary) {
        const double size = static_cast<double>(s.headSize) * s.rotaryFraction;
        if (s.rotaryFraction > 1 || size != static_cast<double>(rotarySize(s)) || rotarySize(s) % 2 != 0)
            return contradiction("rotary", { { "size", size }, { "head_size", s.headSize } });
    }
    if (s.positions == PositionKind::Learned && s.maximumLength != 0) {
        const std::int64_t longest = std::max(s.length, s.encoderLayers > 0 ? encoderLength(s) : 0);
        SHARDSCOPE_CHECK(inRange("maximum_length", s.maximumLength, longest, maximumIndex));
    }
    if (s.positions == PositionKind::RelativeBias) {
        SHARDSCOPE_CHECK(inRange("relative_buckets", s.relativeBuckets, 1, maximumIndex));
        // Half of a decoder's buckets are for single distances, and a quarter of an encoder's for each direction.
        if (s.relativeBuckets % 4 != 0)
            return contradiction("buckets", { { "buckets", s.relativeBuckets } });
        SHARDSCOPE_CHECK(
            inRange("relative_maximum_distance", s.relativeMaximumDistance, s.relativeBuckets / 2 + 1, maximumIndex));
    }
    return {};
}

Result<void> checkLatentAttention(const TransformerSettings& s)
{
    if (!s.latent)
        return {};
    for (const auto& [key, value] : { std::pair{ "rank", s.latent->rank }, { "value_size", s.latent->valueSize },
             { "rotary_size", s.latent->rotarySize } })
        SHARDSCOPE_CHECK(inRange(key, value, 1, maximumIndex));
    SHARDSCOPE_CHECK(inRange("query_rank", s.latent->queryRank, 0, maximumIndex));
    if (s.heads != s.kvHeads)
        return contradiction("latent", { { "with", "kv_heads" } });
    for (const auto& [with, isSet] : { std::pair{ "fused_qkv", s.fusedQkv }, { "qkv_bias", s.qkvBias },
             { "query_key_norm", s.queryKeyNorm }, { "encoder_layers", s.encoderLayers > 0 } })
        if (isSet)
            return contradiction("latent", { { "with", with } });
    return {};
}

Result<void> checkTransformerExperts(const TransformerSettings& s)
{
    if (!s.experts)
        return {};
    SHARDSCOPE_CHECK(inRange("experts", s.experts->experts, 1, maximumIndex));
    SHARDSCOPE_CHECK(inRange("per_token", s.experts->perToken, 1, std::min<std::int64_t>(s.experts->experts, 1024)));
    SHARDSCOPE_CHECK(inRange("expert_mlp", s.experts->mlp, 0, maximumBytes));
    SHARDSCOPE_CHECK(inRange("shared_mlp", s.experts->sharedMlp, 0, maximumBytes));
    SHARDSCOPE_CHECK(inRange("dense_layers", s.experts->denseLayers, 0, s.layers));
    SHARDSCOPE_CHECK(isPositive("expert_scale", s.experts->scale));
    return isPositive("capacity_factor", s.experts->capacityFactor);
}

Result<void> fitsInMemory(const char* what, std::initializer_list<std::int64_t> sizes)
{
    std::int64_t bytes = 8; // of the largest element type
    for (const std::int64_t size : sizes)
        bytes = saturatingProduct(bytes, size);
    if (bytes <= maximumBytes)
        return {};
    return fail(Code::TooLarge, { { "what", what }, { "bytes", bytes }, { "limit", maximumBytes } });
}

Result<void> checkTransformerMemory(const TransformerSettings& s)
{
    SHARDSCOPE_CHECK(fitsInMemory("parameters", { parameterCount(s) }));
    const std::int64_t longest = std::max(s.length, s.encoderLayers > 0 ? encoderLength(s) : 0);
    constexpr const char* what = "activations";
    SHARDSCOPE_CHECK(fitsInMemory(what, { s.batch, longest, s.embed }));
    SHARDSCOPE_CHECK(fitsInMemory(what, { s.batch, longest, s.vocab }));
    SHARDSCOPE_CHECK(fitsInMemory(what, { s.batch, longest, s.heads, std::max(querySize(s), valueSize(s)) }));
    SHARDSCOPE_CHECK(fitsInMemory(what, { s.batch, longest, s.heads, longest }));
    if (s.fusedQkv)
        SHARDSCOPE_CHECK(fitsInMemory(what, { s.batch, longest, 3, s.heads, s.headSize }));
    if (s.latent) {
        const std::int64_t down = std::max(s.latent->rank + s.latent->rotarySize, s.latent->queryRank);
        SHARDSCOPE_CHECK(fitsInMemory(what, { s.batch, longest, down }));
        SHARDSCOPE_CHECK(fitsInMemory(what, { s.batch, longest, s.heads, s.headSize + s.latent->valueSize }));
    }
    if (s.positions == PositionKind::RelativeBias)
        SHARDSCOPE_CHECK(fitsInMemory(what, { longest, longest, std::max(s.relativeBuckets, s.heads) }));
    SHARDSCOPE_CHECK(fitsInMemory(what, { s.batch, longest, std::max(s.mlp, s.experts ? s.experts->sharedMlp : 0) }));
    if (!s.experts)
        return {};
    const std::int64_t capacity = expertCapacity(*s.experts, longest);
    SHARDSCOPE_CHECK(fitsInMemory(what, { s.batch, longest, s.experts->experts, capacity }));
    return fitsInMemory(what, { s.batch, s.experts->experts, capacity, std::max(s.embed, hiddenSize(s)) });
}

} // namespace

Result<void> checkTransformer(const TransformerSettings& s)
{
    SHARDSCOPE_CHECK(checkTransformerSizes(s));
    SHARDSCOPE_CHECK(checkTransformerPositions(s));
    SHARDSCOPE_CHECK(checkLatentAttention(s));
    SHARDSCOPE_CHECK(checkTransformerExperts(s));
    for (const DType dtype : { s.parameterDtype, s.computeDtype })
        if (dtype != DType::F32 && dtype != DType::F64 && dtype != DType::BF16 && dtype != DType::F16)
            return contradiction("dtype", { { "dtype", std::string(name(dtype)) } });
    if (!std::isfinite(s.normEpsilon) || s.normEpsilon < 0)
        return fail(Code::OutOfRange, { { "key", "norm_epsilon" }, { "value", s.normEpsilon }, { "min", 0 } });
    for (const auto& [key, cap] : { std::pair{ "attention_softcap", s.attentionSoftcap },
             { "logit_softcap", s.logitSoftcap }, { "attention_scalar", s.attentionScalar } })
        if (cap != 0)
            SHARDSCOPE_CHECK(isPositive(key, cap));
    for (const auto& [key, rate] : { std::pair{ "dropout", s.dropout }, { "attention_dropout", s.attentionDropout } })
        if (!(rate >= 0 && rate < 1))
            return fail(Code::OutOfRange, { { "key", key }, { "value", rate }, { "min", 0.0 }, { "below", 1.0 } });
    SHARDSCOPE_CHECK(inRange("dropout_seed", s.dropoutSeed, 0, maximumDropoutSeed));
    if (s.parallelBlock && s.encoderLayers > 0)
        return contradiction("parallel_block", {});
    SHARDSCOPE_CHECK(checkTransformerMemory(s));
    return checkChosenShardings(s);
}

} // namespace shardscope
