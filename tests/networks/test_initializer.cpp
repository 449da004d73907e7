// SPDX-License-Identifier: GPL-3.0-or-later
// The program that makes the state of a step, against Threefry and the error function written down here.
#include <QtTest>

#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "base/codes.h"
#include "networks/initializer.h"
#include "networks/mlp.h"
#include "networks/small_transformers.h"
#include "networks/transformer_training.h"
#include "program/interpret.h"
#include "registered_test.h"

using namespace shardscope;
using test::Array;

namespace {

std::uint32_t rotated(std::uint32_t word, int places)
{
    return (word << places) | (word >> (32 - places));
}

/// Both words of Threefry2x32, put together as JAX does.
std::uint32_t plainBits(std::array<std::uint32_t, 2> key, std::uint32_t high, std::uint32_t low)
{
    const std::array<std::uint32_t, 3> keys{ key[0], key[1], key[0] ^ key[1] ^ 0x1BD11BDAU };
    constexpr int places[2][4] = { { 13, 15, 26, 6 }, { 17, 29, 16, 24 } };
    std::uint32_t x = high + keys[0], y = low + keys[1];
    for (std::uint32_t group = 0; group < 5; ++group) {
        for (const int each : places[group % 2]) {
            x += y;
            y = rotated(y, each) ^ x;
        }
        x += keys[(group + 1) % 3];
        y += keys[(group + 2) % 3] + group + 1;
    }
    return x ^ y;
}

MlpSettings fewLayers()
{
    MlpSettings s;
    s.layers = 2;
    s.batch = 3;
    s.embed = 4;
    s.hidden = 6;
    s.dtype = DType::F64;
    return s;
}

} // namespace

class TestInitializer : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void makesTheStateOfAStep()
    {
        const Program step = buildMlp(fewLayers()).value();
        const Program init = initializerOf(step, {}).value();
        QVERIFY(verify(init).empty());
        QCOMPARE(init.main().arguments.size(), std::size_t{ 1 });
        QVERIFY(init.value(init.main().arguments[0]).type == (TensorType{ DType::U32, { 2 } }));
        // All arguments but the input, in order, with their annotations.
        const std::vector<ValueId>& arguments = step.main().arguments;
        QCOMPARE(init.main().results.size(), arguments.size() - 1);
        for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
            const Value& argument = step.value(arguments[i]);
            const Value& made = init.value(init.main().results[i]);
            QCOMPARE(std::string(made.path), std::string(argument.path));
            QVERIFY(made.type == argument.type && made.role == argument.role);
            QVERIFY(init.resultAnnotations[i] == step.argumentAnnotations[i]);
        }
    }

    void itsNumbersAreThoseOfThreefry()
    {
        const Program step = buildMlp(fewLayers()).value();
        const Program init = initializerOf(step, {}).value();
        const std::array<std::uint32_t, 2> key{ 7, 11 };
        const std::vector<Array> found = test::interpret(init, { Array{ 7, 11 } });
        std::uint32_t number = 0;
        for (const ValueId result : init.main().results) {
            const Value& made = init.value(result);
            const Array& numbers = found[result.index];
            if (made.role != Role::Parameter) {
                for (const double element : numbers)
                    QCOMPARE(element, 0.0);
                continue;
            }
            const std::array<std::uint32_t, 2> own{ plainBits(key, 0, number), plainBits(key, 0, number + 1) };
            number += 2;
            const std::int64_t rows = made.type.shape[0], columns = made.type.shape[1];
            const double deviation = std::sqrt(2.0 / (4 + 6));
            for (std::int64_t r = 0; r < rows; ++r)
                for (std::int64_t c = 0; c < columns; ++c) {
                    const std::uint32_t bits =
                        plainBits(own, static_cast<std::uint32_t>(r), static_cast<std::uint32_t>(c));
                    const double uniform = static_cast<double>(bits >> 8) * 0x1p-23 + 0x1p-24 - 1;
                    const double element = numbers[static_cast<std::size_t>(r * columns + c)];
                    QVERIFY(std::abs(std::erf(element / (std::sqrt(2.0) * deviation)) - uniform) < 1e-6);
                }
        }
        QCOMPARE(number, 8U); // four matrices
        QVERIFY(found[init.main().results[1].index] != found[init.main().results[3].index]);
    }

    void whatIsChosenCounts()
    {
        const Program step = buildMlp(fewLayers()).value();
        const auto chosen = [](const char* text) { return parseChosenInitial(text).value(); };
        const std::vector<ChosenInitial> all{ chosen("params/**=ones"), chosen("params/layers.1/*=uniform 2 4"),
            chosen("opt/mu/layers.0/W1=constant 0.5") };
        const Program init = initializerOf(step, all).value();
        const std::vector<Array> found = test::interpret(init, { Array{ 1, 2 } });
        const auto of = [&](const char* path) -> const Array& { return found[init.find(path).index]; };
        for (const double element : of("params/layers.0/W1"))
            QCOMPARE(element, 1.0);
        for (const double element : of("params/layers.1/W2"))
            QVERIFY(element >= 2 && element < 4);
        for (const double element : of("opt/mu/layers.0/W1"))
            QCOMPARE(element, 0.5);
        const std::vector<ChosenInitial> file{ chosen("params/layers.0/W1=file w.npy") };
        const auto refused = initializerOf(step, file);
        QVERIFY(!refused && refused.error().code == Code::InvalidAttribute);
    }

    /// Every kind of transformer has one; scales of norms are ones.
    void transformers()
    {
        TransformerTraining training;
        training.model = test::tiny();
        const std::vector<ChosenInitial> initials = transformerInitials(training.model);
        for (const LayerForm form : { LayerForm::Unrolled, LayerForm::Scanned }) {
            training.model.form = form;
            const Program init = initializerOf(buildTransformer(training).value(), initials).value();
            QVERIFY(verify(init).empty());
            const std::vector<Array> found = test::interpret(init, { Array{ 3, 4 } });
            for (const ValueId result : init.main().results) {
                const std::string path = init.value(result).path;
                if (path.starts_with("params/") && path.ends_with("/scale"))
                    for (const double element : found[result.index])
                        QCOMPARE(element, 1.0);
            }
        }
    }
};

REGISTER_TEST(TestInitializer)
#include "test_initializer.moc"
