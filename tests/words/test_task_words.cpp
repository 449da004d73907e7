// SPDX-License-Identifier: GPL-3.0-or-later
// Goals of tasks and how far they are met, in words.
#include <QLocale>
#include <QTest>

#include <memory>

#include "analysis/analyse.h"
#include "registered_test.h"
#include "words/task_words.h"

using namespace shardscope;

class TestTaskWords : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void goals()
    {
        using Kind = Condition::Kind;
        QCOMPARE(
            words::goal({ Kind::PeakAtMost, {}, 20 << 20 }), QStringLiteral("at most 20 MiB per device at the peak"));
        QCOMPARE(words::goal({ Kind::SentAtMost, {}, 0 }), QStringLiteral("no device sends anything"));
        QCOMPARE(words::goal({ Kind::SentAtMost, {}, 8 }), QStringLiteral("at most 8 B sent per device and step"));
        QCOMPARE(words::goal({ Kind::CollectivesAtMost, "all_reduce", 8 }),
            QStringLiteral("at most 8 all-reduces per step"));
        QCOMPARE(words::goal({ Kind::ShardedByRule, "array", 0, {}, "batch", "Z" }),
            QStringLiteral("a rule shards batch of array over Z"));
        QCOMPARE(words::goal({ Kind::ModelKept, "batch" }), QStringLiteral("the model stays, but for batch"));
    }

    /// Every goal, met and unmet, says something; what is unmet says how it stands.
    void everyTask()
    {
        for (const Task& task : tasks()) {
            AnalysisCache cache;
            const SnapshotPtr start = analyse(std::make_shared<const Experiment>(startOf(task)), 1, cache);
            const TaskState unsolved = checkTask(task, *start);
            for (const ConditionState& each : unsolved.conditions) {
                QVERIFY(!words::goal(each.condition).isEmpty());
                QVERIFY(each.met || !words::found(each).isEmpty());
            }
            const QStringList missing = words::missing(unsolved);
            QCOMPARE(static_cast<std::size_t>(missing.size()), task.goal.size() - unsolved.metCount());
            const QString progress = words::progress(unsolved);
            for (const QString& each : missing)
                QVERIFY(progress.contains(each) && each.contains(QStringLiteral(" (now ")));
            const Result<Experiment> solution = task.solution(startOf(task));
            QVERIFY(solution.has_value());
            const TaskState solved = checkTask(task, *analyse(std::make_shared<const Experiment>(*solution), 2, cache));
            QVERIFY(words::missing(solved).isEmpty());
            QVERIFY(words::progress(solved).startsWith(QStringLiteral("Solved")));
        }
    }

    void figures()
    {
        const Task* task = findTask("fit-the-step");
        QVERIFY(task);
        AnalysisCache cache;
        const SnapshotPtr start = analyse(std::make_shared<const Experiment>(startOf(*task)), 1, cache);
        QCOMPARE(words::progress(checkTask(*task, *start)),
            QStringLiteral(
                "2 of 4 met. Missing: at most 20 MiB per device at the peak (now 32 MiB); at most 8 all-reduces "
                "per step (now 16)."));
    }
};

REGISTER_TEST(TestTaskWords)
#include "test_task_words.moc"
