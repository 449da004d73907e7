// SPDX-License-Identifier: GPL-3.0-or-later
// What the window says of an edit while it is made and after it: what it changes, and which error comes to the front.
#include <QCheckBox>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSpinBox>
#include <QStatusBar>
#include <QTabBar>
#include <QTest>
#include <QToolButton>

#include "experiment/builtin.h"
#include "experiment/edits.h"
#include "registered_test.h"
#include "views/explain_view/explain_view.h"
#include "views/main_window/main_window.h"
#include "views/main_window/status_message.h"
#include "views/mesh_view/axis_row.h"
#include "views/mesh_view/mesh_view.h"
#include "views/panel_fixture.h"
#include "views/preview/edit_plate.h"
#include "views/rules_view/rules_model.h"
#include "views/rules_view/rules_table.h"
#include "views/rules_view/rules_view.h"
#include "views/rules_view/trace_matrix.h"
#include "views/theme/theme.h"
#include "views/widgets/dock_frame.h"
#include "views/widgets/size_slider.h"
#include "views/window_fixture.h"

using namespace shardscope;
using namespace Qt::StringLiterals;

class TestWindowEdits : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { test::clearSettings(); }
    void cleanupTestCase() { test::clearSettings(); }
    void init() { test::failOnWarnings(); }

    void anEditInTheHandSaysWhatItChanges()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false, .tips = false }); // a tip that was followed goes
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        Document* document = window.document();
        document->waitForAnalysis();
        const EditPlate* plate = window.findChild<EditPlate*>();
        const auto* message = window.statusBar()->findChild<StatusMessage*>();
        QVERIFY(message);
        QTest::qWait(100); // layouts come to rest
        const auto placeOfMesh = [&window] {
            return QRect(
                window.findChild<MeshView*>()->mapTo(&window, QPoint()), window.findChild<MeshView*>()->size());
        };
        const QRect mesh = placeOfMesh();
        QVERIFY(!plate->isVisible());

        // Scrubbing an axis, against what was before it began.
        SizeSlider* slider = window.findChild<MeshView*>()->row(0)->slider();
        QTest::mousePress(slider, Qt::LeftButton, Qt::NoModifier, slider->handleAt(1));
        QTest::mouseMove(slider, slider->handleAt(2));
        QTRY_COMPARE(plate->text(),
            QStringLiteral("data 2 → 4, 8 weights change, 32 → 64 MiB per device, sent 8.16 → 24.1 MiB per step"));
        QVERIFY(plate->isVisible());
        QTest::mouseMove(slider, slider->handleAt(3));
        QTRY_COMPARE(plate->text(),
            QStringLiteral("data 2 → 8, 8 weights change, 32 → 128 MiB per device, sent 8.16 → 56 MiB per step"));
        QTest::mouseMove(slider, slider->handleAt(1));
        QTRY_COMPARE(
            plate->text(), QStringLiteral("data 2, nothing changes, 32 MiB per device, sent 8.16 MiB per step"));
        // Nothing moves for it.
        QCOMPARE(placeOfMesh(), mesh);
        QTest::mouseRelease(slider, Qt::LeftButton, Qt::NoModifier, slider->handleAt(1));
        QVERIFY(!plate->isVisible());
        QCOMPARE(document->undoStack()->count(), 0);
        QCOMPARE(message->text(), QString());

        // Esc takes it back, both axes, and what the mouse does then no longer counts.
        const ExperimentPtr before = document->experiment();
        QTest::mousePress(slider, Qt::LeftButton, Qt::NoModifier, slider->handleAt(1));
        QTest::mouseMove(slider, slider->handleAt(3));
        QCOMPARE(document->experiment()->mesh.axes[1].size, 1);
        QTest::keyClick(slider, Qt::Key_Escape);
        QVERIFY(!plate->isVisible());
        QCOMPARE(*document->experiment(), *before);
        QCOMPARE(document->undoStack()->count(), 0);
        QTest::mouseMove(slider, slider->handleAt(0));
        QTest::mouseRelease(slider, Qt::LeftButton, Qt::NoModifier, slider->handleAt(0));
        QCOMPARE(*document->experiment(), *before);

        // A step by key is told in the status bar, and taken back there; nothing lies over the tool bar.
        QTest::keyClick(slider, Qt::Key_Right);
        QTRY_COMPARE(message->text(),
            QStringLiteral("data 2 → 4: 8 weights change, 32 → 64 MiB per device, sent 8.16 → 24.1 MiB per step"));
        QVERIFY(!plate->isVisible());
        auto* undo = message->findChild<QToolButton*>(u"statusUndo"_s);
        QVERIFY(undo->isVisible());
        QCOMPARE(undo->accessibleName(), QStringLiteral("Undo data 2 → 4"));
        undo->click();
        QCOMPARE(*document->experiment(), *before);
        QCOMPARE(message->text(), QString());
        QVERIFY(!undo->isVisible());
        document->waitForAnalysis();

        // So is a drag once it is dropped, as one edit against what was before it.
        QTest::mousePress(slider, Qt::LeftButton, Qt::NoModifier, slider->handleAt(1));
        QTest::mouseMove(slider, slider->handleAt(2));
        QTRY_VERIFY(plate->text().contains(QStringLiteral("32 → 64 MiB per device")));
        QCOMPARE(message->text(), QString());
        QTest::mouseMove(slider, slider->handleAt(3));
        QTest::mouseRelease(slider, Qt::LeftButton, Qt::NoModifier, slider->handleAt(3));
        QTRY_VERIFY2(
            message->text().startsWith(QStringLiteral("data 2 → 8: 8 weights change, 32 → 128 MiB per device")),
            qPrintable(message->text()));
        document->undoStack()->undo();
        QCOMPARE(message->text(), QString());
        document->waitForAnalysis();

        // An axis dragged to another place is not there yet: the document stays.
        DragHandle* handle = window.findChild<MeshView*>()->row(0)->handle();
        const QPoint below =
            handle->mapFrom(window.findChild<MeshView*>(), window.findChild<MeshView*>()->row(1)->geometry().center());
        QTest::mousePress(handle, Qt::LeftButton, Qt::NoModifier, handle->rect().center());
        QTest::mouseMove(handle, handle->rect().center() + QPoint(0, 6));
        QTest::mouseMove(handle, below);
        QTRY_VERIFY2(plate->text().startsWith(QStringLiteral("move axis data, ")), qPrintable(plate->text()));
        QCOMPARE(*document->experiment(), *before);
        QTest::keyClick(&window, Qt::Key_Escape);
        QVERIFY(!plate->isVisible());
        QTest::mouseRelease(handle, Qt::LeftButton, Qt::NoModifier, below);

        // A rule by its number.
        RulesTable* table = window.findChild<RulesView*>()->table();
        const auto at = [&](int row) {
            return table->visualRect(table->model()->index(row, RulesModel::Number)).center();
        };
        QTest::mousePress(table->viewport(), Qt::LeftButton, Qt::NoModifier, at(0));
        QTest::mouseMove(table->viewport(), at(0) + QPoint(0, 6));
        QTest::mouseMove(table->viewport(), at(1));
        QTRY_VERIFY2(plate->text().startsWith(QStringLiteral("rule 1 moved to 2nd, nothing changes")),
            qPrintable(plate->text()));
        QTest::keyClick(table, Qt::Key_Escape);
        QVERIFY(!plate->isVisible());
        QTest::mouseRelease(table->viewport(), Qt::LeftButton, Qt::NoModifier, at(1));
        QCOMPARE(document->undoStack()->index(), 0);

        // A size that cannot be run is told by the problem's number: the sentence stands beside its cause.
        document->edit(withHardwarePinned(*document->experiment(), true), QStringLiteral("pin"));
        window.findChild<MeshView*>()->findChild<QCheckBox*>()->setChecked(false);
        QTest::mousePress(slider, Qt::LeftButton, Qt::NoModifier, slider->handleAt(1));
        QTest::mouseMove(slider, slider->handleAt(2));
        QTRY_VERIFY2(plate->text().contains(QStringLiteral("E102, see Problems")), qPrintable(plate->text()));
        QTest::mouseRelease(slider, Qt::LeftButton, Qt::NoModifier, slider->handleAt(2));
        QVERIFY(!plate->isVisible());
    }

    void theFirstErrorComesForward()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false });
        window.document()->setExperiment(test::withFindings(), {});
        window.resize(1280, 800);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        window.document()->waitForAnalysis();
        DockFrame* problems = window.dock(QStringLiteral("problems"));
        DockFrame* inspector = window.dock(QStringLiteral("inspector"));
        const auto tabs = [&window] {
            QStringList names;
            for (const QTabBar* bar : window.findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly))
                for (int tab = 0; tab < bar->count() && bar->isVisible(); ++tab)
                    names << (bar->tabIcon(tab).isNull() ? QString() : QStringLiteral("!")) + bar->tabText(tab);
            return names;
        };
        auto* status = window.findChild<QToolButton*>(QStringLiteral("statusProblems"));
        // The two warnings of the example are told by the status bar, and nothing opens for them.
        QTRY_COMPARE(status->text(), QStringLiteral("2 warnings"));
        QCOMPARE(problems->windowTitle(), QStringLiteral("Problems 2"));
        QVERIFY(!problems->badge().isNull());
        QCOMPARE(problems->toggleViewAction()->text(), QStringLiteral("Problems"));
        QVERIFY(problems->isHidden());
        // In two columns the timeline, which stands in the same place, is in front at first.
        QTRY_VERIFY(window.dock(QStringLiteral("timeline"))->isInFront() && !inspector->isInFront());
        inspector->raise();
        QTRY_VERIFY(inspector->isInFront());

        // For the first error they do, and the keyboard stays where it is.
        QSpinBox* number = window.findChild<MeshView*>()->row(0)->spinBox();
        number->setFocus();
        const auto edit = [&](std::int64_t size) { // without the devices that it takes
            return window.document()->edit(
                withAxisSize(*window.document()->experiment(), 0, size, false), QStringLiteral("axis"));
        };
        QVERIFY(edit(4));
        window.document()->waitForAnalysis();
        QTRY_VERIFY(problems->isInFront());
        QVERIFY(!inspector->isInFront());
        QVERIFY(number->hasFocus());
        QTRY_VERIFY2(
            tabs().contains(QStringLiteral("!") + problems->windowTitle()), qPrintable(tabs().join(QLatin1Char(','))));
        QVERIFY2(status->text().startsWith(QStringLiteral("1 error")), qPrintable(status->text()));
        // Not for another one: who went back to the inspector meanwhile stays there.
        inspector->raise();
        QTRY_VERIFY(inspector->isInFront());
        QVERIFY(edit(8));
        window.document()->waitForAnalysis();
        QCoreApplication::processEvents();
        QVERIFY(inspector->isInFront());
        // They go with the last error.
        window.document()->undoStack()->undo();
        window.document()->undoStack()->undo();
        window.document()->waitForAnalysis();
        QTRY_COMPARE(status->text(), QStringLiteral("2 warnings"));
        QTRY_VERIFY(problems->isHidden());

        // Nor do they take the keyboard from the view they stand behind.
        inspector->present();
        QTRY_VERIFY(inspector->isAncestorOf(QApplication::focusWidget()));
        const QWidget* const used = QApplication::focusWidget();
        QVERIFY(window.document()->edit(
            withAxisSize(*window.document()->experiment(), 0, 8, false), QStringLiteral("data 2 → 8")));
        window.document()->waitForAnalysis();
        QCoreApplication::processEvents();
        QVERIFY(inspector->isInFront());
        // The tabs have made it lower: what leads on has the keyboard where the bar of lengths had to go.
        QCOMPARE(
            QApplication::focusWidget(), used->isVisible() ? used : window.findChild<ExplainView*>()->usualControl());
        // A click on the status bar leads there, and so does the keyboard; the next one closes them.
        QTest::mouseClick(status, Qt::LeftButton);
        QTRY_VERIFY(problems->isInFront());
        inspector->present();
        status->setFocus(Qt::TabFocusReason);
        QTest::keyClick(status, Qt::Key_Space);
        QTRY_VERIFY(problems->isInFront());
        QTest::mouseClick(status, Qt::LeftButton);
        QVERIFY(problems->isHidden());
        // What is closed stays closed.
        window.document()->undoStack()->undo();
        window.document()->waitForAnalysis();
        window.document()->undoStack()->redo();
        window.document()->waitForAnalysis();
        QTRY_VERIFY(status->text().startsWith(QStringLiteral("1 error")));
        QVERIFY(problems->isHidden());
        // Who opens a file with an error sees it at once.
        Experiment broken = test::withFindings();
        broken.mesh.axes.front().size *= 2;
        window.document()->setExperiment(std::move(broken), {});
        window.document()->waitForAnalysis();
        QTRY_VERIFY(problems->isInFront());
        // No problems, no figure.
        Experiment calm = builtinExamples().front().make();
        window.document()->setExperiment(std::move(calm), {});
        window.document()->waitForAnalysis();
        QTRY_VERIFY(status->isHidden());
        QTRY_VERIFY(problems->isHidden());
    }

    /// A file with an error, in a window that nobody has seen yet: whatever its size, the problem is in front.
    void errorsOfAFileAreInFrontAtFirst()
    {
        for (const QSize size : { QSize(1024, 640), QSize(1280, 800), QSize(1600, 1000) }) {
            Appearance appearance(ThemeChoice::Light);
            MainWindow window(&appearance, { .remember = false });
            Experiment broken = test::withFindings();
            broken.mesh.axes.back().size = 3; // E102
            window.document()->setExperiment(std::move(broken), {});
            window.document()->waitForAnalysis();
            window.resize(size);
            window.show();
            QVERIFY(QTest::qWaitForWindowExposed(&window));
            QTRY_VERIFY2(
                window.dock(QStringLiteral("problems"))->isInFront(), qPrintable(QString::number(size.width())));
            QVERIFY(window.dock(QStringLiteral("layout"))->isInFront());
        }
    }

    void theTraceIsShownOnDemand()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false });
        window.resize(1600, 1000);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        window.document()->waitForAnalysis();
        const QWidget* trace = window.part(QStringLiteral("trace"));
        QVERIFY(!trace->isVisible());
        const QWidget* tensors = window.part(QStringLiteral("tensors"));
        const auto top = [&] { return tensors->parentWidget()->y(); }; // in the column, however far that is scrolled
        const int full = tensors->height(), before = top();
        QTest::mouseClick(
            window.findChild<RulesView*>()->parentWidget()->findChild<QPushButton*>(QStringLiteral("trace")),
            Qt::LeftButton);
        QTRY_VERIFY(trace->isVisible());
        QTRY_VERIFY(trace->mapTo(&window, QPoint()).y() > window.findChild<RulesView*>()->mapTo(&window, QPoint()).y());
        QTRY_VERIFY(top() > before + trace->height() - 8);
        // No verdict is cut off: the table is as wide as it needs to be, and scrolled if its place is narrower.
        const auto* matrix = trace->findChild<TraceMatrix*>();
        QVERIFY(matrix->width() >= matrix->traceLayout().minimumWidth);
        QVERIFY(matrix->traceLayout().verdict(0).width() > test::semiboldWidth(QStringLiteral("Not concerned")));
        // The columns of the dimensions, which it is about, are seen before anything is scrolled.
        const auto* area = trace->findChild<QScrollArea*>();
        QTRY_VERIFY2(matrix->traceLayout().verdictLeft <= area->viewport()->width(),
            qPrintable(QString::number(area->viewport()->width())));
        const auto* names = trace->findChild<QLineEdit*>();
        QVERIFY(names->cursorPosition() == 0
            && names->fontMetrics().horizontalAdvance(names->text()) <= names->width() - 8);
        QTest::mouseClick(
            trace->parentWidget()->findChild<QToolButton*>(QStringLiteral("closeSection")), Qt::LeftButton);
        QVERIFY(!trace->isVisible());
        QTRY_COMPARE(window.part(QStringLiteral("tensors"))->height(), full);
    }
};

REGISTER_TEST(TestWindowEdits)
#include "test_window_edits.moc"
