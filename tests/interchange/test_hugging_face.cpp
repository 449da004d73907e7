// SPDX-License-Identifier: GPL-3.0-or-later
// Configurations of Hugging Face: each architecture against the preset of the same model, and what is refused.
#include <QtTest>

#include <fstream>
#include <sstream>

#include "base/codes.h"
#include "interchange/hugging_face.h"
#include "networks/presets.h"
#include "networks/transformer_parameters.h"
#include "registered_test.h"
#include "shared_facts.h"

using namespace shardscope;

namespace {

const std::string llama = R"({
  "architectures": ["LlamaForCausalLM"],
  "attention_bias": false,
  "attention_dropout": 0.0,
  "bos_token_id": 128000,
  "hidden_act": "silu",
  "hidden_size": 4096,
  "initializer_range": 0.02,
  "intermediate_size": 14336,
  "max_position_embeddings": 8192,
  "model_type": "llama",
  "num_attention_heads": 32,
  "num_hidden_layers": 32,
  "num_key_value_heads": 8,
  "rms_norm_eps": 1e-05,
  "rope_scaling": null,
  "rope_theta": 500000.0,
  "tie_word_embeddings": false,
  "torch_dtype": "bfloat16",
  "use_cache": true,
  "vocab_size": 128256
})";

/// The text with one part replaced by another.
std::string with(std::string text, const std::string& part, const std::string& other)
{
    const std::size_t at = text.find(part);
    if (at == std::string::npos)
        qFatal("no %s", part.c_str());
    return text.replace(at, part.size(), other);
}

std::vector<std::string> keysOf(const std::vector<ConfigField>& fields)
{
    std::vector<std::string> keys;
    for (const ConfigField& field : fields)
        keys.push_back(field.key);
    return keys;
}

/// "W240 rope_scaling, W242 "
std::string warningsOf(const ReadHuggingFace& read)
{
    std::string text;
    for (const Diagnostic& warning : read.warnings)
        text += (text.empty() ? "" : ", ") + std::string(warning.id()) + ' ' + warning.text("key");
    return text;
}

} // namespace

class TestHuggingFace : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void presets_data();
    void presets();
    void lists();
    void realFile();
    void defaults();
    void warnings();
    void positionsByDistance();
    void windows();
    void readAs();
    void innerConfigurations();
    void refuses_data();
    void refuses();
    void places();
    void families();
};

void TestHuggingFace::presets_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("preset");
    QTest::addColumn<QString>("warnings");
    const auto row = [](const char* preset, const std::string& text, const char* warnings = "W242 ") {
        QTest::newRow(preset) << QString::fromStdString(text) << QString(preset) << QString(warnings);
    };
    row("llama3-8b", llama, "");
    row("mistral-7b", R"({"model_type": "mistral", "architectures": ["MistralForCausalLM"], "hidden_size": 4096,
        "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336,
        "vocab_size": 32000, "hidden_act": "silu", "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "sliding_window": null,
        "max_position_embeddings": 32768, "dtype": "bfloat16"})");
    row("mixtral-8x7b", R"({"model_type": "mixtral", "hidden_size": 4096, "num_hidden_layers": 32,
        "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 32000,
        "num_local_experts": 8, "num_experts_per_tok": 2, "rms_norm_eps": 1e-05, "rope_theta": 1000000.0,
        "router_aux_loss_coef": 0.02, "output_router_logits": false, "torch_dtype": "bfloat16"})");
    row("gemma-2b", R"({"model_type": "gemma", "hidden_size": 2048, "num_hidden_layers": 18, "num_attention_heads": 8,
        "num_key_value_heads": 1, "head_dim": 256, "intermediate_size": 16384, "vocab_size": 256000,
        "hidden_act": "gelu", "hidden_activation": null, "rms_norm_eps": 1e-06, "rope_theta": 10000.0,
        "torch_dtype": "bfloat16"})");
    row("gemma2-27b", R"({"model_type": "gemma2", "hidden_size": 4608, "num_hidden_layers": 46,
        "num_attention_heads": 32, "num_key_value_heads": 16, "head_dim": 128, "intermediate_size": 36864,
        "vocab_size": 256000, "hidden_activation": "gelu_pytorch_tanh", "attn_logit_softcapping": 50.0,
        "final_logit_softcapping": 30.0, "sliding_window": 4096, "query_pre_attn_scalar": 144,
        "torch_dtype": "bfloat16"})",
        "W242 ");
    row("gemma3-1b", R"({"architectures": ["Gemma3ForCausalLM"], "model_type": "gemma3_text", "hidden_size": 1152,
        "num_hidden_layers": 26, "num_attention_heads": 4, "num_key_value_heads": 1, "head_dim": 256,
        "intermediate_size": 6912, "vocab_size": 262144, "attn_logit_softcapping": null,
        "query_pre_attn_scalar": 256, "rope_theta": 1000000, "rope_local_base_freq": 10000, "sliding_window": 512,
        "sliding_window_pattern": 6, "torch_dtype": "bfloat16"})");
    row(
        "gemma2-2b",
        R"({"model_type": "gemma2", "hidden_size": 2304, "num_hidden_layers": 26,
        "num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256, "intermediate_size": 9216,
        "vocab_size": 256000, "hidden_activation": "gelu_pytorch_tanh", "attn_logit_softcapping": 50.0,
        "final_logit_softcapping": 30.0, "sliding_window": 4096, "query_pre_attn_scalar": 256, "layer_types": [)"
            + std::string("\"sliding_attention\", \"full_attention\"") +
            [] {
                std::string rest;
                for (int pair = 1; pair < 13; ++pair)
                    rest += ", \"sliding_attention\", \"full_attention\"";
                return rest;
            }()
            + R"(], "torch_dtype": "bfloat16"})",
        "W242 ");
    row("qwen2.5-0.5b", R"({"model_type": "qwen2", "hidden_size": 896, "num_hidden_layers": 24,
        "num_attention_heads": 14, "num_key_value_heads": 2, "intermediate_size": 4864, "vocab_size": 151936,
        "max_window_layers": 21, "sliding_window": 32768, "use_sliding_window": false, "rms_norm_eps": 1e-06,
        "rope_theta": 1000000.0, "tie_word_embeddings": true, "torch_dtype": "bfloat16"})");
    row("qwen1.5-moe-a2.7b", R"({"model_type": "qwen2_moe", "architectures": ["Qwen2MoeForCausalLM"],
        "hidden_size": 2048, "num_hidden_layers": 24, "num_attention_heads": 16, "num_key_value_heads": 16,
        "intermediate_size": 5632, "moe_intermediate_size": 1408, "shared_expert_intermediate_size": 5632,
        "num_experts": 60, "num_experts_per_tok": 4, "norm_topk_prob": false, "decoder_sparse_step": 1,
        "vocab_size": 151936, "max_window_layers": 21, "sliding_window": 32768, "use_sliding_window": false,
        "rms_norm_eps": 1e-06, "rope_theta": 1000000.0, "tie_word_embeddings": false, "torch_dtype": "bfloat16"})");
    row("deepseek-v2-lite", R"({"model_type": "deepseek_v2", "architectures": ["DeepseekV2ForCausalLM"],
        "hidden_size": 2048, "num_hidden_layers": 27, "num_attention_heads": 16, "num_key_value_heads": 16,
        "intermediate_size": 10944, "moe_intermediate_size": 1408, "n_routed_experts": 64, "n_shared_experts": 2,
        "num_experts_per_tok": 6, "first_k_dense_replace": 1, "moe_layer_freq": 1, "kv_lora_rank": 512,
        "q_lora_rank": null, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
        "norm_topk_prob": false, "scoring_func": "softmax", "topk_method": "greedy", "n_group": 1, "topk_group": 1,
        "routed_scaling_factor": 1.0, "vocab_size": 102400, "rms_norm_eps": 1e-06, "rope_theta": 10000,
        "rope_scaling": {"type": "yarn", "factor": 40}, "aux_loss_alpha": 0.001, "seq_aux": true, "ep_size": 1,
        "attention_bias": false, "max_position_embeddings": 163840, "torch_dtype": "bfloat16"})",
        "W242 , W240 rope_scaling");
    row("deepseek-v3", R"({"model_type": "deepseek_v3", "architectures": ["DeepseekV3ForCausalLM"],
        "hidden_size": 7168, "num_hidden_layers": 61, "num_attention_heads": 128, "num_key_value_heads": 128,
        "intermediate_size": 18432, "moe_intermediate_size": 2048, "n_routed_experts": 256, "n_shared_experts": 1,
        "num_experts_per_tok": 8, "first_k_dense_replace": 3, "moe_layer_freq": 1, "kv_lora_rank": 512,
        "q_lora_rank": 1536, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
        "norm_topk_prob": true, "scoring_func": "sigmoid", "topk_method": "noaux_tc", "n_group": 8,
        "routed_scaling_factor": 2.5, "vocab_size": 129280, "rms_norm_eps": 1e-06, "rope_theta": 10000,
        "num_nextn_predict_layers": 1, "torch_dtype": "bfloat16"})",
        "W242 , W240 topk_method, W240 n_group, W240 num_nextn_predict_layers");
    row("qwen3-8b", R"({"model_type": "qwen3", "hidden_size": 4096, "num_hidden_layers": 36,
        "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 12288,
        "vocab_size": 151936, "rope_theta": 1000000, "torch_dtype": "bfloat16"})");
    row("qwen3-235b-a22b", R"({"architectures": ["Qwen3MoeForCausalLM"], "hidden_size": 4096, "num_hidden_layers": 94,
        "num_attention_heads": 64, "num_key_value_heads": 4, "head_dim": 128, "intermediate_size": 12288,
        "moe_intermediate_size": 1536, "num_experts": 128, "num_experts_per_tok": 8, "norm_topk_prob": true,
        "decoder_sparse_step": 1, "mlp_only_layers": [], "vocab_size": 151936, "rope_theta": 1000000.0,
        "torch_dtype": "bfloat16"})");
    row("gpt2", R"({"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_embd": 768, "n_layer": 12,
        "n_head": 12, "n_positions": 1024, "n_ctx": 1024, "vocab_size": 50257, "layer_norm_epsilon": 1e-05,
        "activation_function": "gelu_new", "resid_pdrop": 0.1, "torch_dtype": "bfloat16",
        "task_specific_params": {"text-generation": {"do_sample": true}}})");
    row("gpt-neox-20b", R"({"model_type": "gpt_neox", "architectures": ["GPTNeoXForCausalLM"], "hidden_size": 6144,
        "num_hidden_layers": 44, "num_attention_heads": 64, "intermediate_size": 24576, "vocab_size": 50432,
        "max_position_embeddings": 2048, "rotary_pct": 0.25, "rotary_emb_base": 10000, "hidden_act": "gelu_fast",
        "layer_norm_eps": 1e-05, "torch_dtype": "bfloat16"})");
    row("mpt-7b", R"({"model_type": "mpt", "architectures": ["MPTForCausalLM"], "d_model": 4096, "n_layers": 32,
        "n_heads": 32, "expansion_ratio": 4, "max_seq_len": 2048, "vocab_size": 50368, "no_bias": false,
        "learned_pos_emb": true, "attn_config": {"alibi": false, "attn_impl": "torch", "qk_ln": false},
        "torch_dtype": "bfloat16"})");
    row("t5-large", R"({"model_type": "t5", "architectures": ["T5WithLMHeadModel"], "d_model": 1024, "d_kv": 64,
        "d_ff": 4096, "num_layers": 24, "num_heads": 16, "vocab_size": 32128, "n_positions": 512,
        "relative_attention_num_buckets": 32, "dropout_rate": 0.1, "is_encoder_decoder": true,
        "torch_dtype": "bfloat16"})");
    row("t5-v1.1-base", R"({"model_type": "t5", "d_model": 768, "d_kv": 64, "d_ff": 2048, "num_layers": 12,
        "num_decoder_layers": 12, "num_heads": 12, "vocab_size": 32128, "feed_forward_proj": "gated-gelu",
        "dense_act_fn": "gelu_new", "is_gated_act": true, "tie_word_embeddings": false, "torch_dtype": "bfloat16"})");
}

void TestHuggingFace::presets()
{
    QFETCH(QString, text);
    QFETCH(QString, preset);
    QFETCH(QString, warnings);
    const Result<ReadHuggingFace> read = readHuggingFace(text.toStdString());
    if (!read)
        QFAIL(std::string(read.error().kind()).append(" ").append(read.error().text("key")).c_str());
    const TransformerPreset* const expected = findPreset(preset.toStdString());
    QVERIFY(expected);
    QCOMPARE(parameterCount(read->settings), parameterCount(expected->settings));
    QVERIFY(read->settings == expected->settings);
    QCOMPARE(read->architecture, std::string(expected->family));
    QCOMPARE(QString::fromStdString(warningsOf(*read)), warnings);
}

/// Every key is in one list.
void TestHuggingFace::lists()
{
    const Result<ReadHuggingFace> read = readHuggingFace(llama);
    QVERIFY(read.has_value());
    QVERIFY(read->verified);
    QCOMPARE(keysOf(read->ignored),
        (std::vector<std::string>{
            "attention_dropout", "bos_token_id", "initializer_range", "rope_scaling", "use_cache" }));
    QCOMPARE(keysOf(read->used),
        (std::vector<std::string>{ "architectures", "attention_bias", "hidden_act", "hidden_size", "intermediate_size",
            "max_position_embeddings", "model_type", "num_attention_heads", "num_hidden_layers", "num_key_value_heads",
            "rms_norm_eps", "rope_theta", "tie_word_embeddings", "torch_dtype", "vocab_size" }));
    QVERIFY(read->assumed == (std::vector<ConfigField>{ { "mlp_bias", "false", 0 } }));
    QVERIFY((read->used[3] == ConfigField{ "hidden_size", "4096", 7 }));
    QVERIFY((read->ignored[0] == ConfigField{ "attention_dropout", "0.0", 4 }));
}

void TestHuggingFace::realFile()
{
    std::ifstream stream(test::sharedFacts() / "interchange/llama-3-8b_config.json");
    if (!stream)
        QSKIP("a configuration of Llama 3 is not at hand");
    std::stringstream text;
    text << stream.rdbuf();
    const Result<ReadHuggingFace> read = readHuggingFace(text.str());
    QVERIFY(read.has_value());
    QVERIFY(read->settings == findPreset("llama3-8b")->settings);
    QVERIFY(read->warnings.empty());
}

void TestHuggingFace::defaults()
{
    const Result<ReadHuggingFace> read = readHuggingFace(R"({"model_type": "llama", "hidden_size": 96,
        "num_hidden_layers": 3, "num_attention_heads": 6, "intermediate_size": 256, "vocab_size": 1000})");
    QVERIFY(read.has_value());
    TransformerSettings expected;
    expected.form = LayerForm::Scanned;
    expected.length = 2048;
    expected.layers = 3;
    expected.embed = 96;
    expected.heads = expected.kvHeads = 6;
    expected.headSize = 16;
    expected.vocab = 1000;
    QVERIFY(read->settings == expected);
    QCOMPARE(keysOf(read->assumed).front(), std::string("num_key_value_heads"));
    QCOMPARE(read->assumed.front().value, std::string("6"));
}

void TestHuggingFace::warnings()
{
    const auto warned = [](const std::string& part, const std::string& other) {
        const Result<ReadHuggingFace> read = readHuggingFace(with(llama, part, other));
        return read ? read->warnings : std::vector<Diagnostic>{ read.error() };
    };
    const std::vector<Diagnostic> scaled = warned("\"rope_scaling\": null", R"("rope_scaling": {"factor": 8.0})");
    QCOMPARE(scaled.size(), std::size_t{ 1 });
    QVERIFY(scaled[0].code == Code::FieldLeftOut);
    QCOMPARE(scaled[0].text("value"), std::string("an object"));
    QCOMPARE(scaled[0].where.line, 16);
    const std::vector<Diagnostic> slip = warned("\"rope_theta\"", "\"rope_thetas\"");
    QCOMPARE(slip.size(), std::size_t{ 1 });
    QVERIFY(slip[0].code == Code::UnknownField);
    QCOMPARE(slip[0].text("nearest"), std::string("rope_theta"));
    QCOMPARE(slip[0].where.line, 17);
    for (const char* other :
        { "LlamaForSequenceClassification", "LlamaModel" }) { // 2 x 4096 in place of the logits; none
        const std::vector<Diagnostic> head = warned("LlamaForCausalLM", other);
        QCOMPARE(head.size(), std::size_t{ 1 });
        QVERIFY(head[0].code == Code::FieldLeftOut);
        QCOMPARE(head[0].text("value"), std::string(other));
        QCOMPARE(head[0].text("parameters"), std::string("language_model"));
    }
    for (const char* one : { "LlamaForCausalLM", "llama" })
        QVERIFY(warned("LlamaForCausalLM", one).empty());
    std::string many;
    for (int i = 0; i < 1000; ++i)
        many += "\"key" + std::to_string(i) + "\": 0, ";
    const std::vector<Diagnostic> summed = warned("\"use_cache\"", many + "\"use_cache\"");
    QVERIFY(!summed.empty() && summed.size() < 60);
    std::int64_t counted = 0;
    for (const Diagnostic& warning : summed)
        counted += std::max<std::int64_t>(warning.number("alike"), 1);
    QCOMPARE(counted, std::int64_t{ 1000 });
}

/// MPT as published has a bias by distance in place of positions, and no biases.
void TestHuggingFace::positionsByDistance()
{
    const Result<ReadHuggingFace> read = readHuggingFace(R"({"model_type": "mpt", "d_model": 4096, "n_layers": 32,
        "n_heads": 32, "expansion_ratio": 4, "max_seq_len": 2048, "vocab_size": 50432, "no_bias": true,
        "learned_pos_emb": true, "norm_type": "low_precision_layernorm", "attn_config": {"alibi": true}})");
    QVERIFY(read.has_value());
    QVERIFY(read->settings.positions == PositionKind::None);
    QCOMPARE(parameterCount(read->settings), std::int64_t{ 6649286656 });
    QCOMPARE(warningsOf(*read), std::string("W242 , W240 attn_config.alibi"));
}

/// A list of layers that is none of the patterns: all layers see all tokens, and a warning says so.
void TestHuggingFace::windows()
{
    const auto read = [](const std::string& types, const std::string& more = {}) {
        return readHuggingFace(R"({"model_type": "gemma2", "hidden_size": 64, "num_hidden_layers": 4,
            "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16, "intermediate_size": 128,
            "vocab_size": 256, "query_pre_attn_scalar": 16, "sliding_window": 8, "layer_types": )"
            + types + more + "}")
            .value();
    };
    const std::string all = "\"full_attention\"", near = "\"sliding_attention\"";
    const ReadHuggingFace usual = read('[' + near + ", " + all + ", " + near + ", " + all + ']');
    QCOMPARE(usual.settings.slidingWindow, std::int64_t{ 8 });
    QCOMPARE(usual.settings.windowPattern, std::int64_t{ 2 });
    QCOMPARE(usual.settings.attentionScalar, 0.0);
    QCOMPARE(warningsOf(usual), std::string("W242 "));
    const ReadHuggingFace other = read('[' + all + ", " + near + ", " + near + ", " + all + ']');
    QCOMPARE(other.settings.slidingWindow, std::int64_t{ 0 });
    QCOMPARE(warningsOf(other), std::string("W242 , W240 layer_types"));
    const ReadHuggingFace short4 = read('[' + near + ']');
    QCOMPARE(short4.settings.slidingWindow, std::int64_t{ 0 });
    const ReadHuggingFace three = read("null", ", \"sliding_window_pattern\": 3");
    QCOMPARE(three.settings.windowPattern, std::int64_t{ 3 });
    QCOMPARE(three.settings.slidingWindow, std::int64_t{ 8 });
    const ReadHuggingFace linear =
        readHuggingFace(with(llama, "\"rope_scaling\": null", R"("rope_scaling": {"type": "linear", "factor": 4.0})"))
            .value();
    QCOMPARE(linear.settings.rotaryFactor, 4.0);
    QVERIFY(linear.warnings.empty());
}

void TestHuggingFace::readAs()
{
    const std::string other = with(with(llama, "\"llama\"", "\"falcon3\""), "LlamaForCausalLM", "Falcon3ForCausalLM");
    const Result<ReadHuggingFace> unknown = readHuggingFace(other);
    QVERIFY(!unknown && unknown.error().code == Code::UnknownArchitecture);
    QCOMPARE(unknown.error().text("name"), std::string("falcon3"));
    QCOMPARE(unknown.error().list("known"), huggingFaceFamilies());
    const Result<ReadHuggingFace> read = readHuggingFace(other, "llama");
    QVERIFY(read.has_value());
    QVERIFY(read->settings == findPreset("llama3-8b")->settings);
    QCOMPARE(read->architecture, std::string("llama"));
    QVERIFY(readHuggingFace(llama, "mistral").has_value());
    const Result<ReadHuggingFace> slip = readHuggingFace(llama, "lama");
    QVERIFY(!slip && slip.error().code == Code::UnknownArchitecture);
    QCOMPARE(slip.error().text("nearest"), std::string("llama"));
    QVERIFY(looksLikeHuggingFace(llama) && looksLikeHuggingFace(other));
    QVERIFY(looksLikeHuggingFace(R"({"architectures": ["GPT2LMHeadModel"]})"));
    QVERIFY(looksLikeHuggingFace( // of quantised weights
        R"({"model_type": "llama", "quantization_config": {"format": "float-quantized"}})"));
    QVERIFY(!looksLikeHuggingFace(R"({"format": "sharding-experiment", "model_type": "llama"})"));
    QVERIFY(!looksLikeHuggingFace(R"({"notes": "no \"model_type\" here"})"));
    QVERIFY(!looksLikeHuggingFace(R"({"model_type": )") && !looksLikeHuggingFace(""));
}

void TestHuggingFace::innerConfigurations()
{
    const Result<ReadHuggingFace> read = readHuggingFace(R"({
        "architectures": ["Gemma3ForConditionalGeneration"], "model_type": "gemma3", "torch_dtype": "bfloat16",
        "text_config": {"model_type": "gemma3_text", "hidden_size": 2560, "num_hidden_layers": 34,
                        "intermediate_size": 10240, "rope_theta": 1000000,
                        "rope_scaling": {"rope_type": "linear", "factor": 8.0}, "sliding_window": 1024},
        "vision_config": {"hidden_size": 1152}})");
    QVERIFY(read.has_value());
    QVERIFY(read->settings == findPreset("gemma3-4b-text")->settings);
    QCOMPARE(warningsOf(*read), std::string("W242 , W240 vision_config"));
    QCOMPARE(read->warnings.back().text("parameters"), std::string("missing")); // of the vision tower
    const Result<ReadHuggingFace> newer = readHuggingFace(with(
        llama, "\"rope_theta\": 500000.0", R"("rope_parameters": {"rope_theta": 500000.0, "rope_type": "default"})"));
    QVERIFY(newer.has_value());
    QVERIFY(newer->settings == findPreset("llama3-8b")->settings);
    QVERIFY(newer->warnings.empty());
}

void TestHuggingFace::refuses_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("key");
    const auto row = [](const char* name, const std::string& text, Code code, const char* key = "") {
        QTest::newRow(name) << QString::fromStdString(text) << static_cast<int>(code) << QString(key);
    };
    const auto other = [&](const char* name, const char* part, const char* replacement, Code code,
                           const char* key = "") { row(name, with(llama, part, replacement), code, key); };
    row("nothing", "", Code::Syntax);
    row("no object", "[1, 2]", Code::Syntax);
    row("ends early", llama.substr(0, llama.size() / 2), Code::Syntax);
    row("text after it", llama + " 5", Code::Syntax);
    row("too long", std::string(maximumConfigBytes + 1, ' '), Code::TooLarge);
    row("deep", std::string(1000, '['), Code::TooLarge);
    row("numbers as keys", "{1: 2}", Code::Syntax);
    row("twice", with(llama, "\"use_cache\"", "\"vocab_size\""), Code::DuplicateKey, "vocab_size");
    row("no architecture", R"({"hidden_size": 64})", Code::MissingKey, "model_type");
    row("a number as architecture", R"({"model_type": 3})", Code::WrongType, "model_type");
    row("no layers", with(llama, "num_hidden_layers", "layers"), Code::MissingKey, "num_hidden_layers");
    other("a word", "4096", "\"large\"", Code::WrongType, "hidden_size");
    other("a fraction", "4096", "4096.5", Code::WrongType, "hidden_size");
    other("a truth", "4096", "true", Code::WrongType, "hidden_size");
    other("a list", "4096", "[4096]", Code::WrongType, "hidden_size");
    other("zero", "4096", "0", Code::OutOfRange, "hidden_size");
    other("negative", "4096", "-4096", Code::OutOfRange, "hidden_size");
    other("10^18", "4096", "1000000000000000000", Code::OutOfRange, "hidden_size");
    other("10^30", "4096", "1000000000000000000000000000000", Code::OutOfRange, "hidden_size");
    other("no number", "1e-05", "1e-05x", Code::WrongType, "rms_norm_eps");
    other("a flag as number", "\"tie_word_embeddings\": false", "\"tie_word_embeddings\": 0", Code::WrongType,
        "tie_word_embeddings");
    other("activation", "silu", "selu", Code::UnknownValue, "hidden_act");
    other("type", "bfloat16", "int4", Code::UnknownValue, "torch_dtype");
    other("heads", "\"num_attention_heads\": 32", "\"num_attention_heads\": 30", Code::ContradictoryFields,
        "num_attention_heads");
    other("head size", "\"hidden_size\": 4096", "\"hidden_size\": 4097", Code::ContradictoryFields, "hidden_size");
    other("two architectures", "LlamaForCausalLM", "MistralForCausalLM", Code::ContradictoryFields, "model_type");
    other("too many layers", "\"num_hidden_layers\": 32", "\"num_hidden_layers\": 100000", Code::OutOfRange, "layers");
    row("too large",
        with(with(with(llama, "14336", "2000000000"), "\"hidden_size\": 4096", "\"hidden_size\": 2000000000"),
            "\"vocab_size\": 128256", "\"vocab_size\": 2000000000"),
        Code::TooLarge);
    row("experts",
        R"({"model_type": "mixtral", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
            "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 256, "num_local_experts": 8,
            "num_experts_per_tok": 9})",
        Code::ContradictoryFields, "num_experts_per_tok");
    row("latent attention without head sizes", R"({"model_type": "deepseek_v3", "kv_lora_rank": 512})",
        Code::MissingKey, "qk_nope_head_dim");
    const std::string deepSeek = R"({"model_type": "deepseek_v2", "hidden_size": 64, "num_hidden_layers": 2,
        "num_attention_heads": 4, "intermediate_size": 128, "vocab_size": 256, "kv_lora_rank": 16,
        "qk_nope_head_dim": 8, "qk_rope_head_dim": 4, "v_head_dim": 8, "n_routed_experts": 8,
        "num_experts_per_tok": 2, "moe_intermediate_size": 32, "moe_layer_freq": 1, "first_k_dense_replace": 1})";
    row("experts in every second layer", with(deepSeek, "\"moe_layer_freq\": 1", "\"moe_layer_freq\": 2"),
        Code::UnsupportedBlock, "moe_layer_freq");
    row("more layers without experts than there are",
        with(deepSeek, "\"first_k_dense_replace\": 1", "\"first_k_dense_replace\": 3"), Code::ContradictoryFields,
        "first_k_dense_replace");
    row("fewer than none", with(deepSeek, "\"first_k_dense_replace\": 1", "\"first_k_dense_replace\": -1"),
        Code::OutOfRange, "first_k_dense_replace");
    row("scores of a router", with(deepSeek, "\"moe_layer_freq\": 1", "\"scoring_func\": \"relu\""), Code::UnknownValue,
        "scoring_func");
    row("an odd number of rotated elements", with(deepSeek, "\"qk_rope_head_dim\": 4", "\"qk_rope_head_dim\": 3"),
        Code::InvalidAttribute, "");
    row("layers without experts",
        R"({"model_type": "qwen3_moe", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
            "num_key_value_heads": 2, "intermediate_size": 128, "moe_intermediate_size": 64, "vocab_size": 256,
            "num_experts": 8, "num_experts_per_tok": 2, "mlp_only_layers": [0]})",
        Code::UnsupportedBlock, "mlp_only_layers");
}

void TestHuggingFace::refuses()
{
    QFETCH(QString, text);
    QFETCH(int, code);
    QFETCH(QString, key);
    const Result<ReadHuggingFace> read = readHuggingFace(text.toStdString());
    QVERIFY(!read);
    QCOMPARE(static_cast<int>(read.error().code), code);
    QCOMPARE(QString::fromStdString(read.error().text("key")), key);
}

void TestHuggingFace::places()
{
    const auto at = [](const std::string& text) {
        const Result<ReadHuggingFace> read = readHuggingFace(text);
        return read ? std::string()
                    : std::to_string(read.error().where.line) + ':' + std::to_string(read.error().where.column) + ' '
                + read.error().text("architecture");
    };
    QCOMPARE(at("{\n  \"model_type\": \"llama\",\n  \"hidden_size\": -5\n}"), std::string("3:18 "));
    QCOMPARE(at("{\n  \"model_type\": \"falcon\"}"), std::string("2:17 "));
    QCOMPARE(at("\n{\"model_type\": \"gpt2\"}"), std::string("2:1 gpt2"));
    QCOMPARE(at("{\"model_type\": \"llama\",\n \"model_type\": \"gpt2\"}"), std::string("2:2 "));
    const Result<ReadHuggingFace> bytes = readHuggingFace(with(llama, "silu", "\xff\xfe")); // no UTF-8
    QVERIFY(!bytes && bytes.error().code == Code::Syntax && bytes.error().where.line == 6);
}

void TestHuggingFace::families()
{
    const std::vector<std::string> names = huggingFaceFamilies();
    QCOMPARE(names.front(), std::string("llama"));
    for (const std::string& name : names) { // what is missing is said for each
        const Result<ReadHuggingFace> read = readHuggingFace("{\"model_type\": \"" + name + "\"}");
        QVERIFY(!read && read.error().code == Code::MissingKey);
        QCOMPARE(read.error().text("architecture"), name);
    }
}

REGISTER_TEST(TestHuggingFace)
#include "test_hugging_face.moc"
