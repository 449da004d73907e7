// SPDX-License-Identifier: GPL-3.0-or-later
// `shardscope run` on programs in StableHLO text.
#include <QCryptographicHash>
#include <QDir>
#include <QTest>
#include <cmath>

#include <map>
#include <set>

#include "experiment_file/gallery.h"
#include "program.h"
#include "registered_test.h"

using namespace shardscope;

namespace {

using Json = nlohmann::json;

/// a cut by rows, b by columns: the product is cut both ways over four devices.
const QByteArray productText = R"(sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<2x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<2x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) -> tensor<2x4xf32> {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %1 = stablehlo.add %0, %0 : tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}
)";
const QByteArray productInputs = "[[[1, 2], [3, 4]], [[1, 0, 1, 0], [0, 1, 1, 0.5]]]";

/// Every device returns the double of its own half, and says that all return the same.
const QByteArray liar = R"(sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<2xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"x"} (%arg1: tensor<2xf32>) {
    %1 = stablehlo.add %arg1, %arg1 : tensor<2xf32>
    sdy.return %1 : tensor<2xf32>
  } : (tensor<4xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
)";

QByteArray function(const QByteArray& arguments, const QByteArray& body, const QByteArray& results)
{
    return "func.func @main(" + arguments + ") -> (" + results + ") {\n" + body + "\n}\n";
}

/// Gives back what it is given, of any type.
QByteArray identity(const QByteArray& type)
{
    return function("%arg0: " + type, "  return %arg0 : " + type, type);
}

/// A .npy of format version 1.
QByteArray npy(const QByteArray& descr, const QByteArray& shape, const QByteArray& data)
{
    const QByteArray header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
    return QByteArray("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header + data;
}

/// What a check says of a result of main; null where it says nothing of it.
Json valueOfResult(const Json& check, std::size_t result)
{
    for (const Json& value : check.at("values"))
        if (value.contains("result") && value.at("result") == result)
            return value;
    return {};
}

} // namespace

class RunProgramTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    QString file(const char* name, const QByteArray& bytes) { return writeFile(m_folder, QLatin1String(name), bytes); }
    /// The program from a file, standard input for `--inputs -`.
    Ran run(const QByteArray& text, const QStringList& options, const QByteArray& input = {})
    {
        return runProgram(QStringList{ QStringLiteral("run"), file("program.mlir", text) } + options, input);
    }
    Ran runJson(const QByteArray& text, const QByteArray& inputs, const QStringList& more = {})
    {
        return run(text,
            QStringList{ QStringLiteral("--inputs"), QStringLiteral("-"), QStringLiteral("--json") } + more, inputs);
    }

private Q_SLOTS:
    void json()
    {
        const Ran ran = runJson(productText, productInputs);
        QCOMPARE(ran.code, 0);
        const Json json = ran.json();
        QVERIFY(json.at("format") == "shardscope-run");
        QVERIFY(json.at("version") == "3.3");
        QVERIFY(json.at("device_count") == 4);
        QVERIFY(json.at("results").at(0).at("value") == Json::parse("[[2, 4, 6, 2], [6, 8, 14, 4]]"));
        QVERIFY(json.at("results").at(0).at("type") == "tensor<2x4xf32>");
        QVERIFY(
            json.at("results").at(0).at("sharding").get<std::string>().find("[{\"x\"}, {\"y\"}]") != std::string::npos);
        QVERIFY(json.at("arguments").at(0).at("value") == Json::parse("[[1, 2], [3, 4]]"));
        QVERIFY(json.at("check").at("passed") == true);
        QCOMPARE(valueOfResult(json.at("check"), 0).at("compared").get<int>(), 8);
        QVERIFY(valueOfResult(json.at("check"), 0).at("largest_error") == 0);
        QVERIFY(json.at("first_not_finite").empty());
        QVERIFY(json.at("problems").empty());
    }

    void text()
    {
        const Ran ran = run(productText, { QStringLiteral("--inputs"), QStringLiteral("-") }, productInputs);
        QCOMPARE(ran.code, 0);
        for (const char* part : { "x 2 × y 2: 4 devices", "arg1  tensor<2x4xf32>", "[[ 2,  4,  6,  2],",
                 " [ 6,  8, 14,  4]]", "all 2 arrays agree" })
            QVERIFY2(ran.out.contains(QString::fromUtf8(part)), qPrintable(ran.out));
        QVERIFY(!ran.out.contains(QStringLiteral("NaN")));
    }

    void perDevice()
    {
        const Json json = runJson(productText, productInputs, { QStringLiteral("--per-device") }).json();
        const Json& devices = json.at("devices");
        QCOMPARE(devices.size(), std::size_t{ 4 });
        // Device 3 stands at x 1, y 1: the second row of a, the last two columns of b.
        QVERIFY(devices.at(3).at("arguments").at(0).at("value") == Json::parse("[[3, 4]]"));
        QVERIFY(devices.at(3).at("arguments").at(1).at("value") == Json::parse("[[1, 0], [1, 0.5]]"));
        QVERIFY(devices.at(3).at("results").at(0).at("value") == Json::parse("[[14, 4]]"));
        QVERIFY(devices.at(0).at("results").at(0).at("value") == Json::parse("[[2, 4]]"));
        const Ran text = run(productText,
            { QStringLiteral("--inputs"), QStringLiteral("-"), QStringLiteral("--per-device") }, productInputs);
        QVERIFY2(text.out.contains(QStringLiteral("d0, d1: [0, 0–1]")), qPrintable(text.out));
        QVERIFY2(text.out.contains(QStringLiteral("d3: [1, 2–3]\n      [[14,  4]]")), qPrintable(text.out));

        const QByteArray uneven = R"(
sdy.mesh @m = <["x"=3]>
func.func @main(%a: tensor<4xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> tensor<4xi32> {
  return %a : tensor<4xi32>
}
)";
        const QString padded = run(uneven, { QStringLiteral("--random=1"), QStringLiteral("--per-device") }).out;
        for (const char* part : { "d0: [0–1]\n", "d1: [2–3]\n", "d2: [padding]\n" })
            QVERIFY2(padded.contains(QString::fromUtf8(part)), qPrintable(padded));
        QByteArray odd = uneven;
        odd.replace("tensor<4x", "tensor<5x");
        const QString last = run(odd, { QStringLiteral("--random=1"), QStringLiteral("--per-device") }).out;
        QVERIFY2(last.contains(QStringLiteral("d2: [4 + 1 padding]\n")), qPrintable(last));
    }

    void withoutMesh()
    {
        const QByteArray constant = function("",
            "  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>\n  return %0 : tensor<2xi32>", "tensor<2xi32>");
        const Ran ran = run(constant, {});
        QCOMPARE(ran.code, 0);
        QVERIFY2(
            ran.out.contains(QStringLiteral("no sharding over a mesh: it runs on one device")), qPrintable(ran.out));
        QVERIFY(ran.out.contains(QStringLiteral("[1, 2]")));
        // On standard input as well.
        const Ran piped =
            runProgram({ QStringLiteral("run"), QStringLiteral("-"), QStringLiteral("--json") }, constant);
        QCOMPARE(piped.code, 0);
        QVERIFY(piped.json().at("results").at(0).at("value") == Json::parse("[1, 2]"));
        QVERIFY(!piped.json().contains("check"));
        QVERIFY2(ran.out.contains(QStringLiteral("  not compared: one device runs the program in full")),
            qPrintable(ran.out));
        QVERIFY(ran.out.contains(QStringLiteral("Memory per device")));
        QVERIFY(piped.json().at("not_compared") == "one device runs the program in full, as the reference does");
        for (const char* member : { "mesh", "communication", "memory_per_device" })
            QVERIFY2(piped.json().contains(member), member);
    }

    /// Without any they are random, and every argument says so; a file that has too few is refused.
    void missingInputs()
    {
        const Ran ran = run(productText, { QStringLiteral("--json") });
        QCOMPARE(ran.code, 0);
        const Json argumentsJson = ran.json();
        for (const Json& argument : argumentsJson.at("arguments"))
            QVERIFY(argument.at("from") == "random, seed 0");
        QVERIFY(ran.json().at("results")
            == run(productText, { QStringLiteral("--random=0"), QStringLiteral("--json") }).json().at("results"));
        const Ran few = runJson(productText, "[[[1, 2], [3, 4]]]");
        QCOMPARE(few.code, 2);
        QVERIFY2(few.error.contains(QStringLiteral("should be 2")), qPrintable(few.error));
    }

    /// A built-in example whose model is a text is run as the text, with the seed of its experiment.
    void builtIn()
    {
        const Ran ran =
            runProgram({ QStringLiteral("run"), QStringLiteral("jax-layer-program"), QStringLiteral("--json") });
        QCOMPARE(ran.code, 0);
        QVERIFY(ran.json().at("check").at("passed") == true);
        QVERIFY(ran.json().at("device_count") > 1);
        const Ran moved = runProgram({ QStringLiteral("run"), QStringLiteral("jax-memory-transfer") });
        QCOMPARE(moved.code, 0);
        QVERIFY2(!moved.error.contains(QStringLiteral("I302")), qPrintable(moved.error));
        QVERIFY2(moved.out.contains(QStringLiteral("(iota)")), qPrintable(moved.out));
        const Ran steps = runProgram({ QStringLiteral("run"), QStringLiteral("jax-memory-transfer"),
            QStringLiteral("--steps=2"), QStringLiteral("--state=none") });
        QCOMPARE(steps.code, 2);
        QVERIFY2(steps.error.contains(QStringLiteral("name them with --state")), qPrintable(steps.error));
    }

    /// A row of arg0 (8 B), a half of arg1 (16 B), and shards of both results (8 B each), all of them to the end.
    void memory()
    {
        const Json memory = runJson(productText, productInputs).json().at("memory_per_device");
        QVERIFY(memory.at("peak_bytes") == 40);
        QVERIFY(memory.at("arrays").at(0).at("tensor") == "arg1");
        std::int64_t sum = 0;
        for (const auto& owner : memory.at("at_peak"))
            sum += owner.get<std::int64_t>();
        QCOMPARE(sum, 40);
        const Ran shown =
            runProgram({ QStringLiteral("show"), file("program.mlir", productText), QStringLiteral("--json") });
        QVERIFY(shown.json().at("memory_per_device").at("peak_bytes") == 40);
        const Ran text = run(productText, {});
        QVERIFY2(text.out.contains(QStringLiteral("planned: 40 B, at instruction")), qPrintable(text.out));
    }

    void random()
    {
        const auto values = [this](const char* seed) {
            return run(productText, { QStringLiteral("--random"), QLatin1String(seed), QStringLiteral("--json") })
                .json();
        };
        const Json one = values("1");
        QVERIFY(one.at("results") == values("1").at("results"));
        QVERIFY(one.at("results") != values("2").at("results"));
        QVERIFY(one.at("check").at("passed") == true);
        for (const Json& row : one.at("arguments").at(1).at("value"))
            for (const Json& element : row)
                QVERIFY(element >= -1 && element < 1);
        // What is given stays, the rest is random.
        const Json mixed =
            runJson(productText, R"({"arg0": [[0, 0], [0, 0]]})", { QStringLiteral("--random"), QStringLiteral("1") })
                .json();
        QVERIFY(mixed.at("arguments").at(1).at("value") == one.at("arguments").at(1).at("value"));
        QVERIFY(mixed.at("results").at(0).at("value").at(1).at(3) == 0);
        const Json indices = run(
            identity("tensor<50xi32>"), { QStringLiteral("--random"), QStringLiteral("3"), QStringLiteral("--json") })
                                 .json();
        for (const Json& element : indices.at("results").at(0).at("value"))
            QVERIFY(element >= 0 && element <= 7);
    }

    void byName()
    {
        const Json wanted = runJson(productText, productInputs).json().at("results");
        for (const char* names : { "\"arg0\": A, \"arg1\": B", "\"1\": B, \"0\": A", "\"%arg1\": B, \"arg0\": A" }) {
            const QByteArray text = QByteArray("{ ")
                + QByteArray(names).replace("A", "[[1, 2], [3, 4]]").replace("B", "[[1, 0, 1, 0], [0, 1, 1, 0.5]]")
                + " }";
            QVERIFY2(runJson(productText, text).json().at("results") == wanted, names);
        }
    }

    /// What is written is read back, and says the same.
    void numpyFiles()
    {
        const QString folder = m_folder.filePath(QStringLiteral("out"));
        QCOMPARE(run(productText,
                     { QStringLiteral("--inputs"), QStringLiteral("-"), QStringLiteral("--out"), folder,
                         QStringLiteral("--per-device") },
                     productInputs)
                     .code,
            0);
        const QByteArray bytes = fileBytes(folder + QStringLiteral("/result0.npy"));
        QVERIFY(bytes.contains("'descr': '<f4', 'fortran_order': False, 'shape': (2, 4)"));
        QCOMPARE(bytes.size(), 128 + 32);
        QCOMPARE(fileBytes(folder + QStringLiteral("/result0.d3.npy")).size(), 128 + 8);
        const QString a =
            file("a.npy", npy("<f4", "(2, 2)", QByteArray::fromHex("0000803f 00000040 00004040 00008040")));
        const QString b = folder + QStringLiteral("/result0.npy");
        const Json ran = run(productText, { QStringLiteral("--inputs"), a, b, QStringLiteral("--json") }).json();
        QVERIFY(ran.at("arguments").at(0).at("value") == Json::parse("[[1, 2], [3, 4]]"));
        QVERIFY(ran.at("arguments").at(1).at("value") == Json::parse("[[2, 4, 6, 2], [6, 8, 14, 4]]"));
        const Json named = run(productText,
            { QStringLiteral("--inputs"), QStringLiteral("arg1=") + b, QStringLiteral("--inputs"),
                QStringLiteral("arg0=") + a, QStringLiteral("--json") })
                               .json();
        QVERIFY(named.at("results") == ran.at("results"));
        // An archive that is none.
        const Ran archive = run(productText, { QStringLiteral("--inputs"), file("bad.npz", "PK") });
        QCOMPARE(archive.code, 2);
        QVERIFY2(archive.error.contains(QStringLiteral("bad.npz:1:1: E120")), qPrintable(archive.error));
        // One result fits one file.
        const QString one = m_folder.filePath(QStringLiteral("one.npy"));
        QCOMPARE(run(productText, { QStringLiteral("--inputs"), a, b, QStringLiteral("--out"), one }).code, 0);
        QCOMPARE(fileBytes(one).size(), 128 + 32);
        const QByteArray two = function(
            "%arg0: tensor<f32>", "  return %arg0, %arg0 : tensor<f32>, tensor<f32>", "tensor<f32>, tensor<f32>");
        QCOMPARE(run(two, { QStringLiteral("--random"), QStringLiteral("1"), QStringLiteral("--out"), one }).code, 2);
        for (const char* seed : { "-1", "abc", "1.5" })
            QCOMPARE(run(two, { QStringLiteral("--random=") + QLatin1String(seed) }).code, 2);
        // What was computed is shown where it cannot be written.
        const Ran nowhere = run(productText,
            { QStringLiteral("--inputs"), a, b, QStringLiteral("--out"), m_folder.filePath(QStringLiteral("no/where")),
                QStringLiteral("--json") });
        QCOMPARE(nowhere.code, 2);
        QVERIFY(nowhere.json().at("problems").at(0).at("code") == "E130");
        QVERIFY(nowhere.json().at("results").size() == 1);
        QVERIFY(!QFileInfo::exists(m_folder.filePath(QStringLiteral("no"))));
    }

    void exact_data()
    {
        QTest::addColumn<QByteArray>("type");
        QTest::addColumn<QByteArray>("value");
        QTest::newRow("i64") << QByteArray("tensor<2xi64>") << QByteArray("[9007199254740993, -9223372036854775808]");
        QTest::newRow("ui64") << QByteArray("tensor<ui64>") << QByteArray("18446744073709551615");
        QTest::newRow("f64") << QByteArray("tensor<2xf64>") << QByteArray("[0.1, 5e-324]");
        QTest::newRow("f32") << QByteArray("tensor<1x1xf32>") << QByteArray("[[0.1]]");
        QTest::newRow("bf16") << QByteArray("tensor<bf16>") << QByteArray("1.0078125");
        QTest::newRow("f8E4M3FN") << QByteArray("tensor<f8E4M3FN>") << QByteArray("448");
        QTest::newRow("special") << QByteArray("tensor<3xf32>") << QByteArray("[\"nan\", \"inf\", \"-inf\"]");
        QTest::newRow("i1") << QByteArray("tensor<2xi1>") << QByteArray("[true, false]");
        QTest::newRow("i4") << QByteArray("tensor<2xi4>") << QByteArray("[-8, 7]");
        QTest::newRow("none") << QByteArray("tensor<2x0xf32>") << QByteArray("[[], []]");
    }
    void exact()
    {
        QFETCH(const QByteArray, type);
        QFETCH(const QByteArray, value);
        const Ran ran = runJson(identity(type), '[' + value + ']');
        QCOMPARE(ran.code, 0);
        // As text: a reader of JSON would round the numbers itself.
        QVERIFY2(ran.out.contains(QStringLiteral("\"type\": \"%1\",\n      \"value\": %2,\n")
                                      .arg(QString::fromUtf8(type), QString::fromUtf8(value))),
            qPrintable(ran.out));
        // And through a file.
        const QString path = m_folder.filePath(QStringLiteral("exact.npy"));
        QCOMPARE(run(identity(type), { QStringLiteral("--inputs"), QStringLiteral("-"), QStringLiteral("--out"), path },
                     '[' + value + ']')
                     .code,
            0);
        const Ran again = run(identity(type), { QStringLiteral("--inputs"), path, QStringLiteral("--json") });
        QCOMPARE(again.code, 0);
        QVERIFY(again.json().at("results") == ran.json().at("results"));
    }

    /// A manual computation that says of different values that they are the same.
    void liesAboutReplication()
    {
        const Ran ran = runJson(liar, "[[1, 2, 3, 4]]");
        QCOMPARE(ran.code, 1);
        const Json check = ran.json().at("check");
        QVERIFY(check.at("passed") == false);
        QVERIFY(check.at("verdict") == "differs");
        const Json value = valueOfResult(check, 0);
        QVERIFY(value.at("replicas_agree") == false);
        QVERIFY(value.at("copies_differ").at("device_ids") == Json::parse("[0, 1]"));
        QVERIFY(value.at("copies_differ").at("element") == Json::parse("[0]"));
        QVERIFY(value.at("copies_differ").at("values") == Json::parse("[2, 6]"));
        const Json& first = check.at("first_difference");
        QVERIFY(first.at("operation") == "sdy.manual_computation");
        QVERIFY(first.at("line") == 3);
        QVERIFY(first.at("element") == Json::parse("[0]"));
        QVERIFY(first.at("found") == 2);
        QVERIFY(first.at("other") == 6);
        const Ran text = run(liar, { QStringLiteral("--inputs"), QStringLiteral("-") }, "[[1, 2, 3, 4]]");
        QCOMPARE(text.code, 1);
        QVERIFY2(text.out.contains(QStringLiteral("%0[0] is 2 on d0 and 6 on d1, which should hold the same bits")),
            qPrintable(text.out));
        QVERIFY(text.out.contains(QStringLiteral("out_shardings")));
        // Where both halves are the same, nobody has lied.
        QCOMPARE(runJson(liar, "[[1, 2, 1, 2]]").code, 0);
    }

    void notFinite()
    {
        const QByteArray text = R"(sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
  %0 = stablehlo.log %arg0 : tensor<4xf32>
  %1 = stablehlo.add %0, %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
)";
        const Ran ran = runJson(text, "[[1, 2, -1, 0]]");
        QCOMPARE(ran.code, 0); // allowed: both runs agree
        const Json found = ran.json().at("first_not_finite");
        QCOMPARE(found.size(), std::size_t{ 4 }); // NaN and infinity, of the reference and of the devices
        QVERIFY(found.at(0).at("kind") == "nan");
        QVERIFY(found.at(0).at("from") == "operation");
        QVERIFY(found.at(0).at("operation") == "stablehlo.log");
        QVERIFY(found.at(0).at("line") == 3);
        QVERIFY(found.at(0).at("value") == "%0");
        QVERIFY(found.at(0).at("element") == Json::parse("[2]"));
        QVERIFY(found.at(1).at("kind") == "infinity");
        QVERIFY(found.at(1).at("element") == Json::parse("[3]"));
        QVERIFY(found.at(2).at("run") == "devices");
        QVERIFY(found.at(2).at("device") == 1);
        QVERIFY(found.at(2).at("element") == Json::parse("[0]"));
        // One that comes in with an argument.
        const Ran specified = run(text, { QStringLiteral("--inputs"), QStringLiteral("-") }, "[[1, 2, 3, \"nan\"]]");
        QCOMPARE(specified.code, 0);
        QVERIFY2(specified.out.contains(QStringLiteral("%arg0[3] is NaN as it is given")), qPrintable(specified.out));
        QCOMPARE(specified.out.count(QStringLiteral("is NaN as it is given")), 1);
    }

    /// NaN on both sides says nothing of the devices.
    void nothingToCompare()
    {
        const QByteArray text = R"(sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
  %0 = stablehlo.log %arg0 : tensor<4xf32>
  return %0 : tensor<4xf32>
}
)";
        const Ran ran = runJson(text, "[[-1, -2, -3, -4]]");
        QCOMPARE(ran.code, 1);
        const Json check = ran.json().at("check");
        QVERIFY(check.at("passed") == false);
        QVERIFY(check.at("verdict") == "not_compared");
        QVERIFY(check.at("compared") == 0);
        QVERIFY(check.at("not_finite") == 4);
        const Ran stated = run(text, { QStringLiteral("--inputs"), QStringLiteral("-") }, "[[-1, -2, -3, -4]]");
        QVERIFY2(stated.out.contains(QStringLiteral("result 0 could not be compared: all of it, 4 elements, is NaN")),
            qPrintable(stated.out));
        QVERIFY(!stated.out.contains(QStringLiteral("agree")));
        // One number is enough for a comparison, and the others are counted.
        const Ran one = runJson(text, "[[1, -2, -3, -4]]");
        QCOMPARE(one.code, 0);
        QVERIFY(one.json().at("check").at("verdict") == "agrees");
        QVERIFY(one.json().at("check").at("compared") == 1);
        QVERIFY(valueOfResult(one.json().at("check"), 0).at("not_finite") == 3);
        // A result without a number is not compared, whatever the others are.
        QByteArray both = text;
        both.replace("-> tensor<4xf32> {", "-> (tensor<4xf32>, tensor<4xf32>) {")
            .replace("return %0 : tensor<4xf32>", "return %arg0, %0 : tensor<4xf32>, tensor<4xf32>");
        const Ran half = runJson(both, "[[-1, -2, -3, -4]]");
        QCOMPARE(half.code, 1);
        QVERIFY(half.json().at("check").at("verdict") == "not_compared");
        QVERIFY(half.json().at("check").at("compared") == 4);
        // On random inputs a logarithm has a value.
        QVERIFY(run(text, { QStringLiteral("--json") }).json().at("check").at("not_finite") == 0);
    }

    /// Large arrays are summed up, unless they are asked for.
    void summaries()
    {
        const QByteArray text = identity("tensor<65xi32>");
        QByteArray inputs = "[[";
        for (int i = 0; i < 65; ++i)
            inputs += (i == 0 ? "" : ",") + QByteArray::number(i == 7 ? -100 : i);
        inputs += "]]";
        const Json result = runJson(text, inputs).json().at("results").at(0);
        QVERIFY(!result.contains("value"));
        const Json& summary = result.at("summary");
        QVERIFY(summary.at("shape") == Json::parse("[65]"));
        QVERIFY(summary.at("dtype") == "i32");
        QVERIFY(summary.at("min") == -100);
        QVERIFY(summary.at("max") == 64);
        QCOMPARE(summary.at("mean").get<double>(), (64 * 65 / 2 - 7 - 100) / 65.0);
        QVERIFY(summary.at("not_finite") == 0);
        QCOMPARE(summary.at("sha256").get<std::string>().size(), std::size_t{ 64 });
        const Json full = runJson(text, inputs, { QStringLiteral("--values") }).json().at("results").at(0);
        QCOMPARE(full.at("value").size(), std::size_t{ 65 });
        QVERIFY(full.at("summary") == summary);
        // As numpy has it: hashlib.sha256(numpy.float32([1, 2]).tobytes()).hexdigest()
        const Json known = runJson(identity("tensor<2xf32>"), "[[1, 2]]").json().at("results").at(0);
        const QByteArray bytes = QByteArray::fromHex("0000803f00000040");
        QCOMPARE(QByteArray::fromStdString(known.at("summary").at("sha256").get<std::string>()),
            QCryptographicHash::hash(bytes, QCryptographicHash::Sha256).toHex());
        const Json none = runJson(identity("tensor<2xf32>"), "[[\"nan\", \"inf\"]]").json().at("results").at(0);
        QVERIFY(none.at("summary").at("not_finite") == 2);
        QVERIFY(!none.at("summary").contains("min"));
    }

    /// A loop whose condition never becomes false, with what it is called and where it stands.
    void loopWithoutEnd()
    {
        const QByteArray text = R"(func.func @main(%arg0: tensor<f32>) -> tensor<f32> {
  %t = stablehlo.constant dense<true> : tensor<i1>
  %forever = stablehlo.while(%i = %arg0) : tensor<f32>
    cond {
      stablehlo.return %t : tensor<i1>
    } do {
      %n = stablehlo.add %i, %i : tensor<f32>
      stablehlo.return %n : tensor<f32>
    }
  return %forever : tensor<f32>
}
)";
        const Ran ran = run(text, { QStringLiteral("--loop-limit=1000"), QStringLiteral("--json") });
        QCOMPARE(ran.code, 1);
        const Json problem = ran.json().at("problems").at(0);
        QVERIFY(problem.at("code") == "E144");
        QVERIFY2(ran.error.contains(QStringLiteral("the loop %forever in line 3 has not ended"))
                && ran.error.contains(QStringLiteral("1,000")),
            qPrintable(ran.error));
        // There is a limit without the option, and a loop that needs more trips gets them.
        QCOMPARE(run(text, {}).code, 1);
        QByteArray counting = text;
        counting.replace("stablehlo.return %t : tensor<i1>",
            "%c = stablehlo.constant dense<1.0e+30> : tensor<f32>\n      %l = stablehlo.compare LT, %i, %c : "
            "(tensor<f32>, tensor<f32>) -> tensor<i1>\n      stablehlo.return %l : tensor<i1>");
        const auto code = [&](const char* limit) {
            return run(counting, { QStringLiteral("--inputs"), QStringLiteral("-"), QLatin1String(limit) }, "[1]").code;
        };
        QCOMPARE(code("--loop-limit=100"), 0); // 2^100 is beyond 1e30
        QCOMPARE(code("--loop-limit=99"), 1);
        QCOMPARE(code("--loop-limit=0"), 2);
        // An experiment that names the file: the place is in the file, as it is seen from here.
        QVERIFY(QDir(m_folder.path()).mkpath(QStringLiteral("sub")));
        const QString program = file("sub/loop.mlir", text);
        Json experiment =
            Json::parse(fileBytes(QStringLiteral(SHARDSCOPE_SOURCE_DIR "/resources/examples/jax-layer-program.json"))
                            .toStdString());
        experiment["model"] = { { "preset", "program" }, { "file", "loop.mlir" } };
        experiment["run"].erase("initial");
        const QString named = file("sub/loop.json", QByteArray::fromStdString(experiment.dump()));
        const Ran elsewhere = runProgram({ QStringLiteral("run"), named });
        QCOMPARE(elsewhere.code, 1);
        QVERIFY2(elsewhere.error.startsWith(program + QStringLiteral(":3:3: E144")), qPrintable(elsewhere.error));
    }

    /// Results that are arguments of the next step stay on the devices from step to step.
    /// What the step computes does not depend on what becomes of it: old values of arguments are results as they were,
    /// however the state is known, and the check says so.
    void stateChangesNoResult_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QStringList>("states");
        QTest::addColumn<QByteArray>("wanted");
        const QByteArray x = " {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>}";
        const QByteArray head = "sdy.mesh @mesh = <[\"x\"=2]>\nfunc.func @main(";
        const QByteArray results = "-> (tensor<4xf32>, tensor<4xf32>) {\n";
        const QStringList states{ {}, QStringLiteral("none"), QStringLiteral("0=0"), QStringLiteral("1=1"),
            QStringLiteral("0=1,1=0") };
        QTest::newRow("an argument is a result") << head + "%p: tensor<4xf32>, %q: tensor<4xf32>" + x + ") " + results
                + "  %v = stablehlo.add %p, %q : tensor<4xf32>\n"
                  "  return %v, %p : tensor<4xf32>, tensor<4xf32>\n}\n"
                                                 << states << QByteArray("[[11, 12, 13, 14], [1, 2, 3, 4]]");
        QTest::newRow("a reverse over devices") << head + "%p: tensor<4xf32>" + x + ", %q: tensor<4xf32>) " + results
                + "  %v = stablehlo.reverse %p, dims = [0] : tensor<4xf32>\n"
                  "  return %q, %v : tensor<4xf32>, tensor<4xf32>\n}\n"
                                                << states << QByteArray("[[10, 10, 10, 10], [4, 3, 2, 1]]");
        QTest::newRow("a loop carries it") << head + "%p: tensor<4xf32>, %q: tensor<4xf32>" + x + ") " + results + R"(
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0:3 = stablehlo.while(%a = %p, %i = %c, %v = %q) : tensor<4xf32>, tensor<i32>, tensor<4xf32>
   cond {
    %n = stablehlo.constant dense<2> : tensor<i32>
    %t = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    %w = stablehlo.add %a, %v : tensor<4xf32>
    stablehlo.return %a, %j, %w : tensor<4xf32>, tensor<i32>, tensor<4xf32>
  }
  %d = stablehlo.subtract %0#0, %0#2 : tensor<4xf32>
  return %d, %0#0 : tensor<4xf32>, tensor<4xf32>
}
)" << states << QByteArray("[[-11, -12, -13, -14], [1, 2, 3, 4]]");
    }
    void stateChangesNoResult()
    {
        QFETCH(QByteArray, text);
        QFETCH(QStringList, states);
        QFETCH(QByteArray, wanted);
        for (const QString& state : states) {
            QStringList options{ QStringLiteral("--inputs"), QStringLiteral("-"), QStringLiteral("--json"),
                QStringLiteral("--values"), QStringLiteral("--no-timeit") };
            if (!state.isEmpty())
                options << QStringLiteral("--state") << state;
            const Ran ran = run(text, options, "[[1, 2, 3, 4], [10, 10, 10, 10]]");
            QVERIFY2(ran.code == 0, qPrintable(state + QLatin1Char(' ') + ran.error + ran.out));
            const Json json = ran.json();
            QVERIFY(json.at("check").at("verdict") == "agrees");
            const Json numbers = Json::parse(wanted.toStdString());
            for (std::size_t r = 0; r < numbers.size(); ++r)
                QVERIFY2(json.at("results").at(r).at("value") == numbers.at(r), qPrintable(state));
        }
    }

    /// A program without a loss has no column for it.
    void lossColumn()
    {
        const auto steps = [&](const QByteArray& results, const QByteArray& returned) {
            const QByteArray text = "func.func @main(%w: tensor<4xf32>, %l: tensor<f32>) -> " + results
                + " {\n  %n = stablehlo.add %w, %w : tensor<4xf32>\n  return " + returned + " : "
                + QByteArray(results).replace('(', "").replace(')', "") + "\n}\n";
            const Ran ran = run(text,
                { QStringLiteral("--steps"), QStringLiteral("2"), QStringLiteral("--state"), QStringLiteral("0=0"),
                    QStringLiteral("--no-timeit") });
            return ran.out.section(QStringLiteral("Steps\n"), 1).section(QLatin1Char('\n'), 0, 0).simplified();
        };
        QCOMPARE(steps("tensor<4xf32>", "%n"), QStringLiteral("Step Wall time"));
        QCOMPARE(steps("(tensor<4xf32>, tensor<f32>)", "%n, %l"), QStringLiteral("Step Loss Wall time"));
    }

    void steps()
    {
        const QByteArray text = R"(sdy.mesh @mesh = <["x"=2]>
func.func @main(%w: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>, tf.aliasing_output = 0 : i32}, %x: tensor<f32>) -> (tensor<4xf32>, tensor<f32>) {
  %r = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %n = stablehlo.multiply %w, %r : tensor<4xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %l = stablehlo.reduce(%w init: %z) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %n, %l : tensor<4xf32>, tensor<f32>
}
)";
        const auto losses = [](const Ran& ran) {
            QStringList list;
            const Json json = ran.json();
            for (const Json& step : json.at("steps"))
                list << QString::number(step.at("loss").get<double>());
            return list.join(QLatin1Char(' '));
        };
        const auto with = [&](const QByteArray& program, const QStringList& more) {
            return run(program,
                QStringList{ QStringLiteral("--inputs"), QStringLiteral("-"), QStringLiteral("--json") } + more,
                "[[1, 2, 3, 4], 0.5]");
        };
        const Ran three =
            with(text, { QStringLiteral("--steps=3"), QStringLiteral("--runs=2"), QStringLiteral("--loops=3") });
        QCOMPARE(three.code, 0);
        QCOMPARE(losses(three), QStringLiteral("10 5 2.5"));
        QVERIFY(three.json().at("state").at("source") == "aliases");
        QVERIFY(three.json().at("state").at("fed_back") == Json::parse(R"([{"argument": 0, "result": 0}])"));
        QVERIFY(three.json().at("timing").at("runs") == 2);
        QVERIFY(three.json().at("results").at(0).at("value") == Json::parse("[0.5, 1, 1.5, 2]")); // of the first step
        QVERIFY(!with(text, { QStringLiteral("--no-timeit") }).json().contains("timing"));
        // The same on one device, by a guess, and as it is stated.
        QByteArray plain = text;
        plain.replace("sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>, tf.aliasing_output = 0 : i32", "")
            .replace("sdy.mesh @mesh = <[\"x\"=2]>\n", "");
        const Ran guessed = with(plain, { QStringLiteral("--steps=3") });
        QCOMPARE(losses(guessed), QStringLiteral("10 5 2.5"));
        QVERIFY(guessed.json().at("state").at("source") == "order");
        QVERIFY(!guessed.json().contains("timing"));
        const Ran stated = with(text, { QStringLiteral("--steps=2"), QStringLiteral("--state=1=1") });
        QCOMPARE(stated.code, 0);
        QVERIFY(stated.json().at("state").at("source") == "stated");
        // An experiment's own, and the option in its place.
        file("halves.mlir", text);
        const auto experimentWith = [&](const char* state) {
            return file("halves.json",
                QByteArrayLiteral(
                    R"({ "format": "sharding-experiment", "version": "1.0", "mesh": { "axes": [["x", 2]] },
  "hardware": { "hosts": 1, "devices_per_host": 2 },
  "model": { "preset": "program", "file": "halves.mlir" }, "run": { "state": ")")
                    + state + "\" } }");
        };
        const auto stateIn = [&](const QString& experiment, const QStringList& more) {
            return runProgram(QStringList{ QStringLiteral("run"), experiment, QStringLiteral("--json"),
                                  QStringLiteral("--no-timeit") }
                + more);
        };
        const Ran kept = stateIn(experimentWith("1=1"), {});
        QVERIFY2(kept.code == 0, qPrintable(kept.error));
        QVERIFY(kept.json().at("state").at("source") == "stated");
        QVERIFY(kept.json().at("state").at("fed_back") == Json::parse(R"([{"argument": 1, "result": 1}])"));
        const Ran option = stateIn(experimentWith("1=7"), { QStringLiteral("--state=0=0") });
        QVERIFY2(option.code == 0, qPrintable(option.error));
        QVERIFY(option.json().at("state").at("fed_back") == Json::parse(R"([{"argument": 0, "result": 0}])"));
        const Ran wrong = runProgram({ QStringLiteral("run"), experimentWith("1=7") });
        QVERIFY2(wrong.code == 1 && wrong.error.contains(QStringLiteral("/run/state")), qPrintable(wrong.error));
        // Nothing to go on with, and what cannot be state.
        for (const char* state : { "--state=none", "--state=0=1", "--state=2=0", "--state=x" })
            QCOMPARE(with(text, { QStringLiteral("--steps=2"), QLatin1String(state) }).code, 2);
        const Ran listed = run(text, { QStringLiteral("--inputs"), QStringLiteral("-"), QStringLiteral("--steps=2") },
            "[[1, 2, 3, 4], 0.5]");
        QVERIFY2(listed.out.contains(QStringLiteral("state (as tf.aliasing_output says): w from result 0")),
            qPrintable(listed.out));
    }

    /// The notebook's own step, printed and read again, stays finite from its default start.
    void notebookStepStaysFinite()
    {
        const Ran printed = runProgram({ QStringLiteral("propagate"), QStringLiteral("flax-mlp-logical") });
        QCOMPARE(printed.code, 0);
        const QString step = file("notebook.mlir", printed.out.toUtf8());
        const Ran ran = runProgram({ QStringLiteral("run"), step, QStringLiteral("--random"), QStringLiteral("0"),
            QStringLiteral("--steps=10"), QStringLiteral("--no-timeit"), QStringLiteral("--no-check"),
            QStringLiteral("--json") });
        QCOMPARE(ran.code, 0);
        const Json json = ran.json();
        QCOMPARE(json.at("steps").size(), std::size_t{ 10 });
        for (const Json& each : json.at("steps"))
            QVERIFY(each.at("loss").is_number() && std::isfinite(each.at("loss").get<double>()));
        QStringList starts;
        for (const Json& argument : json.at("arguments")) {
            const QString start = QString::fromStdString(argument.at("initial").get<std::string>());
            if (starts.isEmpty() || starts.back() != start)
                starts << start;
        }
        QCOMPARE(starts.join(QStringLiteral(", ")), QStringLiteral("zeros, fan_in, zeros, uniform -1 1"));
    }

    /// What arguments begin with: chosen, from files, or drawn.
    void initialValues()
    {
        const QByteArray text =
            R"(func.func @main(%x: tensor<4xf32>, %i: tensor<3xi32>, %w: tensor<2xf64>) -> (tensor<4xf32>, tensor<3xi32>, tensor<2xf64>) {
  return %x, %i, %w : tensor<4xf32>, tensor<3xi32>, tensor<2xf64>
}
)";
        const QString program = file("identity.mlir", text);
        const auto with = [&](const QStringList& more) {
            return runProgram(QStringList{ QStringLiteral("run"), program, QStringLiteral("--json") } + more);
        };
        const Ran chosen =
            with({ QStringLiteral("--init"), QStringLiteral("arg0=constant 0.5"), QStringLiteral("--init"),
                QStringLiteral("1=integers 7 8"), QStringLiteral("--init"), QStringLiteral("arg2=uniform 3 4") });
        QCOMPARE(chosen.code, 0);
        const Json json = chosen.json();
        QVERIFY(json.at("results").at(0).at("value") == Json::parse("[0.5, 0.5, 0.5, 0.5]"));
        QVERIFY(json.at("results").at(1).at("value") == Json::parse("[7, 7, 7]"));
        QVERIFY(json.at("arguments").at(2).at("from") == "uniform 3 4, seed 0");
        for (const Json& number : json.at("results").at(2).at("value"))
            QVERIFY(number.get<double>() >= 3 && number.get<double>() < 4);
        // Files are written by the command itself.
        const QString out = m_folder.filePath(QStringLiteral("kept"));
        const Ran declared = with({ QStringLiteral("--random=3"), QStringLiteral("--out"), out });
        QCOMPARE(declared.code, 0);
        const Ran read =
            with({ QStringLiteral("--init"), QStringLiteral("arg2=file ") + out + QStringLiteral("/result2.npy") });
        QVERIFY2(read.code == 0, qPrintable(read.error));
        QVERIFY(read.json().at("results").at(2).at("value") == declared.json().at("results").at(2).at("value"));
        QVERIFY(read.json().at("results").at(0).at("value") != declared.json().at("results").at(0).at("value"));
        const Ran other =
            with({ QStringLiteral("--init"), QStringLiteral("arg1=file ") + out + QStringLiteral("/result2.npy") });
        QVERIFY2(other.code == 2 && other.error.contains(QStringLiteral("E140")), qPrintable(other.error));
        // With --inputs and without --random everything has to be given or chosen.
        const QStringList some{ QStringLiteral("--inputs"),
            QStringLiteral("arg0=") + out + QStringLiteral("/result0.npy"), QStringLiteral("--init"),
            QStringLiteral("arg1=zeros") };
        QCOMPARE(with(some).code, 2);
        QCOMPARE(with(some + QStringList{ QStringLiteral("--init"), QStringLiteral("arg2=ones") }).code, 0);
        const auto refusal = [&](const char* init) {
            return with({ QStringLiteral("--init"), QLatin1String(init) }).out;
        };
        QVERIFY(refusal("arg0=uniform 1 -1").contains(QStringLiteral("Use a value below -1.")));
        QVERIFY(refusal("arg1=constant 1.5").contains(QStringLiteral("holds no such values")));
        QVERIFY(refusal("arg[0-1]=zeros").contains(QStringLiteral("brackets stand for themselves")));
        for (const char* wrong : { "arg0=integers 8", "arg1=normal 1", "arg9=zeros", "arg0=nothing" })
            QCOMPARE(with({ QStringLiteral("--init"), QLatin1String(wrong) }).code, 2);
    }

    /// A result that is sharded otherwise than the argument it becomes is resharded between steps.
    /// A sum over two axes whose result is sharded along one of them is scattered along that and added up along the
    /// other: what stands before, between and after is compared with the reference.
    void sumsOverTwoAxes()
    {
        const QByteArray text = R"(sdy.mesh @mesh = <["data"=2, "model"=2]>
func.func @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data", "model"}, {}]>}, %arg1: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data", "model"}, {}]>}) -> (tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}) {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = stablehlo.negate %0 : tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}
)";
        const QString program = file("sums.mlir", text);
        const Json listed = runProgram({ QStringLiteral("comms"), program, QStringLiteral("--json") }).json();
        QCOMPARE(listed["collectives"].size(), std::size_t{ 2 });
        QCOMPARE(listed["collectives"][0]["kind"].get<std::string>(), std::string("reduce_scatter"));
        QCOMPARE(listed["collectives"][1]["kind"].get<std::string>(), std::string("all_reduce"));
        const Ran ran = run(text, {});
        QVERIFY2(ran.code == 0, qPrintable(ran.out + ran.error));
    }

    void stepsThatReshard()
    {
        const QByteArray text = R"(sdy.mesh @mesh = <["x"=2]>
func.func @main(%w: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, tensor<f32>) {
  %t = stablehlo.transpose %w, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %f = stablehlo.slice %w [0:1, 0:4] : (tensor<4x4xf32>) -> tensor<1x4xf32>
  %l = stablehlo.reduce(%f init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x4xf32>, tensor<f32>) -> tensor<f32>
  return %t, %l : tensor<4x4xf32>, tensor<f32>
}
)";
        const Ran ran = run(text,
            { QStringLiteral("--inputs"), QStringLiteral("-"), QStringLiteral("--json"), QStringLiteral("--steps=3"),
                QStringLiteral("--state=0=0") },
            "[[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]]]");
        QCOMPARE(ran.code, 0);
        QStringList sums; // of the first row, of the first column, and of the row again
        const Json json = ran.json();
        for (const Json& step : json.at("steps"))
            sums << QString::number(step.at("loss").get<double>());
        QCOMPARE(sums.join(QLatin1Char(' ')), QStringLiteral("10 28 10"));
    }

    /// `run` executes what `comms` lists, under every strategy of the experiment.
    void strategies()
    {
        const QByteArray text = R"(sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<8x32xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  %1 = stablehlo.tanh %0 : tensor<8x32xf32>
  return %1 : tensor<8x32xf32>
}
)";
        (void)file("contended.mlir", text);
        std::set<std::string> ways;
        const auto compare = [&](const QString& name, const char* what) {
            const Ran listed = runProgram({ QStringLiteral("comms"), name, QStringLiteral("--json") });
            const Ran ran = runProgram({ QStringLiteral("run"), name, QStringLiteral("--json") });
            QVERIFY2(listed.code == 0 && ran.code == 0, qPrintable(listed.error + ran.error));
            std::map<std::string, std::pair<std::int64_t, double>> wanted, found;
            const Json collectivesJson = listed.json();
            for (const Json& each : collectivesJson.at("collectives"))
                if (each.at("kind") != "all_slice") {
                    auto& [times, bytes] = wanted[each.at("kind").get<std::string>()];
                    times += each.at("times").get<std::int64_t>();
                    bytes += each.at("sent_bytes_per_step").get<double>();
                }
            const Json exchangedJson = ran.json();
            for (const Json& each : exchangedJson.at("exchanged"))
                found[each.at("kind").get<std::string>()] = { each.at("times").get<std::int64_t>(),
                    each.at("sent_bytes").get<double>() };
            QVERIFY2(wanted == found, what);
            ways.insert(ran.json().at("exchanged").dump());
        };
        for (const char* strategy : { "basic", "aggressive", "op-priority", "user-priority", "full" }) {
            QByteArray experiment = experimentText(R"("title": "Contended", "mesh": { "axes": [["x", 2], ["y", 4]] },
  "model": { "preset": "program", "file": "contended.mlir" }, "propagation": { "strategy": "STRATEGY" })");
            experiment.replace("STRATEGY", strategy);
            compare(file("contended.json", experiment), strategy);
        }
        QVERIFY2(ways.size() > 1, "all strategies lead to the same exchanges");
        for (const resources::ExampleFile& example : resources::exampleFiles())
            if (std::holds_alternative<ProgramModel>(findExample(example.id)->experiment.model))
                compare(
                    QString::fromUtf8(example.id.data(), static_cast<qsizetype>(example.id.size())), example.id.data());
    }

    /// The notebook's train step as its text: Adam's second moment under a root, weights of a thousand terms.
    void trainStepIsFinite()
    {
        const Ran specified = runProgram({ QStringLiteral("propagate"), QStringLiteral("flax-mlp-logical") });
        QCOMPARE(specified.code, 0);
        const QString step = file("step.mlir", specified.out.toUtf8());
        const Ran ran = runProgram(
            { QStringLiteral("run"), step, QStringLiteral("--random"), QStringLiteral("1"), QStringLiteral("--json") });
        QVERIFY2(ran.code == 0, qPrintable(ran.error));
        QVERIFY(ran.json().at("first_not_finite").empty());
        QVERIFY(ran.json().at("check").at("verdict") == "agrees");
        QVERIFY(ran.json().at("check").at("not_finite") == 0);
        QVERIFY2(ran.out.size() < 200'000, qPrintable(QString::number(ran.out.size())));
        // The same numbers without any check, on the same seed.
        const auto hashes = [](const Json& json) {
            std::vector<std::string> all;
            for (const Json& argument : json.at("arguments"))
                all.push_back(argument.at("summary").at("sha256").get<std::string>());
            return all;
        };
        const auto drawn = [&](const char* seed) {
            return hashes(
                runProgram({ QStringLiteral("run"), step, QStringLiteral("--random"), QLatin1String(seed),
                               QStringLiteral("--no-check"), QStringLiteral("--no-timeit"), QStringLiteral("--json") })
                    .json());
        };
        QVERIFY(drawn("1") == hashes(ran.json()));
        QVERIFY(drawn("2") != hashes(ran.json()));
    }

    /// What is listed of a train step's arguments is what the step reads: the same arrays from a file give its results.
    /// The momentum begins with zeros.
    void listedArgumentsAreRead()
    {
        const QString program = file("momentum.mlir",
            R"(func.func public @main(%arg0: tensor<4x2xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<4x2xf32> {tf.aliasing_output = 1 : i32} loc("opt_state/mu"), %arg2: tensor<8x4xf32>, %arg3: tensor<8x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<f32>) {
  %0 = stablehlo.dot_general %arg2, %arg0, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  %1 = stablehlo.subtract %0, %arg3 : tensor<8x2xf32>
  %2 = stablehlo.multiply %1, %1 : tensor<8x2xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x2xf32>, tensor<f32>) -> tensor<f32>
  %4 = stablehlo.dot_general %arg2, %1, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %beta = stablehlo.constant dense<0.9> : tensor<4x2xf32>
  %5 = stablehlo.multiply %beta, %arg1 : tensor<4x2xf32>
  %6 = stablehlo.add %5, %4 : tensor<4x2xf32>
  %rate = stablehlo.constant dense<0.1> : tensor<4x2xf32>
  %7 = stablehlo.multiply %rate, %6 : tensor<4x2xf32>
  %8 = stablehlo.subtract %arg0, %7 : tensor<4x2xf32>
  return %8, %6, %3 : tensor<4x2xf32>, tensor<4x2xf32>, tensor<f32>
}
)");
        const auto with = [&](const QStringList& more) {
            return runProgram(QStringList{ QStringLiteral("run"), program, QStringLiteral("--json"),
                                  QStringLiteral("--values"), QStringLiteral("--no-timeit") }
                + more);
        };
        const Ran drawn = with({});
        QVERIFY2(drawn.code == 0, qPrintable(drawn.error));
        const Json arguments = drawn.json().at("arguments");
        QVERIFY2(arguments.at(1).at("from") == "zeros", arguments.at(1).dump().c_str());
        QVERIFY(arguments.at(0).at("from") != "zeros");
        Json arrays = Json::array();
        for (const Json& argument : arguments)
            arrays.push_back(argument.at("value"));
        const Ran read =
            with({ QStringLiteral("--inputs"), file("arguments.json", QByteArray::fromStdString(arrays.dump())) });
        QVERIFY2(read.code == 0, qPrintable(read.error));
        QVERIFY(read.json().at("results") == drawn.json().at("results"));
    }

    /// A slip in an attribute that says something is told, once each; attributes of other programs are not.
    void misspeltAttributes()
    {
        const QString program = file("attributes.mlir",
            R"(func.func @main(%a: tensor<4xf32> {tf.aliasing_outptu = 0 : i32, jax.arg_info = "a"}, %b: tensor<4xf32> {tf.aliasing_outptu = 1 : i32, jax.bufer_donor = true}) -> (tensor<4xf32> {jax.result_info = "x"}, tensor<4xf32> {sdy.shardng = "y", xla.sharding = "z"}) {
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}
)");
        const Json problems =
            runProgram({ QStringLiteral("check"), program, QStringLiteral("--json") }).json().at("problems");
        QStringList told;
        for (const Json& problem : problems)
            if (problem.at("code") == "W220")
                told << QString::fromStdString(problem.dump());
        QCOMPARE(told.size(), 3);
        for (const char* meant : { "tf.aliasing_output", "jax.buffer_donor", "sdy.sharding" })
            QCOMPARE(told.filter(QLatin1String(meant)).size(), 1);
    }

    /// The program of a device is printed where it can be, and errors in it count.
    void partitionOfErrors()
    {
        const QString program = file("memories.mlir",
            R"(func.func @main(%a: tensor<4xf32> {mhlo.memory_kind = "device"}, %b: tensor<4xf32> {mhlo.memory_kind = "pinned_host"}) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}
)");
        QCOMPARE(runProgram({ QStringLiteral("check"), program }).code, 1);
        const Ran ran = runProgram({ QStringLiteral("partition"), program });
        QCOMPARE(ran.code, 1);
        QVERIFY(ran.out.contains(QStringLiteral("stablehlo.add")));
        QCOMPARE(runProgram({ QStringLiteral("partition"), program, QStringLiteral("--json") }).code, 1);
        QCOMPARE(runProgram({ QStringLiteral("partition"), QStringLiteral("flax-mlp-logical") }).code, 0);
    }

    /// Of a program that each replica runs, nothing is left to partition: it stays one for as many.
    void partitionOfReplicas()
    {
        const QString program = file("replicas.mlir",
            R"(module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 4 : i32} {
func.func public @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.all_reduce"(%arg0) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
})");
        QCOMPARE(runProgram({ QStringLiteral("check"), program }).out.trimmed().section(QStringLiteral(": "), -1),
            QStringLiteral("no problems"));
        const Ran ran = runProgram({ QStringLiteral("partition"), program });
        QCOMPARE(ran.code, 0);
        QVERIFY(ran.out.startsWith(QStringLiteral("// What every device runs, on 4 devices;")));
        QVERIFY(ran.out.contains(QStringLiteral("mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 4 : i32")));
        const QString again = file("again.mlir", ran.out.toUtf8());
        QCOMPARE(runProgram({ QStringLiteral("verify"), again }).code, 0);
        QCOMPARE(runProgram({ QStringLiteral("run"), again, QStringLiteral("--no-timeit") }).code, 0);
    }

    /// Each result of a loop within a manual computation has its own name.
    void resultsOfLoops()
    {
        const QString program = file("loop.mlir", R"(sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<64x8xf32>) -> tensor<64x8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%b: tensor<32x8xf32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %four = stablehlo.constant dense<4> : tensor<i32>
    %1:3 = stablehlo.while(%i = %zero, %u = %b, %v = %b) : tensor<i32>, tensor<32x8xf32>, tensor<32x8xf32>
    cond {
      %p = stablehlo.compare LT, %i, %four : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %n = stablehlo.add %i, %one : tensor<i32>
      %w = stablehlo.add %u, %v : tensor<32x8xf32>
      %y = stablehlo.multiply %u, %v : tensor<32x8xf32>
      stablehlo.return %n, %w, %y : tensor<i32>, tensor<32x8xf32>, tensor<32x8xf32>
    }
    %2 = stablehlo.add %1#1, %1#2 : tensor<32x8xf32>
    sdy.return %2 : tensor<32x8xf32>
  } : (tensor<64x8xf32>) -> tensor<64x8xf32>
  return %0 : tensor<64x8xf32>
})");
        const QString shown = runProgram({ QStringLiteral("show"), program }).out;
        for (const char* name : { "%1#1, by while", "%1#2, by while" })
            QCOMPARE(shown.count(QLatin1String(name)), 1);
        QVERIFY(!shown.contains(QStringLiteral("%1#0, by while  tensor<32x8xf32>")));
    }

    /// A module for another number of devices than its mesh has is told.
    void otherPartitions()
    {
        const auto toldOf = [this](const char* partitions) {
            const QString program = file(
                "partitions.mlir", QByteArray("module attributes {mhlo.num_partitions = ") + partitions + R"( : i32} {
sdy.mesh @mesh = <["x"=8]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}
})");
            return runProgram({ QStringLiteral("check"), program }).out;
        };
        QVERIFY(toldOf("4").contains(QStringLiteral("W239: the module is for 4 devices")));
        for (const char* fine : { "8", "1" })
            QVERIFY(!toldOf(fine).contains(QStringLiteral("W239")));
    }

    /// What `partition` prints of an example is a program that is read, legal, and runs.
    void partitionedExamples_data()
    {
        QTest::addColumn<QString>("example");
        for (const resources::ExampleFile& example : resources::exampleFiles())
            QTest::newRow(example.id.data())
                << QString::fromUtf8(example.id.data(), static_cast<qsizetype>(example.id.size()));
    }
    void partitionedExamples()
    {
        QFETCH(const QString, example);
        const Ran printed = runProgram({ QStringLiteral("partition"), example });
        QVERIFY2(printed.code == 0, qPrintable(printed.error));
        const QString text = file("partitioned.mlir", printed.out.toUtf8());
        const Ran verified = runProgram({ QStringLiteral("verify"), text });
        QVERIFY2(verified.code == 0, qPrintable(verified.out + verified.error));
        const Ran ran =
            runProgram({ QStringLiteral("run"), text, QStringLiteral("--no-timeit"), QStringLiteral("--json") });
        const bool fits = !ran.error.contains(QStringLiteral("E145"));
        QVERIFY2(ran.code == (fits ? 0 : 1), qPrintable(ran.error));
        if (fits && !ran.json().at("steps").empty()) // nothing computes a table of arrays
            QVERIFY(ran.json().at("first_not_finite").empty());
    }

    /// Groups over axes of the mesh, as JAX prints them now, are those that a table of devices names.
    void groupsOverMeshAxes()
    {
        const auto ran = [&](const QByteArray& groups) {
            const QByteArray text =
                "sdy.mesh @mesh = <[\"x\"=2, \"y\"=4]>\nfunc.func public @main(%arg0: tensor<32xf32>) -> "
                "tensor<16xf32> {\n"
                "%0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{\"x\", \"y\"}]>] out_shardings=[<@mesh, "
                "[{\"y\"}]>] manual_axes={\"x\", \"y\"} (%a: tensor<4xf32>) {\n"
                "%1 = \"stablehlo.all_reduce\"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, "
                "replica_groups = "
                + groups
                + ", use_global_device_ids}> ({\n^bb0(%b: tensor<f32>, %c: tensor<f32>):\n%d = stablehlo.add %b, %c : "
                  "tensor<f32>\nstablehlo.return %d : tensor<f32>\n}) : (tensor<4xf32>) -> tensor<4xf32>\n"
                  "sdy.return %1 : tensor<4xf32>\n} : (tensor<32xf32>) -> tensor<16xf32>\nreturn %0 : "
                  "tensor<16xf32>\n}\n";
            const QString path = file("groups.mlir", text);
            return runProgram({ QStringLiteral("run"), path, QStringLiteral("--random"), QStringLiteral("1"),
                                  QStringLiteral("--values"), QStringLiteral("--json") })
                .json();
        };
        const Json axes = ran(
                       "#stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = \"x\">]>"),
                   table = ran("dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>"),
                   all = ran("dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>");
        QVERIFY(axes.at("results").at(0).at("value") == table.at("results").at(0).at("value"));
        QVERIFY(axes.at("results").at(0).at("value") != all.at("results").at(0).at("value"));
        QVERIFY(axes.at("exchanged") == table.at("exchanged"));
        QVERIFY(axes.at("exchanged").at(0).at("sent_bytes") == 16); // 2 × 1/2 of four floats
    }

    /// Places beyond the end are moved back into the array, as StableHLO says.
    void clamped()
    {
        const QByteArray slice = function("%arg0: tensor<5xi32>, %arg1: tensor<i32>",
            "  %0 = stablehlo.dynamic_slice %arg0, %arg1, sizes = [2] : (tensor<5xi32>, tensor<i32>) -> tensor<2xi32>\n"
            "  return %0 : tensor<2xi32>",
            "tensor<2xi32>");
        const QByteArray gather = function("%arg0: tensor<5xi32>, %arg1: tensor<1xi32>",
            "  %0 = \"stablehlo.gather\"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], "
            "start_index_map = [0]>, slice_sizes = array<i64: 2>, indices_are_sorted = false}> : (tensor<5xi32>, "
            "tensor<1xi32>) -> tensor<2xi32>\n  return %0 : tensor<2xi32>",
            "tensor<2xi32>");
        for (const auto& [at, wanted] :
            { std::pair("9", "[13, 14]"), std::pair("-7", "[10, 11]"), std::pair("2", "[12, 13]") }) {
            const QByteArray array = "[[10, 11, 12, 13, 14], ";
            QVERIFY(runJson(slice, array + at + ']').json().at("results").at(0).at("value") == Json::parse(wanted));
            QVERIFY(
                runJson(gather, array + '[' + at + "]]").json().at("results").at(0).at("value") == Json::parse(wanted));
        }
        // Sharded over devices they mean the same.
        QByteArray sharded = slice;
        sharded.replace("%arg0: tensor<5xi32>", "%arg0: tensor<6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>}")
            .replace("(tensor<5xi32>", "(tensor<6xi32>");
        const Json json = runJson("sdy.mesh @mesh = <[\"x\"=2]>\n" + sharded, "[[10, 11, 12, 13, 14, 15], 9]").json();
        QVERIFY(json.at("results").at(0).at("value") == Json::parse("[14, 15]"));
        QVERIFY(json.at("check").at("passed") == true);
    }

    void tooLarge()
    {
        const QByteArray type = "tensor<2000000x2000000xf32>";
        const Ran ran = run(
            function("%arg0: " + type, "  %0 = stablehlo.add %arg0, %arg0 : " + type + "\n  return %0 : " + type, type),
            { QStringLiteral("--random"), QStringLiteral("1"), QStringLiteral("--json") });
        QCOMPARE(ran.code, 1);
        const Json problem = ran.json().at("problems").at(0);
        QVERIFY(problem.at("code") == "E126");
        QVERIFY(problem.at("args").at("bytes") >= 32'000'000'000'000);
        QVERIFY(problem.at("args").at("limit") > 0);
    }

    void refused_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("stated");
        const QByteArray one = "%arg0: tensor<2xf32>", type = "tensor<2xf32>";
        const QByteArray handle =
            "channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true";
        QTest::newRow("custom call") << function(one,
            "  %0 = stablehlo.custom_call @my_kernel(%arg0) : (tensor<2xf32>) -> tensor<2xf32>\n  return %0 : "
            "tensor<2xf32>",
            type) << QStringLiteral("my_kernel");
        QTest::newRow("custom call of several results") << function(one,
            "  %0:2 = stablehlo.custom_call @my_kernel(%arg0) : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)\n"
            "  return %0#0 : tensor<2xf32>",
            type) << QStringLiteral("stablehlo.custom_call calls “my_kernel”, and nobody knows what that computes");
        QTest::newRow("infeed") << function("",
            "  %t = stablehlo.create_token : !stablehlo.token\n  %0:2 = \"stablehlo.infeed\"(%t) : (!stablehlo.token) "
            "-> (tensor<2xf32>, !stablehlo.token)\n  return %0#0 : tensor<2xf32>",
            type) << QStringLiteral("stablehlo.infeed exchanges values");
        QTest::newRow("send") << function(one,
            "  %t = stablehlo.create_token : !stablehlo.token\n  %0 = \"stablehlo.send\"(%arg0, %t) {" + handle
                + "} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token\n  return %arg0 : tensor<2xf32>",
            type) << QStringLiteral("stablehlo.send exchanges values");
        QTest::newRow("token") << identity("!stablehlo.token") << QStringLiteral("token");
        QTest::newRow("unknown") << function(
            one, "  %0 = \"my.op\"(%arg0) : (tensor<2xf32>) -> tensor<2xf32>\n  return %0 : tensor<2xf32>", type)
                                 << QStringLiteral("my.op");
    }
    void refused()
    {
        QFETCH(const QByteArray, text);
        QFETCH(const QString, stated);
        const Ran ran = run(text, { QStringLiteral("--random"), QStringLiteral("1") });
        QVERIFY2(ran.code == 1, qPrintable(ran.out + ran.error));
        QVERIFY2(ran.error.contains(stated), qPrintable(ran.error));
        QVERIFY(ran.error.contains(QStringLiteral("E144")));
        QVERIFY(ran.out.isEmpty());
    }

    void badInputs_data()
    {
        QTest::addColumn<QByteArray>("inputs");
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("stated");
        QTest::newRow("one missing") << QByteArray("[[[1, 2], [3, 4]]]") << QStringLiteral("E194")
                                     << QStringLiteral("the number of arguments of the list is 1, and should be 2");
        QTest::newRow("one too many") << QByteArray("[1, 2, 3]") << QStringLiteral("E194")
                                      << QStringLiteral("the number of arguments of the list is 3");
        QTest::newRow("missing by name") << QByteArray("{\"arg0\": [[1, 2], [3, 4]]}") << QStringLiteral("E123")
                                         << QStringLiteral("arg1 is not given; it is tensor<2xi32>");
        QTest::newRow("unknown name") << QByteArray("{\"arg7\": 1}") << QStringLiteral("E124")
                                      << QStringLiteral("arg0, arg1");
        QTest::newRow("twice") << QByteArray("{\"arg1\": [1, 2], \"1\": [1, 2]}") << QStringLiteral("E121")
                               << QStringLiteral("arg1");
        QTest::newRow("ragged") << QByteArray("[[[1, 2], [3]], [1, 2]]") << QStringLiteral("E194")
                                << QStringLiteral("the number of entries of arg0[1] is 1, and should be 2");
        QTest::newRow("shape") << QByteArray("[[[1, 2], [3, 4], [5, 6]], [1, 2]]") << QStringLiteral("E194")
                               << QStringLiteral("the number of entries of arg0 is 3");
        QTest::newRow("rank") << QByteArray("[[1, 2], [1, 2]]") << QStringLiteral("E122") << QStringLiteral("arg0[0]");
        QTest::newRow("type") << QByteArray("[[[1, 2], [3, 4]], [1, 2.5]]") << QStringLiteral("E122")
                              << QStringLiteral("whole number (i32)");
        QTest::newRow("text") << QByteArray("[[[1, 2], [3, \"four\"]], [1, 2]]") << QStringLiteral("E122")
                              << QStringLiteral("four");
        QTest::newRow("range") << QByteArray("[[[1, 2], [3, 4]], [1, 2147483648]]") << QStringLiteral("E125")
                               << QStringLiteral("2147483647");
        QTest::newRow("too large for f32")
            << QByteArray("[[[1, 2], [3, 1e39]], [1, 2]]") << QStringLiteral("E125") << QStringLiteral("arg0[1][1]");
        QTest::newRow("no list") << QByteArray("3") << QStringLiteral("E122") << QStringLiteral("--inputs");
        QTest::newRow("no JSON") << QByteArray("[[1, 2") << QStringLiteral("E120")
                                 << QStringLiteral("standard input:1:");
        QTest::newRow("nothing") << QByteArray() << QStringLiteral("E120") << QString();
    }
    void badInputs()
    {
        QFETCH(const QByteArray, inputs);
        QFETCH(const QString, code);
        QFETCH(const QString, stated);
        const QByteArray text = function(
            "%arg0: tensor<2x2xf32>, %arg1: tensor<2xi32>", "  return %arg0 : tensor<2x2xf32>", "tensor<2x2xf32>");
        const Ran ran = run(text, { QStringLiteral("--inputs"), QStringLiteral("-") }, inputs);
        QCOMPARE(ran.code, 2);
        QVERIFY2(ran.error.contains(code), qPrintable(ran.error));
        QVERIFY2(ran.error.contains(stated), qPrintable(ran.error));
        QVERIFY(ran.out.isEmpty());
    }

    void badFiles_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("code");
        const QByteArray data(16, '\0');
        QTest::newRow("cut short") << npy("<f4", "(2, 2)", data.first(10)) << QStringLiteral("E194");
        QTest::newRow("goes on") << npy("<f4", "(2, 2)", data + "x") << QStringLiteral("E194");
        QTest::newRow("cut in the header") << npy("<f4", "(2, 2)", {}).first(20) << QStringLiteral("E120");
        QTest::newRow("other type") << npy("<f8", "(2, 2)", data + data) << QStringLiteral("E140");
        QTest::newRow("other shape") << npy("<f4", "(4,)", data) << QStringLiteral("E140");
        QTest::newRow("raw bytes") << npy("<V2", "(2, 2)", data.first(8)) << QStringLiteral("E140");
        QTest::newRow("huge") << npy("<f4", "(1000000, 1000000, 1000000)", data) << QStringLiteral("E140");
        QTest::newRow("beyond all sizes") << npy("<f4", "(9000000000, 9000000000)", data) << QStringLiteral("E126");
        QTest::newRow("objects") << npy("|O", "(2, 2)", data) << QStringLiteral("E124");
        QTest::newRow("other file") << QByteArray("not an array") << QStringLiteral("E120");
        QTest::newRow("empty") << QByteArray() << QStringLiteral("E120");
        QTest::newRow("newer") << QByteArray("\x93NUMPY\x09\x00\x00\x00\x00\x00", 12) << QStringLiteral("E127");
    }
    void badFiles()
    {
        QFETCH(const QByteArray, bytes);
        QFETCH(const QString, code);
        const Ran ran = run(identity("tensor<2x2xf32>"), { QStringLiteral("--inputs"), file("bad.npy", bytes) });
        QCOMPARE(ran.code, 2);
        QVERIFY2(ran.error.contains(code), qPrintable(ran.error));
        QVERIFY2(ran.error.contains(QStringLiteral("bad.npy")), qPrintable(ran.error));
    }

    void badNames()
    {
        const QByteArray text = identity("tensor<f32>");
        const auto error = [&](const QString& specified) {
            const Ran ran = run(text, { QStringLiteral("--inputs"), specified });
            return ran.code == 2 ? ran.error : QString();
        };
        QVERIFY(error(QStringLiteral("/there/is/no.npy")).contains(QStringLiteral("E129")));
        QVERIFY(error(QStringLiteral("/there/is/no.json")).contains(QStringLiteral("E129")));
        QVERIFY(error(QStringLiteral("array.txt")).contains(QStringLiteral("E124")));
        QVERIFY(error(QStringLiteral("arg9=x.npy")).contains(QStringLiteral("E124")));
        const QString good = file("good.npy", npy("<f4", "()", QByteArray(4, '\0')));
        const Ran twice = run(text, { QStringLiteral("--inputs"), good, good });
        QCOMPARE(twice.code, 2);
        QVERIFY2(twice.error.contains(QStringLiteral("the number of arrays of --inputs is 2, and should be 1")),
            qPrintable(twice.error));
    }

    /// Steps of a program that is none.
    void stepsOfAnyProgram()
    {
        const QString program = file("program.mlir", identity("tensor<f32>"));
        for (const char* option : { "--runs=2", "--loops=2", "--threads=1", "--timeit", "--steps=2" }) {
            const Ran ran = runProgram({ QStringLiteral("run"), program, QStringLiteral("--random"),
                QStringLiteral("1"), QLatin1String(option) });
            const bool isStep = QLatin1String(option) != QLatin1String("--steps=2");
            QCOMPARE(ran.code, isStep ? 0 : 2); // a number is no state
            QVERIFY2(isStep || ran.error.contains(QStringLiteral("name them with --state")), qPrintable(ran.error));
        }
    }

    void expectations()
    {
        const auto text = [](const char* expected) {
            return QByteArray("func.func @main() {\n  %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>\n"
                              "  %1 = stablehlo.constant dense<")
                + expected + "> : tensor<2xf32>\n  check.expect_eq %0, %1 : tensor<2xf32>\n  return\n}\n";
        };
        QCOMPARE(run(text("[1.0, 2.0]"), {}).code, 0);
        const Ran wrong = run(text("[1.0, 3.0]"), {});
        QCOMPARE(wrong.code, 1);
        QVERIFY2(
            wrong.out.contains(QStringLiteral("check.expect_eq in line 4 on d0: element 1 is")), qPrintable(wrong.out));
    }

    /// JAX's names of arguments stand in their locations.
    void argumentsByLocation()
    {
        const QByteArray text =
            R"(func.func @main(%arg0: tensor<2xf32> loc("state.params['w']"), %arg1: tensor<2xf32> loc("state.mu['w']")) -> (tensor<2xf32>, tensor<2xf32>) {
  return %arg0, %arg1 : tensor<2xf32>, tensor<2xf32>
}
)";
        const Ran ran = run(text,
            { QStringLiteral("--json"), QStringLiteral("--init"), QStringLiteral("state.params['w']=ones"),
                QStringLiteral("--init"), QStringLiteral("state.mu*=constant 3") });
        QCOMPARE(ran.code, 0);
        QVERIFY(ran.json().at("results").at(0).at("value") == Json::parse("[1, 1]"));
        QVERIFY(ran.json().at("results").at(1).at("value") == Json::parse("[3, 3]"));
        const Ran explained = runProgram({ QStringLiteral("explain"), QStringLiteral("-"), QStringLiteral("--tensor"),
                                             QStringLiteral("state.mu['w']") },
            text);
        QCOMPARE(explained.code, 0);
        QVERIFY2(explained.out.contains(QStringLiteral("state.mu['w']")), qPrintable(explained.out));
    }

    /// Arguments go by these names wherever they are named, except in text; what the text calls them finds them too.
    void namesOfLocations()
    {
        const QByteArray text = R"(module attributes {mhlo.num_partitions = 2 : i32} {
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>} loc("params['w1']"), %arg1: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>} loc("twice"), %arg2: tensor<2x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>} loc("twice")) -> (tensor<2x4xf32>) {
  %0 = stablehlo.dot_general %arg2, %arg1, contracting_dims = [1] x [0] : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %1 = sdy.sharding_constraint %arg0 <@mesh, [{}, {}]> : tensor<4x4xf32>
  %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  return %2 : tensor<2x4xf32>
}
}
)";
        const auto told = [&](const QStringList& command) {
            const Ran ran = runProgram(command, text);
            return QString::number(ran.code) + QLatin1Char('\n') + ran.out;
        };
        const QString own = QStringLiteral("params['w1']"), stdIn = QStringLiteral("-");
        for (const char* const command : { "show", "comms", "params" }) {
            const QString shown = told({ QString::fromUtf8(command), stdIn });
            QVERIFY2(shown.startsWith(QLatin1Char('0')) && shown.contains(own), qPrintable(shown));
            QVERIFY2(!shown.contains(QStringLiteral("arg0")), qPrintable(shown));
        }
        const QString all = told({ QStringLiteral("show"), stdIn });
        QVERIFY2(all.contains(QStringLiteral("arg1")) && !all.contains(QStringLiteral("twice")), qPrintable(all));
        for (const char* const name : { "params['w1']", "arg0", "%arg0" }) {
            const QString why =
                told({ QStringLiteral("explain"), stdIn, QStringLiteral("--tensor"), QString::fromUtf8(name) });
            QVERIFY2(why.contains(QStringLiteral("Why params['w1'] looks like this")), qPrintable(why));
        }
        const QString propagated = told({ QStringLiteral("propagate"), stdIn });
        QVERIFY2(propagated.contains(QStringLiteral("sdy.sharding_constraint %arg0 ")), qPrintable(propagated));
    }

    /// A program that is what each of several devices runs, with groups of their ids.
    void programOfADevice()
    {
        const QByteArray text = R"(module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.all_reduce"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
})";
        const Ran ran = runJson(text, "[[1, 2]]", { QStringLiteral("--per-device") });
        QCOMPARE(ran.code, 0);
        QVERIFY(ran.json().at("device_count") == 2);
        QVERIFY(ran.json().at("results").at(0).at("value") == Json::parse("[2, 4]"));
        QVERIFY(ran.json().at("devices").at(1).at("results").at(0).at("value") == Json::parse("[2, 4]"));
        // All commands have it on two devices; there is nothing in full to compare it with.
        QVERIFY(!ran.json().contains("check") && ran.json().at("not_compared").is_string());
        QVERIFY(ran.json().at("mesh").at("device_count") == 2);
        QVERIFY(ran.json().at("communication").at("sent_bytes") == 8);
        QVERIFY(ran.json().at("memory_per_device").at("peak_bytes") > 0);
        const auto on = [&](const char* command) {
            return runProgram({ QString::fromUtf8(command), QStringLiteral("-"), QStringLiteral("--json") }, text);
        };
        for (const char* command : { "show", "comms", "partition" }) {
            const Ran shown = on(command);
            QVERIFY2(shown.code == 0, command);
            QVERIFY2(shown.json().at("mesh").at("device_count") == 2, command);
            QVERIFY2(shown.json().at("device_program") == ran.json().at("device_program"), command);
        }
        const Ran checked = on("check");
        QCOMPARE(checked.code, 0);
        QVERIFY(checked.json().at("problems").empty());
        // What is partitioned already stays as it is.
        const std::string once = on("partition").json().at("text");
        const Ran again = runProgram({ QStringLiteral("partition"), QStringLiteral("-"), QStringLiteral("--json") },
            QByteArray::fromStdString(once));
        QCOMPARE(again.json().at("text").get<std::string>(), once);
    }

    /// Groups of more devices than the module counts are illegal.
    void groupsBeyondTheDevices()
    {
        const QByteArray text = R"(module attributes {mhlo.num_partitions = 1 : i32} {
func.func @main(%arg0: tensor<2xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
})";
        const Ran ran = runProgram({ QStringLiteral("verify"), QStringLiteral("-") }, text);
        QCOMPARE(ran.code, 2);
        QVERIFY2(ran.out.contains(QStringLiteral("names device 1, and there is one device")), qPrintable(ran.out));
    }

    /// Devices run a collective over them outside of manual computations. The reference is the program on one device,
    /// so that there is none.
    void collectiveWithoutReference()
    {
        const QByteArray text = R"(sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%b: tensor<f32>, %c: tensor<f32>):
    %1 = stablehlo.add %b, %c : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
})";
        const QStringList arguments{ QStringLiteral("--values"), QStringLiteral("--json") };
        const QString given = file("given.json", "[[1, 2, 3, 4, 5, 6, 7, 8]]");
        const Ran ran = run(text, arguments + QStringList{ QStringLiteral("--inputs"), given });
        QCOMPARE(ran.code, 1);
        const Json problem = ran.json().at("problems").at(0);
        QVERIFY(problem.at("code") == "E144");
        QVERIFY(problem.at("cause")
            == "stablehlo.all_reduce names device 1, and the reference is the program on one device");
        QVERIFY(ran.json().at("results").at(0).at("value") == Json({ 16, 20, 16, 20, 16, 20, 16, 20 }));
        QVERIFY(ran.json().at("exchanged").at(0).at("times") == 1);
        // Without groups it is over all devices.
        QByteArray every = text;
        every.replace("dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>", "dense<> : tensor<0x0xi64>");
        const Ran ofAll = run(every, arguments + QStringList{ QStringLiteral("--inputs"), given });
        QVERIFY(ofAll.json().at("problems").at(0).at("cause") == problem.at("cause"));
        QVERIFY(ofAll.json().at("results") == ran.json().at("results"));
        const Ran unchecked = run(text, arguments + QStringList{ QStringLiteral("--no-check") });
        QCOMPARE(unchecked.code, 0);
        QVERIFY(unchecked.json().at("problems").empty());
    }

    /// Without a channel_handle groups name replicas, of which a mesh is one: every command says so.
    void groupsOfReplicas()
    {
        const auto text = [](const char* groups, const char* more) {
            return QByteArray(R"(sdy.mesh @mesh = <["x"=4]>
func.func public @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%p: tensor<2x8xf32>) {
    %1 = func.call @sum(%p) : (tensor<2x8xf32>) -> tensor<2x8xf32>
    sdy.return %1 : tensor<2x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func private @sum(%p: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = "stablehlo.all_reduce"(%p) <{replica_groups = )")
                + groups + more + R"(}> ({
  ^bb0(%b: tensor<f32>, %c: tensor<f32>):
    %1 = stablehlo.add %b, %c : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
})";
        };
        const auto on = [](const char* command, const QByteArray& program) {
            QStringList arguments{ QString::fromUtf8(command), QStringLiteral("-"), QStringLiteral("--json") };
            if (arguments[0] == QStringLiteral("run"))
                arguments << QStringLiteral("--random") << QStringLiteral("1") << QStringLiteral("--no-timeit");
            return runProgram(arguments, program);
        };
        const char* const commands[] = { "verify", "check", "comms", "partition", "run" };
        const char* const channel = ", channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>";
        const char* const all = "dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>";
        for (const auto& [more, missing] : { std::pair{ "", "channel_handle" }, { channel, "use_global_device_ids" } })
            for (const char* command : commands) {
                const Ran ran = on(command, text(all, more));
                QVERIFY2(ran.code != 0, command);
                QVERIFY2((ran.out + ran.error)
                             .contains(QStringLiteral("has no %1, so that its groups name replicas")
                                           .arg(QString::fromUtf8(missing))),
                    qPrintable(ran.out + ran.error));
                QVERIFY2((ran.out + ran.error).contains(QStringLiteral("it names replica 1, and there is one replica")),
                    qPrintable(ran.out + ran.error));
            }
        // Of one replica nobody adds up anything: its devices send nothing.
        const QByteArray alone = text("dense<> : tensor<0x0xi64>", "");
        for (const char* command : commands)
            QVERIFY2(on(command, alone).code == 0, command);
        QVERIFY(on("comms", alone).json().at("sent_bytes") == 0);
        QVERIFY(on("run", alone).json().at("communication").at("sent_bytes") == 0);
        const QByteArray whole = text(all,
            ", channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, "
            "use_global_device_ids");
        QVERIFY(on("comms", whole).json().at("sent_bytes") == 96);
        QVERIFY(on("run", whole).json().at("communication").at("sent_bytes") == 96);
    }
};

REGISTER_TEST(RunProgramTest)
#include "test_run_program.moc"
