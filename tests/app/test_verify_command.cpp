// SPDX-License-Identifier: GPL-3.0-or-later
// `shardscope verify` and `shardscope rules` on programs in StableHLO text.
#include <QTest>

#include "program.h"
#include "registered_test.h"

using namespace shardscope;

namespace {

const QByteArray legal = R"(sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<16x32xf32>) -> tensor<8x32xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  %1 = stablehlo.tanh %0 : tensor<8x32xf32>
  return %1 : tensor<8x32xf32>
}
)";

QByteArray with(const char* from, const char* to)
{
    return QByteArray(legal).replace(from, to);
}

} // namespace

class VerifyCommandTest : public QObject {
    Q_OBJECT

    static Ran verify(const QByteArray& text, const QStringList& more = {})
    {
        return runProgram(QStringList{ QStringLiteral("verify"), QStringLiteral("-") } + more, text);
    }

private Q_SLOTS:
    void legalPrograms()
    {
        const Ran ran = verify(legal);
        QCOMPARE(ran.code, 0);
        QCOMPARE(ran.out, QStringLiteral("standard input: legal, 2 ops\n"));
        QVERIFY(ran.error.isEmpty());
        const auto json = verify(legal, { QStringLiteral("--json") }).json();
        QCOMPARE(json["format"].get<std::string>(), std::string("shardscope-verify"));
        QCOMPARE(json["legal"].get<bool>(), true);
        QCOMPARE(json["input"]["operation_count"].get<int>(), 2);
        QVERIFY(json["problems"].empty());
    }

    void explicitMode()
    {
        // The program is fine by the rules of its operations; with y cutting rows of b as well, it is not.
        const Ran fine = verify(legal, { QStringLiteral("--explicit") });
        QCOMPARE(fine.code, 0);
        QCOMPARE(fine.out,
            QStringLiteral("standard input: legal, 2 ops\n"
                           "standard input: JAX's explicit mode would accept this program\n"));
        const auto accepted = verify(legal, { QStringLiteral("--explicit"), QStringLiteral("--json") }).json();
        QCOMPARE(accepted["explicit"]["results"].size(), std::size_t{ 1 });
        QVERIFY(accepted["explicit"]["results"][0].get<std::string>().starts_with("P("));
        const QByteArray text = with(
            "%b: tensor<16x32xf32>)", "%b: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {\"x\"}]>})");
        QCOMPARE(verify(text).code, 0);
        const Ran ran = verify(text, { QStringLiteral("--explicit") });
        QCOMPARE(ran.code, 1);
        QVERIFY2(
            ran.out.contains(QStringLiteral(
                "standard input:3:3: W236: JAX's explicit mode refuses dot_general, which gives %0: x would shard two "
                "dimensions of its result, by a P('x', None) and b P(None, 'x'). Write out_sharding=P(")),
            qPrintable(ran.out));
        QVERIFY2(ran.out.contains(QStringLiteral("would refuse one operation: ")), qPrintable(ran.out));
        const auto json = verify(text, { QStringLiteral("--explicit"), QStringLiteral("--json") }).json();
        QCOMPARE(json["legal"].get<bool>(), true);
        QCOMPARE(json["explicit"]["accepted"].get<bool>(), false);
        QCOMPARE(json["explicit"]["refused"].get<int>(), 1);
        QCOMPARE(json["explicit"]["operations_accepted"].get<int>(), 1);
        QVERIFY(json["explicit"]["results"][0].is_null()); // what is refused has no type
        QCOMPARE(json["problems"][0]["code"].get<std::string>(), std::string("W236"));
        QCOMPARE(json["problems"][0]["args"]["wrong"].get<std::string>(), std::string("result_mentions_axis_twice"));
        QVERIFY(!verify(text, { QStringLiteral("--json") }).json().contains("explicit"));
        // What is illegal is said alone.
        QCOMPARE(verify(with("[{\"x\"}, {}]", "[{\"z\"}, {}]"), { QStringLiteral("--explicit") }).code, 2);
    }
    void explicitModeOfExamples()
    {
        const Ran ran =
            runProgram({ QStringLiteral("verify"), QStringLiteral("flax-mlp-device"), QStringLiteral("--explicit") });
        QCOMPARE(ran.code, 1);
        QVERIFY2(ran.out.contains(QStringLiteral("would refuse 4 ops, the first: ")), qPrintable(ran.out));
        const Ran file = runProgram({ QStringLiteral("verify"), QStringLiteral("-"), QStringLiteral("--explicit") },
            smallMlp(R"(["data", 2], ["model", 4])", R"(["data", 8], ["model", 1])"));
        QVERIFY2(file.code == 0 || file.code == 1, qPrintable(file.out + file.error));
        QVERIFY2(file.out.contains(QStringLiteral("JAX's explicit mode would")), qPrintable(file.out + file.error));
    }

    /// A use before the definition is one mistake.
    void usedBeforeItsDefinition()
    {
        const Ran ran = verify("func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
                               "  %0 = stablehlo.add %1, %a : tensor<4xf32>\n"
                               "  %1 = stablehlo.multiply %a, %a : tensor<4xf32>\n"
                               "  return %0 : tensor<4xf32>\n}\n");
        QCOMPARE(ran.code, 2);
        QVERIFY2(ran.out.contains(QStringLiteral("E190")), qPrintable(ran.out));
        QVERIFY2(!ran.out.contains(QStringLiteral("E191")), qPrintable(ran.out));
    }

    void illegalPrograms_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("stated");
        QTest::newRow("unknown axis")
            << with("[{\"x\"}, {}]", "[{\"z\"}, {}]")
            << "standard input:2:11: E104: function main, argument 0: the array names the mesh "
               "axis “z”, which the mesh lacks. ";
        QTest::newRow("unknown mesh") << with("sharding<@mesh",
            "sharding<@mash") << "E430: function main, argument 0: there is no mesh “mash”. Did you mean “mesh”?";
        QTest::newRow("rank") << with("[{\"x\"}, {}]", "[{\"x\"}]")
                              << "E401: function main, argument 0: the sharding is of rank 1, the array of rank 2.";
        QTest::newRow("axis twice") << with("[{\"x\"}, {}]", "[{\"x\"}, {\"x\"}]")
                                    << "E106: function main, argument 0: the array uses the mesh axis “x” twice.";
        QTest::newRow("mesh") << with("\"y\"=4", "\"x\"=4") << "E114: ";
        QTest::newRow("result")
            << with("stablehlo.tanh %0 :",
                   "stablehlo.tanh %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{\"y\":(3)2}, {}]>]>} :")
            << "standard input:4:3: E431: stablehlo.tanh, result 0: “y” has size 4 and no part :(3)2.";
        QTest::newRow("XLA's sharding, no sharding") << QByteArray(
            "func.func @main(%a: tensor<8xf32> {mhlo.sharding = \"garbage\"}) -> tensor<8xf32> {\n"
            "  return %a : tensor<8xf32>\n}\n") << "standard input:1:53: E120: ";
        QTest::newRow("XLA's sharding, too few devices") << QByteArray(
            "func.func @main(%a: tensor<8xf32> {mhlo.sharding = \"{devices=[4]0,1}\"}) -> tensor<8xf32> {\n"
            "  return %a : tensor<8xf32>\n}\n") << "standard input:1:62: E405: tiles for 4 devices, but 2 listed.";
        QTest::newRow("argument without a rank")
            << QByteArray("func.func @main(%a: tensor<*xf32>) -> tensor<*xf32> {\n  return %a : tensor<*xf32>\n}\n")
            << "E140: argument 0 of @main is tensor<*xf32>, whose rank is not known. Arrays of StableHLO have a rank: "
               "write one size for each dimension";
        QTest::newRow("value without a rank")
            << QByteArray("func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {\n"
                          "  %0 = \"my.op\"(%a) : (tensor<8xf32>) -> tensor<*xf32>\n"
                          "  %1 = stablehlo.tanh %0 : tensor<*xf32>\n"
                          "  return %a : tensor<8xf32>\n}\n")
            << "standard input:3:3: E140: stablehlo.tanh has a value of tensor<*xf32>, whose rank is not known.";
        QTest::newRow("text") << with("return", "retrun")
                              << "standard input:2:11: E194: the number of returned values of @main is 0";
    }
    void illegalPrograms()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, stated);
        const Ran ran = verify(text);
        QCOMPARE(ran.code, 2);
        QVERIFY2((ran.out + ran.error).contains(stated), qPrintable(ran.out + ran.error));
    }

    void allFindingsAreListed()
    {
        const auto json = verify(with("[{\"x\"}, {}]", "[{\"z\"}, {}, {}]"), { QStringLiteral("--json") }).json();
        QCOMPARE(json["legal"].get<bool>(), false);
        QCOMPARE(json["problems"].size(), std::size_t{ 2 });
        QCOMPARE(json["problems"][0]["kind"].get<std::string>(), std::string("rank_mismatch"));
        QCOMPARE(json["problems"][0]["args"]["function"].get<std::string>(), std::string("main"));
        QCOMPARE(json["problems"][1]["kind"].get<std::string>(), std::string("unknown_axis"));
        QCOMPARE(json["problems"][1]["where"]["line"].get<int>(), 2);
    }

    /// An operation that is wrong in itself hides no other, nor what is wrong with shardings; all in order of place.
    void findingsAfterFindings()
    {
        const QByteArray text = R"(sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"q"}, {}]>}, %b: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.add %a, %b : tensor<8x4xf32>
  %1 = stablehlo.transpose %a, dims = [0, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = stablehlo.reshape %none : (tensor<8x8xf32>) -> tensor<8x9xf32>
  %3 = stablehlo.slice %a [0:9, 0:8] : (tensor<8x8xf32>) -> tensor<9x8xf32>
  return %3 : tensor<8x8xf32>
}
)";
        const auto json = verify(text, { QStringLiteral("--json") }).json();
        QCOMPARE(json["legal"].get<bool>(), false);
        QStringList stated;
        for (const auto& problem : json["problems"])
            stated << QString::fromStdString(problem["code"].get<std::string>()) + QLatin1Char(':')
                    + QString::number(problem["where"]["line"].get<int>());
        QCOMPARE(stated.mid(0, 4).join(QLatin1Char(' ')), QStringLiteral("E193:2 E104:2 E193:3 E142:4"));
        QVERIFY2(stated.contains(QStringLiteral("E190:5")) && stated.contains(QStringLiteral("E142:6"))
                && stated.contains(QStringLiteral("E193:7")),
            qPrintable(stated.join(QLatin1Char(' '))));
        // Other commands say the same of it, on the error stream.
        const Ran propagated = runProgram({ QStringLiteral("propagate"), QStringLiteral("-") }, text);
        QCOMPARE(propagated.code, 2);
        QVERIFY2(propagated.error.contains(QStringLiteral(":2:11: E104")), qPrintable(propagated.error));
        QVERIFY(propagated.error.contains(QStringLiteral(":5:26: E190")));
    }

    /// Meshes of other devices are illegal in one program, and check says the same at the same place.
    void meshesOfOtherDevices()
    {
        const auto text = [](const char* second) {
            return QByteArray("sdy.mesh @m1 = <[\"x\"=2, \"y\"=3]>\nsdy.mesh @m2 = ") + second
                + "\nfunc.func @main(%a: tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@m1, [{\"x\"}, {}]>}, %b: "
                  "tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@m2, [{\"a\"}, {}]>}) -> tensor<12x12xf32> {\n"
                  "  %0 = stablehlo.add %a, %b : tensor<12x12xf32>\n  return %0 : tensor<12x12xf32>\n}\n";
        };
        const auto check = [](const QByteArray& program) {
            return runProgram({ QStringLiteral("check"), QStringLiteral("-") }, program);
        };
        const QByteArray other = text("<[\"a\"=3, \"b\"=4]>");
        const QString stated = QStringLiteral(":2:10: E413: b is sharded along axes of the mesh @m2");
        const Ran refused = verify(other), checked = check(other);
        QCOMPARE(refused.code, 2);
        QVERIFY2((refused.out + refused.error).contains(stated), qPrintable(refused.out + refused.error));
        QCOMPARE(checked.code, 1);
        QVERIFY2((checked.out + checked.error).contains(stated), qPrintable(checked.out + checked.error));
        // The same devices under other names.
        const QByteArray same = text("<[\"a\"=2, \"b\"=3]>");
        QCOMPARE(verify(same).code, 0);
        const Ran agreed = check(same);
        QVERIFY2(!(agreed.out + agreed.error).contains(QStringLiteral("E413")), qPrintable(agreed.out));
    }

    /// A function that calls itself is named with its place and the way out.
    void recursion()
    {
        const Ran ran =
            verify("func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {\n"
                   "  %0 = call @f(%a) : (tensor<8xf32>) -> tensor<8xf32>\n  return %0 : tensor<8xf32>\n}\n"
                   "func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {\n"
                   "  %0 = call @f(%a) : (tensor<8xf32>) -> tensor<8xf32>\n  return %0 : tensor<8xf32>\n}\n");
        QCOMPARE(ran.code, 2);
        QVERIFY2(ran.out.contains(QStringLiteral("standard input:5:11: E141: @f calls itself")), qPrintable(ran.out));
    }

    /// Every FILE that other commands take.
    void experimentsAndExamples()
    {
        for (const char* example : { "flax-mlp-program", "flax-mlp-logical" }) {
            const Ran ran = runProgram({ QStringLiteral("verify"), QLatin1String(example) });
            QVERIFY2(ran.code == 0 && ran.out.contains(QStringLiteral("legal")), qPrintable(ran.out + ran.error));
            const Ran rules = runProgram({ QStringLiteral("rules"), QLatin1String(example) });
            QVERIFY2(rules.code == 0 && rules.out.contains(QStringLiteral("reduction={")), qPrintable(rules.error));
        }
        const Ran none = runProgram({ QStringLiteral("verify"), QStringLiteral("flax-mlp-progam") });
        QCOMPARE(none.code, 2);
        QVERIFY2(none.error.contains(QStringLiteral("flax-mlp-program")), qPrintable(none.error));
    }

    void rulesOfAProgram()
    {
        const QStringList command{ QStringLiteral("rules"), QStringLiteral("-") };
        const Ran ran = runProgram(command, legal);
        QCOMPARE(ran.code, 0);
        QVERIFY(ran.out.contains(QStringLiteral("([i, k], [k, j])->([i, j]) {i=8, j=32, k=16} reduction={k}")));
        QVERIFY(ran.out.contains(QStringLiteral("([i, j])->([i, j]) {i=8, j=32}")));
        const auto json = runProgram(command + QStringList{ QStringLiteral("--json") }, legal).json();
        QCOMPARE(json["operations"].size(), std::size_t{ 2 });
        QCOMPARE(json["operations"][0]["op"].get<std::string>(), std::string("stablehlo.dot_general"));
        QCOMPARE(json["operations"][0]["line"].get<int>(), 3);
        QCOMPARE(runProgram(command, with("\"x\"}", "\"z\"}")).code, 2);
        QCOMPARE(runProgram({ QStringLiteral("rules"), QStringLiteral("missing.mlir") }).code, 2);
    }
};

REGISTER_TEST(VerifyCommandTest)
#include "test_verify_command.moc"
