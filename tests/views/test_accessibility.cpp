// SPDX-License-Identifier: GPL-3.0-or-later
// What those get who do not see the window or do not use a mouse: a name for every control, every control by keyboard,
// and every painted view as a table.
#include <QAbstractScrollArea>
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QMenuBar>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <algorithm>
#include <set>

#include "experiment/edits.h"
#include "panel_fixture.h"
#include "registered_test.h"
#include "schedule/plan.h"
#include "views/device_map/device_map.h"
#include "views/main_window/main_window.h"
#include "views/memory_view/memory_view.h"
#include "views/memory_view/memory_widgets.h"
#include "views/mesh_view/axis_row.h"
#include "views/mesh_view/mesh_view.h"
#include "views/rules_view/axis_tray.h"
#include "views/rules_view/rule_trace_view.h"
#include "views/rules_view/trace_matrix.h"
#include "views/timing_view/timing_plots.h"
#include "views/timing_view/timing_view.h"
#include "views/widgets/notice_strip.h"
#include "views/widgets/segmented_bar.h"
#include "views/widgets/size_slider.h"

using namespace shardscope;
using namespace Qt::StringLiterals;

namespace {

QString describe(const QWidget* widget)
{
    QStringList path;
    for (const QWidget* at = widget; at; at = at->parentWidget())
        path.prepend(QLatin1String(at->metaObject()->className())
            + (at->objectName().isEmpty() ? QString() : QLatin1Char('#') + at->objectName()));
    return path.join(QStringLiteral(" > "));
}

/// Parts of a control that have no name of their own: a screen reader names the control.
bool isPartOfAnother(const QWidget* widget)
{
    const QWidget* parent = widget->parentWidget();
    return qobject_cast<const QAbstractSpinBox*>(parent) || qobject_cast<const QComboBox*>(parent)
        || (qobject_cast<const QAbstractScrollArea*>(parent)
            && widget == static_cast<const QAbstractScrollArea*>(parent)->viewport());
}

/// Every control that can have the focus and that a screen reader would call nothing.
QStringList nameless(const QWidget* window)
{
    QStringList found;
    for (QWidget* widget : window->findChildren<QWidget*>()) {
        if (widget->focusPolicy() == Qt::NoFocus || !widget->isVisibleTo(window) || isPartOfAnother(widget)
            || qobject_cast<const QMenuBar*>(widget))
            continue;
        const QAccessibleInterface* node = QAccessible::queryAccessibleInterface(widget);
        if (!node || node->text(QAccessible::Name).trimmed().isEmpty())
            found << describe(widget);
    }
    return found;
}

/// Every control that is seen, and of which neither a tool tip nor a label tells what it does. Messages say it of their
/// buttons themselves.
QStringList withoutTips(const QWidget* window)
{
    std::set<const QWidget*> labelled;
    for (const QLabel* label : window->findChildren<QLabel*>())
        if (label->buddy() && label->isVisibleTo(window))
            labelled.insert(label->buddy());
    QStringList found;
    for (QWidget* widget : window->findChildren<QWidget*>()) {
        const bool isControl = qobject_cast<QAbstractButton*>(widget) || qobject_cast<QComboBox*>(widget)
            || qobject_cast<QLineEdit*>(widget) || qobject_cast<QAbstractSpinBox*>(widget)
            || qobject_cast<SegmentedBar*>(widget) || qobject_cast<SizeSlider*>(widget);
        const QWidget* parent = widget->parentWidget();
        if (!isControl || !widget->isVisibleTo(window) || !(widget->focusPolicy() & Qt::TabFocus)
            || isPartOfAnother(widget) || qobject_cast<const QLineEdit*>(parent)
            || qobject_cast<const NoticeStrip*>(parent) || labelled.contains(widget))
            continue;
        if (widget->toolTip().isEmpty())
            found << describe(widget) + u' ' + widget->accessibleName();
    }
    return found;
}

struct Table {
    QAccessibleInterface* node;
    QAccessibleTableInterface* cells;
    explicit Table(QWidget* widget)
        : node(QAccessible::queryAccessibleInterface(widget))
        , cells(node ? node->tableInterface() : nullptr)
    {
    }
    [[nodiscard]] QString at(int row, int column) const
    {
        const QAccessibleInterface* cell = cells->cellAt(row, column);
        return cell ? cell->text(QAccessible::Name) : QStringLiteral("-");
    }
    [[nodiscard]] QStringList row(int row) const
    {
        QStringList texts;
        for (int column = 0; column < cells->columnCount(); ++column)
            texts << at(row, column);
        return texts;
    }
};

AccessibleStepPlot* timesPlot(const TimingView& view)
{
    return test::named<AccessibleStepPlot>(&view, u"Step times"_s);
}

} // namespace

class TestAccessibility : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::failOnWarnings(); }

    void everyControlHasAName_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<QString>("example");
        QTest::addColumn<bool>("broken");
        QTest::newRow("wide") << QSize(1600, 1000) << QStringLiteral("flax-mlp-logical") << false;
        QTest::newRow("small") << QSize(1024, 640) << QStringLiteral("flax-mlp-logical") << false;
        QTest::newRow("rules alone") << QSize(1600, 1000) << QStringLiteral("rule-lab") << false;
        QTest::newRow("with an error") << QSize(1024, 640) << QStringLiteral("flax-mlp-device") << true;
    }
    void everyControlHasAName()
    {
        QFETCH(QSize, size);
        QFETCH(QString, example);
        QFETCH(bool, broken);
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false });
        Experiment experiment = test::example(example.toStdString());
        if (broken)
            experiment.mesh.axes.front().size *= 3;
        window.document()->setExperiment(std::move(experiment), {});
        window.resize(size);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        window.document()->waitForAnalysis();
        if (!broken) {
            window.runController()->runStep();
            QTRY_VERIFY_WITH_TIMEOUT(window.isSettled(), 30'000);
        }
        window.action(QStringLiteral("about"))->trigger();
        QCoreApplication::processEvents();
        // The walk sees what it is there to see.
        const auto controls = window.findChildren<QWidget*>();
        const auto focusable = std::count_if(controls.begin(), controls.end(), [&window](const QWidget* widget) {
            return widget->focusPolicy() != Qt::NoFocus && widget->isVisibleTo(&window);
        });
        QVERIFY2(focusable > 30, qPrintable(QString::number(focusable)));
        for (const MainWindow::Part& part : window.parts()) {
            QVERIFY(window.present(part.id));
            QCoreApplication::processEvents();
            const QStringList found = nameless(&window);
            QVERIFY2(found.isEmpty(), qPrintable(part.id + u'\n' + found.join(QLatin1Char('\n'))));
        }
        // A control without a name would be found.
        auto* bare = new QToolButton(&window);
        bare->show();
        QCOMPARE(nameless(&window), QStringList{ describe(bare) });
    }

    void everyControlHasATip()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false, .tips = false });
        window.resize(1600, 1000);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        window.document()->waitForAnalysis();
        window.runController()->runStep();
        QTRY_VERIFY_WITH_TIMEOUT(window.isSettled(), 30'000);
        for (const char* part : { "mesh", "rules", "tensors", "grid", "program", "timing", "values", "compare",
                 "explain", "collectives", "lab", "dialects" }) {
            QVERIFY(window.present(QLatin1String(part)));
            QCoreApplication::processEvents();
            const QStringList found = withoutTips(&window);
            QVERIFY2(found.isEmpty(), qPrintable(QLatin1String(part) + u'\n' + found.join(u'\n')));
        }
        // A control without one would be found.
        auto* bare = new QComboBox(&window);
        bare->show();
        QCOMPARE(withoutTips(&window).size(), 1);
    }

    void everyControlIsReachedByTab_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::newRow("wide") << QSize(1600, 1000);
        QTest::newRow("small") << QSize(1024, 640);
    }
    void everyControlIsReachedByTab()
    {
        QFETCH(QSize, size);
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false });
        window.resize(size);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        window.document()->waitForAnalysis();
        window.runController()->runStep();
        QTRY_VERIFY_WITH_TIMEOUT(window.isSettled(), 30'000);
        // What reacts to the mouse takes the focus: no painted view is for the mouse alone.
        for (const QWidget* painted : std::initializer_list<const QWidget*>{ window.findChild<MeshView*>()->map(),
                 window.findChild<MemoryBarWidget*>(), window.findChild<LiveMemoryPlot*>(),
                 window.findChild<AccessibleStepPlot*>(), window.findChild<AccessibleBarsPlot*>(),
                 window.findChild<TraceMatrix*>(), window.findChild<SegmentedBar*>() })
            QVERIFY2(painted && (painted->focusPolicy() & Qt::TabFocus), qPrintable(describe(painted)));

        std::set<QWidget*> expected;
        for (QWidget* widget : window.findChildren<QWidget*>())
            if (widget->isVisible() && widget->isEnabled() && (widget->focusPolicy() & Qt::TabFocus)
                && !isPartOfAnother(widget) && widget->window() == &window
                && !(widget->focusProxy() && widget->isAncestorOf(widget->focusProxy()))
                && !qobject_cast<QMenuBar*>(widget))
                expected.insert(widget);
        std::set<QWidget*> reached;
        window.findChild<MeshView*>()->row(0)->chip()->setFocus();
        for (std::size_t i = 0; i < 3 * expected.size() + 20; ++i) {
            QWidget* at = QApplication::focusWidget();
            QVERIFY(at);
            reached.insert(at);
            QTest::keyClick(at, Qt::Key_Tab);
        }
        QStringList missing;
        for (QWidget* widget : expected)
            if (!reached.contains(widget) && widget->isVisible() && widget->isEnabled())
                missing << describe(widget) + QStringLiteral(" ") + widget->accessibleName();
        QVERIFY2(missing.isEmpty(), qPrintable(missing.join(QLatin1Char('\n'))));
    }

    void theDeviceMapIsATable()
    {
        Appearance appearance(ThemeChoice::Light);
        test::Fixture fixture;
        MeshView view(&fixture.document, &fixture.selection);
        view.resize(360, 300);
        fixture.selection.setTensor(QStringLiteral("params/layers.0/W1"));
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        const Table table(view.map());
        QVERIFY(table.cells);
        QCOMPARE(table.cells->rowCount(), 8);
        QCOMPARE(table.cells->columnDescription(1), QStringLiteral("Same shard on"));
        QCOMPARE(
            table.row(5), (QStringList{ QStringLiteral("d5: data 1, model 1, host 1"), QStringLiteral("d1, d5") }));
        // A cell lies where it is painted, is found there, and does what a click does.
        QAccessibleInterface* cell = table.cells->cellAt(5, 0);
        QCOMPARE(cell->rect(),
            QRect(view.map()->mapToGlobal(view.map()->shownRect(5).topLeft()), view.map()->shownRect(5).size()));
        const QPoint inside = cell->rect().center();
        QCOMPARE(table.node->childAt(inside.x(), inside.y()), cell);
        QCOMPARE(cell->text(QAccessible::Description),
            QStringLiteral("Device and place: d5: data 1, model 1, host 1, Same shard on: d1, d5"));
        cell->actionInterface()->doAction(QAccessibleActionInterface::pressAction());
        QCOMPARE(fixture.selection.devices(), std::vector<std::int32_t>{ 5 });
        QVERIFY(cell->state().selected);
        QVERIFY(!table.cells->cellAt(4, 0)->state().selected);
        QVERIFY(!table.cells->cellAt(8, 0));
        // Another mesh is another table; cells of the old one that are gone say so.
        QVERIFY(fixture.document.edit(
            withDevicesForMesh(*withAxisSize(*fixture.document.experiment(), 1, 2, false)), QStringLiteral("smaller")));
        fixture.document.waitForAnalysis();
        QCOMPARE(table.cells->rowCount(), 4);
        QVERIFY(!cell->isValid());
    }

    void sizesAreTheValueOfTheirSlider()
    {
        Appearance appearance(ThemeChoice::Light);
        test::Fixture fixture;
        MeshView view(&fixture.document, &fixture.selection);
        QAccessibleInterface* slider = QAccessible::queryAccessibleInterface(view.row(1)->slider());
        QCOMPARE(slider->text(QAccessible::Name), QStringLiteral("Size of mesh axis model"));
        QAccessibleValueInterface* value = slider->valueInterface();
        QVERIFY(value);
        QCOMPARE(value->currentValue().toInt(), 4);
        QCOMPARE(value->maximumValue().toInt(), 8);
        value->setCurrentValue(7); // the nearest that can be
        QCOMPARE(fixture.document.experiment()->mesh.axes[1].size, 8);
        QCOMPARE(fixture.document.experiment()->mesh.axes[0].size, 1);
        QCOMPARE(value->currentValue().toInt(), 8);
    }

    void memoryIsATable()
    {
        Appearance appearance(ThemeChoice::Light);
        test::Fixture fixture;
        MemoryView view(&fixture.document, &fixture.selection);
        view.resize(700, 300);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        const Table bar(view.bar());
        QVERIFY(bar.cells);
        QCOMPARE(bar.row(0),
            (QStringList{ QStringLiteral("parameters"), QStringLiteral("8 MiB"), QStringLiteral("Layer 0 / W1") }));
        const MemorySummary& memory = fixture.snapshot().plan->memory;
        const auto held =
            std::count_if(memory.atPeak.begin(), memory.atPeak.end(), [](std::int64_t bytes) { return bytes > 0; });
        QCOMPARE(bar.cells->rowCount(), static_cast<int>(held));

        MemoryView overTime(&fixture.document, &fixture.selection, MemoryView::Shows::OverTime);
        overTime.resize(700, 200);
        overTime.show();
        QVERIFY(QTest::qWaitForWindowExposed(&overTime));
        LiveMemoryPlot& plot = *overTime.plot();
        const Table live(&plot);
        QVERIFY(live.cells);
        QCOMPARE(live.cells->rowCount(), static_cast<int>(memory.live.size()));
        QCOMPARE(live.at(memory.peakInstruction, 1), words::bytes(static_cast<double>(memory.peakBytes)));
        // By keyboard through the instructions, and to what one computes.
        plot.setFocus();
        QTest::keyClick(&plot, Qt::Key_End);
        QCOMPARE(plot.tableCurrentRow(), live.cells->rowCount() - 1);
        QTest::keyClick(&plot, Qt::Key_Home);
        QTest::keyClick(&plot, Qt::Key_Right);
        QCOMPARE(plot.tableCurrentRow(), 1);
        QVERIFY(live.cells->isRowSelected(1));
        QVERIFY2(plot.accessibleDescription().startsWith(QStringLiteral("Operation 2, ")),
            qPrintable(plot.accessibleDescription()));
        QTest::keyClick(&plot, Qt::Key_Return);
        QCOMPARE(words::tensorName(fixture.selection.tensor().toStdString()), live.at(1, 2));
    }

    void timesAreTables()
    {
        Appearance appearance(ThemeChoice::Light);
        test::Fixture fixture;
        RunController run(&fixture.document);
        TimingView view(&fixture.document, &fixture.selection, &run);
        view.resize(800, 260);
        RunController::Timings data;
        for (int step = 1; step <= 3; ++step)
            data.history.push_back(
                { 0.01 * step, std::vector<DeviceTimes>(8, { 1e-3 * step, 2e-3 * step, 3e-3 * step }) });
        data.history.back().devices[5].compute = 12e-3;
        data.stepsDone = 12;
        view.show(data);
        view.show();
        QVERIFY(QTest::qWaitForWindowActive(&view));
        const Table steps(timesPlot(view));
        QVERIFY(steps.cells);
        QCOMPARE(steps.cells->rowCount(), 3);
        QCOMPARE(steps.row(2), (QStringList{ QStringLiteral("12"), words::seconds(0.03) }));
        const Table bars(view.findChild<AccessibleBarsPlot*>());
        QVERIFY(bars.cells);
        QCOMPARE(bars.cells->rowCount(), 8);
        // Means over the three steps: 2, 4 and 6 ms; 15 / 3 ms of compute for d5.
        QCOMPARE(bars.row(0),
            (QStringList{ QStringLiteral("d0"), words::seconds(2e-3), words::seconds(4e-3), words::seconds(6e-3) }));
        QCOMPARE(bars.at(5, 1), words::seconds(5e-3));

        // The steps by keyboard, said beside the plot.
        timesPlot(view)->setFocus(Qt::TabFocusReason);
        QSignalSpy hovered(timesPlot(view), &plot::StepPlot::hovered);
        QTest::keyClick(timesPlot(view), Qt::Key_Left);
        QTest::keyClick(timesPlot(view), Qt::Key_Left);
        QCOMPARE(hovered.last().front().toLongLong(), 11);
        QCOMPARE(timesPlot(view)->tableCurrentRow(), 1);
        const auto before = timesPlot(view)->shownSteps();
        QTest::keyClick(timesPlot(view), Qt::Key_Plus);
        const auto after = timesPlot(view)->shownSteps();
        QVERIFY(after.second - after.first < before.second - before.first);
        QVERIFY(!timesPlot(view)->follows());
        QTest::keyClick(timesPlot(view), Qt::Key_Escape);
        QVERIFY(timesPlot(view)->follows());
        QCOMPARE(hovered.last().front().toLongLong(), -1);

        // The bars: pointed at they light their devices and tell their own times.
        view.findChild<AccessibleBarsPlot*>()->setFocus(Qt::TabFocusReason);
        QTest::keyClick(view.findChild<AccessibleBarsPlot*>(), Qt::Key_Right);
        QTest::keyClick(view.findChild<AccessibleBarsPlot*>(), Qt::Key_Right);
        QCOMPARE(fixture.selection.hoveredGroup().ids(), std::vector<std::int32_t>{ 1 });
        QCOMPARE(view.legend()->entries().front().name, QStringLiteral("d1"));
        QTest::keyClick(view.findChild<AccessibleBarsPlot*>(), Qt::Key_Return);
        QCOMPARE(fixture.selection.devices(), std::vector<std::int32_t>{ 1 });
        timesPlot(view)->setFocus(Qt::TabFocusReason);
        QVERIFY(fixture.selection.hoveredGroup().ids().empty());
        QCOMPARE(view.legend()->entries().front().name, QStringLiteral("mean"));
    }

    void theRuleTraceIsATable()
    {
        Appearance appearance(ThemeChoice::Light);
        test::Fixture fixture(test::example("rule-lab"));
        RuleTraceView view(&fixture.document, &fixture.selection);
        view.resize(1000, 500);
        view.show();
        fixture.selection.setTensor(QStringLiteral("array"));
        const Table table(view.matrix());
        QVERIFY(table.cells);
        QCOMPARE(table.cells->rowCount(), 5); // four rules and the result
        QCOMPARE(table.row(0).mid(0, 4),
            (QStringList{ QStringLiteral("1"), QStringLiteral("batch → X"), QStringLiteral("batch"),
                QStringLiteral("Applied") }));
        QCOMPARE(table.row(1).mid(0, 4),
            (QStringList{ QStringLiteral("2"), QStringLiteral("features → X"), QStringLiteral("features"),
                QStringLiteral("Skipped") }));
        QVERIFY2(table.at(1, 4).contains(QStringLiteral("rule 1")), qPrintable(table.at(1, 4)));
        QCOMPARE(table.at(4, 3), QStringLiteral("P(X, -, Y, -)"));
        QVERIFY(table.at(4, 4).endsWith(QLatin1Char('Z')));
        table.cells->selectRow(3);
        QCOMPARE(view.matrix()->currentRule(), 3);
    }

    void choicesAreNamed()
    {
        Appearance appearance(ThemeChoice::Light);
        SegmentedBar bar({ QStringLiteral("Tip"), QStringLiteral("Paragraph") });
        const Table table(&bar);
        QVERIFY(table.cells);
        QCOMPARE(table.at(1, 0), QStringLiteral("Paragraph"));
        table.cells->cellAt(1, 0)->actionInterface()->doAction(QAccessibleActionInterface::pressAction());
        QCOMPARE(bar.current(), 1);
        AxisTray tray;
        tray.setAxes({ QStringLiteral("data"), QStringLiteral("model") });
        QCOMPARE(Table(&tray).at(1, 0), QStringLiteral("model"));
    }
};

REGISTER_TEST(TestAccessibility)
#include "test_accessibility.moc"
