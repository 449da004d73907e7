// SPDX-License-Identifier: GPL-3.0-or-later
// models: numbers of parameters of published models, from their sizes and from the presets that come with the product.
#include <algorithm>
#include <array>
#include <string>

#include "conformance/checker.h"
#include "networks/check_transformer.h"
#include "networks/presets.h"
#include "networks/transformer_parameters.h"

namespace shardscope::conformance {

namespace {

/// What transformerOf() reads; of null and absent ones the second argument of numberOr() and flagOr() stands.
constexpr std::array knownModelKeys{ "num_layers", "encoder_layers", "decoder_layers", "hidden", "heads", "kv_heads",
    "head_dim", "ffn", "vocab", "gated_mlp", "tied_embeddings", "learned_positions", "relative_position_buckets",
    "qkv_bias", "o_bias", "mlp_bias", "biases", "norm", "norms_per_layer", "qk_norm", "parallel_block", "moe",
    "max_seq" };
constexpr std::array knownExpertKeys{ "experts", "topk", "ffn" };

bool isStated(const Json& config, const std::string& key)
{
    return config.contains(key) && !config.at(key).is_null();
}

std::int64_t numberOr(const Json& config, const std::string& key, std::int64_t otherwise)
{
    return isStated(config, key) ? config.at(key).get<std::int64_t>() : otherwise;
}

bool flagOr(const Json& config, const std::string& key, bool otherwise)
{
    return isStated(config, key) ? config.at(key).get<bool>() : otherwise;
}

/// "rmsnorm/ln(w)" has a scale alone, "layernorm(w+b)" a bias, too.
NormKind toNorm(const std::string& text)
{
    if (!text.starts_with("layernorm"))
        return NormKind::Rms;
    return text.find('b') != std::string::npos ? NormKind::Layer : NormKind::LayerWithoutBias;
}

TransformerSettings transformerOf(const Json& config)
{
    TransformerSettings s;
    s.encoderLayers = numberOr(config, "encoder_layers", 0);
    s.layers = isStated(config, "decoder_layers") ? numberOr(config, "decoder_layers", 0)
                                                  : config.at("num_layers").get<std::int64_t>();
    s.embed = config.at("hidden");
    s.heads = config.at("heads");
    s.kvHeads = numberOr(config, "kv_heads", s.heads);
    s.headSize = numberOr(config, "head_dim", s.embed / s.heads);
    s.mlp = config.at("ffn");
    s.vocab = config.at("vocab");
    s.gatedMlp = flagOr(config, "gated_mlp", false);
    s.tiedLogits = flagOr(config, "tied_embeddings", false);
    const bool biases = flagOr(config, "biases", false);
    s.qkvBias = flagOr(config, "qkv_bias", biases);
    s.outputBias = flagOr(config, "o_bias", biases);
    s.mlpBias = flagOr(config, "mlp_bias", biases);
    s.norm = toNorm(isStated(config, "norm") ? config.at("norm").get<std::string>() : std::string());
    s.parallelBlock = flagOr(config, "parallel_block", false);
    const std::int64_t norms = numberOr(config, "norms_per_layer", s.parallelBlock ? 1 : 2);
    s.parallelNorms = s.parallelBlock && norms > 1;
    s.normPlacement = norms == 4 ? NormPlacement::BeforeAndAfter : NormPlacement::Before;
    s.queryKeyNorm = flagOr(config, "qk_norm", false);
    if (const std::int64_t positions = numberOr(config, "learned_positions", 0); positions > 0) {
        s.positions = PositionKind::Learned;
        s.maximumLength = positions;
    } else if (s.encoderLayers > 0 || isStated(config, "relative_position_buckets")) {
        s.positions = PositionKind::RelativeBias;
        s.relativeBuckets = numberOr(config, "relative_position_buckets", 32);
    }
    if (isStated(config, "moe")) {
        const Json& moe = config.at("moe");
        s.experts = ExpertSettings{ .experts = moe.at("experts"), .perToken = moe.at("topk") };
        s.experts->mlp = numberOr(moe, "ffn", 0);
    }
    return s;
}

/// A key of blocks that settings cannot say; "" where there is none.
template <class Known>
std::string furtherBlock(const Json& config, const Known& known)
{
    for (const auto& [key, value] : config.items()) {
        const bool isOff = value.is_null() || value == false || value == 0;
        if (!isOff && std::find(known.begin(), known.end(), key) == known.end())
            return key;
    }
    return {};
}

} // namespace

CaseResult checkModels(const Json& oneCase, const Json&)
{
    if (oneCase.at("total_params_status") != "exact")
        return CaseResult::unsupported("a number of parameters that is not exact");
    const Json& config = oneCase.at("config");
    std::string further = furtherBlock(config, knownModelKeys);
    if (further.empty() && isStated(config, "moe"))
        further = furtherBlock(config.at("moe"), knownExpertKeys);
    const TransformerSettings settings = transformerOf(config);
    if (const Result<void> checked = checkTransformer(settings); !checked)
        return CaseResult::failed("settings are refused: " + std::string(checked.error().kind()));
    Json actual{ { "total_params", parameterCount(settings) } };
    if (isStated(oneCase, "active_params"))
        actual["active_params"] = activeParameterCount(settings);
    CaseResult result = compareMembers(oneCase, actual);
    if (result.status == CaseResult::Status::Failed && !further.empty())
        return CaseResult::unsupported("networks have no " + further);
    if (result.status == CaseResult::Status::Failed)
        return result;
    const TransformerPreset* const preset = findPreset(oneCase.at("id").get<std::string>());
    if (!preset) // a model that does not come with the product
        return result;
    actual["total_params"] = parameterCount(preset->settings);
    if (isStated(oneCase, "active_params"))
        actual["active_params"] = activeParameterCount(preset->settings);
    if (result = compareMembers(oneCase, actual); result.status == CaseResult::Status::Failed)
        result.difference = "the preset: " + result.difference;
    else if (preset->parameters != parameterCount(settings) || !preset->exact)
        return CaseResult::failed("the preset states another number than it has");
    return result;
}

} // namespace shardscope::conformance
