// SPDX-License-Identifier: GPL-3.0-or-later
// The document: edits that merge and vanish, files to the byte, errors that change nothing, analyses of the newest
// revision; and the run beside it.
#include <QFile>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "base/codes.h"
#include "document/document.h"
#include "document/run_controller.h"
#include "document/selection.h"
#include "experiment/builtin.h"
#include "experiment/edits.h"
#include "experiment_file/experiment_file.h"
#include "outer_rules.h"
#include "registered_test.h"

using namespace shardscope;

namespace {

/// The notebook's experiment with arrays of a size that a test can train in no time.
Experiment small()
{
    Experiment experiment = builtinExamples().front().make();
    auto& settings = std::get<MlpModel>(experiment.model).settings;
    settings.layers = 2;
    settings.embed = 32;
    settings.hidden = 64;
    return experiment;
}

QByteArray contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void writeTo(const QString& path, const QByteArray& content)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(content), content.size());
}

/// The first axis of that size, over devices that do not follow.
Result<Experiment> onPinned(Experiment experiment, std::int64_t size)
{
    experiment.hardware.pinned = true;
    return withAxisSize(experiment, 0, size, false);
}

std::int64_t axisSize(const Document& document, std::size_t axis)
{
    return document.experiment()->mesh.axes[axis].size;
}

} // namespace

class TestDocument : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        QTest::failOnWarning(
            QRegularExpression(QStringLiteral("^(?!This plugin does not support propagateSizeHints)")));
    }

    void analysesTheNewestRevision()
    {
        Document document;
        QSignalSpy snapshots(&document, &Document::snapshotChanged);
        QSignalSpy experiments(&document, &Document::experimentChanged);
        document.setExperiment(small(), {});
        QVERIFY(document.isStale());
        QCOMPARE(experiments.count(), 1);
        document.waitForAnalysis();
        QCOMPARE(snapshots.count(), 1);
        QVERIFY(!document.isStale());
        QVERIFY(document.snapshot()->ok());
        QCOMPARE(document.snapshot()->revision, document.revision());

        // A burst of edits: whatever was analysed on the way, the last one is what arrives in the end.
        for (const std::int64_t size : { 1, 2, 4, 8, 4 })
            QVERIFY(document.edit(withAxisSize(*document.experiment(), 0, size, true), QStringLiteral("data")));
        document.waitForAnalysis();
        QCOMPARE(document.snapshot()->revision, document.revision());
        QCOMPARE(document.snapshot()->mesh->size(0), 4);
        QTest::qWait(20); // nothing older is delivered afterwards
        QCOMPARE(document.snapshot()->revision, document.revision());
        QVERIFY(!document.isStale());
    }

    void keepsTheLastGoodSnapshot()
    {
        Document document;
        document.setExperiment(small(), {});
        document.waitForAnalysis();
        const SnapshotPtr good = document.lastGood();
        QVERIFY(good);
        QVERIFY(document.edit(onPinned(*document.experiment(), 3), QStringLiteral("data 3"))); // E102
        document.waitForAnalysis();
        QVERIFY(!document.snapshot()->ok());
        QVERIFY(document.snapshot()->errorCount() > 0);
        QCOMPARE(document.lastGood(), good);
        document.undoStack()->undo();
        document.waitForAnalysis();
        QVERIFY(document.lastGood() != good);
        QCOMPARE(document.lastGood()->mesh->deviceCount(), 8);
    }

    void whatCanBeExaminedAtIsTheLastGoodSnapshot()
    {
        Document document;
        document.setExperiment(small(), {});
        document.waitForAnalysis();
        QVERIFY(document.lastGood()->ok());
        QVERIFY(document.edit(withDimension(*document.experiment(), "batch", 7), QStringLiteral("batch 7"))); // E101
        document.waitForAnalysis();
        QVERIFY(!document.snapshot()->ok());
        QCOMPARE(document.lastGood(), document.snapshot());
        QVERIFY(!document.lastGood()->tensors.empty());
        QVERIFY(!document.lastGood()->plan);
        const SnapshotPtr padded = document.lastGood();
        QVERIFY(document.edit(onPinned(*document.experiment(), 3), QStringLiteral("data 3"))); // E102
        document.waitForAnalysis();
        QCOMPARE(document.lastGood(), padded);
    }

    void showsNothingOfWhatWasOpenBefore()
    {
        Document document;
        document.setExperiment(small(), {});
        document.waitForAnalysis();
        QVERIFY(document.lastGood());
        Experiment broken = small();
        broken.mesh.axes[0].size = 3;
        QSignalSpy stale(&document, &Document::staleChanged), snapshots(&document, &Document::snapshotChanged);
        connect(&document, &Document::experimentChanged, this, [&document] {
            QVERIFY(!document.snapshot());
            QVERIFY(!document.lastGood());
        });
        document.setExperiment(broken, {});
        QCOMPARE(stale.count(), 1);
        QVERIFY(document.isStale());
        document.waitForAnalysis();
        QVERIFY(document.snapshot());
        QVERIFY(!document.snapshot()->ok());
        QVERIFY(!document.lastGood());

        // An analysis that is on its way when another experiment comes is not taken for one of that.
        document.setExperiment(small(), {});
        QTest::qSleep(200); // finished, not delivered
        document.setExperiment(broken, {});
        QCoreApplication::processEvents();
        QVERIFY(!document.lastGood());
        document.waitForAnalysis();
        QVERIFY(!document.lastGood());
        QCOMPARE(snapshots.count(), 2);
    }

    void editsOfADragAreOneStep()
    {
        Document document;
        document.setExperiment(small(), {});
        const ExperimentPtr before = document.experiment();
        const int drag = document.newMergeId();
        for (const std::int64_t size : { 4, 8, 1 })
            QVERIFY(document.edit(
                withAxisSize(*document.experiment(), 0, size, true), QStringLiteral("data → %1").arg(size), drag));
        QCOMPARE(document.undoStack()->count(), 1);
        QCOMPARE(document.undoStack()->undoText(), QStringLiteral("data → 1"));
        QVERIFY(document.isModified());
        document.undoStack()->undo();
        QCOMPARE(*document.experiment(), *before);
        QVERIFY(!document.isModified());
        document.undoStack()->redo();
        QCOMPARE(axisSize(document, 0), 1);

        // Another drag is another step.
        QVERIFY(document.edit(
            withAxisSize(*document.experiment(), 0, 2, true), QStringLiteral("again"), document.newMergeId()));
        QCOMPARE(document.undoStack()->count(), 2);
    }

    void aDragBackToTheStartLeavesNothing()
    {
        Document document;
        document.setExperiment(small(), {});
        const int drag = document.newMergeId();
        for (const std::int64_t size : { 4, 8, 2 })
            QVERIFY(document.edit(withAxisSize(*document.experiment(), 0, size, true), QStringLiteral("data"), drag));
        QCOMPARE(document.undoStack()->count(), 0);
        QCOMPARE(axisSize(document, 0), 2);
        QVERIFY(!document.isModified());
        // An edit that changes nothing is none.
        QVERIFY(document.edit(*document.experiment(), QStringLiteral("nothing")));
        QCOMPARE(document.undoStack()->count(), 0);
    }

    void refusedEditsChangeNothing()
    {
        Document document;
        document.setExperiment(small(), {});
        const std::uint64_t revision = document.revision();
        Code code = Code::Syntax;
        connect(
            &document, &Document::editRefused, this, [&code](const Diagnostic& diagnostic) { code = diagnostic.code; });
        QVERIFY(!document.edit(withAxisSize(*document.experiment(), 0, 0, false), QStringLiteral("zero")));
        QCOMPARE(code, Code::InvalidAxisSize);
        QCOMPARE(document.revision(), revision);
        QCOMPARE(document.undoStack()->count(), 0);
    }

    void filesAreKeptToTheByte()
    {
        const QTemporaryDir folder;
        const QString first = folder.filePath(QStringLiteral("first.json")),
                      second = folder.filePath(QStringLiteral("second.json"));
        writeTo(first, QByteArray::fromStdString(writeExperiment(small())));
        Document document;
        QSignalSpy files(&document, &Document::fileChanged);
        QVERIFY(document.open(first).empty());
        QCOMPARE(document.filePath(), first);
        QCOMPARE(document.displayName(), QStringLiteral("first.json"));
        QVERIFY(!document.isModified());
        QVERIFY(files.count() > 0);

        QVERIFY(document.edit(withRuleMoved(*document.experiment(), 0, 1), QStringLiteral("move")));
        QVERIFY(document.isModified());
        QVERIFY(document.saveAs(second));
        QVERIFY(!document.isModified());
        QCOMPARE(document.filePath(), second);
        QVERIFY(contentOf(second) != contentOf(first));
        document.undoStack()->undo();
        QVERIFY(document.isModified()); // undone beyond what was saved
        QVERIFY(document.saveAs(second));
        QCOMPARE(contentOf(second), contentOf(first));
    }

    void textWithoutAFileIsUntitled()
    {
        Document document;
        QVERIFY(document.openText(writeExperiment(small()), QStringLiteral("input")).empty());
        QCOMPARE(*document.experiment(), small());
        QCOMPARE(document.filePath(), QString());
        QVERIFY(!document.isModified());
        const auto errors = document.openText("{", QStringLiteral("input"));
        QVERIFY(!errors.empty());
        QCOMPARE(errors.front().where.file, "input");
        QCOMPARE(*document.experiment(), small());
    }

    void unreadableFilesChangeNothing_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<int>("code");
        const QByteArray good = QByteArray::fromStdString(writeExperiment(small()));
        QTest::newRow("empty") << QByteArray() << 0;
        QTest::newRow("truncated") << good.left(good.size() / 2) << static_cast<int>(Code::Syntax);
        QTest::newRow("not an experiment")
            << QByteArray("{ \"format\": \"shopping-list\", \"version\": \"1.0\" }") << 0;
        QTest::newRow("binary") << QByteArray(300, '\0') << 0;
    }
    void unreadableFilesChangeNothing()
    {
        QFETCH(QByteArray, content);
        QFETCH(int, code);
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("bad.json"));
        writeTo(path, content);
        Document document;
        document.setExperiment(small(), {});
        QVERIFY(document.edit(withRuleMoved(*document.experiment(), 0, 1), QStringLiteral("move")));
        const ExperimentPtr before = document.experiment();
        const std::vector<Diagnostic> errors = document.open(path);
        QVERIFY(!errors.empty());
        if (code != 0)
            QCOMPARE(static_cast<int>(errors.front().code), code);
        QCOMPARE(QString::fromStdString(errors.front().where.file), path);
        QCOMPARE(document.experiment(), before);
        QCOMPARE(document.filePath(), QString());
        QVERIFY(document.isModified());
        QCOMPARE(document.undoStack()->count(), 1);
        QCOMPARE(contentOf(path), content);
    }

    void missingAndUnwritablePlaces()
    {
        const QTemporaryDir folder;
        Document document;
        document.setExperiment(small(), {});
        const auto missing = document.open(folder.filePath(QStringLiteral("none.json")));
        QCOMPARE(missing.size(), std::size_t{ 1 });
        QCOMPARE(missing.front().code, Code::Unreadable);
        QCOMPARE(document.open(folder.path()).front().code, Code::Unreadable);
        const auto saved = document.saveAs(folder.filePath(QStringLiteral("no/such/folder.json")));
        QVERIFY(!saved);
        QCOMPARE(saved.error().code, Code::Unwritable);
        QCOMPARE(document.filePath(), QString());
    }

    void selectedOperations()
    {
        Selection selection;
        QSignalSpy changed(&selection, &Selection::changed);
        selection.setTensor(QStringLiteral("x"));
        selection.setDimension(1);
        changed.clear();
        // One without a name leaves the tensor.
        selection.setOperation(QStringLiteral("%26"), {});
        selection.setOperation(QStringLiteral("%26"), {});
        QCOMPARE(changed.count(), 1);
        QCOMPARE(selection.tensor(), QStringLiteral("x"));
        QCOMPARE(selection.dimension(), 1);
        // One with a name takes it along.
        selection.setOperation(QStringLiteral("y"), QStringLiteral("y"));
        QCOMPARE(changed.count(), 2);
        QCOMPARE(selection.tensor(), QStringLiteral("y"));
        QCOMPARE(selection.dimension(), -1);
        selection.setTensor(QStringLiteral("y"));
        QCOMPARE(selection.operation(), QString());
        QCOMPARE(changed.count(), 3);
        selection.setStep(4);
        selection.setStep(4);
        selection.setTextLine(7);
        QCOMPARE(changed.count(), 5);
        // A collective belongs to what is selected.
        selection.setCollective(2);
        selection.setTensor(QStringLiteral("y"));
        QCOMPARE(changed.count(), 7);
        QCOMPARE(selection.collective(), -1);
        selection.setCollective(3);
        selection.setOperation(QStringLiteral("%26"), {});
        QCOMPARE(selection.collective(), -1);
        QCOMPARE(changed.count(), 9);
        selection.clear();
        QCOMPARE(changed.count(), 10);
        QCOMPARE(selection.step(), -1);
        QCOMPARE(selection.textLine(), 0);
        selection.clear();
        QCOMPARE(changed.count(), 10);
        // What is shown first is what somebody selects once it is selected again.
        selection.setFirst(QStringLiteral("z"), 2);
        QVERIFY(selection.isFirst());
        QCOMPARE(selection.tensor(), QStringLiteral("z"));
        QCOMPARE(selection.collective(), 2);
        QCOMPARE(changed.count(), 11);
        selection.setDimension(0);
        QVERIFY(selection.isFirst());
        selection.setCollective(2);
        QVERIFY(!selection.isFirst());
        QCOMPARE(changed.count(), 13);
        selection.setFirst(QStringLiteral("z"), -1);
        selection.setTensor(QStringLiteral("z"));
        QVERIFY(!selection.isFirst());
        QCOMPARE(changed.count(), 15);
    }

    void selectionTellsOnlyChanges()
    {
        Selection selection;
        QSignalSpy changed(&selection, &Selection::changed), hovered(&selection, &Selection::hoverChanged);
        selection.setTensor(QStringLiteral("x"));
        selection.setTensor(QStringLiteral("x"));
        selection.setDevices({ 1, 5 });
        selection.setHoveredDevices({ 1, 5 });
        selection.setHoveredDevices({ 1, 5 });
        QCOMPARE(changed.count(), 2);
        QCOMPARE(hovered.count(), 1);
        selection.setTensor(QStringLiteral("y")); // a shard of x means nothing for y
        QVERIFY(selection.devices().empty());
        selection.clear();
        QVERIFY(selection.tensor().isEmpty());
        QVERIFY(selection.hoveredGroup().ids().empty());
        const auto before = changed.count();
        selection.clear();
        QCOMPARE(changed.count(), before);
    }

    void runsStepsAndLoops()
    {
        Document document;
        RunController run(&document);
        document.setExperiment(small(), {});
        QSignalSpy stepped(&run, &RunController::stepped);
        run.runStep(); // before the analysis is there: it waits for it
        QTRY_COMPARE(run.stepsDone(), 1);
        QTRY_COMPARE(run.state(), RunController::State::Idle);
        QCOMPARE(run.history().size(), std::size_t{ 1 });
        QCOMPARE(run.history().front().devices.size(), std::size_t{ 8 });
        QVERIFY(stepped.count() >= 1);
        run.runStep();
        run.runStep();
        QTRY_COMPARE(run.stepsDone(), 3);

        run.runTimeit(3, 2);
        QCOMPARE(run.state(), RunController::State::Timing);
        QTRY_COMPARE(run.state(), RunController::State::Idle);
        QVERIFY(run.lastTimeit());
        QCOMPARE(run.lastTimeit()->perLoop.size(), std::size_t{ 3 });
        QCOMPARE(run.lastTimeit()->loops, 2);
        QVERIFY(run.history().size() >= 9);
        run.reset();
        QCOMPARE(run.stepsDone(), 0);
        QVERIFY(run.history().empty());
        QVERIFY(!run.lastTimeit());
        run.runStep();
        QTRY_COMPARE(run.stepsDone(), 1);
    }

    void aStepAfterStopIsTaken()
    {
        Document document;
        document.setExperiment(small(), {});
        document.waitForAnalysis();
        RunController run(&document);
        run.runStep();
        QTRY_COMPARE(run.state(), RunController::State::Idle);
        run.runStep();
        run.stop();
        for (int i = 0; i < 3; ++i) {
            QCOMPARE(run.state(), RunController::State::Stepping); // nothing is delivered without the event loop
            run.runStep();
        }
        QTRY_COMPARE(run.state(), RunController::State::Idle);
        QVERIFY(run.stepsDone() >= 4); // whether or not the stopped one had begun
    }

    void keepsTheDevicesOfTheNewestSteps()
    {
        Document document;
        Experiment experiment = small();
        std::get<MlpModel>(experiment.model).settings.layers = 1;
        document.setExperiment(experiment, {});
        document.waitForAnalysis();
        RunController run(&document);
        run.runTimeit(3, 50);
        QTRY_VERIFY_WITH_TIMEOUT(run.lastTimeit(), 20'000);
        QTRY_COMPARE(run.state(), RunController::State::Idle);
        const std::vector<StepTiming>& history = run.history();
        QVERIFY(history.size() >= 150);
        for (std::size_t i = 0; i < history.size(); ++i) {
            const bool newest = i + RunController::stepsWithDevices >= history.size();
            QCOMPARE(history[i].devices.size(), std::size_t{ newest ? 8U : 0U });
            QVERIFY(history[i].wall > 0);
        }
    }

    void runsUntilStoppedAndStartsAnewWithAnotherPlan()
    {
        Document document;
        document.setExperiment(small(), {});
        document.waitForAnalysis();
        RunController run(&document);
        run.runContinuously();
        QTRY_VERIFY(run.stepsDone() > 5);
        run.stop();
        QTRY_COMPARE(run.state(), RunController::State::Idle);
        const qint64 done = run.stepsDone();
        QTest::qWait(30);
        QCOMPARE(run.stepsDone(), done);

        run.runContinuously();
        QVERIFY(document.edit(withAxisSize(*document.experiment(), 0, 4, true), QStringLiteral("data 4")));
        document.waitForAnalysis();
        QCOMPARE(run.state(), RunController::State::Idle);
        QCOMPARE(run.stepsDone(), 0);
        QTest::qWait(30); // late news of the old run is not taken
        QCOMPARE(run.stepsDone(), 0);
        run.runStep();
        QTRY_COMPARE(run.stepsDone(), 1);
    }

    /// Paused, a run keeps its state and takes no step; it goes on where it was, and can be stopped as well.
    void runsPauseAndGoOn()
    {
        Document document;
        document.setExperiment(small(), {});
        document.waitForAnalysis();
        RunController run(&document);
        run.setPaused(true);
        QVERIFY(!run.isPaused()); // nothing is on
        run.runContinuously();
        QTRY_VERIFY(run.stepsDone() > 5);
        QSignalSpy changed(&run, &RunController::stateChanged);
        run.setPaused(true);
        run.setPaused(true);
        QVERIFY(run.isPaused());
        QCOMPARE(changed.size(), 1);
        QTest::qWait(200); // the step that was being taken ends
        const qint64 done = run.stepsDone();
        QTest::qWait(50);
        QCOMPARE(run.stepsDone(), done);
        QCOMPARE(run.state(), RunController::State::Continuous);
        run.setPaused(false);
        QTRY_VERIFY(run.stepsDone() > done + 5);
        run.setPaused(true);
        run.stop();
        QVERIFY(!run.isPaused());
        QTRY_COMPARE(run.state(), RunController::State::Idle);

        // Of n x loops every step is timed all the same.
        run.reset();
        run.runTimeit(2, 100);
        QTRY_VERIFY(run.stepsDone() > 0);
        run.setPaused(true);
        QTest::qWait(100);
        run.setPaused(false);
        QTRY_VERIFY_WITH_TIMEOUT(run.lastTimeit(), 20'000);
        QCOMPARE(run.lastTimeit()->perLoop.size(), std::size_t{ 2 });
        QTRY_COMPARE(run.state(), RunController::State::Idle);
        QCOMPARE(run.stepsDone(), 200);
        QVERIFY(!run.isPaused());
        // An edit of what runs ends a paused run.
        run.runContinuously();
        QTRY_VERIFY(run.stepsDone() > 200);
        run.setPaused(true);
        QVERIFY(document.edit(withAxisSize(*document.experiment(), 0, 4, true), QStringLiteral("data 4")));
        document.waitForAnalysis();
        QCOMPARE(run.state(), RunController::State::Idle);
        QVERIFY(!run.isPaused());
    }

    void aRunWithoutAPlanFails()
    {
        Document document;
        Experiment broken = small();
        broken.mesh.axes[0].size = 3;
        document.setExperiment(broken, {});
        RunController run(&document);
        int failures = 0;
        connect(&run, &RunController::failed, this, [&failures](const Diagnostic& diagnostic) {
            ++failures;
            QCOMPARE(diagnostic.severity(), Severity::Error);
        });
        run.runStep();
        QTRY_COMPARE(failures, 1);
        QCOMPARE(run.state(), RunController::State::Idle);
    }

    /// What a call computes that nobody knows is not made up; "Sharding" gives back what it is given.
    void aRunOfAnUnknownCallFails()
    {
        for (const char* target : { "my_kernel", "Sharding" }) {
            const bool isKnown = std::string_view(target) == "Sharding";
            const std::string type = "tensor<2x8xf32>";
            ProgramModel program;
            program.text = std::make_shared<const std::string>("func.func @main(%p: " + type + ") -> " + type
                + " {\n  %c = stablehlo.custom_call @" + target + "(%p) : (" + type + ") -> " + type
                + "\n  return %c : " + type + "\n}\n");
            Document document;
            document.setExperiment(*experimentOf(program, "call"), {});
            document.waitForAnalysis();
            QVERIFY(document.snapshot()->ok());
            RunController run(&document);
            std::optional<Diagnostic> failure;
            connect(&run, &RunController::failed, this, [&failure](const Diagnostic& found) { failure = found; });
            run.runStep();
            QTRY_VERIFY_WITH_TIMEOUT(failure || run.stepsDone() == 1, 60'000);
            QCOMPARE(failure.has_value(), !isKnown);
            if (failure)
                QCOMPARE(failure->code, Code::NotExecutable);
            QTRY_COMPARE(run.state(), RunController::State::Idle);
            QCOMPARE(run.stepsDone(), isKnown ? 1 : 0);
        }
    }
};

REGISTER_TEST(TestDocument)
#include "test_document.moc"
