// SPDX-License-Identifier: GPL-3.0-or-later
#include "interchange/hugging_face_families.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "interchange/hugging_face_keys.h"
#include "interchange/hugging_face_other_keys.h"

namespace shardscope {

namespace {

void readRotary(ConfigFields& fields, TransformerSettings& s)
{
    fields.addInner("rope_parameters"); // where newer files have the two
    const bool isInner = fields.has("rope_parameters.rope_theta");
    s.rotaryBase = fields.real(isInner ? "rope_parameters.rope_theta" : "rope_theta", 10000);
    s.rotaryFraction = fields.has("partial_rotary_factor") ? fields.real("partial_rotary_factor", 1) : 1;
    fields.leaveOut("rope_parameters.rope_type", "default");
    for (const char* key : { "rope_scaling", "rope_parameters.full_attention", "rope_parameters.sliding_attention",
             "rope_parameters.factor" })
        fields.leaveOut(key);
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
        fields.leaveOut(key);
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

/// Every second or sixth layer sees all tokens, the others a window: here all layers see all.
void leaveWindowsOut(ConfigFields& fields)
{
    for (const char* key : { "sliding_window", "sliding_window_pattern", "_sliding_window_pattern", "layer_types" })
        fields.leaveOut(key);
}

/// Logits of attention are divided by the root of a number of their own.
void leaveScaleOut(ConfigFields& fields, const TransformerSettings& s)
{
    fields.leaveOut("query_pre_attn_scalar", std::to_string(s.headSize));
}

TransformerSettings readNormsAfter(ConfigFields& fields, const DecoderDefaults& defaults)
{
    TransformerSettings s = readAnyGemma(fields, defaults);
    s.normPlacement = NormPlacement::BeforeAndAfter;
    s.attentionSoftcap = fields.real("attn_logit_softcapping", 0);
    s.logitSoftcap = fields.real("final_logit_softcapping", 0);
    leaveWindowsOut(fields);
    leaveScaleOut(fields, s);
    return s;
}

TransformerSettings readGemma2(ConfigFields& fields)
{
    return readNormsAfter(fields, { .tied = true, .headSize = 256 });
}

/// Files of the larger models leave out what all of them share.
TransformerSettings readGemma3(ConfigFields& fields)
{
    TransformerSettings s =
        readNormsAfter(fields, { .tied = true, .heads = 8, .kvHeads = 4, .headSize = 256, .vocab = 262208 });
    s.queryKeyNorm = true;
    fields.leaveOut("rope_local_base_freq");
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

/// Blocks that DeepSeek's models have and networks here lack: latent attention, shared experts, layers without experts
/// before those that have them, prediction of further tokens.
TransformerSettings readDeepSeek(ConfigFields& fields)
{
    for (const char* key : { "kv_lora_rank", "q_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim",
             "n_shared_experts", "first_k_dense_replace", "num_nextn_predict_layers" })
        fields.refuse(key);
    fields.refuse("moe_layer_freq", "1");
    TransformerSettings s = readDecoder(fields, { .kvHeads = asHeads });
    readSilu(fields, s);
    readAttentionBias(fields, s);
    if (fields.has("n_routed_experts")) {
        s.experts = readExperts(fields, "n_routed_experts", "num_experts_per_tok");
        s.experts->mlp = fields.size("moe_intermediate_size");
        s.experts->normalise = fields.flag("norm_topk_prob", false);
    }
    fields.leaveOut("scoring_func", "softmax");
    fields.leaveOut("topk_method", "greedy");
    for (const char* key : { "routed_scaling_factor", "n_group", "topk_group" })
        fields.leaveOut(key, "1");
    return s;
}

constexpr std::array familyRows{
    HuggingFaceFamily{ "llama", true, readLlama },
    HuggingFaceFamily{ "mistral", false, readMistral },
    HuggingFaceFamily{ "mixtral", false, readMixtral },
    HuggingFaceFamily{ "gemma", false, readGemma },
    HuggingFaceFamily{ "gemma2", false, readGemma2 },
    HuggingFaceFamily{ "gemma3", false, readGemma3 },
    HuggingFaceFamily{ "qwen2", false, readQwen2 },
    HuggingFaceFamily{ "qwen3", false, readQwen3 },
    HuggingFaceFamily{ "qwen3_moe", false, readQwen3Moe },
    HuggingFaceFamily{ "gpt2", false, readGpt2 },
    HuggingFaceFamily{ "gpt_neox", false, readGptNeoX },
    HuggingFaceFamily{ "mpt", false, readMpt },
    HuggingFaceFamily{ "t5", false, readT5 },
    HuggingFaceFamily{ "deepseek", false, readDeepSeek },
    HuggingFaceFamily{ "deepseek_v2", false, readDeepSeek },
    HuggingFaceFamily{ "deepseek_v3", false, readDeepSeek },
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
