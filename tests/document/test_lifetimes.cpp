// SPDX-License-Identifier: GPL-3.0-or-later
// What happens beside the window when memory runs out, and when the window closes.
#include <QTest>
#include <QThread>

#include <chrono>
#include <thread>

#include "base/codes.h"
#include "document/document.h"
#include "document/run_controller.h"
#include "experiment/builtin.h"
#include "experiment/edits.h"
#include "failing_allocations.h"
#include "registered_test.h"

using namespace shardscope;
using namespace shardscope::test;

namespace {

Experiment notebook(std::int64_t layers, std::int64_t embed, std::int64_t hidden)
{
    Experiment experiment = builtinExamples().front().make();
    auto& settings = std::get<MlpModel>(experiment.model).settings;
    settings.layers = layers;
    settings.embed = embed;
    settings.hidden = hidden;
    return experiment;
}

} // namespace

class TestLifetimes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { neverFails = true; } // this thread

    void anAnalysisWithoutMemoryKeepsTheDocument()
    {
        Document document;
        document.setExperiment(notebook(2, 32, 64), {});
        document.waitForAnalysis();
        std::int64_t size = 2; // as it is
        // The first request is that of the stop token, before there is an analysis.
        for (const std::int64_t request : { 2, 3, 30, 200, 400 }) {
            const SnapshotPtr good = document.lastGood();
            QVERIFY(good && good == document.snapshot());
            size = size == 8 ? 1 : size * 2;
            failRequest(request);
            QVERIFY(document.edit(withAxisSize(*document.experiment(), 0, size, true), QStringLiteral("data")));
            document.waitForAnalysis();
            const bool failed = hasFailed;
            failRequest(0);
            QVERIFY2(failed, qPrintable(QString::number(request)));
            QVERIFY(!document.isStale());
            QCOMPARE(document.snapshot()->revision, document.revision());
            QCOMPARE(document.snapshot()->problems.size(), std::size_t{ 1 });
            QCOMPARE(document.snapshot()->problems.front().diagnostic.code, Code::OutOfMemory);
            QCOMPARE(document.lastGood(), good);
            QVERIFY(document.isModified());
            QCOMPARE(document.experiment()->mesh.axes[0].size, size);
            // With memory the next edit is analysed as ever.
            QVERIFY(document.edit(withDimension(*document.experiment(), "batch", 8 * (request + 1)), {}));
            document.waitForAnalysis();
            QVERIFY(document.snapshot()->ok());
        }
    }

    void closingDoesNotWaitForALargeRun()
    {
        // Filling a run asks for memory once per row of a shard. W1 is cut over 4 devices in its columns, W2 in its
        // rows, and each has two moments.
        constexpr std::int64_t size = 2048, layers = 2;
        constexpr std::int64_t rows = layers * 3 * (4 * size + size);
        Document document;
        document.setExperiment(notebook(layers, size, size), {});
        document.waitForAnalysis();
        QVERIFY(document.snapshot()->ok());
        std::int64_t atClose = 0;
        std::jthread releasing;
        {
            RunController run(&document);
            const std::int64_t middle = allocations + rows / 2;
            holdFrom = middle;
            run.runContinuously();
            while (allocations < middle)
                QThread::yieldCurrentThread();
            releasing = std::jthread([] {
                std::this_thread::sleep_for(std::chrono::milliseconds(300)); // the stop has been asked for
                release();
            });
            atClose = allocations;
        }
        const std::int64_t afterwards = allocations - atClose;
        releasing.join();
        QVERIFY2(afterwards < rows / 100, qPrintable(QString::number(afterwards)));
    }

    void whatWasBrokenOffBeginsAnew()
    {
        Document document;
        document.setExperiment(notebook(2, 64, 64), {});
        document.waitForAnalysis();
        RunController run(&document);
        for (int i = 0; i < 30; ++i) {
            run.runContinuously();
            if (i % 2 == 0)
                QTRY_VERIFY(run.stepsDone() >= 2);
            run.reset(); // in the middle of a step, or of filling
            QCOMPARE(run.stepsDone(), 0);
            run.runStep();
            QTRY_COMPARE(run.stepsDone(), 1);
            QTRY_COMPARE(run.state(), RunController::State::Idle);
            QCOMPARE(run.history().size(), std::size_t{ 1 });
            QVERIFY(run.history().front().wall > 0);
            run.reset(); // idle: the same run goes on
            run.runStep();
            QTRY_COMPARE(run.stepsDone(), 1);
            QTRY_COMPARE(run.state(), RunController::State::Idle);
        }
    }

    void stopLetsTheStepEnd()
    {
        Document document;
        document.setExperiment(notebook(2, 64, 64), {});
        document.waitForAnalysis();
        RunController run(&document);
        run.runContinuously();
        QTRY_VERIFY(run.stepsDone() > 0);
        run.stop();
        QTRY_COMPARE(run.state(), RunController::State::Idle);
        const qint64 done = run.stepsDone();
        run.runStep();
        QTRY_COMPARE(run.stepsDone(), done + 1); // the run goes on where it was
    }
};

REGISTER_TEST(TestLifetimes)
#include "test_lifetimes.moc"
