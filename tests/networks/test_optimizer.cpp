// SPDX-License-Identifier: GPL-3.0-or-later
// What each optimizer keeps, and its updates over several steps against plain loops.
#include <QtTest>

#include <array>
#include <cmath>
#include <random>

#include "networks/optimizer.h"
#include "program/interpret.h"
#include "registered_test.h"

using namespace shardscope;
using test::Array;

namespace {

/// p, its arrays, the gradient and the count as arguments; the new p and arrays as results.
Program updateProgram(const OptimizerSettings& settings, const TensorType& parameter, DType gradient)
{
    Builder b("update");
    OptimizerState state{ b.argument(parameter, "p", Role::Parameter), {} };
    for (const OptimizerArray& array : optimizerArrays(settings, parameter))
        state.arrays.push_back(b.argument(array.type, std::string(array.name), array.role));
    const ValueId g = b.argument({ gradient, parameter.shape }, "g", Role::Gradient);
    const ValueId count = b.argument({ DType::I32, {} }, "count", Role::Count);
    const DType dtype = updateType(settings, parameter.dtype);
    const OptimizerScalars scalars = optimizerScalars(b, settings, count, dtype);
    const OptimizerState next = optimizerUpdate(b, settings, scalars, state, g);
    b.result(next.parameter);
    for (const ValueId array : next.arrays)
        b.result(array);
    return std::move(b).finish();
}

/// The shape of a parameter as matrices, `matrices` x `rows` x `columns` with the strides of each, columns being the
/// largest dimension and rows the second largest.
struct MatrixLayout {
    Shape shape;
    std::size_t matrices = 1, rows = 0, columns = 0;
    std::size_t matrixStride = 0, rowStride = 0, columnStride = 0;
    [[nodiscard]] std::size_t at(std::size_t m, std::size_t r, std::size_t c) const
    {
        return m * matrixStride + r * rowStride + c * columnStride;
    }
};

/// optax' formulas, written down by hand. `state` holds the arrays in the order of the program.
struct PlainOptimizer {
    OptimizerSettings s;
    MatrixLayout layout;
    bool factored = false;
    Array p;
    std::vector<Array> state;
    int t = 0;

    void step(const Array& gradient)
    {
        ++t;
        switch (s.kind) {
        case OptimizerKind::Sgd:
            for (std::size_t i = 0; i < p.size(); ++i)
                p[i] -= s.learningRate * (gradient[i] + s.weightDecay * p[i]);
            return;
        case OptimizerKind::Momentum:
            for (std::size_t i = 0; i < p.size(); ++i) {
                const double g = gradient[i] + s.weightDecay * p[i];
                double& trace = state[0][i];
                trace = g + s.momentum * trace;
                p[i] -= s.learningRate * (s.nesterov ? g + s.momentum * trace : trace);
            }
            return;
        case OptimizerKind::Adam:
        case OptimizerKind::AdamW:
            for (std::size_t i = 0; i < p.size(); ++i) {
                const bool decoupled = s.kind == OptimizerKind::AdamW;
                const double g = gradient[i] + (decoupled ? 0 : s.weightDecay * p[i]);
                double &m = state[0][i], &v = state[1][i];
                m = s.beta1 * m + (1 - s.beta1) * g;
                v = s.beta2 * v + (1 - s.beta2) * g * g;
                const double mHat = m / (1 - std::pow(s.beta1, t)), vHat = v / (1 - std::pow(s.beta2, t));
                const double update = mHat / (std::sqrt(vHat) + s.epsilon) + (decoupled ? s.weightDecay * p[i] : 0);
                p[i] -= s.learningRate * update;
            }
            return;
        case OptimizerKind::Adafactor:
            break;
        }
        const double decay = 1 - std::pow(t, -s.adafactor.decayExponent);
        Array update = factored ? byFactors(gradient, decay) : gradient;
        for (std::size_t i = 0; i < p.size() && !factored; ++i) {
            state[0][i] = decay * state[0][i] + (1 - decay) * (gradient[i] * gradient[i] + s.epsilon);
            update[i] /= std::sqrt(state[0][i]);
        }
        const double clip = s.adafactor.clipRms > 0 ? std::max(1.0, rms(update) / s.adafactor.clipRms) : 1;
        const double scale = s.adafactor.scaleByParameter ? std::max(1e-3, rms(p)) : 1;
        for (std::size_t i = 0; i < p.size(); ++i)
            p[i] -= update[i] / clip * s.learningRate * scale + s.weightDecay * p[i];
    }

private:
    static double rms(const Array& array)
    {
        double sum = 0;
        for (const double element : array)
            sum += element * element;
        return std::sqrt(sum / static_cast<double>(array.size()));
    }

    Array byFactors(const Array& gradient, double decay)
    {
        const MatrixLayout& l = layout;
        Array update = gradient;
        for (std::size_t m = 0; m < l.matrices; ++m) {
            double* row = state[0].data() + m * l.rows;
            double* column = state[1].data() + m * l.columns;
            const auto square = [&](std::size_t r, std::size_t c) {
                const double g = gradient[l.at(m, r, c)];
                return g * g + s.epsilon;
            };
            double rowMean = 0;
            for (std::size_t r = 0; r < l.rows; ++r) {
                double mean = 0;
                for (std::size_t c = 0; c < l.columns; ++c)
                    mean += square(r, c) / static_cast<double>(l.columns);
                row[r] = decay * row[r] + (1 - decay) * mean;
                rowMean += row[r] / static_cast<double>(l.rows);
            }
            for (std::size_t c = 0; c < l.columns; ++c) {
                double mean = 0;
                for (std::size_t r = 0; r < l.rows; ++r)
                    mean += square(r, c) / static_cast<double>(l.rows);
                column[c] = decay * column[c] + (1 - decay) * mean;
            }
            for (std::size_t r = 0; r < l.rows; ++r)
                for (std::size_t c = 0; c < l.columns; ++c)
                    update[l.at(m, r, c)] /= std::sqrt(row[r] / rowMean) * std::sqrt(column[c]);
        }
        return update;
    }
};

bool isClose(const Array& found, const Array& expected, double tolerance)
{
    double largest = 1e-300;
    for (const double element : expected)
        largest = std::max(largest, std::abs(element));
    bool close = found.size() == expected.size();
    for (std::size_t i = 0; close && i < found.size(); ++i)
        close = std::abs(found[i] - expected[i]) <= tolerance * largest;
    return close;
}

OptimizerSettings ofKind(OptimizerKind kind, double weightDecay = 0)
{
    OptimizerSettings s;
    s.kind = kind;
    s.learningRate = 0.05;
    s.weightDecay = weightDecay;
    s.adafactor.factoredSize = 3;
    if (kind == OptimizerKind::Adafactor)
        s.epsilon = 1e-30;
    return s;
}

} // namespace

class TestOptimizer : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void updates_data()
    {
        QTest::addColumn<std::function<OptimizerSettings()>>("settings");
        QTest::addColumn<int>("layout");
        using Make = std::function<OptimizerSettings()>;
        const auto row = [](const char* name, int layout, Make make) {
            QTest::newRow(name) << std::move(make) << layout;
        };
        row("sgd", 0, [] { return ofKind(OptimizerKind::Sgd); });
        row("sgd with decay", 3, [] { return ofKind(OptimizerKind::Sgd, 0.1); });
        row("momentum", 0, [] { return ofKind(OptimizerKind::Momentum); });
        row("momentum with decay, Nesterov", 0, [] {
            OptimizerSettings s = ofKind(OptimizerKind::Momentum, 0.1);
            s.nesterov = true;
            s.momentum = 0.7;
            return s;
        });
        row("adam", 0, [] { return ofKind(OptimizerKind::Adam); });
        row("adam of a number", 4, [] { return ofKind(OptimizerKind::Adam); });
        row("adam with decay of the gradient", 0, [] { return ofKind(OptimizerKind::Adam, 0.1); });
        row("adamw", 0, [] { return ofKind(OptimizerKind::AdamW, 0.1); });
        row("adamw without decay", 0, [] { return ofKind(OptimizerKind::AdamW); });
        for (int layout = 0; layout < 6; ++layout)
            row(("adafactor " + std::to_string(layout)).c_str(), layout,
                [] { return ofKind(OptimizerKind::Adafactor); });
        row("adafactor's core", 0, [] {
            OptimizerSettings s = ofKind(OptimizerKind::Adafactor);
            s.adafactor.clipRms = 0;
            s.adafactor.scaleByParameter = false;
            return s;
        });
        row("adafactor with decay and a low limit", 2, [] {
            OptimizerSettings s = ofKind(OptimizerKind::Adafactor, 0.1);
            s.adafactor.clipRms = 0.5;
            s.adafactor.decayExponent = 0.6;
            return s;
        });
    }

    void updates()
    {
        QFETCH(std::function<OptimizerSettings()>, settings);
        QFETCH(int, layout);
        const std::array<MatrixLayout, 6> layouts{
            MatrixLayout{ { 3, 4 }, 1, 3, 4, 0, 4, 1 }, MatrixLayout{ { 4, 3 }, 1, 3, 4, 0, 1, 3 },
            MatrixLayout{ { 2, 5, 4 }, 2, 4, 5, 20, 1, 4 }, MatrixLayout{ { 6 }, 1, 1, 6, 0, 0, 1 },
            MatrixLayout{ {}, 1, 1, 1, 0, 0, 0 },
            MatrixLayout{ { 2, 9 }, 1, 2, 9, 0, 9, 1 }, // too short to be factored
        };
        PlainOptimizer plain{ settings(), layouts[static_cast<std::size_t>(layout)], layout < 3, {}, {} };
        const TensorType type{ DType::F64, plain.layout.shape };
        const Program program = updateProgram(plain.s, type, DType::F64);
        QVERIFY(verify(program).empty());

        std::mt19937 random(11);
        std::normal_distribution<double> normal(0, 1);
        const auto drawn = [&] {
            Array array(static_cast<std::size_t>(type.elementCount()));
            for (double& element : array)
                element = normal(random);
            return array;
        };
        plain.p = drawn();
        for (const OptimizerArray& array : optimizerArrays(plain.s, type))
            plain.state.emplace_back(static_cast<std::size_t>(array.type.elementCount()));
        std::vector<Array> held{ plain.p };
        held.insert(held.end(), plain.state.begin(), plain.state.end());
        for (int step = 1; step <= 5; ++step) {
            const Array gradient = drawn();
            std::vector<Array> arguments = held;
            arguments.push_back(gradient);
            arguments.push_back({ static_cast<double>(step) });
            const std::vector<Array> values = test::interpret(program, arguments);
            plain.step(gradient);
            for (std::size_t i = 0; i < held.size(); ++i)
                held[i] = values[program.main().results[i].index];
            QVERIFY(isClose(held[0], plain.p, 1e-12));
            for (std::size_t i = 0; i < plain.state.size(); ++i)
                QVERIFY(isClose(held[i + 1], plain.state[i], 1e-12));
        }
    }

    void arrays()
    {
        const auto described = [](const OptimizerSettings& s, const TensorType& type) {
            std::string text;
            for (const OptimizerArray& array : optimizerArrays(s, type)) {
                text += std::string(text.empty() ? "" : " ") + std::string(array.name) + ':'
                    + std::string(name(array.type.dtype));
                for (std::size_t d = 0; d < array.dimensions.size(); ++d)
                    text += ',' + std::to_string(array.dimensions[d]) + '=' + std::to_string(array.type.shape[d]);
            }
            return text;
        };
        const TensorType table{ DType::F32, { 200, 300 } };
        QCOMPARE(described(ofKind(OptimizerKind::Sgd), table), std::string());
        QCOMPARE(described(ofKind(OptimizerKind::Momentum), table), std::string("trace:f32,0=200,1=300"));
        QCOMPARE(described(ofKind(OptimizerKind::AdamW), table), std::string("mu:f32,0=200,1=300 nu:f32,0=200,1=300"));
        OptimizerSettings s = ofKind(OptimizerKind::Adafactor);
        s.adafactor.factoredSize = 128;
        QCOMPARE(described(s, table), std::string("v_row:f32,0=200 v_col:f32,1=300"));
        // Of three dimensions the two largest, wherever they stand; of equal ones the last is averaged for the row.
        QCOMPARE(described(s, { DType::F32, { 300, 8, 200 } }), std::string("v_row:f32,1=8,2=200 v_col:f32,0=300,1=8"));
        QCOMPARE(described(s, { DType::F32, { 128, 128 } }), std::string("v_row:f32,0=128 v_col:f32,1=128"));
        QCOMPARE(described(s, { DType::F32, { 127, 300 } }), std::string("v:f32,0=127,1=300"));
        QCOMPARE(described(s, { DType::F32, { 300 } }), std::string("v:f32,0=300"));

        s = ofKind(OptimizerKind::Adam);
        s.masterWeights = true;
        QCOMPARE(described(s, { DType::BF16, { 5 } }), std::string("mu:f32,0=5 nu:f32,0=5 master:f32,0=5"));
        QCOMPARE(described(s, { DType::F32, { 5 } }), std::string("mu:f32,0=5 nu:f32,0=5"));
        s.stateDtype = DType::BF16;
        QCOMPARE(described(s, { DType::BF16, { 5 } }), std::string("mu:bf16,0=5 nu:bf16,0=5 master:f32,0=5"));
        s.masterWeights = false;
        QCOMPARE(described(s, { DType::F32, { 5 } }), std::string("mu:bf16,0=5 nu:bf16,0=5"));
        QCOMPARE(updateType(s, DType::F32), DType::F32);
        QCOMPARE(updateType(s, DType::BF16), DType::BF16);
        QCOMPARE(updateType(s, DType::F16), DType::F32);
        QVERIFY(!countsSteps(OptimizerKind::Sgd) && !countsSteps(OptimizerKind::Momentum));
        QVERIFY(countsSteps(OptimizerKind::Adafactor));
    }

    /// The update is made in float32, whatever is stored.
    void typesOfUpdates()
    {
        OptimizerSettings s = ofKind(OptimizerKind::AdamW, 0.1);
        s.masterWeights = true;
        s.stateDtype = DType::BF16;
        const Program program = updateProgram(s, { DType::BF16, { 4 } }, DType::BF16);
        QVERIFY(verify(program).empty());
        const std::array expected{ DType::BF16, DType::BF16, DType::BF16, DType::F32 }; // p, mu, nu, master
        for (std::size_t i = 0; i < expected.size(); ++i)
            QCOMPARE(program.value(program.main().results[i]).type.dtype, expected[i]);
        const Value& p = program.value(program.main().results[0]);
        QCOMPARE(program.operation(p.definition).kind, OpKind::Convert);
        QCOMPARE(program.operation(p.definition).operands[0], program.main().results[3]);
        for (const Operation& operation : program.operations)
            if (operation.kind != OpKind::Convert && operation.kind != OpKind::Constant)
                QVERIFY(program.value(operation.results[0]).type.dtype == DType::F32
                    || program.value(operation.results[0]).type.dtype == DType::I32);
    }

    void clipping_data()
    {
        QTest::addColumn<double>("limit");
        QTest::addColumn<double>("factor");
        QTest::addColumn<bool>("zero");
        QTest::newRow("longer") << 1.0 << 0.2 << false; // (3), (0, 4) have the norm 5
        QTest::newRow("as long") << 5.0 << 1.0 << false;
        QTest::newRow("shorter") << 8.0 << 1.0 << false;
        QTest::newRow("nothing") << 1.0 << 1.0 << true;
    }

    void clipping()
    {
        QFETCH(double, limit);
        QFETCH(double, factor);
        QFETCH(bool, zero);
        Builder b("clip");
        const std::array gradients{ b.argument({ DType::F64, {} }, "a", Role::Gradient),
            b.argument({ DType::F64, { 1, 2 } }, "b", Role::Gradient) };
        for (const ValueId clipped : clippedByGlobalNorm(b, limit, gradients))
            b.result(clipped);
        const Program program = std::move(b).finish();
        QVERIFY(verify(program).empty());
        const double size = zero ? 0 : 1;
        const std::vector<Array> values = test::interpret(program, { { 3 * size }, { 0, 4 * size } });
        QVERIFY(isClose(values[program.main().results[0].index], { 3 * size * factor }, 1e-15));
        QVERIFY(isClose(values[program.main().results[1].index], { 0, 4 * size * factor }, 1e-15));
    }
};

REGISTER_TEST(TestOptimizer)
#include "test_optimizer.moc"
