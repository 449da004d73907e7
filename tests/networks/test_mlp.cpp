// SPDX-License-Identifier: GPL-3.0-or-later
// The MLP's train step: its structure, its numbers against plain loops, and its cost at sizes that fit no memory.
#include <QtTest>

#include <cmath>
#include <map>
#include <random>

#include "base/codes.h"
#include "networks/mlp.h"
#include "program/interpret.h"
#include "program/path.h"
#include "program/program_text.h"
#include "registered_test.h"

using namespace shardscope;
using test::Array;

namespace {

struct Matrix {
    std::size_t rows = 0, columns = 0;
    Array data;

    Matrix(std::size_t r, std::size_t c)
        : rows(r)
        , columns(c)
        , data(r * c)
    {
    }
    double& operator()(std::size_t r, std::size_t c) { return data[r * columns + c]; }
    double operator()(std::size_t r, std::size_t c) const { return data[r * columns + c]; }
};

/// a b, with either operand read transposed.
Matrix product(const Matrix& a, bool transposeA, const Matrix& b, bool transposeB)
{
    Matrix c(transposeA ? a.columns : a.rows, transposeB ? b.rows : b.columns);
    for (std::size_t i = 0; i < c.rows; ++i)
        for (std::size_t j = 0; j < c.columns; ++j)
            for (std::size_t k = 0; k < (transposeA ? a.rows : a.columns); ++k)
                c(i, j) += (transposeA ? a(k, i) : a(i, k)) * (transposeB ? b(j, k) : b(k, j));
    return c;
}

/// The train step written down by hand, with explicit derivatives and optax' formulas.
struct PlainMlp {
    const MlpSettings& settings;
    std::vector<Matrix> parameters, mu, nu; ///< W1 and W2 of layer 0, of layer 1, ...
    Matrix x;
    std::vector<Matrix> gradients;
    std::vector<Matrix> hidden; ///< relu(x W1) per layer
    Matrix dx{ 0, 0 }, output{ 0, 0 };
    double loss = 0;
    int count = 0;

    void step()
    {
        std::vector<Matrix> inputs{ x };
        hidden.clear();
        for (std::size_t i = 0; i < parameters.size(); i += 2) {
            Matrix y = product(inputs.back(), false, parameters[i], false);
            for (double& element : y.data)
                element = element > 0 ? element : 0;
            hidden.push_back(y);
            inputs.push_back(product(y, false, parameters[i + 1], false));
        }
        output = inputs.back();
        const bool squares = settings.loss == LossKind::HalfSumOfSquares;
        loss = 0;
        Matrix d = output;
        for (double& element : d.data) {
            loss += squares ? element * element / 2 : element;
            element = squares ? element : 1;
        }
        gradients.assign(parameters.size(), Matrix(0, 0));
        for (std::size_t i = parameters.size(); i > 0; i -= 2) {
            const Matrix& y = hidden[i / 2 - 1];
            gradients[i - 1] = product(y, true, d, false);
            Matrix dy = product(d, false, parameters[i - 1], true);
            for (std::size_t e = 0; e < dy.data.size(); ++e)
                dy.data[e] = y.data[e] > 0 ? dy.data[e] : 0;
            gradients[i - 2] = product(inputs[i / 2 - 1], true, dy, false);
            d = product(dy, false, parameters[i - 2], true);
        }
        dx = d;
        ++count;
        const AdamSettings& a = settings.adam;
        for (std::size_t i = 0; i < parameters.size(); ++i)
            for (std::size_t e = 0; e < parameters[i].data.size(); ++e) {
                const double g = gradients[i].data[e];
                double &m = mu[i].data[e], &v = nu[i].data[e];
                m = a.beta1 * m + (1 - a.beta1) * g;
                v = a.beta2 * v + (1 - a.beta2) * g * g;
                const double mHat = m / (1 - std::pow(a.beta1, count)), vHat = v / (1 - std::pow(a.beta2, count));
                parameters[i].data[e] -= a.learningRate * mHat / (std::sqrt(vHat) + a.epsilon);
            }
    }
};

MlpSettings small()
{
    MlpSettings s;
    s.layers = 2;
    s.batch = 3;
    s.embed = 4;
    s.hidden = 6;
    s.dtype = DType::F64;
    return s;
}

std::vector<std::string> argumentPaths(const Program& p)
{
    std::vector<std::string> paths;
    for (const ValueId v : p.main().arguments)
        paths.push_back(p.value(v).path);
    return paths;
}

PartitionSpec spec(std::vector<SpecEntry> entries)
{
    return { std::move(entries) };
}

} // namespace

class TestMlp : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void argumentsResultsAndState()
    {
        const Program p = buildMlp(small()).value();
        QVERIFY(verify(p).empty());
        const std::vector<std::string> state{ "step", "params/layers.0/W1", "params/layers.0/W2", "params/layers.1/W1",
            "params/layers.1/W2", "opt/count", "opt/mu/layers.0/W1", "opt/mu/layers.0/W2", "opt/mu/layers.1/W1",
            "opt/mu/layers.1/W2", "opt/nu/layers.0/W1", "opt/nu/layers.0/W2", "opt/nu/layers.1/W1",
            "opt/nu/layers.1/W2" };
        std::vector<std::string> expected = state;
        expected.push_back("x");
        QCOMPARE(argumentPaths(p), expected);
        QCOMPARE(p.state.size(), state.size());
        for (std::size_t i = 0; i < state.size(); ++i) {
            const ValueId argument = p.main().arguments[i], next = p.main().results[i];
            QCOMPARE(p.state[i].argument, argument);
            QCOMPARE(p.state[i].result, static_cast<std::uint32_t>(i));
            QCOMPARE(p.value(next).path, "next(" + state[i] + ')');
            QCOMPARE(p.value(next).role, p.value(argument).role);
            QCOMPARE(p.value(next).dimNames, p.value(argument).dimNames);
            QVERIFY(p.resultAnnotations[i] == p.argumentAnnotations[i]);
        }
        QCOMPARE(p.main().results.size(), state.size() + 2);
        QCOMPARE(p.main().results[state.size()], p.find("loss"));
        QCOMPARE(p.main().results[state.size() + 1], p.find("layers.1/z"));
        QVERIFY(std::holds_alternative<std::monostate>(p.resultAnnotations[state.size()]));
        QVERIFY(std::holds_alternative<std::monostate>(p.resultAnnotations[state.size() + 1]));

        const std::map<std::string, std::pair<Role, Shape>> values{ { "step", { Role::Step, {} } },
            { "opt/count", { Role::Count, {} } }, { "params/layers.1/W1", { Role::Parameter, { 4, 6 } } },
            { "opt/mu/layers.1/W2", { Role::Mu, { 6, 4 } } }, { "opt/nu/layers.0/W1", { Role::Nu, { 4, 6 } } },
            { "x", { Role::Input, { 3, 4 } } }, { "layers.0/h", { Role::Activation, { 3, 6 } } },
            { "layers.0/y", { Role::Activation, { 3, 6 } } }, { "layers.0/z", { Role::Activation, { 3, 4 } } },
            { "loss", { Role::Loss, {} } }, { "grad(params/layers.0/W2)", { Role::Gradient, { 6, 4 } } } };
        for (const auto& [path, what] : values) {
            const Value& value = p.value(findValue(p, path).value());
            QCOMPARE(value.role, what.first);
            QVERIFY(value.type.shape == what.second);
            QCOMPARE(value.dimNames.size(), what.second.size());
        }
        QCOMPARE(p.value(p.find("layers.0/y")).dimNames, (std::vector<std::string>{ "batch", "hidden" }));
        QCOMPARE(select(p, "grad(**)").size(), std::size_t{ 4 });
        QCOMPARE(p.value(p.find("step")).type.dtype, DType::I32);
        for (const char* scope :
            { "layers.0", "loss", "backward/loss", "backward/layers.1", "optimizer", "optimizer/layers.0/W1" })
            QVERIFY2(std::find(p.scopes.begin(), p.scopes.end(), scope) != p.scopes.end(), scope);
    }

    void operationsPerParameterAreElementwise()
    {
        const Program p = buildMlp(small()).value();
        int count = 0;
        for (const Operation& operation : p.operations) {
            if (p.scopes[operation.scope] != "optimizer/layers.1/W1")
                continue;
            const TensorType& type = p.value(operation.results[0]).type;
            QVERIFY((type == TensorType{ DType::F64, { 4, 6 } }));
            count += operation.kind != OpKind::Constant && operation.kind != OpKind::BroadcastInDim;
            // Every constant and every spread scalar has one reader.
            if (operation.operands.empty() || operation.kind == OpKind::BroadcastInDim)
                QCOMPARE(usersOf(p)[operation.results[0].index].size(), std::size_t{ 1 });
        }
        QCOMPARE(count, 13);
        std::map<OpKind, int> kinds;
        for (const Operation& operation : p.operations)
            ++kinds[operation.kind];
        QCOMPARE(kinds[OpKind::DotGeneral], 4 + 4 + 3); // forward; dW; dx, but not of the input
        QCOMPARE(kinds[OpKind::ShardingConstraint], 8);
        QCOMPARE(kinds[OpKind::Transpose], 0);
        QCOMPARE(kinds[OpKind::Power], 2);
    }

    void annotations()
    {
        const auto of = [](const Program& p, std::string_view path) {
            return p.argumentAnnotations[p.value(p.find(path)).index];
        };
        const auto constraints = [](const Program& p) {
            std::vector<Annotation> found;
            for (const Operation& operation : p.operations)
                if (const auto* a = std::get_if<ConstraintAttributes>(&operation.attributes))
                    found.push_back(a->annotation);
            return found;
        };
        const auto logical = [](const char* a, const char* b) {
            return Annotation(LogicalAxes{ { LogicalName::of(a), LogicalName::of(b) } });
        };
        const Annotation onHidden = DeviceAxes{ spec({ SpecEntry::none(), SpecEntry::axis("model") }) };
        const Annotation onBoth = DeviceAxes{ spec({ SpecEntry::axis("data"), SpecEntry::axis("model") }) };
        const Annotation onData = DeviceAxes{ spec({ SpecEntry::axis("data"), SpecEntry::none() }) };

        MlpSettings s = small();
        s.layers = 1;
        Program p = buildMlp(s).value();
        for (const char* path : { "params/layers.0/W1", "opt/mu/layers.0/W1", "opt/nu/layers.0/W1" })
            QVERIFY(of(p, path) == logical("embed", "hidden"));
        QVERIFY(of(p, "params/layers.0/W2") == logical("hidden", "embed"));
        QVERIFY(of(p, "x") == logical("batch", "embed"));
        QVERIFY(of(p, "step") == Annotation(DeviceAxes{}));
        QVERIFY(of(p, "opt/count") == Annotation(DeviceAxes{}));
        // y, z, and backwards z's and y's own again
        QVERIFY(
            constraints(p) == (std::vector{ onBoth, logical("batch", "embed"), logical("batch", "embed"), onBoth }));

        s.yConstraint = MlpSettings::Axes::Logical;
        p = buildMlp(s).value();
        QVERIFY(constraints(p).front() == logical("batch", "hidden"));

        s.axes = s.yConstraint = MlpSettings::Axes::Device;
        p = buildMlp(s).value();
        QVERIFY(of(p, "params/layers.0/W1") == onHidden);
        QVERIFY(of(p, "x") == onData);
        QVERIFY(constraints(p) == (std::vector{ onBoth, onData, onData, onBoth }));

        s.deviceAxes["batch"] = SpecEntry::tuple({ "pod", "data" });
        s.deviceAxes.erase("embed");
        p = buildMlp(s).value();
        QVERIFY(
            of(p, "x") == Annotation(DeviceAxes{ spec({ SpecEntry::tuple({ "pod", "data" }), SpecEntry::none() }) }));
    }

    void forwardOnlyAndInputGradient()
    {
        MlpSettings s = small();
        s.trainStep = false;
        const Program forward = buildMlp(s).value();
        QVERIFY(verify(forward).empty());
        QCOMPARE(argumentPaths(forward),
            (std::vector<std::string>{
                "params/layers.0/W1", "params/layers.0/W2", "params/layers.1/W1", "params/layers.1/W2", "x" }));
        QCOMPARE(forward.main().results, (std::vector{ forward.find("loss"), forward.find("layers.1/z") }));
        QVERIFY(forward.state.empty());

        s.trainStep = s.inputGradient = true;
        const Program p = buildMlp(s).value();
        QVERIFY(verify(p).empty());
        QCOMPARE(p.main().results.back(), p.find("grad(x)"));
        QCOMPARE(p.value(p.main().results.back()).role, Role::Gradient);
    }

    /// The same step, whatever of a layer is computed again: with nothing kept its first product.
    void remat()
    {
        MlpSettings s = small();
        s.loss = LossKind::HalfSumOfSquares;
        const Program plain = buildMlp(s).value();
        std::mt19937 random(3);
        std::normal_distribution<double> normal;
        std::vector<Array> arguments;
        for (const ValueId id : plain.main().arguments) {
            const Value& value = plain.value(id);
            Array& values = arguments.emplace_back(static_cast<std::size_t>(value.type.elementCount()));
            if (value.role == Role::Parameter || value.role == Role::Input)
                for (double& element : values)
                    element = normal(random);
        }
        const auto countOf = [](const Program& p, OpKind kind) {
            return std::count_if(p.operations.begin(), p.operations.end(),
                [kind](const Operation& operation) { return operation.kind == kind; });
        };
        const std::vector<Array> expected = test::interpret(plain, arguments);
        QCOMPARE(countOf(plain, OpKind::OptimizationBarrier), 0);
        for (const RematPolicy policy : { RematPolicy::Full, RematPolicy::Dots, RematPolicy::Gathered }) {
            s.remat = policy;
            const Program again = buildMlp(s).value();
            QVERIFY(verify(again).empty());
            QVERIFY(countOf(again, OpKind::OptimizationBarrier) > 0);
            const std::vector<Array> found = test::interpret(again, arguments);
            for (std::size_t i = 0; i < again.main().results.size(); ++i)
                QCOMPARE(found[again.main().results[i].index], expected[plain.main().results[i].index]);
            QCOMPARE(countOf(again, OpKind::DotGeneral) - countOf(plain, OpKind::DotGeneral),
                policy == RematPolicy::Full ? s.layers : 0);
        }
    }

    /// A loop over stacked parameters takes the same step as layers one after the other.
    void scanned_data()
    {
        QTest::addColumn<int>("axis");
        QTest::addColumn<RematPolicy>("remat");
        for (const int axis : { 0, 1, 2 })
            QTest::addRow("axis %d", axis) << axis << RematPolicy::None;
        QTest::newRow("remat") << 0 << RematPolicy::Full;
    }
    void scanned()
    {
        QFETCH(int, axis);
        QFETCH(RematPolicy, remat);
        MlpSettings s = small();
        s.loss = LossKind::HalfSumOfSquares;
        s.layers = 3;
        const Program unrolled = buildMlp(s).value();
        s.form = LayerForm::Scanned;
        s.layersAxis = axis;
        s.layersName = "layers";
        s.remat = remat;
        const Program loop = buildMlp(s).value();
        QVERIFY(verify(loop).empty());
        QCOMPARE(argumentPaths(loop),
            (std::vector<std::string>{ "step", "params/layers/W1", "params/layers/W2", "opt/count", "opt/mu/layers/W1",
                "opt/mu/layers/W2", "opt/nu/layers/W1", "opt/nu/layers/W2", "x" }));
        // Element (i, r, c) of all layers, in the order of the stacked array.
        const auto stacked = [&](const Program& from, const std::vector<Array>& values, const std::string& prefix,
                                 const char* name, bool results) {
            const bool isFirst = std::string_view(name) == "W1";
            const std::int64_t rows = isFirst ? s.embed : s.hidden, columns = isFirst ? s.hidden : s.embed;
            Shape shape{ rows, columns };
            shape.insert(shape.begin() + axis, s.layers);
            Array all(static_cast<std::size_t>(s.layers * rows * columns));
            std::size_t next = 0;
            for (std::int64_t a = 0; a < shape[0]; ++a)
                for (std::int64_t b = 0; b < shape[1]; ++b)
                    for (std::int64_t c = 0; c < shape[2]; ++c) {
                        Shape index{ a, b, c };
                        const std::int64_t layer = index[static_cast<std::size_t>(axis)];
                        index.erase(index.begin() + axis);
                        const std::string path = prefix + "layers." + std::to_string(layer) + '/' + name;
                        const ValueId value = from.find(results ? "next(" + path + ")" : path);
                        all[next++] = values[value.index][static_cast<std::size_t>(index[0] * columns + index[1])];
                    }
            return all;
        };
        std::mt19937 random(11);
        std::normal_distribution<double> normal;
        std::vector<Array> arguments, byValue(unrolled.values.size());
        for (const ValueId id : unrolled.main().arguments) {
            const Value& value = unrolled.value(id);
            Array& values = arguments.emplace_back(static_cast<std::size_t>(value.type.elementCount()));
            if (value.role == Role::Parameter || value.role == Role::Input)
                for (double& element : values)
                    element = normal(random);
            byValue[id.index] = values;
        }
        std::vector<Array> stackedArguments;
        for (const ValueId id : loop.main().arguments) {
            const Value& value = loop.value(id);
            const std::string path = value.path;
            const std::size_t end = path.find("layers/");
            stackedArguments.push_back(end == std::string::npos
                    ? byValue[unrolled.find(path).index]
                    : stacked(unrolled, byValue, path.substr(0, end), path.ends_with("W1") ? "W1" : "W2", false));
        }
        const std::vector<Array> expected = test::interpret(unrolled, arguments);
        const std::vector<Array> found = test::interpret(loop, stackedArguments);
        const auto near = [](const Array& a, const Array& b) {
            if (a.size() != b.size())
                return false;
            for (std::size_t e = 0; e < a.size(); ++e)
                if (std::abs(a[e] - b[e]) > 1e-10 * std::max(1.0, std::abs(a[e])))
                    return false;
            return true;
        };
        for (const char* prefix : { "params/", "opt/mu/", "opt/nu/" })
            for (const char* name : { "W1", "W2" }) {
                const ValueId value = loop.find("next(" + std::string(prefix) + "layers/" + name + ")");
                QVERIFY(value.valid());
                QVERIFY2(near(stacked(unrolled, expected, prefix, name, true), found[value.index]), prefix);
            }
        QVERIFY(near(expected[unrolled.find("loss").index], found[loop.find("loss").index]));
    }

    /// Outside of the loop the names have that of the layers, inside they do not.
    void scannedNames()
    {
        const auto of = [](const Program& p, std::string_view path) {
            return p.argumentAnnotations[p.value(p.find(path)).index];
        };
        MlpSettings s = small();
        s.form = LayerForm::Scanned;
        const LogicalName none = LogicalName::none(), layers = LogicalName::of("layers"),
                          embed = LogicalName::of("embed"), hidden = LogicalName::of("hidden");
        QVERIFY(of(buildMlp(s).value(), "params/layers/W1") == Annotation(LogicalAxes{ { none, embed, hidden } }));
        s.layersName = "layers";
        Program p = buildMlp(s).value();
        for (const char* path : { "params/layers/W1", "opt/mu/layers/W1", "opt/nu/layers/W1" })
            QVERIFY(of(p, path) == Annotation(LogicalAxes{ { layers, embed, hidden } }));
        QVERIFY(p.value(p.find("params/layers/W1")).type.shape == (Shape{ 2, 4, 6 }));
        s.layersAxis = 2;
        p = buildMlp(s).value();
        QVERIFY(of(p, "params/layers/W2") == Annotation(LogicalAxes{ { hidden, embed, layers } }));
        QVERIFY(p.value(p.find("params/layers/W2")).type.shape == (Shape{ 6, 4, 2 }));
        s.axes = MlpSettings::Axes::Device;
        s.layersName = "stage";
        p = buildMlp(s).value();
        QVERIFY(of(p, "params/layers/W2")
            == Annotation(
                DeviceAxes{ spec({ SpecEntry::axis("model"), SpecEntry::none(), SpecEntry::axis("stage") }) }));
        s.layersAxis = 3;
        QVERIFY(!buildMlp(s));
    }

    void printed()
    {
        MlpSettings s = small();
        s.layers = 1;
        s.trainStep = false;
        const char* expected = R"(module @apply {
  func.func public @main(
      %arg0: tensor<4x6xf64> {path = "params/layers.0/W1", role = parameter, dims = [embed, hidden], sharding = (embed, hidden)},
      %arg1: tensor<6x4xf64> {path = "params/layers.0/W2", role = parameter, dims = [hidden, embed], sharding = (hidden, embed)},
      %arg2: tensor<3x4xf64> {path = "x", role = input, dims = [batch, embed], sharding = (batch, embed)})
      -> (tensor<f64>,
          tensor<3x4xf64>) {
    // layers.0
    %0 = stablehlo.dot_general %arg2, %arg0, contracting_dims = [1] x [0] : (tensor<3x4xf64>, tensor<4x6xf64>) -> tensor<3x6xf64>  // layers.0/h
    %1 = stablehlo.constant dense<0> : tensor<3x6xf64>
    %2 = stablehlo.maximum %0, %1 : (tensor<3x6xf64>, tensor<3x6xf64>) -> tensor<3x6xf64>
    %3 = sdy.sharding_constraint %2 <P('data', 'model')> : (tensor<3x6xf64>) -> tensor<3x6xf64>  // layers.0/y
    %4 = stablehlo.dot_general %3, %arg1, contracting_dims = [1] x [0] : (tensor<3x6xf64>, tensor<6x4xf64>) -> tensor<3x4xf64>
    %5 = sdy.sharding_constraint %4 <(batch, embed)> : (tensor<3x4xf64>) -> tensor<3x4xf64>  // layers.0/z
    // loss
    %6 = stablehlo.reduce %5 applies stablehlo.add across dimensions = [0, 1] : (tensor<3x4xf64>) -> tensor<f64>  // loss
    return %6, %5 : tensor<f64>, tensor<3x4xf64>
  }
}
)";
        QCOMPARE(QString::fromStdString(print(buildMlp(s).value())), QString(expected));
    }

    void numbers_data()
    {
        QTest::addColumn<int>("layers");
        QTest::addColumn<int>("batch");
        QTest::addColumn<int>("embed");
        QTest::addColumn<int>("hidden");
        QTest::addColumn<bool>("squares");
        QTest::addColumn<bool>("zeroRows");
        QTest::newRow("one layer") << 1 << 2 << 4 << 4 << false << false;
        QTest::newRow("three layers, all sizes different") << 3 << 3 << 5 << 7 << false << false;
        QTest::newRow("squares") << 2 << 4 << 6 << 3 << true << false;
        QTest::newRow("pre-activations of exactly zero") << 2 << 4 << 3 << 3 << false << true;
        QTest::newRow("size one") << 1 << 1 << 1 << 1 << true << false;
    }

    void numbers()
    {
        QFETCH(int, layers);
        QFETCH(int, batch);
        QFETCH(int, embed);
        QFETCH(int, hidden);
        MlpSettings s;
        s.layers = layers;
        s.batch = batch;
        s.embed = embed;
        s.hidden = hidden;
        s.dtype = DType::F64;
        QFETCH(bool, squares);
        QFETCH(bool, zeroRows);
        s.loss = squares ? LossKind::HalfSumOfSquares : LossKind::SumOfOutputs;
        s.adam.learningRate = 0.01;
        s.inputGradient = true;
        const Program p = buildMlp(s).value();

        std::mt19937 random(7);
        std::normal_distribution<double> normal(0, 0.7);
        const auto drawn = [&](std::int64_t rows, std::int64_t columns) {
            Matrix m(static_cast<std::size_t>(rows), static_cast<std::size_t>(columns));
            for (double& element : m.data)
                element = normal(random);
            return m;
        };
        PlainMlp plain{ s, {}, {}, {}, drawn(batch, embed), {}, {} };
        for (int i = 0; i < layers; ++i) {
            plain.parameters.push_back(drawn(embed, hidden));
            plain.parameters.push_back(drawn(hidden, embed));
        }
        for (const Matrix& parameter : plain.parameters) {
            plain.mu.emplace_back(parameter.rows, parameter.columns);
            plain.nu.emplace_back(parameter.rows, parameter.columns);
        }
        if (zeroRows)
            std::fill_n(plain.x.data.begin(), 2 * embed, 0.0);

        std::vector<Array> arguments{ { 0 } };
        for (const auto* list : { &plain.parameters, &plain.mu, &plain.nu }) {
            if (list == &plain.mu)
                arguments.push_back({ 0 });
            for (const Matrix& matrix : *list)
                arguments.push_back(matrix.data);
        }
        arguments.push_back(plain.x.data);

        for (int step = 1; step <= 3; ++step) {
            const std::vector<Array> values = test::interpret(p, arguments);
            plain.step();
            const auto same = [&](const std::string& path, const Array& expected) {
                const Array& found = values[findValue(p, path).value().index];
                double largest = 1e-300;
                for (const double element : expected)
                    largest = std::max(largest, std::abs(element));
                bool equal = found.size() == expected.size();
                for (std::size_t e = 0; equal && e < found.size(); ++e)
                    equal = std::abs(found[e] - expected[e]) <= 1e-12 * largest;
                return equal;
            };
            QVERIFY(same("loss", { plain.loss }));
            QVERIFY(same("grad(x)", plain.dx.data));
            QVERIFY(same("layers." + std::to_string(layers - 1) + "/z", plain.output.data));
            QVERIFY(same("next(step)", { double(step) }));
            QVERIFY(same("next(opt/count)", { double(step) }));
            for (std::size_t i = 0; i < plain.parameters.size(); ++i) {
                const std::string name = "layers." + std::to_string(i / 2) + (i % 2 == 0 ? "/W1" : "/W2");
                QVERIFY(same("layers." + std::to_string(i / 2) + "/y", plain.hidden[i / 2].data));
                QVERIFY2(same("grad(params/" + name + ')', plain.gradients[i].data), name.c_str());
                QVERIFY2(same("next(opt/mu/" + name + ')', plain.mu[i].data), name.c_str());
                QVERIFY2(same("next(opt/nu/" + name + ')', plain.nu[i].data), name.c_str());
                QVERIFY2(same("next(params/" + name + ')', plain.parameters[i].data), name.c_str());
            }
            for (const StatePair& pair : p.state)
                arguments[p.value(pair.argument).index] = values[p.main().results[pair.result].index];
        }
    }

    void refusedSettings_data()
    {
        QTest::addColumn<std::function<void(MlpSettings&)>>("edit");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("key");
        const auto row = [](const char* name, std::function<void(MlpSettings&)> edit, Code code, const char* key = "") {
            QTest::newRow(name) << std::move(edit) << static_cast<int>(code) << QString(key);
        };
        constexpr std::int64_t huge = std::int64_t{ 1 } << 62;
        using S = MlpSettings&;
        row(
            "no layers", [](S s) { s.layers = 0; }, Code::OutOfRange, "layers");
        row(
            "too many layers", [](S s) { s.layers = 4097; }, Code::OutOfRange, "layers");
        row(
            "negative batch", [](S s) { s.batch = -1; }, Code::OutOfRange, "batch");
        row(
            "no embed", [](S s) { s.embed = 0; }, Code::OutOfRange, "embed");
        row(
            "hidden", [](S s) { s.hidden = std::numeric_limits<std::int64_t>::max(); }, Code::OutOfRange, "hidden");
        row(
            "parameters", [](S s) { s.embed = s.hidden = huge; }, Code::TooLarge);
        row(
            "parameters of all layers",
            [](S s) {
                s.layers = 4096;
                s.embed = s.hidden = std::int64_t{ 1 } << 26;
            },
            Code::TooLarge);
        row(
            "activations", [](S s) { s.batch = huge; }, Code::TooLarge);
        row(
            "dtype", [](S s) { s.dtype = DType::BF16; }, Code::InvalidAttribute);
    }

    void refusedSettings()
    {
        QFETCH(std::function<void(MlpSettings&)>, edit);
        QFETCH(int, code);
        QFETCH(QString, key);
        MlpSettings s = small();
        edit(s);
        const auto program = buildMlp(s);
        QVERIFY(!program);
        QCOMPARE(static_cast<int>(program.error().code), code);
        QCOMPARE(QString::fromStdString(program.error().text("key")), key);
    }

    void abstractEvaluationOfHugeNetworks()
    {
        MlpSettings s;
        s.layers = 96;
        s.embed = s.hidden = 1'000'000;
        QElapsedTimer timer;
        timer.start();
        const auto program = buildMlp(s);
        const qint64 elapsed = timer.elapsed();
        QVERIFY(program.has_value());
#ifdef NDEBUG
        constexpr qint64 limit = 50;
#else
        constexpr qint64 limit = 500;
#endif
        QVERIFY2(elapsed < limit, qPrintable(QString("%1 ms").arg(elapsed)));
        std::size_t numbers = 0; // stored in the program
        for (const Operation& operation : program->operations)
            if (const auto* constant = std::get_if<ConstantAttributes>(&operation.attributes))
                numbers += constant->values.size();
        QVERIFY(numbers <= program->operations.size());
        QCOMPARE(
            program->value(program->find("params/layers.95/W2")).type.byteCount(), std::int64_t{ 4'000'000'000'000 });
        QVERIFY(verify(*program).empty());
    }
};

REGISTER_TEST(TestMlp)
#include "test_mlp.moc"
