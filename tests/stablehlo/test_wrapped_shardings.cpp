// SPDX-License-Identifier: GPL-3.0-or-later
// Meshes, shardings and rules in the strings of mhlo.frontend_attributes.
#include <QtTest>

#include "base/codes.h"
#include "program/other_attributes.h"
#include "registered_test.h"
#include "stablehlo/reading.h"

using namespace shardscope;

namespace {

const std::string meshes =
    R"(xla.sdy.meshes = "{mesh = #sdy.mesh<[\22a\22=2, \22b\22=4]>, one = <[], device_ids=[3]>}")";

/// A module whose main has one argument and returns what `body` calls %r.
std::string module(const std::string& module, const std::string& argument, const std::string& body)
{
    return "module attributes {mhlo.frontend_attributes = {" + module + "}} {\n  func.func @main(%x: tensor<8x4xf32>"
        + (argument.empty() ? "" : " {mhlo.frontend_attributes = {" + argument + "}}") + ") -> tensor<8x4xf32> {\n    "
        + body + "\n    return %r : tensor<8x4xf32>\n  }\n}\n";
}

std::string call(const std::string& target, const std::string& attributes)
{
    return "%r = stablehlo.custom_call @" + target + "(%x) {mhlo.frontend_attributes = {" + attributes
        + "}} : (tensor<8x4xf32>) -> tensor<8x4xf32>";
}

const std::string plain = "%r = stablehlo.tanh %x : tensor<8x4xf32>";

} // namespace

class TestWrappedShardings : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void areWhatTheySay();
    void otherEntriesAreKept();
    void declaredOnesCountMore();
    void meshesMayComeLast();
    void onlyKnownCallsHaveShardings();
    void rulesOfCalls();
    void errors_data();
    void errors();
    void locationsOverSeveralLines();
    void locationsThatManyShare();
};

/// As if they stood in sdy.mesh and sdy.sharding.
void TestWrappedShardings::areWhatTheySay()
{
    const std::string sharding = R"("#sdy.sharding_per_value<[<@mesh, [{?}, {\22a\22, \22b\22:(2)2}]>]>")";
    const auto wrapped = readStableHlo(module(meshes, R"(xla.sdy.sharding = "#sdy.sharding<@mesh, [{\22b\22}, {}]>")",
        call("Sharding", "xla.sdy.sharding = " + sharding)));
    QVERIFY2(wrapped, qPrintable(test::shown(wrapped)));
    const auto direct = readStableHlo(R"(module {
  sdy.mesh @mesh = <["a"=2, "b"=4]>
  sdy.mesh @one = <[], device_ids=[3]>
  func.func @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}) -> tensor<8x4xf32> {
    %r = stablehlo.custom_call @Sharding(%x) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"a", "b":(2)2}]>]>} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return %r : tensor<8x4xf32>
  }
})");
    QVERIFY2(direct, qPrintable(test::shown(direct)));
    QCOMPARE(difference(wrapped->program, direct->program), std::string());
    // Escaped twice, as a string in a string is.
    std::string twice = module(meshes, "", call("Sharding", "xla.sdy.sharding = " + sharding));
    for (std::size_t at = twice.find("\\22"); at != std::string::npos; at = twice.find("\\22", at + 7))
        twice.replace(at, 3, "\\5C\\22");
    const auto again = readStableHlo(twice);
    QVERIFY2(again, qPrintable(test::shown(again)));
    QCOMPARE(again->program.shardings.size(), std::size_t{ 1 });
    QVERIFY(again->program.shardings[0] == direct->program.shardings[1]);
}

void TestWrappedShardings::otherEntriesAreKept()
{
    const auto read = readStableHlo(module(meshes + ", num_devices = \"8\"",
        R"("odd name" = "x", xla.sdy.sharding = "#sdy.sharding<@mesh, [{\22a\22}, {}]>", flag)",
        call("Sharding", "_xla_buffer_placement = \"pinned_host\"")));
    QVERIFY2(read, qPrintable(test::shown(read)));
    const Program& program = read->program;
    const auto kept = [&](std::uint32_t extra) { return program.dictionaries[extra].at(0).text; };
    QCOMPARE(kept(program.extra), std::string("{num_devices = \"8\"}"));
    QCOMPARE(kept(program.functions[0].argumentExtras.at(0)), std::string("{\"odd name\" = \"x\", flag}"));
    QCOMPARE(kept(program.operations[0].extra), std::string("{_xla_buffer_placement = \"pinned_host\"}"));
    QVERIFY2(test::wayRound(program).isEmpty(), qPrintable(test::wayRound(program)));
}

void TestWrappedShardings::declaredOnesCountMore()
{
    std::string text = module(meshes, R"(xla.sdy.sharding = "#sdy.sharding<@mesh, [{\22a\22}, {}]>")", plain);
    text.replace(text.find("  func.func"), 0, "  sdy.mesh @mesh = <[\"a\"=8]>\n");
    text.replace(text.find("{mhlo.frontend_attributes = {xla.sdy.sharding"), 1,
        "{sdy.sharding = #sdy.sharding<@mesh, [{}, {\"a\"}]>, ");
    const auto read = readStableHlo(text);
    QVERIFY2(read, qPrintable(test::shown(read)));
    QCOMPARE(read->program.meshes.size(), std::size_t{ 2 });
    QCOMPARE(read->program.meshes[0].mesh->deviceCount(), std::int64_t{ 8 });
    const ProgramSharding* sharding = read->program.shardingOf(read->program.main().arguments[0]);
    QVERIFY(sharding && sharding->sharding.dims[0].axes.empty() && sharding->sharding.dims[1].axes.size() == 1);
}

/// In the generic form the attributes of a module stand behind its functions.
void TestWrappedShardings::meshesMayComeLast()
{
    const auto read = readStableHlo(R"("builtin.module"() ({
  "func.func"() <{function_type = (tensor<8xf32>) -> tensor<8xf32>, sym_name = "main", arg_attrs =
      [{mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{\22b\22}]>"}}]}> ({
  ^bb0(%x: tensor<8xf32>):
    "func.return"(%x) : (tensor<8xf32>) -> ()
  }) : () -> ()
}) {mhlo.frontend_attributes = {)"
        + meshes + "}} : () -> ()\n");
    QVERIFY2(read, qPrintable(test::shown(read)));
    QCOMPARE(read->program.meshes.size(), std::size_t{ 2 });
    QVERIFY(read->program.shardingOf(read->program.main().arguments[0]));
    QCOMPARE(read->program.extra, 0U);
}

/// Another operation may have taken over the attributes of one of another shape.
void TestWrappedShardings::onlyKnownCallsHaveShardings()
{
    const std::string attribute = R"(xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\22a\22}]>]>")";
    const auto read = readStableHlo(module(meshes, "", call("foreign", attribute)));
    QVERIFY2(read, qPrintable(test::shown(read)));
    QVERIFY(read->program.shardings.empty());
    QCOMPARE(read->program.dictionaries[read->program.operations[0].extra].at(0).text, '{' + attribute + '}');
}

void TestWrappedShardings::rulesOfCalls()
{
    const std::string inside = "([i, j])->([i, j]) {i=8, j=4}, custom";
    const std::string rule = "#sdy.op_sharding_rule<" + inside + '>';
    const std::string other = "#sdy.op_sharding_rule <\\0A  ([i, j])->([i,\\09  j]) {i=8, j=4}, custom > ";
    for (const std::string& declared : { rule, inside, other }) { // however its blanks stand
        const auto read =
            readStableHlo(module(meshes, "", call("foreign", "xla.sdy.sharding_rule = \"" + declared + '"')));
        QVERIFY2(read, qPrintable(test::shown(read)));
        const Dictionary& kept = read->program.dictionaries[read->program.operations[0].extra];
        QCOMPARE(kept.size(), std::size_t{ 1 });
        QCOMPARE(kept[0].name, std::string("sdy.sharding_rule"));
        QCOMPARE(kept[0].text, rule);
        QCOMPARE(test::wayRound(read->program), QString());
    }
}

void TestWrappedShardings::errors_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("stated"); ///< code and place
    const auto row = [](const char* name, const std::string& text, const char* stated) {
        QTest::newRow(name) << QString::fromStdString(text) << QString::fromUtf8(stated);
    };
    const auto argument = [](const std::string& sharding) {
        return module(meshes, "xla.sdy.sharding = \"" + sharding + '"', plain);
    };
    const auto inMeshes = [](const std::string& text) { return module("xla.sdy.meshes = \"" + text + '"', "", plain); };
    row("no sharding at all", argument("oops"), "E120 2:68 ");
    row("an axis that the mesh lacks", argument(R"(#sdy.sharding<@mesh, [{\22q\22}, {}]>)"), "E104 2:68 ");
    row("a mesh that nobody declares", argument(R"(#sdy.sharding<@other, [{}, {}]>)"), "E190 2:68 ");
    row("more behind it", argument(R"(#sdy.sharding<@mesh, [{}, {}]> and more)"), "E120 2:68 ");
    row("a number", module(meshes, "xla.sdy.sharding = 5 : i64", plain), "E120 2:");
    row("no dictionary of meshes", inMeshes("mesh"), "E120 1:48 ");
    row("a mesh without a name", inMeshes("{#sdy.mesh<[]>}"), "E120 1:48 ");
    row("an axis twice", inMeshes(R"({m = #sdy.mesh<[\22a\22=2, \22a\22=2]>})"), "E114 1:48 ");
    row("too many shardings",
        module(meshes, "",
            call(
                "Sharding", R"(xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{}, {}]>, <@mesh, [{}, {}]>]>")")),
        "E194 3:75 ");
}

void TestWrappedShardings::errors()
{
    QFETCH(QString, text);
    QFETCH(QString, stated);
    const auto read = readStableHlo(text.toStdString());
    QVERIFY(!read);
    const QString shown = test::shown(read);
    QVERIFY2(shown.startsWith(stated), qPrintable(shown));
    QVERIFY(read.error().where.line > 0 && read.error().where.column > 0);
}

/// Line ends and comments in the text of an alias do not belong to the place that it names.
void TestWrappedShardings::locationsOverSeveralLines()
{
    const auto read = readStableHlo("func.func @main(%x: tensor<2xf32> loc(#a)) -> tensor<2xf32> {\n"
                                    "  %0 = stablehlo.tanh %x : tensor<2xf32> loc(#b)\n"
                                    "  %1 = stablehlo.abs %0 : tensor<2xf32> loc(\"n\"(\"f.py\":1:2 // here\n ))\n"
                                    "  return %1 : tensor<2xf32>\n}\n"
                                    "#a = loc(\"x\"\n)\n#b = loc(\"y\"(#c) // said\n)\n#c = loc( \"f.py\":1:2\n)\n");
    QVERIFY2(read, qPrintable(test::shown(read)));
    const Program& program = read->program;
    QCOMPARE(program.value(program.main().arguments[0]).path, std::string("x"));
    QCOMPARE(program.sources[program.operations[0].source].location, std::string("\"y\"(\"f.py\":1:2)"));
    QCOMPARE(program.sources[program.operations[1].source].location, std::string("\"n\"(\"f.py\":1:2 )"));
    QVERIFY2(test::wayRound(program).isEmpty(), qPrintable(test::wayRound(program)));
}

/// A long one is read for everything that has it, however little the rest of the text is.
void TestWrappedShardings::locationsThatManyShare()
{
    constexpr int count = 200;
    const std::string place = '"' + std::string(1000, 'y') + "\"(\"f.py\":1:2)";
    std::string text = "func.func @main(%0: tensor<2xf32>) -> tensor<2xf32> {\n";
    for (int i = 1; i <= count; ++i)
        text += "  %" + std::to_string(i) + " = stablehlo.tanh %" + std::to_string(i - 1) + " : tensor<2xf32> loc(#loc"
            + std::to_string(i % 2) + ")\n";
    text += "  return %" + std::to_string(count) + " : tensor<2xf32>\n}\n#loc0 = loc(" + place
        + ")\n#loc1 = loc(\"z\"(#loc0))\n";
    const auto read = readStableHlo(text);
    QVERIFY2(read, qPrintable(test::shown(read)));
    const Program& program = read->program;
    QCOMPARE(program.main().operations.size(), std::size_t{ count });
    for (int i = 1; i <= count; ++i) {
        const Operation& operation = program.operation(program.main().operations[static_cast<std::size_t>(i - 1)]);
        QCOMPARE(program.sources[operation.source].location, i % 2 == 0 ? place : "\"z\"(" + place + ')');
    }
}

REGISTER_TEST(TestWrappedShardings)
#include "test_wrapped_shardings.moc"
