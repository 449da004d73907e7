// SPDX-License-Identifier: GPL-3.0-or-later
// Transformers with a train step: what main takes and returns, what its arguments begin with, what cannot be.
#include <QTest>

#include <cmath>

#include "base/codes.h"
#include "networks/transformer_parameters.h"
#include "networks/transformer_training.h"
#include "program/path.h"
#include "registered_test.h"

using namespace shardscope;

namespace {

/// The last choice that names the path counts.
InitialValue startOf(const TransformerSettings& settings, const std::string& path)
{
    InitialValue found;
    found.kind = InitialValue::Kind::File; // none
    for (const ChosenInitial& chosen : transformerInitials(settings))
        if (chosen.argument == path || globMatches(chosen.argument, path))
            found = chosen.value;
    return found;
}

} // namespace

class TransformerTrainingTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void argumentsAndResults()
    {
        TransformerTraining training;
        training.optimizer.kind = OptimizerKind::Momentum;
        const Result<Program> program = buildTransformer(training);
        QVERIFY2(program.has_value(), program ? "" : std::string(program.error().id()).c_str());
        const std::size_t parameters = parametersOf(training.model).size();
        // step, parameters, traces, tokens and targets; the new state and the loss.
        QCOMPARE(program->main().arguments.size(), 1 + 2 * parameters + 2);
        QCOMPARE(program->main().results.size(), 1 + 2 * parameters + 1);
        QCOMPARE(program->value(program->main().results.back()).path, std::string("loss"));
        for (std::size_t i = 0; i < program->main().arguments.size(); ++i) {
            const Value& value = program->value(program->main().arguments[i]);
            const auto* logical = std::get_if<LogicalAxes>(&program->argumentAnnotations[i]);
            QCOMPARE(logical != nullptr, value.type.rank() > 0);
            QVERIFY2(!logical || logical->names.size() == value.type.rank(), value.path->c_str());
        }
    }

    void microbatches()
    {
        TransformerTraining training;
        training.microbatches = 4;
        const Result<Program> program = buildTransformer(training);
        QVERIFY(program.has_value());
        QVERIFY((program->value(program->find("tokens")).type == TensorType{ DType::I32, { 4, 2, 16 } }));
        QVERIFY(program->find("microbatches.3/decoder/logits").valid());
        training.microbatches = 3;
        QCOMPARE(checkTraining(training).error().code, Code::InvalidAttribute);
        QCOMPARE(buildTransformer(training).error().text("wrong"), std::string("microbatches"));
        for (const std::int64_t wrong : { 0, 9 }) {
            training.microbatches = wrong;
            QCOMPARE(checkTraining(training).error().code, Code::OutOfRange);
        }
    }

    void forwardAlone()
    {
        TransformerTraining training;
        training.trainStep = false;
        const Result<Program> program = buildTransformer(training);
        QVERIFY(program.has_value());
        QCOMPARE(program->main().arguments.size(), parametersOf(training.model).size() + 2);
        QCOMPARE(program->main().results.size(), std::size_t{ 2 }); // loss and logits
    }

    /// Each parameter of many kinds of transformers has a start; kernels by the terms of their sums.
    void initialValues()
    {
        TransformerSettings s;
        s.positions = PositionKind::Learned;
        s.norm = NormKind::Layer;
        s.qkvBias = s.outputBias = s.mlpBias = s.queryKeyNorm = true;
        s.encoderLayers = 1;
        s.experts = ExpertSettings{ 4, 2, 96, 1.25, true };
        TransformerSettings relative = s;
        relative.positions = PositionKind::RelativeBias;
        TransformerSettings scanned = s;
        scanned.form = LayerForm::Scanned;
        TransformerSettings deepSeek;
        deepSeek.kvHeads = deepSeek.heads;
        deepSeek.experts = ExpertSettings{ .mlp = 96, .sharedMlp = 48, .sharedGate = true, .denseLayers = 1 };
        deepSeek.latent = LatentSettings{ .rank = 20, .queryRank = 24, .rotarySize = 8, .valueSize = 12 };
        const auto deviationOf = [&](const char* path) { return startOf(deepSeek, std::string("params/") + path).low; };
        QCOMPARE(deviationOf("decoder/layers.0/mlp/wo/kernel"), 1 / std::sqrt(256.0));
        QCOMPARE(deviationOf("decoder/layers.1/mlp/experts/wo/kernel"), 1 / std::sqrt(96.0));
        QCOMPARE(deviationOf("decoder/layers.1/mlp/shared_experts/wo/kernel"), 1 / std::sqrt(48.0));
        QCOMPARE(deviationOf("decoder/layers.1/self_attention/wq_a/kernel"), 1 / std::sqrt(64.0));
        QCOMPARE(deviationOf("decoder/layers.1/self_attention/wq_b/kernel"), 1 / std::sqrt(24.0));
        QCOMPARE(deviationOf("decoder/layers.1/self_attention/wkv_b/kernel"), 1 / std::sqrt(20.0));
        QCOMPARE(deviationOf("decoder/layers.1/self_attention/out/kernel"), 1 / std::sqrt(4 * 12.0));
        for (const TransformerSettings& each : { TransformerSettings(), s, relative, scanned, deepSeek })
            for (const TransformerParameter& parameter : parametersOf(each)) {
                const InitialValue start = startOf(each, "params/" + parameter.path);
                QVERIFY2(start.kind != InitialValue::Kind::File, parameter.path.c_str());
                const bool isKernel = parameter.path.ends_with("/kernel");
                QCOMPARE(start.kind == InitialValue::Kind::Normal, isKernel || parameter.path.ends_with("embedding"));
            }
        const auto deviation = [&](const char* path) { return startOf(s, std::string("params/") + path).low; };
        QCOMPARE(deviation("decoder/layers.0/self_attention/query/kernel"), 1 / std::sqrt(64.0));
        QCOMPARE(deviation("decoder/layers.0/self_attention/out/kernel"), 1 / std::sqrt(4 * 16.0));
        QCOMPARE(deviation("decoder/layers.1/mlp/experts/wo/kernel"), 1 / std::sqrt(96.0));
        QCOMPARE(deviation("decoder/layers.1/mlp/router/kernel"), 1 / std::sqrt(64.0));
        QCOMPARE(deviation("decoder/logits_dense/kernel"), 1 / std::sqrt(64.0));
        QCOMPARE(deviation("token_embedder/embedding"), 1.0);
        QCOMPARE(startOf(s, "params/decoder/decoder_norm/scale").kind, InitialValue::Kind::Ones);
        QCOMPARE(startOf(s, "params/decoder/decoder_norm/bias").kind, InitialValue::Kind::Zeros);
        const InitialValue tokens = startOf(s, "encoder_tokens");
        QCOMPARE(tokens.kind, InitialValue::Kind::Integers);
        QCOMPARE(tokens.least, 0);
        QCOMPARE(tokens.bound, s.vocab);

        TransformerSettings t5;
        t5.scaledAttention = false;
        t5.tiedLogits = true;
        t5.normPlusOne = true;
        QCOMPARE(startOf(t5, "params/decoder/layers.0/self_attention/query/kernel").low, 1 / std::sqrt(64.0 * 16));
        QCOMPARE(startOf(t5, "params/token_embedder/embedding").low, 1 / std::sqrt(64.0));
        QCOMPARE(startOf(t5, "params/decoder/decoder_norm/scale").kind, InitialValue::Kind::Zeros);
    }
};

REGISTER_TEST(TransformerTrainingTest)
#include "test_transformer_training.moc"
