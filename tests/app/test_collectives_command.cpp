// SPDX-License-Identifier: GPL-3.0-or-later
// comms, partition, and explain of a collective.
#include <QRegularExpression>
#include <QTest>

#include <algorithm>

#include "program.h"
#include "registered_test.h"
#include "terminal.h"

using namespace shardscope;

namespace {

const QString mlp = QStringLiteral("flax-mlp-logical");

/// A product whose contracted dimension is cut, in a loop of five trips.
constexpr const char* loop = R"(module @looped {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0) : tensor<i32>, tensor<8x8xf32>
     cond {
      %c_1 = stablehlo.constant dense<5> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.dot_general %iterArg_0, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %c_1 = stablehlo.constant dense<1> : tensor<i32>
      %2 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      stablehlo.return %2, %1 : tensor<i32>, tensor<8x8xf32>
    }
    return %0#1 : tensor<8x8xf32>
  }
}
)";

/// Shardy permutes and exchanges, 512 and 384 bytes; 512 bytes would do.
constexpr const char* reshard = R"(sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2, "w"=2]>
func.func @main(%arg0: tensor<16x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}, {"x"}, {}]>}) -> (tensor<16x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"w"}, {}, {"x", "y"}]>}) {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"z"}, {"x"}, {}]> : tensor<16x8x8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"w"}, {}, {"x", "y"}]> : tensor<16x8x8xf32>
  return %1 : tensor<16x8x8xf32>
}
)";

QStringList words(const char* text)
{
    return QString::fromUtf8(text).split(QLatin1Char(' '));
}

std::int64_t sum(const nlohmann::json& rows, const char* member)
{
    std::int64_t all = 0;
    for (const nlohmann::json& row : rows)
        all += row[member].get<std::int64_t>();
    return all;
}

} // namespace

class CollectivesCommandTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

private Q_SLOTS:
    void showSaysWhatCommsSays_data()
    {
        QTest::addColumn<QString>("example");
        for (const char* example : { "flax-mlp-logical", "flax-mlp-program", "flax-mlp-scan-program", "jax-contraction",
                 "jax-constrained-contraction", "jax-layer-manual", "rule-lab" })
            QTest::newRow(example) << QString::fromLatin1(example);
    }
    /// What a sum is for, and no exchange where data only is cut.
    void showSaysWhatCommsSays()
    {
        QFETCH(QString, example);
        const auto comms = runProgram({ QStringLiteral("comms"), example, QStringLiteral("--json") }).json();
        const auto show = runProgram({ QStringLiteral("show"), example, QStringLiteral("--json") }).json();
        const auto& found = show.at("communication");
        QVERIFY(found.at("sent_bytes") == comms.at("sent_bytes"));
        auto wanted = nlohmann::json::array();
        for (const auto& entry : comms.at("collectives"))
            if (entry.at("kind") != "all_slice")
                wanted.push_back(entry);
        QCOMPARE(found.at("collectives").size(), wanted.size());
        for (std::size_t i = 0; i < wanted.size(); ++i)
            for (const char* member : { "kind", "axes", "tensor", "cause", "times", "sent_bytes", "scalar_loss" })
                QVERIFY2(found.at("collectives")[i].at(member) == wanted[i].at(member), member);
        // As text, every row says what for.
        QStringList lines = runProgram({ QStringLiteral("show"), example }).out.split(QLatin1Char('\n'));
        const qsizetype heading = lines.indexOf(QStringLiteral("Communication per device"));
        QVERIFY(heading > 0);
        std::size_t rows = 0;
        for (const QString& line : lines.mid(heading)) {
            static const QRegularExpression row(
                QStringLiteral("^  (all|reduce|collective)-[a-z-]+  +\\S.*?  +(\\S.*?)  +\\S"));
            const QRegularExpressionMatch match = row.match(line);
            rows += match.hasMatch() ? 1U : 0U;
            QVERIFY2(!match.hasMatch() || match.captured(2) != QLatin1String("-"), qPrintable(line));
        }
        QCOMPARE(rows, wanted.size());
    }

    void meshesOfThreeAxesAreShownFull()
    {
        const QString out = runProgram({ QStringLiteral("show"), QStringLiteral("rule-lab") }).out;
        const qsizetype first = out.indexOf(QStringLiteral("\n  X 0\n")),
                        second = out.indexOf(QStringLiteral("\n  X 1\n"));
        QVERIFY2(first > 0 && second > first, qPrintable(out));
        for (int device = 0; device < 8; ++device) {
            const qsizetype at = out.indexOf(QStringLiteral("CPU %1 ").arg(device));
            QVERIFY(at > (device < 4 ? first : second) && (device >= 4 || at < second));
        }
    }

    /// In a terminal long cells go on in the next line, and nothing is lost by it; elsewhere every row is one line.
    void listIsFolded()
    {
        const QStringList arguments = words("comms transformer-t5x --groups");
        const auto json = runProgram(arguments + words("--json")).json();
        const Ran folded = InTerminal(arguments, 110).finish(), list = runProgram(arguments);
        QCOMPARE(folded.code, 0);
        const auto widest = [](const QString& text) { // of the tables
            qsizetype most = 0;
            for (const QString& line : text.split(QLatin1Char('\n')))
                if (line.startsWith(QLatin1String("  ")))
                    most = std::max(most, line.toUcs4().size());
            return most;
        };
        QVERIFY2(widest(folded.out) > 90 && widest(folded.out) <= 110, qPrintable(folded.out));
        QVERIFY2(widest(list.out) > 130, qPrintable(list.out));
        for (const auto& entry : json.at("collectives")) { // every number begins a row
            const int number = entry.at("number").get<int>();
            QVERIFY(folded.out.contains(QRegularExpression(QStringLiteral("(^|\n) +%1  ").arg(number))));
            const QRegularExpression row(
                QStringLiteral("\n +%1  .*%2.*\n")
                    .arg(number)
                    .arg(QRegularExpression::escape(QString::fromStdString(entry.at("layer").get<std::string>()))));
            QVERIFY2(row.match(list.out).hasMatch(), qPrintable(row.pattern()));
        }
    }

    void listOfTheNotebook()
    {
        const Ran text = runProgram({ QStringLiteral("comms"), mlp });
        QCOMPARE(text.code, 0);
        QVERIFY(text.out.contains(QStringLiteral("8,560,640 B")));
        QVERIFY(text.out.contains(QStringLiteral("2 groups of 4")));
        const auto json = runProgram({ QStringLiteral("comms"), mlp, QStringLiteral("--json") }).json();
        QVERIFY(json["format"] == "shardscope-comms");
        QVERIFY(json["sent_bytes"] == 8'560'640);
        QVERIFY(json["sent_bytes_scalar_loss"] == 4);
        const auto& all = json["collectives"];
        QCOMPARE(all.size(), std::size_t{ 16 });
        QCOMPARE(sum(all, "sent_bytes_per_step"), std::int64_t{ 8'560'644 });
        for (const char* key : { "by_kind", "by_axes", "by_layer" })
            QCOMPARE(sum(json["sums"][key], "sent_bytes"), std::int64_t{ 8'560'640 });
        QVERIFY(json["sums"]["by_axes"][0]["key"] == "data");
        QVERIFY(json["sums"]["by_axes"][0]["sent_bytes"] == 8'388'608);
        for (std::size_t i = 0; i < all.size(); ++i) {
            QVERIFY(all[i]["number"] == i + 1);
            QVERIFY(all[i]["cause"] == "reduced_factor");
            QVERIFY(!all[i].contains("replica_groups"));
        }
    }

    void groupsAndSums()
    {
        const auto json =
            runProgram({ QStringLiteral("comms"), mlp, QStringLiteral("--json"), QStringLiteral("--groups") }).json();
        const auto& all = json["collectives"];
        const auto model = std::find_if(
            all.begin(), all.end(), [](const auto& c) { return c["axes"] == nlohmann::json::array({ "model" }); });
        QVERIFY(model != all.end());
        QVERIFY((*model)["replica_groups"] == (nlohmann::json{ { 0, 1, 2, 3 }, { 4, 5, 6, 7 } }));
        const Ran csv = runProgram({ QStringLiteral("comms"), mlp, QStringLiteral("--csv") });
        QCOMPARE(csv.code, 0);
        QCOMPARE(csv.out.count(QLatin1Char('\n')), 17);
        QVERIFY(csv.out.startsWith(QStringLiteral("number,kind,axes,")));
        QCOMPARE(
            runProgram({ QStringLiteral("export"), mlp, QStringLiteral("--view"), QStringLiteral("collectives") }).out,
            csv.out);
        const Ran sums = runProgram(
            { QStringLiteral("comms"), mlp, QStringLiteral("--csv"), QStringLiteral("--by"), QStringLiteral("kind") });
        QCOMPARE(sums.out,
            QStringLiteral("kind,collectives,times_per_step,sent_bytes_per_step\n"
                           "all_reduce,15,15,8560640\n"));
        // 16 are listed: the sums say which of them they leave out.
        for (const QStringList& command : { QStringList{ QStringLiteral("comms"), mlp },
                 QStringList{ QStringLiteral("comms"), mlp, QStringLiteral("--by"), QStringLiteral("kind") } }) {
            const Ran text = runProgram(command);
            QVERIFY2(text.out.contains(QStringLiteral(", without the scalar loss\n")), qPrintable(text.out));
        }
    }

    /// One spelling in list and sums, and options that do not go together.
    void kinds()
    {
        const Ran list = runProgram({ QStringLiteral("comms"), mlp });
        const Ran sums = runProgram({ QStringLiteral("comms"), mlp, QStringLiteral("--by"), QStringLiteral("kind") });
        QCOMPARE(sums.code, 0);
        for (const Ran* ran : { &list, &sums })
            QVERIFY2(
                ran->out.contains(QStringLiteral("all-reduce")) && !ran->out.contains(QStringLiteral("all_reduce")),
                qPrintable(ran->out));
        QVERIFY(!sums.out.contains(QStringLiteral("Collectives\n  #")));
        QCOMPARE(runProgram({ QStringLiteral("comms"), mlp, QStringLiteral("--groups"), QStringLiteral("--by"),
                                QStringLiteral("kind") })
                     .code,
            2);
    }

    /// What goes between memories stands in rows of its own, in columns of its own.
    void transfersAreRows()
    {
        const QString moves = QStringLiteral("jax-memory-transfer");
        const Ran csv = runProgram({ QStringLiteral("comms"), moves, QStringLiteral("--csv") });
        QCOMPARE(csv.code, 0);
        QStringList lines = csv.out.split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QVERIFY(lines.takeFirst().endsWith(QStringLiteral(",from,to,copied_bytes,copied_bytes_per_step")));
        const auto transfers =
            runProgram({ QStringLiteral("comms"), moves, QStringLiteral("--json") }).json()["memory_transfers"]["list"];
        QVERIFY(!transfers.empty());
        QStringList rows;
        for (const auto& transfer : transfers)
            rows << QStringLiteral(",transfer,,,,,%1,true,,,%2,%3,,%4,%5,%6,%6")
                        .arg(transfer["times"].get<int>())
                        .arg(QString::fromStdString(transfer["tensor"]), QString::fromStdString(transfer["cause"]),
                            QString::fromStdString(transfer["from"]), QString::fromStdString(transfer["to"]))
                        .arg(transfer["bytes_per_device"].get<int>());
        QCOMPARE(lines.filter(QStringLiteral(",transfer,")), rows);
    }

    /// A loop's trips count; the program comes from standard input, or from a file.
    void loopsCount()
    {
        const Ran piped = runProgram(words("comms - --json"), loop);
        QCOMPARE(piped.code, 0);
        const auto json = piped.json();
        const auto& all = json["collectives"];
        QCOMPARE(all.size(), std::size_t{ 3 });
        QVERIFY(all[0]["kind"] == "all_slice");
        QVERIFY(all[0]["cause"] == "border_reshard");
        QVERIFY(all[1]["kind"] == "reduce_scatter");
        QVERIFY(all[1]["cause"] == "reduced_factor");
        QVERIFY(all[1]["times"] == 5);
        QVERIFY(all[2]["kind"] == "all_gather");
        QVERIFY(all[2]["cause"] == "return_reshard");
        // 1/2 * 128 bytes five times, and 64 once.
        QVERIFY(all[1]["sent_bytes"] == 64);
        QVERIFY(json["sent_bytes"] == 384);
        const QString file = writeFile(m_folder, QStringLiteral("loop.mlir"), loop);
        QVERIFY(runProgram({ QStringLiteral("comms"), file, QStringLiteral("--json") }).json()["collectives"]
            == json["collectives"]);
    }

    /// Cause, groups and prices of what would do.
    void explained()
    {
        const auto list = runProgram({ QStringLiteral("comms"), mlp, QStringLiteral("--json") }).json()["collectives"];
        std::size_t number = 1;
        while (list[number - 1]["axes"] != nlohmann::json::array({ "model" }))
            ++number;
        const QStringList arguments{ QStringLiteral("explain"), mlp, QStringLiteral("--collective"),
            QString::number(number) };
        const Ran text = runProgram(arguments);
        QCOMPARE(text.code, 0);
        for (const char* part :
            { "are both sharded on hidden", "the 4 devices along model must add their partial values",
                "2 × 3/4 × 16 KiB = 24 KiB", "[0, 1, 2, 3], [4, 5, 6, 7]", "Reduce-scatter instead", "12 KiB",
                "Gather the operands first", "4 times the work then", "partial along model" })
            QVERIFY2(text.out.simplified().contains(QString::fromUtf8(part)), part);
        const auto json = runProgram(arguments + QStringList{ QStringLiteral("--json") }).json();
        QVERIFY(json["format"] == "shardscope-explain");
        QVERIFY(json["collective"]["number"] == number);
        const auto& options = json["alternatives"];
        QVERIFY(options[0]["kind"] == "keep");
        QVERIFY(options[0]["sent_bytes_per_step"] == 24 * 1024);
        QVERIFY(options[0]["sent_bytes_of_the_step"] == 8'560'640);
        QVERIFY(options[1]["kind"] == "scatter_result");
        QVERIFY(options[1]["sent_bytes_per_step"] == 12 * 1024);
        QVERIFY(options[1]["more_bytes_held"] == -12 * 1024);
    }

    void numbersThatAreNone_data()
    {
        QTest::addColumn<QString>("number");
        QTest::addColumn<QString>("stated");
        QTest::newRow("zero") << QStringLiteral("0") << QStringLiteral("E125");
        QTest::newRow("negative") << QStringLiteral("-1") << QStringLiteral("E125");
        QTest::newRow("too large") << QStringLiteral("99999") << QStringLiteral("numbered from 1 to 16");
        QTest::newRow("beyond numbers") << QStringLiteral("99999999999999999999") << QStringLiteral("E125");
        QTest::newRow("a word") << QStringLiteral("first") << QStringLiteral("--collective");
    }
    void numbersThatAreNone()
    {
        QFETCH(QString, number);
        QFETCH(QString, stated);
        const Ran ran = runProgram({ QStringLiteral("explain"), mlp, QStringLiteral("--collective=") + number });
        QCOMPARE(ran.code, 2);
        QVERIFY(ran.out.isEmpty());
        QVERIFY2(ran.error.contains(stated), qPrintable(ran.error));
        QCOMPARE(runProgram({ QStringLiteral("explain"), mlp, QStringLiteral("--collective"), QStringLiteral("1"),
                                QStringLiteral("--tensor"), QStringLiteral("x") })
                     .code,
            2);
    }

    /// What a device runs is a legal program with local shapes; the mesh axes stand beside the device ids.
    void partitionOfAText()
    {
        const Ran ran = runProgram(words("partition -"), loop);
        QCOMPARE(ran.code, 0);
        QVERIFY(ran.out.contains(QStringLiteral("%arg0: tensor<4x8xf32>")));
        QVERIFY(ran.out.contains(QStringLiteral("stablehlo.reduce_scatter")));
        QVERIFY(ran.out.contains(QStringLiteral("shardscope.axes = \"x\"")));
        QVERIFY(ran.out.contains(QStringLiteral("// Every device sends 384 B per step.")));
        const Ran verified = runProgram(
            { QStringLiteral("verify"), writeFile(m_folder, QStringLiteral("device.mlir"), ran.out.toUtf8()) });
        QVERIFY2(verified.code == 0, qPrintable(verified.out + verified.error));
    }

    /// Who keeps what it has in a permute, or is left out, sends less than the others.
    void devicesThatSendLess()
    {
        const auto text = [](const char* pairs, const char* shape) {
            return QByteArray("sdy.mesh @m = <[\"x\"=4]>\n"
                              "func.func @main(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {\n"
                              "  %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{\"x\"}, {}]>] "
                              "out_shardings=[<@m, [{\"x\"}, {}]>] manual_axes={\"x\"} (%b: tensor<2x8xf32>) {\n"
                              "    %1 = \"stablehlo.collective_permute\"(%b) <{channel_handle = "
                              "#stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<")
                + pairs + "> : tensor<" + shape
                + "xi64>}> : (tensor<2x8xf32>) -> tensor<2x8xf32>\n    sdy.return %1 : tensor<2x8xf32>\n"
                  "  } : (tensor<8x8xf32>) -> tensor<8x8xf32>\n  return %0 : tensor<8x8xf32>\n}\n";
        };
        for (const char* command : { "partition -", "comms -" }) {
            const auto said = [&](const char* pairs, const char* shape) {
                const Ran ran = runProgram(words(command), text(pairs, shape));
                return ran.out + ran.error;
            };
            const QString ring = said("[[0, 1], [1, 2], [2, 3], [3, 0]]", "4x2");
            QVERIFY2(ring.contains(QStringLiteral("Every device sends 64 B per step.")), qPrintable(ring));
            for (const QString& some : { said("[[0, 0], [1, 2], [2, 1], [3, 3]]", "4x2"), said("[[0, 1]]", "1x2") })
                QVERIFY2(some.contains(QStringLiteral("A device sends at most 64 B per step.")), qPrintable(some));
        }
        const Ran none = runProgram(words("comms - --json"), text("", "0x2"));
        QVERIFY2(none.json()["sent_bytes"] == 0, qPrintable(none.out + none.error));
    }

    /// A broadcast is no permutation: the first of a group has what all get, and who gets it last sends nothing.
    void broadcastsAreAKindOfTheirOwn()
    {
        const QByteArray given =
            "sdy.mesh @m = <[\"x\"=4]>\n"
            "func.func @main(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {\n"
            "  %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{\"x\"}, {}]>] "
            "out_shardings=[<@m, [{\"x\"}, {}]>] manual_axes={\"x\"} (%b: tensor<2x8xf32>) {\n"
            "    %1 = \"stablehlo.collective_broadcast\"(%b) <{channel_handle = "
            "#stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> "
            ": tensor<1x4xi64>}> : (tensor<2x8xf32>) -> tensor<2x8xf32>\n"
            "    sdy.return %1 : tensor<2x8xf32>\n"
            "  } : (tensor<8x8xf32>) -> tensor<8x8xf32>\n  return %0 : tensor<8x8xf32>\n}\n";
        const QByteArray compiled = "HloModule m, is_scheduled=true, num_partitions=4\n"
                                    "ENTRY %main (p: f32[16]) -> f32[16] {\n"
                                    "  %p = f32[16]{0} parameter(0)\n"
                                    "  ROOT %c = f32[16]{0} collective-broadcast(%p), channel_id=1, "
                                    "replica_groups={{0,1,2,3}}\n}\n";
        const QString broadcast = QStringLiteral("collective-broadcast"),
                      permute = QStringLiteral("collective-permute");
        for (const QByteArray& text : { given, compiled }) {
            for (const char* command : { "comms -", "comms - --by kind", "explain - --collective 1" }) {
                const Ran ran = runProgram(words(command), text);
                QVERIFY2(ran.out.contains(broadcast) && !ran.out.contains(permute), qPrintable(ran.out + ran.error));
                QVERIFY2(ran.out.contains(QStringLiteral("A device sends at most 64 B")), qPrintable(ran.out));
            }
            const Ran parts = runProgram(words("partition -"), text);
            QVERIFY2(
                parts.out.contains(QStringLiteral("A device sends at most 64 B per step.")), qPrintable(parts.out));
        }
        const auto json = runProgram(words("comms - --json --groups"), given).json();
        QVERIFY(json["collectives"][0]["kind"] == "collective_broadcast");
        QVERIFY(json["collectives"][0]["sent_bytes"] == 64);
        QVERIFY(!json["collectives"][0].contains("source_target_pairs"));
        QVERIFY(json["sums"]["by_kind"][0]["key"] == "collective_broadcast");
    }

    /// At the ends of an axis devices have one neighbour, of which they read.
    void devicesAtTheEndsSendLess()
    {
        const auto text = [](const char* operation) {
            return QByteArray("sdy.mesh @m = <[\"x\"=4]>\n"
                              "func.func @main(%a: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{\"x\"}, {}]>}) "
                              "-> (tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{\"x\"}, {}]>}) {\n"
                              "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n")
                + operation + " -> tensor<16x4xf32>\n  return %0 : tensor<16x4xf32>\n}\n";
        };
        // Three rows before its own and one after: of rows of 16 B the devices send 48, 64, 64 and 16 B.
        const QByteArray window =
            text("  %0 = \"stablehlo.reduce_window\"(%a, %z) <{padding = dense<[[3, 1], [0, 0]]> : "
                 "tensor<2x2xi64>, window_dimensions = array<i64: 5, 1>}> ({\n"
                 "  ^bb0(%p: tensor<f32>, %q: tensor<f32>):\n"
                 "    %s = stablehlo.add %p, %q : tensor<f32>\n"
                 "    stablehlo.return %s : tensor<f32>\n"
                 "  }) : (tensor<16x4xf32>, tensor<f32>)");
        // Each device has the block of another one as its result.
        const QByteArray reverse = text("  %r = stablehlo.reverse %a, dims = [0] : tensor<16x4xf32>\n"
                                        "  %0 = stablehlo.convert %r : (tensor<16x4xf32>)");
        for (const char* command : { "comms -", "partition -", "explain - --collective 1" }) {
            const bool isOne = QByteArray(command).startsWith("explain");
            const Ran some = runProgram(words(command), window), every = runProgram(words(command), reverse);
            QVERIFY2(
                some.out.contains(QStringLiteral("A device sends at most 64 B")), qPrintable(some.out + some.error));
            QVERIFY2(every.out.contains(
                         isOne ? QStringLiteral("Each device sends 64 B") : QStringLiteral("Every device sends 64 B")),
                qPrintable(every.out + every.error));
        }
    }

    /// Of a collective that a manual computation writes itself: what a device gives, and what it has then.
    void whatManualCollectivesHold_data()
    {
        QTest::addColumn<QByteArray>("collective");
        QTest::addColumn<QByteArray>("returned");
        QTest::addColumn<QString>("after");
        QTest::newRow("gather") << QByteArray("all_gather\"(%b) <{all_gather_dim = 0 : i64, use_global_device_ids, ")
                                << QByteArray("tensor<8x8xf32>") << QStringLiteral("[8, 8], 256 B");
        QTest::newRow("scatter") << QByteArray(
            "reduce_scatter\"(%b) <{scatter_dimension = 1 : i64, use_global_device_ids, ")
                                 << QByteArray("tensor<2x2xf32>") << QStringLiteral("[2, 2], 16 B");
        QTest::newRow("exchange") << QByteArray(
            "all_to_all\"(%b) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, "
            "split_count = 4 : i64, ")
                                  << QByteArray("tensor<8x2xf32>") << QStringLiteral("[8, 2], 64 B");
    }
    void whatManualCollectivesHold()
    {
        QFETCH(QByteArray, collective);
        QFETCH(QByteArray, returned);
        QFETCH(QString, after);
        const QByteArray sum = collective.startsWith("reduce") ? R"( ({
      ^bb0(%p: tensor<f32>, %q: tensor<f32>):
        %s = stablehlo.add %p, %q : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }))"
                                                               : "";
        QByteArray all = returned; // of four devices
        all.replace("<2", "<4x2").replace("<8", "<4x8");
        const QByteArray text = R"(sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<8x8xf32>) -> )"
            + all + R"( {
  %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"x"}, {}]>] out_shardings=[<@m, [{"x"}, {}, {}]>]
      manual_axes={"x"} (%b: tensor<2x8xf32>) {
    %1 = )" + QByteArray("\"stablehlo.")
            + collective + R"(channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
      replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}>)"
            + sum + " : (tensor<2x8xf32>) -> " + returned + "\n    %2 = stablehlo.reshape %1 : (" + returned + ") -> "
            + QByteArray(returned).replace("<", "<1x")
            + "\n    sdy.return %2 : " + QByteArray(returned).replace("<", "<1x") + "\n  } : (tensor<8x8xf32>) -> "
            + all + "\n  return %0 : " + all + "\n}\n";
        const Ran ran = runProgram(words("explain - --collective 1"), text);
        QVERIFY2(ran.code == 0, qPrintable(ran.error));
        const QStringList lines = ran.out.split(QLatin1Char('\n'));
        const auto said = [&](const QString& when, const QString& holds) {
            return std::any_of(lines.begin(), lines.end(),
                [&](const QString& line) { return line.trimmed().startsWith(when) && line.trimmed().endsWith(holds); });
        };
        QVERIFY2(said(QStringLiteral("before"), QStringLiteral("[2, 8], 64 B")), qPrintable(ran.out));
        QVERIFY2(said(QStringLiteral("after"), after), qPrintable(ran.out));
    }

    /// Of a compiled program --groups names who sends to whom.
    void pairsOfCompiledPrograms()
    {
        const QByteArray text = "HloModule m, is_scheduled=true, num_partitions=4\n"
                                "ENTRY %main (p: f32[8]) -> f32[8] {\n"
                                "  %p = f32[8]{0} parameter(0)\n"
                                "  ROOT %c = f32[8]{0} collective-permute(%p), channel_id=1, "
                                "source_target_pairs={{0,1},{1,2},{2,3}}\n}\n";
        const QString pairs = QStringLiteral("{{0,1},{1,2},{2,3}}");
        for (const char* command : { "comms -", "comms - --csv" }) {
            const Ran brief = runProgram(words(command), text);
            QVERIFY2(brief.code == 0 && !brief.out.contains(pairs), qPrintable(brief.out + brief.error));
            const Ran full = runProgram(words(command) + words("--groups"), text);
            QVERIFY2(full.code == 0 && full.out.contains(pairs), qPrintable(full.out + full.error));
        }
    }

    /// Of a compiled program: 64 B in one branch, 192 B in the other, in a loop of three trips, and 64 B after it.
    void branchesOfCompiledPrograms()
    {
        const QByteArray text = R"(HloModule m, is_scheduled=true, num_partitions=4
%small (a: f32[16]) -> f32[16] {
  %a = f32[16]{0} parameter(0)
  ROOT %sent = f32[16]{0} collective-permute(%a), channel_id=1, source_target_pairs={{0,1},{1,2},{2,3},{3,0}}
}
%large (b: f32[16]) -> f32[16] {
  %b = f32[16]{0} parameter(0)
  %all = f32[64]{0} all-gather(%b), channel_id=2, replica_groups={{0,1,2,3}}, dimensions={0}, use_global_device_ids=true
  ROOT %own = f32[16]{0} slice(%all), slice={[0:16]}
}
%body (t: (s32[], f32[16])) -> (s32[], f32[16]) {
  %t = (s32[], f32[16]{0}) parameter(0)
  %i = s32[] get-tuple-element(%t), index=0
  %x = f32[16]{0} get-tuple-element(%t), index=1
  %one = s32[] constant(1)
  %next = s32[] add(%i, %one)
  %chosen = f32[16]{0} conditional(%i, %x, %x), branch_computations={%small, %large}
  ROOT %r = (s32[], f32[16]{0}) tuple(%next, %chosen)
}
%condition (u: (s32[], f32[16])) -> pred[] {
  %u = (s32[], f32[16]{0}) parameter(0)
  %j = s32[] get-tuple-element(%u), index=0
  %n = s32[] constant(3)
  ROOT %c = pred[] compare(%j, %n), direction=LT
}
ENTRY %main (p: f32[16]) -> f32[16] {
  %p = f32[16]{0} parameter(0)
  %zero = s32[] constant(0)
  %start = (s32[], f32[16]{0}) tuple(%zero, %p)
  %loop = (s32[], f32[16]{0}) while(%start), condition=%condition, body=%body
  %y = f32[16]{0} get-tuple-element(%loop), index=1
  ROOT %last = f32[16]{0} collective-permute(%y), channel_id=3, source_target_pairs={{0,1},{1,2},{2,3},{3,0}}
}
)";
        const Ran ran = runProgram(words("comms -"), text);
        QVERIFY2(ran.out.contains(QStringLiteral("A device sends at most 640 B per step.")),
            qPrintable(ran.out + ran.error));
        QVERIFY2(ran.out.contains(QStringLiteral("Of the branches of a conditional one runs")), qPrintable(ran.out));
        const auto compiled = runProgram(words("comms - --json"), text).json()["compiled"];
        std::vector<bool> counted, conditional;
        for (const auto& entry : compiled["collectives"]) {
            counted.push_back(entry["in_sums"] == true);
            conditional.push_back(entry["conditional"] == true);
        }
        QCOMPARE(counted, (std::vector<bool>{ false, true, true }));
        QCOMPARE(conditional, (std::vector<bool>{ true, true, false }));
        QVERIFY(compiled["sums"]["by_kind"].size() == 2 && compiled["sums"]["by_kind"][1]["sent_bytes"] == 64);
    }

    /// A sum over three devices sends thirds of bytes; a way between cuts that would leave uneven blocks gathers.
    void partitionAndListSendTheSame_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("sent");
        QTest::newRow("thirds") << QByteArray(
            "sdy.mesh @m = <[\"a\"=3]>\n"
            "func.func @main(%x: tensor<1x3xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {\"a\"}]>}, %y: "
            "tensor<3x1xf32> "
            "{sdy.sharding = #sdy.sharding<@m, [{\"a\"}, {}]>}) -> tensor<1x1xf32> {\n"
            "  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<1x3xf32>, tensor<3x1xf32>) -> "
            "tensor<1x1xf32>\n  return %0 : tensor<1x1xf32>\n}\n")
                                << QStringLiteral("≈ 5 B");
        QTest::newRow("axes trade dimensions") << QByteArray(
            "sdy.mesh @m = <[\"a\"=2, \"b\"=2, \"c\"=3]>\n"
            "func.func @main(%x: tensor<6x6xf32> {sdy.sharding = #sdy.sharding<@m, [{\"c\",\"b\"},{\"a\"}]>}) -> "
            "(tensor<6x6xf32> {sdy.sharding = #sdy.sharding<@m, [{\"a\"},{\"c\",\"b\"}]>}) {\n"
            "  %0 = stablehlo.negate %x : tensor<6x6xf32>\n  return %0 : tensor<6x6xf32>\n}\n")
                                               << QStringLiteral("132 B");
    }
    void partitionAndListSendTheSame()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, sent);
        for (const char* command : { "partition -", "comms -" }) {
            const Ran ran = runProgram(words(command), text);
            QVERIFY2(ran.code == 0, qPrintable(ran.error));
            QVERIFY2(ran.out.contains(QStringLiteral("Every device sends %1 per step").arg(sent)), qPrintable(ran.out));
            if (ran.out.contains(QStringLiteral("Collectives\n"))) // the list says what is rounded
                QCOMPARE(
                    ran.out.contains(QStringLiteral("their mean, rounded.")), sent.startsWith(QStringLiteral("≈")));
        }
    }

    void partitionForADevice()
    {
        const auto json = runProgram(words("partition - --device 3 --json"), loop).json();
        QVERIFY(json["place"]["coordinates"] == (nlohmann::json{ { "x", 1 }, { "y", 1 } }));
        QVERIFY(json["inputs"][0]["local_type"] == "tensor<4x8xf32>");
        QVERIFY(json["inputs"][0]["ranges"] == (nlohmann::json{ { 4, 8 }, { 0, 8 } }));
        QVERIFY(json["collectives"][1]["device_ids"] == (nlohmann::json{ 1, 3 }));
        const Ran none = runProgram(words("partition - --device 4"), loop);
        QCOMPARE(none.code, 2);
        QVERIFY(none.out.isEmpty());
        QVERIFY(none.error.contains(QStringLiteral("E408")));
        const Ran network = runProgram({ QStringLiteral("partition"), mlp, QStringLiteral("--device=5") });
        QCOMPARE(network.code, 0);
        QVERIFY(network.out.contains(QStringLiteral("Device 5: partition_id 5, at data 1, model 1")));
        QVERIFY(network.out.contains(QStringLiteral("with devices 4, 5, 6, 7")));
    }

    void planWithFewestBytes()
    {
        const auto shardy = runProgram(words("partition - --json"), reshard).json();
        const auto optimal = runProgram(words("partition - --plan optimal --json"), reshard).json();
        QVERIFY(shardy["plan"] == "shardy");
        QVERIFY(optimal["plan"] == "optimal");
        QVERIFY(shardy["text"] != optimal["text"]);
        QVERIFY(shardy["sent_bytes"] == 896);
        QVERIFY(optimal["sent_bytes"] == 512);
        QCOMPARE(sum(optimal["collectives"], "sent_bytes_per_step"), optimal["sent_bytes"].get<std::int64_t>());
    }

    /// What goes between memories is no collective, and is counted.
    void transfersBetweenMemories()
    {
        const Ran text = runProgram(words("comms jax-memory-transfer"));
        QCOMPARE(text.code, 0);
        QVERIFY(text.out.contains(QStringLiteral("there are no collectives")));
        QVERIFY2(
            text.out.contains(QStringLiteral("Each device copies 16 B (128 B in all) from the host and 16 B (128 B "
                                             "in all) to it per step")),
            qPrintable(text.out));
        const auto json = runProgram(words("comms jax-memory-transfer --json")).json();
        QVERIFY(json["sent_bytes"] == 0 && json["collectives"].empty());
        const auto& moved = json["memory_transfers"];
        QVERIFY(moved["to_devices"] == (nlohmann::json{ { "bytes_per_device", 16 }, { "bytes_in_all", 128 } }));
        QVERIFY(moved["to_host"] == moved["to_devices"]);
        QCOMPARE(moved["list"].size(), std::size_t{ 2 });
        QVERIFY(moved["list"][0]["from"] == "pinned_host" && moved["list"][0]["to"] == "device");
        QVERIFY(moved["list"][0]["cause"] == "placement" && moved["list"][0]["times"] == 1);
        const auto network = runProgram({ QStringLiteral("comms"), mlp, QStringLiteral("--json") }).json();
        QVERIFY(network["memory_transfers"]["list"].empty());
        // Values in two memories are an error, and are laid out all the same.
        const QByteArray mixed = "sdy.mesh @mesh = <[\"x\"=2]>\nfunc.func @main(%a: tensor<8xf32> {mhlo.memory_kind = "
                                 "\"device\"}, %b: tensor<8xf32> {mhlo.memory_kind = \"pinned_host\"}) -> "
                                 "tensor<8xf32> {\n  %0 = stablehlo.add %a, %b : tensor<8xf32>\n  return %0 : "
                                 "tensor<8xf32>\n}\n";
        const Ran wrong = runProgram(words("comms -"), mixed);
        QCOMPARE(wrong.code, 1);
        QVERIFY2(wrong.error.contains(QStringLiteral(":3:3: E420: ")), qPrintable(wrong.error));
        // It is StableHLO like any other: JAX has exported such texts.
        const Ran verified = runProgram(words("verify -"), mixed);
        QCOMPARE(verified.code, 0);
        const Ran run = runProgram(words("run - --random 1"), mixed);
        QCOMPARE(run.code, 1);
        QVERIFY(!run.out.isEmpty() && run.error.contains(QStringLiteral("E420")));
    }

    void arraysOnTheHost()
    {
        const Ran shown = runProgram(words("show jax-memory-kinds"));
        QCOMPARE(shown.code, 0);
        QVERIFY(shown.out.contains(QStringLiteral("pinned_host")));
        QVERIFY2(shown.out.contains(QStringLiteral("16 B per device in host memory, 128 B in all (1 array).")),
            qPrintable(shown.out));
        const Ran one = runProgram(words("show jax-memory-kinds --tensor arr_host"));
        QVERIFY2(one.out.contains(QStringLiteral("16 B per device, in pinned_host memory")), qPrintable(one.out));
        QVERIFY2(one.out.contains(QStringLiteral("NamedSharding(mesh=Mesh('x': 2, 'y': 4), spec=PartitionSpec('x', "
                                                 "'y'), memory_kind=pinned_host)")),
            qPrintable(one.out));
        const auto json = runProgram(words("show jax-memory-kinds --json")).json();
        QVERIFY(json["tensors"][0]["memory_kind"] == "pinned_host" && json["tensors"][1]["memory_kind"].is_null());
        QVERIFY(json["host_memory"]["bytes_per_device"] == 16 && json["memory_per_device"]["peak_bytes"] == 16);
        const QByteArray onGpu = R"({ "format": "sharding-experiment", "version": "1.0",
  "hardware": { "platform": "gpu", "device": "generic-gpu", "hosts": 1, "devices_per_host": 2 },
  "mesh": { "axes": [["x", 2]] }, "model": { "preset": "arrays", "arrays": [
    { "path": "a", "names": [null], "shape": [8], "memory_kind": "unpinned_host" }] } })";
        const Ran wrong = runProgram(words("show -"), onGpu);
        QCOMPARE(wrong.code, 1);
        QVERIFY2(wrong.error.contains(QStringLiteral(":4:66: E404: ")), qPrintable(wrong.error));
    }

    /// Nothing is cut: nothing is sent. What cannot be laid out is a finding.
    void withoutMesh()
    {
        const QByteArray bare = "func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {\n"
                                "  return %arg0 : tensor<8xf32>\n}\n";
        const Ran ran = runProgram(words("comms -"), bare);
        QCOMPARE(ran.code, 0);
        QVERIFY(ran.out.contains(QStringLiteral("there are no collectives")));
        const Ran none = runProgram(words("explain - --collective 1"), bare);
        QCOMPARE(none.code, 2);
        QVERIFY(none.error.contains(QStringLiteral("there are no collectives at all")));
        const QByteArray uneven = smallMlp("\"batch\": 8", "\"batch\": 7");
        const QString file = writeFile(m_folder, QStringLiteral("uneven.json"), uneven);
        for (const char* command : { "comms", "partition" }) {
            const Ran refused = runProgram({ QLatin1String(command), file });
            QCOMPARE(refused.code, 1);
            QVERIFY(refused.out.isEmpty());
            QVERIFY(refused.error.contains(QStringLiteral("E101")));
        }
    }
};

REGISTER_TEST(CollectivesCommandTest)
#include "test_collectives_command.moc"
