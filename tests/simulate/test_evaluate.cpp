// SPDX-License-Identifier: GPL-3.0-or-later
// The execution of programs that were read: numbers that are known beforehand, devices in lockstep, refusals.
#include <QtTest>

#include <functional>
#include <limits>
#include <set>

#include "base/codes.h"
#include "partition/partition_program.h"
#include "program/other_attributes.h"
#include "registered_test.h"
#include "simulate/check/check.h"
#include "simulate/check/compare.h"
#include "simulate/check/non_finite.h"
#include "simulate/check/rounding_noise.h"
#include "simulate/drawn_array.h"
#include "simulate/executed.h"
#include "simulate/kernels/threefry.h"
#include "stablehlo/read.h"

using namespace shardscope;
using kernels::Array;

namespace {

Program programOf(const char* text)
{
    auto read = readStableHlo(text);
    if (!read)
        qFatal("line %d: %s", read.error().where.line, std::string(read.error().kind()).c_str());
    return std::move(read->program);
}

Array line(DType dtype, std::initializer_list<double> values)
{
    Array array = Array::make({ dtype, { static_cast<std::int64_t>(values.size()) } });
    std::int64_t i = 0;
    for (const double value : values)
        kernels::setNumber(array, i++, value);
    return array;
}

std::vector<double> numbers(const Array& array)
{
    std::vector<double> values;
    for (std::int64_t i = 0; i < array.count(); ++i)
        values.push_back(kernels::numberAt(array, i));
    return values;
}

/// Result 0 of every device.
std::vector<std::vector<double>> run(const Program& program, const kernels::Arrays& arguments, std::int64_t devices)
{
    const auto done = test::executeInFull(program, arguments, {}, { 1, devices });
    if (!done)
        qFatal("%s", done.error().text("wrong").c_str());
    std::vector<std::vector<double>> results;
    for (const kernels::Arrays& device : done->shards)
        results.push_back(numbers(device[0]));
    return results;
}

using Numbers = std::vector<std::vector<double>>;

} // namespace

class TestEvaluate : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void threefryGivesPublishedNumbers();
    void collectivesOfShardyAreIdentities();
    void shapesAreCheckedBeforehand();
    void groupsAreCheckedBeforehand();
    void functionsAreCheckedWhereverTheyRun();
    void shapesThatAreOperandsAreChecked();
    void devicesLeaveLoopsOneByOne();
    void collectivesNeedTheFullGroup();
    void manualComputationsRunOnTheirMesh();
    void floatsRoundAfterEveryOperation();
    void bitsOfNarrowNumbers();
    void outOfRangeStartsMoveInside();
    void windowsReachOverBorders();
    void slicesOfNothing();
    void raggedProductsGoByGroups_data();
    void raggedProductsGoByGroups();
    void partsOfSumsCrossTheBorder();
    void reductionsOfEveryKindGoByParts_data();
    void reductionsOfEveryKindGoByParts();
    void refusesBeforehand();
    void comparesWithinRounding();
    void findsWhereNanComesFrom();
    void findsNanBeforeAnExchange();
    void findsTheFirstDifference();
    void passesOverPadding();
    void drawsArguments();
    void rangesFollowFromUse();
    void loopsAreStopped();
    void measuresSensitivity();
};

/// Known answers of the generator's authors.
void TestEvaluate::threefryGivesPublishedNumbers()
{
    using Words = std::array<std::uint32_t, 2>;
    QCOMPARE(kernels::threefry({ 0, 0 }, { 0, 0 }), (Words{ 0x6b200159, 0x99ba4efe }));
    QCOMPARE(
        kernels::threefry({ 0xffffffff, 0xffffffff }, { 0xffffffff, 0xffffffff }), (Words{ 0x1cb996fc, 0xbb002be7 }));
    QCOMPARE(
        kernels::threefry({ 0x243f6a88, 0x85a308d3 }, { 0x13198a2e, 0x03707344 }), (Words{ 0xc4923a9c, 0x483df7a0 }));
}

/// Inside a computation that is manual along y, every device has full arrays along x: what Shardy's collectives move
/// along that stays the array that it is. A sum along y is one.
void TestEvaluate::collectivesOfShardyAreIdentities()
{
    const Program program = programOf(R"(
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<4xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
  %0:2 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"y"}]>] out_shardings=[<@mesh, [{"y"}]>, <@mesh, [{}]>] manual_axes={"y"} (%arg1: tensor<2xf32>) {
    %1 = sdy.all_slice [{"x"}] %arg1 out_sharding=<@mesh, [{"x"}]> : tensor<2xf32>
    %2 = stablehlo.add %1, %1 : tensor<2xf32>
    %3 = sdy.all_gather [{"x"}] %2 out_sharding=<@mesh, [{}]> : tensor<2xf32>
    %4 = sdy.all_reduce {"y"} %3 out_sharding=<@mesh, [{}]> : tensor<2xf32>
    sdy.return %3, %4 : tensor<2xf32>, tensor<2xf32>
  } : (tensor<4xf32>) -> (tensor<4xf32>, tensor<2xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<2xf32>
}
)");
    const auto done = test::executeInFull(program, { line(DType::F32, { 1, 2, 30, 40 }) });
    QVERIFY(done);
    QCOMPARE(numbers(done->outputs[0]), (std::vector<double>{ 2, 4, 60, 80 }));
    QCOMPARE(numbers(done->outputs[1]), (std::vector<double>{ 62, 84 }));
}

namespace {

/// Takes the halves of an array of four.
constexpr const char* halves = R"(
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<2xf32>) {
    %1 = sdy.all_reduce {"x"} %arg1 out_sharding=<@mesh, [{}]> : tensor<2xf32>
    %2 = "stablehlo.all_gather"(%1) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids} : (tensor<2xf32>) -> tensor<4xf32>
    %3 = stablehlo.slice %2 [1:3] : (tensor<4xf32>) -> tensor<2xf32>
    sdy.return %3 : tensor<2xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
)";

} // namespace

/// Every operation whose declared shape is another than its operands make is refused before anything runs.
void TestEvaluate::shapesAreCheckedBeforehand()
{
    const Program sound = programOf(halves);
    QVERIFY(notExecutable(sound).empty());
    QCOMPARE(run(sound, { line(DType::F32, { 1, 2, 30, 40 }) }, 1)[0], (std::vector<double>{ 42, 31, 42, 31 }));
    int refused = 0;
    for (std::size_t v = 0; v < sound.values.size(); ++v)
        for (const std::int64_t size : { 0, 1, 3, 5, 64 }) {
            Program wrong = sound;
            wrong.values[v].type.shape = { size };
            const std::vector<Diagnostic> found = notExecutable(wrong);
            QVERIFY(!found.empty());
            QVERIFY(!test::executeInFull(wrong, { Array::zeros(wrong.value(wrong.main().arguments[0]).type) }));
            ++refused;
        }
    QCOMPARE(refused, 30);
}

void TestEvaluate::groupsAreCheckedBeforehand()
{
    const auto wrongOf = [](const std::function<void(CollectiveAttributes&)>& change, std::int64_t devices) {
        Program program = programOf(R"(
func.func @main(%a: tensor<2xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids} : (tensor<2xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
)");
        CollectiveAttributes own = *attributesAs<CollectiveAttributes>(program.operations[0].attributes);
        change(own);
        program.operations[0].attributes = otherAttributes(std::move(own));
        const std::vector<Diagnostic> found = notExecutable(program, { 1, devices });
        return found.empty() ? std::string() : found[0].text("wrong");
    };
    QCOMPARE(wrongOf([](CollectiveAttributes&) {}, 4), std::string());
    QCOMPARE(wrongOf([](CollectiveAttributes&) {}, 2), std::string("groups"));
    QCOMPARE(wrongOf(
                 [](CollectiveAttributes& own) {
                     own.groups = { { 0, 1, 2, 3 } };
                 },
                 4),
        std::string("groups_size"));
    QCOMPARE(wrongOf(
                 [](CollectiveAttributes& own) {
                     own.groups = { { 0 }, { 1 }, { 2, 3 } };
                 },
                 4),
        std::string("groups_size"));
    // An id that is a small one in 32 bits.
    QCOMPARE(wrongOf([](CollectiveAttributes& own) { own.groups[1][1] = (std::int64_t{ 1 } << 32) + 3; }, 4),
        std::string("groups"));
    QCOMPARE(wrongOf([](CollectiveAttributes& own) { own.groups.clear(); }, 2), std::string());
    QCOMPARE(wrongOf([](CollectiveAttributes& own) { own.groups.clear(); }, 3), std::string("groups_size"));
}

/// The groups of a collective follow from the devices that its function runs on: one device here, four there.
void TestEvaluate::functionsAreCheckedWhereverTheyRun()
{
    const auto wrongOf = [](bool manualFirst, const char* result) {
        const std::string manual =
            std::string("  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{\"x\"}]>] "
                        "out_shardings=[<@mesh, [{}]>] manual_axes={\"x\"} (%b: tensor<2xf32>) {\n"
                        "    %r = func.call @f(%b) : (tensor<2xf32>) -> ")
            + result + "\n    sdy.return %r : " + result + "\n  } : (tensor<8xf32>) -> " + result + "\n";
        const std::string alone = std::string("  %1 = func.call @f(%c) : (tensor<2xf32>) -> ") + result + "\n";
        const std::string text = std::string("sdy.mesh @mesh = <[\"x\"=4]>\n"
                                             "func.func @main(%a: tensor<8xf32>, %c: tensor<2xf32>) -> (")
            + result + ", " + result + ") {\n" + (manualFirst ? manual + alone : alone + manual) + "  return %0, %1 : "
            + result + ", " + result + "\n}\nfunc.func private @f(%b: tensor<2xf32>) -> " + result
            + " {\n  %r = \"stablehlo.all_gather\"(%b) {all_gather_dim = 0 : i64, replica_groups = dense<[[0]]> : "
              "tensor<1x1xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : "
              "(tensor<2xf32>) -> "
            + result + "\n  return %r : " + result + "\n}\n";
        const Program program = programOf(text.c_str());
        const auto done =
            test::executeInFull(program, { line(DType::F32, { 1, 2, 3, 4, 5, 6, 7, 8 }), line(DType::F32, { 1, 2 }) });
        return done ? std::string() : done.error().text("wrong");
    };
    for (const bool manualFirst : { true, false })
        for (const char* result : { "tensor<2xf32>", "tensor<8xf32>" }) // of one device, of four
            QCOMPARE(wrongOf(manualFirst, result), std::string("groups_size"));
}

/// Where sizes are operands they are known when those are there.
void TestEvaluate::shapesThatAreOperandsAreChecked()
{
    const auto padded = [](const char* high) {
        const std::string text = std::string(R"(
func.func @main(%a: tensor<2xi32>) -> tensor<5xi32> {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %l = stablehlo.constant dense<1> : tensor<1xi32>
  %h = stablehlo.constant dense<)")
            + high + R"(> : tensor<1xi32>
  %n = stablehlo.constant dense<0> : tensor<1xi32>
  %0 = "stablehlo.dynamic_pad"(%a, %z, %l, %h, %n) : (tensor<2xi32>, tensor<i32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<5xi32>
  return %0 : tensor<5xi32>
}
)";
        return test::executeInFull(programOf(text.c_str()), { line(DType::I32, { 7, 8 }) });
    };
    const auto sound = padded("2");
    QVERIFY(sound);
    QCOMPARE(numbers(sound->outputs[0]), (std::vector<double>{ 0, 7, 8, 0, 0 }));
    for (const char* high : { "3", "1000000", "-2", "-2147483648" }) {
        const auto wrong = padded(high);
        QVERIFY(!wrong);
        QCOMPARE(wrong.error().text("wrong"), std::string("shape"));
    }
}

void TestEvaluate::devicesLeaveLoopsOneByOne()
{
    const Program program = programOf(R"(
func.func @main() -> tensor<ui32> {
  %id = stablehlo.partition_id : tensor<ui32>
  %zero = stablehlo.constant dense<0> : tensor<ui32>
  %one = stablehlo.constant dense<1> : tensor<ui32>
  %r:2 = stablehlo.while(%i = %zero, %sum = %zero) : tensor<ui32>, tensor<ui32>
  cond {
    %c = stablehlo.compare LT, %i, %id : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %n = stablehlo.add %i, %one : tensor<ui32>
    %s = stablehlo.add %sum, %n : tensor<ui32>
    stablehlo.return %n, %s : tensor<ui32>, tensor<ui32>
  }
  return %r#1 : tensor<ui32>
}
)");
    QCOMPARE(run(program, {}, 4), (Numbers{ { 0 }, { 1 }, { 3 }, { 6 } }));
}

void TestEvaluate::collectivesNeedTheFullGroup()
{
    const Program program = programOf(R"(
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %id = stablehlo.partition_id : tensor<ui32>
  %zero = stablehlo.constant dense<0> : tensor<ui32>
  %c = stablehlo.compare EQ, %id, %zero : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
  %r = "stablehlo.if"(%c) ({
    %s = "stablehlo.all_reduce"(%x) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %t = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %t : tensor<f32>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids} : (tensor<2xf32>) -> tensor<2xf32>
    stablehlo.return %s : tensor<2xf32>
  }, {
    stablehlo.return %x : tensor<2xf32>
  }) : (tensor<i1>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}
)");
    const auto done = test::executeInFull(program, { line(DType::F32, { 1, 2 }) }, {}, { 1, 2 });
    QVERIFY(!done);
    QVERIFY(done.error().code == Code::NotExecutable);
    QCOMPARE(done.error().text("wrong"), std::string("diverged"));
    QCOMPARE(done.error().number("found"), 1);
}

void TestEvaluate::manualComputationsRunOnTheirMesh()
{
    // Sums the two halves of an array of four.
    const Program program = programOf(R"(
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<4xf32>) -> tensor<2xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"x"} (%arg1: tensor<2xf32>) {
    %1 = "stablehlo.all_reduce"(%arg1) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %t = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %t : tensor<f32>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids} : (tensor<2xf32>) -> tensor<2xf32>
    sdy.return %1 : tensor<2xf32>
  } : (tensor<4xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
)");
    QCOMPARE(run(program, { line(DType::F32, { 1, 2, 30, 40 }) }, 1)[0], (std::vector<double>{ 31, 42 }));
}

void TestEvaluate::floatsRoundAfterEveryOperation()
{
    // 256 + 1 is 257, which bf16 does not have: it is 256 again; f16 has it.
    for (const auto& [type, dtype, sum] : { std::tuple{ "bf16", DType::BF16, 256.0 }, { "f16", DType::F16, 258.0 } }) {
        const std::string text = std::string("func.func @main(%x: tensor<1xT>, %y: tensor<1xT>) -> tensor<1xT> {\n"
                                             "  %0 = stablehlo.add %x, %y : tensor<1xT>\n"
                                             "  %1 = stablehlo.add %0, %y : tensor<1xT>\n"
                                             "  return %1 : tensor<1xT>\n}\n");
        std::string own;
        for (const char c : text)
            own += c == 'T' ? std::string(type) : std::string(1, c);
        QCOMPARE(run(programOf(own.c_str()), { line(dtype, { 256 }), line(dtype, { 1 }) }, 1), (Numbers{ { sum } }));
    }
}

/// Numbers of less than a byte have a byte each in memory, and still are as wide as their type says.
void TestEvaluate::bitsOfNarrowNumbers()
{
    const auto bitcast = [](const std::string& from, DType dtype, double number, const std::string& to) {
        const std::string text = "func.func @main(%x: " + from + ") -> " + to
            + " {\n  %0 = stablehlo.bitcast_convert %x : (" + from + ") -> " + to + "\n  return %0 : " + to + "\n}\n";
        return run(programOf(text.c_str()), { line(dtype, { number }) }, 1);
    };
    QCOMPARE(bitcast("tensor<1xui8>", DType::U8, 0x85, "tensor<1x8xi1>"), (Numbers{ { 1, 0, 1, 0, 0, 0, 0, 1 } }));
    QCOMPARE(bitcast("tensor<1xui8>", DType::U8, 0x52, "tensor<1x2xf4E2M1FN>"), (Numbers{ { 1, 3 } }));
    QCOMPARE(bitcast("tensor<1xf4E2M1FN>", DType::F4E2M1FN, 3, "tensor<1xui4>"), (Numbers{ { 5 } }));
    QCOMPARE(bitcast("tensor<1xi4>", DType::I4, -3, "tensor<1xui4>"), (Numbers{ { 13 } }));
    QCOMPARE(bitcast("tensor<1xui4>", DType::U4, 13, "tensor<1xi4>"), (Numbers{ { -3 } }));
    QCOMPARE(bitcast("tensor<1xi8>", DType::I8, -2, "tensor<1x2xi4>"), (Numbers{ { -2, -1 } }));
}

/// An argument and a result that are still to be added up: their parts make the array.
void TestEvaluate::partsOfSumsCrossTheBorder()
{
    const char* mesh = "sdy.mesh @mesh = <[\"x\"=2, \"y\"=3]>\n";
    const std::string text = std::string(mesh) + R"(func.func @main(
    %a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"y"}>},
    %b: tensor<2x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
    %c: tensor<3x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) ->
    (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>},
     tensor<2x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}], unreduced={"y"}>}) {
  %s = sdy.sharding_constraint %a <@mesh, [{}]> : tensor<4xf32>
  %d = stablehlo.dot_general %b, %c, contracting_dims = [1] x [0]
      {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}], unreduced={"y"}>]>}
      : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  return %s, %d : tensor<4xf32>, tensor<2x2xf32>
}
)";
    const auto parts = partitionProgram(programOf(text.c_str()));
    QVERIFY(parts);
    const auto counting = [](const TensorType& type) {
        Array array = Array::make(type);
        for (std::int64_t i = 0; i < array.count(); ++i)
            kernels::setNumber(array, i, static_cast<double>(i + 1));
        return array;
    };
    kernels::Arrays arguments;
    for (const ShardedArray& input : parts->device.inputs)
        arguments.push_back(counting(input.type));
    const auto done = test::executeParts(*parts, arguments);
    QVERIFY(done);
    QVERIFY(done->differences.empty());
    QCOMPARE(numbers(done->outputs[0]), (std::vector<double>{ 1, 2, 3, 4 }));
    // [1 2 3; 4 5 6] times [1 2; 3 4; 5 6]
    QCOMPARE(numbers(done->outputs[1]), (std::vector<double>{ 22, 28, 49, 64 }));
}

void TestEvaluate::reductionsOfEveryKindGoByParts_data()
{
    QTest::addColumn<QString>("combiner");
    QTest::addColumn<QString>("element");
    QTest::addColumn<QString>("initial");
    QTest::addColumn<double>("expected"); // of 1, 2, ..., 8, of their lowest bits where they are i1
    QTest::addColumn<bool>("byParts");
    QTest::newRow("add") << "add"
                         << "i32"
                         << "0" << 36.0 << true;
    QTest::newRow("multiply") << "multiply"
                              << "i32"
                              << "1" << 40320.0 << true;
    QTest::newRow("multiply from 2") << "multiply"
                                     << "i32"
                                     << "2" << 80640.0 << false;
    QTest::newRow("maximum") << "maximum"
                             << "i32"
                             << "-9" << 8.0 << true;
    QTest::newRow("minimum from 0") << "minimum"
                                    << "i32"
                                    << "0" << 0.0 << true;
    QTest::newRow("and") << "and"
                         << "i1"
                         << "true" << 0.0 << true;
    QTest::newRow("or") << "or"
                        << "i1"
                        << "false" << 1.0 << true;
}

void TestEvaluate::reductionsOfEveryKindGoByParts()
{
    QFETCH(QString, combiner);
    QFETCH(QString, element);
    QFETCH(QString, initial);
    QFETCH(double, expected);
    QFETCH(bool, byParts);
    const QString text = QStringLiteral("sdy.mesh @mesh = <[\"x\"=4]>\n"
                                        "func.func @main(%a: tensor<8xTYPE> {sdy.sharding = #sdy.sharding<@mesh, "
                                        "[{\"x\"}]>}) -> tensor<TYPE> {\n"
                                        "  %i = stablehlo.constant dense<INIT> : tensor<TYPE>\n"
                                        "  %r = stablehlo.reduce(%a init: %i) applies stablehlo.KIND across dimensions "
                                        "= [0] : (tensor<8xTYPE>, tensor<TYPE>) -> tensor<TYPE>\n"
                                        "  return %r : tensor<TYPE>\n}\n")
                             .replace(QLatin1String("TYPE"), element)
                             .replace(QLatin1String("INIT"), initial)
                             .replace(QLatin1String("KIND"), combiner);
    const auto parts = partitionProgram(programOf(text.toUtf8().constData()));
    QVERIFY(parts);
    const auto isKind = [&](OpKind kind) {
        const auto& operations = parts->device.program.operations;
        return std::any_of(
            operations.begin(), operations.end(), [kind](const Operation& op) { return op.kind == kind; });
    };
    QCOMPARE(isKind(OpKind::AllReduce), byParts);
    QCOMPARE(isKind(OpKind::AllGather), !byParts);
    Array array = Array::make(parts->device.inputs[0].type);
    for (std::int64_t i = 0; i < 8; ++i)
        kernels::setNumber(
            array, i, element == QLatin1String("i1") ? static_cast<double>((i + 1) % 2) : static_cast<double>(i + 1));
    const auto done = test::executeParts(*parts, { array });
    QVERIFY(done);
    QVERIFY(done->differences.empty());
    QCOMPARE(kernels::numberAt(done->outputs[0], 0), expected);
}

void TestEvaluate::raggedProductsGoByGroups_data()
{
    QTest::addColumn<QString>("left");
    QTest::addColumn<QString>("right");
    QTest::addColumn<QString>("sizes");
    QTest::addColumn<QString>("result");
    QTest::addColumn<QString>("dims");
    QTest::addColumn<QList<double>>("groups");
    QTest::addColumn<QList<double>>("expected");
    // Left sides count 1, 2, 3, ..., right ones 10, 20, 30, ...
    QTest::newRow("rows") << "3x2"
                          << "2x2x1"
                          << "2"
                          << "3x1"
                          << "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], "
                             "lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]"
                          << QList<double>{ 1, 2 } << QList<double>{ 50, 250, 390 };
    QTest::newRow("rows behind the last group")
        << "3x2"
        << "2x2x1"
        << "2"
        << "3x1"
        << "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], "
           "lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]"
        << QList<double>{ 0, 2 } << QList<double>{ 110, 250, 0 };
    QTest::newRow("groups beyond the rows") << "3x2"
                                            << "2x2x1"
                                            << "2"
                                            << "3x1"
                                            << "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], "
                                               "lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]"
                                            << QList<double>{ 2, 9 } << QList<double>{ 50, 110, 390 };
    QTest::newRow("rows of batches, each with groups of its own")
        << "2x2x1"
        << "2x2x1x1"
        << "2x2"
        << "2x2x1"
        << "lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2], "
           "rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]"
        << QList<double>{ 2, 0, 1, 1 } << QList<double>{ 10, 20, 60, 160 };
    QTest::newRow("sums") << "3x1"
                          << "3x2"
                          << "2"
                          << "2x1x2"
                          << "lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0], "
                             "lhs_ragged_dimensions = [0]"
                          << QList<double>{ 1, 2 } << QList<double>{ 10, 20, 60 + 150, 80 + 180 };
    QTest::newRow("sums over two dimensions") << "2x2"
                                              << "2x2x1"
                                              << "2"
                                              << "2x1"
                                              << "lhs_contracting_dimensions = [0, 1], rhs_contracting_dimensions = "
                                                 "[0, 1], lhs_ragged_dimensions = [1]"
                                              << QList<double>{ 1, 1 } << QList<double>{ 10 + 90, 40 + 160 };
    QTest::newRow("batches") << "2x1x1"
                             << "2x1x1"
                             << "2"
                             << "2x1x1"
                             << "lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], "
                                "lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], "
                                "lhs_ragged_dimensions = [0]"
                             << QList<double>{ 1, 1 } << QList<double>{ 10, 40 };
}

void TestEvaluate::raggedProductsGoByGroups()
{
    QFETCH(QString, left);
    QFETCH(QString, right);
    QFETCH(QString, sizes);
    QFETCH(QString, result);
    QFETCH(QString, dims);
    QFETCH(QList<double>, groups);
    QFETCH(QList<double>, expected);
    const auto of = [](const QString& shape, const char* element) {
        return QStringLiteral("tensor<%1x%2>").arg(shape, QLatin1String(element));
    };
    for (const char* element : { "f32", "f64", "bf16", "i32" }) {
        const QString text =
            QStringLiteral("func.func @main(%a: %1, %b: %2, %c: %3) -> %4 {\n"
                           "  %r = \"chlo.ragged_dot\"(%a, %b, %c) {ragged_dot_dimension_numbers = "
                           "#chlo.ragged_dot<%5>} : (%1, %2, %3) -> %4\n  return %r : %4\n}\n")
                .arg(of(left, element), of(right, element), of(sizes, "i64"), of(result, element), dims);
        const Program program = programOf(text.toUtf8().constData());
        kernels::Arrays arguments;
        for (const ValueId argument : program.main().arguments)
            arguments.push_back(Array::make(program.value(argument).type));
        for (std::size_t side = 0; side < 2; ++side)
            for (std::int64_t i = 0; i < arguments[side].count(); ++i)
                kernels::setNumber(arguments[side], i, static_cast<double>(i + 1) * (side == 0 ? 1 : 10));
        for (std::int64_t i = 0; i < arguments[2].count(); ++i)
            kernels::setNumber(arguments[2], i, groups[i]);
        const std::vector<double> found = run(program, arguments, 1)[0];
        QVERIFY2(QList<double>(found.begin(), found.end()) == expected, qPrintable(text));
    }
}

void TestEvaluate::outOfRangeStartsMoveInside()
{
    const Program program = programOf(R"(
func.func @main(%x: tensor<4xi32>, %s: tensor<1xi32>) -> tensor<2xi32> {
  %0 = stablehlo.reshape %s : (tensor<1xi32>) -> tensor<i32>
  %1 = stablehlo.dynamic_slice %x, %0, sizes = [2] : (tensor<4xi32>, tensor<i32>) -> tensor<2xi32>
  return %1 : tensor<2xi32>
}
)");
    const Array x = line(DType::I32, { 1, 2, 3, 4 });
    QCOMPARE(run(program, { x, line(DType::I32, { 9 }) }, 1), (Numbers{ { 3, 4 } }));
    QCOMPARE(run(program, { x, line(DType::I32, { -9 }) }, 1), (Numbers{ { 1, 2 } }));
}

/// Slices that begin inside, reach over a border or lie outside, and padding that leaves elements out: the same numbers
/// from the plain kernels and from the fast ones.
void TestEvaluate::windowsReachOverBorders()
{
    const Program program = programOf(R"(
func.func @main(%x: tensor<4x3xf32>, %i: tensor<5x2xi32>, %u: tensor<5x2x3xf32>)
    -> (tensor<6x3xf32>, tensor<5x2x3xf32>) {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2],
      scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x3xf32>, tensor<5x2xi32>, tensor<5x2x3xf32>) -> tensor<4x3xf32>
  %c = stablehlo.constant dense<-5.0> : tensor<f32>
  %1 = stablehlo.pad %0, %c, low = [-1, 1], high = [0, -1], interior = [1, 0]
      : (tensor<4x3xf32>, tensor<f32>) -> tensor<6x3xf32>
  %2 = stablehlo.iota dim = 1 : tensor<6x3xf32>
  %3 = stablehlo.add %1, %2 : tensor<6x3xf32>
  %4 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2],
      start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 2, 3>}>
      : (tensor<4x3xf32>, tensor<5x2xi32>) -> tensor<5x2x3xf32>
  return %3, %4 : tensor<6x3xf32>, tensor<5x2x3xf32>
}
)");
    const auto shaped = [](DType dtype, Shape shape, const std::function<double(std::int64_t)>& number) {
        Array array = Array::make({ dtype, std::move(shape) });
        for (std::int64_t i = 0; i < array.count(); ++i)
            kernels::setNumber(array, i, number(i));
        return array;
    };
    const std::vector<double> starts{ 1, 0, 1, 0, 3, 0, 0, -1, 9, 9 };
    const kernels::Arrays arguments{
        shaped(DType::F32, { 4, 3 }, [](std::int64_t i) { return static_cast<double>(i + 1); }),
        shaped(DType::I32, { 5, 2 }, [&](std::int64_t i) { return starts[static_cast<std::size_t>(i)]; }),
        shaped(DType::F32, { 5, 2, 3 },
            [](std::int64_t i) { return static_cast<double>((i / 6 + 1) * 100 + i / 3 % 2 * 10 + i % 3); }),
    };
    const std::vector<double> padded{ -5, -4, -3, -5, 716, 721, -5, -4, -3, -5, 328, 332, -5, -4, -3, -5, 311, 314 };
    const std::vector<double> gathered{ 4, 5, 6, 7, 8, 9, 4, 5, 6, 7, 8, 9, 7, 8, 9, 10, 11, 12, 1, 2, 3, 4, 5, 6, 7, 8,
        9, 10, 11, 12 };
    const PartitionedProgram parts = unsharded(program).value();
    for (const auto& done : { test::executeInFull(program, arguments), test::executeParts(parts, arguments) }) {
        QVERIFY(done.has_value());
        QCOMPARE(numbers(done->outputs[0]), padded);
        QCOMPARE(numbers(done->outputs[1]), gathered);
    }
}

/// Where nothing is taken nothing is read, and between fewer than two elements there is no padding.
void TestEvaluate::slicesOfNothing()
{
    const Program program = programOf(R"(
func.func @main(%x: tensor<2x3xf32>, %n: tensor<0x3xf32>, %i: tensor<2x1xi32>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<2x3xf32>) {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
      start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 0, 3>}>
      : (tensor<2x3xf32>, tensor<2x1xi32>) -> tensor<2x3xf32>
  %1 = "stablehlo.gather"(%n, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
      start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 0, 3>}>
      : (tensor<0x3xf32>, tensor<2x1xi32>) -> tensor<2x3xf32>
  %s = stablehlo.slice %x [1:2, 0:3] : (tensor<2x3xf32>) -> tensor<1x3xf32>
  %c = stablehlo.constant dense<-5.0> : tensor<f32>
  %2 = stablehlo.pad %s, %c, low = [0, 0], high = [0, 0], interior = [9223372036854775807, 0]
      : (tensor<1x3xf32>, tensor<f32>) -> tensor<1x3xf32>
  %3 = stablehlo.pad %n, %c, low = [-9223372036854775808, 0], high = [9223372036854775807, 0], interior = [0, 0]
      : (tensor<0x3xf32>, tensor<f32>) -> tensor<0x3xf32>
  %4 = stablehlo.pad %3, %c, low = [2, 0], high = [0, 0], interior = [9223372036854775807, 0]
      : (tensor<0x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return %0, %1, %2, %4 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<2x3xf32>
}
)");
    Array x = Array::make({ DType::F32, { 2, 3 } }), places = Array::make({ DType::I32, { 2, 1 } });
    for (std::int64_t i = 0; i < 6; ++i)
        kernels::setNumber(x, i, static_cast<double>(i + 1));
    for (std::int64_t i = 0; i < 2; ++i)
        kernels::setNumber(places, i, 1'000'000);
    const kernels::Arrays arguments{ x, Array::make({ DType::F32, { 0, 3 } }), places };
    const PartitionedProgram parts = unsharded(program).value();
    for (const auto& done : { test::executeInFull(program, arguments), test::executeParts(parts, arguments) }) {
        QVERIFY(done.has_value());
        QCOMPARE(numbers(done->outputs[0]), std::vector<double>(6, 0));
        QCOMPARE(numbers(done->outputs[1]), std::vector<double>(6, 0));
        QCOMPARE(numbers(done->outputs[2]), (std::vector<double>{ 4, 5, 6 }));
        QCOMPARE(numbers(done->outputs[3]), std::vector<double>(6, -5));
    }
}

void TestEvaluate::refusesBeforehand()
{
    const Program unknown = programOf("func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
                                      "  %0 = stablehlo.custom_call @mystery(%x) : (tensor<2xf32>) -> tensor<2xf32>\n"
                                      "  return %0 : tensor<2xf32>\n}\n");
    const auto refused = notExecutable(unknown);
    QCOMPARE(refused.size(), std::size_t{ 1 });
    QCOMPARE(refused[0].text("target"), std::string("mystery"));
    QCOMPARE(refused[0].where.line, 2);

    const Program large = programOf("func.func @main() -> tensor<1000000000x1000000xf32> {\n"
                                    "  %0 = stablehlo.iota dim = 0 : tensor<1000000000x1000000xf32>\n"
                                    "  return %0 : tensor<1000000000x1000000xf32>\n}\n");
    const auto done = test::executeInFull(large, {}, {});
    QVERIFY(!done && done.error().code == Code::OutOfMemory);
    QVERIFY(done.error().number("bytes") >= std::int64_t{ 4'000'000'000'000'000 });

    const Program plain = programOf("func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
                                    "  return %x : tensor<2xf32>\n}\n");
    QVERIFY(test::executeInFull(plain, {}, {}).error().code == Code::CountMismatch);
    QVERIFY(test::executeInFull(plain, { line(DType::F32, { 1, 2, 3 }) }).error().code == Code::TypeMismatch);
}

void TestEvaluate::comparesWithinRounding()
{
    constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
    const auto compare = [](DType dtype, std::initializer_list<double> a, std::initializer_list<double> b) {
        return compareWithReference(line(dtype, a), line(dtype, b));
    };
    QVERIFY(compare(DType::F32, { 1, nan, inf, -inf }, { 1, nan, inf, -inf }).passed());
    QCOMPARE(compare(DType::F32, { 1, 2, inf }, { 1, 2, -inf }).first, std::int64_t{ 2 });
    QCOMPARE(compare(DType::F32, { 1, nan }, { 1, 2 }).first, std::int64_t{ 1 });
    // 256 units in the last place of the largest element.
    QVERIFY(compare(DType::F32, { 1024, 1.03125 }, { 1024, 1 }).passed());
    const auto beyond = compare(DType::F32, { 1024, 1.0625, 3 }, { 1024, 1, 2 });
    QCOMPARE(beyond.first, std::int64_t{ 1 });
    QCOMPARE(beyond.beyond, std::int64_t{ 2 });
    QCOMPARE(beyond.worst, std::int64_t{ 2 });
    QCOMPARE(beyond.largestError, 1.0);
    QCOMPARE(compare(DType::I32, { 5, 6 }, { 5, 7 }).first, std::int64_t{ 1 });
    // What is finite on neither side says nothing.
    const auto counted = compare(DType::F32, { 1, nan, inf, 2, nan }, { 1, inf, inf, nan, nan });
    QCOMPARE(counted.compared, std::int64_t{ 2 });
    QCOMPARE(counted.notFinite, std::int64_t{ 3 });
    const auto none = compare(DType::F32, { nan, inf }, { nan, inf });
    QVERIFY(none.passed());
    QCOMPARE(none.compared, std::int64_t{ 0 });
    QCOMPARE(compare(DType::I32, { 5, 6 }, { 5, 6 }).compared, std::int64_t{ 2 });
    // Doubles do not tell these two apart.
    Array a = Array::zeros({ DType::I64, { 1 } }), b = a;
    b = Array::zeros(a.type);
    a.as<std::int64_t>()[0] = 9007199254740993;
    b.as<std::int64_t>()[0] = 9007199254740992;
    QCOMPARE(compareWithReference(a, b).first, std::int64_t{ 0 });
}

/// A mask of -infinity in a constant is meant so, and what it is added to is not the origin of it.
void TestEvaluate::findsWhereNanComesFrom()
{
    const Program program = programOf("func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
                                      "  %m = stablehlo.constant dense<[0.0, 0xFF800000, 0.0]> : tensor<3xf32>\n"
                                      "  %0 = stablehlo.add %x, %m : tensor<3xf32>\n"
                                      "  %1 = stablehlo.exponential %x : tensor<3xf32>\n"
                                      "  %2 = stablehlo.multiply %0, %1 : tensor<3xf32>\n"
                                      "  %3 = stablehlo.subtract %2, %2 : tensor<3xf32>\n"
                                      "  return %3 : tensor<3xf32>\n}\n");
    const auto watched = [&](std::initializer_list<double> x) {
        const auto parts = std::make_shared<const PartitionedProgram>(unsharded(program).value());
        NonFiniteWatch watch(parts->device);
        const kernels::Arrays arguments{ line(DType::F32, x) };
        watch.setArguments(arguments);
        ExecuteOptions options;
        options.observers = { &watch };
        if (!execute(std::make_shared<const Program>(program), parts, arguments, options))
            qFatal("not executed");
        return std::pair(parts, watch);
    };
    const auto lineOf = [&](const NonFinite& found) {
        return program.sources[program.operation(found.operation).source].line;
    };
    const auto [plainParts, plain] = watched({ 1, 2, 3 });
    QVERIFY(!plain.first(NonFiniteKind::Infinity)->produced); // the mask
    QCOMPARE(lineOf(*plain.first(NonFiniteKind::Infinity)), 2U);
    QVERIFY(plain.first(NonFiniteKind::NotANumber)->produced); // infinity less infinity
    QCOMPARE(lineOf(*plain.first(NonFiniteKind::NotANumber)), 6U);
    QCOMPARE(plain.first(NonFiniteKind::NotANumber)->element, std::int64_t{ 1 });
    const auto [largeParts, large] = watched({ 1, 2, 200 });
    QVERIFY(large.first(NonFiniteKind::Infinity)->produced);
    QCOMPARE(lineOf(*large.first(NonFiniteKind::Infinity)), 4U);
    QCOMPARE(large.first(NonFiniteKind::Infinity)->element, std::int64_t{ 2 });
    const auto [specifiedParts, source] = watched({ std::numeric_limits<double>::quiet_NaN(), 2, 3 });
    QVERIFY(source.first(NonFiniteKind::NotANumber)->produced
        || !source.first(NonFiniteKind::NotANumber)->operation.valid());
}

/// What one device has been given the others receive: an exchange makes no NaN of it. It does of infinities that
/// cancel.
void TestEvaluate::findsNanBeforeAnExchange()
{
    const Program program = programOf(R"(
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<f32>) {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %arg0, %0 : tensor<4xf32>, tensor<f32>
}
)");
    const auto parts = partitionProgram(program);
    QVERIFY(parts);
    const auto watched = [&](std::initializer_list<double> numbers, NonFiniteKind kind) {
        NonFiniteWatch watch(parts->device);
        const kernels::Arrays arguments{ line(DType::F32, numbers) };
        watch.setArguments(arguments);
        ExecuteOptions options;
        options.observers = { &watch };
        if (!test::executeParts(*parts, arguments, options))
            qFatal("not executed");
        return watch.first(kind);
    };
    constexpr double inf = std::numeric_limits<double>::infinity();
    // The last device has it: those before it have been seen to receive it.
    const auto given = watched({ 1, 2, 3, std::numeric_limits<double>::quiet_NaN() }, NonFiniteKind::NotANumber);
    QVERIFY(given && !given->produced && !given->operation.valid());
    const auto sum = watched({ inf, 2, 3, -inf }, NonFiniteKind::NotANumber);
    QVERIFY(sum && sum->produced);
    QCOMPARE(parts->device.program.operation(sum->operation).kind, OpKind::AllReduce);
    QCOMPARE(sum->device, std::int64_t{ 0 });
    const auto infinite = watched({ inf, 2, 3, -inf }, NonFiniteKind::Infinity);
    QVERIFY(infinite && !infinite->produced);
}

/// The devices' program with a slip in it: they add up where they should take the larger one.
void TestEvaluate::findsTheFirstDifference()
{
    const Program program = programOf(R"(
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<f32>) -> tensor<4x2xf32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %n = stablehlo.constant dense<3> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %f = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<4x2xf32>
  %0 = stablehlo.multiply %arg0, %f : tensor<4x2xf32>
  %1:2 = stablehlo.while(%i = %c, %x = %0) : tensor<i32>, tensor<4x2xf32>
   cond {
    %2 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  } do {
    %3 = stablehlo.maximum %x, %f : tensor<4x2xf32>
    %4 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %4, %3 : tensor<i32>, tensor<4x2xf32>
  }
  return %1#1 : tensor<4x2xf32>
}
)");
    auto parts = partitionProgram(program);
    QVERIFY(parts);
    RunOptions options;
    options.initial.arrays = { Array::zeros({ DType::F32, { 4, 2 } }), Array::zeros({ DType::F32, {} }) };
    for (std::int64_t i = 0; i < 8; ++i)
        kernels::setNumber(options.initial.arrays[0], i, static_cast<double>(i));
    kernels::setNumber(options.initial.arrays[1], 0, 2);
    const auto check = [&] {
        const auto source = std::make_shared<const Program>(program);
        Result<FlatProgram> flat = flatten(source, std::make_shared<const PartitionedProgram>(*parts), {});
        return checkAgainstReference(std::make_shared<const FlatProgram>(std::move(*flat)), options).value();
    };
    QVERIFY(check().passed());
    int changed = 0;
    for (Operation& operation : parts->device.program.operations)
        if (operation.kind == OpKind::Maximum && ++changed)
            operation.kind = OpKind::Add;
    QCOMPARE(changed, 1);
    const CheckReport wrong = check();
    const ValueCheck* found = wrong.firstDifference();
    QVERIFY(found && !wrong.passed());
    QCOMPARE(program.operation(program.value(found->value).definition).kind, OpKind::While);
    QCOMPARE(found->results, (std::vector<std::size_t>{ 0 }));
    QCOMPARE(found->beyond, std::int64_t{ 8 });
    QCOMPARE(found->worstElement, std::int64_t{ 1 }); // 2 and three times 2
    QCOMPARE(found->worstDevice, 0);
    QCOMPARE(found->ours, 8.0);
    QCOMPARE(found->reference, 2.0);
}

/// The rows that no device has are zero where they come in, and no numbers behind a logarithm and a quotient.
void TestEvaluate::passesOverPadding()
{
    const Program program = programOf(R"(
sdy.mesh @mesh = <["x"=4]>
func.func @main(%arg0: tensor<5x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<5x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<2xf32>, tensor<2x2xf32>) {
  %0 = stablehlo.log %arg0 : tensor<5x2xf32>
  %1 = stablehlo.divide %arg0, %arg0 : tensor<5x2xf32>
  %2 = stablehlo.add %0, %1 : tensor<5x2xf32>
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %3 = stablehlo.reduce(%2 init: %c) applies stablehlo.add across dimensions = [0] : (tensor<5x2xf32>, tensor<f32>) -> tensor<2xf32>
  %4 = stablehlo.dot_general %2, %1, contracting_dims = [0] x [0] : (tensor<5x2xf32>, tensor<5x2xf32>) -> tensor<2x2xf32>
  return %2, %3, %4 : tensor<5x2xf32>, tensor<2xf32>, tensor<2x2xf32>
}
)");
    auto parts = partitionProgram(program);
    QVERIFY(parts);
    Array x = Array::zeros({ DType::F32, { 5, 2 } });
    for (std::int64_t i = 0; i < 10; ++i)
        kernels::setNumber(x, i, static_cast<double>(i + 1));
    NonFiniteWatch watch(parts->device);
    ExecuteOptions options;
    options.observers = { &watch };
    const auto done = test::executeParts(*parts, { x }, options);
    QVERIFY(done);
    QVERIFY(!watch.first(NonFiniteKind::NotANumber));
    QVERIFY(!watch.first(NonFiniteKind::Infinity));
    QVERIFY(done->differences.empty());
    const auto full = test::executeInFull(program, { x });
    QVERIFY(full);
    for (std::size_t r = 0; r < 3; ++r)
        QVERIFY(compareWithReference(done->outputs[r], full->outputs[r]).passed());
    for (const kernels::Arrays& shards : done->shards)
        QCOMPARE(firstNonFinite(shards[0], NonFiniteKind::NotANumber), std::int64_t{ -1 });
    // It was there, or nothing would have been passed over.
    DeviceProgram withoutPadding = parts->device;
    withoutPadding.padding.clear();
    NonFiniteWatch everything(withoutPadding);
    options.observers = { &everything };
    QVERIFY(test::executeParts(*parts, { x }, options));
    QVERIFY(everything.first(NonFiniteKind::NotANumber));
    // A row that is none is found at its place: the logarithm of a negative number in row 4, the first of device 2.
    kernels::setNumber(x, 9, -1);
    NonFiniteWatch found(parts->device);
    options.observers = { &found };
    QVERIFY(test::executeParts(*parts, { x }, options));
    const auto first = found.first(NonFiniteKind::NotANumber);
    QVERIFY(first && first->produced);
    QCOMPARE(first->device, std::int64_t{ 2 });
    QCOMPARE(first->element, std::int64_t{ 1 });
    QCOMPARE(parts->device.program.operation(first->operation).kind, OpKind::Log);
}

void TestEvaluate::drawsArguments()
{
    const Array a = test::drawnArray({ DType::F32, { 100 } }, 5, 0);
    QCOMPARE(numbers(a), numbers(test::drawnArray({ DType::F32, { 10, 10 } }, 5, 0)));
    QVERIFY(numbers(a) != numbers(test::drawnArray({ DType::F32, { 100 } }, 5, 1)));
    QVERIFY(numbers(a) != numbers(test::drawnArray({ DType::F32, { 100 } }, 6, 0)));
    double least = 1, most = -1;
    for (const double number : numbers(a)) {
        least = std::min(least, number);
        most = std::max(most, number);
    }
    QVERIFY(least >= -1 && least < -0.8 && most > 0.8 && most < 1);
    for (const auto& [dtype, largest] : { std::pair(DType::I32, 7), { DType::U64, 7 }, { DType::I4, 7 },
             { DType::I2, 1 }, { DType::U2, 3 }, { DType::Pred, 1 } }) {
        std::set<double> seen;
        for (const double number : numbers(test::drawnArray({ dtype, { 400 } }, 1, 0)))
            seen.insert(number);
        QCOMPARE(seen.size(), static_cast<std::size_t>(largest) + 1);
        QCOMPARE(*seen.rbegin(), static_cast<double>(largest));
        QCOMPARE(*seen.begin(), 0.0);
    }
}

/// What a program does with its arguments says which numbers they may be.
void TestEvaluate::rangesFollowFromUse()
{
    const Program program = programOf(R"(
func.func private @look(%table: tensor<100x8xf32>, %at: tensor<4xi32>) -> tensor<4x8xf32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %n = stablehlo.constant dense<100> : tensor<4xi32>
  %z = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4xi32>
  %low = stablehlo.compare LT, %at, %z : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %up = stablehlo.add %at, %n : tensor<4xi32>
  %place = stablehlo.select %low, %up, %at : tensor<4xi1>, tensor<4xi32>
  %rows = stablehlo.reshape %place : (tensor<4xi32>) -> tensor<4x1xi32>
  %0 = "stablehlo.gather"(%table, %rows) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>, indices_are_sorted = false}> : (tensor<100x8xf32>, tensor<4x1xi32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
func.func @main(%table: tensor<100x8xf32>, %ids: tensor<4xi32>, %w: tensor<3x8x8xf32>, %label: tensor<4xi32>,
                %nu: tensor<8xf32>, %count: tensor<i32>, %plain: tensor<6xi32>, %by: tensor<8xf32>, %b: tensor<4x8xf32>,
                %start: tensor<i32>) -> (tensor<4x8xf32>, tensor<4x12xi1>, tensor<8xf32>, tensor<6xi32>, tensor<8xf32>, tensor<2x8xf32>) {
  %x = call @look(%table, %ids) : (tensor<100x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %l:3 = stablehlo.while(%i = %zero, %h = %x, %ws = %w) : tensor<i32>, tensor<4x8xf32>, tensor<3x8x8xf32>
   cond {
    %go = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %s = stablehlo.dynamic_slice %ws, %i, %zero, %zero, sizes = [1, 8, 8] : (tensor<3x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x8xf32>
    %m = stablehlo.reshape %s : (tensor<1x8x8xf32>) -> tensor<8x8xf32>
    %p = stablehlo.dot_general %h, %m, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %p, %ws : tensor<i32>, tensor<4x8xf32>, tensor<3x8x8xf32>
  }
  %y = stablehlo.add %l#1, %b : tensor<4x8xf32>
  %classes = stablehlo.iota dim = 1 : tensor<4x12xi32>
  %wide = stablehlo.broadcast_in_dim %label, dims = [0] : (tensor<4xi32>) -> tensor<4x12xi32>
  %hot = stablehlo.compare EQ, %wide, %classes : (tensor<4x12xi32>, tensor<4x12xi32>) -> tensor<4x12xi1>
  %beta = stablehlo.constant dense<0.9> : tensor<8xf32>
  %old = stablehlo.multiply %nu, %beta : tensor<8xf32>
  %t = stablehlo.convert %count : (tensor<i32>) -> tensor<f32>
  %ts = stablehlo.broadcast_in_dim %t, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %hat = stablehlo.divide %old, %ts : tensor<8xf32>
  %root = stablehlo.sqrt %hat : tensor<8xf32>
  %over = stablehlo.divide %root, %by : tensor<8xf32>
  %cut = stablehlo.dynamic_slice %y, %start, %zero, sizes = [2, 8] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x8xf32>
  return %y, %hot, %root, %plain, %over, %cut : tensor<4x8xf32>, tensor<4x12xi1>, tensor<8xf32>, tensor<6xi32>, tensor<8xf32>, tensor<2x8xf32>
})");
    QStringList starts;
    for (const ArgumentStart& start : argumentStarts(program, { 0, InitialDefaults::ByUse }))
        starts << QString::fromStdString(toString(start.value));
    QCOMPARE(starts,
        (QStringList{
            QStringLiteral("uniform -1 1"), // the table: its rows are inputs
            QStringLiteral("integers 100"), // rows of the table, in another function
            QStringLiteral("fan_in"), // slices of it are factors, of 8 terms
            QStringLiteral("integers 12"), // classes
            QStringLiteral("non_negative"), // under a root
            QStringLiteral("integers 1 8"), // a divisor
            QStringLiteral("integers 8"), // nothing asked
            QStringLiteral("non_negative"), // a denominator
            QStringLiteral("uniform -1 1"), // added alone
            QStringLiteral("integers 3"), // where two rows of four may begin
        }));
    double largest = 0;
    for (const double number : numbers(InitialArrays(program, { 0, InitialDefaults::ByUse }).array(2)))
        largest = std::max(largest, std::fabs(number));
    QVERIFY(largest <= std::sqrt(3.0 / 8) && largest > 0.9 * std::sqrt(3.0 / 8));
    for (const double number : numbers(InitialArrays(program, { 0, InitialDefaults::ByUse }).array(4)))
        QVERIFY(number >= 1.0 / 16 && number < 1);
    const kernels::Arrays drawn = InitialArrays(program, { 3, InitialDefaults::ByUse }).all();
    double most = 0;
    for (std::uint64_t seed = 0; seed < 50; ++seed)
        for (const double number : numbers(InitialArrays(program, { seed, InitialDefaults::ByUse }).array(1))) {
            QVERIFY(number >= 0 && number < 100);
            most = std::max(most, number);
        }
    QVERIFY(most > 90);
    const auto done = test::executeInFull(program, drawn);
    QVERIFY(done);
    for (const Array& result : done->outputs)
        for (const double number : numbers(result))
            QVERIFY(std::isfinite(number));
}

void TestEvaluate::loopsAreStopped()
{
    // The inner loop has the trips that it is given, five times.
    const Program program = programOf(R"(
func.func @main(%n: tensor<i32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %five = stablehlo.constant dense<5> : tensor<i32>
  %0 = stablehlo.while(%i = %zero) : tensor<i32>
   cond {
    %a = stablehlo.compare LT, %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %a : tensor<i1>
  } do {
    %1 = stablehlo.while(%k = %zero) : tensor<i32>
     cond {
      %a = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %a : tensor<i1>
    } do {
      %b = stablehlo.add %k, %one : tensor<i32>
      stablehlo.return %b : tensor<i32>
    }
    %c = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }
  return %0 : tensor<i32>
})");
    const auto trips = [&](std::int64_t limit, std::int64_t devices) {
        ExecuteOptions options;
        options.maximumTrips = limit;
        return test::executeInFull(
            program, { line(DType::I32, { 20 }).reshaped({ DType::I32, {} }) }, options, { 1, devices });
    };
    for (const std::int64_t devices : { 1, 4 }) { // devices make a trip together
        QVERIFY(trips(105, devices));
        const auto stopped = trips(104, devices);
        QVERIFY(!stopped);
        QCOMPARE(stopped.error().code, Code::NotExecutable);
        QCOMPARE(stopped.error().text("wrong"), std::string("loop_limit"));
        QCOMPARE(stopped.error().number("limit"), std::int64_t{ 104 });
        QCOMPARE(stopped.error().where.line, 11);
    }
    // Loops in manual computations count with those around them.
    const Program manual = programOf(R"(
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %v = %a) : tensor<i32>, tensor<4xf32>
   cond {
    %n = stablehlo.constant dense<5> : tensor<i32>
    %t = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    %m = sdy.manual_computation(%v) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%b: tensor<2xf32>) {
      %none = stablehlo.constant dense<0> : tensor<i32>
      %q:2 = stablehlo.while(%k = %none, %w = %b) : tensor<i32>, tensor<2xf32>
       cond {
        %n = stablehlo.constant dense<20> : tensor<i32>
        %t = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %t : tensor<i1>
      } do {
        %two = stablehlo.constant dense<1> : tensor<i32>
        %l = stablehlo.add %k, %two : tensor<i32>
        %o = stablehlo.negate %w : tensor<2xf32>
        stablehlo.return %l, %o : tensor<i32>, tensor<2xf32>
      }
      sdy.return %q#1 : tensor<2xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %j, %m : tensor<i32>, tensor<4xf32>
  }
  return %r#1 : tensor<4xf32>
})");
    for (const std::int64_t limit : { 105, 104 }) {
        ExecuteOptions options;
        options.maximumTrips = limit;
        const auto done = test::executeInFull(manual, { line(DType::F32, { 1, 2, 3, 4 }) }, options);
        QCOMPARE(done.has_value(), limit == 105);
        if (!done)
            QCOMPARE(done.error().text("wrong"), std::string("loop_limit"));
    }
}

/// A long sum of numbers of both signs in two orders, and what a steep function makes of it.
void TestEvaluate::measuresSensitivity()
{
    const auto text = [](const char* order) {
        return programOf((std::string("func.func @main(%x: tensor<64x64xf32>) -> tensor<f32> {\n"
                                      "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
                                      "  %t = stablehlo.transpose %x, dims = [")
            + order
            + "] : (tensor<64x64xf32>) -> tensor<64x64xf32>\n"
              "  %l = stablehlo.reshape %t : (tensor<64x64xf32>) -> tensor<4096xf32>\n"
              "  %0 = stablehlo.reduce(%l init: %z) applies stablehlo.add across dimensions = [0] : "
              "(tensor<4096xf32>, tensor<f32>) -> tensor<f32>\n"
              "  %k = stablehlo.constant dense<1000.0> : tensor<f32>\n"
              "  %1 = stablehlo.multiply %0, %k : tensor<f32>\n"
              "  %2 = stablehlo.sine %1 : tensor<f32>\n"
              "  return %2 : tensor<f32>\n}\n")
                             .c_str());
    };
    const Program rows = text("0, 1"), columns = text("1, 0");
    int beyondPlain = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const kernels::Arrays arguments{ test::drawnArray({ DType::F32, { 64, 64 } }, seed, 0) };
        const auto result = [&](const Program& program, Observer* noise) {
            ExecuteOptions options;
            if (noise)
                options.observers = { noise };
            auto done = test::executeInFull(program, arguments, options);
            if (!done)
                qFatal("not executed");
            return done->outputs[0];
        };
        RoundingNoise noise(rows), again(rows);
        const Array wanted = result(rows, nullptr), found = result(columns, nullptr), noisy = result(rows, &noise);
        QCOMPARE(numbers(result(rows, &again)), numbers(noisy)); // the same every time
        const double sensitivity = sensitivityOf(wanted, noisy);
        QVERIFY(sensitivity > 0 && sensitivity < 1); // far from everything being right
        beyondPlain += compareWithReference(found, wanted).passed() ? 0 : 1;
        Array wrong = Array::zeros(wanted.type);
        kernels::setNumber(wrong, 0, kernels::numberAt(wanted, 0) + 1);
        QVERIFY(!compareWithReference(wrong, wanted, sensitivity).passed());
        if (!compareWithReference(found, wanted, sensitivity).passed())
            QFAIL("another order of a sum counts as a difference");
    }
    QVERIFY(beyondPlain > 0);
}

REGISTER_TEST(TestEvaluate)
#include "test_evaluate.moc"
