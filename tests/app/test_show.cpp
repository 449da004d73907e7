// SPDX-License-Identifier: GPL-3.0-or-later
// show: what is long is summed up, and printed in full where that is asked for.
#include <QRegularExpression>
#include <QTest>

#include "program.h"
#include "registered_test.h"

using namespace shardscope;

class ShowTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    Ran show(const QByteArray& experiment, const QStringList& more = {}) const
    {
        return runProgram(
            QStringList{ QStringLiteral("show"), writeFile(m_folder, QStringLiteral("shown.json"), experiment) }
            + more);
    }

private Q_SLOTS:
    /// Axes of size 1 shard nothing: they are named, and not drawn.
    void axesOfSizeOneAreNotDrawn()
    {
        const Ran ran = show(smallMlp("[\"data\", 2], [\"model\", 4]",
            "[\"first\", 1], [\"data\", 2], [\"mid\", 1], [\"model\", 4], [\"z\", 1]"));
        QCOMPARE(ran.code, 0);
        QVERIFY2(
            ran.out.contains(QStringLiteral("  data 2 × model 4: 8 devices of kind generic-cpu")), qPrintable(ran.out));
        QVERIFY2(ran.out.contains(QStringLiteral("  of size 1: first, mid, z\n")), qPrintable(ran.out));
        QCOMPARE(ran.out.count(QStringLiteral("┌")), 1); // one grid of 2 × 4
        QVERIFY2(ran.out.contains(QRegularExpression(QStringLiteral("CPU 0 +│ +CPU 1 +│ +CPU 2 +│ +CPU 3"))),
            qPrintable(ran.out));
        // In an order of their own the devices stand where they stand with the axes of size 1.
        const Ran ordered = show(smallMlp("[\"data\", 2], [\"model\", 4]]",
            "[\"data\", 2], [\"mid\", 1], [\"model\", 4]], \"device_order\": [7, 6, 5, 4, 3, 2, 1, 0]"));
        QVERIFY2(ordered.out.contains(QRegularExpression(QStringLiteral("CPU 7 +│ +CPU 6 +│ +CPU 5 +│ +CPU 4"))),
            qPrintable(ordered.out + ordered.error));
        const Ran one = show(smallMlp("[\"data\", 2], [\"model\", 4]", "[\"data\", 1], [\"model\", 1]"));
        QVERIFY2(one.out.contains(QStringLiteral("  all axes of size 1: 1 device of kind")), qPrintable(one.out));
    }

    void largeMeshesAreRowsOfNumbers()
    {
        const QByteArray large =
            smallMlp("[\"data\", 2], [\"model\", 4]", "[\"data\", 2], [\"fsdp\", 64], [\"model\", 4]");
        const Ran ran = show(large);
        QVERIFY2(ran.out.contains(QStringLiteral("512 devices")), qPrintable(ran.out + ran.error));
        QVERIFY(!ran.out.contains(QStringLiteral("┌")));
        QVERIFY2(ran.out.contains(QStringLiteral("  and 112 more rows\n")), qPrintable(ran.out));
        QVERIFY2(ran.out.count(QLatin1Char('\n')) < 100, qPrintable(ran.out));
        const Ran all = show(large, { QStringLiteral("--all") });
        QVERIFY2(
            all.out.contains(QRegularExpression(QStringLiteral("1 +63 +508 +509 +510 +511\n"))), qPrintable(all.out));
        QVERIFY(!all.out.contains(QStringLiteral("more rows")));
    }

    /// What `partition` prints says of which arrays its arguments are shards; nothing is replicated that is not.
    void partitionedTexts()
    {
        const auto specs = [](const nlohmann::json& shown) {
            std::map<std::string, std::string> all;
            for (const auto& tensor : shown.at("tensors"))
                all.emplace(tensor.at("path"), tensor.at("spec").dump() + tensor.at("shape").dump());
            return all;
        };
        for (const char* example : { "flax-mlp-logical", "transformer-t5x", "transformer-experts", "jax-layer" }) {
            const Ran printed = runProgram({ QStringLiteral("partition"), QLatin1String(example) });
            const QString text = writeFile(m_folder, QStringLiteral("partitioned.mlir"), printed.out.toUtf8());
            const nlohmann::json shown = runProgram({ QStringLiteral("show"), text, QStringLiteral("--json") }).json();
            QVERIFY(shown.at("partitioned") == true);
            const auto held = specs(shown);
            const nlohmann::json own =
                runProgram({ QStringLiteral("show"), QLatin1String(example), QStringLiteral("--json") }).json();
            const auto wanted = specs(own);
            QVERIFY(shown.at("mesh") == own.at("mesh"));
            QVERIFY2(held.size() > 2, example);
            for (const auto& [path, spec] : held)
                QVERIFY2(wanted.count(path) == 1 && wanted.at(path) == spec, (path + ": " + spec).c_str());
        }
    }

    /// Names are printed as they are, whatever stands in them.
    void namesWithPercentSigns()
    {
        const QString file = writeFile(m_folder, QStringLiteral("odd.mlir"),
            "sdy.mesh @mesh = <[\"%2\"=2, \"%3\"=2]>\n"
            "func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"%2\"}, {\"%3\"}]>}) -> "
            "tensor<8x8xf32> {\n  %y = stablehlo.negate %x : tensor<8x8xf32>\n  return %y : tensor<8x8xf32>\n}\n");
        const Ran ran =
            runProgram({ QStringLiteral("explain"), file, QStringLiteral("--tensor"), QStringLiteral("x") });
        QCOMPARE(ran.code, 0);
        QVERIFY2(ran.out.contains(QStringLiteral("  f32[8@%2, 8@%3], 4 shards of [4, 4], 64 B per device")),
            qPrintable(ran.out));
    }

    void unusedRulesAreCounted()
    {
        QByteArray rules = "[\"batch\", \"data\"]";
        for (int i = 0; i < 20; ++i)
            rules += ", [\"name_" + QByteArray::number(i) + "\", \"model\"]";
        const QByteArray text = smallMlp("[\"batch\", \"data\"]", rules).replace("\"device\"", "\"logical\"");
        const Ran ran = show(text);
        QVERIFY2(ran.out.contains(QStringLiteral("  22 rules, 20 unused (--all lists them)\n")),
            qPrintable(ran.out + ran.error));
        QVERIFY(!ran.out.contains(QStringLiteral("name_7")));
        QVERIFY2(ran.out.contains(QRegularExpression(QStringLiteral("\n +22  hidden  +model +\\d+\n"))),
            qPrintable(ran.out));
        const Ran all = show(text, { QStringLiteral("--all") });
        QVERIFY2(all.out.contains(QStringLiteral("name_7")) && !all.out.contains(QStringLiteral("unused")),
            qPrintable(all.out));
        QCOMPARE(show(text, { QStringLiteral("--json") }).json().at("rules").at("list").size(), 22U);
    }

    void layersThatAreAlikeStandOnce()
    {
        const QByteArray deep = smallMlp("\"layers\": 2", "\"layers\": 40");
        const Ran ran = show(deep);
        QCOMPARE(ran.code, 0);
        QVERIFY2(ran.out.contains(QRegularExpression(QStringLiteral(
                     "\n  params/layers\\.\\*/W1 +f32 +\\[16, 32\\] +P\\(-, model\\) +\\[16, 8\\] +512 B +2 +40\n"))),
            qPrintable(ran.out));
        QVERIFY(!ran.out.contains(QStringLiteral("params/layers.17/W1")));
        QVERIFY2(ran.out.contains(QStringLiteral("(--all lists each)")), qPrintable(ran.out));
        const Ran all = show(deep, { QStringLiteral("--all") });
        QCOMPARE(all.out.count(QRegularExpression(QStringLiteral("\n  params/layers\\.\\d+/W1 "))), 40);
        QVERIFY(!all.out.contains(QStringLiteral("layers.*")));
    }
};

REGISTER_TEST(ShowTest)
#include "test_show.moc"
