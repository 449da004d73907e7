// SPDX-License-Identifier: GPL-3.0-or-later
// Operations on parts of sums (and of greatest and least values): what is let through gives on devices that hold parts
// what the reference gives, and what does not is refused.
#include <QtTest>

#include "base/codes.h"
#include "partition/partition_program.h"
#include "program/verify_shardings.h"
#include "registered_test.h"
#include "simulate/check/compare.h"
#include "simulate/drawn_array.h"
#include "simulate/executed.h"
#include "stablehlo/read.h"

using namespace shardscope;
using kernels::Array;

namespace {

/// x and y come in parts along "a"; z is whole, p are truth values, i an index, n whole numbers in parts. %s is the
/// result; `kind`: how the parts are put together.
std::string programText(const QString& operation, const QString& type, const QString& kind)
{
    const int rank = static_cast<int>(type.count(QLatin1Char('x')));
    QStringList dims;
    for (int d = 0; d < rank; ++d)
        dims.push_back(QStringLiteral("{}"));
    const QString partial = QStringLiteral("unreduced=%1{\"a\"}").arg(kind);
    QString text = QStringLiteral(R"(
sdy.mesh @m = <["a"=3]>
func.func @main(
    %x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{}], PARTIAL>},
    %y: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{}], PARTIAL>},
    %n: tensor<4xi32> {sdy.sharding = #sdy.sharding<@m, [{}], PARTIAL>},
    %z: tensor<4xf32>, %p: tensor<4xi1>, %i: tensor<i32>, %j: tensor<4x1xi32>) ->
    (TYPE {sdy.sharding = #sdy.sharding<@m, [DIMS], PARTIAL>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %s = OPERATION
  return %s : TYPE
}
)");
    QString line = operation;
    line.replace(QStringLiteral("PARTS"),
        QStringLiteral("sdy.sharding = #sdy.sharding_per_value<[<@m, [%1], %2>]>")
            .arg(dims.join(QStringLiteral(", ")), partial));
    text.replace(QStringLiteral("OPERATION"), line);
    text.replace(QStringLiteral("TYPE"), type);
    text.replace(QStringLiteral("DIMS"), dims.join(QStringLiteral(", ")));
    text.replace(QStringLiteral("PARTIAL"), partial);
    return text.toStdString();
}

} // namespace

class TestPartialValues : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void operations_data();
    void operations();
    void fullResultsAreNoParts_data();
    void fullResultsAreNoParts();
    void partsOfArgumentsAddUp_data();
    void partsOfArgumentsAddUp();
    void everyReshardKeepsTheSum_data();
    void everyReshardKeepsTheSum();
};

void TestPartialValues::operations_data()
{
    QTest::addColumn<QString>("operation");
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("kind");
    QTest::addColumn<bool>("fine");
    const auto row = [](const char* name, const char* operation, bool fine, const char* type = "tensor<4xf32>",
                         const char* kind = "") {
        QTest::newRow(name) << QString::fromLatin1(operation) << QString::fromLatin1(type) << QString::fromLatin1(kind)
                            << fine;
    };
    const char* four = "tensor<4xf32>";
    row("add", "stablehlo.add %x, %y {PARTS} : tensor<4xf32>", true);
    row("add whole", "stablehlo.add %x, %z {PARTS} : tensor<4xf32>", false);
    row("add zero", "stablehlo.add %x, %zeros {PARTS} : tensor<4xf32>", true);
    row("subtract", "stablehlo.subtract %x, %y {PARTS} : tensor<4xf32>", true);
    row("negate", "stablehlo.negate %x {PARTS} : tensor<4xf32>", true);
    row("multiply by whole", "stablehlo.multiply %z, %x {PARTS} : tensor<4xf32>", true);
    row("multiply parts", "stablehlo.multiply %x, %x {PARTS} : tensor<4xf32>", false);
    row("divide", "stablehlo.divide %x, %z {PARTS} : tensor<4xf32>", true);
    row("divide integers", "stablehlo.divide %n, %n {PARTS} : tensor<4xi32>", false, "tensor<4xi32>");
    row("abs", "stablehlo.abs %x {PARTS} : tensor<4xf32>", false);
    row("maximum", "stablehlo.maximum %x, %y {PARTS} : tensor<4xf32>", false);
    row("select parts", "stablehlo.select %p, %x, %y {PARTS} : tensor<4xi1>, tensor<4xf32>", true);
    row("select whole", "stablehlo.select %p, %x, %z {PARTS} : tensor<4xi1>, tensor<4xf32>", false);
    row("select zero", "stablehlo.select %p, %zeros, %y {PARTS} : tensor<4xi1>, tensor<4xf32>", true);
    row("convert to integers", "stablehlo.convert %x {PARTS} : (tensor<4xf32>) -> tensor<4xi32>", false,
        "tensor<4xi32>");
    row("convert to truth", "stablehlo.convert %n {PARTS} : (tensor<4xi32>) -> tensor<4xi1>", false, "tensor<4xi1>");
    row("convert to double", "stablehlo.convert %x {PARTS} : (tensor<4xf32>) -> tensor<4xf64>", true, "tensor<4xf64>");
    row("convert to fewer bits", "stablehlo.convert %n {PARTS} : (tensor<4xi32>) -> tensor<4xi8>", true,
        "tensor<4xi8>");
    row("convert to more bits", "stablehlo.convert %n {PARTS} : (tensor<4xi32>) -> tensor<4xi64>", false,
        "tensor<4xi64>");
    row("reverse", "stablehlo.reverse %x, dims = [0] {PARTS} : tensor<4xf32>", true);
    row("slice", "stablehlo.slice %x [1:3] {PARTS} : (tensor<4xf32>) -> tensor<2xf32>", true, "tensor<2xf32>");
    row("broadcast", "stablehlo.broadcast_in_dim %x, dims = [1] {PARTS} : (tensor<4xf32>) -> tensor<3x4xf32>", true,
        "tensor<3x4xf32>");
    row("pad with zero",
        "stablehlo.pad %x, %zero, low = [1], high = [1], interior = [0] {PARTS} : (tensor<4xf32>, "
        "tensor<f32>) -> tensor<6xf32>",
        true, "tensor<6xf32>");
    row("pad with one",
        "stablehlo.pad %x, %one, low = [1], high = [1], interior = [0] {PARTS} : (tensor<4xf32>, "
        "tensor<f32>) -> tensor<6xf32>",
        false, "tensor<6xf32>");
    row("concatenate parts",
        "stablehlo.concatenate %x, %y, dim = 0 {PARTS} : (tensor<4xf32>, tensor<4xf32>) -> "
        "tensor<8xf32>",
        true, "tensor<8xf32>");
    row("concatenate whole",
        "stablehlo.concatenate %x, %z, dim = 0 {PARTS} : (tensor<4xf32>, tensor<4xf32>) -> "
        "tensor<8xf32>",
        false, "tensor<8xf32>");
    row("dynamic slice",
        "stablehlo.dynamic_slice %x, %i, sizes = [2] {PARTS} : (tensor<4xf32>, tensor<i32>) -> "
        "tensor<2xf32>",
        true, "tensor<2xf32>");
    row("update of zeros",
        "stablehlo.dynamic_update_slice %zeros, %x, %i {PARTS} : (tensor<4xf32>, tensor<4xf32>, "
        "tensor<i32>) -> tensor<4xf32>",
        true, four);
    row("update with whole",
        "stablehlo.dynamic_update_slice %x, %z, %i {PARTS} : (tensor<4xf32>, tensor<4xf32>, "
        "tensor<i32>) -> tensor<4xf32>",
        false, four);
    row("sum",
        "stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] {PARTS} : "
        "(tensor<4xf32>, tensor<f32>) -> tensor<f32>",
        true, "tensor<f32>");
    row("sum from one",
        "stablehlo.reduce(%x init: %one) applies stablehlo.add across dimensions = [0] {PARTS} : "
        "(tensor<4xf32>, tensor<f32>) -> tensor<f32>",
        false, "tensor<f32>");
    row("greatest",
        "stablehlo.reduce(%x init: %zero) applies stablehlo.maximum across dimensions = [0] {PARTS} : "
        "(tensor<4xf32>, tensor<f32>) -> tensor<f32>",
        false, "tensor<f32>");
    row("product with whole",
        "stablehlo.dot_general %x, %z, contracting_dims = [0] x [0] {PARTS} : (tensor<4xf32>, "
        "tensor<4xf32>) -> tensor<f32>",
        true, "tensor<f32>");
    row("product of parts",
        "stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] {PARTS} : (tensor<4xf32>, "
        "tensor<4xf32>) -> tensor<f32>",
        false, "tensor<f32>");
    row("scatter of parts", R"("stablehlo.scatter"(%zeros, %j, %x) <{scatter_dimension_numbers =
        #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
        ^bb0(%u: tensor<f32>, %v: tensor<f32>):
          %w = stablehlo.add %u, %v : tensor<f32>
          stablehlo.return %w : tensor<f32>
        }) {PARTS} : (tensor<4xf32>, tensor<4x1xi32>, tensor<4xf32>) -> tensor<4xf32>)",
        true);
    row("scatter of whole", R"("stablehlo.scatter"(%x, %j, %z) <{scatter_dimension_numbers =
        #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
        ^bb0(%u: tensor<f32>, %v: tensor<f32>):
          %w = stablehlo.add %u, %v : tensor<f32>
          stablehlo.return %w : tensor<f32>
        }) {PARTS} : (tensor<4xf32>, tensor<4x1xi32>, tensor<4xf32>) -> tensor<4xf32>)",
        false);
    row("sort", R"("stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
        ^bb0(%u: tensor<f32>, %v: tensor<f32>):
          %w = stablehlo.compare LT, %u, %v : (tensor<f32>, tensor<f32>) -> tensor<i1>
          stablehlo.return %w : tensor<i1>
        }) {PARTS} : (tensor<4xf32>) -> tensor<4xf32>)",
        false);

    row("greatest: maximum with whole", "stablehlo.maximum %x, %z {PARTS} : tensor<4xf32>", true, four, "max");
    row("greatest: negate", "stablehlo.negate %x {PARTS} : tensor<4xf32>", false, four, "max");
    row("greatest: tanh", "stablehlo.tanh %x {PARTS} : tensor<4xf32>", true, four, "max");
    row("greatest: add whole", "stablehlo.add %x, %z {PARTS} : tensor<4xf32>", true, four, "max");
    row("greatest: multiply", "stablehlo.multiply %x, %z {PARTS} : tensor<4xf32>", false, four, "max");
    row("greatest: concatenate whole",
        "stablehlo.concatenate %x, %z, dim = 0 {PARTS} : (tensor<4xf32>, tensor<4xf32>) "
        "-> tensor<8xf32>",
        true, "tensor<8xf32>", "max");
    row("least: minimum", "stablehlo.minimum %x, %y {PARTS} : tensor<4xf32>", true, four, "min");
    row("least: maximum", "stablehlo.maximum %x, %y {PARTS} : tensor<4xf32>", false, four, "min");
}

void TestPartialValues::operations()
{
    QFETCH(QString, operation);
    QFETCH(QString, type);
    QFETCH(QString, kind);
    QFETCH(bool, fine);
    const auto read = readStableHlo(programText(operation, type, kind));
    QVERIFY2(read, read ? "" : read.error().text("wrong").c_str());
    const Program& program = read->program;
    const auto found = verifyUnreduced(program, PartsRule::Computable);
    QCOMPARE(!found.has_value(), fine);
    if (found) {
        QVERIFY(found->code == Code::UnreducedAxes);
        QCOMPARE(found->text("wrong"), std::string("nonlinear"));
        return;
    }
    QVERIFY(verifyShardings(program).empty());
    const auto parts = partitionProgram(program);
    QVERIFY2(parts, parts ? "" : parts.error().text("wrong").c_str());
    kernels::Arrays arguments;
    for (const ShardedArray& input : parts->device.inputs)
        arguments.push_back(test::drawnArray(input.type, 7, arguments.size()));
    const auto full = test::executeInFull(program, arguments);
    const auto done = test::executeParts(*parts, arguments);
    QVERIFY(full && done);
    QVERIFY(done->differences.empty());
    QVERIFY(compareWithReference(done->outputs[0], full->outputs[0]).passed());
}

void TestPartialValues::fullResultsAreNoParts_data()
{
    QTest::addColumn<QString>("operation");
    QTest::addColumn<QString>("type");
    QTest::newRow("product of whole ones") << "stablehlo.multiply %z, %z {PARTS} : tensor<4xf32>"
                                           << "tensor<4xf32>";
    QTest::newRow("constant") << "stablehlo.constant {PARTS} dense<1.0> : tensor<4xf32>"
                              << "tensor<4xf32>";
    QTest::newRow("sum of what is not cut")
        << "stablehlo.reduce(%z init: %zero) applies stablehlo.add across dimensions = [0] {PARTS} : (tensor<4xf32>, "
           "tensor<f32>) -> tensor<f32>"
        << "tensor<f32>";
}

/// Nothing comes in parts and nothing that is cut is summed over: every device has the whole result.
void TestPartialValues::fullResultsAreNoParts()
{
    QFETCH(QString, operation);
    QFETCH(QString, type);
    const auto read = readStableHlo(programText(operation, type, {}));
    QVERIFY2(read, read ? "" : read.error().text("wrong").c_str());
    const auto parts = partitionProgram(read->program);
    QVERIFY(!parts);
    QVERIFY(parts.error().code == Code::UnreducedAxes);
    QCOMPARE(parts.error().text("wrong"), std::string("whole"));
}

void TestPartialValues::partsOfArgumentsAddUp_data()
{
    QTest::addColumn<int>("dtype");
    QTest::addColumn<int>("devices");
    for (const DType dtype :
        { DType::F32, DType::F64, DType::BF16, DType::F16, DType::I32, DType::I8, DType::U8, DType::I64 })
        for (const int devices : { 2, 3, 8, 64 })
            QTest::addRow("type %d, %d devices", static_cast<int>(dtype), devices)
                << static_cast<int>(dtype) << devices;
}

/// In whatever order: the parts have different digits of every number. And they are parts: more than one is not zero.
void TestPartialValues::partsOfArgumentsAddUp()
{
    QFETCH(int, dtype);
    QFETCH(int, devices);
    const auto mesh = std::make_shared<const Mesh>(Mesh::create({ { "a", devices } }).value());
    ShardedArray how;
    how.type = { static_cast<DType>(dtype), { 5, 3 } };
    how.sharding = TensorSharding::fullyReplicated(2);
    how.sharding.unreduced = { fullAxis(*mesh, 0) };
    const Array full = test::drawnArray(how.type, 3, 0);
    const kernels::Arrays shards = shardsOf(full, how, mesh);
    QCOMPARE(shards.size(), static_cast<std::size_t>(devices));
    int busy = 0;
    for (const Array& shard : shards)
        for (std::int64_t i = 0; i < shard.count(); ++i)
            if (kernels::numberAt(shard, i) != 0) {
                ++busy;
                break;
            }
    QVERIFY(busy > 1);
    const auto backwards = [&](std::size_t i) { return shards.size() - 1 - i; };
    for (std::int64_t e = 0; e < full.count(); ++e) {
        Array forth = Array::zeros({ how.type.dtype, { 1 } }), back = forth;
        back = Array::zeros({ how.type.dtype, { 1 } });
        for (std::size_t i = 0; i < shards.size(); ++i) {
            kernels::setNumber(forth, 0, kernels::numberAt(forth, 0) + kernels::numberAt(shards[i], e));
            kernels::setNumber(back, 0, kernels::numberAt(back, 0) + kernels::numberAt(shards[backwards(i)], e));
        }
        QCOMPARE(kernels::numberAt(forth, 0), kernels::numberAt(full, e));
        QCOMPARE(kernels::numberAt(back, 0), kernels::numberAt(full, e));
    }
    const AssembledArray again = assembleShards(shards, how, mesh);
    QVERIFY(!again.differ);
    QVERIFY(compareWithReference(again.full, full).largestError == 0);
}

void TestPartialValues::everyReshardKeepsTheSum_data()
{
    QTest::addColumn<QString>("shape");
    QTest::newRow("even") << QStringLiteral("12x6");
    QTest::newRow("uneven") << QStringLiteral("7x5");
    QTest::newRow("shorter than the mesh") << QStringLiteral("1x4");
}

namespace {

/// Every sharding of a matrix over x=2 and y=3 in full axes: of each axis, nothing, a dimension or the parts of a sum.
QStringList shardingsOfMatrix()
{
    QStringList all;
    for (int x = 0; x < 4; ++x)
        for (int y = 0; y < 4; ++y)
            for (const bool xFirst : { true, false }) {
                if (!xFirst && (x != y || x > 1)) // the order counts within one dimension alone
                    continue;
                QStringList in[4];
                in[x] << QStringLiteral("\"x\"");
                in[y].insert(xFirst ? in[y].size() : 0, QStringLiteral("\"y\""));
                const auto listed = [](const QStringList& axes) { return axes.join(QStringLiteral(", ")); };
                QString text = QStringLiteral("<@m, [{%1}, {%2}]").arg(listed(in[0]), listed(in[1]));
                if (!in[2].isEmpty())
                    text += QStringLiteral(", unreduced={%1}").arg(listed(in[2]));
                all << text + QLatin1Char('>');
            }
    return all;
}

} // namespace

/// From whole and cut to parts of a sum, between parts, and back.
void TestPartialValues::everyReshardKeepsTheSum()
{
    QFETCH(QString, shape);
    const QStringList shardings = shardingsOfMatrix();
    QCOMPARE(shardings.size(), 18);
    int becomesParts = 0;
    for (const QString& from : shardings)
        for (const QString& to : shardings) {
            QString text = QStringLiteral(R"(
sdy.mesh @m = <["x"=2, "y"=3]>
func.func @main(%x: tensor<SHAPExf32> {sdy.sharding = #sdy.shardingFROM}) ->
    (tensor<SHAPExf32> {sdy.sharding = #sdy.shardingTO}) {
  %0 = sdy.reshard %x TO : tensor<SHAPExf32>
  return %0 : tensor<SHAPExf32>
}
)");
            text.replace(QStringLiteral("SHAPE"), shape);
            text.replace(QStringLiteral("FROM"), from);
            text.replace(QStringLiteral("TO"), to);
            const QByteArray which = QStringLiteral("%1 to %2").arg(from, to).toUtf8();
            const auto read = readStableHlo(text.toStdString());
            QVERIFY2(read, which);
            const auto parts = partitionProgram(read->program);
            QVERIFY2(parts, which + ": " + QByteArray(parts ? "" : parts.error().text("wrong").c_str()));
            const kernels::Arrays arguments{ test::drawnArray(parts->device.inputs[0].type, 5, 0) };
            const auto done = test::executeParts(*parts, arguments);
            QVERIFY2(done, which);
            QVERIFY2(done->differences.empty(), which);
            QVERIFY2(compareWithReference(done->outputs[0], arguments[0]).largestError == 0, which);
            becomesParts += to.contains(QStringLiteral("unreduced")) && from != to ? 1 : 0;
        }
    QVERIFY(becomesParts > 80);
}

REGISTER_TEST(TestPartialValues)
#include "test_partial_values.moc"
