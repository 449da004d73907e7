// SPDX-License-Identifier: GPL-3.0-or-later
// Transformers against plain loops and finite differences: the whole family in small sizes.
#include <QtTest>

#include <cmath>
#include <functional>
#include <random>

#include "networks/check_transformer.h"
#include "networks/experts.h"
#include "networks/plain_transformer.h"
#include "networks/positions.h"
#include "networks/small_transformers.h"
#include "networks/transformer.h"
#include "networks/transformer_parameters.h"
#include "networks/transformer_training.h"
#include "program/differentiate.h"
#include "program/interpret.h"
#include "registered_test.h"

using namespace shardscope;
using test::Array;
using test::Edit;

namespace {

test::PlainTransformer::Numbers wholeNumbers(const Array& values)
{
    return { values.begin(), values.end() };
}

} // namespace

class TestTransformer : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void loss_data()
    {
        QTest::addColumn<Edit>("edit");
        const auto row = [](const char* name, Edit edit) { QTest::newRow(name) << std::move(edit); };
        row("grouped heads, rotary, RMSNorm, gated", [](TransformerSettings&) {});
        row("one layer of one head", [](TransformerSettings& s) {
            s.layers = s.heads = s.kvHeads = 1;
            s.finalNorm = false;
        });
        row("GPT-2: learned positions, LayerNorm, biases, tied", test::gpt2);
        row("T5: encoder and decoder, relative positions", test::t5);
        row("T5 with grouped heads and bidirectional distances beyond the maximum", [](TransformerSettings& s) {
            test::t5(s);
            s.kvHeads = 2;
            s.encoderLength = 13;
            s.relativeMaximumDistance = 5;
        });
        row("encoder and decoder with learned positions", [](TransformerSettings& s) {
            s.encoderLayers = 1;
            s.positions = PositionKind::Learned;
            s.normPlacement = NormPlacement::BeforeAndAfter;
        });
        row("Gemma 2: window, soft caps, norms before and after, norms of heads", test::gemma2);
        row("PaLM: parallel block, one key head, one-hot embedding", test::palm);
        row("GPT-NeoX: parallel block with two norms, a part of the head rotated", [](TransformerSettings& s) {
            test::palm(s);
            s.kvHeads = s.heads;
            s.parallelNorms = true;
            s.headSize = 8;
            s.rotaryFraction = 0.25;
        });
        row("no positions", [](TransformerSettings& s) { s.positions = PositionKind::None; });
        row("experts: two of four, places for some", test::mixtral);
        row("experts: one of three without normalising, biases, ungated", [](TransformerSettings& s) {
            s.experts = ExpertSettings{ .experts = 3, .perToken = 1, .capacityFactor = 1, .normalise = false };
            s.mlpBias = true;
            s.gatedMlp = false;
        });
        row("experts beside a shared one behind a gate", test::qwen2Moe);
        row("DeepSeek: latent attention, an MLP first, shared experts", test::deepSeek);
        row("latent attention with queries of the input, without positions", [](TransformerSettings& s) {
            s.kvHeads = s.heads;
            s.positions = PositionKind::None;
            s.latent = LatentSettings{ .rank = 3, .queryRank = 0, .rotarySize = 4, .valueSize = 5 };
            s.outputBias = true;
        });
        row("layers without experts alone", [](TransformerSettings& s) {
            test::deepSeek(s);
            s.experts->denseLayers = s.layers;
        });
        row("Gemma 3: windows in every second layer, with positions of their own", test::gemma3);
        row("experts: all of them, with places for all", [](TransformerSettings& s) {
            s.experts = ExpertSettings{ .experts = 2, .perToken = 2, .capacityFactor = 9 };
        });
    }

    void loss()
    {
        QFETCH(Edit, edit);
        const TransformerSettings s = test::edited(edit);
        const Result<Program> built = buildTransformerForward(s);
        QVERIFY(built.has_value());
        const Program& program = *built;
        QVERIFY(verify(program).empty());
        QCOMPARE(program.main().results.front(), program.find("loss"));
        QCOMPARE(program.main().results.back(), program.find("decoder/logits"));

        const std::vector<Array> arguments = test::drawnArguments(s);
        QCOMPARE(arguments.size(), program.main().arguments.size());
        test::PlainTransformer plain{ s, {} };
        const std::vector<TransformerParameter> parameters = parametersOf(s);
        for (std::size_t i = 0; i < parameters.size(); ++i)
            plain.parameters[parameters[i].path] = arguments[i];
        const auto input = [&](std::size_t i) {
            return i < inputsOf(s).size() ? wholeNumbers(arguments[parameters.size() + i]) : wholeNumbers({});
        };
        const double expected = plain.loss(input(0), input(1), input(2));

        const std::vector<Array> values = test::interpret(program, arguments);
        const double found = values[program.main().results[0].index][0];
        QVERIFY2(std::abs(found - expected) <= 1e-10 * std::abs(expected),
            qPrintable(QString("%1, expected %2").arg(found, 0, 'g', 17).arg(expected, 0, 'g', 17)));
        const Array& logits = values[program.main().results[1].index];
        const auto vocab = static_cast<std::size_t>(s.vocab);
        QCOMPARE(logits.size(), plain.logits.size() * vocab);
        for (std::size_t e = 0; e < logits.size(); ++e)
            QVERIFY(std::abs(logits[e] - plain.logits[e / vocab][e % vocab]) <= 1e-9);
    }

    /// One kernel for query, key and value computes what three do.
    void fusedKernels()
    {
        const TransformerSettings s = test::edited([](TransformerSettings& t) {
            test::gpt2(t);
            t.fusedQkv = true;
        });
        const Program program = buildTransformerForward(s).value();
        QVERIFY(verify(program).empty());
        const std::vector<Array> arguments = test::drawnArguments(s);
        const std::vector<TransformerParameter> parameters = parametersOf(s);
        test::PlainTransformer plain{ s, {} };
        const auto width = static_cast<std::size_t>(s.heads * s.headSize);
        int fused = 0;
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            const std::string& path = parameters[i].path;
            const std::size_t name = path.find("qkv_proj");
            if (name == std::string::npos) {
                plain.parameters[path] = arguments[i];
                continue;
            }
            ++fused;
            const char* names[] = { "query", "key", "value" };
            for (std::size_t e = 0; e < arguments[i].size(); ++e) { // (D,) 3, heads and elements
                std::string own = path;
                own.replace(name, std::string_view("qkv_proj").size(), names[e / width % 3]);
                plain.parameters[own].push_back(arguments[i][e]);
            }
        }
        QCOMPARE(fused, static_cast<int>(2 * s.layers)); // kernels and biases
        const double expected =
            plain.loss(wholeNumbers(arguments[parameters.size()]), wholeNumbers(arguments[parameters.size() + 1]), {});
        const double found = test::interpret(program, arguments)[program.main().results[0].index][0];
        QVERIFY(std::abs(found - expected) <= 1e-10 * std::abs(expected));
    }

    /// Each parameter by itself moved along a random direction.
    void gradients_data()
    {
        QTest::addColumn<Edit>("edit");
        const auto row = [](const char* name, const Edit& edit) {
            QTest::newRow(name) << Edit([edit](TransformerSettings& s) {
                edit(s);
                s.layers = 1;
                s.encoderLayers = std::min<std::int64_t>(s.encoderLayers, 1);
                s.batch = 1;
                s.length = 4;
                s.headSize = 4;
                s.vocab = 7;
                s.encoderLength = std::min<std::int64_t>(s.encoderLength, 5);
            });
        };
        row("grouped heads, rotary", [](TransformerSettings&) {});
        row("GPT-2", test::gpt2);
        row("GPT-2 with one kernel for query, key and value", [](TransformerSettings& s) {
            test::gpt2(s);
            s.fusedQkv = true;
        });
        row("T5", [](TransformerSettings& s) {
            test::t5(s);
            s.activation = ActivationKind::Silu; // without a corner
        });
        row("Gemma 2", test::gemma2);
        row("PaLM", test::palm);
        row("experts", test::mixtral);
        row("shared experts behind a gate", test::qwen2Moe);
        row("DeepSeek", [](TransformerSettings& s) {
            test::deepSeek(s);
            s.experts->denseLayers = 0;
        });
        row("Gemma 3", test::gemma3);
    }

    void gradients()
    {
        QFETCH(Edit, edit);
        const TransformerSettings s = test::edited(edit);
        Result<Program> forward = buildTransformerForward(s);
        QVERIFY(forward.has_value());
        const std::vector<TransformerParameter> parameters = parametersOf(s);
        const ValueId loss = forward->main().results[0];
        const std::vector<ValueId> wrt(forward->main().arguments.begin(),
            forward->main().arguments.begin() + static_cast<std::ptrdiff_t>(parameters.size()));
        Builder builder(*forward);
        const auto gradients = differentiate(builder, loss, wrt);
        QVERIFY(gradients.has_value());
        const Program program = std::move(builder).finish();
        QVERIFY(verify(program).empty());

        const std::vector<Array> arguments = test::drawnArguments(s);
        const std::vector<Array> values = test::interpret(program, arguments);
        std::mt19937 random(5);
        std::normal_distribution<double> normal;
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            constexpr double step = 1e-5;
            std::vector<Array> ahead = arguments, back = arguments;
            double expected = 0;
            for (std::size_t e = 0; e < arguments[i].size(); ++e) {
                const double direction = normal(random);
                ahead[i][e] += step * direction;
                back[i][e] -= step * direction;
                expected += direction * values[(*gradients)[i].index][e];
            }
            const auto lossOf = [&](const std::vector<Array>& at) {
                return test::interpret(*forward, at)[loss.index][0];
            };
            const auto plainLossOf = [&](const std::vector<Array>& at) {
                test::PlainTransformer plain{ s, {} };
                for (std::size_t p = 0; p < parameters.size(); ++p)
                    plain.parameters[parameters[p].path] = at[p];
                const auto input = [&](std::size_t n) {
                    return wholeNumbers(n < inputsOf(s).size() ? at[parameters.size() + n] : Array());
                };
                return plain.loss(input(0), input(1), input(2));
            };
            std::vector<double> slopes{ (lossOf(ahead) - lossOf(back)) / (2 * step) };
            if (!s.fusedQkv) // the plain loops have a kernel for each of them
                slopes.push_back((plainLossOf(ahead) - plainLossOf(back)) / (2 * step));
            for (const double slope : slopes)
                QVERIFY2(std::abs(slope - expected) <= 1e-7 * std::max(1.0, std::abs(expected)),
                    qPrintable(QString("%1: %2, by differences %3")
                                   .arg(QString::fromStdString(parameters[i].path))
                                   .arg(expected)
                                   .arg(slope)));
        }
    }

    /// Nothing is differentiated through the maximum of a softmax or of the loss.
    void maximaAreConstants()
    {
        TransformerSettings s = test::edited(test::palm);
        s.positions = PositionKind::None;
        Builder builder(buildTransformerForward(s).value());
        const ValueId loss = builder.program().main().results[0];
        const std::vector<ValueId> wrt{ builder.program().main().arguments[0] };
        const std::size_t before = builder.program().operations.size();
        QVERIFY(differentiate(builder, loss, wrt).has_value());
        const Program program = std::move(builder).finish();
        for (std::size_t i = before; i < program.operations.size(); ++i)
            QVERIFY(program.operations[i].kind != OpKind::Compare); // of which elements attain a maximum
    }

    void choicesOfExperts()
    {
        QCOMPARE(expertCapacity({ .experts = 8, .perToken = 2, .capacityFactor = 1.25 }, 16), std::int64_t{ 5 });
        QCOMPARE(expertCapacity({ .experts = 8, .perToken = 1, .capacityFactor = 0.01 }, 16), std::int64_t{ 1 });
        QCOMPARE(expertCapacity({ .experts = 2, .perToken = 2, .capacityFactor = 1e300 }, 16), std::int64_t{ 16 });
    }

    void distances()
    {
        const std::vector<DistanceBucket> causal = distanceBuckets(8, 16, false);
        const std::vector<DistanceBucket> expected{ { 0, {} }, { -1, -1 }, { -2, -2 }, { -3, -3 }, { -5, -4 },
            { -7, -6 }, { -11, -8 }, { {}, -12 } };
        QVERIFY(causal == expected);
        const std::vector<DistanceBucket> both = distanceBuckets(32, 128, true);
        QCOMPARE(both.size(), std::size_t{ 32 });
        for (std::int64_t distance = -300; distance <= 300; ++distance) {
            int holders = 0;
            for (const DistanceBucket& bucket : both)
                holders += (!bucket.least || distance >= *bucket.least) && (!bucket.most || distance <= *bucket.most);
            QCOMPARE(holders, 1);
        }
        QVERIFY((both[8] == DistanceBucket{ -11, -8 })); // log(12/8) / log(16) · 8 = 1.17
        QVERIFY((both[24] == DistanceBucket{ 8, 11 }));
    }

    void narrowNumbers()
    {
        TransformerSettings s = test::tiny();
        s.parameterDtype = DType::F32;
        s.computeDtype = DType::BF16;
        test::mixtral(s);
        const Program program = buildTransformerForward(s).value();
        QVERIFY(verify(program).empty());
        const auto dtypeOf = [&](std::string_view path) { return program.value(program.find(path)).type.dtype; };
        QCOMPARE(dtypeOf("params/decoder/decoder_norm/scale"), DType::F32);
        QCOMPARE(dtypeOf("decoder/layers.1/output"), DType::BF16);
        QCOMPARE(dtypeOf("decoder/layers.0/self_attention/logits"), DType::F32);
        QCOMPARE(dtypeOf("decoder/layers.0/self_attention/probabilities"), DType::BF16);
        QCOMPARE(dtypeOf("decoder/layers.0/mlp/router/probabilities"), DType::F32);
        QCOMPARE(dtypeOf("decoder/logits"), DType::F32);
        QCOMPARE(dtypeOf("loss"), DType::F32);
        for (const bool plusOne : { false, true }) { // Gemma scales by 1 + w in f32, the others by w in bf16
            s.normPlusOne = plusOne;
            const Program step = buildTransformer({ s, {} }).value();
            const auto isScaleGradient = [&](const Value& value) {
                return value.role == Role::Gradient && value.path == "grad(params/decoder/decoder_norm/scale)";
            };
            const auto gradient = std::find_if(step.values.begin(), step.values.end(), isScaleGradient);
            QVERIFY(gradient != step.values.end());
            const Operation& made = step.operation(gradient->definition);
            QCOMPARE(made.kind == OpKind::Convert, !plusOne);
        }
        for (const Operation& operation : program.operations) // sums over elements, and what needs them
            if (operation.kind == OpKind::Reduce || operation.kind == OpKind::Rsqrt)
                QVERIFY(program.value(operation.results[0]).type.dtype != DType::BF16);
    }

    void constraints()
    {
        const auto of = [](const Program& program, std::string_view path) {
            const Operation& operation = program.operation(program.value(program.find(path)).definition);
            return std::get<LogicalAxes>(std::get<ConstraintAttributes>(operation.attributes).annotation).names;
        };
        const auto names = [](std::initializer_list<const char*> list) {
            LogicalNames all;
            for (const char* name : list)
                all.push_back(*name ? LogicalName::of(name) : LogicalName::none());
            return all;
        };
        TransformerSettings s = test::edited(test::mixtral);
        Program program = buildTransformerForward(s).value();
        QVERIFY(of(program, "decoder/layers.1/output") == names({ "batch", "length", "embed" }));
        QVERIFY(of(program, "decoder/layers.0/self_attention/key") == names({ "batch", "length", "heads", "kv" }));
        QVERIFY(of(program, "decoder/logits") == names({ "batch", "length", "vocab" }));
        QVERIFY(
            of(program, "decoder/layers.0/mlp/experts/hidden") == names({ "expert", "expert_replicas", "", "mlp" }));
        for (const char* name : { "sent", "returned" })
            QVERIFY(of(program, std::string("decoder/layers.0/mlp/experts/") + name)
                == names({ "batch", "", "", "embed" }));
        s.kvHeads = 1;
        program = buildTransformerForward(s).value();
        QVERIFY(of(program, "decoder/layers.0/self_attention/key") == names({ "batch", "length", "", "kv" }));
        s = test::tiny();
        s.axisNames = AxisNames::MaxText;
        program = buildTransformerForward(s).value();
        QVERIFY(of(program, "decoder/layers.0/mlp/hidden")
            == names({ "activation_batch", "activation_length", "activation_mlp" }));
        QVERIFY(of(program, "decoder/layers.0/output")
            == names({ "activation_batch", "activation_norm_length", "activation_embed" }));
        QVERIFY(of(program, "decoder/layers.0/self_attention/query")
            == names({ "activation_kv_batch", "activation_length", "activation_kv_heads", "activation_kv_head_dim" }));
    }

    void everyOperationHasAPlace()
    {
        const Program program = buildTransformerForward(test::edited(test::t5)).value();
        for (const char* scope : { "token_embedder", "encoder/layers.1/attention", "decoder/layers.0",
                 "decoder/layers.0/encoder_decoder_attention", "decoder/layers.1/mlp", "decoder/decoder_norm", "loss" })
            QVERIFY2(std::find(program.scopes.begin(), program.scopes.end(), scope) != program.scopes.end(), scope);
        for (const Operation& operation : program.operations)
            QVERIFY(!program.scopes[operation.scope].empty());
    }
};

REGISTER_TEST(TestTransformer)
#include "test_transformer.moc"
