// SPDX-License-Identifier: GPL-3.0-or-later
// How the window arranges its docks: by its width, without one over another, and with the sizes that their contents
// need.
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QStatusBar>
#include <QStyle>
#include <QTabBar>
#include <QTest>

#include "experiment_file/gallery.h"
#include "registered_test.h"
#include "separator_drag.h"
#include "views/explain_view/explain_view.h"
#include "views/main_window/main_window.h"
#include "views/mesh_view/mesh_view.h"
#include "views/panel_fixture.h"
#include "views/problems_view/problem_row.h"
#include "views/problems_view/problems_view.h"
#include "views/rules_view/rules_table.h"
#include "views/rules_view/rules_view.h"
#include "views/shard_grid_view/shard_grid_view.h"
#include "views/tensors_view/tensors_view.h"
#include "views/theme/theme.h"
#include "views/widgets/dock_frame.h"
#include "views/widgets/section.h"
#include "views/widgets/section_column.h"
#include "views/window_fixture.h"

using namespace shardscope;
using namespace Qt::StringLiterals;

class TestWindowLayout : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { test::clearSettings(); }
    void cleanupTestCase() { test::clearSettings(); }
    void init() { test::failOnWarnings(); }

    void viewsAreArrangedForTheWidth()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false });
        window.resize(1600, 1000);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        QVERIFY(!window.isCompact());
        QCOMPARE(window.perspective(), Perspective::Plan);
        const QStringList open{ QStringLiteral("inputs"), QStringLiteral("layout"), QStringLiteral("timeline"),
            QStringLiteral("inspector") };
        for (const DockFrame* dock : window.docks())
            QVERIFY2(dock->isInFront() == open.contains(dock->objectName()), qPrintable(dock->objectName()));
        const auto place = [&window](const char* id) {
            const QWidget* part = window.part(QLatin1String(id));
            const QWidget* shown = part ? part : window.dock(QLatin1String(id));
            return QRect(shown->mapTo(&window, QPoint()), shown->size());
        };
        QVERIFY(place("mesh").right() < place("grid").left());
        QVERIFY(place("grid").right() < place("explain").left());
        QVERIFY(place("rules").top() > place("mesh").bottom());
        QVERIFY(place("tensors").top() > place("rules").bottom());
        QVERIFY(place("memory").top() > place("grid").bottom());
        QVERIFY(place("timeline").top() > place("memory").bottom());
        QVERIFY2(
            place("layout").width() * 20 >= window.width() * 11, qPrintable(QString::number(place("layout").width())));
        // Problems open above the status bar when somebody asks for them.
        QVERIFY(window.present(QStringLiteral("problems")));
        QTRY_VERIFY(place("problems").top() > place("inputs").bottom());
        QVERIFY(place("problems").width() > 1500);
        window.dock(QStringLiteral("problems"))->close();

        window.resize(1024, 640);
        QTRY_VERIFY(window.isCompact());
        QTRY_COMPARE(window.size(), QSize(1024, 640));
        QVERIFY(!window.tabifiedDockWidgets(window.dock(QStringLiteral("layout"))).isEmpty());
        QTRY_COMPARE(window.dock(QStringLiteral("layout"))->titleBarWidget()->height(), 0);
        QTRY_VERIFY(place("layout").width() * 10 >= window.width() * 6 - 40);
        window.resize(1600, 1000);
        QTRY_VERIFY(!window.isCompact());
        // What is tabbed with closed ones alone has its own title.
        for (const char* id : { "inputs", "timeline", "inspector" })
            QTRY_VERIFY(window.dock(QLatin1String(id))->titleBarWidget()->height() > 0);
        // A view is hidden and shown by its entry in the View menu.
        QAction* toggle = window.dock(QStringLiteral("timeline"))->toggleViewAction();
        toggle->trigger();
        QVERIFY(!window.dock(QStringLiteral("timeline"))->isVisible());
        toggle->trigger();
        QVERIFY(window.dock(QStringLiteral("timeline"))->isVisible());
    }

    void noDockCoversAnother_data()
    {
        QTest::addColumn<QString>("example");
        QTest::addColumn<QSize>("size");
        for (const char* example : { "flax-mlp-logical", "flax-mlp-program", "t5x-hosts" })
            for (const QSize size : { QSize(1280, 800), QSize(1600, 1000) })
                QTest::addRow("%s, %d x %d", example, size.width(), size.height())
                    << QString::fromLatin1(example) << size;
    }

    /// Whichever is brought forward: what it needs is less than what there is, or it is scrolled.
    void noDockCoversAnother()
    {
        QFETCH(QString, example);
        QFETCH(QSize, size);
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false });
        window.document()->setExperiment(findExample(example.toStdString())->experiment, {});
        window.resize(size);
        window.show();
        window.document()->waitForAnalysis();
        window.runController()->runStep(); // where there is one: Timing and Values have more to show then
        const auto faults = [&window] {
            QStringList wrong;
            QList<const DockFrame*> seen;
            for (const DockFrame* dock : window.docks())
                if (dock->isInFront())
                    seen << dock;
            for (const DockFrame* one : seen) {
                const QSize needed = one->minimumSizeHint();
                if (one->width() < needed.width() || one->height() < needed.height())
                    wrong << QStringLiteral("%1 has %2 x %3 of %4 x %5")
                                 .arg(one->objectName())
                                 .arg(one->width())
                                 .arg(one->height())
                                 .arg(needed.width())
                                 .arg(needed.height());
                for (const DockFrame* other : seen)
                    if (one < other && one->geometry().intersects(other->geometry()))
                        wrong << QStringLiteral("%1 on %2").arg(one->objectName(), other->objectName());
            }
            return wrong.join(QStringLiteral("; "));
        };
        for (const MainWindow::Part& part : window.parts()) {
            QVERIFY2(window.present(part.id), qPrintable(part.id));
            QTRY_VERIFY_WITH_TIMEOUT(window.isSettled(), 120'000);
            QTRY_VERIFY2(window.shows(part.id), qPrintable(part.id));
            QTRY_VERIFY2(faults().isEmpty(), qPrintable(part.id + QStringLiteral(": ") + faults()));
        }
    }

    /// F6 shows where the keyboard went, in painted views as well; a click does not.
    void aRingShowsWhereTheKeyboardIs()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false, .tips = false });
        window.resize(1600, 1000);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        window.document()->waitForAnalysis();
        const auto differs = [](QWidget* canvas) {
            const QImage focused = canvas->grab().toImage();
            canvas->clearFocus();
            return canvas->grab().toImage() != focused;
        };
        GridCanvas* grid = window.findChild<ShardGridView*>()->canvas();
        QVERIFY(window.present(QStringLiteral("grid")));
        QTRY_VERIFY(grid->hasFocus());
        QVERIFY(!differs(grid));
        QVERIFY(window.present(QStringLiteral("inspector")));
        for (int views = 0; views < 9 && !grid->hasFocus(); ++views)
            window.action(QStringLiteral("nextDock"))->trigger();
        QVERIFY(grid->hasFocus());
        QVERIFY(differs(grid));
        QVERIFY(window.present(QStringLiteral("mesh"), Qt::ShortcutFocusReason));
        QTRY_VERIFY(window.findChild<MeshView*>()->isAncestorOf(QApplication::focusWidget()));
        QVERIFY(differs(QApplication::focusWidget()));
    }

    /// Small tables show all their rows, larger ones whole ones.
    void tablesHaveFullRows()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false, .tips = false });
        window.resize(1600, 1000);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        window.openExample(QStringLiteral("rule-lab"));
        window.document()->waitForAnalysis();
        const auto* table = window.findChild<RulesView*>()->table();
        const int rows = table->model()->rowCount();
        QVERIFY(rows >= 4);
        const auto missing = [table, rows] {
            return rows * table->verticalHeader()->defaultSectionSize() - table->viewport()->height();
        };
        QTRY_VERIFY2(missing() <= 0, qPrintable(QString::number(missing())));
        window.document()->setExperiment(test::withFindings(), {});
        window.document()->waitForAnalysis();
        QTRY_VERIFY(!window.findChild<ProblemsView*>()->rows().empty());
        QVERIFY(window.present(QStringLiteral("problems")));
        const auto problemRows = static_cast<int>(window.findChild<ProblemsView*>()->rows().size());
        const auto beyond = [&] {
            return window.findChild<ProblemsView*>()->height() - std::min(problemRows, 3) * ProblemRow::defaultHeight();
        };
        QTRY_VERIFY2(beyond() >= 0 && beyond() < ProblemRow::defaultHeight(), qPrintable(QString::number(beyond())));
        window.dock(QStringLiteral("problems"))->close();
        // A press beside the lines between views chooses no height.
        QTest::mouseClick(window.statusBar(), Qt::LeftButton, Qt::NoModifier, QPoint(2, 2));
        window.openExample(QStringLiteral("t5x-a2p2"));
        window.document()->waitForAnalysis();
        QTRY_VERIFY(window.part(QStringLiteral("rules"))->height() > window.part(QStringLiteral("mesh"))->height());
        window.openExample(QStringLiteral("rule-lab"));
        window.document()->waitForAnalysis();
        QTRY_VERIFY2(missing() <= 0, qPrintable(QString::number(missing())));
        // A height that a person chose stays.
        window.openExample(QStringLiteral("flax-mlp-scan"));
        window.document()->waitForAnalysis();
        QTest::qWait(30);
        const DockFrame* dock = window.dock(QStringLiteral("layout"));
        QTRY_VERIFY(dock->geometry().bottom() < window.dock(QStringLiteral("timeline"))->y());
        const int before = dock->height();
        test::dragLineBelow(window, *dock, 40);
        QTRY_VERIFY(dock->height() >= before + 30);
        const int chosen = dock->height();
        window.openExample(QStringLiteral("flax-mlp-logical"));
        window.document()->waitForAnalysis();
        QTest::qWait(30);
        QCOMPARE(dock->height(), chosen);
    }

    void theFirstPictureIsCalm()
    {
        for (const QSize size : { QSize(1024, 640), QSize(1600, 1000) }) {
            Appearance appearance(ThemeChoice::Light);
            MainWindow window(&appearance, { .remember = false });
            window.resize(size);
            window.show();
            QVERIFY(QTest::qWaitForWindowActive(&window));
            window.document()->waitForAnalysis();
            QCoreApplication::processEvents();
            // Nothing that edits has the focus, and what has it shows no ring before a key is pressed.
            GridCanvas* canvas = window.findChild<ShardGridView*>()->canvas();
            QCOMPARE(window.focusWidget(), canvas);
            const QImage focused = canvas->grab().toImage();
            canvas->clearFocus();
            QCOMPARE(canvas->grab().toImage(), focused);
            // Names of tabs fit in bold, since every one of them may be the active one.
            for (const QTabBar* bar : window.findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly))
                for (int tab = 0; tab < bar->count() && bar->isVisible(); ++tab)
                    QVERIFY2(bar->tabRect(tab).width() >= test::semiboldWidth(bar->tabText(tab))
                                + bar->style()->pixelMetric(QStyle::PM_TabBarTabHSpace),
                        qPrintable(bar->tabText(tab)));
        }
    }

    /// The pictures keep three fifths of the width, and what stands beside them grows with a large window.
    void picturesKeepMostOfTheWidth()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false, .tips = false });
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        window.document()->waitForAnalysis();
        const auto widthOf = [&window](const char* id) { return window.dock(QLatin1String(id))->width(); };
        for (const QSize size :
            { QSize(1024, 640), QSize(1280, 800), QSize(1580, 900), QSize(1600, 1000), QSize(2000, 1100) }) {
            window.resize(size);
            QTRY_VERIFY2(widthOf("layout") >= (size.width() - 16) * 3 / 5 - 8,
                qPrintable(QStringLiteral("%1 of %2").arg(widthOf("layout")).arg(size.width())));
        }
        window.resize(2560, 1440);
        QTRY_VERIFY(widthOf("inputs") > Metrics::scaled(340) + 40);
        QTRY_VERIFY(widthOf("layout") + widthOf("program") >= (2560 - 16) * 3 / 5 - 8);
        QVERIFY(window.dock(QStringLiteral("program"))->isInFront());
        // All of what is explained is within its view.
        const QRect seen(
            window.findChild<ExplainView*>()->mapToGlobal(QPoint()), window.findChild<ExplainView*>()->size());
        QTRY_VERIFY(!window.findChild<ExplainView*>()->isWorking());
        for (const QPushButton* button : window.findChild<ExplainView*>()->findChildren<QPushButton*>())
            if (button->isVisible())
                QTRY_VERIFY2(button->mapToGlobal(QPoint(button->width(), 0)).x() <= seen.right() + 1,
                    qPrintable(button->accessibleName()));
    }

    /// In a low window the column of inputs is scrolled, and the tables in it are not as well.
    void theColumnAloneIsScrolled()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false, .tips = false });
        window.resize(1280, 800);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        window.openExample(QStringLiteral("maxtext-llama3-8b"));
        window.document()->waitForAnalysis();
        auto* column = window.findChild<SectionColumn*>();
        QTRY_VERIFY(column->verticalScrollBar()->maximum() > 0);
        const auto* rules = window.findChild<RulesView*>()->table();
        QTRY_COMPARE(rules->verticalScrollBar()->maximum(), 0);
        auto* tensors = qobject_cast<TensorsView*>(window.part(QStringLiteral("tensors")));
        QTRY_VERIFY(tensors->height() >= std::min(tensors->contentHeight(), column->viewport()->height() - 80));
        // Nothing of the rule trace lies over anything else.
        QVERIFY(window.present(QStringLiteral("trace")));
        const QWidget* trace = window.part(QStringLiteral("trace"));
        for (const QLabel* label : trace->findChildren<QLabel*>())
            if (label->isVisible() && label->wordWrap())
                QTRY_VERIFY2(label->height() >= label->heightForWidth(label->width()) - 1, qPrintable(label->text()));
        // Of few rules all are in sight, even where their table is scrolled to the side.
        window.openExample(QStringLiteral("flax-mlp-logical"));
        window.document()->waitForAnalysis();
        QVERIFY(window.present(QStringLiteral("trace")));
        const auto* matrix = trace->findChild<QScrollArea*>();
        QTRY_VERIFY(matrix->horizontalScrollBar()->maximum() > 0);
        QTRY_COMPARE(matrix->verticalScrollBar()->maximum(), 0);
    }

    /// What is left of the column goes to a table; where all of those are folded, it is below the last line.
    void meshesTakeNoRoomThatTheyCannotUse()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false, .tips = false });
        window.resize(1280, 800);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        window.openExample(QStringLiteral("flax-mlp-device"));
        window.document()->waitForAnalysis();
        auto* column = window.findChild<SectionColumn*>();
        const QList<Section*> sections = column->sections();
        for (Section* section : sections)
            section->setUnfolded(section == sections.first());
        QCOMPARE(sections.first()->body(), window.part(QStringLiteral("mesh")));
        QTRY_VERIFY2(sections.first()->height() < column->viewport()->height() / 2,
            qPrintable(QString::number(sections.first()->height())));
        auto* tensors = qobject_cast<Section*>(window.part(QStringLiteral("tensors"))->parentWidget());
        tensors->setUnfolded(true);
        QTRY_COMPARE(tensors->geometry().bottom() + 1, column->viewport()->height());
    }
};

REGISTER_TEST(TestWindowLayout)
#include "test_window_layout.moc"
