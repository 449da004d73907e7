// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in interchange/hugging_face_families.h.
#include <algorithm>
#include <string>
#include <string_view>

#include "interchange/hugging_face_families.h"
#include "interchange/hugging_face_keys.h"

namespace shardscope {

namespace {

/// LayerNorm, an MLP of two layers, biases.
TransformerSettings withLayerNorm()
{
    TransformerSettings s;
    s.norm = NormKind::Layer;
    s.gatedMlp = false;
    s.qkvBias = s.outputBias = s.mlpBias = true;
    return s;
}

} // namespace

TransformerSettings readGpt2(ConfigFields& fields)
{
    TransformerSettings s = withLayerNorm();
    s.embed = fields.size("n_embd");
    s.layers = fields.size("n_layer");
    readHeads(fields, s, { "n_embd", "n_head" });
    s.mlp = fields.size("n_inner", 4 * s.embed);
    s.vocab = fields.size("vocab_size");
    s.positions = PositionKind::Learned;
    s.maximumLength = fields.size("n_positions");
    s.length = std::min(s.maximumLength, usualLength);
    s.normEpsilon = fields.real("layer_norm_epsilon", 1e-5);
    s.activation = readActivation(fields, "activation_function", fields.word("activation_function", "gelu_new"));
    s.tiedLogits = fields.flag("tie_word_embeddings", true);
    s.scaledAttention = fields.flag("scale_attn_weights", true);
    fields.leaveOut("scale_attn_by_inverse_layer_idx");
    readTypes(fields, s);
    return s;
}

TransformerSettings readGptNeoX(ConfigFields& fields)
{
    TransformerSettings s = withLayerNorm();
    s.embed = fields.size("hidden_size");
    s.layers = fields.size("num_hidden_layers");
    readHeads(fields, s, { "hidden_size", "num_attention_heads" });
    s.mlp = fields.size("intermediate_size");
    s.vocab = fields.size("vocab_size");
    s.length = std::min(fields.size("max_position_embeddings", usualLength), usualLength);
    s.rotaryFraction = fields.real("rotary_pct", 0.25);
    s.rotaryBase = fields.real(fields.has("rope_theta") ? "rope_theta" : "rotary_emb_base", 10000);
    s.normEpsilon = fields.real("layer_norm_eps", 1e-5);
    s.activation = readActivation(fields, "hidden_act", fields.word("hidden_act", "gelu"));
    s.parallelBlock = s.parallelNorms = fields.flag("use_parallel_residual", true);
    s.qkvBias = s.outputBias = fields.flag("attention_bias", true);
    s.tiedLogits = fields.flag("tie_word_embeddings", false);
    fields.leaveOut("rope_scaling");
    readTypes(fields, s);
    return s;
}

TransformerSettings readMpt(ConfigFields& fields)
{
    TransformerSettings s = withLayerNorm();
    s.embed = fields.size("d_model");
    s.layers = fields.size("n_layers");
    fields.addInner("attn_config");
    const std::string attention = fields.word("attn_config.attn_type", "multihead_attention");
    const bool single = attention == "multiquery_attention";
    readHeads(fields, s, { "d_model", "n_heads", "attn_config.kv_n_heads" }, { .kvHeads = single ? 1 : asHeads });
    if (!single && attention != "multihead_attention" && attention != "grouped_query_attention")
        fields.unknownValue("attn_config.attn_type", attention,
            { "multihead_attention", "multiquery_attention", "grouped_query_attention" });
    fields.refuse("attn_config.qk_ln");
    fields.refuse("attn_config.rope");
    for (const char* key : { "attn_config.clip_qkv", "attn_config.prefix_lm", "attn_config.softmax_scale",
             "attn_config.attn_uses_sequence_id", "logit_scale", "embedding_fraction" })
        fields.leaveOut(key, "1");
    s.mlp = s.embed * fields.size("expansion_ratio", 4);
    s.vocab = fields.size("vocab_size");
    s.maximumLength = fields.size("max_seq_len");
    s.length = std::min(s.maximumLength, usualLength);
    // A bias of attention by distance (ALiBi) has no parameters; the table of positions is there without it alone.
    const bool learned = fields.flag("learned_pos_emb", true) && !fields.flag("attn_config.alibi", false);
    fields.leaveOut("attn_config.alibi");
    fields.ignore("attn_config.alibi_bias_max");
    s.positions = learned ? PositionKind::Learned : PositionKind::None;
    const bool biases = !fields.flag("no_bias", true);
    s.qkvBias = s.outputBias = s.mlpBias = biases;
    s.norm = biases ? NormKind::Layer : NormKind::LayerWithoutBias;
    if (const std::string norm = fields.word("norm_type", "layernorm");
        norm != "layernorm" && norm != "low_precision_layernorm")
        fields.unknownValue("norm_type", norm, { "layernorm", "low_precision_layernorm" });
    s.normEpsilon = fields.real("layer_norm_epsilon", 1e-5);
    s.activation = ActivationKind::Gelu;
    s.tiedLogits = fields.flag("tie_word_embeddings", true);
    readTypes(fields, s);
    return s;
}

TransformerSettings readT5(ConfigFields& fields)
{
    TransformerSettings s;
    s.embed = fields.size("d_model");
    s.encoderLayers = fields.size("num_layers");
    s.layers = fields.size("num_decoder_layers", s.encoderLayers);
    s.heads = s.kvHeads = fields.size("num_heads");
    s.headSize = fields.size("d_kv");
    s.mlp = fields.size("d_ff");
    s.vocab = fields.size("vocab_size");
    s.length = s.encoderLength = std::min(fields.size("n_positions", 512), usualLength);
    s.positions = PositionKind::RelativeBias;
    s.relativeBuckets = fields.size("relative_attention_num_buckets", 32);
    s.relativeMaximumDistance = fields.size("relative_attention_max_distance", 128);
    std::string activation = fields.word("feed_forward_proj", "relu");
    s.gatedMlp = activation.starts_with("gated-");
    if (s.gatedMlp)
        activation.erase(0, std::string_view("gated-").size());
    s.activation = readActivation(fields, "feed_forward_proj", activation);
    for (const char* key : { "dense_act_fn", "is_gated_act" }) // which that one says as well
        fields.ignore(key);
    s.normEpsilon = fields.real("layer_norm_epsilon", 1e-6);
    s.tiedLogits = s.scaledLogits = fields.flag("tie_word_embeddings", true);
    s.scaledAttention = false;
    readTypes(fields, s);
    return s;
}

} // namespace shardscope
