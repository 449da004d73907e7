// SPDX-License-Identifier: GPL-3.0-or-later
#include "interchange/hugging_face_families.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "interchange/hugging_face_keys.h"

namespace shardscope {

namespace {

/// Positions that are divided by a number; other ways to stretch them are left out.
void readRotaryFactor(ConfigFields& fields, TransformerSettings& s)
{
    const Literal* const scaling = fields.peek("rope_scaling");
    const auto isLinear = [&](const char* key) {
        const Literal* const type = scaling ? memberOf(*scaling, key) : nullptr;
        return type && type->kind == Literal::Kind::String && type->text == "linear";
    };
    if (!isLinear("rope_type") && !isLinear("type")) {
        fields.leaveOut("rope_scaling");
        return;
    }
    fields.addInner("rope_scaling");
    for (const char* key : { "rope_scaling.rope_type", "rope_scaling.type" })
        static_cast<void>(fields.take(key));
    s.rotaryFactor = fields.real("rope_scaling.factor", 1);
}

void readRotary(ConfigFields& fields, TransformerSettings& s)
{
    fields.addInner("rope_parameters"); // where newer files have the two
    const bool isInner = fields.has("rope_parameters.rope_theta");
    s.rotaryBase = fields.real(isInner ? "rope_parameters.rope_theta" : "rope_theta", 10000);
    s.rotaryFraction = fields.has("partial_rotary_factor") ? fields.real("partial_rotary_factor", 1) : 1;
    fields.leaveOut("rope_parameters.rope_type", "default");
    for (const char* key :
        { "rope_parameters.full_attention", "rope_parameters.sliding_attention", "rope_parameters.factor" })
        fields.leaveOut(key);
    readRotaryFactor(fields, s);
}

/// A window is what `window` says; every `pattern` layers, as "layer_types" lists them, one sees all tokens. Other
/// lists are left out, and then each layer sees all.
void readWindows(ConfigFields& fields, TransformerSettings& s, std::int64_t window, std::int64_t pattern)
{
    s.slidingWindow = fields.size("sliding_window", window);
    const bool isOld = fields.has("_sliding_window_pattern") && !fields.has("sliding_window_pattern");
    s.windowPattern = fields.size(isOld ? "_sliding_window_pattern" : "sliding_window_pattern", pattern);
    const Literal* const types = fields.peek("layer_types");
    if (!types || !types->isSequence())
        return;
    bool isPattern = static_cast<std::int64_t>(types->items.size()) == s.layers;
    for (std::size_t i = 0; i < types->items.size(); ++i) {
        const bool seesAll = (static_cast<std::int64_t>(i) + 1) % s.windowPattern == 0;
        isPattern = isPattern && types->items[i].text == (seesAll ? "full_attention" : "sliding_attention");
    }
    if (isPattern) {
        static_cast<void>(fields.take("layer_types"));
        return;
    }
    fields.leaveOut("layer_types");
    s.slidingWindow = s.windowPattern = 0;
}

/// What most decoders of today share: Llama's names of keys, rotary positions, RMSNorm, a gated MLP, no biases.
TransformerSettings readDecoder(ConfigFields& fields, const DecoderDefaults& defaults)
{
    TransformerSettings s;
    s.embed = fields.size("hidden_size");
    s.layers = fields.size("num_hidden_layers");
    readHeads(fields, s, { "hidden_size", "num_attention_heads", "num_key_value_heads", "head_dim" }, defaults);
    s.mlp = fields.size("intermediate_size");
    s.vocab = fields.size("vocab_size", defaults.vocab);
    s.length = std::min(fields.size("max_position_embeddings", usualLength), usualLength);
    s.normEpsilon = fields.real("rms_norm_eps", 1e-6);
    s.tiedLogits = fields.flag("tie_word_embeddings", defaults.tied);
    readRotary(fields, s);
    readTypes(fields, s);
    fields.leaveOut("quantization_config");
    for (const char* key : { "vision_config", "audio_config" })
        fields.leaveOutPart(key);
    return s;
}

void readSilu(ConfigFields& fields, TransformerSettings& s)
{
    s.activation = readActivation(fields, "hidden_act", fields.word("hidden_act", "silu"));
}

void readWindow(ConfigFields& fields, TransformerSettings& s)
{
    if (fields.has("sliding_window"))
        s.slidingWindow = fields.size("sliding_window");
}

void readAttentionBias(ConfigFields& fields, TransformerSettings& s)
{
    s.qkvBias = s.outputBias = fields.flag("attention_bias", false);
}

TransformerSettings readLlama(ConfigFields& fields)
{
    TransformerSettings s = readDecoder(fields, { .kvHeads = asHeads });
    readSilu(fields, s);
    readAttentionBias(fields, s);
    s.mlpBias = fields.flag("mlp_bias", false);
    return s;
}

TransformerSettings readMistral(ConfigFields& fields)
{
    TransformerSettings s = readDecoder(fields, {});
    readSilu(fields, s);
    readWindow(fields, s);
    return s;
}

ExpertSettings readExperts(ConfigFields& fields, const char* experts, const char* perToken)
{
    ExpertSettings e;
    e.experts = fields.size(experts);
    e.perToken = fields.size(perToken);
    if (e.perToken > e.experts)
        fields.contradict(perToken, e.perToken, experts, e.experts, "at_most");
    return e;
}

TransformerSettings readMixtral(ConfigFields& fields)
{
    TransformerSettings s = readMistral(fields);
    s.experts = readExperts(fields, "num_local_experts", "num_experts_per_tok");
    return s;
}

TransformerSettings readAnyGemma(ConfigFields& fields, const DecoderDefaults& defaults)
{
    TransformerSettings s = readDecoder(fields, defaults);
    const char* const key = fields.has("hidden_activation") ? "hidden_activation" : "hidden_act";
    s.activation = readActivation(fields, key, fields.word(key, "gelu_pytorch_tanh"));
    fields.ignore(key == std::string_view("hidden_act") ? "hidden_activation" : "hidden_act");
    readAttentionBias(fields, s);
    s.normPlusOne = s.scaledEmbedding = true;
    return s;
}

TransformerSettings readGemma(ConfigFields& fields)
{
    return readAnyGemma(fields, { .tied = true, .headSize = 256 });
}

constexpr double usualScalar = 256; ///< by whose root logits of attention are divided

TransformerSettings readNormsAfter(ConfigFields& fields, const DecoderDefaults& defaults)
{
    TransformerSettings s = readAnyGemma(fields, defaults);
    s.normPlacement = NormPlacement::BeforeAndAfter;
    s.attentionSoftcap = fields.real("attn_logit_softcapping", 0);
    s.logitSoftcap = fields.real("final_logit_softcapping", 0);
    const double scalar = fields.real("query_pre_attn_scalar", usualScalar);
    s.attentionScalar = scalar == static_cast<double>(s.headSize) ? 0 : scalar;
    return s;
}

TransformerSettings readGemma2(ConfigFields& fields)
{
    TransformerSettings s = readNormsAfter(fields, { .tied = true, .headSize = 256 });
    readWindows(fields, s, 4096, 2);
    return s;
}

/// Files of the larger models leave out what all of them share.
TransformerSettings readGemma3(ConfigFields& fields)
{
    TransformerSettings s =
        readNormsAfter(fields, { .tied = true, .heads = 8, .kvHeads = 4, .headSize = 256, .vocab = 262208 });
    s.queryKeyNorm = true;
    readWindows(fields, s, 4096, 6);
    s.windowRotaryBase = fields.real("rope_local_base_freq", 10000);
    fields.leaveOut("use_bidirectional_attention");
    return s;
}

/// The window counts only where use_sliding_window says so, and then only in some layers.
void leaveQwenWindowOut(ConfigFields& fields)
{
    const bool isUsed = fields.has("use_sliding_window") && fields.flag("use_sliding_window", false);
    for (const char* key : { "sliding_window", "max_window_layers", "layer_types" })
        if (isUsed)
            fields.leaveOut(key);
        else
            fields.ignore(key);
}

TransformerSettings readQwen2(ConfigFields& fields)
{
    TransformerSettings s = readDecoder(fields, {});
    readSilu(fields, s);
    s.qkvBias = true;
    leaveQwenWindowOut(fields);
    fields.ignore("use_mrope");
    return s;
}

TransformerSettings readQwen3(ConfigFields& fields)
{
    TransformerSettings s = readDecoder(fields, { .headSize = 128 });
    readSilu(fields, s);
    readAttentionBias(fields, s);
    s.queryKeyNorm = true;
    leaveQwenWindowOut(fields);
    return s;
}

TransformerSettings readQwen3Moe(ConfigFields& fields)
{
    TransformerSettings s = readQwen3(fields);
    s.experts = readExperts(fields, "num_experts", "num_experts_per_tok");
    s.experts->mlp = fields.size("moe_intermediate_size");
    s.experts->normalise = fields.flag("norm_topk_prob", false);
    fields.refuse("mlp_only_layers"); // layers without experts
    fields.refuse("decoder_sparse_step", "1");
    return s;
}

/// A gate decides how much of the shared experts counts.
TransformerSettings readQwen2Moe(ConfigFields& fields)
{
    TransformerSettings s = readQwen2(fields);
    s.experts = readExperts(fields, "num_experts", "num_experts_per_tok");
    s.experts->mlp = fields.size("moe_intermediate_size");
    s.experts->sharedMlp = fields.size("shared_expert_intermediate_size");
    s.experts->sharedGate = true;
    s.experts->normalise = fields.flag("norm_topk_prob", false);
    fields.refuse("mlp_only_layers"); // layers without experts
    fields.refuse("decoder_sparse_step", "1");
    return s;
}

/// What the versions of DeepSeek assume.
struct DeepSeekDefaults {
    bool normalise = false;
    const char* score = "softmax";
};

RouterScore readScore(ConfigFields& fields, const char* fallback)
{
    const std::string score = fields.word("scoring_func", fallback);
    if (score != "softmax" && score != "sigmoid")
        fields.unknownValue("scoring_func", score, { "softmax", "sigmoid" });
    return score == "sigmoid" ? RouterScore::Sigmoid : RouterScore::Softmax;
}

/// Which experts a token may choose from is not restricted to groups here, nor are choices balanced by a bias.
void readDeepSeekExperts(ConfigFields& fields, TransformerSettings& s, const DeepSeekDefaults& defaults)
{
    ExpertSettings& e = s.experts.emplace(readExperts(fields, "n_routed_experts", "num_experts_per_tok"));
    e.mlp = fields.size("moe_intermediate_size");
    e.normalise = fields.flag("norm_topk_prob", defaults.normalise);
    e.score = readScore(fields, defaults.score);
    e.scale = fields.real("routed_scaling_factor", 1);
    e.sharedMlp = saturatingProduct(fields.count("n_shared_experts"), e.mlp);
    e.denseLayers = fields.count("first_k_dense_replace");
    if (e.denseLayers > s.layers)
        fields.contradict("first_k_dense_replace", e.denseLayers, "num_hidden_layers", s.layers, "at_most");
    fields.refuse("moe_layer_freq", "1");
    const Literal* const method = fields.peek("topk_method");
    if (method && method->text == "noaux_tc") // a bias for each expert
        fields.leaveOutPart("topk_method");
    else
        fields.leaveOut("topk_method", "greedy");
    for (const char* key : { "n_group", "topk_group" })
        fields.leaveOut(key, "1");
}

TransformerSettings readAnyDeepSeek(ConfigFields& fields, const DeepSeekDefaults& defaults)
{
    const bool isLatent = fields.has("kv_lora_rank");
    const std::int64_t headSize = isLatent ? fields.size("qk_nope_head_dim") : 0;
    TransformerSettings s = readDecoder(fields, { .kvHeads = asHeads, .headSize = headSize });
    readSilu(fields, s);
    if (isLatent) {
        s.headSize = headSize; // "head_dim" is that of the rotated elements
        LatentSettings& latent = s.latent.emplace();
        latent.rank = fields.size("kv_lora_rank");
        latent.queryRank = fields.has("q_lora_rank") ? fields.size("q_lora_rank") : 0;
        latent.rotarySize = fields.size("qk_rope_head_dim");
        latent.valueSize = fields.size("v_head_dim");
        for (const char* key : { "qk_head_dim", "rope_interleave" }) // a sum of these; an order of elements
            fields.ignore(key);
        fields.refuse("attention_bias");
    } else {
        readAttentionBias(fields, s);
    }
    if (fields.has("n_routed_experts"))
        readDeepSeekExperts(fields, s, defaults);
    fields.leaveOutPart("num_nextn_predict_layers"); // layers that predict further tokens
    return s;
}

TransformerSettings readDeepSeek(ConfigFields& fields)
{
    return readAnyDeepSeek(fields, {});
}

TransformerSettings readDeepSeekV3(ConfigFields& fields)
{
    return readAnyDeepSeek(fields, { .normalise = true, .score = "sigmoid" });
}

constexpr std::array familyRows{
    HuggingFaceFamily{ "llama", true, readLlama },
    HuggingFaceFamily{ "mistral", false, readMistral },
    HuggingFaceFamily{ "mixtral", false, readMixtral },
    HuggingFaceFamily{ "gemma", false, readGemma },
    HuggingFaceFamily{ "gemma2", false, readGemma2 },
    HuggingFaceFamily{ "gemma3", false, readGemma3 },
    HuggingFaceFamily{ "qwen2", false, readQwen2 },
    HuggingFaceFamily{ "qwen2_moe", false, readQwen2Moe },
    HuggingFaceFamily{ "qwen3", false, readQwen3 },
    HuggingFaceFamily{ "qwen3_moe", false, readQwen3Moe },
    HuggingFaceFamily{ "gpt2", false, readGpt2 },
    HuggingFaceFamily{ "gpt_neox", false, readGptNeoX },
    HuggingFaceFamily{ "mpt", false, readMpt },
    HuggingFaceFamily{ "t5", false, readT5 },
    HuggingFaceFamily{ "deepseek", false, readDeepSeek },
    HuggingFaceFamily{ "deepseek_v2", false, readDeepSeek },
    HuggingFaceFamily{ "deepseek_v3", false, readDeepSeekV3 },
};

/// "Qwen3MoeForCausalLM", "qwen3_moe" and "qwen3_moe_text" are "qwen3moe".
std::string plainFamily(std::string_view name)
{
    for (const std::string_view rest :
        { "ForCausalLM", "ForConditionalGeneration", "WithLMHeadModel", "LMHeadModel", "Model", "_text" })
        if (name.size() > rest.size() && name.ends_with(rest)) {
            name.remove_suffix(rest.size());
            break;
        }
    std::string plain;
    for (const char c : name)
        if (c != '_')
            plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return plain;
}

} // namespace

std::span<const HuggingFaceFamily> huggingFaceFamilyRows()
{
    return familyRows;
}

const HuggingFaceFamily* findHuggingFaceFamily(std::string_view name)
{
    const std::string plain = plainFamily(name);
    const auto found = std::find_if(familyRows.begin(), familyRows.end(),
        [&](const HuggingFaceFamily& family) { return plainFamily(family.name) == plain; });
    return found != familyRows.end() ? &*found : nullptr;
}

} // namespace shardscope
