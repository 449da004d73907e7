// SPDX-License-Identifier: GPL-3.0-or-later
// Sentences on what differs most.
#include <QLocale>
#include <QTest>

#include "analysis/analyse.h"
#include "base/codes.h"
#include "comparison/gathered_text.h"
#include "experiment/builtin.h"
#include "registered_test.h"
#include "words/comparison_words.h"
#include "words/mesh_search_words.h"

using namespace shardscope;

namespace {

SnapshotPtr snapshotOnMesh(std::int64_t data, std::int64_t model, std::int64_t batch = 8)
{
    Experiment experiment = builtinExamples().front().make();
    experiment.mesh.axes = { { "data", data }, { "model", model } };
    std::get<MlpModel>(experiment.model).settings.batch = batch;
    AnalysisCache cache;
    return analyse(std::make_shared<const Experiment>(std::move(experiment)), 1, cache);
}

} // namespace

class TestComparisonWords : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale(QLocale::English)); }

    void whatEachDeviceHolds_data()
    {
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("model");
        QTest::addColumn<QString>("sentence");
        const auto row = [](const char* name, int data, int model, const QString& sentence) {
            QTest::newRow(name) << data << model << sentence;
        };
        row("twice", 4, 2,
            QStringLiteral("Each device holds twice the parameters, gradients and moments, 64 MiB instead of 32 MiB, "
                           "since 4 × 2 shards them 2 ways instead of 4."));
        row("half", 1, 8,
            QStringLiteral("Each device holds half the parameters, gradients and moments, 16 MiB instead of 32 MiB, "
                           "since 1 × 8 shards them 8 ways instead of 4."));
        row("four times", 8, 1,
            QStringLiteral("Each device holds 4 times the parameters, gradients and moments, 128 MiB instead of "
                           "32 MiB, since 8 × 1 does not shard them, and A shards them 4 ways."));
    }
    void whatEachDeviceHolds()
    {
        QFETCH(int, data);
        QFETCH(int, model);
        QTEST(
            words::largestDifference(compareSnapshots(snapshotOnMesh(2, 4), snapshotOnMesh(data, model))), "sentence");
    }

    void nothing()
    {
        const SnapshotPtr same = snapshotOnMesh(2, 4);
        QCOMPARE(words::largestDifference(compareSnapshots(same, same)), QStringLiteral("A and B are the same."));
    }

    void withoutLayout()
    {
        Experiment wrong = builtinExamples().front().make();
        wrong.hardware.pinned = true;
        wrong.mesh.axes.front().size = 3;
        AnalysisCache cache;
        const SnapshotPtr bad = analyse(std::make_shared<const Experiment>(std::move(wrong)), 1, cache);
        const QString sentence = words::largestDifference(compareSnapshots(snapshotOnMesh(2, 4), bad));
        QVERIFY2(sentence.startsWith(QStringLiteral("B has no layout: ")), qPrintable(sentence));
    }

    /// Batch of 4096 on 2 x 4: what is added up along model is 512 times as much, and is the largest difference.
    void whatIsSent()
    {
        const SnapshotComparison found = compareSnapshots(snapshotOnMesh(2, 4), snapshotOnMesh(2, 4, 4096));
        const QString sentence = words::largestDifference(found);
        QVERIFY2(sentence.startsWith(QStringLiteral("Each device ")), qPrintable(sentence));
        QVERIFY2(sentence.endsWith(QLatin1Char('.')), qPrintable(sentence));
        QCOMPARE(sentence.contains(QStringLiteral(". In all it sends ")),
            found.largest.what == LargestDifference::What::Sent);
        QCOMPARE(sentence.contains(QStringLiteral("along model")), found.largest.what == LargestDifference::What::Sent);
    }

    /// The number of collectives is named only where it is the reason.
    void whyLessIsSent()
    {
        const SnapshotPtr rows = test::gatheredSnapshot({});
        QCOMPARE(words::largestDifference(
                     compareSnapshots(rows, test::gatheredSnapshot({ .isAlsoAlongY = true, .withVector = true }))),
            QStringLiteral(
                "Each device sends 31.5 KiB less in a step along x, 10.5 KiB instead of 42 KiB: each all-gather "
                "of %w1 sends 3.5 KiB instead of 14 KiB, as do those of 2 other arrays."));
        QCOMPARE(words::largestDifference(compareSnapshots(rows, test::gatheredSnapshot({ .gathered = 1 }))),
            QStringLiteral(
                "Each device sends 28 KiB less in a step along x, 14 KiB instead of 42 KiB: the step has 1 × "
                "all-gather instead of 3."));
    }

    void settings()
    {
        const SnapshotComparison found = compareSnapshots(snapshotOnMesh(2, 4), snapshotOnMesh(4, 2, 16));
        QStringList names;
        for (const SettingDifference& each : found.inputs)
            names << words::settingName(each, found) + QLatin1Char(' ') + words::settingValue(each.before)
                    + QLatin1Char(' ') + words::settingValue(each.after);
        QCOMPARE(names,
            (QStringList{ QStringLiteral("mesh axis data 2 4"), QStringLiteral("mesh axis model 4 2"),
                QStringLiteral("size of batch 8 16") }));
        QCOMPARE(words::settingValue(R"("adam")"), QStringLiteral("adam"));
        QCOMPARE(words::settingValue(std::nullopt), QStringLiteral("–"));
        QCOMPARE(words::settingValue(R"({"lines":31,"others":7})", "/model/text"),
            QStringLiteral("31 lines, 7 of them not in the other one"));
        QCOMPARE(words::settingValue(R"({"lines":3,"others":0})", "/model/text"),
            QStringLiteral("3 lines, all of them in the other one"));
        QCOMPARE(words::settingValue(R"({"lines":31})", "/model/text"), QStringLiteral("31 lines"));
        QCOMPARE(words::settingValue(R"([["data",2],["model",4]])", "/mesh/axes"), QStringLiteral("data 2 × model 4"));
        QCOMPARE(words::settingValue(R"([["data",1],["stage",1],["fsdp",4],["tensor",8]])", "/mesh/axes"),
            QStringLiteral("fsdp 4 × tensor 8"));
        QCOMPARE(words::settingValue(R"([["data"]])", "/mesh/axes"), QStringLiteral("[[\"data\"]]"));
    }

    void searchOverMeshes()
    {
        const auto mesh = [](std::int64_t data) {
            MeshFigures figures;
            figures.axes = { { "data", data }, { "model", 8 / data } };
            return figures;
        };
        std::vector<MeshFigures> meshes{ mesh(1), mesh(2), mesh(4), mesh(8) };
        for (MeshFigures& each : meshes) {
            each.stateBytes = 8;
            each.sentBytes = Rational(8);
        }
        meshes[1].dominatedBy = 0;
        meshes[2].problem = Diagnostic{ Code::OutOfMemory, {}, {} };
        meshes[3].sentBytes.reset();
        QCOMPARE(words::meshVerdict(meshes, 0), QStringLiteral("front"));
        QCOMPARE(words::meshVerdict(meshes, 1), QStringLiteral("beaten by data 1 × model 8"));
        QCOMPARE(words::meshVerdict(meshes, 2), words::oneLine(*meshes[2].problem));
        QCOMPARE(words::meshVerdict(meshes, 3), QStringLiteral("–"));
        meshes[2].problem = Diagnostic{ Code::OverMemoryLimit, { { "bytes", 3 << 20 }, { "limit", 2 << 20 } }, {} };
        QCOMPARE(words::meshVerdict(meshes, 2), QStringLiteral("does not fit: 3 MiB of 2 MiB"));
        QCOMPARE(words::meshReason(meshes, 2), QStringLiteral("does not fit: 3 MiB of 2 MiB"));
        // A table has the short form of a sentence.
        const MeshFigures before = meshes[2];
        meshes[2].problem = Diagnostic{ Code::AxisUnused, { { "axis", "model" }, { "size", 2 } }, {} };
        QCOMPARE(words::meshVerdict(meshes, 2), QStringLiteral("nothing is sharded along model"));
        QCOMPARE(words::meshReason(meshes, 2), words::oneLine(*meshes[2].problem));
        meshes[2].problem = Diagnostic{ Code::PipelineAxis, { { "axis", "stage" }, { "size", 4 } }, {} };
        QCOMPARE(words::meshVerdict(meshes, 2), QStringLiteral("stage is no pipeline here"));
        meshes[2] = before;
        std::vector<BatchFigures> batches(4);
        for (std::size_t i = 0; i < batches.size(); ++i)
            batches[i].batch = std::int64_t{ 8 } << (2 * i);
        QVERIFY(words::batchSensitivity(batches, meshes).isEmpty());
        batches[1].least = 0;
        QCOMPARE(words::batchSensitivity(batches, meshes),
            QStringLiteral("data 1 × model 8 sends least with a batch of 32."));
        batches[3].least = 0; // with 128 none can be used
        QCOMPARE(words::batchSensitivity(batches, meshes),
            QStringLiteral("data 1 × model 8 sends least with a batch of 32."));
        batches[2].least = 0;
        QCOMPARE(words::batchSensitivity(batches, meshes),
            QStringLiteral("data 1 × model 8 sends least with every batch tried from 32 to 512."));
        batches[3].least = 1;
        QCOMPARE(words::batchSensitivity(batches, meshes),
            QStringLiteral(
                "data 1 × model 8 sends least with a batch of 32; with a batch of 512 it is data 2 × model 4."));
        batches[3].changes = { { 293, 1 } };
        QCOMPARE(words::batchSensitivity(batches, meshes),
            QStringLiteral(
                "data 1 × model 8 sends least with a batch of 32; from a batch of 293 on it is data 2 × model 4."));
        FoundMeshes tried;
        tried.compared = meshes;
        tried.comparable = meshes.size();
        tried.batches = batches;
        QVERIFY(words::meshesOfBatches(tried).isEmpty());
        tried.comparable = 28;
        QCOMPARE(
            words::meshesOfBatches(tried), QStringLiteral("Batches were tried on %1 of 28 meshes.").arg(meshes.size()));
        batches[0].sentNow = Rational(2048);
        QCOMPARE(words::sentNow(batches[0]), QStringLiteral("2 KiB"));
        batches[0].problemNow = meshes[2].problem;
        QCOMPARE(words::sentNow(batches[0]), QStringLiteral("2 KiB, does not fit: 3 MiB of 2 MiB"));
        QCOMPARE(words::sentNow(batches[1]), QStringLiteral("-"));
        QVERIFY(words::batchProblems(batches, meshes).isEmpty() && words::batchProblem(batches[0], meshes).isEmpty());
        for (const std::size_t i : { std::size_t{ 2 }, std::size_t{ 3 } }) {
            batches[i].least.reset();
            batches[i].closest = 1;
            batches[i].problem = meshes[2].problem;
        }
        QCOMPARE(words::batchProblem(batches[3], meshes),
            QStringLiteral("none; data 2 × model 4 does not fit: 3 MiB of 2 MiB"));
        QCOMPARE(words::batchProblems(batches, meshes),
            QStringList{ QStringLiteral("With a batch of 128 to 512 none of the meshes can be used. With 128, data 2 × "
                                        "model 4 does not fit: 3 MiB of 2 MiB.") });
    }

    /// Sizes alone say which axis is meant only where there are few.
    void longMeshes()
    {
        const auto named = [](const std::vector<MeshAxis>& axes) { return words::meshSizes(*Mesh::create(axes)); };
        QCOMPARE(named({ { "data", 1 }, { "fsdp", 4 }, { "tensor", 8 } }), QStringLiteral("1 × 4 × 8"));
        QCOMPARE(named({ { "data", 1 }, { "stage", 1 }, { "fsdp", 4 }, { "tensor", 8 } }),
            QStringLiteral("fsdp 4 × tensor 8"));
        QCOMPARE(named({ { "a", 2 }, { "b", 2 }, { "c", 2 }, { "d", 2 } }), QStringLiteral("2 × 2 × 2 × 2"));
        QCOMPARE(named({ { "a", 1 }, { "b", 1 }, { "c", 1 }, { "d", 1 } }), QStringLiteral("1"));
    }

    void collectives()
    {
        const SnapshotComparison found = compareSnapshots(snapshotOnMesh(2, 4), snapshotOnMesh(4, 2));
        const ComparedCollectives& first = found.collectives.front();
        QCOMPARE(words::collectivesName(first, found), QStringLiteral("all-reduce along data (sum)"));
        QCOMPARE(words::collectivesAmount(first.timesBefore, first.sentBefore), QStringLiteral("8: 8 MiB"));
        QCOMPARE(words::collectivesAmount(0, {}), QStringLiteral("–"));
    }

    void numbers()
    {
        QCOMPARE(words::signedBytes(32.0 * 1024 * 1024), QStringLiteral("+32 MiB"));
        QCOMPARE(words::signedBytes(-7.0 * 1024), QStringLiteral("−7 KiB"));
        QCOMPARE(words::signedBytes(0), QStringLiteral("0 B"));
        QCOMPARE(words::signedSeconds(0.25e-3), QStringLiteral("+250 µs"));
        QCOMPARE(words::operationCounts(2, 0, 5), QStringLiteral("2 added, 5 changed"));
        QCOMPARE(words::operationCounts(0, 0, 0), QStringLiteral("no difference"));
    }
};

REGISTER_TEST(TestComparisonWords)
#include "test_comparison_words.moc"
