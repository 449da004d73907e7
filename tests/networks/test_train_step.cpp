// SPDX-License-Identifier: GPL-3.0-or-later
// A train step around a small linear model: its structure, its numbers against plain loops, microbatches, master
// weights and the shardings of the state.
#include <QtTest>

#include <bit>
#include <cmath>
#include <random>
#include <set>

#include "base/codes.h"
#include "networks/annotation_dimensions.h"
#include "networks/train_step.h"
#include "program/differentiate.h"
#include "program/interpret.h"
#include "program/path.h"
#include "program/roles.h"
#include "registered_test.h"

using namespace shardscope;
using test::Array;

namespace {

constexpr std::int64_t batchRows = 4, embedWidth = 3, hiddenWidth = 2;

Annotation logicalNames(std::vector<std::string> list)
{
    LogicalAxes axes;
    for (std::string& each : list)
        axes.names.push_back(LogicalName::of(std::move(each)));
    return axes;
}

/// y = c (x W + b), loss = mean((y - t)^2); c is a number that all microbatches read.
NetworkArrays linearArrays(DType dtype)
{
    const auto type = [dtype](Shape shape) { return TensorType{ dtype, std::move(shape) }; };
    NetworkArrays arrays;
    arrays.parameters = { { "W", type({ embedWidth, hiddenWidth }), { "embed", "hidden" },
                              logicalNames({ "embed", "hidden" }) },
        { "b", type({ hiddenWidth }), { "hidden" }, logicalNames({ "hidden" }) } };
    arrays.inputs = { { "x", type({ batchRows, embedWidth }), { "batch", "embed" },
                          logicalNames({ "batch", "embed" }) },
        { "t", type({ batchRows, hiddenWidth }), { "batch", "hidden" }, logicalNames({ "batch", "hidden" }) },
        { "c", type({}), {}, DeviceAxes{}, false } };
    return arrays;
}

Result<ForwardPass> linearForward(Builder& builder, const ForwardInputs& in)
{
    builder.setScope("model");
    const ValueId product = builder.dot(in.inputs[0], in.parameters[0]);
    const TensorType type = builder.type(product);
    const ValueId bias = builder.broadcast(in.parameters[1], type.shape, { 1 });
    const ValueId sum = builder.binary(OpKind::Add, product, bias);
    const ValueId scale = builder.broadcastScalar(in.inputs[2], type.shape);
    const ValueId y =
        builder.named(builder.binary(OpKind::Multiply, sum, scale), "y", Role::Activation, { "batch", "hidden" });
    builder.setScope("loss");
    const ValueId error = builder.binary(OpKind::Subtract, y, in.inputs[1]);
    const ValueId square = builder.binary(OpKind::Multiply, error, error);
    const ValueId total = builder.reduce(ReduceKind::Sum, square, { 0, 1 });
    const ValueId count = builder.constant({ type.dtype, {} }, static_cast<double>(type.elementCount()));
    return ForwardPass{ builder.binary(OpKind::Divide, total, count), { y } };
}

Program trained(const TrainStepSettings& settings, const NetworkArrays& arrays = linearArrays(DType::F64))
{
    Builder builder("train_step");
    if (!addTrainStep(builder, arrays, settings, linearForward))
        return {};
    return std::move(builder).finish();
}

/// The arguments of the first step: parameters and inputs as drawn, master weights as their parameter, zeros elsewhere.
std::vector<Array> firstArguments(const Program& program)
{
    std::vector<Array> arguments;
    std::map<std::string, Array> drawn;
    for (const ValueId id : program.main().arguments) {
        const Value& value = program.value(id);
        Array array(static_cast<std::size_t>(value.type.elementCount()));
        std::string path = value.path;
        if (value.role == Role::Master)
            path.replace(0, std::string_view("opt/master").size(), "params");
        if (value.role == Role::Parameter || value.role == Role::Input || value.role == Role::Master) {
            std::mt19937 random(static_cast<unsigned char>(path.back())); // by its name, whatever else there is
            std::normal_distribution<double> normal(0, 1);
            for (double& element : array)
                element = normal(random);
        }
        arguments.push_back(std::move(array));
    }
    return arguments;
}

/// By path, of a program that was interpreted.
const Array& valueOf(const Program& program, const std::vector<Array>& values, std::string_view path)
{
    return values[findValue(program, path).value().index];
}

std::vector<Array> nextArguments(const Program& program, std::vector<Array> arguments, const std::vector<Array>& values)
{
    for (const StatePair& pair : program.state)
        arguments[program.value(pair.argument).index] = values[program.main().results[pair.result].index];
    return arguments;
}

bool areClose(const Array& found, const Array& expected)
{
    double largest = 1e-300;
    for (const double element : expected)
        largest = std::max(largest, std::abs(element));
    bool close = found.size() == expected.size();
    for (std::size_t i = 0; close && i < found.size(); ++i)
        close = std::abs(found[i] - expected[i]) <= 1e-12 * largest;
    return close;
}

/// Loss and gradients of the linear model, by explicit loops and derivatives.
struct PlainLinear {
    static constexpr std::size_t rows = batchRows, in = embedWidth, out = hiddenWidth;
    Array x, t, dW, db, dx, y;
    double c = 0, loss = 0;

    void differentiateAt(const Array& W, const Array& b)
    {
        dW.assign(in * out, 0);
        db.assign(out, 0);
        dx.assign(rows * in, 0);
        y.assign(rows * out, 0);
        loss = 0;
        for (std::size_t n = 0; n < rows; ++n)
            for (std::size_t h = 0; h < out; ++h) {
                double sum = b[h];
                for (std::size_t e = 0; e < in; ++e)
                    sum += x[n * in + e] * W[e * out + h];
                y[n * out + h] = c * sum;
                const double error = c * sum - t[n * out + h];
                loss += error * error / static_cast<double>(rows * out);
                const double d = 2 * error * c / static_cast<double>(rows * out);
                db[h] += d;
                for (std::size_t e = 0; e < in; ++e) {
                    dW[e * out + h] += d * x[n * in + e];
                    dx[n * in + e] += d * W[e * out + h];
                }
            }
    }
};

/// To the nearest bf16, ties to even.
double roundedToBf16(double number)
{
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(number));
    const std::uint32_t rounded = (bits + 0x7fffU + ((bits >> 16U) & 1U)) & 0xffff0000U;
    return static_cast<double>(std::bit_cast<float>(rounded));
}

std::vector<std::string> pathsOf(const Program& program, const std::vector<ValueId>& values)
{
    std::vector<std::string> paths;
    for (const ValueId value : values)
        paths.push_back(program.value(value).path);
    return paths;
}

} // namespace

class TestTrainStep : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void argumentsAndResults_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<bool>("master");
        QTest::addColumn<QString>("state");
        const auto row = [](const char* name, OptimizerKind kind, bool master, const char* state) {
            QTest::newRow(name) << static_cast<int>(kind) << master << QString::fromLatin1(state);
        };
        row("sgd", OptimizerKind::Sgd, false, "");
        row("sgd with master weights", OptimizerKind::Sgd, true, " opt/master/W opt/master/b");
        row("momentum", OptimizerKind::Momentum, false, " opt/trace/W opt/trace/b");
        row("adam", OptimizerKind::Adam, false, " opt/count opt/mu/W opt/mu/b opt/nu/W opt/nu/b");
        row("adamw with master weights", OptimizerKind::AdamW, true,
            " opt/count opt/mu/W opt/mu/b opt/nu/W opt/nu/b opt/master/W opt/master/b");
        row("adafactor", OptimizerKind::Adafactor, false, " opt/count opt/v_row/W opt/v_col/W opt/v/b");
    }

    void argumentsAndResults()
    {
        QFETCH(int, kind);
        QFETCH(bool, master);
        QFETCH(QString, state);
        TrainStepSettings settings;
        settings.optimizer.kind = static_cast<OptimizerKind>(kind);
        settings.optimizer.masterWeights = master;
        settings.optimizer.adafactor.factoredSize = 2;
        const Program p = trained(settings, linearArrays(master ? DType::BF16 : DType::F32));
        QVERIFY(verify(p).empty());
        std::vector<std::string> held;
        for (const QString& path : (QStringLiteral("step params/W params/b") + state).split(QLatin1Char(' ')))
            held.push_back(path.toStdString());
        std::vector<std::string> arguments = held, results;
        arguments.insert(arguments.end(), { "x", "t", "c" });
        for (const std::string& path : held)
            results.push_back("next(" + path + ')');
        results.insert(results.end(), { "loss", "y" });
        QCOMPARE(pathsOf(p, p.main().arguments), arguments);
        QCOMPARE(pathsOf(p, p.main().results), results);
        QCOMPARE(p.state.size(), held.size());
        for (std::size_t i = 0; i < held.size(); ++i) {
            QCOMPARE(p.state[i].argument, p.main().arguments[i]);
            QCOMPARE(p.state[i].result, static_cast<std::uint32_t>(i));
            const Value &argument = p.value(p.main().arguments[i]), &next = p.value(p.main().results[i]);
            QVERIFY(argument.type == next.type);
            QCOMPARE(argument.role, next.role);
            QVERIFY(argument.dimNames == next.dimNames);
            QVERIFY(p.argumentAnnotations[i] == p.resultAnnotations[i]);
        }
        QCOMPARE(select(p, "grad(**)").size(), std::size_t{ 2 });
        QCOMPARE(p.value(p.find("loss")).role, Role::Loss);
        const auto annotationOf = [&](std::string_view path) {
            return p.argumentAnnotations[p.value(p.find(path)).index];
        };
        QVERIFY(annotationOf("step") == Annotation(DeviceAxes{}));
        if (p.find("opt/nu/W").valid())
            QVERIFY(annotationOf("opt/nu/W") == logicalNames({ "embed", "hidden" }));
        if (p.find("opt/v_row/W").valid()) { // the mean over embed, the larger one
            QVERIFY(annotationOf("opt/v_row/W") == logicalNames({ "hidden" }));
            QVERIFY(annotationOf("opt/v_col/W") == logicalNames({ "embed" }));
            QVERIFY(p.value(p.find("opt/v_col/W")).dimNames == std::vector<std::string>{ "embed" });
            QCOMPARE(p.value(p.find("opt/v_col/W")).role, Role::Nu);
        }
        if (master)
            QCOMPARE(p.value(p.find("opt/master/W")).role, Role::Master);
    }

    /// AdamW after clipping, with everything by plain loops.
    void numbers()
    {
        TrainStepSettings settings;
        OptimizerSettings& o = settings.optimizer;
        o.kind = OptimizerKind::AdamW;
        o.learningRate = 0.02;
        o.weightDecay = 0.1;
        o.clipNorm = 0.5;
        NetworkArrays arrays = linearArrays(DType::F64);
        arrays.inputs[0].gradient = true;
        const Program p = trained(settings, arrays);
        QVERIFY(verify(p).empty());
        std::vector<Array> arguments = firstArguments(p);
        PlainLinear plain;
        Array parameters[2], mu[2]{ Array(PlainLinear::in * PlainLinear::out), Array(PlainLinear::out) },
            nu[2]{ Array(PlainLinear::in * PlainLinear::out), Array(PlainLinear::out) };
        parameters[0] = valueOf(p, arguments, "params/W"); // arguments have the first ids
        parameters[1] = valueOf(p, arguments, "params/b");
        plain.x = valueOf(p, arguments, "x");
        plain.t = valueOf(p, arguments, "t");
        plain.c = valueOf(p, arguments, "c")[0];
        for (int step = 1; step <= 3; ++step) {
            const std::vector<Array> values = test::interpret(p, arguments);
            plain.differentiateAt(parameters[0], parameters[1]);
            QVERIFY(areClose(valueOf(p, values, "loss"), { plain.loss }));
            QVERIFY(areClose(valueOf(p, values, "y"), plain.y));
            QVERIFY(areClose(valueOf(p, values, "grad(params/W)"), plain.dW));
            QVERIFY(areClose(valueOf(p, values, "grad(params/b)"), plain.db));
            QVERIFY(areClose(valueOf(p, values, "grad(x)"), plain.dx));
            double squares = 0;
            for (const Array* gradient : { &plain.dW, &plain.db })
                for (const double element : *gradient)
                    squares += element * element;
            const double scale = std::min(1.0, o.clipNorm / std::sqrt(squares));
            for (std::size_t i = 0; i < 2; ++i)
                for (std::size_t e = 0; e < parameters[i].size(); ++e) {
                    const double g = scale * (i == 0 ? plain.dW : plain.db)[e];
                    double &m = mu[i][e], &v = nu[i][e], &w = parameters[i][e];
                    m = o.beta1 * m + (1 - o.beta1) * g;
                    v = o.beta2 * v + (1 - o.beta2) * g * g;
                    const double mHat = m / (1 - std::pow(o.beta1, step)), vHat = v / (1 - std::pow(o.beta2, step));
                    w -= o.learningRate * (mHat / (std::sqrt(vHat) + o.epsilon) + o.weightDecay * w);
                }
            QVERIFY(areClose(valueOf(p, values, "next(params/W)"), parameters[0]));
            QVERIFY(areClose(valueOf(p, values, "next(params/b)"), parameters[1]));
            QVERIFY(areClose(valueOf(p, values, "next(opt/mu/W)"), mu[0]));
            QVERIFY(areClose(valueOf(p, values, "next(opt/nu/b)"), nu[1]));
            QVERIFY(areClose(valueOf(p, values, "next(step)"), { double(step) }));
            QVERIFY(areClose(valueOf(p, values, "next(opt/count)"), { double(step) }));
            arguments = nextArguments(p, std::move(arguments), values);
        }
    }

    void microbatches_data()
    {
        QTest::addColumn<int>("count");
        QTest::newRow("two") << 2;
        QTest::newRow("four") << 4;
    }

    /// The same arrays, in another shape, give the same loss, outputs, gradients and new parameters.
    void microbatches()
    {
        QFETCH(int, count);
        NetworkArrays arrays = linearArrays(DType::F64);
        arrays.inputs[0].gradient = arrays.inputs[2].gradient = true;
        TrainStepSettings settings;
        settings.optimizer.clipNorm = 0.5;
        const Program once = trained(settings, arrays);
        settings.microbatches = count;
        const Program split = trained(settings, arrays);
        QVERIFY(verify(split).empty());
        QCOMPARE(pathsOf(split, split.main().arguments), pathsOf(once, once.main().arguments));
        QCOMPARE(pathsOf(split, split.main().results), pathsOf(once, once.main().results));

        const Value& x = split.value(split.find("x"));
        const Shape inputs{ count, batchRows / count, embedWidth };
        QVERIFY(x.type.shape == inputs);
        QVERIFY((x.dimNames == std::vector<std::string>{ "microbatch", "batch", "embed" }));
        QVERIFY((split.argumentAnnotations[x.index]
            == Annotation(LogicalAxes{ { LogicalName::none(), LogicalName::of("batch"), LogicalName::of("embed") } })));
        QVERIFY(split.value(split.find("c")).type.shape.empty());
        const Shape outputs{ count, batchRows / count, hiddenWidth };
        QVERIFY(split.value(split.find("y")).type.shape == outputs);
        std::set<std::string> paths;
        for (const Value& value : split.values)
            QVERIFY2(value.path.empty() || paths.insert(value.path).second, value.path.c_str());
        for (int i = 0; i < count; ++i) {
            const std::string part = "microbatches." + std::to_string(i);
            QCOMPARE(split.value(split.find(part + "/y")).role, Role::Activation);
            for (const std::string& scope : { part + "/model", "backward/" + part + "/model" })
                QVERIFY2(
                    std::find(split.scopes.begin(), split.scopes.end(), scope) != split.scopes.end(), scope.c_str());
        }
        std::size_t losses = 0;
        for (const Value& value : split.values)
            losses += value.role == Role::Loss && !value.path.starts_with("next(");
        QCOMPARE(losses, std::size_t{ 1 });

        std::vector<Array> first = firstArguments(once), second = firstArguments(split);
        for (int step = 0; step < 2; ++step) {
            const std::vector<Array> a = test::interpret(once, first), b = test::interpret(split, second);
            for (std::size_t r = 0; r < once.main().results.size(); ++r) {
                const ValueId expected = once.main().results[r], found = split.main().results[r];
                QVERIFY2(areClose(b[found.index], a[expected.index]), once.value(expected).path.c_str());
            }
            for (const char* path : { "grad(params/W)", "grad(params/b)", "grad(x)", "grad(c)" })
                QVERIFY2(areClose(valueOf(split, b, path), valueOf(once, a, path)), path);
            first = nextArguments(once, std::move(first), a);
            second = nextArguments(split, std::move(second), b);
        }
    }

    /// Steps that bf16 would round away add up in the master weights; the parameter is their rounding.
    void masterWeights_data()
    {
        QTest::addColumn<int>("count");
        QTest::newRow("one batch") << 1;
        QTest::newRow("two microbatches") << 2;
    }

    void masterWeights()
    {
        QFETCH(int, count);
        TrainStepSettings settings;
        settings.optimizer.kind = OptimizerKind::Momentum;
        settings.optimizer.learningRate = 1e-4;
        settings.optimizer.masterWeights = true;
        settings.microbatches = count;
        const Program p = trained(settings, linearArrays(DType::BF16));
        QVERIFY(verify(p).empty());
        for (const char* path : { "opt/master/W", "opt/trace/W", "next(opt/master/W)" })
            QCOMPARE(p.value(p.find(path)).type.dtype, DType::F32);
        QCOMPARE(p.value(p.find("next(params/W)")).type.dtype, DType::BF16);
        // Several gradients are added in the type of the update.
        QCOMPARE(p.value(p.find("grad(params/W)")).type.dtype, count == 1 ? DType::BF16 : DType::F32);
        const Value& next = p.value(p.find("next(params/W)"));
        QCOMPARE(p.operation(next.definition).kind, OpKind::Convert);
        QCOMPARE(p.operation(next.definition).operands[0], p.find("next(opt/master/W)"));

        std::vector<Array> arguments = firstArguments(p);
        PlainLinear plain;
        plain.x = valueOf(p, arguments, "x");
        plain.t = valueOf(p, arguments, "t");
        plain.c = valueOf(p, arguments, "c")[0];
        Array master[2]{ valueOf(p, arguments, "params/W"), valueOf(p, arguments, "params/b") };
        Array trace[2]{ Array(PlainLinear::in * PlainLinear::out), Array(PlainLinear::out) };
        const auto roundParameters = [&] { // which is what a conversion does outside this interpreter
            for (std::size_t i = 0; i < arguments.size(); ++i)
                if (p.value(p.main().arguments[i]).role == Role::Parameter)
                    std::transform(arguments[i].begin(), arguments[i].end(), arguments[i].begin(), roundedToBf16);
        };
        const auto rounded = [](Array array) {
            std::transform(array.begin(), array.end(), array.begin(), roundedToBf16);
            return array;
        };
        for (int step = 0; step < 3; ++step) {
            roundParameters();
            const std::vector<Array> values = test::interpret(p, arguments);
            plain.differentiateAt(rounded(master[0]), rounded(master[1]));
            for (std::size_t i = 0; i < 2; ++i)
                for (std::size_t e = 0; e < master[i].size(); ++e) {
                    trace[i][e] = (i == 0 ? plain.dW : plain.db)[e] + settings.optimizer.momentum * trace[i][e];
                    master[i][e] -= settings.optimizer.learningRate * trace[i][e];
                }
            QVERIFY(areClose(valueOf(p, values, "next(opt/master/W)"), master[0]));
            QVERIFY(areClose(valueOf(p, values, "next(opt/master/b)"), master[1]));
            QVERIFY(areClose(valueOf(p, values, "next(params/W)"), master[0])); // before it is rounded
            arguments = nextArguments(p, std::move(arguments), values);
        }
    }

    /// ZeRO: the state has shardings of its own, and gradients take them over.
    void shardingsOfTheState()
    {
        TrainStepSettings settings;
        settings.constrainGradients = true;
        const auto along = [](const char* axis, std::size_t rank) {
            DeviceAxes axes;
            axes.spec.entries.assign(rank, SpecEntry::none());
            axes.spec.entries[0] = SpecEntry::axis(axis);
            return Annotation(axes);
        };
        settings.stateAnnotation = [&](const DeclaredParameter& p) { return along("data", p.type.rank()); };
        settings.microbatches = 2;
        const Program p = trained(settings);
        QVERIFY(verify(p).empty());
        const auto annotationOf = [&](std::string_view path) {
            return p.argumentAnnotations[p.value(p.find(path)).index];
        };
        QVERIFY(annotationOf("params/W") == logicalNames({ "embed", "hidden" }));
        for (const char* path : { "opt/mu/W", "opt/nu/W" })
            QVERIFY(annotationOf(path) == along("data", 2));
        QVERIFY(annotationOf("opt/nu/b") == along("data", 1));
        const Program usual = trained({});
        for (const char* path : { "opt/mu/W", "next(opt/nu/b)" }) {
            QVERIFY(!isAnnotatedAsParameter(p, p.find(path)));
            QVERIFY(isAnnotatedAsParameter(usual, usual.find(path)));
        }
        QVERIFY(!isAnnotatedAsParameter(usual, usual.find("params/W")));
        std::size_t constraints = 0;
        for (const Operation& operation : p.operations)
            if (const auto* constraint = std::get_if<ConstraintAttributes>(&operation.attributes)) {
                ++constraints;
                QVERIFY(isBackward(p.scopes[operation.scope]));
                const std::size_t rank = p.value(operation.results[0]).type.rank();
                QVERIFY(constraint->annotation == along("data", rank));
            }
        QCOMPARE(constraints, std::size_t{ 4 }); // of two parameters, for each microbatch

        settings.microbatches = 1;
        const Program one = trained(settings);
        const Value& gradient = one.value(one.find("grad(params/W)"));
        QCOMPARE(one.operation(gradient.definition).kind, OpKind::ShardingConstraint);

        // Factored moments have the entries of the dimensions that they keep.
        settings.optimizer.kind = OptimizerKind::Adafactor;
        settings.optimizer.adafactor.factoredSize = 2;
        const Program factored = trained(settings);
        const auto ofFactored = [&](std::string_view path) {
            return factored.argumentAnnotations[factored.value(factored.find(path)).index];
        };
        QVERIFY(ofFactored("opt/v_col/W") == along("data", 1));
        QVERIFY((ofFactored("opt/v_row/W") == Annotation(DeviceAxes{ { { SpecEntry::none() } } })));
    }

    void annotationsOfSomeDimensions()
    {
        const SpecEntry data = SpecEntry::axis("data"), model = SpecEntry::axis("model"), none = SpecEntry::none();
        const auto device = [](std::vector<SpecEntry> entries) { return Annotation(DeviceAxes{ { entries } }); };
        QVERIFY(withDimensions(device({ data, none, model }), { 0, 2 }) == device({ data, model }));
        QVERIFY(withDimensions(device({ data, model }), { -1, 0, 1 }) == device({ none, data, model }));
        // A spec may end before the dimensions do.
        QVERIFY(withDimensions(device({ data }), { -1, 0, 1 }) == device({ none, data }));
        QVERIFY(withDimensions(device({ data }), { 1 }) == device({}));
        QVERIFY(
            withDimensions(logicalNames({ "embed", "heads", "head" }), { 0, 2 }) == logicalNames({ "embed", "head" }));
        QVERIFY(withDimensions({}, { 0 }) == Annotation());

        ProgramSharding sharding{ 0, TensorSharding::fullyReplicated(2) };
        sharding.sharding.dims[1].priority = 3;
        const Annotation specified = ExplicitSharding{ std::make_shared<const ProgramSharding>(sharding) };
        const Annotation kept = withDimensions(specified, { 1 }), more = withDimensions(specified, { -1, 0, 1 });
        const auto dimensionsOf = [](const Annotation& annotation) {
            return std::get<ExplicitSharding>(annotation).specified->sharding.dims;
        };
        QVERIFY(dimensionsOf(kept) == std::vector<DimensionSharding>{ sharding.sharding.dims[1] });
        const DimensionSharding unsharded{ {}, false };
        QVERIFY(
            (dimensionsOf(more) == std::vector<DimensionSharding>{ unsharded, unsharded, sharding.sharding.dims[1] }));
    }

    void forwardOnly()
    {
        Builder builder("apply");
        QVERIFY(addForward(builder, linearArrays(DType::F64), linearForward).has_value());
        const Program p = std::move(builder).finish();
        QVERIFY(verify(p).empty());
        QCOMPARE(pathsOf(p, p.main().arguments), (std::vector<std::string>{ "params/W", "params/b", "x", "t", "c" }));
        QCOMPARE(pathsOf(p, p.main().results), (std::vector<std::string>{ "loss", "y" }));
        QVERIFY(p.state.empty());

        Builder logits("apply");
        const auto withoutLoss = [](Builder& b, const ForwardInputs& in) -> Result<ForwardPass> {
            return ForwardPass{ {}, { b.named(b.dot(in.inputs[0], in.parameters[0]), "y", Role::Activation) } };
        };
        QVERIFY(addForward(logits, linearArrays(DType::F64), withoutLoss).has_value());
        const Program other = std::move(logits).finish();
        QCOMPARE(pathsOf(other, other.main().results), std::vector<std::string>{ "y" });
    }

    void refused()
    {
        const auto codeOf = [](const TrainStepSettings& settings, DType dtype, const BuildForward& forward) {
            Builder builder("train_step");
            const auto built = addTrainStep(builder, linearArrays(dtype), settings, forward);
            return built ? 0 : static_cast<int>(built.error().code);
        };
        TrainStepSettings settings;
        QCOMPARE(codeOf(settings, DType::F64, linearForward), 0);
        QCOMPARE(codeOf(settings, DType::I32, linearForward), static_cast<int>(Code::InvalidAttribute));
        settings.microbatches = 0;
        QCOMPARE(codeOf(settings, DType::F64, linearForward), static_cast<int>(Code::OutOfRange));
        settings.microbatches = 3;
        QCOMPARE(codeOf(settings, DType::F64, linearForward), static_cast<int>(Code::InvalidAttribute));
        settings.microbatches = 1;
        settings.optimizer.stateDtype = DType::I32;
        QCOMPARE(codeOf(settings, DType::F64, linearForward), static_cast<int>(Code::InvalidAttribute));
        settings.optimizer.stateDtype.reset();
        const BuildForward failing = [](Builder&, const ForwardInputs&) -> Result<ForwardPass> {
            return fail(Code::UnknownTensor, { { "path", "w" } });
        };
        QCOMPARE(codeOf(settings, DType::F64, failing), static_cast<int>(Code::UnknownTensor));
    }
};

REGISTER_TEST(TestTrainStep)
#include "test_train_step.moc"
