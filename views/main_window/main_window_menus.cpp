// SPDX-License-Identifier: GPL-3.0-or-later
// Actions and menus of the main window.
// Declared in main_window.h.
#include <QActionGroup>
#include <QCoreApplication>
#include <QDialog>
#include <QFileInfo>
#include <QKeyEvent>
#include <QMenuBar>
#include <QPointer>
#include <QPushButton>
#include <QSpinBox>
#include <QTimer>
#include <QToolButton>
#include <QUndoView>
#include <QWidgetAction>
#include <algorithm>
#include <array>
#include <utility>

#include "experiment/edits.h"
#include "views/compare_view/compare_view.h"
#include "views/help_window/help_window.h"
#include "views/main_window/main_window.h"
#include "views/main_window/own_keys.h"
#include "views/main_window/selection_trail.h"
#include "views/main_window/status_message.h"
#include "views/main_window/tips.h"
#include "views/rules_view/rules_menu.h"
#include "views/rules_view/rules_view.h"
#include "views/theme/icons.h"
#include "views/theme/theme.h"
#include "views/widgets/boxes.h"
#include "views/widgets/dock_frame.h"
#include "views/widgets/plain_tip.h"
#include "words/dialects.h"

namespace shardscope {
namespace {
/// Of somebody's choice: "R&D" has no key.
QString inMenu(QString name)
{
    return name.replace(u'&', QStringLiteral("&&"));
}

} // namespace

QAction* MainWindow::addAction(QAnyStringView name, QAnyStringView icon, const QString& text,
    const QKeySequence& shortcut, const std::function<void()>& run)
{
    auto* action = new QAction(text, this);
    action->setObjectName(name);
    if (!icon.isEmpty())
        action->setIcon(shardscope::icon(icon.toString()));
    action->setShortcut(shortcut);
    QString tip = text;
    tip.remove(QLatin1Char('&')).remove(QStringLiteral("…"));
    if (!shortcut.isEmpty())
        tip += QStringLiteral(" (%1)").arg(shortcut.toString(QKeySequence::NativeText));
    action->setToolTip(tip);
    connect(action, &QAction::triggered, this, [run] { run(); });
    QMainWindow::addAction(action);
    return action;
}

void MainWindow::makeActions()
{
    using Key = QKeySequence;
    addAction("new", "new", tr("&New…"), Key::New, [this] { newExperiment(); });
    addAction("open", "open", tr("&Open…"), Key::Open, [this] { askToOpen(); });
    addAction(
        "examples", "examples", tr("S&tart page"), Key(Qt::CTRL | Qt::SHIFT | Qt::Key_O), [this] { showStartPage(); });
    addAction("save", "save", tr("&Save"), Key::Save, [this] { save(); });
    addAction("saveAs", {}, tr("Save &As…"), Key(Qt::CTRL | Qt::SHIFT | Qt::Key_S), [this] { askToSaveAs(); });
    addAction("importTable", {}, tr("&Table of arrays…"), {}, [this] { askForTable(); });
    addAction("importRules", {}, tr("&Rules…"), {},
        [this] { m_rules->menu()->findChild<QAction*>(QStringLiteral("importRules"))->trigger(); });
    addAction("tableHelp", {}, tr("&How to make a table of your model…"), {}, [this] { showTableHelp(); });
    addAction("quit", {}, tr("&Quit"), Key(Qt::CTRL | Qt::Key_Q), [this] { close(); });

    QUndoStack* stack = m_document.undoStack();
    QAction* undo = addAction("undo", "undo", tr("&Undo"), Key::Undo, [stack] { stack->undo(); });
    QAction* redo = addAction("redo", "redo", tr("&Redo"), Key::Redo, [stack] { stack->redo(); });
    redo->setShortcuts(
        { Key(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), Key(Qt::CTRL | Qt::Key_Y) }); // both are in people's fingers
    const auto follow = [stack, undo, redo] {
        undo->setEnabled(stack->canUndo());
        redo->setEnabled(stack->canRedo());
        undo->setText(stack->undoText().isEmpty() ? tr("&Undo") : tr("&Undo %1").arg(inMenu(stack->undoText())));
        redo->setText(stack->redoText().isEmpty() ? tr("&Redo") : tr("&Redo %1").arg(inMenu(stack->redoText())));
    };
    connect(stack, &QUndoStack::indexChanged, this, follow);
    connect(stack, &QUndoStack::cleanChanged, this, follow);
    follow();

    addAction("history", {}, tr("&History…"), {}, [this, stack] {
        if (!m_history) {
            m_history = new QDialog(this);
            m_history->setWindowTitle(tr("History"));
            m_history->setObjectName(QStringLiteral("historyWindow"));
            auto* list = new QUndoView(stack, m_history);
            list->setAccessibleName(tr("Edits, the newest one last"));
            list->setEmptyLabel(tr("As it was opened"));
            list->setCleanIcon(shardscope::icon(QStringLiteral("save")));
            auto* close = new QPushButton(tr("Close"), m_history);
            connect(close, &QPushButton::clicked, m_history, &QDialog::close);
            vbox(m_history, { 12, 12, 12, 12 }, 8, { { list, 1 }, hbox({}, styleSpacing, { boxStretch(), close }) });
            m_history->resize(Metrics::scaled(320), Metrics::scaled(360));
        }
        m_history->show();
        m_history->raise();
        m_history->activateWindow();
    });

    addAction("runStep", "run", tr("Run &step"), Key(Qt::Key_F5), [this] { m_run.runStep(); });
    addAction("runTimeit", "timeit", tr("&Benchmark"), Key(Qt::SHIFT | Qt::Key_F5),
        [this] { m_run.runTimeit(m_runs->value(), m_loops->value()); });
    addAction("runContinuously", "continuous", tr("Run until stopped"), Key(Qt::CTRL | Qt::Key_F5), [this] {
        // A step that is still going ends first; it is no run that could be stopped.
        if (m_run.state() == RunController::State::Idle || m_run.state() == RunController::State::Stepping)
            m_run.runContinuously();
        else
            m_run.stop();
        showRun();
    })->setCheckable(true);
    addAction("resetRun", "reset", tr("Back to step &0"), {}, [this] { m_run.reset(); });
    action("resetRun")->setToolTip(tr("Back to step 0: what the devices hold goes back to its initial values"));

    // Beside what was selected before, Esc leads from a shard to its dimension, and on to the array.
    addAction("selectBefore", {}, tr("&Back to what was selected before"), Key(Qt::ALT | Qt::Key_Left),
        [this] { m_trail->goBack(); });
    QAction* pin = addAction("pinA", "pin", tr("Pin &A"), Key(Qt::CTRL | Qt::SHIFT | Qt::Key_A), [this] {
        m_compare->pin();
        say(m_document.isStale() ? tr("What is open now becomes A as soon as it is analysed.")
                                 : tr("What is open now is A. Compare shows what differs from it."));
    });
    pin->setIconText(tr("Pin A"));
    pin->setToolTip(tr("What is open now becomes A, with which Compare compares what follows (%1)")
                        .arg(pin->shortcut().toString(QKeySequence::NativeText)));

    addAction("nextDock", {}, tr("Next view"), Key(Qt::Key_F6), [this] { focusNextDock(1); });
    addAction("previousDock", {}, tr("Previous view"), Key(Qt::SHIFT | Qt::Key_F6), [this] { focusNextDock(-1); });
    const auto inUse = [this] {
        DockFrame* dock = dockInUse();
        if (!dock)
            say(tr("No view is in use: click into one, or press %1.")
                    .arg(action("nextDock")->shortcut().toString(QKeySequence::NativeText)));
        return dock;
    };
    // Buttons and menus of titles and tabs do the same.
    addAction("floatDock", {}, tr("&Float or put back the view in use"), DockFrame::floatKeys(), [this, inUse] {
        if (DockFrame* dock = inUse(); dock && !sayWhyItStays(dock))
            dock->toggleFloating();
    });
    addAction(
        "maximiseDock", {}, tr("&Maximise or put back the view in use"), DockFrame::maximiseKeys(), [this, inUse] {
            if (m_maximised)
                maximise(nullptr);
            else if (DockFrame* dock = inUse(); dock && !sayWhyItStays(dock))
                maximise(dock);
        });
    addAction("closeDock", {}, tr("&Close the view in use"), DockFrame::closeKeys(), [inUse] {
        if (DockFrame* dock = inUse())
            dock->close();
    });
    addAction("resetLayout", {}, tr("&Reset layout"), {}, [this] { resetArrangement(); });
    addAction("showTips", {}, tr("Show the &tips again"), {}, [this] {
        if (m_watchingTips)
            m_watchingTips->restart();
    });
    addAction("findAnything", "search", tr("&Find anything…"), Key(Qt::CTRL | Qt::Key_K), [this] { findAnything(); });
    addAction("help", {}, tr("Help on the &view in use"), Key::HelpContents, [this] {
        // The part that has the focus, the innermost one.
        const Part* used = nullptr;
        for (const Part& part : m_parts)
            if (const QWidget* focus = focusWidget(); focus && part.widget
                && (part.widget == focus || part.widget->isAncestorOf(focus))
                && (!used || used->widget->isAncestorOf(part.widget)))
                used = &part;
        const DockFrame* dock = dockInUse();
        helpWindow()->showGuide(used ? used->name : dock ? dock->name() : QString());
    });
    addAction("keys", {}, tr("&Keys"), Key(Qt::Key_Question), [this] {
        helpWindow()->showKeys(findChildren<QAction*>(QString(), Qt::FindDirectChildrenOnly), m_ownKeys->commands());
    });
    addAction("about", {}, tr("&About Shardscope"), {}, [this] { showAbout(); });
}

void MainWindow::fill(QWidget* bar, std::initializer_list<const char*> names)
{
    for (const char* name : names) {
        auto* line = *name ? action(name) : new QAction(bar);
        line->setSeparator(!*name);
        bar->addAction(line);
    }
}

HelpWindow* MainWindow::helpWindow()
{
    if (!m_help) {
        m_help = new HelpWindow(this);
        connect(m_help, &HelpWindow::keyRequested, this, [this](const QString& name) { m_ownKeys->ask(action(name)); });
        connect(m_ownKeys, &OwnKeys::changed, m_help, [this] {
            if (m_help->isVisible())
                action("keys")->trigger();
            showStatus();
        });
    }
    return m_help;
}

void MainWindow::makeMenus()
{
    QMenu* file = menuBar()->addMenu(tr("&File"));
    fill(file, { "new", "open" });
    m_recentMenu = file->addMenu(tr("Open &Recent"));
    connect(m_recentMenu, &QMenu::aboutToShow, this, &MainWindow::fillRecentMenu);
    fill(file, { "", "save", "saveAs", "", "examples" });
    fill(file->addMenu(tr("&Import")), { "importTable", "importRules", "", "tableHelp" });
    fillExportMenu(file->addMenu(tr("&Export")));
    fill(file, { "", "quit" });

    QMenu* edit = menuBar()->addMenu(tr("&Edit"));
    fill(edit, { "undo", "redo", "history", "" });
    // The control that has the focus does it; its key is shown and stays its own.
    const auto byKey = [this, edit](const QString& name, const QString& text, Qt::Key key) {
        QAction* action =
            edit->addAction(text + QLatin1Char('\t') + QKeySequence(key).toString(QKeySequence::NativeText));
        action->setObjectName(name);
        connect(action, &QAction::triggered, this, [this, key] {
            QTimer::singleShot(0, this, [this, key] { // the menu gives the focus back first
                const QPointer<QWidget> control = focusWidget(); // what is pressed may take it away
                for (const auto type : { QEvent::KeyPress, QEvent::KeyRelease })
                    if (control) {
                        QKeyEvent event(type, key, Qt::NoModifier);
                        QCoreApplication::sendEvent(control, &event);
                    }
            });
        });
    };
    byKey(QStringLiteral("renameCurrent"), tr("Re&name or edit"), Qt::Key_F2);
    byKey(QStringLiteral("deleteCurrent"), tr("&Delete"), Qt::Key_Delete);
    fill(edit, { "", "findAnything", "selectBefore" });

    makePerspectives();
    QMenu* view = menuBar()->addMenu(tr("&View"));
    for (DockFrame* dock : m_docks)
        view->addAction(dock->toggleViewAction());
    QMenu* parts = view->addMenu(tr("&Go to"));
    const DockFrame* last = nullptr;
    for (const Part& part : m_parts) {
        if (std::exchange(last, part.frame) != part.frame && !parts->isEmpty())
            parts->addSeparator();
        const QString id = part.id;
        QAction* go = addAction(QStringLiteral("go-") + id, part.icon, part.name, {}, [this, id] { present(id); });
        go->setToolTip(tr("Show %1").arg(part.name));
        parts->addAction(go);
    }
    view->addSeparator();
    for (QAction* perspective : m_perspectiveMenu->menu()->actions())
        view->addAction(perspective);
    fill(view, { "", "nextDock", "previousDock", "maximiseDock", "floatDock", "closeDock", "resetLayout", "" });
    QMenu* themes = view->addMenu(tr("&Theme"));
    auto* group = new QActionGroup(this);
    const auto theme = [&](const char* name, const QString& text, ThemeChoice choice) {
        QAction* action = addAction(name, {}, text, {}, [this, choice] {
            m_appearance->setChoice(choice);
            m_settings.setTheme(choice);
        });
        action->setCheckable(true);
        action->setChecked(m_appearance->choice() == choice);
        group->addAction(action);
        themes->addAction(action);
    };
    theme("themeSystem", tr("As the &system"), ThemeChoice::System);
    theme("themeLight", tr("&Light"), ThemeChoice::Light);
    theme("themeDark", tr("&Dark"), ThemeChoice::Dark);

    QMenu* experiment = menuBar()->addMenu(tr("E&xperiment"));
    QAction* bound = experiment->addAction(tr("&Bind rules when the model is traced"));
    bound->setObjectName(QStringLiteral("bindRules"));
    bound->setCheckable(true);
    connect(bound, &QAction::triggered, this, [this](bool on) {
        m_document.edit(withRulesBound(*m_document.experiment(), on), on ? tr("bind rules") : tr("do not bind rules"));
    });
    // One of several, which is ticked while the menu is open.
    const auto choice = [this](QActionGroup* of, QMenu* menu, const QString& text, const std::function<void()>& run) {
        QAction* action = of->addAction(menu->addAction(text, this, run));
        action->setCheckable(true);
        return action;
    };
    QMenu* meshes = experiment->addMenu(tr("Mesh of &logical constraints"));
    meshes->setObjectName(QStringLiteral("constraintMesh"));
    auto* ofMeshes = new QActionGroup(meshes);
    for (const auto mesh : { ConstraintMesh::Context, ConstraintMesh::None, ConstraintMesh::Own })
        choice(ofMeshes, meshes, words::constraintMeshName(mesh), [this, mesh] {
            m_document.edit(withConstraintMesh(*m_document.experiment(), mesh), tr("mesh of logical constraints"));
        })->setData(static_cast<int>(mesh));
    experiment->addAction(tr("Make the hardware &fit the mesh"), this,
        [this] { m_document.edit(withDevicesForMesh(*m_document.experiment()), tr("devices for the mesh")); });
    QMenu* platforms = experiment->addMenu(tr("&Platform"));
    auto* ofPlatforms = new QActionGroup(platforms);
    for (const char* name : { "cpu", "gpu", "tpu" })
        choice(ofPlatforms, platforms, QLatin1String(name), [this, name] {
            m_document.edit(withPlatform(*m_document.experiment(), name), tr("platform %1").arg(QLatin1String(name)));
        });
    connect(experiment, &QMenu::aboutToShow, this, [this, bound, platforms, meshes] {
        const Experiment& now = *m_document.experiment();
        bound->setChecked(now.rules.boundWhenTraced);
        for (QAction* action : meshes->actions())
            action->setChecked(action->data().toInt() == static_cast<int>(now.rules.constraintMesh));
        for (QAction* action : platforms->actions())
            action->setChecked(action->text() == QString::fromStdString(now.hardware.devices.platform));
    });

    QMenu* run = menuBar()->addMenu(tr("&Run"));
    run->setToolTipsVisible(true); // why a step cannot run
    fill(run, { "runStep", "runTimeit", "runContinuously", "resetRun", "", "pinA" });
    fill(menuBar()->addMenu(tr("&Help")), { "help", "keys", "tableHelp", "showTips", "about" });
    m_ownKeys = new OwnKeys(&m_settings, this);
}

/// Before the menus: they show these.
void MainWindow::makePerspectives()
{
    m_perspectiveMenu = new QToolButton(this);
    m_perspectiveMenu->setObjectName(QStringLiteral("perspectiveMenu"));
    describe(m_perspectiveMenu, tr("Perspective"), tr("What the views are arranged for (Alt+1 to Alt+5)"));
    m_perspectiveMenu->setPopupMode(QToolButton::InstantPopup);
    m_perspectiveMenu->setMenu(new QMenu(m_perspectiveMenu));
    auto* group = new QActionGroup(this);
    const std::array names{ tr("&Learn"), tr("Pla&n"), tr("&Program"), tr("&Debug"), tr("C&ompare") };
    for (const Perspective perspective : perspectives) {
        if (!dock(QLatin1String(viewsOf(perspective).centre.front())))
            continue;
        const auto number = static_cast<int>(perspective);
        QAction* choose =
            addAction(QStringLiteral("perspective-") + idOf(perspective), {}, names[static_cast<std::size_t>(number)],
                QKeySequence(Qt::ALT | static_cast<Qt::Key>(Qt::Key_1 + number)), [this, perspective] {
                    setPerspective(perspective);
                    if (m_maximised) // the present one
                        maximise(nullptr);
                    frontView()->present();
                    m_settings.setPerspective(m_document.filePath(), idOf(m_perspective));
                });
        choose->setCheckable(true);
        group->addAction(choose);
        m_perspectiveMenu->menu()->addAction(choose);
    }
}

void MainWindow::fillRecentMenu()
{
    m_recentMenu->clear();
    const QStringList files = m_settings.recentFiles();
    for (const QString& path : files) {
        QAction* open = m_recentMenu->addAction(inMenu(QFileInfo(path).fileName()));
        open->setToolTip(plainTip(path));
        open->setEnabled(QFileInfo::exists(path));
        connect(open, &QAction::triggered, this, [this, path] {
            if (mayLeave())
                openFile(path);
        });
    }
    m_recentMenu->setToolTipsVisible(true);
    if (files.isEmpty())
        m_recentMenu->addAction(tr("No recent files"))->setEnabled(false);
    m_recentMenu->addSeparator();
    QAction* clear = m_recentMenu->addAction(tr("Clear"), this, [this] { m_settings.clearRecentFiles(); });
    clear->setEnabled(!files.isEmpty());
}

void MainWindow::say(const QString& text)
{
    m_message->say(text);
}

} // namespace shardscope
