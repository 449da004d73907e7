// SPDX-License-Identifier: GPL-3.0-or-later
// The real window, driven as a person would: edits by keyboard and mouse, a step run, everything undone, and the saved
// file equal to the original byte for byte. Also files, layouts and pictures.
#include <QCheckBox>
#include <QCloseEvent>
#include <QDialogButtonBox>
#include <QDir>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFile>
#include <QHeaderView>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollArea>
#include <QScrollBar>
#include <QSpinBox>
#include <QStandardPaths>
#include <QStatusBar>
#include <QStyle>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBrowser>
#include <QTimer>
#include <QToolButton>
#include <QUrl>

#include "base/codes.h"
#include "experiment/builtin.h"
#include "experiment/edits.h"
#include "experiment_file/experiment_file.h"
#include "experiment_file/gallery.h"
#include "program/operation_path.h"
#include "registered_test.h"
#include "report/tensor_tree.h"
#include "separator_drag.h"
#include "views/collectives_view/collectives_view.h"
#include "views/compare_view/compare_view.h"
#include "views/device_map/device_map.h"
#include "views/explain_view/explain_view.h"
#include "views/help_window/help_window.h"
#include "views/main_window/application.h"
#include "views/main_window/main_window.h"
#include "views/main_window/own_keys.h"
#include "views/main_window/selection_trail.h"
#include "views/main_window/settings.h"
#include "views/main_window/status_message.h"
#include "views/mesh_view/axis_row.h"
#include "views/mesh_view/mesh_view.h"
#include "views/panel_fixture.h"
#include "views/preview/edit_plate.h"
#include "views/problems_view/problem_row.h"
#include "views/problems_view/problems_view.h"
#include "views/program_view/program_player.h"
#include "views/program_view/program_view.h"
#include "views/rules_view/rules_model.h"
#include "views/rules_view/rules_table.h"
#include "views/rules_view/rules_view.h"
#include "views/rules_view/trace_matrix.h"
#include "views/shard_grid_view/shard_grid_view.h"
#include "views/tensors_view/tensors_view.h"
#include "views/theme/theme.h"
#include "views/widgets/dock_frame.h"
#include "views/widgets/section.h"
#include "views/widgets/section_column.h"
#include "views/widgets/size_slider.h"
#include "views/widgets/step_player.h"
#include "words/propagation_steps.h"

using namespace shardscope;
using namespace Qt::StringLiterals;
using test::contentOf;

namespace {

/// The notebook's experiment with arrays that train in no time.
QByteArray smallExperiment()
{
    Experiment experiment = builtinExamples().front().make();
    auto& settings = std::get<MlpModel>(experiment.model).settings;
    settings.layers = 2;
    settings.embed = 32;
    settings.hidden = 64;
    return QByteArray::fromStdString(writeExperiment(experiment));
}

/// The notebook's experiment with findings that nobody acknowledges, on devices that stay.
Experiment withFindings()
{
    Experiment experiment = builtinExamples().front().make();
    experiment.acknowledged.clear();
    experiment.hardware.pinned = true;
    return experiment;
}

int bold(const QString& text)
{
    return QFontMetrics(Metrics::semibold()).horizontalAdvance(text);
}

} // namespace

class TestMainWindow : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QString m_file;

private Q_SLOTS:
    void initTestCase()
    {
        QStandardPaths::setTestModeEnabled(true);
        QCoreApplication::setApplicationName(QStringLiteral("shardscope-test"));
        QDir(QStandardPaths::writableLocation(QStandardPaths::AppConfigLocation)).removeRecursively();
        QVERIFY(m_folder.isValid());
    }
    void cleanupTestCase()
    {
        QDir(QStandardPaths::writableLocation(QStandardPaths::AppConfigLocation)).removeRecursively();
    }
    void init()
    {
        test::failOnWarnings();
        m_file = m_folder.filePath(QStringLiteral("experiment.json"));
        QFile file(m_file);
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        file.write(smallExperiment());
    }

    void editRunUndoSave()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false });
        QVERIFY(window.openFile(m_file));
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        Document* document = window.document();
        document->waitForAnalysis();
        const auto meshNow = [&] {
            return QStringLiteral("%1 %2")
                .arg(document->experiment()->mesh.axes[0].size)
                .arg(document->experiment()->mesh.axes[1].size);
        };
        QCOMPARE(window.selection()->tensor(), QStringLiteral("params/layers.0/W1"));
        QVERIFY(!window.isWindowModified());

        // An axis by keyboard; every dock shows it.
        QSpinBox* number = window.findChild<MeshView*>()->row(0)->spinBox();
        number->setFocus();
        QTest::keyClick(number, Qt::Key_Up);
        QCOMPARE(meshNow(), QStringLiteral("4 2"));
        QVERIFY(window.isWindowModified());
        QTRY_VERIFY(!document->isStale());
        QCOMPARE(window.findChild<ShardGridView*>()->canvas()->grid().columns().parts, 2);
        // And by dragging its slider.
        SizeSlider* slider = window.findChild<MeshView*>()->row(1)->slider();
        QTest::mousePress(slider, Qt::LeftButton, Qt::NoModifier, slider->handleAt(1));
        QTest::mouseMove(slider, slider->handleAt(2));
        QTest::mouseMove(slider, slider->handleAt(3));
        QTest::mouseRelease(slider, Qt::LeftButton, Qt::NoModifier, slider->handleAt(3));
        QCOMPARE(meshNow(), QStringLiteral("1 8"));

        // Rules by keyboard and by mouse.
        RulesTable* table = window.findChild<RulesView*>()->table();
        RulesModel* rules = window.findChild<RulesView*>()->model();
        const auto firstRule = [&] { return document->experiment()->rules.rules.list.front().name.name; };
        table->setFocus();
        table->setCurrentIndex(rules->index(1, RulesModel::Name));
        QTest::keyClick(table, Qt::Key_Up, Qt::AltModifier);
        QCOMPARE(firstRule(), std::string("hidden"));
        const auto at = [&](int row) { return table->visualRect(rules->index(row, RulesModel::Number)).center(); };
        QTest::mousePress(table->viewport(), Qt::LeftButton, Qt::NoModifier, at(0));
        QTest::mouseMove(table->viewport(), at(0) + QPoint(0, 6));
        QTest::mouseMove(table->viewport(), at(1));
        QTest::mouseRelease(table->viewport(), Qt::LeftButton, Qt::NoModifier, at(1));
        QCOMPARE(firstRule(), std::string("batch"));
        QCOMPARE(document->undoStack()->count(), 4);

        // A step on the devices.
        QTest::mouseClick(window.findChild<QPushButton*>(QStringLiteral("runStepButton")), Qt::LeftButton);
        QTRY_COMPARE(window.runController()->stepsDone(), 1);

        // Saved as edited; then all undone, by the shortcut, and saved, byte for byte what it was.
        const QByteArray original = contentOf(m_file);
        window.action(QStringLiteral("save"))->trigger();
        QVERIFY(!window.isWindowModified());
        QVERIFY(contentOf(m_file) != original);
        for (int i = 0; i < 4; ++i)
            window.action(QStringLiteral("undo"))->trigger();
        QVERIFY(window.isWindowModified());
        QVERIFY(!window.action(QStringLiteral("undo"))->isEnabled());
        QCOMPARE(meshNow(), QStringLiteral("2 4"));
        window.action(QStringLiteral("save"))->trigger();
        QVERIFY(!window.isWindowModified());
        QCOMPARE(contentOf(m_file), original);
        QCOMPARE(contentOf(m_file), smallExperiment());
    }

    /// What reading warns about is one row.
    void warningsOfReadingAreToldOnce()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("odd.json"));
        QByteArray odd = smallExperiment();
        odd.replace("\n}\n", ",\n  \"colour\": \"red\"\n}\n");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(odd) == odd.size());
        file.close();
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false });
        QVERIFY(window.openFile(path));
        QCOMPARE(window.document()->readWarnings().size(), std::size_t(1));
        QTRY_VERIFY(!window.document()->isStale());
        int rows = 0;
        for (const ProblemRow* row : window.findChild<ProblemsView*>()->rows())
            rows += row->cause().contains(QStringLiteral("colour")) ? 1 : 0;
        QCOMPARE(rows, 1);
    }

    void shortcutsReachTheDocument()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false });
        QVERIFY(window.openFile(m_file));
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        window.activateWindow();
        QTRY_VERIFY(window.isActiveWindow());
        QTest::keyClick(window.findChild<MeshView*>()->row(0)->slider(), Qt::Key_Right);
        QCOMPARE(window.document()->experiment()->mesh.axes[0].size, 4);
        QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(window.document()->experiment()->mesh.axes[0].size, 2);
        QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(window.document()->experiment()->mesh.axes[0].size, 4);
        QTest::keyClick(&window, Qt::Key_F5);
        QTRY_COMPARE(window.runController()->stepsDone(), 1);
        QTest::keyClick(&window, Qt::Key_S, Qt::ControlModifier);
        QVERIFY(!window.isWindowModified());
    }

    /// A key that somebody changes in the sheet is that of the command from then on, unless another one has it.
    void keysCanBeChanged()
    {
        Appearance appearance(ThemeChoice::Light);
        const QKeySequence wanted(Qt::CTRL | Qt::Key_L);
        {
            MainWindow window(&appearance, { .tips = false });
            window.show();
            QVERIFY(QTest::qWaitForWindowActive(&window));
            QAction* save = window.action(QStringLiteral("save"));
            const QKeySequence first = save->shortcut();
            window.action(QStringLiteral("keys"))->trigger();
            HelpWindow* help = window.helpWindow();
            const auto ask = [&](const QKeySequence& key) {
                Q_EMIT help->text()->anchorClicked(QUrl(QStringLiteral("key:save")));
                auto* dialog = window.findChild<QDialog*>(QStringLiteral("ownKey"));
                if (dialog)
                    dialog->findChild<QKeySequenceEdit*>()->setKeySequence(key);
                return dialog;
            };
            QDialog* dialog = ask(QKeySequence::Open);
            QVERIFY(dialog);
            auto* ok = dialog->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok);
            QVERIFY(!ok->isEnabled());
            // Of a key that views take themselves it warns.
            const auto isWarned = [dialog](const QKeySequence& key) {
                dialog->findChild<QKeySequenceEdit*>()->setKeySequence(key);
                return dialog->findChild<QLabel*>()->text().contains(QStringLiteral("views use this key"));
            };
            for (const Qt::Key key : { Qt::Key_Space, Qt::Key_1, Qt::Key_F, Qt::Key_BracketLeft })
                QVERIFY2(isWarned(QKeySequence(key)) && ok->isEnabled(), qPrintable(QKeySequence(key).toString()));
            QVERIFY(!isWarned(QKeySequence(Qt::Key_F9)) && !isWarned(wanted));
            QVERIFY(ok->isEnabled());
            ok->click();
            QCOMPARE(save->shortcut(), wanted);
            QVERIFY2(save->toolTip().contains(wanted.toString(QKeySequence::NativeText)), qPrintable(save->toolTip()));
            QVERIFY(help->text()->toPlainText().contains(wanted.toString(QKeySequence::NativeText)));
            QTRY_VERIFY(!window.findChild<QDialog*>(QStringLiteral("ownKey")));
            // Kept for the next window, until it is put back.
            MainWindow next(&appearance, { .tips = false });
            QCOMPARE(next.action(QStringLiteral("save"))->shortcut(), wanted);
            dialog = ask(wanted);
            QVERIFY(dialog);
            dialog->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::RestoreDefaults)->click();
            QCOMPARE(save->shortcut(), first);
            QVERIFY(save->toolTip().contains(first.toString(QKeySequence::NativeText)));

            // Two may have each other's keys, in the next window as well; neither gets back what the other one has.
            auto* keys = window.findChild<OwnKeys*>();
            QAction* open = window.action(QStringLiteral("open"));
            const QKeySequence second = open->shortcut();
            QVERIFY(keys->setKey(save, wanted) && keys->setKey(open, first) && keys->setKey(save, second));
            MainWindow swapped(&appearance, { .tips = false });
            QCOMPARE(swapped.action(QStringLiteral("save"))->shortcut(), second);
            QCOMPARE(swapped.action(QStringLiteral("open"))->shortcut(), first);
            QVERIFY(!keys->putBack(save));
            QCOMPARE(save->shortcut(), second);
            QVERIFY(keys->setKey(open, {}) && keys->putBack(save) && keys->putBack(open));
            QCOMPARE(open->shortcut(), second);
        }
        MainWindow last(&appearance, { .tips = false });
        QVERIFY(last.action(QStringLiteral("save"))->shortcut() != wanted);
    }

    /// F1 says what is said of the view in use; ? lists the keys.
    void historyCanBeClosed()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false });
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        window.action(QStringLiteral("history"))->trigger();
        auto* history = window.findChild<QDialog*>(QStringLiteral("historyWindow"));
        QVERIFY(history);
        QTRY_VERIFY(history->isVisible());
        auto* close = test::named<QPushButton>(history, QStringLiteral("Close"));
        QVERIFY(close);
        QTest::mouseClick(close, Qt::LeftButton);
        QVERIFY(!history->isVisible());
        window.action(QStringLiteral("history"))->trigger(); // and opened again
        QVERIFY(history->isVisible());
        window.document()->waitForAnalysis();
    }

    void helpIsOneKeyAway()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false });
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        window.document()->waitForAnalysis();
        window.findChild<RulesView*>()->table()->setFocus();
        QTest::keyClick(&window, Qt::Key_F1);
        HelpWindow* help = window.helpWindow();
        QTRY_VERIFY(help->isVisible());
        QVERIFY2(help->place().startsWith(QStringLiteral("Rules: ")), qPrintable(help->place()));
        QTRY_VERIFY(help->text()->hasFocus());
        // A paragraph of two views is that of the second, too.
        help->showGuide(QStringLiteral("Problems"));
        QVERIFY2(help->place().startsWith(QStringLiteral("Explain and Problems: ")), qPrintable(help->place()));
        for (const MainWindow::Part& part : window.parts()) {
            help->showGuide(part.name);
            QVERIFY2(help->place().section(u':', 0, 0).contains(part.name), qPrintable(part.name));
        }
        help->showGuide(QStringLiteral("no view of this name"));
        QCOMPARE(help->place(), QString());
        // Pictures of the window are for those who do not have it before them.
        QVERIFY(!help->text()->toMarkdown().contains(QStringLiteral("![")));
        help->close();
        window.activateWindow();
        QTRY_VERIFY(window.isActiveWindow());
        window.action(QStringLiteral("keys"))->trigger();
        const QString keys = help->text()->toPlainText();
        for (const char* each : { "Run step", "F5", "Undo", "Ctrl+Z", "Ctrl+Y", "Alt+Up", "Ctrl+Return" })
            QVERIFY2(keys.contains(QLatin1String(each)), each);
        QCOMPARE(window.action(QStringLiteral("keys"))->shortcut(), QKeySequence(Qt::Key_Question));
    }

    void filesThatCannotBeReadAreReported()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false });
        const ExperimentPtr before = window.document()->experiment();
        const QString bad = m_folder.filePath(QStringLiteral("bad.json"));
        QFile file(bad);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("{ \"format\": ");
        file.close();
        QVERIFY(!window.openFile(bad));
        QVERIFY(!window.findChild<ProblemsView*>()->messages().empty());
        QCOMPARE(window.document()->experiment(), before);
        QVERIFY(!window.openFile(m_folder.filePath(QStringLiteral("missing.json"))));
        QCOMPARE(window.findChild<ProblemsView*>()->messages().front().code, Code::Unreadable);
    }

    void aDroppedFileIsOpened()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false });
        window.show();
        QMimeData data;
        data.setUrls({ QUrl::fromLocalFile(m_file) });
        QDragEnterEvent enter(QPoint(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&window, &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop(QPointF(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&window, &drop);
        QCOMPARE(window.document()->filePath(), m_file);
        QVERIFY(window.windowTitle().startsWith(QStringLiteral("experiment.json")));
    }

    void unsavedChangesAreAskedAbout_data()
    {
        QTest::addColumn<int>("answer");
        QTest::addColumn<bool>("closes");
        QTest::addColumn<bool>("saves");
        QTest::newRow("save") << static_cast<int>(QMessageBox::Save) << true << true;
        QTest::newRow("discard") << static_cast<int>(QMessageBox::Discard) << true << false;
        QTest::newRow("cancel") << static_cast<int>(QMessageBox::Cancel) << false << false;
    }
    void unsavedChangesAreAskedAbout()
    {
        QFETCH(int, answer);
        QFETCH(bool, closes);
        QFETCH(bool, saves);
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false });
        QVERIFY(window.openFile(m_file));
        window.show();
        QTest::keyClick(window.findChild<MeshView*>()->row(0)->slider(), Qt::Key_Right);
        bool asked = false;
        QTimer::singleShot(0, &window, [&asked, answer] {
            auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
            if (!box)
                return;
            asked = true;
            box->button(static_cast<QMessageBox::StandardButton>(answer))->click();
        });
        QCOMPARE(window.close(), closes);
        QVERIFY(asked);
        QCOMPARE(contentOf(m_file) != smallExperiment(), saves);
    }

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

    void whatCannotRunSaysWhy()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false });
        QVERIFY(window.openFile(m_file));
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        Document* document = window.document();
        document->waitForAnalysis();
        auto* button = window.findChild<QPushButton*>(QStringLiteral("runStepButton"));
        const auto enabled = [&window, button] {
            const bool step = window.action(QStringLiteral("runStep"))->isEnabled();
            return button->isEnabled() == step && window.action(QStringLiteral("runTimeit"))->isEnabled() == step
                    && window.action(QStringLiteral("runContinuously"))->isEnabled() == step
                ? int(step)
                : -1;
        };
        QCOMPARE(enabled(), 1);
        QVERIFY(!button->toolTip().contains(QStringLiteral("No step can run")));
        document->edit(withDimension(*document->experiment(), "batch", 7), QStringLiteral("batch"));
        document->waitForAnalysis();
        QCOMPARE(enabled(), 0);
        for (const QString& tip : { button->toolTip(), window.action(QStringLiteral("runTimeit"))->toolTip(),
                 window.action(QStringLiteral("runContinuously"))->toolTip() })
            QVERIFY2(tip.contains(QStringLiteral("No step can run")) && tip.contains(QStringLiteral("batch")),
                qPrintable(tip));
        QVERIFY(!button->accessibleDescription().isEmpty());
        const auto* more = window.findChild<QToolButton*>(QStringLiteral("runMenu"));
        QVERIFY(!more->isEnabled());
        QVERIFY2(more->toolTip().contains(QStringLiteral("batch")), qPrintable(more->toolTip()));
        QTest::keyClick(&window, Qt::Key_F5);
        QCOMPARE(window.runController()->state(), RunController::State::Idle);
        document->undoStack()->undo();
        document->waitForAnalysis();
        QCOMPARE(enabled(), 1);
        QVERIFY(more->isEnabled());
        QTest::keyClick(&window, Qt::Key_F5);
        QTRY_COMPARE(window.runController()->stepsDone(), 1);
    }

    /// Where there is no step, no place is kept for its times; with the next one that has a step they are back.
    void theTimelineIsThatOfAStep()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false, .tips = false });
        window.resize(1600, 1000);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        const DockFrame* timeline = window.dock(QStringLiteral("timeline"));
        const auto open = [&](const char* example, Perspective perspective) {
            window.openExample(QLatin1String(example));
            window.document()->waitForAnalysis();
            window.setPerspective(perspective);
        };
        open("maxtext-llama3-8b", Perspective::Plan);
        QTRY_VERIFY(timeline->isHidden());
        open("maxtext-llama3-8b", Perspective::Debug);
        QTRY_VERIFY(timeline->isHidden());
        open("flax-mlp-logical", Perspective::Debug);
        QTRY_VERIFY(timeline->isInFront());
        open("flax-mlp-logical", Perspective::Plan);
        QTRY_VERIFY(timeline->isInFront());
        // Also where a view had the window for itself meanwhile.
        window.maximise(window.dock(QStringLiteral("layout")));
        window.document()->setExperiment(test::example("maxtext-llama3-8b"), {});
        window.document()->waitForAnalysis();
        window.maximise(nullptr);
        QTRY_VERIFY(timeline->isHidden());
        open("flax-mlp-logical", Perspective::Plan);
        QTRY_VERIFY(timeline->isInFront());
        // Who closed it does not get it back by that.
        window.dock(QStringLiteral("timeline"))->close();
        open("maxtext-llama3-8b", Perspective::Plan);
        open("flax-mlp-logical", Perspective::Plan);
        QTRY_VERIFY(!window.document()->isStale());
        QVERIFY(timeline->isHidden());
        // Asked for, it says why it has nothing to show.
        open("maxtext-llama3-8b", Perspective::Plan);
        QVERIFY(window.present(QStringLiteral("timing")));
        QTRY_VERIFY(timeline->isInFront());
    }

    /// What XLA has partitioned and nobody can run has nothing over time; what it sends is shown.
    void compiledProgramsWithoutAPlanHaveNoTimeline()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false, .tips = false });
        window.resize(1600, 1000);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        ProgramModel compiled;
        compiled.text = std::make_shared<const std::string>(R"(HloModule jit_f, is_scheduled=true, num_partitions=4

%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %s = f32[] add(%a, %b)
}

ENTRY %main_spmd (p: f32[2,8]) -> f32[2,8] {
  %p = f32[2,8]{1,0} parameter(0)
  %c = f32[2,8]{1,0} custom-call(%p, %p), custom_call_target="my_kernel"
  ROOT %y = f32[2,8]{1,0} all-reduce(%c), channel_id=1, replica_groups=[1,4]<=[4], to_apply=%add
}
)");
        window.document()->setExperiment(*experimentOf(std::move(compiled), "compiled"), {});
        window.document()->waitForAnalysis();
        QVERIFY(window.document()->snapshot()->notPlanned);
        window.setPerspective(Perspective::Debug);
        const DockFrame* timeline = window.dock(QStringLiteral("timeline"));
        QTRY_VERIFY(timeline->isHidden());
        QTRY_VERIFY(window.findChild<CollectivesView*>()->isVisible());
        // Asked for, it says why, and nothing of memory that nobody knows.
        QVERIFY(window.present(QStringLiteral("memorytime")));
        QTRY_VERIFY(timeline->isInFront());
        window.document()->setExperiment(test::example("flax-mlp-logical"), {});
        window.document()->waitForAnalysis();
        window.setPerspective(Perspective::Plan);
        QTRY_VERIFY(timeline->isInFront());
    }

    /// Arrays with rules have no program and send nothing: what has something to show is in front.
    void arraysWithRulesLeaveNoViewEmpty()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false, .tips = false });
        window.resize(1280, 800);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        window.openExample(QStringLiteral("maxtext-llama3-8b"));
        window.document()->waitForAnalysis();
        QTRY_VERIFY(window.isSettled());
        window.setPerspective(Perspective::Program);
        QTRY_VERIFY(window.dock(QStringLiteral("layout"))->isInFront());
        window.setPerspective(Perspective::Debug);
        QTRY_VERIFY(window.findChild<ExplainView*>()->isVisible());
        window.action(QStringLiteral("perspective-program"))->trigger();
        QTest::qWait(50);
        QVERIFY(window.dock(QStringLiteral("layout"))->isInFront());
        // What is opened next counts, before it has been analysed; and the keyboard is in one of its views.
        QTRY_VERIFY(window.dock(QStringLiteral("layout"))->isAncestorOf(QApplication::focusWidget()));
        window.openExample(QStringLiteral("transformer-experts"));
        QCOMPARE(window.perspective(), Perspective::Debug);
        window.document()->waitForAnalysis();
        QTRY_VERIFY(window.findChild<CollectivesView*>()->isVisible());
        QVERIFY(window.dock(QStringLiteral("inspector"))->isAncestorOf(QApplication::focusWidget()));
        window.openExample(QStringLiteral("flax-mlp-logical"));
        window.document()->waitForAnalysis();
        QTRY_VERIFY(window.isSettled());
        window.setPerspective(Perspective::Debug);
        QTRY_VERIFY(window.findChild<CollectivesView*>()->isVisible());
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

    /// One button runs a step and stops what runs; how often a benchmark measures is no edit of the experiment.
    void waysToRun()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false });
        QVERIFY(window.openFile(m_file));
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        window.document()->waitForAnalysis();
        auto* button = window.findChild<QPushButton*>(QStringLiteral("runStepButton"));
        auto* menu = window.findChild<QToolButton*>(QStringLiteral("runMenu"));
        QVERIFY(button && menu && menu->menu());
        for (const char* name : { "runStep", "runContinuously", "runTimeit", "resetRun" })
            QVERIFY(menu->menu()->actions().contains(window.action(QLatin1String(name))));
        auto* runs = window.findChild<QSpinBox*>(QStringLiteral("runs"));
        runs->setValue(3);
        QVERIFY(!window.isWindowModified());
        QCOMPARE(window.document()->undoStack()->count(), 0);
        window.action(QStringLiteral("runTimeit"))->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(window.runController()->state(), RunController::State::Idle, 30000);
        QVERIFY(window.runController()->lastTimeit());
        QCOMPARE(window.runController()->lastTimeit()->perLoop.size(), std::size_t{ 3 });
        QCOMPARE(button->text(), QStringLiteral("Run step"));
        window.action(QStringLiteral("runContinuously"))->trigger();
        QTRY_COMPARE(button->text(), QStringLiteral("Stop"));
        QVERIFY(button->isEnabled());
        button->click();
        QTRY_COMPARE_WITH_TIMEOUT(window.runController()->state(), RunController::State::Idle, 30000);
        QCOMPARE(button->text(), QStringLiteral("Run step"));
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
        window.document()->setExperiment(withFindings(), {});
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
        window.document()->setExperiment(withFindings(), {});
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
        Experiment broken = withFindings();
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
            Experiment broken = withFindings();
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

    void themeSwitchesLive()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false });
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        window.document()->waitForAnalysis();
        const auto corner = [&window] {
            return window.findChild<ShardGridView*>()->canvas()->grab().toImage().pixelColor(1, 1).name();
        };
        QCOMPARE(corner(), Theme::light().base.name());
        window.action(QStringLiteral("themeDark"))->trigger();
        QCoreApplication::processEvents();
        QCOMPARE(corner(), Theme::darkTheme().base.name());
        window.action(QStringLiteral("themeLight"))->trigger();
        QCOMPARE(corner(), Theme::light().base.name());
    }

    void settingsOutliveTheWindow()
    {
        Appearance appearance(ThemeChoice::Light);
        {
            MainWindow window(&appearance, { .remember = true });
            QVERIFY(window.openFile(m_file));
            window.show();
            window.dock(QStringLiteral("timeline"))->hide();
            window.action(QStringLiteral("perspective-learn"))->trigger();
            window.action(QStringLiteral("themeDark"))->trigger();
            QVERIFY(window.close());
        }
        QCOMPARE(Settings().theme(), ThemeChoice::Dark);
        QCOMPARE(Settings().recentFiles(), QStringList{ m_file });
        MainWindow again(&appearance, { .remember = true });
        again.show();
        QVERIFY(!again.dock(QStringLiteral("timeline"))->isVisible());
        again.action(QStringLiteral("resetLayout"))->trigger();
        QVERIFY(again.dock(QStringLiteral("timeline"))->isVisible());
        // A file comes up in the perspective in which it was left.
        QCOMPARE(again.perspective(), Perspective::Plan);
        QVERIFY(again.openFile(m_file));
        QCOMPARE(again.perspective(), Perspective::Learn);
    }

    void everyControlHasAName()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false });
        window.show();
        window.document()->waitForAnalysis();
        QCoreApplication::processEvents();
        for (const QWidget* widget : window.findChildren<QWidget*>()) {
            if (!widget->isVisible() || widget->focusPolicy() == Qt::NoFocus)
                continue;
            const bool inside = qobject_cast<const QAbstractScrollArea*>(widget->parentWidget()) != nullptr;
            const QVariant text = widget->property("text");
            const bool named = !widget->accessibleName().isEmpty() || !text.toString().isEmpty() || inside
                || qobject_cast<const QAbstractSpinBox*>(widget->parentWidget())
                || qobject_cast<const QMenuBar*>(widget)
                || (qobject_cast<const QAbstractScrollArea*>(widget) && widget->focusProxy());
            QVERIFY2(named,
                qPrintable(
                    QStringLiteral("%1 in %2")
                        .arg(QLatin1String(widget->metaObject()->className()),
                            widget->parentWidget() ? QLatin1String(widget->parentWidget()->metaObject()->className())
                                                   : QLatin1String("-"))));
        }
    }

    void hugeArraysAreShown_data()
    {
        QTest::addColumn<qint64>("rows"); // of each array, of 2^31 bytes; 0: the network
        QTest::addColumn<bool>("shown");
        QTest::newRow("three of 2^62 bytes") << (qint64{ 1 } << 31) << false; // more than 2^62 bytes in all
        QTest::newRow("three of 2^60 bytes") << (qint64{ 1 } << 29) << true;
        QTest::newRow("batch of 4e9") << qint64{ 0 } << true;
    }
    void hugeArraysAreShown()
    {
        QFETCH(qint64, rows);
        QFETCH(bool, shown);
        Experiment experiment = builtinExamples().front().make();
        if (rows > 0) {
            ArraysModel model;
            for (const char* name : { "a", "<b>b</b>", "c" }) {
                const LogicalNames names{ LogicalName::of("rows"), LogicalName::of("<i>columns") };
                model.arrays.push_back({ name, names, { rows, std::int64_t{ 1 } << 31 }, DType::I8 });
            }
            experiment.model = model;
            experiment.title = "<h1>huge</h1>";
        } else {
            std::get<MlpModel>(experiment.model).settings.batch = 4'000'000'000;
        }
        experiment.run.runs = 1'000'000;
        experiment.run.loops = 1'000'000'000;
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false });
        window.document()->setExperiment(experiment, {});
        window.resize(1024, 640);
        window.show();
        window.document()->waitForAnalysis();
        const SnapshotPtr snapshot = window.document()->snapshot();
        QVERIFY(snapshot);
        QCOMPARE(!snapshot->tensors.empty(), shown);
        QVERIFY(shown || !snapshot->problems.empty());
        const TensorTree tree = TensorTree::build(*snapshot, {});
        for (const TensorNode& node : tree.nodes) {
            QVERIFY(node.bytes >= 0);
            for (const int child : node.children)
                QVERIFY(node.bytes >= tree.nodes[static_cast<std::size_t>(child)].bytes);
        }
        for (const MainWindow::Part& part : window.parts()) {
            QVERIFY(window.present(part.id));
            QCoreApplication::processEvents();
            QVERIFY2(window.shows(part.id), qPrintable(part.id));
            QVERIFY(!part.frame->grab().isNull());
        }
        for (const TensorRow& row : snapshot->tensors) {
            window.selection()->setTensor(QString::fromStdString(row.path));
            QVERIFY(!window.grab().isNull());
        }
        // The file's numbers stand in the tool bar as they are.
        QCOMPARE(window.findChild<QSpinBox*>(QStringLiteral("runs"))->value(), 1'000'000);
        QCOMPARE(window.findChild<QSpinBox*>(QStringLiteral("loops"))->value(), 1'000'000'000);
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
                    QVERIFY2(bar->tabRect(tab).width()
                            >= bold(bar->tabText(tab)) + bar->style()->pixelMetric(QStyle::PM_TabBarTabHSpace),
                        qPrintable(bar->tabText(tab)));
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
        QVERIFY(matrix->traceLayout().verdict(0).width() > bold(QStringLiteral("Not concerned")));
        QTest::mouseClick(
            trace->parentWidget()->findChild<QToolButton*>(QStringLiteral("closeSection")), Qt::LeftButton);
        QVERIFY(!trace->isVisible());
        QTRY_COMPARE(window.part(QStringLiteral("tensors"))->height(), full);
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

    /// In the list of steps the keys of the player under the graph hold, too.
    void theListOfStepsHasTheKeysOfThePlayer()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false, .tips = false });
        window.resize(1600, 1000);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        window.document()->waitForAnalysis();
        window.setPerspective(Perspective::Program);
        QVERIFY(window.present(QStringLiteral("propagation")));
        QWidget* list = window.part(QStringLiteral("propagation"));
        const StepPlayer* player = window.findChild<ProgramView*>()->player()->player();
        QTRY_VERIFY(list->isVisible() && player->isVisible());
        QTest::keyClick(list, Qt::Key_Home);
        QCOMPARE(window.selection()->step(), 0);
        QTest::keyClick(list, Qt::Key_End);
        QCOMPARE(window.selection()->step(), player->count());
        QTest::keyClick(list, Qt::Key_Space);
        QVERIFY(player->isPlaying());
        QTest::keyClick(list, Qt::Key_Space);
        QVERIFY(!player->isPlaying());
    }

    /// From wherever one is, what is open becomes A.
    void whatIsOpenIsPinnedFromTheToolBar()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false, .tips = false });
        window.resize(1280, 800);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        window.document()->waitForAnalysis();
        QVERIFY(!window.findChild<CompareView*>()->pinned());
        window.action(QStringLiteral("pinA"))->trigger();
        QTRY_VERIFY(window.findChild<CompareView*>()->pinned());
        QVERIFY(!window.shows(QStringLiteral("compare")));
        const auto buttons = window.findChildren<QToolButton*>();
        QVERIFY(std::any_of(buttons.begin(), buttons.end(), [&](const QToolButton* button) {
            return button->isVisible() && button->defaultAction() == window.action(QStringLiteral("pinA"));
        }));
    }

    void statusTellsTheFigures()
    {
        Document document;
        document.setExperiment(withFindings(), {});
        document.waitForAnalysis();
        const StatusText text = statusText(document);
        QCOMPARE(text.solved, QString()); // said where it is not
        QCOMPARE(text.devices, QStringLiteral("8 devices"));
        QVERIFY2(text.sent.contains(QStringLiteral("8.16 MiB")), qPrintable(text.sent));
        QVERIFY(text.operations.contains(QStringLiteral("collectives")));
        QCOMPARE(text.problems, QStringLiteral("2 warnings"));
        // Messages about what could not be done count as well.
        const Diagnostic message{ Code::Unreadable, {}, {} };
        QCOMPARE(statusText(document, std::span(&message, 1)).problems, QStringLiteral("1 error, 2 warnings"));
        document.edit(withAxisSize(*document.experiment(), 0, 4, false), QStringLiteral("data 2 → 4"));
        document.waitForAnalysis();
        QCOMPARE(statusText(document).solved, QStringLiteral("Not solved"));
        QCOMPARE(statusText(document).errors, 1);
    }

    void theWindowIsSettledWhenAllIsThere()
    {
        // Deep enough for the what-ifs to take longer than what comes before them.
        Experiment experiment = builtinExamples().front().make();
        auto& settings = std::get<MlpModel>(experiment.model).settings;
        settings.layers = 40;
        settings.embed = settings.hidden = 64;
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false });
        window.document()->setExperiment(std::move(experiment), {});
        QVERIFY(!window.isSettled());
        window.show();
        window.document()->waitForAnalysis();
        // How long the what-ifs take is no business of this test: settled means that they are there.
        QVERIFY(!window.isSettled() || !window.findChild<ExplainView*>()->whatIfs().empty());
        QTRY_VERIFY_WITH_TIMEOUT(window.isSettled(), 120'000);
        QVERIFY(!window.findChild<ExplainView*>()->whatIfs().empty());
        window.runController()->runStep();
        QVERIFY(!window.isSettled());
        QTRY_VERIFY_WITH_TIMEOUT(window.isSettled(), 120'000);
        QCOMPARE(window.runController()->stepsDone(), 1);
    }

    void picturesOfTheWindow()
    {
        const QString png = m_folder.filePath(QStringLiteral("window.png"));
        QVERIFY(writeScreenshot(m_file, png,
            { .dark = true,
                .size = { 1024, 640 },
                .tensor = {},
                .dock = {},
                .axis = {},
                .scale = 1,
                .steps = 2,
                .operations = {} }));
        const QImage image(png);
        QCOMPARE(image.size(), QSize(1024, 640));
        QVERIFY(image.pixelColor(2, 2).lightness() < 60);
        const auto unknown = writeScreenshot(m_file, png,
            { .dark = false,
                .size = { 800, 600 },
                .tensor = QStringLiteral("params/none"),
                .dock = {},
                .axis = {},
                .scale = 1,
                .steps = 0,
                .operations = {} });
        QVERIFY(!unknown);
        QCOMPARE(unknown.error().code, Code::UnknownTensor);
        ScreenshotOptions quick;
        quick.steps = 0;
        // As many steps as are asked for; without a wish no step begins after the time there is, save the first.
        quick.steps = 3;
        QCOMPARE(writeScreenshot(m_file, png, quick)->done, 3);
        quick.steps.reset();
        quick.patience = 0;
        const auto hurried = writeScreenshot(m_file, png, quick);
        QVERIFY(hurried && hurried->wanted == 8 && hurried->done >= 1);
        quick.steps = 0;
        QVERIFY(writeScreenshot(m_file, png, quick));
        const QImage asItOpens(png);
        quick.perspective = QStringLiteral("compare");
        QVERIFY(writeScreenshot(m_file, png, quick));
        QVERIFY(QImage(png) != asItOpens);
        const auto unwritable = writeScreenshot(m_file, m_folder.filePath(QStringLiteral("no/folder/a.png")), quick);
        QVERIFY(!unwritable);
        QCOMPARE(unwritable.error().code, Code::Unwritable);
    }
};

REGISTER_TEST(TestMainWindow)
#include "test_main_window.moc"
