// SPDX-License-Identifier: GPL-3.0-or-later
// The real window, driven as a person would: edits by keyboard and mouse, a step run, everything undone, and the saved
// file equal to the original byte for byte. Also files, keys, settings and pictures.
#include <QDialogButtonBox>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFile>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBrowser>
#include <QTimer>
#include <QToolButton>
#include <QUrl>

#include "base/codes.h"
#include "experiment/builtin.h"
#include "experiment/edits.h"
#include "registered_test.h"
#include "views/compare_view/compare_view.h"
#include "views/explain_view/explain_view.h"
#include "views/help_window/help_window.h"
#include "views/main_window/application.h"
#include "views/main_window/main_window.h"
#include "views/main_window/own_keys.h"
#include "views/main_window/settings.h"
#include "views/main_window/status_message.h"
#include "views/mesh_view/axis_row.h"
#include "views/mesh_view/mesh_view.h"
#include "views/panel_fixture.h"
#include "views/problems_view/problem_row.h"
#include "views/problems_view/problems_view.h"
#include "views/rules_view/rules_model.h"
#include "views/rules_view/rules_table.h"
#include "views/rules_view/rules_view.h"
#include "views/shard_grid_view/shard_grid_view.h"
#include "views/theme/theme.h"
#include "views/widgets/dock_frame.h"
#include "views/widgets/size_slider.h"
#include "views/window_fixture.h"

using namespace shardscope;
using namespace Qt::StringLiterals;
using test::contentOf;

class TestMainWindow : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QString m_file;

private Q_SLOTS:
    void initTestCase() { test::clearSettings(); }
    void cleanupTestCase() { test::clearSettings(); }
    void init()
    {
        test::failOnWarnings();
        m_file = test::writeSmallExperiment(m_folder);
        QVERIFY(!m_file.isEmpty());
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
        QCOMPARE(contentOf(m_file), test::smallExperiment());
    }

    /// What reading warns about is one row.
    void warningsOfReadingAreToldOnce()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("odd.json"));
        QByteArray odd = test::smallExperiment();
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
        QCOMPARE(contentOf(m_file) != test::smallExperiment(), saves);
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
        document.setExperiment(test::withFindings(), {});
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
