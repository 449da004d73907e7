// SPDX-License-Identifier: GPL-3.0-or-later
// The parameters of transformers: published numbers of parameters, paths, shapes and names; settings that are refused.
#include <QtTest>

#include <functional>
#include <limits>

#include "base/codes.h"
#include "networks/check_transformer.h"
#include "networks/small_transformers.h"
#include "networks/transformer.h"
#include "networks/transformer_parameters.h"
#include "registered_test.h"

using namespace shardscope;
using test::Edit;

namespace {

using Names = std::vector<std::string>;

/// Layers, embed, heads, kvHeads, headSize, mlp, vocab.
TransformerSettings sized(const std::array<std::int64_t, 7>& sizes)
{
    TransformerSettings s;
    s.layers = sizes[0];
    s.embed = sizes[1];
    s.heads = sizes[2];
    s.kvHeads = sizes[3];
    s.headSize = sizes[4];
    s.mlp = sizes[5];
    s.vocab = sizes[6];
    return s;
}

Names pathsOf(const TransformerSettings& s)
{
    Names paths;
    for (const TransformerParameter& parameter : parametersOf(s))
        paths.push_back(parameter.path);
    return paths;
}

/// "token_embedder/embedding (vocab, embed) 256x64"; a dimension without a name is "-".
std::string described(const TransformerSettings& s, const std::string& path)
{
    for (const TransformerParameter& parameter : parametersOf(s)) {
        if (parameter.path != path)
            continue;
        std::string names, sizes;
        for (const LogicalName& name : logicalNames(s, parameter.axes))
            names += (names.empty() ? "" : ", ") + (name.name.empty() ? "-" : name.name);
        for (const std::int64_t size : parameter.shape)
            sizes += (sizes.empty() ? "" : "x") + std::to_string(size);
        return '(' + names + ") " + sizes;
    }
    return "none";
}

} // namespace

class TestTransformerParameters : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// As their authors count them.
    void counts_data()
    {
        QTest::addColumn<Edit>("edit");
        QTest::addColumn<qint64>("total");
        QTest::addColumn<qint64>("active");
        const auto row = [](const char* name, std::array<std::int64_t, 7> sizes, const Edit& edit, qint64 total,
                             qint64 active = 0) {
            QTest::newRow(name) << Edit([sizes, edit](TransformerSettings& s) {
                s = sized(sizes);
                edit(s);
            }) << total << (active > 0 ? active : total);
        };
        using S = TransformerSettings&;
        const Edit plain = [](S) {};
        const Edit tied = [](S s) { s.tiedLogits = true; };
        row("Llama 3 8B", { 32, 4096, 32, 8, 128, 14336, 128256 }, plain, 8030261248);
        row("Llama 3.1 405B", { 126, 16384, 128, 8, 128, 53248, 128256 }, plain, 405853388800);
        row("Llama 3.2 3B", { 28, 3072, 24, 8, 128, 8192, 128256 }, tied, 3212749824);
        row(
            "GPT-2", { 12, 768, 12, 12, 64, 3072, 50257 },
            [](S s) {
                s.positions = PositionKind::Learned;
                s.maximumLength = 1024;
                s.norm = NormKind::Layer;
                s.gatedMlp = false;
                s.qkvBias = s.outputBias = s.mlpBias = s.tiedLogits = true;
            },
            124439808);
        row(
            "GPT-NeoX 20B", { 44, 6144, 64, 64, 96, 24576, 50432 },
            [](S s) {
                s.rotaryFraction = 0.25;
                s.norm = NormKind::Layer;
                s.gatedMlp = false;
                s.parallelBlock = s.parallelNorms = s.qkvBias = s.outputBias = s.mlpBias = true;
            },
            20554567680);
        row(
            "PaLM 540B", { 118, 18432, 48, 1, 256, 73728, 256000 }, [](S s) { s.parallelBlock = s.tiedLogits = true; },
            540356474880);
        row(
            "Gemma 2 2B", { 26, 2304, 8, 4, 256, 9216, 256000 },
            [](S s) {
                s.tiedLogits = true;
                s.normPlacement = NormPlacement::BeforeAndAfter;
            },
            2614341888);
        row(
            "Qwen 2.5 0.5B", { 24, 896, 14, 2, 64, 4864, 151936 }, [](S s) { s.qkvBias = s.tiedLogits = true; },
            494032768);
        row(
            "Qwen 3 235B, of which 22B for a token", { 94, 4096, 64, 4, 128, 1536, 151936 },
            [](S s) {
                s.queryKeyNorm = true;
                s.experts = ExpertSettings{ .experts = 128, .perToken = 8 };
            },
            235093634560, 22190763520);
        row(
            "T5 large", { 24, 1024, 16, 16, 64, 4096, 32128 },
            [](S s) {
                s.encoderLayers = 24;
                s.positions = PositionKind::RelativeBias;
                s.gatedMlp = false;
                s.tiedLogits = true;
            },
            737668096);
    }

    void counts()
    {
        QFETCH(Edit, edit);
        QFETCH(qint64, total);
        QFETCH(qint64, active);
        TransformerSettings s;
        edit(s);
        QVERIFY(checkTransformer(s).has_value());
        QCOMPARE(parameterCount(s), std::int64_t{ total });
        QCOMPARE(activeParameterCount(s), std::int64_t{ active });
        s.form = LayerForm::Scanned;
        QCOMPARE(parameterCount(s), std::int64_t{ total });
    }

    void paths()
    {
        TransformerSettings s;
        s.layers = 1;
        QCOMPARE(pathsOf(s),
            (Names{ "token_embedder/embedding", "decoder/layers.0/pre_self_attention_layer_norm/scale",
                "decoder/layers.0/self_attention/query/kernel", "decoder/layers.0/self_attention/key/kernel",
                "decoder/layers.0/self_attention/value/kernel", "decoder/layers.0/self_attention/out/kernel",
                "decoder/layers.0/pre_mlp_layer_norm/scale", "decoder/layers.0/mlp/wi_0/kernel",
                "decoder/layers.0/mlp/wi_1/kernel", "decoder/layers.0/mlp/wo/kernel", "decoder/decoder_norm/scale",
                "decoder/logits_dense/kernel" }));
        s.encoderLayers = 1;
        s.positions = PositionKind::RelativeBias;
        s.normPlacement = NormPlacement::BeforeAndAfter;
        s.norm = NormKind::Layer;
        s.gatedMlp = false;
        s.outputBias = s.mlpBias = s.tiedLogits = true;
        s.experts = ExpertSettings{};
        const Names paths = pathsOf(s);
        for (const char* path : { "encoder/relpos_bias/rel_embedding", "encoder/layers.0/attention/out/bias",
                 "encoder/layers.0/post_attention_layer_norm/bias", "encoder/layers.0/mlp/router/kernel",
                 "encoder/encoder_norm/bias", "decoder/layers.0/encoder_decoder_attention/key/kernel",
                 "decoder/layers.0/pre_cross_attention_layer_norm/scale",
                 "decoder/layers.0/post_cross_attention_layer_norm/scale", "decoder/layers.0/mlp/experts/wi/bias",
                 "decoder/layers.0/post_mlp_layer_norm/scale" })
            QVERIFY2(std::find(paths.begin(), paths.end(), path) != paths.end(), path);
        QCOMPARE(std::find(paths.begin(), paths.end(), "decoder/logits_dense/kernel"), paths.end());
    }

    void names()
    {
        TransformerSettings s;
        s.experts = ExpertSettings{ .experts = 8, .perToken = 2, .mlp = 32 };
        s.qkvBias = true;
        const std::string layer = "decoder/layers.1/";
        QCOMPARE(described(s, "token_embedder/embedding"), std::string("(vocab, embed) 256x64"));
        QCOMPARE(described(s, layer + "self_attention/query/kernel"), std::string("(embed, heads, kv) 64x4x16"));
        QCOMPARE(described(s, layer + "self_attention/value/bias"), std::string("(heads, kv) 2x16"));
        QCOMPARE(described(s, layer + "self_attention/out/kernel"), std::string("(heads, kv, embed) 4x16x64"));
        QCOMPARE(described(s, layer + "mlp/router/kernel"), std::string("(embed, expert) 64x8"));
        QCOMPARE(described(s, layer + "mlp/experts/wo/kernel"), std::string("(expert, mlp, embed) 8x32x64"));
        QCOMPARE(described(s, layer + "pre_mlp_layer_norm/scale"), std::string("(embed) 64"));
        s.fusedQkv = true;
        s.kvHeads = s.heads;
        QCOMPARE(
            described(s, layer + "self_attention/qkv_proj/kernel"), std::string("(embed, qkv, heads, kv) 64x3x4x16"));
        QCOMPARE(described(s, layer + "self_attention/qkv_proj/bias"), std::string("(qkv, heads, kv) 3x4x16"));
        QCOMPARE(described(s, layer + "self_attention/query/kernel"), std::string("none"));
        s.fusedQkv = false;
        s.kvHeads = 1;
        QCOMPARE(described(s, layer + "self_attention/key/kernel"), std::string("(embed, -, kv) 64x1x16"));
        s.axisNames = AxisNames::MaxText;
        QCOMPARE(described(s, "token_embedder/embedding"), std::string("(vocab, embed_vocab) 256x64"));
        QCOMPARE(described(s, layer + "mlp/router/kernel"), std::string("(embed_moe, -) 64x8"));
        QCOMPARE(described(s, layer + "mlp/experts/wi_0/kernel"), std::string("(exp, embed_moe, mlp_moe) 8x64x32"));
    }

    /// Names and shapes of Llama 3.1 70B in MaxText, as its own dumps have them.
    void scannedAsInMaxText()
    {
        TransformerSettings s = sized({ 80, 8192, 64, 8, 128, 28672, 128256 });
        s.form = LayerForm::Scanned;
        s.layersAxis = 1;
        s.axisNames = AxisNames::MaxText2025;
        const std::vector<std::pair<std::string, std::string>> expected{
            { "token_embedder/embedding", "(vocab, embed) 128256x8192" },
            { "decoder/layers/pre_self_attention_layer_norm/scale", "(norm, layers) 8192x80" },
            { "decoder/layers/self_attention/query/kernel", "(embed, layers, q_heads, kv) 8192x80x64x128" },
            { "decoder/layers/self_attention/key/kernel", "(embed, layers, kv_heads, kv_head_dim) 8192x80x8x128" },
            { "decoder/layers/self_attention/value/kernel", "(embed, layers, kv_heads, kv_head_dim) 8192x80x8x128" },
            { "decoder/layers/self_attention/out/kernel", "(heads, layers, kv, embed) 64x80x128x8192" },
            { "decoder/layers/post_self_attention_layer_norm/scale", "(norm, layers) 8192x80" },
            { "decoder/layers/mlp/wi_0/kernel", "(embed, layers, mlp) 8192x80x28672" },
            { "decoder/layers/mlp/wi_1/kernel", "(embed, layers, mlp) 8192x80x28672" },
            { "decoder/layers/mlp/wo/kernel", "(mlp, layers, embed) 28672x80x8192" },
            { "decoder/decoder_norm/scale", "(norm) 8192" },
            { "decoder/logits_dense/kernel", "(embed, vocab) 8192x128256" },
        };
        QCOMPARE(pathsOf(s).size(), expected.size());
        for (const auto& [path, names] : expected)
            QCOMPARE(described(s, path), names);
        s.layersAxis = 0;
        QCOMPARE(described(s, "decoder/decoder_norm/scale"), std::string("(norm) 8192"));
        QCOMPARE(described(s, "decoder/layers/mlp/wo/kernel"), std::string("(layers, mlp, embed) 80x28672x8192"));
    }

    void refused_data()
    {
        QTest::addColumn<Edit>("edit");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("what"); // key of a number, or what contradicts
        const auto row = [](const char* name, Edit edit, Code code, const char* what) {
            QTest::newRow(name) << std::move(edit) << static_cast<int>(code) << QString(what);
        };
        using S = TransformerSettings&;
        constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
        constexpr Code range = Code::OutOfRange, contradiction = Code::InvalidAttribute;
        row(
            "no layers", [](S s) { s.layers = 0; }, range, "layers");
        row(
            "too many layers", [](S s) { s.layers = 4097; }, range, "layers");
        row(
            "fewer than no layers of an encoder", [](S s) { s.encoderLayers = -1; }, range, "encoder_layers");
        row(
            "no batch", [](S s) { s.batch = 0; }, range, "batch");
        row(
            "negative embed", [](S s) { s.embed = -64; }, range, "embed");
        row(
            "no heads", [](S s) { s.heads = 0; }, range, "heads");
        row(
            "no key heads", [](S s) { s.kvHeads = 0; }, range, "kv_heads");
        row(
            "long sequences", [](S s) { s.length = std::int64_t{ 1 } << 31; }, range, "length");
        row(
            "negative window", [](S s) { s.slidingWindow = -1; }, range, "sliding_window");
        row(
            "key heads that do not divide", [](S s) { s.kvHeads = 3; }, contradiction, "kv_heads");
        row(
            "more key heads than heads", [](S s) { s.kvHeads = 8; }, contradiction, "kv_heads");
        row(
            "one kernel for other numbers of heads", [](S s) { s.fusedQkv = true; }, contradiction, "fused_qkv");
        row(
            "odd heads rotated", [](S s) { s.headSize = 15; }, contradiction, "rotary");
        row(
            "half an element rotated", [](S s) { s.rotaryFraction = 0.16; }, contradiction, "rotary");
        row(
            "more than the head rotated", [](S s) { s.rotaryFraction = 2; }, contradiction, "rotary");
        row(
            "rotary base", [](S s) { s.rotaryBase = std::numeric_limits<double>::quiet_NaN(); }, range, "rotary_base");
        row(
            "fewer positions than tokens",
            [](S s) {
                s.positions = PositionKind::Learned;
                s.maximumLength = 15;
            },
            range, "maximum_length");
        row(
            "buckets",
            [](S s) {
                s.positions = PositionKind::RelativeBias;
                s.relativeBuckets = 30;
            },
            contradiction, "buckets");
        row(
            "more experts per token than there are",
            [](S s) { s.experts = ExpertSettings{ .experts = 2, .perToken = 3 }; }, range, "per_token");
        row(
            "capacity", [](S s) { s.experts = ExpertSettings{ .capacityFactor = 0 }; }, range, "capacity_factor");
        row(
            "soft cap", [](S s) { s.logitSoftcap = -1; }, range, "logit_softcap");
        row(
            "epsilon", [](S s) { s.normEpsilon = -1; }, range, "norm_epsilon");
        row(
            "integers", [](S s) { s.computeDtype = DType::I32; }, contradiction, "dtype");
        row(
            "parallel blocks with an encoder",
            [](S s) {
                s.parallelBlock = true;
                s.encoderLayers = 1;
            },
            contradiction, "parallel_block");
        row(
            "latent attention with shared key heads", [](S s) { s.latent.emplace(); }, contradiction, "latent");
        row(
            "latent attention with norms of heads",
            [](S s) {
                s.kvHeads = s.heads;
                s.queryKeyNorm = true;
                s.latent.emplace();
            },
            contradiction, "latent");
        row(
            "an odd number of rotated elements",
            [](S s) {
                s.kvHeads = s.heads;
                s.latent = LatentSettings{ .rotarySize = 3 };
            },
            contradiction, "rotary");
        row(
            "no rank",
            [](S s) {
                s.kvHeads = s.heads;
                s.latent = LatentSettings{ .rank = 0 };
            },
            range, "rank");
        row(
            "more layers without experts than layers", [](S s) { s.experts = ExpertSettings{ .denseLayers = 3 }; },
            range, "dense_layers");
        row(
            "scale of experts", [](S s) { s.experts = ExpertSettings{ .scale = 0 }; }, range, "expert_scale");
        row(
            "negative pattern", [](S s) { s.windowPattern = -1; }, range, "window_pattern");
        row(
            "positions divided by nothing", [](S s) { s.rotaryFactor = 0; }, range, "rotary_factor");
        row(
            "parameters", [](S s) { s.mlp = maximumBytes / 64; }, Code::TooLarge, "parameters");
        row(
            "activations", [](S s) { s.batch = maximumBytes; }, Code::TooLarge, "activations");
        row(
            "sizes at the end of the numbers", [](S s) { s.heads = s.kvHeads = s.headSize = s.embed = maximumBytes; },
            Code::TooLarge, "parameters");
        row(
            "sizes beyond", [](S s) { s.mlp = most; }, range, "mlp");
    }

    /// DeepSeek V2 Lite as MaxText has it: shapes and names are those of its test data.
    void latentAttention()
    {
        TransformerSettings s = sized({ 27, 2048, 16, 16, 128, 10944, 102400 });
        s.latent = LatentSettings{};
        s.experts = ExpertSettings{ .experts = 64, .perToken = 6, .mlp = 1408, .sharedMlp = 2816, .denseLayers = 1 };
        s.form = LayerForm::Scanned;
        s.layersAxis = 1;
        s.axisNames = AxisNames::MaxText2025;
        const auto is = [&](const char* path, const char* expected) {
            QCOMPARE(described(s, std::string("decoder/") + path), std::string(expected));
        };
        is("dense_layers/mlp/wi_0/kernel", "(embed, dense_layers, mlp) 2048x1x10944");
        is("dense_layers/mlp/wo/kernel", "(mlp, dense_layers, embed) 10944x1x2048");
        is("dense_layers/self_attention/query/kernel", "(embed, dense_layers, q_heads, kv) 2048x1x16x192");
        is("dense_layers/self_attention/wkv_a/kernel", "(embed, dense_layers, kv_lora_up_proj) 2048x1x576");
        is("dense_layers/self_attention/kv_norm/scale", "(norm, dense_layers) 512x1");
        is("dense_layers/self_attention/wkv_b/kernel", "(kv_lora, dense_layers, kv_heads, kv_head_dim) 512x1x16x256");
        is("moe_layers/self_attention/out/kernel", "(heads, moe_layers, kv, embed) 16x26x128x2048");
        is("moe_layers/mlp/router/kernel", "(embed, moe_layers, -) 2048x26x64");
        is("moe_layers/mlp/experts/wi_0/kernel", "(exp, moe_layers, embed_no_exp, mlp) 64x26x2048x1408");
        is("moe_layers/mlp/shared_experts/wi_1/kernel", "(embed, moe_layers, mlp) 2048x26x2816");
        is("moe_layers/mlp/shared_experts/wo/kernel", "(mlp, moe_layers, embed) 2816x26x2048");
        QCOMPARE(described(s, "decoder/dense_layers/mlp/router/kernel"), std::string("none"));
        s.latent->queryRank = 1536;
        s.experts->sharedGate = true;
        is("moe_layers/self_attention/wq_a/kernel", "(embed, moe_layers, q_lora_up_proj) 2048x26x1536");
        is("moe_layers/self_attention/q_norm/scale", "(norm, moe_layers) 1536x26");
        is("moe_layers/self_attention/wq_b/kernel", "(q_lora, moe_layers, q_heads, kv) 1536x26x16x192");
        is("moe_layers/mlp/shared_expert_gate/kernel", "(embed, moe_layers) 2048x26");
        s.form = LayerForm::Unrolled;
        s.axisNames = AxisNames::T5x;
        is("layers.0/mlp/wo/kernel", "(mlp, embed) 10944x2048");
        is("layers.1/mlp/experts/wo/kernel", "(expert, mlp, embed) 64x1408x2048");
        is("layers.1/self_attention/wq_b/kernel", "(-, heads, kv) 1536x16x192");
        s.experts->denseLayers = 27;
        s.form = LayerForm::Scanned;
        QCOMPARE(described(s, "decoder/moe_layers/mlp/router/kernel"), std::string("none"));
    }

    void refused()
    {
        QFETCH(Edit, edit);
        QFETCH(int, code);
        QFETCH(QString, what);
        TransformerSettings s;
        edit(s);
        const auto program = buildTransformerForward(s);
        QVERIFY(!program);
        const Error& error = program.error();
        QCOMPARE(static_cast<int>(error.code), code);
        const char* name = error.code == Code::OutOfRange ? "key" : error.code == Code::TooLarge ? "what" : "wrong";
        QCOMPARE(QString::fromStdString(error.text(name)), what);
    }

    /// Built without a number per element: the largest model, in an instant.
    void hugeNetworks()
    {
        TransformerSettings s = sized({ 126, 16384, 128, 8, 128, 53248, 128256 });
        s.batch = 512;
        s.length = 8192;
        s.parameterDtype = s.computeDtype = DType::BF16;
        const auto program = buildTransformerForward(s);
        QVERIFY(program.has_value());
        QVERIFY(verify(*program).empty());
        std::size_t numbers = 0; // stored in the program
        for (const Operation& operation : program->operations)
            if (const auto* constant = std::get_if<ConstantAttributes>(&operation.attributes))
                numbers += constant->values.size();
        QVERIFY(numbers <= program->operations.size());
    }
};

REGISTER_TEST(TestTransformerParameters)
#include "test_transformer_parameters.moc"
