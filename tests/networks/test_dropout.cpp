// SPDX-License-Identifier: GPL-3.0-or-later
// Dropout: its random bits, what is dropped against plain loops, gradients, scanned layers and microbatches.
#include <QtTest>

#include <cmath>
#include <functional>

#include "base/codes.h"
#include "networks/check_transformer.h"
#include "networks/plain_transformer.h"
#include "networks/random_bits.h"
#include "networks/small_transformers.h"
#include "networks/transformer_training.h"
#include "registered_test.h"

using namespace shardscope;
using test::Array;
using test::Edit;

namespace {

constexpr std::uint32_t stepNumber = 3;

/// The forward pass that drops: arguments are the step, parameters and inputs; results loss and logits.
Program droppingForward(const TransformerSettings& s)
{
    Builder b("apply");
    const ValueId step = b.argument({ DType::I32, {} }, "step", Role::Step);
    std::vector<ValueId> parameters, inputs;
    for (const TransformerParameter& parameter : parametersOf(s))
        parameters.push_back(
            b.argument({ s.parameterDtype, parameter.shape }, "params/" + parameter.path, Role::Parameter));
    for (const TransformerInput& input : inputsOf(s))
        inputs.push_back(b.argument(input.type, input.path, Role::Input));
    const TransformerResults results = transformerForward(b, s, parameters, inputs, { step, 0 }).value();
    b.result(results.loss);
    b.result(results.logits);
    return std::move(b).finish();
}

/// Arguments of that program.
std::vector<Array> droppingArguments(const TransformerSettings& s)
{
    std::vector<Array> arguments = test::drawnArguments(s);
    arguments.insert(arguments.begin(), { static_cast<double>(stepNumber) });
    return arguments;
}

void dropSome(TransformerSettings& s)
{
    s.dropout = 0.375;
    s.dropoutSeed = 5;
}

/// By plain loops; arrays of scanned layers, with these first, are taken apart.
double plainLoss(const TransformerSettings& s, const std::vector<Array>& arguments)
{
    test::PlainTransformer plain{ s, {} };
    plain.step = stepNumber;
    const std::vector<TransformerParameter> parameters = parametersOf(s);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const std::string& path = parameters[i].path;
        const Array& values = arguments[i + 1];
        const std::size_t at = path.find("/layers/");
        if (at == std::string::npos) {
            plain.parameters[path] = values;
            continue;
        }
        const std::size_t size = values.size() / static_cast<std::size_t>(s.layers);
        for (std::size_t layer = 0; layer < static_cast<std::size_t>(s.layers); ++layer) {
            std::string own = path;
            own.replace(at, 8, "/layers." + std::to_string(layer) + '/');
            const auto begin = values.begin() + static_cast<std::ptrdiff_t>(layer * size);
            plain.parameters[own] = Array(begin, begin + static_cast<std::ptrdiff_t>(size));
        }
    }
    const auto input = [&](std::size_t i) {
        test::PlainTransformer::Numbers numbers;
        if (i < inputsOf(s).size())
            for (const double number : arguments[1 + parameters.size() + i])
                numbers.push_back(static_cast<std::size_t>(number));
        return numbers;
    };
    return plain.loss(input(0), input(1), input(2));
}

/// The loss of the first train step.
double firstLoss(TransformerTraining training)
{
    const Program program = buildTransformer(training).value();
    const std::vector<Array> drawn = test::drawnArguments(training.model);
    std::size_t next = 0;
    std::vector<Array> arguments;
    for (const ValueId id : program.main().arguments) {
        const Value& value = program.value(id);
        if (value.role == Role::Parameter || value.role == Role::Input)
            arguments.push_back(drawn[next++]);
        else
            arguments.emplace_back(static_cast<std::size_t>(value.type.elementCount()));
    }
    return test::interpret(program, arguments)[program.main().results.back().index][0];
}

} // namespace

class TestDropout : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// As published with Random123, and as plain loops compute them.
    void bits()
    {
        struct Known {
            std::array<std::uint32_t, 2> key, counter;
            std::uint32_t first, second;
        };
        const std::vector<Known> known{ { { 0, 0 }, { 0, 0 }, 0x6b200159, 0x99ba4efe },
            { { 0xffffffff, 0xffffffff }, { 0xffffffff, 0xffffffff }, 0x1cb996fc, 0xbb002be7 },
            { { 0x13198a2e, 0x03707344 }, { 0x243f6a88, 0x85a308d3 }, 0xc4923a9c, 0x483df7a0 } };
        Builder b("bits");
        const TensorType scalar{ DType::U32, {} }, vector{ DType::U32, { 1 } };
        std::vector<ValueId> arguments;
        for (const TensorType& type : { scalar, scalar, vector, vector })
            arguments.push_back(b.argument(type, {}, Role::Input));
        b.result(randomBits(b, { arguments[0], arguments[1] }, arguments[2], arguments[3]));
        const Program program = std::move(b).finish();
        QVERIFY(verify(program).empty());
        for (const Known& each : known) {
            const auto [k0, k1] = each.key;
            const auto [c0, c1] = each.counter;
            const std::vector<Array> values =
                test::interpret(program, { { double(k0) }, { double(k1) }, { double(c0) }, { double(c1) } });
            const double found = values[program.main().results[0].index][0];
            QCOMPARE(static_cast<std::uint32_t>(found), each.first ^ each.second);
            QCOMPARE(test::plainRandomBits(each.key, each.counter), each.first ^ each.second);
        }
    }

    void loss_data()
    {
        QTest::addColumn<Edit>("edit");
        const auto row = [](const char* name, const Edit& edit) {
            QTest::newRow(name) << Edit([edit](TransformerSettings& s) {
                edit(s);
                dropSome(s);
            });
        };
        row("Llama", [](TransformerSettings&) {});
        row("T5: encoder, cross-attention", test::t5);
        row("Gemma 2: norms after", test::gemma2);
        row("PaLM: parallel block", test::palm);
        row("experts", test::mixtral);
        row("GPT-2: learned positions", test::gpt2);
        const auto ofAttention = [](TransformerSettings& s) { s.attentionDropout = 0.25; };
        row("probabilities", ofAttention);
        row("probabilities of heads that share none", [ofAttention](TransformerSettings& s) {
            s.kvHeads = s.heads;
            ofAttention(s);
        });
        row("probabilities of encoder and decoder", [ofAttention](TransformerSettings& s) {
            test::t5(s);
            ofAttention(s);
        });
        row("probabilities, scanned layers", [ofAttention](TransformerSettings& s) {
            s.form = LayerForm::Scanned;
            ofAttention(s);
        });
        row("scanned layers", [](TransformerSettings& s) { s.form = LayerForm::Scanned; });
        row("scanned layers of T5", [](TransformerSettings& s) {
            test::t5(s);
            s.form = LayerForm::Scanned;
        });
    }

    void loss()
    {
        QFETCH(Edit, edit);
        const TransformerSettings s = test::edited(edit);
        const Program program = droppingForward(s);
        QVERIFY(verify(program).empty());
        const std::vector<Array> arguments = droppingArguments(s);
        const double expected = plainLoss(s, arguments);
        const double found = test::interpret(program, arguments)[program.main().results[0].index][0];
        QVERIFY2(std::abs(found - expected) <= 1e-10 * std::abs(expected),
            qPrintable(QString("%1, expected %2").arg(found, 0, 'g', 17).arg(expected, 0, 'g', 17)));
        TransformerSettings all = s;
        all.dropout = 0;
        QVERIFY(std::abs(plainLoss(all, arguments) - expected) > 1e-3);
    }

    /// Probabilities alone: what a layer adds stays.
    void probabilitiesAlone_data()
    {
        QTest::addColumn<bool>("scanned");
        QTest::newRow("unrolled") << false;
        QTest::newRow("scanned") << true;
    }
    void probabilitiesAlone()
    {
        QFETCH(bool, scanned);
        TransformerSettings s = test::tiny();
        s.attentionDropout = 0.375;
        s.form = scanned ? LayerForm::Scanned : LayerForm::Unrolled;
        const Program program = droppingForward(s);
        QVERIFY(verify(program).empty());
        QVERIFY(!program.find("decoder/input_dropout/kept").valid());
        const std::vector<Array> arguments = droppingArguments(s);
        const double expected = plainLoss(s, arguments);
        const double found = test::interpret(program, arguments)[program.main().results[0].index][0];
        QVERIFY(std::abs(found - expected) <= 1e-10 * std::abs(expected));
        TransformerSettings all = s;
        all.attentionDropout = 0;
        QVERIFY(std::abs(plainLoss(all, arguments) - expected) > 1e-4);
    }

    /// As many are kept as the rate says; places, steps and seeds are independent of each other.
    void masks()
    {
        TransformerSettings s = test::tiny();
        dropSome(s);
        s.layers = 1;
        s.batch = 4;
        s.length = 16;
        s.embed = 32;
        const auto masksOf = [&](double step) {
            const Program program = droppingForward(s);
            std::vector<Array> arguments = droppingArguments(s);
            arguments[0] = { step };
            const std::vector<Array> values = test::interpret(program, arguments);
            std::vector<Array> masks;
            for (const char* path : { "decoder/input_dropout/kept", "decoder/layers.0/self_attention_dropout/kept",
                     "decoder/layers.0/mlp_dropout/kept" })
                masks.push_back(values[program.find(path).index]);
            return masks;
        };
        std::vector<Array> masks = masksOf(0);
        for (const Array& mask : masksOf(1))
            masks.push_back(mask);
        s.dropoutSeed = 6;
        for (const Array& mask : masksOf(0))
            masks.push_back(mask);
        const double kept = 1 - s.dropout, alike = kept * kept + s.dropout * s.dropout;
        for (std::size_t i = 0; i < masks.size(); ++i) {
            const auto count = static_cast<double>(masks[i].size());
            QCOMPARE(count, 2048.0);
            double sum = 0;
            for (const double each : masks[i])
                sum += each;
            QVERIFY(std::abs(sum / count - kept) < 5 * std::sqrt(kept * s.dropout / count));
            for (std::size_t k = 0; k < i; ++k) {
                double same = 0;
                for (std::size_t e = 0; e < masks[i].size(); ++e)
                    same += masks[i][e] == masks[k][e] ? 1 : 0;
                QVERIFY(std::abs(same / count - alike) < 5 * std::sqrt(alike * (1 - alike) / count));
            }
        }
    }

    /// Along a random direction, with a fixed step.
    void gradients_data()
    {
        QTest::addColumn<Edit>("edit");
        QTest::newRow("Llama") << Edit([](TransformerSettings&) {});
        QTest::newRow("probabilities") << Edit([](TransformerSettings& s) { s.attentionDropout = 0.25; });
        QTest::newRow("experts, scanned") << Edit([](TransformerSettings& s) {
            test::mixtral(s);
            s.form = LayerForm::Scanned;
        });
    }

    void gradients()
    {
        QFETCH(Edit, edit);
        TransformerSettings s = test::edited(edit);
        dropSome(s);
        s.batch = 1;
        s.length = 4;
        const Program forward = droppingForward(s);
        const ValueId loss = forward.main().results[0];
        const auto count = static_cast<std::ptrdiff_t>(parametersOf(s).size());
        const std::vector<ValueId> wrt(
            forward.main().arguments.begin() + 1, forward.main().arguments.begin() + 1 + count);
        Builder builder(forward);
        const std::vector<ValueId> gradients = differentiate(builder, loss, wrt).value();
        const Program program = std::move(builder).finish();
        QVERIFY(verify(program).empty());
        const std::vector<Array> arguments = droppingArguments(s);
        const std::vector<Array> values = test::interpret(program, arguments);
        std::mt19937 random(7);
        std::normal_distribution<double> normal;
        constexpr double step = 1e-5;
        std::vector<Array> ahead = arguments, back = arguments;
        double expected = 0;
        for (std::size_t i = 0; i < wrt.size(); ++i)
            for (std::size_t e = 0; e < arguments[i + 1].size(); ++e) {
                const double direction = normal(random);
                ahead[i + 1][e] += step * direction;
                back[i + 1][e] -= step * direction;
                expected += direction * values[gradients[i].index][e];
            }
        const auto lossOf = [&](const std::vector<Array>& at) { return test::interpret(forward, at)[loss.index][0]; };
        const double slope = (lossOf(ahead) - lossOf(back)) / (2 * step);
        QVERIFY2(std::abs(slope - expected) <= 1e-6 * std::max(1.0, std::abs(expected)),
            qPrintable(QString("%1, by differences %2").arg(expected).arg(slope)));
    }

    /// A microbatch drops what its rows drop in the batch.
    void microbatches()
    {
        TransformerTraining training;
        training.model = test::tiny();
        dropSome(training.model);
        training.model.attentionDropout = 0.25;
        training.model.batch = 4;
        training.optimizer.kind = OptimizerKind::Sgd;
        const double expected = firstLoss(training);
        for (const std::int64_t count : { 2, 4 }) {
            training.microbatches = count;
            QVERIFY(std::abs(firstLoss(training) - expected) <= 1e-12 * expected);
        }
    }

    /// The forward pass alone drops nothing, and a rate of 0 adds nothing to a step.
    void nothing()
    {
        TransformerSettings s = test::tiny();
        dropSome(s);
        const TransformerSettings plain = test::tiny();
        QCOMPARE(buildTransformerForward(s).value().operations.size(),
            buildTransformerForward(plain).value().operations.size());
        QCOMPARE(droppingForward(plain).operations.size(), buildTransformerForward(plain).value().operations.size());
    }

    void refuses()
    {
        for (const double wrong : { 1.0, -0.1, 2.0, std::nan("") }) {
            TransformerSettings s;
            s.dropout = wrong;
            const Result<void> checked = checkTransformer(s);
            QVERIFY(!checked && checked.error().code == Code::OutOfRange);
            QCOMPARE(checked.error().text("key"), std::string("dropout"));
        }
        TransformerSettings s;
        s.attentionDropout = 1;
        QCOMPARE(checkTransformer(s).error().text("key"), std::string("attention_dropout"));
        s = {};
        s.dropoutSeed = 65536;
        QCOMPARE(checkTransformer(s).error().text("key"), std::string("dropout_seed"));
    }
};

REGISTER_TEST(TestDropout)
#include "test_dropout.moc"
