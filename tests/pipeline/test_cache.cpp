// SPDX-License-Identifier: GPL-3.0-or-later
// What the cache keeps, and what an analysis says when memory runs out in the middle.
#include <QTest>

#include "analysis/explain.h"
#include "base/codes.h"
#include "experiment/builtin.h"
#include "failing_allocations.h"
#include "pipeline/cache.h"
#include "registered_test.h"

using namespace shardscope;
using namespace shardscope::test;

namespace {

using Cache = StageCache<int, int>;

void insert(Cache& cache, int key, std::size_t weight)
{
    cache.insert(static_cast<std::uint64_t>(key), key, std::make_shared<const int>(10 * key), weight);
}

std::vector<int> kept(Cache& cache, int keys)
{
    std::vector<int> found;
    for (int key = 0; key < keys; ++key)
        if (const auto output = cache.find(static_cast<std::uint64_t>(key), key); output && *output == 10 * key)
            found.push_back(key);
    return found;
}

ExperimentPtr notebookExperiment()
{
    for (const Example& candidate : builtinExamples())
        if (candidate.id == "flax-mlp-logical")
            return std::make_shared<const Experiment>(candidate.make());
    qFatal("no such example");
}

} // namespace

class TestCache : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void keepsSoManySmallEntries()
    {
        Cache cache;
        const int all = static_cast<int>(Cache::capacity) + 3;
        for (int key = 0; key < all; ++key)
            insert(cache, key, 1);
        const std::vector<int> found = kept(cache, all);
        QCOMPARE(found.size(), Cache::capacity);
        QCOMPARE(found.front(), 3);
    }

    void keepsFewLargeEntries()
    {
        Cache cache;
        for (int key = 0; key < 5; ++key)
            insert(cache, key, Cache::largestWeight / 3);
        QCOMPARE(kept(cache, 5), (std::vector{ 2, 3, 4 }));
        QVERIFY(cache.find(2, 2)); // used: now the newest
        insert(cache, 5, Cache::largestWeight / 2);
        QCOMPARE(kept(cache, 6), (std::vector{ 2, 5 }));
    }

    void keepsTheNewestWhateverItsWeight()
    {
        Cache cache;
        insert(cache, 0, 1);
        insert(cache, 1, 3 * Cache::largestWeight);
        QCOMPARE(kept(cache, 2), std::vector{ 1 });
        // It goes when something else comes, and its weight with it.
        insert(cache, 2, Cache::largestWeight / 2);
        insert(cache, 3, Cache::largestWeight / 2);
        QCOMPARE(kept(cache, 4), (std::vector{ 2, 3 }));
        cache.clear();
        QVERIFY(kept(cache, 4).empty());
        insert(cache, 0, Cache::largestWeight / 2);
        insert(cache, 1, Cache::largestWeight / 2);
        QCOMPARE(kept(cache, 2), (std::vector{ 0, 1 }));
    }

    void anAnalysisWithoutMemoryIsAProblem()
    {
        const ExperimentPtr experiment = notebookExperiment();
        {
            AnalysisCache cache;
            QVERIFY(analyse(experiment, 1, cache)->ok()); // tables that are made once are there from now on
        }
        const std::int64_t before = allocations;
        {
            AnalysisCache cache;
            QVERIFY(analyse(experiment, 1, cache)->ok());
        }
        const std::int64_t all = allocations - before;
        QVERIFY(all > 1000);
        int failures = 0, tries = 0;
        for (std::int64_t request = 1; request <= all; request += 1 + all / 1000) {
            AnalysisCache cache;
            ++tries;
            failRequest(request);
            const SnapshotPtr snapshot = analyse(experiment, 7, cache);
            failRequest(0);
            QVERIFY(snapshot);
            QCOMPARE(snapshot->revision, 7U);
            QCOMPARE(snapshot->experiment, experiment);
            if (!snapshot->ok()) { // what may be missing, such as room for a faster sort, is no failure
                QVERIFY(!snapshot->laidOut());
                QCOMPARE(snapshot->problems.size(), 1U);
                QCOMPARE(snapshot->problems[0].diagnostic.code, Code::OutOfMemory);
                ++failures;
            }
            QVERIFY(analyse(experiment, 8, cache)->ok()); // the cache is none the worse
        }
        QVERIFY2(failures > tries * 3 / 4, qPrintable(QStringLiteral("%1 of %2").arg(failures).arg(tries)));
    }

    void whatIfsWithoutMemoryOrStopped()
    {
        AnalysisCache cache;
        const SnapshotPtr snapshot = analyse(notebookExperiment(), 1, cache);
        const ValueId value = snapshot->row("params/layers.0/W1")->value;
        const std::int64_t before = allocations;
        std::size_t rows = 0;
        {
            AnalysisCache own;
            rows = whatIfs(*snapshot, value, own).size();
        }
        const std::int64_t all = allocations - before;
        QVERIFY(rows >= 2);
        for (std::int64_t request = 1; request <= all; request += 1 + all / 100) {
            AnalysisCache own;
            failRequest(request);
            const std::vector<WhatIf> some = whatIfs(*snapshot, value, own);
            failRequest(0);
            QVERIFY(some.size() <= rows + 1); // where one row is lost, another possibility may take its place
        }

        std::stop_source stop;
        stopped = &stop;
        AnalysisCache own;
        stopAt = allocations + all / 2;
        const std::vector<WhatIf> some = whatIfs(*snapshot, value, own, stop.get_token());
        QVERIFY(stop.stop_requested());
        QVERIFY(some.size() < rows);
        const std::int64_t atStop = allocations;
        QVERIFY(whatIfs(*snapshot, value, own, stop.get_token()).empty());
        QVERIFY(allocations - atStop < all / 10);
        stopAt = 0;
    }
};

REGISTER_TEST(TestCache)
#include "test_cache.moc"
