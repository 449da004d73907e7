// SPDX-License-Identifier: GPL-3.0-or-later
// Dimensions that do not divide: what is padded, what is masked, what goes back to axes that divide.
#include <QtTest>

#include <algorithm>
#include <cstring>
#include <map>

#include "partition/partition_program.h"
#include "partition/uneven.h"
#include "program/editor.h"
#include "program/other_attributes.h"
#include "registered_test.h"
#include "stablehlo/print.h"
#include "stablehlo/read.h"

using namespace shardscope;

class TestUneven : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void partsAreOfOneSize();
    void elementwiseNeedsNoMask();
    void sumsReadAMaskedCopy();
    void largestIsMaskedWithTheInitialValue();
    void productsMaskBothSides();
    void fullNumbersMaskOneSide();
    void aMaskIsMadeOnce();
    void zerosNeedNoMask();
    void sumsThatAreCutAreScattered();
    void partsMoveBetweenDimensions();
    void otherPartsGoByTheFull();
    void constantsAreMadeLonger();
    void loopsCarryPadding();
    void writtenCollectivesBecomeReshards();
    void oneElementStaysFull();
    void manualShapesAreTheUsers();
    void factorsThatMayBePadded_data();
    void factorsThatMayBePadded();
};

namespace {

PartitionedProgram partitionedUneven(const std::string& text)
{
    Result<ReadProgram> read = readStableHlo(text);
    if (!read)
        qFatal("not read: %s, line %d", std::string(read.error().id()).c_str(), read.error().where.line);
    Result<PartitionedProgram> parts = partitionProgram(std::move(read->program));
    if (!parts)
        qFatal("not partitioned: %s", std::string(parts.error().id()).c_str());
    return std::move(*parts);
}

/// main over four devices x. In the texts, [x0] stands for the sharding that cuts dimension 0 of two, [x1] dimension 1.
std::string main4(const std::string& arguments, const std::string& results, const std::string& body)
{
    std::string text =
        "sdy.mesh @mesh = <[\"x\"=4]>\nfunc.func @main(" + arguments + ") -> (" + results + ") {\n" + body + "}\n";
    const std::vector<std::pair<std::string, std::string>> marks{
        { "[x0]", "{sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}" },
        { "[x1]", "{sdy.sharding = #sdy.sharding<@mesh, [{}, {\"x\"}]>}" },
        { "[none]", "{sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}" },
        { "[x]", "{sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>}" },
        { "[half]", "{sdy.sharding = #sdy.sharding<@mesh, [{\"x\":(1)2}]>}" },
    };
    for (const auto& [mark, meant] : marks)
        for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark))
            text.replace(at, mark.size(), meant);
    return text;
}

/// How often each kind stands in the bodies of the functions, loops and branches.
std::map<OpKind, int> countsByKind(const Program& program)
{
    std::map<OpKind, int> kinds;
    for (const RegionId body : bodies(program))
        walk(program, body, [&](OperationId id) { ++kinds[program.operation(id).kind]; });
    return kinds;
}

Shape shapeOfArgument(const PartitionedProgram& parts, std::size_t index)
{
    const Program& program = parts.device.program;
    return program.value(program.main().arguments[index]).type.shape;
}
Shape shapeOfResult(const PartitionedProgram& parts, std::size_t index)
{
    const Program& program = parts.device.program;
    return program.value(program.main().results[index]).type.shape;
}

const std::string sum = "  %c = stablehlo.constant dense<0.0> : tensor<f32>\n"
                        "  %s = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [0] : "
                        "(tensor<10x6xf32>, tensor<f32>) -> tensor<6xf32>\n  return %s : tensor<6xf32>\n";

} // namespace

void TestUneven::partsAreOfOneSize()
{
    const PartitionedProgram parts = partitionedUneven(main4("%a: tensor<10x6xf32> [x0]", "tensor<10x6xf32> [x0]",
        "  %0 = stablehlo.exponential %a : tensor<10x6xf32>\n  return %0 : tensor<10x6xf32>\n"));
    QCOMPARE(shapeOfArgument(parts, 0), (Shape{ 3, 6 }));
    QCOMPARE(shapeOfResult(parts, 0), (Shape{ 3, 6 }));
    // What goes in and comes out has no padding.
    QCOMPARE(*parts.device.inputs[0].type.shape, (Shape{ 10, 6 }));
    QCOMPARE(*parts.device.outputs[0].type.shape, (Shape{ 10, 6 }));
    QCOMPARE(shardCount(parts.device.outputs[0].sharding.dims[0]), std::int64_t{ 4 });
    const PaddedShard& part = parts.device.padding.at(parts.device.program.main().results[0]);
    QCOMPARE(part.full, (Shape{ 10, 6 }));
    QCOMPARE(part.padded, (Shape{ 12, 6 }));
    QCOMPARE(extentsAt(part, parts.device.mesh, 0), (Shape{ 3, 6 }));
    QCOMPARE(extentsAt(part, parts.device.mesh, 3), (Shape{ 1, 6 }));
}

void TestUneven::elementwiseNeedsNoMask()
{
    const PartitionedProgram parts = partitionedUneven(main4("%a: tensor<10x6xf32> [x0]", "tensor<6x10xf32> [x1]",
        "  %0 = stablehlo.log %a : tensor<10x6xf32>\n  %1 = stablehlo.transpose %0, dims = [1, 0] : "
        "(tensor<10x6xf32>) -> tensor<6x10xf32>\n  return %1 : tensor<6x10xf32>\n"));
    const auto kinds = countsByKind(parts.device.program);
    QCOMPARE(kinds.size(), std::size_t{ 2 }); // log, transpose
    QCOMPARE(shapeOfResult(parts, 0), (Shape{ 6, 3 }));
}

void TestUneven::sumsReadAMaskedCopy()
{
    const PartitionedProgram parts = partitionedUneven(main4(
        "%a: tensor<10x6xf32> [x0]", "tensor<6xf32>", "  %0 = stablehlo.exponential %a : tensor<10x6xf32>\n" + sum));
    auto kinds = countsByKind(parts.device.program);
    QCOMPARE(kinds[OpKind::Select], 1);
    QCOMPARE(kinds[OpKind::AllReduce], 1);
    // The other dimension is summed up as it is.
    const PartitionedProgram other = partitionedUneven(main4("%a: tensor<6x10xf32> [x1]", "tensor<10xf32>",
        "  %c = stablehlo.constant dense<0.0> : tensor<f32>\n"
        "  %s = stablehlo.reduce(%a init: %c) applies stablehlo.add across dimensions = [0] : "
        "(tensor<6x10xf32>, tensor<f32>) -> tensor<10xf32>\n  return %s : tensor<10xf32>\n"));
    QCOMPARE(countsByKind(other.device.program)[OpKind::Select], 0);
}

void TestUneven::largestIsMaskedWithTheInitialValue()
{
    const PartitionedProgram parts =
        partitionedUneven(main4("%a: tensor<10x6xf32> [x0], %c: tensor<f32>", "tensor<6xf32>",
            "  %s = stablehlo.reduce(%a init: %c) applies stablehlo.maximum across dimensions = [0] : "
            "(tensor<10x6xf32>, tensor<f32>) -> tensor<6xf32>\n  return %s : tensor<6xf32>\n"));
    const Program& program = parts.device.program;
    bool found = false;
    for (const Operation& operation : program.operations)
        if (operation.kind == OpKind::Select) {
            const OperationId fill = program.value(operation.operands[2]).definition;
            QVERIFY(fill.valid());
            QCOMPARE(program.operation(fill).operands[0], program.main().arguments[1]);
            found = true;
        }
    QVERIFY(found);
}

void TestUneven::productsMaskBothSides()
{
    const std::string body =
        "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<6x10xf32>, tensor<10x6xf32>) -> "
        "tensor<6x6xf32>\n  return %0 : tensor<6x6xf32>\n";
    auto kinds = countsByKind(
        partitionedUneven(main4("%a: tensor<6x10xf32> [x1], %b: tensor<10x6xf32> [x0]", "tensor<6x6xf32> [none]", body))
            .device.program);
    QCOMPARE(kinds[OpKind::Select], 2);
    QCOMPARE(kinds[OpKind::AllReduce], 1);
    QCOMPARE(kinds[OpKind::AllGather], 0);
    // Rows that are cut are nobody's sum.
    kinds =
        countsByKind(partitionedUneven(main4("%a: tensor<10x6xf32> [x0], %b: tensor<6x6xf32>", "tensor<10x6xf32> [x0]",
                                           "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : "
                                           "(tensor<10x6xf32>, tensor<6x6xf32>) -> "
                                           "tensor<10x6xf32>\n  return %0 : tensor<10x6xf32>\n"))
                         .device.program);
    QCOMPARE(kinds[OpKind::Select], 0);
}

void TestUneven::fullNumbersMaskOneSide()
{
    auto kinds = countsByKind(partitionedUneven(
        main4("%a: tensor<6x10xi32> [x1], %b: tensor<10x6xi32> [x0]", "tensor<6x6xi32> [none]",
            "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<6x10xi32>, tensor<10x6xi32>) "
            "-> tensor<6x6xi32>\n  return %0 : tensor<6x6xi32>\n"))
                                  .device.program);
    QCOMPARE(kinds[OpKind::Select], 1);
}

void TestUneven::aMaskIsMadeOnce()
{
    const std::string product = " = stablehlo.dot_general %a, %a, contracting_dims = [0] x [0] : (tensor<10x6xf32>, "
                                "tensor<10x6xf32>) -> tensor<6x6xf32>\n";
    auto kinds = countsByKind(partitionedUneven(
        main4("%a: tensor<10x6xf32> [x0]", "tensor<6x6xf32>, tensor<6x6xf32>",
            "  %0" + product
                + "  %n = stablehlo.negate %a : tensor<10x6xf32>\n  %1 = stablehlo.dot_general %a, %n, "
                  "contracting_dims = [0] x [0] : (tensor<10x6xf32>, tensor<10x6xf32>) -> tensor<6x6xf32>\n"
                  "  return %0, %1 : tensor<6x6xf32>, tensor<6x6xf32>\n"))
                                  .device.program);
    QCOMPARE(kinds[OpKind::Select], 2); // of a and of n
}

void TestUneven::zerosNeedNoMask()
{
    // What is padded where it is cut holds zeros.
    auto kinds = countsByKind(
        partitionedUneven(main4("%a: tensor<6x10xf32> [x1], %b: tensor<10x6xf32> [none]", "tensor<6x6xf32> [none]",
                              "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : "
                              "(tensor<6x10xf32>, tensor<10x6xf32>) -> "
                              "tensor<6x6xf32>\n  return %0 : tensor<6x6xf32>\n"))
            .device.program);
    QCOMPARE(kinds[OpKind::Select], 1); // of a
    QCOMPARE(kinds[OpKind::Pad], 1); // of b
}

void TestUneven::sumsThatAreCutAreScattered()
{
    auto kinds = countsByKind(partitionedUneven(
        main4("%a: tensor<10x8xf32> [x1], %b: tensor<8x6xf32> [x0]", "tensor<10x6xf32> [x0]",
            "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<10x8xf32>, tensor<8x6xf32>) "
            "-> tensor<10x6xf32>\n  return %0 : tensor<10x6xf32>\n"))
                                  .device.program);
    QCOMPARE(kinds[OpKind::ReduceScatter], 1);
    QCOMPARE(kinds[OpKind::AllReduce], 0);
}

void TestUneven::partsMoveBetweenDimensions()
{
    const PartitionedProgram parts = partitionedUneven(main4("%a: tensor<10x6xf32> [x0]", "tensor<10x6xf32>",
        "  %0 = sdy.reshard %a <@mesh, [{}, {\"x\"}]> : tensor<10x6xf32>\n  %1 = stablehlo.negate %0 : "
        "tensor<10x6xf32>\n  return %1 : tensor<10x6xf32>\n"));
    auto kinds = countsByKind(parts.device.program);
    QCOMPARE(kinds[OpKind::AllToAll], 1);
    QCOMPARE(kinds[OpKind::AllGather], 0);
    QCOMPARE(shapeOfResult(parts, 0), (Shape{ 10, 2 }));
}

void TestUneven::otherPartsGoByTheFull()
{
    const PartitionedProgram parts = partitionedUneven(main4("%a: tensor<10xf32> [x]", "tensor<10xf32> [half]",
        "  %0 = sdy.reshard %a <@mesh, [{\"x\":(1)2}]> : tensor<10xf32>\n  return %0 : tensor<10xf32>\n"));
    auto kinds = countsByKind(parts.device.program);
    QCOMPARE(kinds[OpKind::AllGather], 1);
    QCOMPARE(kinds[OpKind::Slice], 1);
    QCOMPARE(shapeOfArgument(parts, 0), (Shape{ 3 }));
    QCOMPARE(shapeOfResult(parts, 0), (Shape{ 5 }));
    // Each collective has the cause of the reshard that it is a part of.
    int exchanges = 0;
    for (const RegionId body : bodies(parts.sharded->program))
        walk(parts.sharded->program, body, [&](OperationId id) {
            const OpKind kind = parts.sharded->program.operation(id).kind;
            if (kind != OpKind::SdyAllGather && kind != OpKind::SdyAllSlice)
                return;
            ++exchanges;
            const auto found = std::find_if(parts.sharded->inserted.begin(), parts.sharded->inserted.end(),
                [&](const passes::Inserted& one) { return one.operation == id; });
            QVERIFY(found != parts.sharded->inserted.end());
            QVERIFY(found->reason.kind == Reason::Kind::ConstraintReshard);
        });
    QCOMPARE(exchanges, 2);
}

void TestUneven::constantsAreMadeLonger()
{
    const PartitionedProgram parts = partitionedUneven(main4("%a: tensor<5x2xf32> [x0]", "tensor<5x2xf32> [x0]",
        "  %c = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0], [9.0, 10.0]]> : "
        "tensor<5x2xf32>\n  %0 = stablehlo.add %a, %c : tensor<5x2xf32>\n  return %0 : tensor<5x2xf32>\n"));
    const Program& program = parts.device.program;
    bool found = false;
    for (const Operation& operation : program.operations)
        if (const auto* constant = std::get_if<ConstantAttributes>(&operation.attributes);
            constant && constant->bytes && constant->bytes->size() == 8 * 2 * sizeof(float)) {
            float numbers[16];
            std::memcpy(numbers, constant->bytes->data(), sizeof(numbers));
            for (int i = 0; i < 16; ++i)
                QCOMPARE(numbers[i], i < 10 ? static_cast<float>(i + 1) : 0.0F);
            found = true;
        }
    QVERIFY(found);
}

void TestUneven::loopsCarryPadding()
{
    const std::string t = "tensor<10x6xf32>";
    const PartitionedProgram parts = partitionedUneven(main4("%a: " + t + " [x0]", t + " [x0]",
        "  %i = stablehlo.constant dense<0> : tensor<i32>\n  %r:2 = stablehlo.while(%k = %i, %v = %a) : tensor<i32>, "
            + t
            + "\n  cond {\n    %n = stablehlo.constant dense<3> : tensor<i32>\n    %f = stablehlo.compare LT, %k, "
              "%n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n    stablehlo.return %f : tensor<i1>\n  } do "
              "{\n    %o = stablehlo.constant dense<1> : tensor<i32>\n    %m = stablehlo.add %k, %o : tensor<i32>\n"
              "    %w = stablehlo.tanh %v : "
            + t + "\n    stablehlo.return %m, %w : tensor<i32>, " + t + "\n  }\n  return %r#1 : " + t + "\n"));
    auto kinds = countsByKind(parts.device.program);
    QCOMPARE(kinds[OpKind::While], 1);
    QCOMPARE(kinds[OpKind::AllGather], 0);
    for (const Operation& operation : parts.device.program.operations)
        if (operation.kind == OpKind::Tanh)
            QCOMPARE(*parts.device.program.value(operation.results[0]).type.shape, (Shape{ 3, 6 }));
}

void TestUneven::writtenCollectivesBecomeReshards()
{
    const PartitionedProgram parts = partitionedUneven(main4("%a: tensor<10xf32> [x]", "tensor<10xf32>",
        "  %0 = sdy.all_gather [{\"x\"}] %a out_sharding=<@mesh, [{}]> : tensor<10xf32>\n"
        "  return %0 : tensor<10xf32>\n"));
    auto kinds = countsByKind(parts.device.program);
    QCOMPARE(kinds[OpKind::AllGather], 1);
    QCOMPARE(kinds[OpKind::Slice], 1);
    QCOMPARE(shapeOfResult(parts, 0), (Shape{ 10 }));
}

void TestUneven::oneElementStaysFull()
{
    const PartitionedProgram parts = partitionedUneven(main4("%a: tensor<1x6xf32> [x0]", "tensor<1x6xf32>",
        "  %0 = stablehlo.negate %a : tensor<1x6xf32>\n  return %0 : tensor<1x6xf32>\n"));
    QVERIFY(parts.sharded->trueShapes.empty());
    QCOMPARE(shapeOfArgument(parts, 0), (Shape{ 1, 6 }));
}

void TestUneven::manualShapesAreTheUsers()
{
    // y is free inside, and does not divide the three rows that a device has of the twelve.
    const PartitionedProgram parts = partitionedUneven(
        "sdy.mesh @mesh = <[\"x\"=4, \"y\"=2]>\nfunc.func @main(%a: tensor<12x6xf32> {sdy.sharding = "
        "#sdy.sharding<@mesh, [{\"x\", \"y\"}, {}]>}) -> tensor<12x6xf32> {\n  %0 = sdy.manual_computation(%a) "
        "in_shardings=[<@mesh, [{\"x\", \"y\"}, {}]>] out_shardings=[<@mesh, [{\"x\", \"y\"}, {}]>] "
        "manual_axes={\"x\"} (%b: tensor<3x6xf32>) {\n    %1 = stablehlo.negate %b : tensor<3x6xf32>\n    sdy.return "
        "%1 : tensor<3x6xf32>\n  } : (tensor<12x6xf32>) -> tensor<12x6xf32>\n  return %0 : tensor<12x6xf32>\n}\n");
    for (const Operation& operation : parts.device.program.operations)
        if (operation.kind == OpKind::Negate)
            QCOMPARE(*parts.device.program.value(operation.results[0]).type.shape, (Shape{ 3, 6 }));
}

void TestUneven::factorsThatMayBePadded_data()
{
    QTest::addColumn<QString>("operation");
    QTest::addColumn<QString>("paddable"); // sizes of the factors that may be padded
    const auto row = [](const char* name, const char* operation, const char* paddable) {
        QTest::newRow(name) << QString::fromLatin1(operation) << QString::fromLatin1(paddable);
    };
    row("slice of rows", "stablehlo.slice %a [1:5, 0:7] : (tensor<10x7xf32>) -> tensor<4x7xf32>", "7");
    row("reverse", "stablehlo.reverse %a, dims = [0] : tensor<10x7xf32>", "7");
    row("concatenate",
        "stablehlo.concatenate %a, %a, dim = 0 : (tensor<10x7xf32>, tensor<10x7xf32>) -> tensor<20x7xf32>", "7");
    row("pad",
        "stablehlo.pad %a, %c, low = [0, 1], high = [0, 0], interior = [0, 0] : (tensor<10x7xf32>, tensor<f32>) -> "
        "tensor<10x8xf32>",
        "10");
    row("reshape of columns", "stablehlo.reshape %d : (tensor<10x6xf32>) -> tensor<10x2x3xf32>", "10");
    row("reshape of rows", "stablehlo.reshape %d : (tensor<10x6xf32>) -> tensor<2x5x6xf32>", "6");
    row("reshape of all", "stablehlo.reshape %a : (tensor<10x7xf32>) -> tensor<70xf32>", "");
    row("product",
        "stablehlo.dot_general %a, %a, contracting_dims = [1] x [1] : (tensor<10x7xf32>, tensor<10x7xf32>) -> "
        "tensor<10x10xf32>",
        "10 10 7");
}

void TestUneven::factorsThatMayBePadded()
{
    QFETCH(QString, operation);
    QFETCH(QString, paddable);
    Result<ReadProgram> read =
        readStableHlo("func.func @main(%a: tensor<10x7xf32>, %d: tensor<10x6xf32>, %c: tensor<f32>) {\n  %0 = "
            + operation.toStdString() + "\n  return\n}\n");
    QVERIFY(read);
    const Program& program = read->program;
    const Operation& current = program.operation(program.main().operations[0]);
    const FactorRule rule = factorRule(program, current);
    const std::vector<char> may = paddableFactors(program, current, rule);
    QStringList found;
    for (std::size_t f = 0; f < may.size(); ++f)
        if (may[f])
            found << QString::number(rule.factors[f].size);
    QCOMPARE(found.join(QLatin1Char(' ')), paddable);
}

REGISTER_TEST(TestUneven)
#include "test_uneven.moc"
