// SPDX-License-Identifier: GPL-3.0-or-later
// The interpreter of programs that were read: numbers that are known beforehand, devices in lockstep, refusals.
#include <QtTest>

#include "base/codes.h"
#include "simulate/evaluate/execute.h"
#include "simulate/evaluate/threefry.h"
#include "stablehlo/read.h"

using namespace shardscope;
using evaluate::Array;

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
        evaluate::setNumber(array, i++, value);
    return array;
}

std::vector<double> numbers(const Array& array)
{
    std::vector<double> values;
    for (std::int64_t i = 0; i < array.count(); ++i)
        values.push_back(evaluate::numberAt(array, i));
    return values;
}

/// Result 0 of every device.
std::vector<std::vector<double>> run(
    const Program& program, const std::vector<evaluate::Arrays>& arguments, std::int64_t devices)
{
    evaluate::ExecuteOptions options;
    options.partitions = devices;
    const auto done = evaluate::execute(program, arguments, options);
    if (!done)
        qFatal("%s", done.error().text("wrong").c_str());
    std::vector<std::vector<double>> results;
    for (const evaluate::Arrays& device : done->results)
        results.push_back(numbers(device[0]));
    return results;
}

using Numbers = std::vector<std::vector<double>>;

} // namespace

class TestEvaluate : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void threefryGivesPublishedNumbers();
    void meshCollectivesMoveBlocks();
    void devicesLeaveLoopsOneByOne();
    void collectivesNeedTheWholeGroup();
    void manualComputationsRunOnTheirMesh();
    void floatsRoundAfterEveryOperation();
    void bitsOfNarrowNumbers();
    void outOfRangeStartsMoveInside();
    void refusesBeforehand();
};

/// Known answers of the generator's authors.
void TestEvaluate::threefryGivesPublishedNumbers()
{
    using Words = std::array<std::uint32_t, 2>;
    QCOMPARE(evaluate::threefry({ 0, 0 }, { 0, 0 }), (Words{ 0x6b200159, 0x99ba4efe }));
    QCOMPARE(
        evaluate::threefry({ 0xffffffff, 0xffffffff }, { 0xffffffff, 0xffffffff }), (Words{ 0x1cb996fc, 0xbb002be7 }));
    QCOMPARE(
        evaluate::threefry({ 0x243f6a88, 0x85a308d3 }, { 0x13198a2e, 0x03707344 }), (Words{ 0xc4923a9c, 0x483df7a0 }));
}

/// Device 2 x + y holds the number 2 x + y + 1. Texts of programs have whole shapes; devices have those of their
/// blocks.
void TestEvaluate::meshCollectivesMoveBlocks()
{
    Program program = programOf(R"(
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}) -> tensor<4xf32> {
  %0 = sdy.all_gather [{"y"}] %arg0 out_sharding=<@mesh, [{"x"}]> : tensor<4xf32>
  %1 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, [{"x"}]> : tensor<4xf32>
  %2 = sdy.all_slice [{"y"}] %0 out_sharding=<@mesh, [{"x", "y"}]> : tensor<4xf32>
  %3 = sdy.collective_permute %arg0 out_sharding=<@mesh, [{"y", "x"}]> : tensor<4xf32>
  return %0 : tensor<4xf32>
}
)");
    for (Value& value : program.values)
        value.type.shape = { 1 };
    const auto result = [&](std::size_t operation) { return program.operations[operation].results[0]; };
    program.values[result(0).index].type.shape = program.values[result(1).index].type.shape = { 2 };
    std::vector<evaluate::Arrays> arguments;
    for (const double number : { 1, 2, 3, 4 })
        arguments.push_back({ line(DType::F32, { number }) });
    const auto of = [&](std::size_t operation) {
        program.regions[0].results = { result(operation) };
        return run(program, arguments, 4);
    };
    QCOMPARE(of(0), (Numbers{ { 1, 2 }, { 1, 2 }, { 3, 4 }, { 3, 4 } }));
    QCOMPARE(of(1), (Numbers{ { 4, 6 }, { 4, 6 }, { 4, 6 }, { 4, 6 } }));
    QCOMPARE(of(2), (Numbers{ { 1 }, { 2 }, { 3 }, { 4 } }));
    QCOMPARE(of(3), (Numbers{ { 1 }, { 3 }, { 2 }, { 4 } }));
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

void TestEvaluate::collectivesNeedTheWholeGroup()
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
    evaluate::ExecuteOptions options;
    options.partitions = 2;
    const auto done = evaluate::execute(program, { { line(DType::F32, { 1, 2 }) } }, options);
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
    QCOMPARE(run(program, { { line(DType::F32, { 1, 2, 30, 40 }) } }, 1), (Numbers{ { 31, 42 } }));
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
        QCOMPARE(
            run(programOf(own.c_str()), { { line(dtype, { 256 }), line(dtype, { 1 }) } }, 1), (Numbers{ { sum } }));
    }
}

/// Numbers of less than a byte have a byte each in memory, and still are as wide as their type says.
void TestEvaluate::bitsOfNarrowNumbers()
{
    const auto bitcast = [](const std::string& from, DType dtype, double number, const std::string& to) {
        const std::string text = "func.func @main(%x: " + from + ") -> " + to
            + " {\n  %0 = stablehlo.bitcast_convert %x : (" + from + ") -> " + to + "\n  return %0 : " + to + "\n}\n";
        return run(programOf(text.c_str()), { { line(dtype, { number }) } }, 1);
    };
    QCOMPARE(bitcast("tensor<1xui8>", DType::U8, 0x85, "tensor<1x8xi1>"), (Numbers{ { 1, 0, 1, 0, 0, 0, 0, 1 } }));
    QCOMPARE(bitcast("tensor<1xui8>", DType::U8, 0x52, "tensor<1x2xf4E2M1FN>"), (Numbers{ { 1, 3 } }));
    QCOMPARE(bitcast("tensor<1xf4E2M1FN>", DType::F4E2M1FN, 3, "tensor<1xui4>"), (Numbers{ { 5 } }));
    QCOMPARE(bitcast("tensor<1xi4>", DType::I4, -3, "tensor<1xui4>"), (Numbers{ { 13 } }));
    QCOMPARE(bitcast("tensor<1xui4>", DType::U4, 13, "tensor<1xi4>"), (Numbers{ { -3 } }));
    QCOMPARE(bitcast("tensor<1xi8>", DType::I8, -2, "tensor<1x2xi4>"), (Numbers{ { -2, -1 } }));
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
    QCOMPARE(run(program, { { x, line(DType::I32, { 9 }) } }, 1), (Numbers{ { 3, 4 } }));
    QCOMPARE(run(program, { { x, line(DType::I32, { -9 }) } }, 1), (Numbers{ { 1, 2 } }));
}

void TestEvaluate::refusesBeforehand()
{
    const Program unknown = programOf("func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
                                      "  %0 = stablehlo.custom_call @mystery(%x) : (tensor<2xf32>) -> tensor<2xf32>\n"
                                      "  return %0 : tensor<2xf32>\n}\n");
    const auto refused = evaluate::notExecutable(unknown);
    QCOMPARE(refused.size(), std::size_t{ 1 });
    QCOMPARE(refused[0].text("target"), std::string("mystery"));
    QCOMPARE(refused[0].where.line, 2);

    const Program large = programOf("func.func @main() -> tensor<1000000000x1000000xf32> {\n"
                                    "  %0 = stablehlo.iota dim = 0 : tensor<1000000000x1000000xf32>\n"
                                    "  return %0 : tensor<1000000000x1000000xf32>\n}\n");
    const auto done = evaluate::execute(large, {}, {});
    QVERIFY(!done && done.error().code == Code::OutOfMemory);
    QCOMPARE(done.error().number("bytes"), std::int64_t{ 4'000'000'000'000'000 });

    const Program plain = programOf("func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
                                    "  return %x : tensor<2xf32>\n}\n");
    QVERIFY(evaluate::execute(plain, {}, {}).error().code == Code::CountMismatch);
    QVERIFY(evaluate::execute(plain, { { line(DType::F32, { 1, 2, 3 }) } }, {}).error().code == Code::TypeMismatch);
}

QTEST_APPLESS_MAIN(TestEvaluate)
#include "test_evaluate.moc"
