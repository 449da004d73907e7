// SPDX-License-Identifier: GPL-3.0-or-later
// Initial values: known answers of the generator, distribution, and independence from how an array is cut.
#include <QtTest>

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/codes.h"
#include "networks/mlp.h"
#include "program/builder.h"
#include "program/roles.h"
#include "program/step_state.h"
#include "registered_test.h"
#include "simulate/run/initial_values.h"
#include "simulate/run/numpy_normal.h"
#include "simulate/run/philox.h"
#include "stablehlo/read.h"

using namespace shardscope;

class TestInitialValues : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void knownAnswers();
    void shardsArePartsOfTheFull();
    void distribution();
    void roles();
    void masterWeights();
    void stacksBeginAsTheirParts();
    void everyKindIsCutFreely();
    void kindsAreDistributed();
    void iotaCounts();
    void numbersOfNumpy();
    void formsAreReadAndPrinted();
    void kindsFitTypes();
    void lastChoiceCounts();
    void programsBeginAsOptimizersDo();
    void labelsAreFractions();
};

// The vectors that the authors of Philox publish with it.
void TestInitialValues::knownAnswers()
{
    using Words = std::array<std::uint32_t, 4>;
    static_assert(philox({ 0, 0, 0, 0 }, { 0, 0 }) == Words{ 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 });
    static_assert(philox({ 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff }, { 0xffffffff, 0xffffffff })
        == Words{ 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd });
    static_assert(philox({ 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 }, { 0xa4093822, 0x299f31d0 })
        == Words{ 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 });
}

void TestInitialValues::shardsArePartsOfTheFull()
{
    MlpSettings settings;
    settings.layers = 1;
    settings.embed = 21;
    settings.hidden = 35;
    const Program program = buildMlp(settings).value();
    const ValueId w = program.find("params/layers.0/W1");
    InitialValues values;
    values.seed = 5;
    const InitialArrays arrays(program, values);
    std::vector<double> full(21 * 35);
    const IndexRange all[] = { { 0, 21 }, { 0, 35 } };
    arrays.fill(w, all, full);
    for (std::int64_t rows : { 1, 4, 7, 21 }) {
        for (std::int64_t columns : { 1, 5, 8, 35 }) {
            for (std::int64_t r = 0; r < 21; r += rows) {
                for (std::int64_t c = 0; c < 35; c += columns) {
                    const IndexRange part[] = { { r, std::min<std::int64_t>(r + rows, 21) },
                        { c, std::min<std::int64_t>(c + columns, 35) } };
                    std::vector<double> shard(static_cast<std::size_t>(part[0].size() * part[1].size()));
                    arrays.fill(w, part, shard);
                    std::size_t i = 0;
                    for (std::int64_t y = part[0].begin; y < part[0].end; ++y)
                        for (std::int64_t x = part[1].begin; x < part[1].end; ++x, ++i) {
                            QCOMPARE(shard[i], full[static_cast<std::size_t>(y * 35 + x)]);
                            QCOMPARE(shard[i], arrays.at(w, y * 35 + x));
                        }
                }
            }
        }
    }
}

void TestInitialValues::distribution()
{
    MlpSettings settings;
    settings.layers = 2;
    settings.embed = 200;
    settings.hidden = 600;
    const Program program = buildMlp(settings).value();
    const double deviation = std::sqrt(2.0 / 800);
    std::vector<std::vector<double>> drawn;
    for (const std::uint64_t seed : { 0U, 1U }) {
        for (const char* path : { "params/layers.0/W1", "params/layers.1/W1" }) {
            InitialValues values;
            values.seed = seed;
            std::vector<double> w(200 * 600);
            const IndexRange all[] = { { 0, 200 }, { 0, 600 } };
            InitialArrays(program, values).fill(program.find(path), all, w);
            const auto n = static_cast<double>(w.size());
            double mean = 0, square = 0, fourth = 0;
            for (const double x : w) {
                mean += x / n;
                square += x * x / n;
                fourth += x * x * x * x / n;
            }
            // Five standard errors of each moment of a normal distribution.
            QVERIFY(std::fabs(mean) < 5 * deviation / std::sqrt(n));
            QVERIFY(std::fabs(square / (deviation * deviation) - 1) < 5 * std::sqrt(2 / n));
            QVERIFY(std::fabs(fourth / std::pow(deviation, 4) - 3) < 5 * std::sqrt(96 / n));
            for (const auto& other : drawn) { // seeds and paths give unrelated numbers
                double product = 0;
                for (std::size_t i = 0; i < w.size(); ++i)
                    product += w[i] * other[i] / n;
                QVERIFY(std::fabs(product) < 5 * deviation * deviation / std::sqrt(n));
            }
            drawn.push_back(std::move(w));
        }
    }
}

void TestInitialValues::roles()
{
    MlpSettings settings;
    settings.layers = 1;
    settings.embed = settings.hidden = 4;
    const Program program = buildMlp(settings).value();
    InitialValues values;
    const auto first = [&](const char* path) { return InitialArrays(program, values).at(program.find(path), 3 % 4); };
    QCOMPARE(first("x"), 1.0);
    QCOMPARE(first("opt/mu/layers.0/W1"), 0.0);
    QCOMPARE(InitialArrays(program, values).at(program.find("step"), 0), 0.0);
    values.chosen = { { "x", parseInitialValue("normal 1").value() } };
    QVERIFY(first("x") != 1.0);
    values.byPath["x"] = std::vector<double>(32, 0.5);
    QCOMPARE(first("x"), 0.5);
}

/// They begin as their parameter, before it is rounded to its type, unless something else is chosen for them.
void TestInitialValues::masterWeights()
{
    Builder builder("step");
    for (const auto& [path, role] :
        { std::pair{ "params/W", Role::Parameter }, std::pair{ "params/V", Role::Parameter } })
        builder.argument({ DType::BF16, { 4, 2 } }, path, role);
    const ValueId master = builder.argument({ DType::F32, { 4, 2 } }, "opt/master/V", Role::Master);
    const Program program = std::move(builder).finish();
    const auto at = [&](const InitialValues& values, ValueId argument, std::int64_t element) {
        return InitialArrays(program, values).at(argument, element);
    };
    const ValueId other = program.find("params/W"), parameter = program.find("params/V");
    InitialValues values;
    for (std::int64_t i = 0; i < 8; ++i) {
        const double expected = at(values, parameter, i);
        QVERIFY(expected != 0 && at(values, master, i) != at(values, other, i));
        QVERIFY(std::fabs(at(values, master, i) - expected) <= std::fabs(expected) / 256);
    }
    values.chosen = { { "params/**", parseInitialValue("constant 0.25").value() } };
    QCOMPARE(at(values, master, 3), 0.25);
    values.chosen.push_back({ "opt/master/*", parseInitialValue("constant 0.5").value() });
    QCOMPARE(at(values, master, 3), 0.5);
    QCOMPARE(at(values, parameter, 3), 0.25);
    values.byPath["params/V"] = std::vector<double>(8, 2);
    values.chosen.clear();
    QCOMPARE(at(values, master, 3), 2.0);
}

/// A parameter of three layers as those of single layers, by any dimension, and however it is sharded.
void TestInitialValues::stacksBeginAsTheirParts()
{
    const Shape part{ 4, 5 };
    for (const std::size_t dimension : { std::size_t{ 0 }, std::size_t{ 1 }, std::size_t{ 2 } }) {
        Builder builder("step");
        std::vector<std::string> parts;
        for (int i = 0; i < 3; ++i) {
            parts.push_back("params/layers." + std::to_string(i) + "/W");
            builder.argument({ DType::F64, part }, parts.back(), Role::Parameter);
        }
        Shape shape;
        for (std::size_t d = 0; d < 3; ++d)
            shape.push_back(d == dimension ? 3 : part[d < dimension ? d : d - 1]);
        const ValueId all = builder.argument({ DType::F64, shape }, "params/layers/W", Role::Parameter);
        const Program program = std::move(builder).finish();
        InitialValues values;
        values.seed = 3;
        const double alone = InitialArrays(program, values).at(all, 0);
        values.stacks = { { "params/layers/W", dimension, parts } };
        for (const char* form : { "", "normal 0.02", "uniform -1 1", "constant 2" }) {
            values.chosen.clear();
            if (*form != 0)
                values.chosen = { { "params/**", parseInitialValue(form).value() } };
            const InitialArrays arrays(program, values);
            const kernels::Array full = arrays.array(3);
            for (std::int64_t a = 0, at = 0; a < shape[0]; ++a)
                for (std::int64_t b = 0; b < shape[1]; ++b)
                    for (std::int64_t c = 0; c < shape[2]; ++c, ++at) {
                        const std::int64_t place[] = { a, b, c };
                        std::int64_t element = 0;
                        for (std::size_t d = 0; d < 3; ++d)
                            if (d != dimension)
                                element = element * shape[d] + place[d];
                        const ValueId layer = program.find(parts[static_cast<std::size_t>(place[dimension])]);
                        const double expected = arrays.at(layer, element);
                        QCOMPARE(arrays.at(all, at), expected);
                        QCOMPARE(kernels::numberAt(full, at), expected);
                        const IndexRange range[] = { { a, a + 1 }, { b, b + 1 }, { c, c + 1 } };
                        double one = 0;
                        arrays.fill(all, range, { &one, 1 });
                        QCOMPARE(one, expected);
                    }
        }
        values.chosen.clear();
        QVERIFY(InitialArrays(program, values).at(all, 0) != alone);
        values.chosen = { { "params/**", parseInitialValue("iota").value() } };
        QCOMPARE(InitialArrays(program, values).at(all, 59), 59.0); // counted through
    }
}

/// One argument of every type that is asked for, of which nothing is asked.
Program programWith(const std::vector<TensorType>& types)
{
    Builder builder("main");
    for (std::size_t i = 0; i < types.size(); ++i)
        builder.result(builder.argument(types[i], "a" + std::to_string(i), Role::Input));
    return std::move(builder).finish();
}

InitialValues chosenFor(const std::string& form, InitialDefaults defaults)
{
    InitialValues values;
    values.seed = 11;
    values.defaults = defaults;
    values.chosen = { { "**", parseInitialValue(form).value() } };
    return values;
}

// Whatever the kind, a part of an array holds what the array holds there.
void TestInitialValues::everyKindIsCutFreely()
{
    const Program program = programWith({ { DType::F32, { 7, 9, 5 } }, { DType::I32, { 7, 9, 5 } } });
    for (const InitialDefaults defaults : { InitialDefaults::ByRole, InitialDefaults::ByUse })
        for (const char* form : { "zeros", "ones", "constant 3", "normal 0.02", "uniform -3 5", "fan_in", "xavier",
                 "non_negative", "integers 1000", "integers -4 9000000000", "iota", "numpy_normal 3 7" }) {
            const InitialArrays arrays(program, chosenFor(form, defaults));
            for (std::size_t a = 0; a < 2; ++a) {
                const ValueId argument = program.main().arguments[a];
                const kernels::Array full = arrays.array(a);
                for (std::int64_t begin = 0; begin < 5; ++begin)
                    for (std::int64_t end = begin + 1; end <= 5; ++end) {
                        const IndexRange part[] = { { 2, 5 }, { begin, begin + 4 }, { begin, end } };
                        std::vector<double> shard(static_cast<std::size_t>(3 * 4 * (end - begin)));
                        arrays.fill(argument, part, shard);
                        std::size_t i = 0;
                        for (std::int64_t x = 2; x < 5; ++x)
                            for (std::int64_t y = begin; y < begin + 4; ++y)
                                for (std::int64_t z = begin; z < end; ++z, ++i) {
                                    const std::int64_t element = (x * 9 + y) * 5 + z;
                                    QCOMPARE(shard[i], arrays.at(argument, element));
                                    const double held = kernels::numberAt(full, element);
                                    if (a == 0)
                                        QCOMPARE(static_cast<float>(shard[i]), static_cast<float>(held));
                                    else if (arrays.starts()[a].value.bound < 2'000'000'000)
                                        QCOMPARE(shard[i], held);
                                }
                    }
            }
        }
}

// Bounds, and mean and deviation within five standard errors.
void TestInitialValues::kindsAreDistributed()
{
    constexpr std::int64_t n = 40'000;
    const Program program = programWith({ { DType::F64, { n } }, { DType::I64, { n } } });
    struct Expected {
        const char* form;
        std::size_t argument;
        double mean, deviation, least, most;
    };
    const double uniform = 1 / std::sqrt(12.0);
    for (const Expected& wanted :
        { Expected{ "zeros", 0, 0, 0, 0, 0 }, { "ones", 1, 1, 0, 1, 1 }, { "constant -2.5", 0, -2.5, 0, -2.5, -2.5 },
            { "normal 0.02", 0, 0, 0.02, -0.2, 0.2 }, { "uniform 2 6", 0, 4, 4 * uniform, 2, 6 },
            { "non_negative", 0, 17.0 / 32, 15.0 / 16 * uniform, 1.0 / 16, 1 },
            { "integers 10", 1, 4.5, std::sqrt(99 / 12.0), 0, 9 },
            { "integers -3 3", 1, -0.5, std::sqrt(35 / 12.0), -3, 2 },
            { "integers 40000000000", 1, 2e10, 4e10 * uniform, 0, 4e10 } }) {
        const kernels::Array array =
            InitialArrays(program, chosenFor(wanted.form, InitialDefaults::ByUse)).array(wanted.argument);
        const double error = 5 * wanted.deviation / std::sqrt(double(n)) + 1e-9 * std::fabs(wanted.mean);
        double mean = 0, square = 0, least = 1e300, most = -1e300;
        for (std::int64_t i = 0; i < n; ++i) {
            const double x = kernels::numberAt(array, i);
            mean += x / n;
            square += (x - wanted.mean) * (x - wanted.mean) / n;
            least = std::min(least, x);
            most = std::max(most, x);
        }
        QVERIFY2(std::fabs(mean - wanted.mean) <= error, wanted.form);
        QVERIFY2(std::fabs(std::sqrt(square) - wanted.deviation) <= error, wanted.form);
        QVERIFY2(least >= wanted.least && most <= wanted.most, wanted.form);
    }
}

/// Computed with NumPy 1.24: default_rng(seed).normal(size=n), the largest of a million among them.
void TestInitialValues::numbersOfNumpy()
{
    const auto number = [](std::uint64_t seed, std::int64_t place) { return numpyNormals(seed, place, 1)[0]; };
    const std::vector<double> first = numpyNormals(0, 0, 4);
    const std::vector<double> expected{ 0x1.017ed89db8441p-3, -0.1321048632913019, 0.6404226504432821,
        0.10490011715303971 };
    QCOMPARE(first, expected);
    QCOMPARE(number(0, 36758), 0x1.2ed8650fafb3cp+2); // beyond the last strip
    QCOMPARE(number(1, 348513), 0x1.4296790ee8dbcp+2);
    QCOMPARE(number(12345, 726328), 0x1.3a84829fbdbbdp+2);
    QCOMPARE(number(4294967296, 0), 0x1.a5c170234e89ep-4); // two words of seed
    QCOMPARE(number(9223372036854775807, 775536), 0x1.2834846946432p+2);

    const Program program = programWith({ { DType::F64, { 2, 3 } }, { DType::F32, { 4 } } });
    InitialValues values;
    values.defaults = InitialDefaults::ByUse;
    values.chosen = { { "arg0", parseInitialValue("numpy_normal 0").value() },
        { "arg1", parseInitialValue("numpy_normal 0 2").value() } };
    const InitialArrays arrays(program, values);
    const std::vector<double> all = numpyNormals(0, 0, 6);
    for (std::int64_t i = 0; i < 6; ++i)
        QCOMPARE(arrays.at(program.main().arguments[0], i), all[static_cast<std::size_t>(i)]);
    for (std::int64_t i = 0; i < 4; ++i)
        QCOMPARE(kernels::numberAt(arrays.array(1), i),
            static_cast<double>(static_cast<float>(all[static_cast<std::size_t>(i + 2)])));
    QVERIFY(!fitsType(parseInitialValue("numpy_normal 0").value(), DType::I32));
    QVERIFY(!parseInitialValue("numpy_normal") && !parseInitialValue("numpy_normal -1")
        && !parseInitialValue("numpy_normal 0 -1") && !parseInitialValue("numpy_normal 0.5"));
    QVERIFY(!parseInitialValue("numpy_normal 0 9223372036854775807")); // all before it would have to be drawn
    QCOMPARE(toString(parseInitialValue("numpy_normal 3 0").value()), std::string("numpy_normal 3"));
}

// In row-major order; from 0 again where the type holds no more.
void TestInitialValues::iotaCounts()
{
    const Program program = programWith({ { DType::F32, { 4, 8 } }, { DType::I8, { 130 } }, { DType::Pred, { 3 } } });
    const InitialArrays arrays(program, chosenFor("iota", InitialDefaults::ByUse));
    const std::int64_t sizes[] = { 32, 130, 3 }, held[] = { 32, 128, 2 };
    for (std::size_t a = 0; a < 3; ++a) {
        const kernels::Array array = arrays.array(a);
        for (std::int64_t i = 0; i < sizes[a]; ++i)
            QCOMPARE(kernels::numberAt(array, i), static_cast<double>(i % held[a]));
    }
    const IndexRange part[] = { { 2, 4 }, { 6, 8 } }; // what the last device holds of P('x', 'y') on 2 by 4
    std::vector<double> shard(4);
    arrays.fill(program.main().arguments[0], part, shard);
    QVERIFY(shard == (std::vector<double>{ 22, 23, 30, 31 }));
}

void TestInitialValues::formsAreReadAndPrinted()
{
    for (const char* form :
        { "zeros", "ones", "constant 0.5", "normal 0.02", "uniform -1 1", "fan_in", "xavier", "non_negative",
            "integers 8", "integers 1 8", "iota", "numpy_normal 0", "numpy_normal 5 32", "file a b/weights.npz" })
        QCOMPARE(toString(parseInitialValue(form).value()), std::string(form));
    QCOMPARE(toString(parseInitialValue("  constant   5e-1 ").value()), std::string("constant 0.5"));
    const auto code = [](const char* form) { return parseInitialValue(form).error().code; };
    QVERIFY(code("zeroes") == Code::UnknownValue);
    QCOMPARE(parseInitialValue("zeroes").error().text("nearest"), std::string("zeros"));
    QVERIFY(code("") == Code::UnknownValue);
    QVERIFY(code("normal") == Code::CountMismatch);
    QVERIFY(code("ones 1") == Code::CountMismatch);
    QVERIFY(code("iota 3") == Code::CountMismatch);
    QVERIFY(code("normal x") == Code::WrongType);
    QVERIFY(code("normal nan") == Code::WrongType);
    QVERIFY(code("normal -1") == Code::OutOfRange);
    QVERIFY(code("uniform 1 1") == Code::OutOfRange);
    QVERIFY(code("integers 0") == Code::OutOfRange);
    QVERIFY(code("integers 5 5") == Code::OutOfRange);
    QVERIFY(code("integers 2.5") == Code::WrongType);
    QVERIFY(code("file weights.txt") == Code::UnknownValue);
    QVERIFY(parseChosenInitial("normal 1").error().code == Code::Syntax);
    QCOMPARE(parseChosenInitial("params/** = normal 1")->argument, std::string("params/**"));
}

void TestInitialValues::kindsFitTypes()
{
    const auto fits = [](const char* form, DType dtype) { return fitsType(parseInitialValue(form).value(), dtype); };
    QVERIFY(fits("normal 1", DType::BF16) && !fits("normal 1", DType::I32) && !fits("normal 1", DType::Pred));
    QVERIFY(fits("integers 8", DType::I32) && !fits("integers 8", DType::F32));
    QVERIFY(fits("integers 128", DType::I8) && !fits("integers 129", DType::I8));
    QVERIFY(fits("integers 256", DType::U8) && !fits("integers -1 4", DType::U8));
    QVERIFY(fits("constant 1", DType::Pred) && !fits("constant 2", DType::Pred) && !fits("constant 0.5", DType::I64));
    QVERIFY(fits("iota", DType::F32) && fits("iota", DType::I32) && fits("iota", DType::Pred));
    QVERIFY(fits("normal 1", DType::C64) && fits("iota", DType::C128) && !fits("integers 8", DType::C64));
    QVERIFY(fits("zeros", DType::Pred) && fits("file x.npy", DType::U4));
}

void TestInitialValues::lastChoiceCounts()
{
    const Program program = programWith({ { DType::F32, { 4 } }, { DType::I32, { 4 } }, { DType::F32, { 4 } } });
    InitialValues values;
    values.defaults = InitialDefaults::ByUse;
    for (const char* text : { "a?=normal 1", "arg2=ones", "1=zeros", "a1=fan_in", "nothing=ones" })
        values.chosen.push_back(parseChosenInitial(text).value());
    const std::vector<ArgumentStart> starts = argumentStarts(program, values);
    QCOMPARE(toString(starts[0].value), std::string("normal 1"));
    QCOMPARE(toString(starts[1].value), std::string("zeros")); // fan_in is none for integers
    QCOMPARE(toString(starts[2].value), std::string("ones"));
    const std::vector<UnusedChoice> unused = unusedChoices(program, values.chosen);
    QCOMPARE(unused, (std::vector<UnusedChoice>{ { 3, 1 }, { 4, std::nullopt } }));
}

// Moments and counters are zeros, unless the program divides by a counter itself; single numbers are small.
void TestInitialValues::programsBeginAsOptimizersDo()
{
    Result<ReadProgram> read = readStableHlo(R"(
func.func @main(%p: tensor<8xf32> loc("params['w']"), %mu: tensor<8xf32> loc("opt.mu['w']"), %nu: tensor<8xf32> loc("opt.nu['w']"),
    %seen: tensor<i32> loc("opt.count"), %ran: tensor<i32> loc("train.step"), %rate: tensor<f32>, %heat: tensor<f32>,
    %spread: tensor<8xf32>, %mean: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<f32>, tensor<f32>) {
  %square = stablehlo.multiply %mu, %mu : tensor<8xf32>
  %centred = stablehlo.subtract %nu, %square : tensor<8xf32>
  %root = stablehlo.rsqrt %centred : tensor<8xf32>
  %r = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %u = stablehlo.multiply %r, %root : tensor<8xf32>
  %n = stablehlo.subtract %p, %u : tensor<8xf32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %times = stablehlo.convert %seen : (tensor<i32>) -> tensor<f32>
  %next = stablehlo.add %times, %one : tensor<f32>
  %share = stablehlo.divide %one, %next : tensor<f32>
  %steps = stablehlo.convert %ran : (tensor<i32>) -> tensor<f32>
  %part = stablehlo.divide %heat, %steps : tensor<f32>
  %cold = stablehlo.log %heat : tensor<f32>
  %sum = stablehlo.add %part, %cold : tensor<f32>
  %less = stablehlo.subtract %spread, %mean : tensor<8xf32>
  %deviation = stablehlo.sqrt %less : tensor<8xf32>
  return %n, %deviation, %share, %sum : tensor<8xf32>, tensor<8xf32>, tensor<f32>, tensor<f32>
})");
    QVERIFY(read.has_value());
    giveRoles(read->program, guessRoles(read->program, stateOf(read->program, "none")));
    QStringList starts;
    for (const ArgumentStart& start : argumentStarts(read->program, { 0, InitialDefaults::ByUse }))
        starts << QString::fromStdString(toString(start.value));
    QCOMPARE(starts,
        (QStringList{ QStringLiteral("uniform -1 1"), QStringLiteral("zeros"), QStringLiteral("zeros"),
            QStringLiteral("zeros"), // one is added before it divides
            QStringLiteral("integers 1 8"), // divides as it is
            QStringLiteral("constant 0.001"), QStringLiteral("constant 0.001"),
            QStringLiteral("non_negative"), // something is taken away from it under a root
            QStringLiteral("uniform -1 1") }));
}

// A label y stands in y log p + (1 - y) log (1 - p); an input from which 1 is taken asks for nothing.
void TestInitialValues::labelsAreFractions()
{
    const Result<ReadProgram> read = readStableHlo(R"(
func.func @main(%y: tensor<8xf32>, %x: tensor<8xf32>, %z: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %one = stablehlo.constant dense<1.0> : tensor<8xf32>
  %two = stablehlo.constant dense<2.0> : tensor<8xf32>
  %rest = stablehlo.subtract %one, %y : tensor<8xf32>
  %less = stablehlo.subtract %x, %one : tensor<8xf32>
  %other = stablehlo.subtract %two, %z : tensor<8xf32>
  return %rest, %less, %other : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
})");
    QVERIFY(read.has_value());
    QStringList starts;
    for (const ArgumentStart& start : argumentStarts(read->program, { 0, InitialDefaults::ByUse }))
        starts << QString::fromStdString(toString(start.value));
    QCOMPARE(starts,
        (QStringList{ QStringLiteral("uniform 0 1"), QStringLiteral("uniform -1 1"), QStringLiteral("uniform -1 1") }));
}

REGISTER_TEST(TestInitialValues)
#include "test_initial_values.moc"
