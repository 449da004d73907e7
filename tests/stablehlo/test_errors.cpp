// SPDX-License-Identifier: GPL-3.0-or-later
// What the reader says of wrong texts: code, line and column.
#include <QtTest>

#include <algorithm>

#include "base/codes.h"
#include "registered_test.h"
#include "stablehlo/reading.h"

using namespace shardscope;

namespace {

struct Wrong {
    const char* name;
    const char* text;
    const char* stated; ///< how the error begins
};

/// A function of one statement; the statement begins at 2:3.
#define BODY(statement) "func.func @main(%a: tensor<8x4xf32>, %s: tensor<f32>) {\n  " statement "\n  return\n}\n"
/// A sharding of %a, over a mesh of x = 2 and y = 4, begins at 2:45.
#define SHARDED(sharding)                                                                                              \
    "sdy.mesh @mesh = <[\"x\"=2, \"y\"=4]>\nfunc.func @main(%a: tensor<8x4xf32> {sdy.sharding = " sharding             \
    "}) {\n  return\n}\n"

const Wrong wrongs[] = {
    { "empty", "", "E197 1:1" },
    { "comments", "// nothing\n\n", "E197 1:1" },
    { "a bracket that nothing opened", "}", "E120 1:1 expected=a module, a function or an alias" },
    { "module without functions", "module {\n}\n", "E197 1:1" },
    { "no program", "hello", "E120 1:1 expected=a function, “func.func” found=“hello”" },
    { "module cut short", "module {\n  func.func @main() {\n    return\n  }\n", "E120 5:1 expected=“}”" },
    { "body cut short", "func.func @main() {\n", "E120 2:1 expected=“}” found=the end of the text" },
    { "behind the module", "module {\nfunc.func @f() {\n return\n}\n}\nfoo", "E120 6:1 expected=the end of the text" },
    { "two modules", "module {\nfunc.func @f() {\n return\n}\n}\nmodule {\n}", "E120 6:1" },
    { "no name", "func.func main() {\n}", "E120 1:11 expected=a name that begins with “@”" },
    { "undefined value", BODY("%0 = stablehlo.add %a, %b : tensor<8x4xf32>"), "E190 2:26 what=value name=%b" },
    { "value of another body", BODY("%0 = \"stablehlo.case\"(%i) ({\n}) : (tensor<i32>) -> tensor<f32>"),
        "E190 2:25 what=value name=%i" },
    { "result that is not there", BODY("%0 = stablehlo.tanh %a#1 : tensor<8x4xf32>"),
        "E190 2:23 what=value name=%a#1" },
    { "defined twice", BODY("%a = stablehlo.tanh %a : tensor<8x4xf32>"), "E191 2:3 what=value name=%a" },
    { "argument twice", "func.func @main(%a: tensor<f32>, %a: tensor<f32>) {\n  return\n}\n", "E191 1:34" },
    { "function twice", "func.func @f() {\n return\n}\nfunc.func @f() {\n return\n}\n",
        "E191 4:11 what=function name=@f" },
    { "mesh twice", "sdy.mesh @m = <[\"x\"=2]>\nsdy.mesh @m = <[\"x\"=2]>\n", "E191 2:10 what=mesh name=@m" },
    { "alias twice", "#a = 1\n#a = 2\n", "E191 2:1 what=alias name=#a" },
    { "undefined alias", BODY("%0 = \"stablehlo.iota\"() {iota_dimension = #d} : () -> tensor<2xf32>"),
        "E190 2:45 what=alias name=#d" },
    { "undefined type", "func.func @main(%a: !t) {\n  return\n}\n", "E190 1:21 what=type name=!t" },
    { "dynamic", "func.func @main(%a: tensor<?x4xf32>) {\n  return\n}\n", "E192 1:28" },
    { "dynamic behind", BODY("%0 = stablehlo.convert %a : (tensor<8x4xf32>) -> tensor<8x?xf32>"), "E192 2:61" },
    { "operand type", BODY("%0 = stablehlo.tanh %a : tensor<8x5xf32>"),
        "E193 2:8 op=stablehlo.tanh index=0 given=tensor<8x5xf32> actual=tensor<8x4xf32>" },
    { "operand type in the generic form", BODY("%0 = \"stablehlo.tanh\"(%s) : (tensor<8x4xf32>) -> tensor<8x4xf32>"),
        "E193 2:8 op=stablehlo.tanh index=0 given=tensor<8x4xf32> actual=tensor<f32>" },
    { "types of operands", BODY("%0 = \"stablehlo.add\"(%a, %a) : (tensor<8x4xf32>) -> tensor<8x4xf32>"),
        "E194 2:8 what=types found=1 wanted=2 of=stablehlo.add" },
    { "too many results", BODY("%0:2 = stablehlo.tanh %a : tensor<8x4xf32>"),
        "E194 2:10 what=types found=1 wanted=2 of=stablehlo.tanh" },
    { "results of the generic form", BODY("%0, %1 = \"stablehlo.tanh\"(%a) : (tensor<8x4xf32>) -> tensor<8x4xf32>"),
        "E194 2:12 what=results found=2 wanted=1 of=stablehlo.tanh" },
    { "returned type", "func.func @f(%a: tensor<f32>) -> tensor<f64> {\n  return %a : tensor<f32>\n}\n",
        "E193 1:11 op=@f result=0 given=tensor<f64> actual=tensor<f32>" },
    { "returned count", "func.func @f(%a: tensor<f32>) -> tensor<f32> {\n  return\n}\n",
        "E194 1:11 what=returned values found=0 wanted=1 of=@f" },
    { "type of return", "func.func @f(%a: tensor<f32>) -> tensor<f32> {\n  return %a : tensor<f64>\n}\n",
        "E193 2:10 op=return index=0" },
    { "attribute missing", BODY("%0 = \"stablehlo.iota\"() : () -> tensor<2xf32>"),
        "E195 2:8 op=stablehlo.iota attribute=dim" },
    { "attribute twice", BODY("%0 = stablehlo.tanh %a {k = 1, j, k = 2} : tensor<8x4xf32>"), "E121 2:37 key=k" },
    { "attribute in both forms", BODY("%0 = stablehlo.iota dim = 0 {iota_dimension = 1} : tensor<8x4xf32>"),
        "E121 2:32 key=iota_dimension" },
    { "attribute of the pretty form twice", BODY("%0 = stablehlo.iota dim = 0 {dim = 1} : tensor<8x4xf32>"),
        "E121 2:32 key=dim" },
    { "attribute twice at an argument", "func.func @main(%a: tensor<f32> {k, j, k}) {\n  return\n}\n",
        "E121 1:40 key=k" },
    { "gather without numbers",
        BODY("%0 = \"stablehlo.gather\"(%a, %a) : (tensor<8x4xf32>, tensor<8x4xf32>) -> "
             "tensor<8x4xf32>"),
        "E195 2:8 op=stablehlo.gather attribute=dimension_numbers" },
    { "mesh without a name", "\"sdy.mesh\"() {mesh = #sdy.mesh<[]>} : () -> ()\n", "E195 1:1 op=sdy.mesh" },
    { "direction", BODY("%0 = stablehlo.compare LESS, %a, %a : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xi1>"),
        "E196 2:26 attribute=comparison_direction value=LESS wanted=one of EQ, NE, LT, LE, GT, GE" },
    { "contraction",
        BODY("%0 = stablehlo.dot_general %a, %a, contracting_dims = [0] : (tensor<8x4xf32>, "
             "tensor<8x4xf32>) -> tensor<4x4xf32>"),
        "E196 2:38 attribute=contracting_dims value=[0]" },
    { "elements, too few", BODY("%0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<3xf32>"),
        "E194 2:42 what=elements found=2 wanted=3 of=tensor<3xf32>" },
    { "elements, another depth", BODY("%0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<1x2xf32>"),
        "E120 2:34 expected=a list, “[”: the type has 2 dimensions found=“1.0”" },
    { "elements, too deep", BODY("%0 = stablehlo.constant dense<[[1.0]]> : tensor<1xf32>"), "E120 2:34" },
    { "elements, none", BODY("%0 = stablehlo.constant dense<> : tensor<1xf32>"),
        "E194 2:33 what=elements found=0 wanted=1" },
    { "a comma too many", BODY("%0 = stablehlo.constant dense<[1, ]> : tensor<1xi32>"),
        "E120 2:37 expected=a whole number found=“]”" },
    { "no number", BODY("%0 = stablehlo.constant dense<x> : tensor<f32>"), "E120 2:33 expected=a number found=“x”" },
    { "a fraction", BODY("%0 = stablehlo.constant dense<1.5> : tensor<i32>"), "E120 2:33 expected=a whole number" },
    { "too large a number", BODY("%0 = stablehlo.constant dense<256> : tensor<i8>"),
        "E125 2:33 key=i8 value=256 min=-128 max=127" },
    { "too small a number", BODY("%0 = stablehlo.constant dense<-1> : tensor<ui8>"), "E125 2:33 key=ui8 value=-1" },
    { "too many bits", BODY("%0 = stablehlo.constant dense<0x1FFFFFFFF> : tensor<f32>"), "E125 2:33" },
    { "hex, odd", BODY("%0 = stablehlo.constant dense<\"0x123\"> : tensor<2xi8>"), "E120 2:33 expected=hexadecimal" },
    { "hex, too short", BODY("%0 = stablehlo.constant dense<\"0x1234\"> : tensor<3xi8>"),
        "E194 2:33 what=bytes found=2 wanted=3" },
    { "hex, not closed", BODY("%0 = stablehlo.constant dense<\"0x12> : tensor<1xi8>"), "E120 2:33 expected=a string" },
    { "resource", BODY("%0 = stablehlo.constant dense_resource<r> : tensor<2xi8>"), "E190 2:42 what=resource name=r" },
    { "mesh", "func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}]>}) {\n  return\n}\n",
        "E190 1:65 what=mesh name=@m" },
    { "axis", SHARDED("#sdy.sharding<@mesh, [{\"z\"}, {}]>"), "E104 2:76 axis=z" },
    { "part of an axis", SHARDED("#sdy.sharding<@mesh, [{\"y\":(0)2}, {}]>"), "E414 2:76 axis=y pre=0 size=2 whole=4" },
    { "priority", SHARDED("#sdy.sharding<@mesh, [{\"y\"}p99999999999, {}]>"), "E417 2:80" },
    { "special axes", SHARDED("#sdy.sharding<@mesh, [{}, {}], partial={}>"), "E120 2:84" },
    { "no mesh", SHARDED("#sdy.sharding<[{}, {}]>"), "E120 2:67 expected=a mesh" },
    { "axes of a mesh", "sdy.mesh @m = <[\"x\"=2, \"x\"=2]>\n", "E114 1:15 axis=x" },
    { "size of an axis", "sdy.mesh @m = <[\"x\"=0]>\n", "E115 1:15" },
    { "devices of a mesh", "sdy.mesh @m = <[\"x\"=2], device_ids=[0, 0]>\n", "E142 1:15" },
    { "devices without axes", "sdy.mesh @m = <[], device_ids=[0, 1]>\n", "E194 1:15" },
    { "shardings of results",
        BODY("%0 = stablehlo.tanh %a {sdy.sharding = #sdy.sharding_per_value<[<mesh<[\"x\"=2]>, "
             "[{}, {}]>, <mesh<[\"x\"=2]>, [{}, {}]>]>} : tensor<8x4xf32>"),
        "E194 2:27 what=shardings found=2 wanted=1 of=stablehlo.tanh" },
    { "jump", BODY("\"cf.br\"()[^bb1] : () -> ()"), "E120 2:12 expected=no jumps" },
    { "second block", "func.func @main() {\n  return\n^bb1:\n  return\n}\n", "E120 3:1 expected=one block" },
    { "results of return", BODY("%0 = return"), "E120 2:8" },
    { "while, types", BODY("stablehlo.while(%k = %a) : tensor<8x4xf32>, tensor<f32> cond {\n} do {\n}"),
        "E194 2:3 what=types found=2 wanted=1 of=stablehlo.while" },
    { "while, no body", BODY("stablehlo.while(%k = %a) : tensor<8x4xf32> cond {\n stablehlo.return\n}"),
        "E120 5:3 expected=“do”" },
    { "reduce, no body",
        BODY("%0 = stablehlo.reduce(%a init: %s) across dimensions = [1] : (tensor<8x4xf32>, "
             "tensor<f32>) -> tensor<8xf32>"),
        "E120 3:3 expected=the body, “reducer(...)”" },
    { "brackets", BODY("%0 = \"x.y\"() {a = [1, (2]} : () -> tensor<f32>"),
        "E120 2:27 expected=the end of the bracket “(” of line 2, column 25 found=“]”" },
    { "string", BODY("%0 = stablehlo.custom_call @a() {a = \"x} : () -> tensor<f32>"), "E120 2:40" },
    { "missing colon", BODY("%0 = stablehlo.tanh %a tensor<8x4xf32>"), "E120 2:26 expected=“:” found=“tensor”" },
    { "type cut short", "func.func @main(%a: tensor<8x", "E120 1:30 expected=" },
    { "value cut short", "func.func @main(%a: tensor<8xf32>) {\n  %0 = stablehlo.negate %",
        "E120 2:26 expected=“}” found=the end of the text" },
    { "type cut short in a body", "func.func @main(%a: tensor<8xf32>) {\n  %0 = stablehlo.negate %a : tens",
        "E120 2:34 expected=“}” found=the end of the text" },
    { "type that nobody knows", "func.func @main(%a: tensor<8xf32>) {\n  %0 = stablehlo.negate %a : tens\n", "E193" },
    { "umlauts before the error", "// äöü\nfunc.func @\"äöü\"() { %", "E120 2:23" },
    { "result of an unknown operation", BODY("%0 = foreign.op %a"),
        "E120 3:3 expected=“:” and the types of the results" },
    { "location", BODY("%0 = stablehlo.tanh %a : tensor<8x4xf32> loc(\"a\", \"b\")"),
        "E120 2:51 expected=“)” at the end of the location" },
};

std::string repeated(const std::string& part, int times)
{
    std::string text;
    for (int i = 0; i < times; ++i)
        text += part;
    return text;
}

} // namespace

class TestErrors : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void wrongTexts_data();
    void wrongTexts();
    void limits();
    void warnings();
    void callsAndShardingsThatDoNotCount();
    void illegalHloShardings_data();
    void illegalHloShardings();
    void hloShardingsOverThePartitions();
    void hloShardingsThatNoMeshSays();
    void meshMadeOfTiles();
    void tuplesOfOneHloSharding();
    void declaredFunctionsTakeNoShardings();
    void allThatIsWrong();
    void everyPrefix();
};

void TestErrors::wrongTexts_data()
{
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < std::size(wrongs); ++i)
        QTest::newRow(wrongs[i].name) << static_cast<int>(i);
}

void TestErrors::wrongTexts()
{
    QFETCH(int, index);
    const Wrong& wrong = wrongs[index];
    const Result<ReadProgram> read = readStableHlo(wrong.text);
    QVERIFY(!read);
    const QString stated = test::shown(read.error());
    QVERIFY2(stated.startsWith(QString::fromUtf8(wrong.stated)), qPrintable(stated));
}

/// Texts that would take much memory, time or stack.
void TestErrors::limits()
{
    const auto stated = [](const std::string& text) {
        const Result<ReadProgram> read = readStableHlo(text);
        return read ? QStringLiteral("read") : test::shown(read.error()).section(QLatin1Char(' '), 0, 0);
    };
    const QString tooLarge = QStringLiteral("E126");
    QCOMPARE(stated(BODY("%0 = stablehlo.constant dense<1> : tensor<99999999999x99999999999xi32>")), tooLarge);
    QCOMPARE(stated("func.func @main(%a: tensor<" + repeated("1x", 100) + "f32>) {\n  return\n}\n"), tooLarge);
    const int deep = 100'000;
    QCOMPARE(stated("func.func @main(%q: tensor<i1>) {\n" + repeated("\"a.b\"() ({ ", deep)), tooLarge);
    QCOMPARE(stated("func.func @main(%q: tensor<i1>) {\n" + repeated("a.b { ", deep)), tooLarge);
    QCOMPARE(stated("func.func @main(%q: " + repeated("(", deep) + ") {\n}\n"), tooLarge);
    QVERIFY(
        stated("func.func @main() attributes {a = " + repeated("[", deep) + repeated("]", deep) + "} {\n  return\n}\n")
        == QStringLiteral("read"));
    // An alias that grows: each is the one before, twice.
    std::string bomb = "#a0 = \"x\"\n";
    for (int i = 1; i < 60; ++i) {
        const std::string before = "#a" + std::to_string(i - 1);
        bomb += "#a" + std::to_string(i) + " = [" + before + ", " + before + "]\n";
    }
    QCOMPARE(stated(bomb + "func.func @main() attributes {a = #a59} {\n  return\n}\n"), tooLarge);
    // The same with locations is no error: they are cut.
    std::string places =
        "func.func @main(%a: tensor<f32>) {\n  %0 = stablehlo.tanh %a : tensor<f32> loc(#l59)\n  return\n}\n"
        "#l0 = loc(\"x\")\n";
    for (int i = 1; i < 60; ++i) {
        const std::string before = "#l" + std::to_string(i - 1);
        places += "#l" + std::to_string(i) + " = loc(fused[" + before + ", " + before + "])\n";
    }
    const Result<ReadProgram> read = readStableHlo(places);
    QVERIFY(read);
    QVERIFY(read->program.sources[1].location.size() < 100'000);
    // Aliases in a circle.
    QCOMPARE(stated("!a = !b\n!b = !a\nfunc.func @main(%x: !a) {\n  return\n}\n"), tooLarge);
    QVERIFY(stated("#a = #b\n#b = #a\nfunc.func @main(%x: tensor<2xf32>) {\n  %0 = \"stablehlo.iota\"() "
                   "{iota_dimension = #a} : () -> tensor<2xf32>\n  return\n}\n")
        != QStringLiteral("read"));
}

void TestErrors::warnings()
{
    const Result<ReadProgram> read =
        readStableHlo("func.func private @declared(tensor<f32>) -> tensor<f32>\n"
                      "func.func @main() -> tensor<2xf32> {\n"
                      "  %0 = stablehlo.constant dense_resource<__elided__> : tensor<2xf32>\n"
                      "  return %0 : tensor<2xf32>\n}\n// -----\nfunc.func @other() {\n  return\n}\n");
    QVERIFY2(read, qPrintable(test::shown(read)));
    QCOMPARE(read->warnings.size(), std::size_t{ 3 });
    QCOMPARE(test::shown(read->warnings[0]), QStringLiteral("W231 1:11 name=@declared"));
    QCOMPARE(test::shown(read->warnings[1]), QStringLiteral("W232 3:41 type=tensor<2xf32>"));
    QCOMPARE(test::shown(read->warnings[2]), QStringLiteral("W233 6:1 count=1"));
}

/// Custom calls of which nothing is known, once per target; XLA's shardings beside Shardy's.
void TestErrors::callsAndShardingsThatDoNotCount()
{
    const auto warned = [](const std::string& text) {
        const Result<ReadProgram> read = readStableHlo(text);
        QStringList stated{ test::shown(read) };
        for (const Diagnostic& warning : read ? read->warnings : std::vector<Diagnostic>())
            stated << test::shown(warning);
        stated.removeAll(QString());
        return stated;
    };
    const std::string mesh = "sdy.mesh @mesh = <[\"x\"=2]>\n";
    const std::string specified =
        "func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>},\n"
        "    %b: tensor<8x4xf32> {mhlo.sharding = \"{devices=[1,2]<=[2]}\"}) -> tensor<8x4xf32> {\n"
        "  %0 = stablehlo.custom_call @Sharding(%a) {mhlo.sharding = \"{devices=[2,1]<=[2]}\"} : "
        "(tensor<8x4xf32>) -> tensor<8x4xf32>\n"
        "  %1 = stablehlo.custom_call @Foo(%0) : (tensor<8x4xf32>) -> tensor<8x4xf32>\n"
        "  %2 = stablehlo.custom_call @Foo(%1) : (tensor<8x4xf32>) -> tensor<8x4xf32>\n"
        "  stablehlo.custom_call @xla.sdy.ShardingGroup(%2) : (tensor<8x4xf32>) -> ()\n"
        "  %3 = stablehlo.custom_call @MoveToHost(%2) : (tensor<8x4xf32>) -> tensor<8x4xf32>\n"
        "  %4 = stablehlo.custom_call @Bar(%3) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->"
        "([i, j]) {i=8, j=4}, custom>} : (tensor<8x4xf32>) -> tensor<8x4xf32>\n"
        "  return %4 : tensor<8x4xf32>\n}\n";
    QCOMPARE(warned(mesh + specified),
        QStringList({ QStringLiteral("W235 3:26 op=func.func attribute=mhlo.sharding"),
            QStringLiteral("W235 4:45 op=stablehlo.custom_call attribute=mhlo.sharding"),
            QStringLiteral("W234 5:8 target=Foo") }));
    // By themselves they count, over the mesh that there is.
    std::string alone = specified;
    alone.erase(alone.find(" {sdy.sharding = #sdy.sharding<@mesh"),
        std::string(" {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}").size());
    const Result<ReadProgram> read = readStableHlo(mesh + alone);
    QVERIFY2(read, qPrintable(test::shown(read)));
    QVERIFY(read->program.shardingOf(read->program.main().arguments[1]));
    QVERIFY(read->program.shardingOf(read->program.operations[0].results[0]));
    QCOMPARE(warned(mesh + alone), QStringList(QStringLiteral("W234 5:8 target=Foo")));
    // No mesh has as many devices: nothing can say the same.
    QCOMPARE(warned("sdy.mesh @mesh = <[\"x\"=4]>\n" + alone).size(), 3);
}

/// XLA's shardings that cannot be read or do not fit, each at its place, of arguments, results and operations.
void TestErrors::illegalHloShardings_data()
{
    QTest::addColumn<QString>("argument");
    QTest::addColumn<QString>("result");
    QTest::addColumn<QString>("operation");
    QTest::addColumn<QString>("expected");
    const QString good = QStringLiteral("{devices=[2,1]<=[2]}"), none;
    QTest::newRow("legal") << good << good << good << none;
    QTest::newRow("words") << "garbage" << good << good << "E120 2:55 expected='{' found=garbage";
    QTest::newRow("nothing") << "" << good << good << "E120 2:55 expected='{' found=end of text";
    QTest::newRow("inside") << good << good << "{devices=[2,1]<=[x]}"
                            << "E120 3:61 expected=a whole number found=x";
    QTest::newRow("another rank") << "{devices=[4]<=[4]}" << good << good
                                  << "E401 2:55 sharding_rank=1 rank=2|E406 2:115 tiles=2 devices=4|E406 3:44 tiles=2 "
                                     "devices=4";
    QTest::newRow("a device twice") << good << "{devices=[2,1]1,1}" << good << "E409 2:117 device=1";
    QTest::newRow("too few devices") << good << good << "{devices=[4,1]0,1}"
                                     << "E405 3:53 tiles=4 devices=2";
    QTest::newRow("fewer than there are") << "{devices=[2,2]<=[4]}"
                                          << "{devices=[2,2]<=[4]}" << good << "E406 3:44 tiles=2 devices=4";
    QTest::newRow("a device that is not there") << good << good << "{maximal device=2}"
                                                << "E408 3:44 device=2 devices=2";
    QTest::newRow("the only device") << "{devices=[1,1]<=[1]}"
                                     << "{replicated}"
                                     << "{maximal device=0}" << none;
    QTest::newRow("escapes") << "{devices=[2,1]\\20<=[x]}" << good << good
                             << "E120 2:55 expected=a whole number found=x";
    QTest::newRow("all of them") << "a"
                                 << "b"
                                 << "c"
                                 << "E120 2:55 expected='{' found=a|E120 2:98 expected='{' found=b|E120 3:44 "
                                    "expected='{' found=c";
}

void TestErrors::illegalHloShardings()
{
    QFETCH(QString, argument);
    QFETCH(QString, result);
    QFETCH(QString, operation);
    QFETCH(QString, expected);
    const std::string text = QStringLiteral("module @m attributes {mhlo.num_replicas = 1 : i32} {\n"
                                            "func.func @main(%a: tensor<8x4xf32> {mhlo.sharding = \"%1\"}) -> "
                                            "(tensor<8x4xf32> {mhlo.sharding = \"%2\"}) {\n"
                                            "  %r = stablehlo.tanh %a {mhlo.sharding = \"%3\"} : tensor<8x4xf32>\n"
                                            "  return %r : tensor<8x4xf32>\n}\n}\n")
                                 .arg(argument, result, operation)
                                 .toStdString();
    std::vector<Diagnostic> findings;
    const Result<ReadProgram> read = readStableHlo(text, { .keepIllegalShardings = true, .findings = &findings });
    QVERIFY2(read, qPrintable(test::shown(read)));
    QStringList stated;
    for (const Diagnostic& finding : findings)
        stated << test::shown(finding);
    QCOMPARE(stated.join(QLatin1Char('|')), expected);
    // Where not all of it is asked for, the first is the error.
    const Result<ReadProgram> strict = readStableHlo(text);
    QCOMPARE(strict.has_value(), expected.isEmpty());
    if (!strict)
        QCOMPARE(test::shown(strict), expected.section(QLatin1Char('|'), 0, 0));
}

/// The module says over how many devices its shardings are to be.
void TestErrors::hloShardingsOverThePartitions()
{
    const auto read = [](const char* partitions) {
        return readStableHlo(std::string("module @m attributes {mhlo.num_partitions = ") + partitions
            + " : i32} {\nfunc.func @main(%a: tensor<8x4xf32> {mhlo.sharding = \"{devices=[2,1]<=[2]}\"}) -> "
              "(tensor<8x4xf32> {mhlo.sharding = \"{devices=[1,2]<=[2]}\"}) {\n"
              "  return %a : tensor<8x4xf32>\n}\n}\n");
    };
    QCOMPARE(test::shown(read("4")), QStringLiteral("E406 2:55 tiles=2 devices=4"));
    const Result<ReadProgram> legal = read("2");
    QVERIFY2(legal, qPrintable(test::shown(legal)));
    // Those of results count as those of arguments do.
    const Program& program = legal->program;
    const ProgramSharding* argument = program.shardingOf(program.main().arguments[0]);
    QVERIFY(argument && argument->sharding.dims[0].axes.size() == 1);
    QCOMPARE(program.functions[0].resultShardings.size(), std::size_t{ 1 });
    QCOMPARE(
        program.shardings[program.functions[0].resultShardings[0] - 1].sharding.dims[1].axes.size(), std::size_t{ 1 });
    QVERIFY(read("1"));
}

/// The mesh that is made where a text has none: the axes that its tiles divide the devices along, in whatever order the
/// tiles take them.
void TestErrors::meshMadeOfTiles()
{
    const auto sizes = [](const std::string& a, const std::string& b, int devices) {
        const Result<ReadProgram> read = readStableHlo("module @m attributes {mhlo.num_partitions = "
            + std::to_string(devices) + " : i32} {\nfunc.func @main(%a: tensor<24x24xf32> {mhlo.sharding = \"" + a
            + "\"}) -> (tensor<24x24xf32> {mhlo.sharding = \"" + b + "\"}) {\n  return %a : tensor<24x24xf32>\n}\n}\n");
        QStringList axes;
        if (!read || !read->warnings.empty() || read->program.meshes.size() != 1)
            return QStringLiteral("not read: ") + test::shown(read);
        for (const MeshAxis& axis : read->program.meshes[0].mesh->axes())
            axes << QString::number(axis.size);
        return axes.join(QLatin1Char(' '));
    };
    const std::string rows = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}";
    QCOMPARE(sizes(rows, "{replicated}", 8), QStringLiteral("2 4"));
    // Of a mesh of 2 x 4 the minor axis alone, both in the other order, and the same as a list.
    QCOMPARE(sizes("{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}", "{replicated}", 8), QStringLiteral("2 4"));
    QCOMPARE(sizes("{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}", rows, 8), QStringLiteral("2 4"));
    QCOMPARE(sizes("{devices=[4,2]<=[2,4]T(1,0)}", rows, 8), QStringLiteral("2 4"));
    QCOMPARE(sizes("{devices=[4,2]0,4,1,5,2,6,3,7}", rows, 8), QStringLiteral("2 4"));
    QCOMPARE(sizes("{devices=[8,1]<=[2,4]T(1,0)}", "{replicated}", 8), QStringLiteral("2 4"));
    // Tiles that end within an axis of the other sharding.
    QCOMPARE(sizes("{devices=[2,2,2]<=[2,4]T(1,0) last_tile_dim_replicate}", rows, 8), QStringLiteral("2 2 2"));
    QCOMPARE(sizes("{devices=[4,2]<=[8]}", rows, 8), QStringLiteral("2 2 2"));
    // 2 of 12 and 3 of 12 are no axes of one mesh.
    QCOMPARE(
        sizes("{devices=[2,1,6]<=[12] last_tile_dim_replicate}", "{devices=[3,1,4]<=[12] last_tile_dim_replicate}", 12),
        QStringLiteral("12"));
}

/// XLA's shardings that no mesh says are warned of, with a mesh that is made for them, with one of the program that
/// does not fit, and with none.
void TestErrors::hloShardingsThatNoMeshSays()
{
    const auto warnings = [](const char* before, const char* partitions, const char* sharding) {
        const Result<ReadProgram> read = readStableHlo(std::string("module @m attributes {mhlo.num_partitions = ")
            + partitions + "} {\n" + before + "func.func @main(%a: tensor<8xf32> {mhlo.sharding = \"" + sharding
            + "\"}) -> tensor<8xf32> {\n  return %a : tensor<8xf32>\n}\n}\n");
        if (!read)
            return test::shown(read);
        QStringList stated;
        for (const Diagnostic& warning : read->warnings)
            stated << test::shown(warning);
        return stated.join(QLatin1Char('|'));
    };
    const char* smaller = "sdy.mesh @mesh = <[\"x\"=2]>\n";
    for (const char* sharding : { "{maximal device=1}", "{maximal device=0}", "{manual}",
             "{devices=[4]<=[4] last_tile_dims={manual}}", "{mesh['a'=4]}" })
        for (const char* before : { "", smaller })
            QVERIFY2(warnings(before, "4 : i32", sharding)
                         .endsWith(QStringLiteral(" op=func.func attribute=mhlo.sharding sharding=")
                             + QLatin1String(sharding)),
                sharding);
    QCOMPARE(warnings("", "1 : i32", "{maximal device=7}"),
        QStringLiteral("W235 2:36 op=func.func attribute=mhlo.sharding sharding={maximal device=7}"));
    QCOMPARE(warnings("", "100000000 : i32", "{maximal device=3}"), // too many for a mesh
        QStringLiteral("W235 2:36 op=func.func attribute=mhlo.sharding sharding={maximal device=3}"));
    for (const char* sharding : { "{replicated}", "{unknown}" })
        for (const char* partitions : { "1 : i32", "4", "100000000 : i64" })
            QCOMPARE(warnings("", partitions, sharding), QString());
    QCOMPARE(warnings("", "4 : i32", "{devices=[4]<=[4]}"), QString());
    for (const char* partitions : { "0 : i32", "-5 : i32", "4abc", "\"x\"", "99999999999999999999 : i64" })
        QVERIFY2(warnings("", partitions, "{replicated}").startsWith(QStringLiteral("E196 1:23")), partitions);
}

/// A tuple of one sharding is that of one result.
void TestErrors::tuplesOfOneHloSharding()
{
    for (const bool isTuple : { true, false }) {
        const std::string sharding = isTuple ? "{{devices=[1,2]<=[2]}}" : "{devices=[1,2]<=[2]}";
        const Result<ReadProgram> read =
            readStableHlo("func.func @main(%a: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {\n"
                          "  %0:2 = stablehlo.optimization_barrier %a, %a {mhlo.sharding = \""
                + sharding
                + "\"} : tensor<8x4xf32>, tensor<8x4xf32>\n  return %0#0, %0#1 : tensor<8x4xf32>, "
                  "tensor<8x4xf32>\n}\n");
        QVERIFY2(read, qPrintable(test::shown(read)));
        QCOMPARE(read->warnings.size(), std::size_t{ isTuple ? 1U : 0U });
        if (isTuple)
            QCOMPARE(test::shown(read->warnings[0]).section(QLatin1Char(' '), 2),
                QStringLiteral("op=stablehlo.optimization_barrier attribute=mhlo.sharding found=1 expected=2"));
        QCOMPARE(read->program.shardingOf(read->program.operations[0].results[1]) != nullptr, !isTuple);
    }
}

/// A function without a body takes none of the others' shardings away.
void TestErrors::declaredFunctionsTakeNoShardings()
{
    const Result<ReadProgram> read =
        readStableHlo("func.func @main(%a: tensor<8xf32>) -> (tensor<8xf32> {mhlo.sharding = "
                      "\"{devices=[2]<=[2]}\"}) {\n  return %a : tensor<8xf32>\n}\n"
                      "func.func private @f(tensor<8xf32>) -> tensor<8xf32>\n");
    QVERIFY2(read, qPrintable(test::shown(read)));
    QCOMPARE(read->program.functions[0].resultShardings.size(), std::size_t{ 1 });
}

/// Reading goes on behind what is wrong with the meaning, where all of it is asked for.
void TestErrors::allThatIsWrong()
{
    const std::string text = "func.func @main(%a: tensor<8x4xf32>, %a: tensor<8xf32>) -> tensor<8x4xf32> {\n"
                             "  %0 = stablehlo.add %a, %a : tensor<8x8xf32>\n"
                             "  %1 = stablehlo.tanh %none : tensor<8x4xf32>\n"
                             "  %2 = stablehlo.tanh %none : tensor<8x4xf32>\n"
                             "  %3 = \"stablehlo.transpose\"(%a) : (tensor<8x4xf32>) -> tensor<4x8xf32>\n"
                             "  %4 = stablehlo.add %1, %2 : tensor<8x4xf32>\n"
                             "  return %3 : tensor<8x4xf32>\n}\n";
    QVERIFY(!readStableHlo(text));
    std::vector<Diagnostic> findings;
    const Result<ReadProgram> read = readStableHlo(text, { .keepIllegalShardings = true, .findings = &findings });
    QVERIFY2(read, qPrintable(test::shown(read)));
    QStringList stated;
    for (const Diagnostic& finding : findings)
        stated << test::shown(finding).section(QLatin1Char(' '), 0, 1);
    QCOMPARE(
        stated.join(QLatin1Char('|')), QStringLiteral("E191 1:38|E193 2:8|E190 3:23|E195 5:8|E193 7:10|E193 1:11"));
    QVERIFY(verify(read->program).empty()); // the rest of it
    // A slip in the one type of an operation is one finding.
    findings.clear();
    (void)readStableHlo("func.func @main(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {\n"
                        "  %0 = stablehlo.add %a, %a : tensor<8x4xf32>\n"
                        "  return %0 : tensor<8x8xf32>\n}\n",
        { .keepIllegalShardings = true, .findings = &findings });
    QCOMPARE(findings.size(), std::size_t{ 1 });
    QCOMPARE(findings.front().where.line, 2);
    // Faulty operations are no others: nothing that is derived from their attributes is asked of them.
    QCOMPARE(read->program.operations[0].kind, OpKind::Opaque);
    QCOMPARE(read->program.operations[4].kind, OpKind::Add);
    // Nor is anything asked of those of which only the number of operands is known.
    findings.clear();
    const Result<ReadProgram> reshaped = readStableHlo("func.func @main(%a: tensor<6xf32>) -> tensor<6xf32> {\n"
                                                       "  %0 = stablehlo.dynamic_reshape %a, %none : (tensor<6xf32>, "
                                                       "tensor<1xi64>) -> tensor<6xf32>\n"
                                                       "  return %0 : tensor<6xf32>\n}\n",
        { .findings = &findings });
    QVERIFY2(reshaped, qPrintable(test::shown(reshaped)));
    QCOMPARE(findings.size(), std::size_t{ 1 });
    QVERIFY(verify(reshaped->program).empty());
    // Many are cut off, by the first that is one too many.
    std::string many = "func.func @main(%a: tensor<4xf32>) {\n";
    for (std::size_t i = 0; i < 2 * maximumFindings; ++i)
        many += "  \"stablehlo.tanh\"(%none" + std::to_string(i) + ") : (tensor<4xf32>) -> tensor<4xf32>\n";
    findings.clear();
    QVERIFY(!readStableHlo(many + "  return\n}\n", { .findings = &findings }));
    QCOMPARE(findings.size(), maximumFindings);
    // Syntax ends reading, and what was found before stays.
    findings.clear();
    QVERIFY(!readStableHlo("func.func @main(%a: tensor<4xf32>) {\n  %0 = stablehlo.tanh %b : tensor<4xf32>\n  ?\n}\n",
        { .findings = &findings }));
    QCOMPARE(findings.size(), std::size_t{ 1 });
}

/// A text that is cut anywhere is refused with a place in it, or read.
void TestErrors::everyPrefix()
{
    const std::string text =
        "#loc1 = loc(\"x\")\nmodule @m attributes {a.b = [1, \"}\"]} {\n  sdy.mesh @mesh = <[\"x\"=2]>\n"
        "  func.func public @main(%arg0: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\", ?}, {}p1]>} "
        "loc(#loc1)) -> (tensor<2xf32> {jax.result_info = \"\"}) {\n"
        "    %cst = stablehlo.constant dense<0.0> : tensor<f32>\n"
        "    %0:2 = stablehlo.while(%i = %arg0, %j = %cst) : tensor<4x2xf32>, tensor<f32>\n     cond {\n"
        "      %c = stablehlo.constant dense<true> : tensor<i1>\n      stablehlo.return %c : tensor<i1>\n    } do {\n"
        "      stablehlo.return %i, %j : tensor<4x2xf32>, tensor<f32>\n    }\n"
        "    %1 = stablehlo.reduce(%0#0 init: %cst) applies stablehlo.add across dimensions = [0] : "
        "(tensor<4x2xf32>, tensor<f32>) -> tensor<2xf32> loc(#loc)\n"
        "    return %1 : tensor<2xf32>\n  }\n}\n#loc = loc(unknown)\n";
    QVERIFY(readStableHlo(text));
    const auto lines = std::count(text.begin(), text.end(), '\n') + 1;
    for (std::size_t end = 0; end < text.size(); ++end) {
        const Result<ReadProgram> read = readStableHlo(std::string_view(text).substr(0, end));
        if (read)
            continue;
        QVERIFY2(read.error().where.line >= 1 && read.error().where.line <= lines && read.error().where.column >= 1,
            qPrintable(test::shown(read)));
    }
}

REGISTER_TEST(TestErrors)
#include "test_errors.moc"
