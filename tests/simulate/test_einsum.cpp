// SPDX-License-Identifier: GPL-3.0-or-later
// einsum and unary_einsum of earlier versions of StableHLO: read as what they are made of, against plain loops over all
// labels, in full and on devices.
#include <QtTest>

#include <map>
#include <optional>

#include "partition/partition_program.h"
#include "program/op_row.h"
#include "registered_test.h"
#include "simulate/executed.h"
#include "stablehlo/print.h"
#include "stablehlo/read.h"

using namespace shardscope;
using kernels::Array;

namespace {

const std::map<char, std::int64_t> labelSizes{ { 'b', 2 }, { 'i', 4 }, { 'j', 6 }, { 'k', 8 }, { 'x', 3 } };

std::string labelType(const std::string& labels)
{
    std::string text = "tensor<";
    for (const char label : labels)
        text += std::to_string(labelSizes.at(label)) + 'x';
    return text + "f64>";
}

/// Row-major place of an array's element.
std::int64_t elementPlace(const std::string& labels, const std::map<char, std::int64_t>& index)
{
    std::int64_t place = 0;
    for (const char label : labels)
        place = place * labelSizes.at(label) + index.at(label);
    return place;
}

/// The sum over all labels of the products of elements.
std::vector<double> loopsOver(
    const std::vector<std::string>& operands, const std::string& result, const kernels::Arrays& arrays)
{
    std::map<char, std::int64_t> index;
    for (const std::string& labels : operands)
        for (const char label : labels)
            index[label] = 0;
    std::int64_t count = 1;
    for (const char label : result)
        count *= labelSizes.at(label);
    std::vector<double> out(static_cast<std::size_t>(count));
    while (true) {
        double product = 1;
        for (std::size_t i = 0; i < operands.size(); ++i)
            product *= kernels::numberAt(arrays[i], elementPlace(operands[i], index));
        out[static_cast<std::size_t>(elementPlace(result, index))] += product;
        auto next = index.begin();
        while (next != index.end() && ++next->second == labelSizes.at(next->first))
            (next++)->second = 0;
        if (next == index.end())
            return out;
    }
}

std::vector<double> listOf(const Array& array)
{
    std::vector<double> list;
    for (std::int64_t i = 0; i < array.count(); ++i)
        list.push_back(kernels::numberAt(array, i));
    return list;
}

} // namespace

class TestEinsum : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void ordersOfTheResult_data();
    void ordersOfTheResult();
    void whatItDoesNotMean_data();
    void whatItDoesNotMean();
};

void TestEinsum::ordersOfTheResult_data()
{
    QTest::addColumn<QString>("config");
    QTest::addColumn<int>("operations");
    const auto row = [](const char* config, int operations) {
        QTest::newRow(config) << QString::fromLatin1(config) << operations;
    };
    row("ij,jk->ik", 1);
    row("ij,jk->ki", 2);
    row("bij,bjk->bik", 1);
    row("bij,bjk->kib", 2);
    row("ji,kj->ik", 1);
    row("ijx,jk->ik", 2);
    row("xij,jkb->ki", 4); // a reduce of each, a dot_general, a transpose
    row("i,j->ji", 2);
    row("i,j->ij", 1);
    row("ij,ij->", 1);
    row("ij,ij->ji", 2);
    row("i,xk->", 3);
    row("ij->ij", 1);
    row("ij->ji", 1);
    row("ijk->kj", 2);
    row("ijk->jk", 1);
    row("ij->", 1);
}

void TestEinsum::ordersOfTheResult()
{
    QFETCH(const QString, config);
    QFETCH(const int, operations);
    const std::string text = config.toStdString();
    const std::size_t arrow = text.find("->"), comma = text.find(',');
    const std::string result = text.substr(arrow + 2);
    std::vector<std::string> operands{ text.substr(0, std::min(comma, arrow)) };
    if (comma != std::string::npos)
        operands.push_back(text.substr(comma + 1, arrow - comma - 1));

    // All that has an i is sharded along it, so that sums over i are sums over devices.
    std::string arguments, names, types;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const std::string name = "%arg" + std::to_string(i), type = labelType(operands[i]);
        std::string dims;
        for (const char label : operands[i])
            dims += std::string(dims.empty() ? "" : ", ") + (label == 'i' ? R"({"x"})" : "{}");
        arguments +=
            (i > 0 ? ", " : "") + name + ": " + type + " {sdy.sharding = #sdy.sharding<@mesh, [" + dims + "]>}";
        names += (i > 0 ? ", " : "") + name;
        types += (i > 0 ? ", " : "") + type;
    }
    const std::string op = operands.size() == 2 ? "stablehlo.einsum" : "stablehlo.unary_einsum";
    const std::string program = "sdy.mesh @mesh = <[\"x\"=2]>\nfunc.func @main(" + arguments + ") -> "
        + labelType(result) + " {\n  %0 = \"" + op + "\"(" + names + ") <{einsum_config = \"" + text + "\"}> : ("
        + types + ") -> " + labelType(result) + "\n  %1 = stablehlo.negate %0 : " + labelType(result)
        + "\n  return %1 : " + labelType(result) + "\n}\n";
    const auto read = readStableHlo(program);
    QVERIFY2(read, program.c_str());
    QVERIFY(read->warnings.empty());
    QCOMPARE(read->program.regions[0].operations.size(), static_cast<std::size_t>(operations + 1));
    QVERIFY(verify(read->program).empty());

    kernels::Arrays arrays;
    for (const ValueId argument : read->program.main().arguments) {
        Array& array = arrays.emplace_back(Array::make(read->program.value(argument).type));
        for (std::int64_t i = 0; i < array.count(); ++i) // whole numbers, whose sums are exact
            kernels::setNumber(
                array, i, static_cast<double>((i * 5 + static_cast<std::int64_t>(arrays.size())) % 11 - 4));
    }
    std::vector<double> wanted = loopsOver(operands, result, arrays);
    for (double& number : wanted)
        number = -number;
    const auto full = test::executeInFull(read->program, arrays);
    QVERIFY(full);
    QCOMPARE(listOf(full->outputs[0]), wanted);
    const auto parts = partitionProgram(read->program);
    QVERIFY(parts);
    const auto done = test::executeParts(*parts, arrays);
    QVERIFY(done && done->differences.empty());
    QCOMPARE(listOf(done->outputs[0]), wanted);
    // What is printed is of the present version, and computes the same.
    const auto again = readStableHlo(printStableHlo(read->program));
    QVERIFY(again);
    const auto printed = test::executeInFull(again->program, arrays);
    QVERIFY(printed);
    QCOMPARE(listOf(printed->outputs[0]), wanted);
}

void TestEinsum::whatItDoesNotMean_data()
{
    QTest::addColumn<QString>("config");
    for (const char* config : { "ii,ij->j", "ij,jk->iz", "...j,jk->...k", "ijk,jk->i", "ij->i", "ij,jk" })
        QTest::newRow(config) << QString::fromLatin1(config);
}

/// It is kept as it is, and not executed.
void TestEinsum::whatItDoesNotMean()
{
    QFETCH(const QString, config);
    const std::string program = "func.func @main(%a: tensor<4x4xf64>, %b: tensor<4x4xf64>) -> tensor<4xf64> {\n"
                                "  %0 = \"stablehlo.einsum\"(%a, %b) <{einsum_config = \""
        + config.toStdString()
        + "\"}> : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4xf64>\n  return %0 : tensor<4xf64>\n}\n";
    const auto read = readStableHlo(program);
    QVERIFY(read);
    QCOMPARE(read->program.operations[0].kind, OpKind::Opaque);
    QCOMPARE(qualifiedName(read->program.operations[0]), std::string("stablehlo.einsum"));
}

REGISTER_TEST(TestEinsum)
#include "test_einsum.moc"
