// SPDX-License-Identifier: GPL-3.0-or-later
// Programs as values: verifier, printer, hash, paths, users, types.
#include <QElapsedTimer>
#include <QtTest>

#include <functional>
#include <limits>
#include <set>

#include "base/codes.h"
#include "program/builder.h"
#include "program/f32.h"
#include "program/main_interface.h"
#include "program/op_row.h"
#include "program/path.h"
#include "program/program_text.h"
#include "random_properties.h"
#include "registered_test.h"

using namespace shardscope;
using test::f32;

namespace {

/// One layer with a loss; its parameter is replaced. Every kind of attribute occurs.
Program sample()
{
    Builder b("sample");
    const ValueId x = b.argument(f32({ 8, 4 }), "x", Role::Input, { "batch", "embed" },
        LogicalAxes{ { LogicalName::of("batch"), LogicalName::none() } });
    const ValueId w = b.argument(f32({ 4, 6 }), "params/W", Role::Parameter, { "embed", "hidden" },
        DeviceAxes{ { { SpecEntry::none(), SpecEntry::tuple({ "pod", "model" }) } } });
    b.setScope("layer");
    const ValueId h = b.named(b.dot(x, w), "h", Role::Activation, { "batch", "hidden" });
    const ValueId positive = b.compare(Comparison::Greater, h, b.constant(f32({ 8, 6 }), 0));
    const ValueId relu = b.select(positive, h, b.broadcastScalar(b.constant(f32({}), 0.5), { 8, 6 }));
    const ValueId y = b.constrain(relu, LogicalAxes{ { LogicalName::of("batch"), LogicalName::unconstrained() } });
    b.setScope("loss");
    const ValueId loss = b.named(b.reduce(ReduceKind::Sum, y, { 0, 1 }), "loss", Role::Loss);
    b.setScope("update");
    const ValueId gradient = b.dotGeneral(x, y, { {}, {}, { 0 }, { 0 } });
    const ValueId numbers = b.convert(b.reshape(b.iota({ DType::I32, { 24 } }, 0), { 4, 6 }), DType::F32);
    const ValueId mixed = b.transpose(b.transpose(b.binary(OpKind::Add, gradient, numbers), { 1, 0 }), { 1, 0 });
    const ValueId next = b.binary(OpKind::Subtract, w, mixed);
    b.state(w, b.result(next, b.program().argumentAnnotations[1]));
    b.result(loss);
    return std::move(b).finish();
}

ValueId id(std::size_t i)
{
    return ValueId(i);
}

} // namespace

class TestProgram : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void legalProgramsVerify()
    {
        QVERIFY(verify(sample()).empty());
        Program unsaid = sample(); // a result of the state without an annotation has that of the argument
        unsaid.resultAnnotations[0] = {};
        QVERIFY(verify(unsaid).empty());
        QVERIFY(verify(Builder("empty").finish()).empty());
        Program dropped = sample(); // what stands in no region does not count
        dropped.operations.push_back(dropped.operations[0]);
        dropped.values.emplace_back();
        dropped.regions.emplace_back();
        QVERIFY(verify(dropped).empty());
    }

    void illegalPrograms_data()
    {
        QTest::addColumn<std::function<void(Program&)>>("damage");
        QTest::addColumn<int>("code");
        const auto row = [](const char* name, Code code, std::function<void(Program&)> damage) {
            QTest::newRow(name) << std::move(damage) << static_cast<int>(code);
        };
        using P = Program&;
        const auto firstOf = [](P p, OpKind kind) -> Operation& {
            return *std::find_if(
                p.operations.begin(), p.operations.end(), [=](const Operation& o) { return o.kind == kind; });
        };
        row("no body", Code::InvalidOperand, [](P p) { p.regions.clear(); });
        row("operand beyond the end", Code::InvalidOperand, [](P p) { p.operations[0].operands[0] = id(9999); });
        row("invalid operand", Code::InvalidOperand, [](P p) { p.operations[0].operands[0] = {}; });
        row("use before definition", Code::InvalidOperand,
            [](P p) { std::swap(p.regions[0].operations[0], p.regions[0].operations[6]); });
        row("own result as operand", Code::InvalidOperand,
            [](P p) { p.operations[0].operands[0] = p.operations[0].results[0]; });
        row("too few operands", Code::InvalidOperand, [](P p) { p.operations[0].operands.pop_back(); });
        row("too many operands", Code::InvalidOperand, [](P p) { p.operations[0].operands.push_back(id(0)); });
        row("no result", Code::InvalidOperand, [](P p) { p.operations.back().results.clear(); });
        row("two results", Code::InvalidOperand, [](P p) { p.operations[0].results.push_back(id(3)); });
        row("result beyond the end", Code::InvalidOperand, [](P p) { p.operations.back().results[0] = id(9999); });
        row("defined twice", Code::InvalidOperand, [](P p) { p.operations[1].results = p.operations[0].results; });
        row("wrong definition", Code::InvalidOperand,
            [](P p) { p.values[2].definition = OperationId(std::size_t{ 1 }); });
        row("wrong index", Code::InvalidOperand, [](P p) { p.values[1].index = 0; });
        row("use of a dropped value", Code::InvalidOperand, [](P p) {
            p.values.emplace_back();
            p.operations[0].operands[0] = ValueId(p.values.size() - 1);
        });
        row("further attributes", Code::InvalidAttribute, [](P p) { p.operations[0].extra = 5; });
        row("source", Code::InvalidAttribute, [](P p) { p.operations[0].source = 5; });
        row("type of nobody", Code::InvalidAttribute, [](P p) { p.values[2].type.dtype = DType::Other; });
        row("operation twice", Code::InvalidOperand,
            [](P p) { p.regions[0].operations.push_back(OperationId(std::size_t{ 0 })); });
        row("operation beyond the end", Code::InvalidOperand,
            [](P p) { p.regions[0].operations.emplace_back(std::size_t{ 999 }); });
        row("argument beyond the end", Code::InvalidOperand, [](P p) {
            p.regions[0].arguments.push_back(id(9999));
            p.argumentAnnotations.emplace_back();
        });
        row("returns nothing", Code::InvalidOperand, [](P p) { p.regions[0].results[1] = id(9999); });
        row("declared type", Code::TypeMismatch, [](P p) { p.values[2].type.shape.edit()[0] = 9; });
        row("operand types", Code::TypeMismatch, [](P p) { p.values[0].type.shape.edit()[1] = 5; });
        row("foreign attributes", Code::InvalidAttribute, [](P p) { p.operations[0].attributes = IotaAttributes{}; });
        row("attribute out of range", Code::InvalidAttribute, [=](P p) {
            firstOf(p, OpKind::Reduce).attributes = ReduceAttributes{ { 2 }, ReduceKind::Sum };
        });
        row("unknown kind", Code::InvalidAttribute, [](P p) { p.operations[0].kind = static_cast<OpKind>(200); });
        row("regions", Code::InvalidAttribute,
            [](P p) { p.operations[0].regions.push_back(RegionId(std::size_t{ 0 })); });
        row("scope", Code::InvalidAttribute, [](P p) { p.operations[0].scope = 77; });
        row("constraint too long", Code::InvalidAttribute, [=](P p) {
            firstOf(p, OpKind::ShardingConstraint).attributes = ConstraintAttributes{ LogicalAxes{ LogicalNames(3) } };
        });
        row("dimension names", Code::InvalidAttribute, [](P p) { p.values[0].dimNames.pop_back(); });
        row("path twice", Code::InvalidAttribute, [](P p) { p.values[1].path = "x"; });
        row("negative dimension", Code::InvalidAttribute, [](P p) { p.values[0].type.shape.edit()[0] = -8; });
        row("too large", Code::TooLarge, [](P p) {
            p.values[0].type.shape = { std::int64_t{ 1 } << 40, std::int64_t{ 1 } << 40 };
        });
        row("annotation missing", Code::InvalidAttribute, [](P p) { p.argumentAnnotations.pop_back(); });
        row("result annotation missing", Code::InvalidAttribute, [](P p) { p.resultAnnotations.pop_back(); });
        row("annotation too long", Code::InvalidAttribute,
            [](P p) { std::get<DeviceAxes>(p.argumentAnnotations[1]).spec.entries.emplace_back(); });
        row("state of no argument", Code::InvalidOperand, [](P p) { p.state[0].argument = id(4); });
        row("state of no result", Code::InvalidOperand, [](P p) { p.state[0].result = 2; });
        row("state twice", Code::InvalidOperand, [](P p) { p.state.push_back(p.state[0]); });
        row("state annotated in another way", Code::InvalidAttribute, [](P p) {
            p.resultAnnotations[0] = DeviceAxes{ { { SpecEntry::none(), SpecEntry::axis("model") } } };
        });
        row("state annotated on return only", Code::InvalidAttribute, [](P p) { p.argumentAnnotations[1] = {}; });
        row("state of another type", Code::TypeMismatch, [](P p) { p.state[0].result = 1; });
    }

    void illegalPrograms()
    {
        QFETCH(std::function<void(Program&)>, damage);
        QFETCH(int, code);
        Program program = sample();
        damage(program);
        const std::vector<Diagnostic> found = verify(program);
        QVERIFY(!found.empty());
        QVERIFY2(std::any_of(
                     found.begin(), found.end(), [&](const Diagnostic& d) { return static_cast<int>(d.code) == code; }),
            found.front().text("detail").c_str());
    }

    /// The check of the train state takes a time that grows with its size, not with its square.
    void largeState()
    {
        constexpr std::size_t count = 50'000;
        Builder b("many");
        for (std::size_t i = 0; i < count; ++i) {
            const ValueId argument = b.argument(f32({}), "p" + std::to_string(i), Role::Parameter);
            b.state(argument, b.result(argument));
        }
        const Program program = std::move(b).finish();
        QElapsedTimer timer;
        timer.start();
        QVERIFY(verify(program).empty());
        QVERIFY2(timer.elapsed() < 2000, qPrintable(QString::number(timer.elapsed())));
    }

    void printed()
    {
        const char* expected = R"(module @sample {
  func.func public @main(
      %arg0: tensor<8x4xf32> {path = "x", role = input, dims = [batch, embed], sharding = (batch, None)},
      %arg1: tensor<4x6xf32> {path = "params/W", role = parameter, dims = [embed, hidden], sharding = P(None, ('pod', 'model'))})
      -> (tensor<4x6xf32> {sharding = P(None, ('pod', 'model')), replaces = %arg1},
          tensor<f32>) {
    // layer
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>  // h
    %1 = stablehlo.constant dense<0> : tensor<8x6xf32>
    %2 = stablehlo.compare %0, %1, GT : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xi1>
    %3 = stablehlo.constant dense<0.5> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<8x6xf32>
    %5 = stablehlo.select %2, %0, %4 : (tensor<8x6xi1>, tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
    %6 = sdy.sharding_constraint %5 <(batch, UNCONSTRAINED)> : (tensor<8x6xf32>) -> tensor<8x6xf32>
    // loss
    %7 = stablehlo.reduce %6 applies stablehlo.add across dimensions = [0, 1] : (tensor<8x6xf32>) -> tensor<f32>  // loss
    // update
    %8 = stablehlo.dot_general %arg0, %6, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    %9 = stablehlo.iota dim = 0 : tensor<24xi32>
    %10 = stablehlo.reshape %9 : (tensor<24xi32>) -> tensor<4x6xi32>
    %11 = stablehlo.convert %10 : (tensor<4x6xi32>) -> tensor<4x6xf32>
    %12 = stablehlo.add %8, %11 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %13 = stablehlo.transpose %12, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
    %14 = stablehlo.transpose %13, dims = [1, 0] : (tensor<6x4xf32>) -> tensor<4x6xf32>
    %15 = stablehlo.subtract %arg1, %14 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    return %15, %7 : tensor<4x6xf32>, tensor<f32>
  }
}
)";
        QCOMPARE(QString::fromStdString(print(sample())), QString(expected));
    }

    void prefixes()
    {
        Builder b("twice");
        const ValueId x = b.argument({ DType::F32, {} }, "x", Role::Input);
        for (const char* prefix : { "", "first", "second/half" }) {
            b.setPrefix(prefix);
            b.setScope("layer");
            const std::string outer = b.scope();
            b.setScope("layer/part");
            b.setScope(outer); // as whoever leaves a part does
            QCOMPARE(b.scope(), outer);
            b.result(b.named(b.unary(OpKind::Negate, x), "y", Role::Activation));
            b.result(b.named(b.unary(OpKind::Negate, x), {}, Role::Activation));
        }
        b.setPrefix({});
        b.setScope("layer");
        QCOMPARE(b.scope(), std::string("layer"));
        const Program p = std::move(b).finish();
        for (const char* path : { "y", "first/y", "second/half/y" })
            QVERIFY2(p.find(path).valid(), path);
        QVERIFY(p.value(p.main().results[3]).path.empty());
        for (const auto& [number, scope] :
            { std::pair{ 0, "layer" }, { 2, "first/layer" }, { 4, "second/half/layer" } })
            QCOMPARE(p.scopes[p.operations[std::size_t(number)].scope], std::string(scope));
    }

    void hashChangesWithEveryField()
    {
        QCOMPARE(hash(sample()), hash(sample()));
        using P = Program&;
        const auto attributes = [](P p, OpKind kind) -> Attributes& {
            return std::find_if(p.operations.begin(), p.operations.end(), [=](const Operation& o) {
                return o.kind == kind;
            })->attributes;
        };
        const std::vector<std::function<void(P)>> edits{
            [](P) {},
            [](P p) { p.name = "other"; },
            [](P p) { p.values[0].type.dtype = DType::F64; },
            [](P p) { p.values[0].type.shape.edit()[0] = 9; },
            [](P p) { p.values[0].type.shape.push_back(1); },
            [](P p) { p.values[2].definition = {}; },
            [](P p) { p.values[0].index = 7; },
            [](P p) { p.values[0].role = Role::Mu; },
            [](P p) { p.values[0].path = "y"; },
            [](P p) { p.values[0].dimNames.edit()[1] = "e"; },
            [](P p) { p.values[0].dimNames.clear(); },
            [](P p) { p.values.pop_back(); },
            [](P p) { p.operations[0].kind = OpKind::Add; },
            [](P p) { std::swap(p.operations[0].operands[0], p.operations[0].operands[1]); },
            [](P p) { p.operations[0].results[0] = id(3); },
            [](P p) { p.operations[0].regions.push_back(RegionId(std::size_t{ 0 })); },
            [](P p) { p.operations[0].scope = 0; },
            [](P p) { p.operations.pop_back(); },
            [](P p) { p.operations[0].attributes = {}; },
            [=](P p) { std::get<DotGeneralAttributes>(attributes(p, OpKind::DotGeneral)).lhsBatch = { 0 }; },
            [=](P p) { std::get<DotGeneralAttributes>(attributes(p, OpKind::DotGeneral)).rhsBatch = { 0 }; },
            [=](P p) { std::get<DotGeneralAttributes>(attributes(p, OpKind::DotGeneral)).lhsContracting = { 0 }; },
            [=](P p) { std::get<DotGeneralAttributes>(attributes(p, OpKind::DotGeneral)).rhsContracting = { 1 }; },
            [=](P p) { std::get<ConstantAttributes>(attributes(p, OpKind::Constant)).values = { 1 }; },
            [=](P p) {
                std::get<ConstantAttributes>(attributes(p, OpKind::Constant)).values = { 0, 0 };
            },
            [=](P p) { std::get<BroadcastAttributes>(attributes(p, OpKind::BroadcastInDim)).dimensions = { 1 }; },
            [=](P p) {
                std::get<TransposeAttributes>(attributes(p, OpKind::Transpose)).permutation = { 0, 1 };
            },
            [=](P p) { std::get<ReduceAttributes>(attributes(p, OpKind::Reduce)).dimensions = { 0 }; },
            [=](P p) { std::get<ReduceAttributes>(attributes(p, OpKind::Reduce)).kind = ReduceKind::Max; },
            [=](P p) { std::get<CompareAttributes>(attributes(p, OpKind::Compare)).direction = Comparison::Less; },
            [=](P p) { std::get<IotaAttributes>(attributes(p, OpKind::Iota)).dimension = 1; },
            [=](P p) { std::get<ConstraintAttributes>(attributes(p, OpKind::ShardingConstraint)).annotation = {}; },
            [](P p) { std::swap(p.regions[0].arguments[0], p.regions[0].arguments[1]); },
            [](P p) { std::swap(p.regions[0].operations[0], p.regions[0].operations[1]); },
            [](P p) { std::swap(p.regions[0].results[0], p.regions[0].results[1]); },
            [](P p) { p.regions.emplace_back(); },
            [](P p) { p.scopes[1] = "other"; },
            [](P p) { p.argumentAnnotations[0] = {}; },
            [](P p) {
                p.argumentAnnotations[0] = DeviceAxes{ { { SpecEntry::axis("batch"), SpecEntry::none() } } };
            },
            [](P p) { std::get<LogicalAxes>(p.argumentAnnotations[0]).names[0].name = "b"; },
            [](P p) { std::get<LogicalAxes>(p.argumentAnnotations[0]).names[1] = LogicalName::unconstrained(); },
            [](P p) { std::get<DeviceAxes>(p.argumentAnnotations[1]).spec.entries[0] = SpecEntry::unconstrained(); },
            [](P p) {
                std::get<DeviceAxes>(p.argumentAnnotations[1]).spec.entries[1] = SpecEntry::tuple({ "pod", "data" });
            },
            [](P p) { p.resultAnnotations[0] = {}; },
            [](P p) { p.state.clear(); },
            [](P p) { p.state[0].argument = id(0); },
            [](P p) { p.state[0].result = 1; },
        };
        std::set<std::uint64_t> hashes;
        for (std::size_t i = 0; i < edits.size(); ++i) {
            Program program = sample();
            edits[i](program);
            QVERIFY2(hashes.insert(hash(program)).second, qPrintable(QString("edit %1").arg(i)));
        }
    }

    void users()
    {
        Builder b("users");
        const ValueId x = b.argument(f32({ 2 }), "x", Role::Input);
        const ValueId y = b.binary(OpKind::Add, x, x);
        b.result(b.binary(OpKind::Multiply, y, x));
        const auto found = usersOf(b.program());
        const auto op = [](std::size_t i) { return OperationId(i); };
        QCOMPARE(found[x.index], (std::vector{ op(0), op(0), op(1) }));
        QCOMPARE(found[y.index], (std::vector{ op(1) }));
        QVERIFY(found[2].empty());
    }

    void paths()
    {
        const Program p = sample();
        QCOMPARE(p.find("params/W"), id(1));
        QVERIFY(!p.find("params").valid());
        QVERIFY(!p.find("").valid());
        QCOMPARE(findValue(p, "loss").value(), p.regions[0].results[1]);
        const Diagnostic unknown = findValue(p, "parms/W").error();
        QCOMPARE(unknown.code, Code::UnknownTensor);
        QCOMPARE(unknown.text("nearest"), std::string("params/W"));
        QCOMPARE(findValue(p, "W").value(), id(1)); // the last parts of one path
        QVERIFY(!findValue(p, "/W").has_value());
        QVERIFY(!findValue(p, "").has_value());
        Program two = sample();
        two.values[0].path = "opt/mu/W";
        two.values[0].role = Role::Mu;
        two.values[1].role = Role::Parameter;
        QCOMPARE(findValue(two, "W").value(), id(1)); // of several the parameter
        two.values[1].role = Role::Nu;
        const Diagnostic several = findValue(two, "W").error();
        QCOMPARE(several.number("several"), std::int64_t{ 2 });
        QCOMPARE(several.text("nearest"), std::string("opt/mu/W"));
        Program layers = sample();
        layers.values[0].path = "opt/mu/layers.0/W";
        layers.values[0].role = Role::Mu;
        layers.values[1].path = "params/layers.0/W";
        layers.values[1].role = Role::Parameter;
        layers.values[2].path = "params/layers.1/W";
        layers.values[2].role = Role::Parameter;
        layers.values[2].definition = {};
        const Diagnostic parameters = findValue(layers, "W").error();
        QCOMPARE(parameters.number("several"), std::int64_t{ 3 });
        QCOMPARE(parameters.text("nearest"), std::string("params/layers.0/W"));
        QCOMPARE(findValue(layers, "layers.0/W").value(), id(1));
        // By the forms in which they are shown.
        QCOMPARE(pathAsShown("3 / do / %iterArg_1"), std::string("3/do/iterArg_1"));
        QCOMPARE(pathAsShown("Layer 0 / W1"), std::string("layers.0/W1"));
        QCOMPARE(pathAsShown("mu of Layer 0 / W1"), std::string("opt/mu/layers.0/W1"));
        QCOMPARE(pathAsShown("Gradient of Layer 0 / W1"), std::string("grad(layers.0/W1)"));
        QCOMPARE(pathAsShown("/W"), std::string("/W"));
        QCOMPARE(findValue(layers, "Layer 0 / W").value(), id(1));
        QCOMPARE(findValue(layers, "mu of Layer 0 / W").value(), id(0));
        QCOMPARE(select(p, "*"), (std::vector{ id(0), id(2), p.find("loss") }));
        QCOMPARE(select(p, "**").size(), std::size_t{ 4 });
        QVERIFY(select(p, "nothing*").empty());
        QCOMPARE(parameters.list("known"), (std::vector<std::string>{ "params/layers.0/W", "params/layers.1/W" }));
    }

    /// What the backward pass works out without a path is found by the layer, or by number where there are several.
    void gradientsByLayer()
    {
        Builder b("step");
        const TensorType square{ DType::F32, { 4, 4 } };
        const ValueId x = b.argument(square, "x", Role::Input);
        b.setScope("layers.0");
        const ValueId y = b.dot(x, x);
        b.setScope("backward/layers.0");
        const ValueId first = b.dot(y, x);
        const ValueId scaled = b.binary(OpKind::Multiply, first, first);
        b.setScope("backward/decoder/layers.1");
        const ValueId second = b.dot(scaled, x), third = b.dot(scaled, second);
        b.setScope("backward/decoder/layers.2");
        b.result(b.binary(OpKind::Add, second, third));
        const Program program = std::move(b).finish();
        QCOMPARE(findValue(program, "the gradient in layers.0").value(), first); // the sum, not what is made of it
        QCOMPARE(findValue(program, "The gradient in layers.0").value(), first);
        QCOMPARE(findValue(program, "the gradient in decoder/layers.2").value(), program.main().results[0]);
        const Diagnostic several = findValue(program, "the gradient in decoder/layers.1").error();
        QCOMPARE(several.number("several"), std::int64_t{ 2 });
        const std::string number = '%' + std::to_string(second.index);
        QCOMPARE(several.list("known"), (std::vector{ number, '%' + std::to_string(third.index) }));
        QCOMPARE(findValue(program, number).value(), second);
        const Diagnostic unknown = findValue(program, "the gradient in ayers.1").error(); // no part of that name
        QVERIFY(!unknown.arg("several"));
    }

    void globs_data()
    {
        QTest::addColumn<QString>("glob");
        QTest::addColumn<QString>("path");
        QTest::addColumn<bool>("matches");
        const auto row = [](const char* glob, const char* path, bool matches) {
            QTest::addRow("%s %s", glob, path) << QString(glob) << QString(path) << matches;
        };
        row("params/*/W1", "params/layers.0/W1", true);
        row("params/*", "params/layers.0/W1", false);
        row("params/**", "params/layers.0/W1", true);
        row("**/W1", "params/layers.0/W1", true);
        row("**/W?", "params/layers.0/W1", true);
        row("params?layers.0/W1", "params/layers.0/W1", false);
        row("layers.?/y", "layers.10/y", false);
        row("layers.*/y", "layers.10/y", true);
        row("grad(**)", "grad(params/layers.0/W1)", true);
        row("", "", true);
        row("*", "", true);
        row("?", "", false);
        row("a", "", false);
    }

    void globs()
    {
        QFETCH(QString, glob);
        QFETCH(QString, path);
        QTEST(globMatches(glob.toStdString(), path.toStdString()), "matches");
    }

    void globsAgreeWithTheirDefinition()
    {
        // The definition, by recursion over all ways in which a star can match.
        std::function<bool(std::string_view, std::string_view)> matches = [&](std::string_view g, std::string_view p) {
            if (g.empty())
                return p.empty();
            if (g[0] == '*') {
                const bool deep = g.size() > 1 && g[1] == '*';
                for (std::size_t n = 0; n <= p.size(); ++n) {
                    if (matches(g.substr(deep ? 2 : 1), p.substr(n)))
                        return true;
                    if (!deep && n < p.size() && p[n] == '/')
                        return false;
                }
                return false;
            }
            return !p.empty() && (g[0] == p[0] || (g[0] == '?' && p[0] != '/')) && matches(g.substr(1), p.substr(1));
        };
        const auto text = [](const char* alphabet) {
            return rc::gen::resize(9, rc::gen::container<std::string>(rc::gen::elementOf(std::string(alphabet))));
        };
        QVERIFY(test::propertyHolds(100, "globs match as their definition says", [&] {
            const std::string glob = *text("ab/**?"), path = *text("aab/");
            RC_ASSERT(globMatches(glob, path) == matches(glob, path));
        }));
    }

    void argumentsByPath()
    {
        const Program program = sample();
        const MainInterface main(program);
        QVERIFY(main.find("x") == 0U && main.find("params/W") == 1U);
        QVERIFY(!main.find("h") && !main.find("") && !main.find("params")); // a value that is computed, and none
    }

    void types()
    {
        for (int i = 0; i <= static_cast<int>(DType::F64); ++i) {
            const auto dtype = static_cast<DType>(i);
            QVERIFY(parseDType(name(dtype)) == dtype);
            QVERIFY(byteSize(dtype) >= 1);
        }
        QVERIFY(!parseDType("f31"));
        QCOMPARE(toString({ DType::BF16, { 8, 1024 } }), std::string("tensor<8x1024xbf16>"));
        QCOMPARE(f32({}).byteCount(), std::int64_t{ 4 });
        QCOMPARE(f32({ 3, 0 }).elementCount(), std::int64_t{ 0 });
        const std::int64_t big = std::int64_t{ 1 } << 62;
        QCOMPARE(f32({ big, big, 0 }).elementCount(), std::int64_t{ 0 });
        QCOMPARE(f32({ big, big }).byteCount(), std::numeric_limits<std::int64_t>::max());
        QVERIFY(checkSize(f32({ big / 4 })));
        QCOMPARE(checkSize(f32({ big / 4 + 1 })).error().code, Code::TooLarge);
    }
};

REGISTER_TEST(TestProgram)
#include "test_program.moc"
