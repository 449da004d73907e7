// SPDX-License-Identifier: GPL-3.0-or-later
// What is said of collectives: every cause has its own sentence and its own word, figures say how they come about.
#include <QTest>

#include <set>

#include "analysis/analyse.h"
#include "experiment/builtin.h"
#include "registered_test.h"
#include "words/collective_words.h"

using namespace shardscope;

namespace {

CollectiveList notebook()
{
    AnalysisCache cache;
    const SnapshotPtr snapshot =
        analyse(std::make_shared<const Experiment>(builtinExamples().front().make()), 1, cache);
    return **collectivesOf(*snapshot);
}

QString cost(const CollectiveEntry& entry)
{
    return words::plain(words::collectiveCost(entry));
}

} // namespace

class TestCollectiveWords : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyCauseHasItsSentence()
    {
        const CollectiveList list = notebook();
        CollectiveEntry entry = list.entries.front();
        std::set<QString> sentences, names;
        for (int kind = 0; kind <= static_cast<int>(Reason::Kind::Halo); ++kind) {
            entry.reason->kind = static_cast<Reason::Kind>(kind);
            const QString stated = words::plain(words::collectiveCause(list, entry));
            QVERIFY2(stated.endsWith(QLatin1Char('.')) && stated.size() > 30, qPrintable(stated));
            QVERIFY2(!stated.contains(QLatin1Char('%')), qPrintable(stated));
            sentences.insert(stated);
            names.insert(words::causeName(entry));
        }
        entry.reason.reset();
        sentences.insert(words::plain(words::collectiveCause(list, entry)));
        names.insert(words::causeName(entry));
        QCOMPARE(sentences.size(), std::size_t{ 11 });
        QCOMPARE(names.size(), std::size_t{ 11 });
    }

    void halosSayWhatIsReadOfOthers()
    {
        const auto text = std::make_shared<const std::string>(R"(
sdy.mesh @mesh = <["x"=4]>
func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<16x8xf32> {
  %0 = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = "stablehlo.reduce_window"(%arg0, %0) <{padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 3, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<16x8xf32>, tensor<f32>) -> tensor<16x8xf32>
  return %1 : tensor<16x8xf32>
})");
        const auto experiment = experimentOf(ProgramModel{ {}, text }, "text");
        QVERIFY(experiment.has_value());
        AnalysisCache cache;
        const auto made = collectivesOf(*analyse(std::make_shared<const Experiment>(*experiment), 1, cache));
        QVERIFY(made.has_value());
        const std::shared_ptr<const CollectiveList> list = *made;
        QVERIFY(!list->entries.empty());
        const CollectiveEntry& entry = list->entries.front();
        QCOMPARE(entry.kind, CollectiveKind::CollectivePermute);
        QCOMPARE(entry.halos, (std::vector<HaloSide>{ { 0, 1, 1 } }));
        QCOMPARE(entry.sentBytes, Rational(64));
        QCOMPARE(entry.gatheredBytes, Rational(384));
        const QString stated = words::plain(words::collectiveCause(*list, entry));
        QVERIFY2(
            stated.contains(QStringLiteral("reads 1 element on both sides of a device's own block along dimension 0")),
            qPrintable(stated));
        QVERIFY(!entry.haloOfAll);
        QCOMPARE(cost(entry), QStringLiteral("A device sends at most 64 B.")); // 32 B of those at the ends
        const auto others = alternatives(*list, 0);
        QCOMPARE(others.size(), std::size_t{ 2 });
        QCOMPARE(others[1].kind, CollectiveAlternative::Kind::GatherAndSlice);
        QCOMPARE(others[1].sentBytes, Rational(384));
    }

    void sumsSayWhatIsCut()
    {
        const CollectiveList list = notebook();
        QCOMPARE(
            words::collectiveTitle(list, 0), QStringLiteral("Collective 1: all-reduce of Layer 0 / z along model"));
        QCOMPARE(words::plain(words::collectiveCause(list, list.entries[0])),
            QStringLiteral(
                "Layer 0 / y and Layer 0 / W2 are both sharded on hidden, which the dot_general sums away: the 4 "
                "devices along model must add their partial values."));
        QCOMPARE(words::groupCounts(list.entries[0]), QStringLiteral("2 groups of 4"));
        QCOMPARE(words::groupList(list.entries[0]), QStringLiteral("[0, 1, 2, 3], [4, 5, 6, 7]"));
        QCOMPARE(words::groupList(list.entries[0], 4), QStringLiteral("[0, 1, 2, 3], …"));
        QCOMPARE(
            words::shardingForm(list.entries[0].before, *list.mesh), QStringLiteral("P(data, -), partial along model"));
    }

    /// A maximum is no sum, and nobody adds its parts.
    void everyReductionHasItsWords()
    {
        const CollectiveList list = notebook();
        CollectiveEntry entry = list.entries.front();
        std::set<QString> causes;
        for (const ReduceKind kind : { ReduceKind::Max, ReduceKind::Min, ReduceKind::Product, ReduceKind::And,
                 ReduceKind::Or, ReduceKind::Sum }) {
            entry.collective.reduction = kind;
            const QString stated = words::plain(words::collectiveCause(list, entry));
            const bool sums = kind == ReduceKind::Sum;
            QCOMPARE(stated.contains(QStringLiteral("must add")), sums);
            QCOMPARE(stated.contains(QStringLiteral("sums away")), sums);
            QVERIFY(!stated.contains(QLatin1Char('%')));
            causes.insert(words::causeName(entry));
            for (const CollectiveAlternative& alternative : alternatives(list, 0)) {
                const QString text = words::plain(words::alternativeText(list, entry, alternative));
                QVERIFY2(sums || !text.contains(QStringLiteral("add up")), qPrintable(text));
            }
            QCOMPARE(words::partsOf(kind, 4).contains(QStringLiteral("addends")), sums);
        }
        QCOMPARE(causes.size(), std::size_t{ 6 });
        entry.collective.reduction = ReduceKind::Max;
        QCOMPARE(words::plain(words::collectiveCause(list, entry)),
            QStringLiteral(
                "Layer 0 / y and Layer 0 / W2 are both sharded on hidden, over which the dot_general takes the "
                "maximum: the 4 devices along model must compare their partial values."));
    }

    /// A permute has pairs; and what costs the same says what the whole step sends.
    void pairsAndSteps()
    {
        const CollectiveList list = notebook();
        CollectiveEntry entry = list.entries.front();
        entry.kind = CollectiveKind::CollectivePermute;
        entry.declaredPairs = { { 0, 2 }, { 1, 1 }, { 2, 4 }, { 4, 0 } };
        QCOMPARE(words::groupCounts(entry), QStringLiteral("3 pairs"));
        QCOMPARE(words::groupList(entry), QString::fromUtf8("0 → 2, 2 → 4, 4 → 0"));
        QCOMPARE(words::groupList(entry, 2), QString::fromUtf8("0 → 2, 2 → 4, …"));
        CollectiveAlternative same;
        same.kind = CollectiveAlternative::Kind::OptimalReshard;
        same.sentBytes = 16;
        same.stepBytes = sentBytes(list).step;
        const auto stated = [&] { return words::plain(words::alternativeText(list, entry, same)); };
        QVERIFY(
            stated().contains(QStringLiteral("16 B are sent per step in its place. The whole step sends 8.16 MiB as")));
        same.allReshards = true;
        same.stepBytes = 20;
        QVERIFY2(
            stated().endsWith(QStringLiteral("the whole step sends 20 B instead of 8.16 MiB.")), qPrintable(stated()));
        // What was tried out says what became of the step, by the byte where two amounts look alike.
        CollectiveAlternative tried;
        tried.kind = CollectiveAlternative::Kind::ScatterResult;
        tried.sentBytes = 16;
        tried.moreBytesHeld = -768;
        tried.stepMoreBytesHeld = 0;
        tried.sharding = entry.after;
        tried.after.emplace();
        tried.stepBytes = sentBytes(list).step;
        const auto said = [&] { return words::plain(words::alternativeText(list, entry, tried)); };
        QVERIFY2(said().endsWith(QStringLiteral("every device holds 768 B less. With what comes next the whole step "
                                                "sends 8.16 MiB as before, and every device holds as much as before.")),
            qPrintable(said()));
        tried.stepBytes = sentBytes(list).step + Rational(-16);
        tried.stepMoreBytesHeld = -768;
        QVERIFY2(said().endsWith(
                     QStringLiteral("With what comes next the whole step sends 8,560,624 B instead of 8,560,640 B.")),
            qPrintable(said()));
    }

    void figures()
    {
        const CollectiveList list = notebook();
        CollectiveEntry entry = list.entries.front();
        QCOMPARE(cost(entry), QString::fromUtf8("Each device sends 2 × 3/4 × 16 KiB = 24 KiB."));
        entry.times = 7;
        QCOMPARE(
            cost(entry), QString::fromUtf8("Each device sends 2 × 3/4 × 16 KiB = 24 KiB, 7 times per step: 168 KiB."));
        entry.timesKnown = false;
        QVERIFY(cost(entry).contains(QStringLiteral("known only when it runs")));
        entry.conditional = true;
        QVERIFY(cost(entry).contains(QStringLiteral("branch")));
        entry.sentBytes = 0;
        QCOMPARE(cost(entry), QStringLiteral("No data is sent."));
        entry.kind = CollectiveKind::AllSlice;
        QVERIFY(cost(entry).contains(QStringLiteral("each device drops what it does not need")));
    }

    void alternativesHavePrices()
    {
        const CollectiveList list = notebook();
        std::set<QString> stated;
        for (const CollectiveAlternative& alternative : alternatives(list, 0)) {
            const QString text = words::plain(words::alternativeText(list, list.entries[0], alternative));
            QVERIFY2(text.contains(words::bytes(alternative.sentBytes)), qPrintable(text));
            QVERIFY(!words::alternativeName(alternative.kind).isEmpty());
            stated.insert(text);
        }
        QCOMPARE(stated.size(), std::size_t{ 5 });
    }
};

REGISTER_TEST(TestCollectiveWords)
#include "test_collective_words.moc"
