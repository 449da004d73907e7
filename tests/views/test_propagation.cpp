// SPDX-License-Identifier: GPL-3.0-or-later
// The dock that plays propagation: its table under Qt's tester, the picture of a step, keys, and the selection.
#include <QAbstractItemModelTester>
#include <QSlider>
#include <QTableView>

#include "experiment_file/gallery.h"
#include "panel_fixture.h"
#include "views/propagation_view/propagation_view.h"
#include "views/propagation_view/sketch_widget.h"
#include "views/propagation_view/step_model.h"
#include "views/theme/appearance.h"

using namespace shardscope;

class TestPropagation : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::failOnWarnings(); }

    void playsFromGivenToEnd()
    {
        Appearance appearance(ThemeChoice::Light);
        test::Fixture fixture(findExample("flax-mlp-logical")->experiment);
        PropagationView view(&fixture.document, &fixture.selection);
        view.resize(700, 500);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        QAbstractItemModelTester tester(view.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        const auto& propagation = *fixture.document.snapshot()->propagation;
        QCOMPARE(view.model()->rowCount(), static_cast<int>(propagation.log.size()));
        QCOMPARE(view.slider()->maximum(), static_cast<int>(propagation.steps));
        QCOMPARE(view.step(), view.slider()->maximum());

        // Keys: the beginning, on, back, the end, and no further.
        QTest::keyClick(&view, Qt::Key_Home);
        QCOMPARE(view.step(), 0);
        QTest::keyClick(&view, Qt::Key_Left);
        QCOMPARE(view.step(), 0);
        QTest::keyClick(&view, Qt::Key_Right);
        QCOMPARE(view.step(), 1);
        QCOMPARE(view.slider()->value(), 1);
        QTest::keyClick(&view, Qt::Key_End);
        QCOMPARE(view.step(), view.slider()->maximum());
        QTest::keyClick(&view, Qt::Key_Right);
        QCOMPARE(view.step(), view.slider()->maximum());

        // Playing at the end begins at the beginning.
        QTest::keyClick(&view, Qt::Key_Space);
        QVERIFY(view.isPlaying());
        QCOMPARE(view.step(), 0);
        QTest::keyClick(&view, Qt::Key_Space);
        QVERIFY(!view.isPlaying());
    }

    void theStepAsAPicture()
    {
        test::Fixture fixture(findExample("flax-mlp-logical")->experiment);
        PropagationView view(&fixture.document, &fixture.selection);
        const SnapshotPtr snapshot = fixture.document.snapshot();
        const Program& program = *snapshot->program;
        const Replay replay(*snapshot->propagation);
        bool anyMove = false;
        for (std::uint32_t step = 1; step <= replay.steps(); ++step) {
            view.setStep(static_cast<int>(step));
            const StepSketch& sketch = view.sketch()->sketch();
            const auto records = replay.recordsOf(step);
            if (records.empty())
                continue;
            if (const OperationId id = records.front()->operation; id.valid()) {
                // Every tensor of the operation is there, and no two boxes lie over each other.
                for (const ValueId operand : program.operation(id).operands)
                    QVERIFY(std::any_of(sketch.tensors.begin(), sketch.tensors.end(),
                        [&](const SketchTensor& tensor) { return tensor.value == operand; }));
            }
            for (std::size_t a = 0; a < sketch.tensors.size(); ++a)
                for (std::size_t b = 0; b < a; ++b)
                    QVERIFY(!sketch.tensors[a].rect.intersects(sketch.tensors[b].rect));
            for (const PropagationStep* record : records) {
                const auto to = std::find_if(sketch.tensors.begin(), sketch.tensors.end(),
                    [&](const SketchTensor& tensor) { return tensor.value == record->to; });
                QVERIFY(to != sketch.tensors.end());
                const auto& dim = to->dims[static_cast<std::size_t>(record->toDimension)];
                QVERIFY(dim.arrived);
                QVERIFY(std::any_of(
                    dim.axes.begin(), dim.axes.end(), [&](AxisRef axis) { return contains(axis, record->axis); }));
            }
            anyMove = anyMove || !sketch.moves.empty();
        }
        QVERIFY(anyMove);
    }

    void followsTheSelectionAndSetsIt()
    {
        test::Fixture fixture(findExample("flax-mlp-logical")->experiment);
        PropagationView view(&fixture.document, &fixture.selection);
        const Replay replay(*fixture.document.snapshot()->propagation);
        const Program& program = *fixture.document.snapshot()->program;
        const auto found = std::find_if(program.values.begin(), program.values.end(), [&](const Value& each) {
            const ValueId id(static_cast<std::size_t>(&each - program.values.data()));
            return !each.path.empty() && replay.settledAt(id) > 0;
        });
        QVERIFY(found != program.values.end());
        const std::uint32_t settled = replay.settledAt(program.find(found->path));
        fixture.selection.setTensor(QString::fromStdString(found->path));
        QCOMPARE(view.step(), static_cast<int>(settled));
        const int row = view.model()->firstRowOf(1);
        QVERIFY(row >= 0);
        view.table()->setCurrentIndex(view.model()->index(row, 0));
        QCOMPARE(view.step(), 1);
    }
};

QTEST_MAIN(TestPropagation)
#include "test_propagation.moc"
