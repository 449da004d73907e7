// SPDX-License-Identifier: GPL-3.0-or-later
// Rules and tables that come into the window and leave it: published sets, files, the clipboard, drops; and the
// switches of the Rules dock.
#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QDropEvent>
#include <QFile>
#include <QGuiApplication>
#include <QMimeData>
#include <QPushButton>
#include <QTemporaryDir>

#include "document/atomic_file.h"
#include "document/exchange.h"
#include "panel_fixture.h"
#include "registered_test.h"
#include "rules/dialect_comparison.h"
#include "views/main_window/main_window.h"
#include "views/preview/edit_gesture.h"
#include "views/problems_view/problems_view.h"
#include "views/rules_view/axis_tray.h"
#include "views/rules_view/rules_menu.h"
#include "views/rules_view/rules_model.h"
#include "views/rules_view/rules_table.h"
#include "views/rules_view/rules_view.h"
#include "views/table_help/table_help.h"
#include "views/widgets/dock_frame.h"
#include "views/widgets/notice_strip.h"

using namespace shardscope;

namespace {

const LogicalRules& rulesIn(const Document& document)
{
    return document.experiment()->rules.rules;
}

void drop(QWidget* target, QMimeData* data)
{
    const QPoint at = target->rect().center();
    QDragEnterEvent enter(at, Qt::CopyAction, data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(target, &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent event(at, Qt::CopyAction, data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(target, &event);
}

} // namespace

class TestExchange : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::failOnWarnings(); }

    void switchesOfTheDialect()
    {
        Appearance appearance(ThemeChoice::Light);
        test::Fixture fixture;
        RulesView view(&fixture.document, &fixture.selection);
        auto* system = view.findChild<QComboBox*>(QStringLiteral("ruleSystem"));
        auto* fallback = view.findChild<QComboBox*>(QStringLiteral("rulesFallback"));
        QVERIFY(system && fallback);
        QCOMPARE(system->count(), static_cast<int>(ruleSystems().size()) + 1);
        QCOMPARE(system->itemText(system->count() - 1), QStringLiteral("Penzai")); // rules as a mapping
        QCOMPARE(system->currentText(), QStringLiteral("Flax 2024"));
        for (int i = 0; i < system->count(); ++i) {
            Q_EMIT system->activated(i);
            const RulesSetting& now = fixture.document.experiment()->rules;
            const auto index = static_cast<std::size_t>(i);
            QCOMPARE(now.rules.isSequence, index < ruleSystems().size());
            QVERIFY(index == ruleSystems().size() || now.dialect == ruleSystems()[index].dialect);
            QVERIFY(index == ruleSystems().size() || now.version == ruleSystems()[index].version);
            QCOMPARE(system->currentIndex(), i);
            // Every choice says what it changes, in the list and on the closed control.
            QVERIFY(system->itemData(i, Qt::ToolTipRole).toString().size() > 40);
            QCOMPARE(system->toolTip(), system->itemData(i, Qt::ToolTipRole).toString());
        }
        QCOMPARE(fixture.document.undoStack()->count(), system->count() - 1); // the first one was there already
        for (int i = 0; i < fallback->count(); ++i) {
            Q_EMIT fallback->activated(i);
            QCOMPARE(static_cast<int>(fixture.document.experiment()->rules.fallback), i);
            QVERIFY(fallback->itemData(i, Qt::ToolTipRole).toString().size() > 40);
        }
        while (fixture.document.undoStack()->canUndo())
            fixture.document.undoStack()->undo();
        QCOMPARE(system->currentText(), QStringLiteral("Flax 2024"));
        QCOMPARE(fallback->currentIndex(), 0);
    }

    void publishedSetsWithAPreview()
    {
        Appearance appearance(ThemeChoice::Light);
        test::Fixture fixture;
        RulesView view(&fixture.document, &fixture.selection);
        const Experiment before = *fixture.document.experiment();
        for (const PublishedRules& set : publishedRules()) {
            QAction* action = view.menu()->findChild<QAction*>(QStringLiteral("set-") + QString::fromStdString(set.id));
            QVERIFY2(action, set.id.c_str());
            QVERIFY(action->toolTip().contains(QString::fromStdString(set.source)));
        }
        QAction* set = view.menu()->findChild<QAction*>(QStringLiteral("set-t5x-a2p2"));
        QVERIFY(set->text().contains(QStringLiteral("14 rules")));
        // Pointed at, it is previewed beside the window, and nothing is changed.
        set->hover();
        QVERIFY(view.gesture()->isActive());
        QTRY_VERIFY(view.gesture()->preview());
        QVERIFY2(view.gesture()->preview()->sentence().contains(QStringLiteral("8 weights change")),
            qPrintable(view.gesture()->preview()->sentence()));
        QVERIFY(*fixture.document.experiment() == before);
        Q_EMIT view.menu()->setPointedAt(nullptr);
        QVERIFY(!view.gesture()->isActive());
        // Chosen, it is one step, with its dialect.
        set->trigger();
        QVERIFY(rulesIn(fixture.document) == findPublishedRules("t5x-a2p2")->rules);
        QVERIFY(fixture.document.experiment()->rules.dialect == Dialect::T5x);
        QCOMPARE(fixture.document.undoStack()->count(), 1);
        fixture.document.undoStack()->undo();
        QVERIFY(*fixture.document.experiment() == before);
        // The rules there are can stay as T5X' additional ones.
        view.menu()->findChild<QAction*>(QStringLiteral("keepOwnRules"))->setChecked(true);
        set->trigger();
        QVERIFY(rulesIn(fixture.document) == *t5xStandardRules(2, 2, before.rules.rules));
    }

    void axesThatTheMeshLacksCanBeAdded()
    {
        Appearance appearance(ThemeChoice::Light);
        test::Fixture fixture;
        RulesView view(&fixture.document, &fixture.selection);
        view.menu()->findChild<QAction*>(QStringLiteral("set-maxtext-base-2023-06"))->trigger();
        QVERIFY2(view.notice()->text().contains(QStringLiteral("fsdp, tensor")), qPrintable(view.notice()->text()));
        QVERIFY(!view.notice()->button()->isHidden());
        view.notice()->button()->click();
        QVERIFY(missingAxes(*fixture.document.experiment()).empty());
        QCOMPARE(fixture.document.experiment()->mesh.axes.size(), std::size_t{ 4 });
        QCOMPARE(fixture.document.undoStack()->count(), 2);
        QVERIFY(view.notice()->text().isEmpty());
    }

    void filesComeAndGo()
    {
        Appearance appearance(ThemeChoice::Light);
        QTemporaryDir folder;
        test::Fixture fixture(test::example("rule-lab"));
        RulesView view(&fixture.document, &fixture.selection);
        const LogicalRules lab = rulesIn(fixture.document);
        const std::pair<RulesForm, QString> forms[] = { { RulesForm::Flax, QStringLiteral("a.py") },
            { RulesForm::T5x, QStringLiteral("b.py") }, { RulesForm::MaxText, QStringLiteral("c.yml") },
            { RulesForm::Json, QStringLiteral("d.json") } };
        for (const auto& [form, name] : forms) {
            const QString path = folder.filePath(name);
            QVERIFY(view.exportFile(path, form));
            QVERIFY(view.notice()->text().contains(name));
            QVERIFY(fixture.document.edit(
                withRules(*fixture.document.experiment(), {}, rulesOf(*findPublishedRules("t5x-a1p1"))), name));
            QVERIFY(view.importFile(path));
            QVERIFY2(rulesIn(fixture.document) == lab, qPrintable(name));
        }
        QVERIFY(!view.exportFile(folder.filePath(QStringLiteral("no/such/folder.py")), RulesForm::Flax));
        QVERIFY(view.notice()->text().contains(QStringLiteral("folder.py")));

        // What is wrong is said in the dock with its place, and the rules stay as they are.
        const QString broken = folder.filePath(QStringLiteral("broken.py"));
        QVERIFY(writeAtomically(broken, "rules = (\n  ('batch' 'data'),\n)"));
        const int steps = fixture.document.undoStack()->count();
        QVERIFY(!view.importFile(broken));
        QVERIFY2(view.notice()->text().startsWith(QStringLiteral("broken.py, line 2, column 12")),
            qPrintable(view.notice()->text()));
        QVERIFY(!view.importFile(folder.filePath(QStringLiteral("missing.py"))));
        QVERIFY(rulesIn(fixture.document) == lab);
        QCOMPARE(fixture.document.undoStack()->count(), steps);
    }

    void pasteCopyAndDrop()
    {
        Appearance appearance(ThemeChoice::Light);
        QTemporaryDir folder;
        test::Fixture fixture(test::example("rule-lab"));
        RulesView view(&fixture.document, &fixture.selection);
        view.resize(400, 300);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        QClipboard* clipboard = QGuiApplication::clipboard();
        clipboard->setText(QStringLiteral("logical_axis_rules = [('batch', 'X'), ('heads', ('Y', 'Z'))]"));
        QTest::keySequence(view.table(), QKeySequence(QKeySequence::Paste));
        QCOMPARE(view.model()->ruleCount(), 2);
        QCOMPARE(view.model()->index(1, RulesModel::Axes).data().toString(), QStringLiteral("(Y, Z)"));
        view.copyAs(RulesForm::Json);
        QCOMPARE(clipboard->text(), QStringLiteral("[\n  [\"batch\", \"X\"],\n  [\"heads\", [\"Y\", \"Z\"]]\n]\n"));
        clipboard->clear();
        QTest::keySequence(view.table(), QKeySequence(QKeySequence::Paste));
        QVERIFY(view.notice()->text().contains(QStringLiteral("no text")));

        QMimeData text;
        text.setText(QStringLiteral("[['batch', 'Z']]"));
        drop(&view, &text);
        QCOMPARE(view.model()->ruleCount(), 1);
        const QString path = folder.filePath(QStringLiteral("rules.yml"));
        QVERIFY(writeAtomically(path, "logical_axis_rules: [['batch', ['X']], ['heads', 'Y']]\nsteps: 3\n"));
        QMimeData file;
        file.setUrls({ QUrl::fromLocalFile(path) });
        drop(&view, &file);
        QCOMPARE(view.model()->ruleCount(), 2);
        QVERIFY(fixture.document.experiment()->rules.dialect == Dialect::MaxText);
        QMimeData wrong;
        wrong.setText(QStringLiteral("a b c"));
        drop(&view, &wrong);
        QVERIFY(view.notice()->text().contains(QStringLiteral("line 1")));
        QCOMPARE(view.model()->ruleCount(), 2);
    }

    /// What dragging a name onto an axis does, by keyboard, with the same preview.
    void namesOntoAxesByKeyboard()
    {
        Appearance appearance(ThemeChoice::Light);
        test::Fixture fixture;
        RulesView view(&fixture.document, &fixture.selection);
        view.resize(400, 300);
        view.show();
        QVERIFY(QTest::qWaitForWindowActive(&view));
        view.table()->setCurrentIndex(view.model()->index(2, RulesModel::Name)); // embed, which has no rule
        view.tray()->setFocus(Qt::TabFocusReason);
        QCOMPARE(view.gesture()->title(), QStringLiteral("embed → data"));
        QTRY_VERIFY(view.gesture()->preview());
        const QString onData = view.gesture()->preview()->sentence();
        QVERIFY2(onData.contains(QStringLiteral("8 weights change, 32 → 16 MiB per device")), qPrintable(onData));
        QTest::keyClick(view.tray(), Qt::Key_Right);
        QCOMPARE(view.gesture()->title(), QStringLiteral("embed → model"));
        QTest::keyClick(view.tray(), Qt::Key_Escape);
        QVERIFY(!view.gesture()->isActive());
        QCOMPARE(fixture.document.undoStack()->count(), 0);
        QTest::keyClick(view.tray(), Qt::Key_Home);
        QTest::keyClick(view.tray(), Qt::Key_Return);
        QVERIFY(!view.gesture()->isActive());
        QCOMPARE(view.model()->ruleCount(), 3);
        QCOMPARE(view.model()->index(2, RulesModel::Axes).data().toString(), QStringLiteral("data"));
        QCOMPARE(fixture.document.undoStack()->count(), 1);
        // With Ctrl it is added to what the rule has.
        view.table()->setCurrentIndex(view.model()->index(1, RulesModel::Name));
        view.tray()->setFocus(Qt::TabFocusReason);
        QTest::keyClick(view.tray(), Qt::Key_Home);
        QTest::keyClick(view.tray(), Qt::Key_Return, Qt::ControlModifier);
        QCOMPARE(view.model()->index(1, RulesModel::Axes).data().toString(), QStringLiteral("(model, data)"));
        // An axis twice cannot be, and says so.
        QTest::keyClick(view.tray(), Qt::Key_Home);
        QTest::keyClick(view.tray(), Qt::Key_Return, Qt::ControlModifier);
        QVERIFY(!view.notice()->text().isEmpty());
        QCOMPARE(fixture.document.undoStack()->count(), 2);
    }

    void tablesBecomeExperiments()
    {
        Appearance appearance(ThemeChoice::Light);
        QTemporaryDir folder;
        MainWindow window(&appearance, { .remember = false });
        window.document()->waitForAnalysis();
        const QString path = folder.filePath(QStringLiteral("mine.csv"));
        QVERIFY(writeAtomically(path, "path,shape,dtype,names\nmlp/wi,64x4096,f32,\"embed,hidden\"\n"));
        QMimeData file;
        file.setUrls({ QUrl::fromLocalFile(path) });
        drop(&window, &file);
        QCOMPARE(window.document()->displayName(), QStringLiteral("mine.csv"));
        QVERIFY(window.document()->filePath().isEmpty());
        window.document()->waitForAnalysis();
        QCOMPARE(window.document()->snapshot()->row("mlp/wi")->layout.shardShape(), (Shape{ 64, 1024 }));

        // Errors stand among the problems with their lines, and what was open stays.
        const QString broken = folder.filePath(QStringLiteral("broken.csv"));
        QVERIFY(writeAtomically(broken, "path,shape\nw,abc\nv,8\n"));
        QVERIFY(!window.openFile(broken));
        QCOMPARE(window.document()->displayName(), QStringLiteral("mine.csv"));
        QVERIFY(!window.findChild<ProblemsView*>()->messages().empty());
        QCOMPARE(window.findChild<ProblemsView*>()->messages().front().where.line, 2);

        // A file of rules dropped on the window goes to the rules.
        const QString rules = folder.filePath(QStringLiteral("rules.py"));
        QVERIFY(writeAtomically(rules, "rules = (('embed', 'data'),)"));
        QMimeData ruleFile;
        ruleFile.setUrls({ QUrl::fromLocalFile(rules) });
        drop(&window, &ruleFile);
        QCOMPARE(rulesIn(*window.document()).list.size(), std::size_t{ 1 });
        QVERIFY(window.document()->undoStack()->canUndo());
    }

    /// What the help shows to copy gives tables that are read here.
    void helpOnTables()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false });
        window.action(QStringLiteral("tableHelp"))->trigger();
        TableHelp* help = window.findChild<TableHelp*>();
        QVERIFY(help && help->isVisible() && !help->isModal());
        auto* library = help->findChild<QComboBox*>();
        QSet<QString> codes;
        for (int i = 0; i < library->count(); ++i) {
            library->setCurrentIndex(i);
            codes << help->code();
            QVERIFY(help->code().contains(QStringLiteral("[\"path\", \"shape\", \"dtype\", \"names\"]")));
            help->findChild<QPushButton*>(QStringLiteral("copyTableCode"))->click();
            QCOMPARE(QGuiApplication::clipboard()->text(), help->code());
        }
        QCOMPARE(codes.size(), 3);
        // As the writer of those lines would write it.
        const auto table =
            openTable("path,shape,dtype,names\r\nparams/Dense_0/kernel,1024x1024,float32,\"embed,hidden\""
                      "\r\nparams/bias,8,bfloat16,None\r\nstep,,int32,\r\n",
                "model.csv", "model", test::example("flax-mlp-logical"));
        QVERIFY(table.has_value());
        const auto& arrays = std::get<ArraysModel>(table->experiment.model).arrays;
        QCOMPARE(arrays.size(), std::size_t{ 3 });
        QVERIFY(arrays[1].names == LogicalNames{ LogicalName::none() });
        help->close();
    }

    void examplesByDocument()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false });
        window.openExample(QStringLiteral("t5x-a2p2"));
        QCOMPARE(rulesIn(*window.document()).list.size(), std::size_t{ 14 });
        QVERIFY(!window.document()->isModified());
    }
};

REGISTER_TEST(TestExchange)
#include "test_exchange.moc"
