// SPDX-License-Identifier: GPL-3.0-or-later
// The trail of what was selected in the window: back, forward, and what it is called.
#include <QTest>
#include <QToolButton>

#include "program/operation_path.h"
#include "registered_test.h"
#include "views/main_window/main_window.h"
#include "views/main_window/selection_trail.h"
#include "views/panel_fixture.h"
#include "views/widgets/dock_frame.h"
#include "views/window_fixture.h"
#include "words/propagation_steps.h"

using namespace shardscope;
using namespace Qt::StringLiterals;

class TestSelectionTrail : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { test::clearSettings(); }
    void cleanupTestCase() { test::clearSettings(); }
    void init() { test::failOnWarnings(); }

    /// Where the selection is stands in the tool bar; Esc leads up, Alt+Left to what was selected before.
    void theSelectionHasATrail()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false, .tips = false });
        window.resize(1600, 1000);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        window.document()->waitForAnalysis();
        Selection* selection = window.selection();
        const auto* trail = window.findChild<SelectionTrail*>(QStringLiteral("selectionTrail"));
        const auto places = [trail] { return trail->places().join(u'>'); };
        selection->setTensor(QStringLiteral("params/layers.0/W1"));
        QTRY_COMPARE(places(), QStringLiteral("Parameters>Layer 0 / W1"));
        QVERIFY(trail->isVisible());
        selection->setDimension(1);
        selection->setDevices(
            DeviceGroup::holders(window.document()->snapshot()->row("params/layers.0/W1")->layout, 1));
        QTRY_COMPARE(places(), QStringLiteral("Parameters>Layer 0 / W1>hidden>shard 1"));
        DockFrame* inputs = window.dock(QStringLiteral("inputs"));
        inputs->setFocus();
        const auto press = [&window](Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
            QTest::keyClick(&window, key, modifiers);
        };
        press(Qt::Key_Escape);
        QCOMPARE(places(), QStringLiteral("Parameters>Layer 0 / W1>hidden"));
        press(Qt::Key_Escape);
        QCOMPARE(places(), QStringLiteral("Parameters>Layer 0 / W1"));
        selection->setTensor(QStringLiteral("params/layers.1/W2"));
        QCOMPARE(places(), QStringLiteral("Parameters>Layer 1 / W2"));
        press(Qt::Key_Left, Qt::AltModifier);
        QCOMPARE(places(), QStringLiteral("Parameters>Layer 0 / W1"));
        press(Qt::Key_Left, Qt::AltModifier);
        QCOMPARE(places(), QStringLiteral("Parameters>Layer 0 / W1>hidden"));
        // Its buttons lead where they say.
        selection->setDevices({ 3 });
        QCOMPARE(places(), QStringLiteral("Parameters>Layer 0 / W1>hidden>d3"));
        QCoreApplication::processEvents(); // which shows what was laid out
        QList<QToolButton*> buttons;
        for (QToolButton* button : trail->findChildren<QToolButton*>())
            if (!button->isHidden())
                buttons << button;
        QCOMPARE(buttons.size(), 3);
        // Esc leads to the last of them alone.
        QCOMPARE(buttons[2]->toolTip(), QStringLiteral("Back to hidden (Esc)"));
        QCOMPARE(buttons[1]->toolTip(), QStringLiteral("Back to Layer 0 / W1"));
        buttons[1]->click();
        QCOMPARE(places(), QStringLiteral("Parameters>Layer 0 / W1"));
        QVERIFY(selection->devices().empty());
        // What the player passes is not gone back to one by one.
        const Program& program = *window.document()->snapshot()->program;
        int passed = 0;
        for (std::size_t i = 0; i < program.operations.size() && passed < 6; ++i) {
            const OperationId operation(i);
            const auto& results = program.operation(operation).results;
            if (results.empty() || program.value(results[0]).path.empty())
                continue;
            selection->setOperation(QString::fromStdString(operationPath(program, operation)),
                QString::fromStdString(program.value(results[0]).path));
            ++passed;
        }
        QCOMPARE(passed, 6);
        QVERIFY(places() != QStringLiteral("Parameters>Layer 0 / W1"));
        press(Qt::Key_Left, Qt::AltModifier);
        QCOMPARE(places(), QStringLiteral("Parameters>Layer 0 / W1"));
        // Another experiment has nothing to go back to, and a narrow window no room for it.
        window.openExample(QStringLiteral("jax-layer"));
        window.document()->waitForAnalysis();
        QTRY_VERIFY(places().contains(u'>'));
        const QString first = places();
        press(Qt::Key_Left, Qt::AltModifier);
        QCOMPARE(places(), first);
        window.resize(640, 500);
        QTRY_VERIFY(trail->isHidden());
    }

    /// An operation whose result has no name is what is selected, and not the array that was selected before.
    void anOperationWithoutANameIsInTheTrail()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false, .tips = false });
        window.resize(1600, 1000);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        window.document()->waitForAnalysis();
        const SnapshotPtr snapshot = window.document()->snapshot();
        const Program& program = *snapshot->program;
        OperationId nameless;
        for (std::size_t i = 0; i < program.operations.size() && !nameless.valid(); ++i)
            if (const auto& results = program.operations[i].results;
                results.empty() || program.value(results[0]).path.empty())
                nameless = OperationId(i);
        QVERIFY(nameless.valid());
        Selection* selection = window.selection();
        const auto* trail = window.findChild<SelectionTrail*>(QStringLiteral("selectionTrail"));
        selection->setTensor(QStringLiteral("params/layers.0/W1"));
        selection->setOperation(QString::fromStdString(operationPath(program, nameless)), QString());
        QCOMPARE(trail->places().join(u'>'),
            QStringLiteral("Operations>%1").arg(words::operationName(program.operation(nameless))));
        window.action(QStringLiteral("selectBefore"))->trigger();
        QCOMPARE(trail->places().join(u'>'), QStringLiteral("Parameters>Layer 0 / W1"));
    }
};

REGISTER_TEST(TestSelectionTrail)
#include "test_selection_trail.moc"
