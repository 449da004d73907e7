// SPDX-License-Identifier: GPL-3.0-or-later
// Commands on HLO text: before compilation a program as any other, after it what comms lists.
#include <QTest>

#include "program.h"
#include "registered_test.h"

using namespace shardscope;

namespace {

/// Weights are gathered in a loop of five trips; a number is summed over all devices after it.
constexpr const char* compiled = R"(HloModule jit_step, is_scheduled=true, num_partitions=4

%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %s = f32[] add(%a, %b)
}

%body (t: (s32[], f32[2,8])) -> (s32[], f32[2,8]) {
  %t = (s32[], f32[2,8]{1,0}) parameter(0)
  %i = s32[] get-tuple-element(%t), index=0
  %x = f32[2,8]{1,0} get-tuple-element(%t), index=1
  %one = s32[] constant(1)
  %next = s32[] add(%i, %one)
  %g = f32[8,8]{1,0} all-gather(%x), channel_id=1, replica_groups=[1,4]<=[4], dimensions={0}, use_global_device_ids=true, metadata={op_name="jit(step)/layers/dot_general" source_file="train.py" source_line=38}
  %y = f32[2,8]{1,0} slice(%g), slice={[0:2], [0:8]}
  ROOT %n = (s32[], f32[2,8]{1,0}) tuple(%next, %y)
}

%condition (t: (s32[], f32[2,8])) -> pred[] {
  %t = (s32[], f32[2,8]{1,0}) parameter(0)
  %i = s32[] get-tuple-element(%t), index=0
  %n = s32[] constant(5)
  ROOT %c = pred[] compare(%i, %n), direction=LT
}

ENTRY %main (p: f32[2,8]) -> f32[] {
  %p = f32[2,8]{1,0} parameter(0)
  %zero = s32[] constant(0)
  %init = (s32[], f32[2,8]{1,0}) tuple(%zero, %p)
  %loop = (s32[], f32[2,8]{1,0}) while(%init), condition=%condition, body=%body
  %y = f32[2,8]{1,0} get-tuple-element(%loop), index=1
  %z = f32[] constant(0)
  %local = f32[] reduce(%y, %z), dimensions={0,1}, to_apply=%add
  ROOT %loss = f32[] all-reduce(%local), channel_id=2, replica_groups=[2,2]<=[4], to_apply=%add
}
)";

constexpr const char* before =
    "HloModule jit_f, num_partitions=4, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<[\"x\"=2, \"y\"=2]>}}\n"
    "\n"
    "ENTRY %main (p: f32[8,4], w: f32[4,6]) -> f32[8,6] {\n"
    "  %p = f32[8,4]{1,0} parameter(0), frontend_attributes={xla.sdy.sharding=\"#sdy.sharding<@mesh, [{}, "
    "{\\\"x\\\"}]>\"}\n"
    "  %w = f32[4,6]{1,0} parameter(1), frontend_attributes={xla.sdy.sharding=\"#sdy.sharding<@mesh, [{\\\"x\\\"}, "
    "{}]>\"}\n"
    "  ROOT %r = f32[8,6]{1,0} dot(%p, %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
    "}\n";

constexpr const char* sameBefore = R"(module @jit_f attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main(%p: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %w: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x6xf32> {
    %r = stablehlo.dot_general %p, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
    return %r : tensor<8x6xf32>
  }
}
)";

Ran run(const QString& command, const QStringList& options, const char* text)
{
    return runProgram(QStringList{ command, QStringLiteral("-") } + options, text);
}

/// Along x of the mesh devices 0 and 2, 1 and 3 add up 8 x 6 numbers.
const char* const summedAlongX = "HloModule jit_f, is_scheduled=true, num_partitions=4\n\n%add (a: f32[], b: f32[]) -> "
                                 "f32[] {\n  %a = f32[] parameter(0)\n  %b = f32[] parameter(1)\n"
                                 "  ROOT %s = f32[] add(%a, %b)\n}\n\nENTRY %main (p: f32[8,6]) -> f32[8,6] {\n"
                                 "  %p = f32[8,6]{1,0} parameter(0)\n  ROOT %r = f32[8,6]{1,0} all-reduce(%p), "
                                 "replica_groups=[2,2]<=[2,2]T(1,0), to_apply=%add\n}\n";

} // namespace

class HloProgramsTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

private Q_SLOTS:
    void listsTheCollectivesOfACompiledProgram()
    {
        const Ran ran = run(QStringLiteral("comms"), {}, compiled);
        QCOMPARE(ran.error, QString());
        QCOMPARE(ran.code, 0);
        QVERIFY2(
            ran.out.contains(QStringLiteral("jit_step, as XLA has compiled it for 4 devices.")), qPrintable(ran.out));
        // 64 bytes to three others in five trips, and 4 bytes there and back among two: 960 and 4.
        QVERIFY2(ran.out.contains(QStringLiteral("sends 964 B per step")), qPrintable(ran.out));
        QVERIFY2(ran.out.contains(QStringLiteral("train.py:38")), qPrintable(ran.out));
    }
    void saysTheSameInJson()
    {
        const auto json = run(QStringLiteral("comms"), { QStringLiteral("--json") }, compiled).json();
        QVERIFY(json.is_object());
        const auto& found = json["compiled"];
        QCOMPARE(found["module"].get<std::string>(), std::string("jit_step"));
        QCOMPARE(found["device_count"].get<int>(), 4);
        QCOMPARE(found["collectives"].size(), std::size_t{ 2 });
        const auto& gather = found["collectives"][0];
        QCOMPARE(gather["kind"].get<std::string>(), std::string("all-gather"));
        QCOMPARE(gather["line"].get<int>(), 15);
        QCOMPARE(gather["bytes_in"].get<int>(), 64);
        QCOMPARE(gather["bytes_out"].get<int>(), 256);
        QCOMPARE(gather["times"].get<int>(), 5);
        QCOMPARE(gather["op_name"].get<std::string>(), std::string("jit(step)/layers/dot_general"));
        QCOMPARE(found["collectives"][1]["groups"].get<int>(), 2);
        QCOMPARE(found["sums"]["by_kind"].size(), std::size_t{ 2 });
        QCOMPARE(found["sums"]["by_cause"][0]["bytes_in"].get<int>(), 320);
    }
    /// Bytes are written once where there is nothing to round.
    void saysFewBytesOnce()
    {
        const Ran ran = run(QStringLiteral("comms"), {}, summedAlongX);
        QVERIFY2(ran.out.contains(QStringLiteral("Every device sends 192 B per step.")), qPrintable(ran.out));
    }
    /// Two all-reduces of 8 KiB, of the four replicas of a partition and of two replicas with their two partitions, and
    /// a permute of all replicas: 12, 12 and 8 KiB. The text is the same before and after XLA compiles it.
    void tellsReplicasFromPartitions()
    {
        for (const char* scheduled : { "", ", is_scheduled=true" }) {
            const std::string text = "HloModule pmap, replica_count=4, num_partitions=2" + std::string(scheduled)
                + "\n\n%add (a: f32[], b: f32[]) -> f32[] {\n  %a = f32[] parameter(0)\n  %b = f32[] parameter(1)\n"
                  "  ROOT %s = f32[] add(%a, %b)\n}\n\nENTRY %main (w: f32[64,32]) -> f32[64,32] {\n"
                  "  %w = f32[64,32]{1,0} parameter(0)\n"
                  "  %ar = f32[64,32]{1,0} all-reduce(%w), replica_groups={}, to_apply=%add\n"
                  "  %ar2 = f32[64,32]{1,0} all-reduce(%ar), channel_id=2, replica_groups={{0,1},{2,3}}, "
                  "to_apply=%add\n"
                  "  ROOT %cp = f32[64,32]{1,0} collective-permute(%ar2), "
                  "source_target_pairs={{0,1},{1,2},{2,3},{3,0}}\n}\n";
            const Ran ran = run(QStringLiteral("comms"), {}, text.c_str());
            QVERIFY2(ran.code == 0, qPrintable(ran.out + ran.error));
            // A row has it twice, or once and once in the sums by groups.
            QCOMPARE(ran.out.count(QStringLiteral(" 12,288")), 4);
            QVERIFY2(ran.out.contains(QStringLiteral("Every device sends 32 KiB (32,768 B) per step.")),
                qPrintable(ran.out));
        }
    }
    /// A permutation that leaves devices out, or in which one keeps what it has, is not what every device sends.
    void saysWhoSends()
    {
        const auto permuted = [](const char* pairs) {
            const QByteArray text =
                QByteArray(
                    "HloModule jit_f, is_scheduled=true, num_partitions=4\n\nENTRY %main (p: f32[8,6]) -> f32[8,6] "
                    "{\n  %p = f32[8,6]{1,0} parameter(0)\n  ROOT %r = f32[8,6]{1,0} collective-permute(%p), "
                    "channel_id=1, source_target_pairs={")
                + pairs + "}\n}\n";
            return run(QStringLiteral("comms"), {}, text.constData()).out;
        };
        const QString ring = permuted("{0,1},{1,2},{2,3},{3,0}");
        QVERIFY2(ring.contains(QStringLiteral("Every device sends 192 B per step.")), qPrintable(ring));
        for (const char* const pairs : { "{0,1},{1,2},{2,3}", "{0,1},{1,2},{2,0},{3,3}" }) {
            const QString some = permuted(pairs);
            QVERIFY2(some.contains(QStringLiteral("A device sends at most 192 B per step.")), qPrintable(some));
        }
    }
    void sumsUp()
    {
        const Ran csv = run(QStringLiteral("comms"),
            { QStringLiteral("--csv"), QStringLiteral("--by"), QStringLiteral("kind") }, compiled);
        QCOMPARE(csv.code, 0);
        QCOMPARE(csv.out.simplified(),
            QStringLiteral("kind,collectives,times_per_step,sent_bytes_per_step all-gather,1,5,960 all-reduce,1,1,4"));
        const Ran rows = run(QStringLiteral("comms"), { QStringLiteral("--csv") }, compiled);
        QCOMPARE(rows.out.count(QLatin1Char('\n')), 3);
    }
    void comparesWithWhatIsPredicted()
    {
        const QByteArray same = summedAlongX;
        const QString file = writeFile(m_folder, QStringLiteral("before.hlo"), before);
        const auto compared = [&](QByteArray after, const QStringList& more = {}) {
            return runProgram(
                QStringList{ QStringLiteral("compare-hlo"), file, QStringLiteral("-") } + more, std::move(after));
        };
        const Ran agrees = compared(same);
        QCOMPARE(agrees.error, QString());
        QCOMPARE(agrees.code, 0);
        QVERIFY2(agrees.out.contains(QStringLiteral("XLA does what is predicted.")), qPrintable(agrees.out));
        const QByteArray other = QByteArray(same).replace("[2,2]<=[2,2]T(1,0)", "[2,2]<=[4]");
        const Ran differs = compared(other);
        QCOMPARE(differs.code, 1);
        QVERIFY2(differs.out.contains(QStringLiteral("1: XLA exchanges along y, where x is predicted")),
            qPrintable(differs.out));
        const auto json = compared(other, { QStringLiteral("--json") }).json();
        QCOMPARE(json["comparison"]["rows"][0]["remarks"][0]["kind"].get<std::string>(), std::string("other_axes"));
        QCOMPARE(json["comparison"]["rows"][0]["predicted"]["sent_bytes"].get<int>(), 192);
        QCOMPARE(json["comparison"]["sums"]["by_axes"].size(), std::size_t{ 2 });
        QCOMPARE(json["comparison"]["sums"]["by_axes"][0]["predicted_weight_bytes"].get<int>(), 0);
        QVERIFY(json["comparison"]["reasons"].empty());
        // The text of another program: gathers of other arrays, and the prediction has none.
        QVERIFY(!agrees.out.contains(QStringLiteral("No exchange is in both")));
        QVERIFY(!differs.out.contains(QStringLiteral("No exchange is in both")));
        const Ran unrelated =
            compared(QByteArray(same)
                         .replace("f32[8,6]{1,0} all-reduce(%p), replica_groups=[2,2]<=[2,2]T(1,0), to_apply=%add",
                             "f32[16,6]{1,0} all-gather(%p), replica_groups=[2,2]<=[4], dimensions={0}")
                         .replace("-> f32[8,6] {\n  %p = f32[8,6]", "-> f32[16,6] {\n  %p = f32[8,6]"));
        QCOMPARE(unrelated.code, 1);
        QVERIFY2(unrelated.out.contains(QStringLiteral("No exchange is in both")),
            qPrintable(unrelated.out + unrelated.error));
        const Ran wrong = compared(before);
        QCOMPARE(wrong.code, 2);
        QVERIFY2(wrong.error.contains(QStringLiteral("E199")), qPrintable(wrong.error));
        const Ran turned = runProgram({ QStringLiteral("compare-hlo"),
                                          writeFile(m_folder, QStringLiteral("after.hlo"), same), QStringLiteral("-") },
            before);
        QCOMPARE(turned.code, 2);
        QVERIFY2(turned.error.contains(QStringLiteral("The other way round?")), qPrintable(turned.error));
        // A text that ends early: nothing is said of what its rest may have.
        const Ran early = compared(same.left(same.indexOf("ENTRY"))
            + "%f (p: f32[8,6]) -> f32[8,6] {\n"
              "  %p = f32[8,6]{1,0} parameter(0)\n  ROOT %g = f32[8,6]{1,0} all-reduce(%p), "
              "replica_groups=[2,2]<=[4], to_apply=%add\n}\n");
        QVERIFY2(early.out.contains(QStringLiteral("ends before its entry computation")),
            qPrintable(early.out + early.error));
        QVERIFY2(!early.out.contains(QStringLiteral("XLA has nothing of the kind")), qPrintable(early.out));
        QCOMPARE(early.code, 1); // along other axes than predicted, wherever it ends
        // What it has is as predicted, or it has nothing yet: no disagreement. How much there is nobody can tell.
        const QByteArray part = QByteArray(same.left(same.indexOf("ENTRY")))
            + "%f (p: f32[8,6]) -> f32[8,6] {\n"
              "  %p = f32[8,6]{1,0} parameter(0)\n  %n = f32[8,6]{1,0} negate(%p)\n";
        const Ran nothingYet = compared(part);
        QVERIFY2(nothingYet.out.contains(QStringLiteral("0 B?")), qPrintable(nothingYet.out + nothingYet.error));
        QVERIFY2(!nothingYet.out.contains(QStringLiteral("none")), qPrintable(nothingYet.out));
        QCOMPARE(nothingYet.code, 0);
        const Ran asFar = compared(
            part + "  ROOT %g = f32[8,6]{1,0} all-reduce(%p), replica_groups=[2,2]<=[2,2]T(1,0), to_apply=%add\n}\n");
        QVERIFY2(asFar.out.contains(QStringLiteral("192 B?")), qPrintable(asFar.out + asFar.error));
        QCOMPARE(asFar.code, 0);
        const Ran fewer = compared(QByteArray(same)
                                       .replace("num_partitions=4", "num_partitions=8")
                                       .replace("[2,2]<=[2,2]T(1,0)", "[4,2]<=[2,4]T(1,0)"));
        QVERIFY2(
            fewer.error.contains(QStringLiteral("one for 8 devices, the prediction for 4")), qPrintable(fewer.error));
    }
    void showsACompiledProgram()
    {
        const auto json = run(QStringLiteral("show"), { QStringLiteral("--json") }, compiled).json();
        QVERIFY(json.is_object());
        QVERIFY(json["partitioned"].get<bool>());
        const auto& communication = json["communication"];
        QCOMPARE(communication["sent_bytes"].get<int>(), 960); // with the scalar all that comms says
        QCOMPARE(communication["sent_bytes_scalar_loss"].get<int>(), 4);
        QCOMPARE(communication["collectives"].size(), std::size_t{ 2 });
        const auto& gather = communication["collectives"][0];
        QCOMPARE(gather["kind"].get<std::string>(), std::string("all_gather"));
        QCOMPARE(gather["times"].get<int>(), 5);
        QCOMPARE(gather["op_name"].get<std::string>(), std::string("jit(step)/layers/dot_general"));
        QCOMPARE(gather["source"].get<std::string>(), std::string("train.py:38"));
        // Groups of all four and of two neighbours: 2 x 2.
        QCOMPARE(gather["axes"].size(), std::size_t{ 2 });
        QCOMPARE(communication["collectives"][1]["axes"].size(), std::size_t{ 1 });
        const Ran text = run(QStringLiteral("show"), {}, compiled);
        QCOMPARE(text.code, 0);
        QVERIFY2(text.out.contains(QStringLiteral("This program has been partitioned already")), qPrintable(text.out));
        QVERIFY2(text.out.contains(QStringLiteral("train.py:38")), qPrintable(text.out));
    }
    void runsACompiledProgramOnItsDevices()
    {
        for (const char* command : { "check", "run", "partition", "verify" }) {
            const Ran ran = run(QLatin1String(command), {}, compiled);
            QVERIFY2(ran.code == 0, qPrintable(QLatin1String(command) + ran.error));
        }
    }
    /// An operation that nobody knows is listed by check as it is by verify; nothing in a compiled text is to be
    /// annotated.
    void namesUnknownOperations()
    {
        const QByteArray text = QByteArray(summedAlongX)
                                    .replace("ROOT %r = f32[8,6]{1,0} all-reduce(%p)",
                                        "%q = f32[8,6]{1,0} frobnicate(%p)\n  ROOT %r = f32[8,6]{1,0} all-reduce(%q)");
        for (const char* command : { "check", "verify" }) {
            const Ran ran = run(QLatin1String(command), {}, text.constData());
            const QString all = ran.out + ran.error;
            QVERIFY2(all.contains(QStringLiteral(":11:4: W230: the operation “hlo.frobnicate” is not known")),
                qPrintable(all));
            QVERIFY2(!all.contains(QStringLiteral("Annotate")), qPrintable(all));
        }
        QCOMPARE(run(QStringLiteral("check"), {}, text.constData()).code, 1);
    }
    /// comms and compare-hlo read a compiled text that ends early, and are advised where they do.
    void advisesWhatReadsAPart()
    {
        const QString advice = QStringLiteral("read what there is");
        const QByteArray early = QByteArray(summedAlongX).left(QByteArray(summedAlongX).indexOf("ENTRY"));
        const Ran read = run(QStringLiteral("check"), {}, early.constData());
        QVERIFY2((read.out + read.error).contains(advice), qPrintable(read.out + read.error));
        QCOMPARE(run(QStringLiteral("comms"), {}, early.constData()).code, 0);
        const QByteArray undefined = QByteArray(summedAlongX).replace("to_apply=%add", "to_apply=%none");
        for (const QByteArray& text : { QByteArray("HloModule m\n"), undefined }) {
            const Ran refused = run(QStringLiteral("comms"), {}, text.constData());
            QCOMPARE(refused.code, 2);
            QVERIFY2(refused.error.contains(QStringLiteral("from its first line to its last"))
                    && !refused.error.contains(advice),
                qPrintable(refused.error));
        }
    }
    void countsTripsThatXlaStates()
    {
        // The counter goes through a fusion, where only XLA's own count says how often it turns.
        QByteArray stated(compiled);
        stated.replace("%n = s32[] constant(5)", "%n = s32[] add(%i, %i)");
        stated.replace("body=%body", "body=%body, backend_config={\"known_trip_count\":{\"n\":\"7\"}}");
        const auto json = run(QStringLiteral("show"), { QStringLiteral("--json") }, stated.constData()).json();
        QCOMPARE(json["communication"]["collectives"][0]["times"].get<int>(), 7);
    }
    void readsAProgramBeforeCompilationAsAnyOther()
    {
        for (const char* command : { "comms", "partition", "propagate", "show" }) {
            const QStringList options{ QStringLiteral("--json") };
            auto hlo = run(QLatin1String(command), options, before).json();
            auto stableHlo = run(QLatin1String(command), options, sameBefore).json();
            QVERIFY2(hlo.is_object() && stableHlo.is_object(), command);
            for (const char* key : { "collectives", "sums", "sent_bytes" })
                QCOMPARE(hlo.contains(key) ? hlo[key].dump() : std::string(),
                    stableHlo.contains(key) ? stableHlo[key].dump() : std::string());
        }
        QCOMPARE(run(QStringLiteral("comms"), { QStringLiteral("--json") }, before).json()["collectives"].size(),
            std::size_t{ 1 });
    }
    /// HLO's loops have names of their own, which may stand around them as well; StableHLO's may not have those.
    void propagatePrintsLegalNames()
    {
        QByteArray again(compiled);
        again.replace("%zero = s32[] constant(0)", "%i = s32[] constant(0)")
            .replace("tuple(%zero, %p)", "tuple(%i, %p)");
        for (const QByteArray& text : { QByteArray(compiled), again, QByteArray(before) }) {
            const Ran printed = run(QStringLiteral("propagate"), {}, text.constData());
            QVERIFY2(printed.code == 0, qPrintable(printed.error));
            const Ran verified = run(QStringLiteral("verify"), {}, printed.out.toUtf8().constData());
            QVERIFY2(verified.code == 0, qPrintable(verified.out + verified.error + printed.out));
        }
        QVERIFY(run(QStringLiteral("propagate"), {}, before).out.contains(QStringLiteral("%w"))); // names are kept
    }
    /// What is printed of a compiled program knows as much as that: its mesh, and of which arrays it has shards.
    void partitionKeepsWhatIsKnown()
    {
        QByteArray known(compiled);
        known.replace(
            "%p = f32[2,8]{1,0} parameter(0)", "%p = f32[2,8]{1,0} parameter(0), sharding={devices=[4,1]<=[4]}");
        const auto shown = [](const QByteArray& text) {
            return run(QStringLiteral("show"), { QStringLiteral("--json") }, text.constData()).json();
        };
        const Ran printed = run(QStringLiteral("partition"), {}, known.constData());
        QVERIFY2(printed.out.contains(QStringLiteral("partitioned before")), qPrintable(printed.out + printed.error));
        const auto own = shown(known), again = shown(printed.out.toUtf8());
        QCOMPARE(own["tensors"].size(), std::size_t{ 1 });
        QVERIFY(own["mesh"] == again["mesh"]);
        for (const char* key : { "spec", "shape" })
            QVERIFY2(own["tensors"][0][key] == again["tensors"][0][key], key);
    }
    void namesThePlaceInHloText()
    {
        const Ran ran = run(QStringLiteral("check"), {},
            "HloModule m\n\nENTRY %e (p: f32[8]) -> f32[8] {\n  %p = f32[8] parameter(0)\n  ROOT %q = f32[4] "
            "tanh(%p)\n}\n");
        QVERIFY(ran.code != 0);
        QVERIFY2((ran.error + ran.out).contains(QStringLiteral(":5:")), qPrintable(ran.error + ran.out));
    }
};

REGISTER_TEST(HloProgramsTest)
#include "test_hlo_programs.moc"
