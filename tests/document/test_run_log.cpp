// SPDX-License-Identifier: GPL-3.0-or-later
// Runs that are kept: an edit does not discard them, and each tells what it ran on.
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTest>

#include "document/run_log.h"
#include "experiment/builtin.h"
#include "experiment/edits.h"
#include "experiment_file/differences.h"
#include "registered_test.h"
#include "schedule/plan.h"

using namespace shardscope;

namespace {

/// The notebook's experiment with arrays of a size that a test can train in no time.
Experiment smallNotebook()
{
    Experiment experiment = builtinExamples().front().make();
    auto& settings = std::get<MlpModel>(experiment.model).settings;
    settings.layers = 2;
    settings.embed = 32;
    settings.hidden = 64;
    return experiment;
}

struct Logged {
    Document document;
    RunController controller{ &document };
    RunLog log{ &document, &controller };

    Logged()
    {
        document.setExperiment(smallNotebook(), {});
        document.waitForAnalysis();
    }
    void step()
    {
        const qint64 before = controller.stepsDone();
        controller.runStep();
        QTRY_COMPARE_WITH_TIMEOUT(controller.stepsDone(), before + 1, 60'000);
        QTRY_COMPARE_WITH_TIMEOUT(controller.state(), RunController::State::Idle, 60'000);
    }
    void setData(std::int64_t size)
    {
        QVERIFY(document.edit(withAxisSize(*document.experiment(), 0, size, true), QStringLiteral("data")));
        document.waitForAnalysis();
    }
};

} // namespace

class TestRunLog : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        QTest::failOnWarning(
            QRegularExpression(QStringLiteral("^(?!This plugin does not support propagateSizeHints)")));
    }

    void editsDoNotDiscardRuns()
    {
        Logged logged;
        QVERIFY(logged.log.runs().empty());
        logged.step();
        logged.step();
        QCOMPARE(logged.log.runs().size(), std::size_t{ 1 });
        const KeptRun first = logged.log.runs().front();
        QCOMPARE(first.number, std::uint64_t{ 1 });
        QCOMPARE(first.steps, 2);
        QCOMPARE(first.mesh, QStringLiteral("2 × 4"));
        QVERIFY(first.time > 0 && first.deviation >= 0);
        QVERIFY(first.loss.has_value());
        QCOMPARE(first.peakBytes, logged.document.snapshot()->plan->memory.peakBytes);
        QCOMPARE(first.sentBytes, logged.document.snapshot()->sent.step);
        QCOMPARE(first.inputs, hashOfInputs(*logged.document.experiment()));

        logged.setData(4);
        QCOMPARE(logged.log.runs().size(), std::size_t{ 1 });
        logged.step();
        QCOMPARE(logged.log.runs().size(), std::size_t{ 2 });
        QCOMPARE(logged.log.runs().front().steps, 2); // as it was
        QCOMPARE(logged.log.runs().back().mesh, QStringLiteral("4 × 2"));
        QVERIFY(logged.log.runs().back().inputs != first.inputs);
        QCOMPARE(logged.log.timeOf(first.inputs)->number, first.number);

        // Back on the first mesh a step is another run with the same inputs.
        logged.setData(2);
        logged.step();
        QCOMPARE(logged.log.runs().size(), std::size_t{ 3 });
        QCOMPARE(logged.log.runs().back().inputs, first.inputs);
        QCOMPARE(logged.log.timeOf(first.inputs)->number, std::uint64_t{ 3 });

        // Another experiment does not discard them either.
        logged.document.setExperiment(smallNotebook(), {});
        QCOMPARE(logged.log.runs().size(), std::size_t{ 3 });
    }

    void removed()
    {
        Logged logged;
        logged.step();
        QSignalSpy changed(&logged.log, &RunLog::changed);
        logged.log.remove(7); // there is none
        QCOMPARE(changed.count(), 0);
        logged.log.remove(1);
        QCOMPARE(changed.count(), 1);
        QVERIFY(logged.log.runs().empty());
        QVERIFY(!logged.log.run(1));
        // While it goes on it does not come back.
        logged.step();
        QVERIFY(logged.log.runs().empty());
        // From the start it is another one.
        logged.controller.reset();
        logged.step();
        QCOMPARE(logged.log.runs().size(), std::size_t{ 1 });
        QCOMPARE(logged.log.runs().front().number, std::uint64_t{ 2 });
    }

    void benchmarksGiveTheirOwnMean()
    {
        Logged logged;
        logged.controller.runTimeit(3, 2);
        QTRY_VERIFY_WITH_TIMEOUT(logged.controller.lastTimeit().has_value(), 60'000);
        const KeptRun& run = logged.log.runs().back();
        QCOMPARE(run.steps, logged.controller.stepsDone());
        QCOMPARE(run.time, logged.controller.lastTimeit()->mean);
        QCOMPARE(run.deviation, logged.controller.lastTimeit()->deviation);
    }

    void agreesWithTheReference()
    {
        Logged logged;
        logged.step();
        const KeptRun& run = logged.log.runs().front();
        QVERIFY(!run.agreement);
        const Result<CheckVerdict> verdict = agreementOf(run);
        QVERIFY(verdict);
        QCOMPARE(*verdict, CheckVerdict::Agrees);
        QSignalSpy changed(&logged.log, &RunLog::changed);
        logged.log.setAgreement(run.number, *verdict);
        QCOMPARE(changed.count(), 1);
        QCOMPARE(logged.log.runs().front().agreement, std::optional(CheckVerdict::Agrees));
    }
};

REGISTER_TEST(TestRunLog)
#include "test_run_log.moc"
