// SPDX-License-Identifier: GPL-3.0-or-later
// Actions, menus, tool bar and status bar of the main window.
// Declared in main_window.h.
#include <QActionGroup>
#include <QApplication>
#include <QDialog>
#include <QFileInfo>
#include <QKeyEvent>
#include <QLabel>
#include <QMenuBar>
#include <QPainter>
#include <QPointer>
#include <QPushButton>
#include <QSpinBox>
#include <QStatusBar>
#include <QTimer>
#include <QToolBar>
#include <QToolButton>
#include <QUndoView>
#include <QWidgetAction>
#include <algorithm>
#include <array>
#include <utility>

#include "experiment/edits.h"
#include "experiment_file/file_words.h"
#include "views/compare_view/compare_view.h"
#include "views/help_window/help_window.h"
#include "views/main_window/main_window.h"
#include "views/main_window/own_keys.h"
#include "views/main_window/selection_trail.h"
#include "views/main_window/status_message.h"
#include "views/main_window/tips.h"
#include "views/mesh_view/mesh_view.h"
#include "views/model_view/model_form.h"
#include "views/model_view/model_view.h"
#include "views/panel/panel.h"
#include "views/preview/edit_plate.h"
#include "views/rules_view/rules_menu.h"
#include "views/rules_view/rules_view.h"
#include "views/theme/icons.h"
#include "views/theme/style.h"
#include "views/theme/theme.h"
#include "views/widgets/boxes.h"
#include "views/widgets/dock_frame.h"
#include "views/widgets/flat_button.h"
#include "views/widgets/plain_tip.h"
#include "views/widgets/segmented_bar.h"
#include "words/dialects.h"
#include "words/words.h"

namespace shardscope {
namespace {
/// Of somebody's choice: "R&D" has no key.
QString inMenu(QString name)
{
    return name.replace(u'&', QStringLiteral("&&"));
}

/// A figure of the status bar, with a thin line behind it.
class StatusLabel : public RoleLabel {
public:
    explicit StatusLabel(QWidget* parent)
        : RoleLabel(Size::Small, &Theme::secondary, parent)
    {
    }

protected:
    void paintEvent(QPaintEvent* event) override
    {
        RoleLabel::paintEvent(event);
        QPainter(this).fillRect(QRect(width() - 1, height() / 2 - 7, 1, 14), Theme::current().border);
    }
};

} // namespace

QAction* MainWindow::addAction(const QString& name, const QString& icon, const QString& text,
    const QKeySequence& shortcut, const std::function<void()>& run)
{
    auto* action = new QAction(text, this);
    action->setObjectName(name);
    if (!icon.isEmpty())
        action->setIcon(shardscope::icon(icon));
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
    addAction(QStringLiteral("new"), QStringLiteral("new"), tr("&New…"), Key::New, [this] { newExperiment(); });
    addAction(QStringLiteral("open"), QStringLiteral("open"), tr("&Open…"), Key::Open, [this] { askToOpen(); });
    addAction(QStringLiteral("examples"), QStringLiteral("examples"), tr("S&tart page"),
        Key(Qt::CTRL | Qt::SHIFT | Qt::Key_O), [this] { showStartPage(); });
    addAction(QStringLiteral("save"), QStringLiteral("save"), tr("&Save"), Key::Save, [this] { save(); });
    addAction(QStringLiteral("saveAs"), {}, tr("Save &As…"), Key(Qt::CTRL | Qt::SHIFT | Qt::Key_S),
        [this] { askToSaveAs(); });
    addAction(QStringLiteral("importTable"), {}, tr("&Table of arrays…"), {}, [this] { askForTable(); });
    addAction(QStringLiteral("importRules"), {}, tr("&Rules…"), {},
        [this] { m_rules->menu()->findChild<QAction*>(QStringLiteral("importRules"))->trigger(); });
    addAction(
        QStringLiteral("tableHelp"), {}, tr("&How to make a table of your model…"), {}, [this] { showTableHelp(); });
    addAction(QStringLiteral("quit"), {}, tr("&Quit"), Key(Qt::CTRL | Qt::Key_Q), [this] { close(); });

    QUndoStack* stack = m_document.undoStack();
    QAction* undo =
        addAction(QStringLiteral("undo"), QStringLiteral("undo"), tr("&Undo"), Key::Undo, [stack] { stack->undo(); });
    QAction* redo =
        addAction(QStringLiteral("redo"), QStringLiteral("redo"), tr("&Redo"), Key::Redo, [stack] { stack->redo(); });
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

    addAction(QStringLiteral("history"), {}, tr("&History…"), {}, [this, stack] {
        if (!m_history) {
            m_history = new QDialog(this);
            m_history->setWindowTitle(tr("History"));
            auto* list = new QUndoView(stack, m_history);
            list->setAccessibleName(tr("Edits, the newest one last"));
            list->setEmptyLabel(tr("As it was opened"));
            list->setCleanIcon(shardscope::icon(QStringLiteral("save")));
            vbox(m_history, { 8, 8, 8, 8 }, 0, { { list, 1 } });
            m_history->resize(Metrics::scaled(320), Metrics::scaled(360));
        }
        m_history->show();
        m_history->raise();
        m_history->activateWindow();
    });

    addAction(QStringLiteral("runStep"), QStringLiteral("run"), tr("Run &step"), Key(Qt::Key_F5),
        [this] { m_run.runStep(); });
    addAction(QStringLiteral("runTimeit"), QStringLiteral("timeit"), tr("&Benchmark"), Key(Qt::SHIFT | Qt::Key_F5),
        [this] { m_run.runTimeit(m_runs->value(), m_loops->value()); });
    addAction(QStringLiteral("runContinuously"), QStringLiteral("continuous"), tr("Run until stopped"),
        Key(Qt::CTRL | Qt::Key_F5),
        [this] {
            // A step that is still going ends first; it is no run that could be stopped.
            if (m_run.state() == RunController::State::Idle || m_run.state() == RunController::State::Stepping)
                m_run.runContinuously();
            else
                m_run.stop();
            showRun();
        })
        ->setCheckable(true);
    addAction(
        QStringLiteral("resetRun"), QStringLiteral("reset"), tr("Back to step &0"), {}, [this] { m_run.reset(); });
    action(QStringLiteral("resetRun"))
        ->setToolTip(tr("Back to step 0: what the devices hold goes back to its initial values"));

    // Beside what was selected before, Esc leads from a shard to its dimension, and on to the array.
    addAction(QStringLiteral("selectBefore"), {}, tr("&Back to what was selected before"), Key(Qt::ALT | Qt::Key_Left),
        [this] { m_trail->goBack(); });
    QAction* pin = addAction(
        QStringLiteral("pinA"), QStringLiteral("pin"), tr("Pin &A"), Key(Qt::CTRL | Qt::SHIFT | Qt::Key_A), [this] {
            m_compare->pin();
            say(m_document.isStale() ? tr("What is open now becomes A as soon as it is analysed.")
                                     : tr("What is open now is A. Compare shows what differs from it."));
        });
    pin->setIconText(tr("Pin A"));
    pin->setToolTip(tr("What is open now becomes A, with which Compare compares what follows (%1)")
                        .arg(pin->shortcut().toString(QKeySequence::NativeText)));

    addAction(QStringLiteral("nextDock"), {}, tr("Next view"), Key(Qt::Key_F6), [this] { focusNextDock(1); });
    addAction(QStringLiteral("previousDock"), {}, tr("Previous view"), Key(Qt::SHIFT | Qt::Key_F6),
        [this] { focusNextDock(-1); });
    // Buttons and menus of titles and tabs do the same.
    addAction(
        QStringLiteral("floatDock"), {}, tr("&Float or put back the view in use"), DockFrame::floatKeys(), [this] {
            if (DockFrame* dock = dockInUse(); dock && !sayWhyItStays(dock))
                dock->toggleFloating();
        });
    addAction(QStringLiteral("maximiseDock"), {}, tr("&Maximise or put back the view in use"),
        DockFrame::maximiseKeys(), [this] {
            if (DockFrame* dock = dockInUse(); m_maximised || !dock || !sayWhyItStays(dock))
                maximise(m_maximised ? nullptr : dock);
        });
    addAction(QStringLiteral("closeDock"), {}, tr("&Close the view in use"), DockFrame::closeKeys(), [this] {
        if (DockFrame* dock = dockInUse())
            dock->close();
    });
    addAction(QStringLiteral("resetLayout"), {}, tr("&Reset layout"), {}, [this] { resetArrangement(); });
    addAction(QStringLiteral("showTips"), {}, tr("Show the &tips again"), {}, [this] {
        if (m_watchingTips)
            m_watchingTips->restart();
    });
    addAction(QStringLiteral("findAnything"), QStringLiteral("search"), tr("&Find anything…"),
        Key(Qt::CTRL | Qt::Key_K), [this] { findAnything(); });
    addAction(QStringLiteral("help"), {}, tr("Help on the &view in use"), Key::HelpContents, [this] {
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
    addAction(QStringLiteral("keys"), {}, tr("&Keys"), Key(Qt::Key_Question), [this] {
        helpWindow()->showKeys(findChildren<QAction*>(QString(), Qt::FindDirectChildrenOnly), m_ownKeys->commands());
    });
    addAction(QStringLiteral("about"), {}, tr("&About Shardscope"), {}, [this] { showAbout(); });
}

HelpWindow* MainWindow::helpWindow()
{
    if (!m_help) {
        m_help = new HelpWindow(this);
        connect(m_help, &HelpWindow::keyRequested, this, [this](const QString& name) { m_ownKeys->ask(action(name)); });
        connect(m_ownKeys, &OwnKeys::changed, m_help, [this] {
            if (m_help->isVisible())
                action(QStringLiteral("keys"))->trigger();
            showStatus();
        });
    }
    return m_help;
}

void MainWindow::makeMenus()
{
    const auto at = [this](const char* name) { return action(QLatin1String(name)); };
    QMenu* file = menuBar()->addMenu(tr("&File"));
    file->addAction(at("new"));
    file->addAction(at("open"));
    m_recentMenu = file->addMenu(tr("Open &Recent"));
    connect(m_recentMenu, &QMenu::aboutToShow, this, &MainWindow::fillRecentMenu);
    file->addSeparator();
    file->addAction(at("save"));
    file->addAction(at("saveAs"));
    file->addSeparator();
    file->addAction(at("examples"));
    QMenu* import = file->addMenu(tr("&Import"));
    import->addAction(at("importTable"));
    import->addAction(at("importRules"));
    import->addSeparator();
    import->addAction(at("tableHelp"));
    fillExportMenu(file->addMenu(tr("&Export")));
    file->addSeparator();
    file->addAction(at("quit"));

    QMenu* edit = menuBar()->addMenu(tr("&Edit"));
    edit->addAction(at("undo"));
    edit->addAction(at("redo"));
    edit->addAction(at("history"));
    edit->addSeparator();
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
    edit->addSeparator();
    edit->addAction(at("findAnything"));
    edit->addAction(at("selectBefore"));

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
    view->addSeparator();
    view->addAction(at("nextDock"));
    view->addAction(at("previousDock"));
    view->addAction(at("maximiseDock"));
    view->addAction(at("floatDock"));
    view->addAction(at("closeDock"));
    view->addAction(at("resetLayout"));
    view->addSeparator();
    QMenu* themes = view->addMenu(tr("&Theme"));
    auto* group = new QActionGroup(this);
    for (const auto& [name, text, choice] :
        { std::tuple(QStringLiteral("themeSystem"), tr("As the &system"), ThemeChoice::System),
            std::tuple(QStringLiteral("themeLight"), tr("&Light"), ThemeChoice::Light),
            std::tuple(QStringLiteral("themeDark"), tr("&Dark"), ThemeChoice::Dark) }) {
        const ThemeChoice chosen = choice;
        QAction* action = addAction(name, {}, text, {}, [this, chosen] {
            m_appearance->setChoice(chosen);
            m_settings.setTheme(chosen);
        });
        action->setCheckable(true);
        action->setChecked(m_appearance->choice() == chosen);
        group->addAction(action);
        themes->addAction(action);
    }

    QMenu* experiment = menuBar()->addMenu(tr("E&xperiment"));
    QAction* bound = experiment->addAction(tr("&Bind rules when the model is traced"));
    bound->setObjectName(QStringLiteral("bindRules"));
    bound->setCheckable(true);
    connect(bound, &QAction::triggered, this, [this](bool on) {
        m_document.edit(withRulesBound(*m_document.experiment(), on), on ? tr("bind rules") : tr("do not bind rules"));
    });
    QMenu* constraintMesh = experiment->addMenu(tr("Mesh of &logical constraints"));
    constraintMesh->setObjectName(QStringLiteral("constraintMesh"));
    auto* constraintMeshes = new QActionGroup(this);
    for (const auto mesh : { ConstraintMesh::Context, ConstraintMesh::None, ConstraintMesh::Own }) {
        QAction* action = constraintMesh->addAction(words::constraintMeshName(mesh));
        action->setCheckable(true);
        action->setData(static_cast<int>(mesh));
        constraintMeshes->addAction(action);
        connect(action, &QAction::triggered, this, [this, mesh] {
            m_document.edit(withConstraintMesh(*m_document.experiment(), mesh), tr("mesh of logical constraints"));
        });
    }
    experiment->addAction(tr("Make the hardware &fit the mesh"), this,
        [this] { m_document.edit(withDevicesForMesh(*m_document.experiment()), tr("devices for the mesh")); });
    QMenu* platform = experiment->addMenu(tr("&Platform"));
    auto* platforms = new QActionGroup(this);
    for (const char* name : { "cpu", "gpu", "tpu" }) {
        QAction* action = platform->addAction(QLatin1String(name));
        action->setCheckable(true);
        platforms->addAction(action);
        connect(action, &QAction::triggered, this, [this, name] {
            m_document.edit(withPlatform(*m_document.experiment(), name), tr("platform %1").arg(QLatin1String(name)));
        });
    }
    connect(experiment, &QMenu::aboutToShow, this, [this, bound, platforms, constraintMeshes] {
        bound->setChecked(m_document.experiment()->rules.boundWhenTraced);
        for (QAction* action : constraintMeshes->actions())
            action->setChecked(
                action->data().toInt() == static_cast<int>(m_document.experiment()->rules.constraintMesh));
        for (QAction* action : platforms->actions())
            action->setChecked(
                action->text() == QString::fromStdString(m_document.experiment()->hardware.devices.platform));
    });

    QMenu* run = menuBar()->addMenu(tr("&Run"));
    run->setToolTipsVisible(true); // why a step cannot run
    for (const char* name : { "runStep", "runTimeit", "runContinuously", "resetRun" })
        run->addAction(at(name));
    run->addSeparator();
    run->addAction(at("pinA"));

    QMenu* help = menuBar()->addMenu(tr("&Help"));
    help->addAction(at("help"));
    help->addAction(at("keys"));
    help->addAction(at("tableHelp"));
    help->addAction(at("showTips"));
    help->addAction(at("about"));
    m_ownKeys = new OwnKeys(&m_settings, this);
}

/// Before the menus: they show these.
void MainWindow::makePerspectives()
{
    m_perspectiveMenu = new QToolButton(this);
    m_perspectiveMenu->setObjectName(QStringLiteral("perspectiveMenu"));
    m_perspectiveMenu->setAccessibleName(tr("Perspective"));
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
                    dock(QLatin1String(viewsOf(perspective).centre.front()))->present();
                    m_settings.setPerspective(m_document.filePath(), idOf(m_perspective));
                });
        choose->setCheckable(true);
        group->addAction(choose);
        m_perspectiveMenu->menu()->addAction(choose);
    }
}

/// The buttons of the perspectives, or where there is little room a menu.
void MainWindow::showPerspective()
{
    if (!m_perspectiveBar)
        return;
    const int index = static_cast<int>(m_perspective);
    m_perspectiveMenu->menu()->actions().at(index)->setChecked(true);
    m_perspectiveMenu->setText(m_perspectiveMenu->menu()->actions().at(index)->text().remove(u'&'));
    const QSignalBlocker quiet(m_perspectiveBar);
    m_perspectiveBar->setCurrent(index);
    const bool fits = width() >= Metrics::scaled(1180);
    m_perspectiveBarAction->setVisible(fits);
    m_perspectiveMenuAction->setVisible(!fits);
    m_pinAction->setVisible(width() >= Metrics::scaled(900));
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

void MainWindow::makeToolBar()
{
    m_toolBar = addToolBar(tr("Tools"));
    m_toolBar->setObjectName(QStringLiteral("tools"));
    m_toolBar->setMovable(false);
    m_toolBar->setContextMenuPolicy(Qt::PreventContextMenu);
    m_toolBar->toggleViewAction()->setVisible(false);
    m_toolBar->setMinimumHeight(Metrics::scaled(36));
    const auto at = [this](const char* name) { return action(QLatin1String(name)); };
    for (const char* name : { "new", "open", "examples", "save" })
        m_toolBar->addAction(at(name));
    m_toolBar->addSeparator();
    m_toolBar->addAction(at("undo"));
    m_toolBar->addAction(at("redo"));
    m_toolBar->addSeparator();

    m_stepButton = new QPushButton(icon(QStringLiteral("run"), IconColor::OnAccent), tr("Run step"), m_toolBar);
    setPrimary(m_stepButton);
    m_stepButton->setObjectName(QStringLiteral("runStepButton"));
    describe(m_stepButton, tr("Run one step"), at("runStep")->toolTip());
    connect(m_stepButton, &QPushButton::clicked, this, [this] { isRunning() ? m_run.stop() : m_run.runStep(); });
    m_toolBar->addWidget(m_stepButton);

    // What else can be run stands in the menu beside it.
    const auto number = [this](const QString& name, const QString& accessible, std::int64_t maximum) {
        auto* box = new QSpinBox(this);
        box->setObjectName(name);
        box->setRange(1, static_cast<int>(maximum));
        box->setKeyboardTracking(false);
        describe(box, accessible);
        return box;
    };
    m_runs = number(QStringLiteral("runs"), tr("Runs of the benchmark"), file_words::maximumRuns);
    m_loops = number(QStringLiteral("loops"), tr("Loops per run of the benchmark"), file_words::maximumLoops);
    auto* times = new QWidget(this);
    hbox(times, { 28, 2, 8, 4 }, 6,
        { new QLabel(tr("Runs"), times), m_runs, new QLabel(tr("× loops"), times), m_loops, boxStretch() });
    times->setFocusPolicy(Qt::StrongFocus); // so that the menu leads the keyboard there
    times->setFocusProxy(m_runs);
    times->setAccessibleName(tr("How often the benchmark runs"));
    auto* measured = new QWidgetAction(this);
    measured->setDefaultWidget(times);
    m_runMenu = new QToolButton(m_toolBar);
    makeFlat(m_runMenu, QStringLiteral("down"), tr("More ways to run"))->setObjectName(QStringLiteral("runMenu"));
    m_runMenu->setPopupMode(QToolButton::InstantPopup);
    auto* ways = new QMenu(m_runMenu);
    ways->setToolTipsVisible(true); // why a step cannot run
    for (const char* name : { "runStep", "runContinuously", "runTimeit" })
        ways->addAction(at(name));
    ways->addAction(measured);
    ways->addSeparator();
    ways->addAction(at("resetRun"));
    m_runMenu->setMenu(ways);
    m_toolBar->addWidget(m_runMenu);
    if (auto* button = qobject_cast<QToolButton*>(m_toolBar->widgetForAction(at("examples"))))
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    at("examples")->setIconText(tr("Start"));
    const auto takeTimes = [this] { // how often is a choice of this window; a file may begin with its own
        const RunSetting& setting = m_document.experiment()->run;
        m_runs->setValue(static_cast<int>(std::min<std::int64_t>(setting.runs, m_runs->maximum())));
        m_loops->setValue(static_cast<int>(std::min<std::int64_t>(setting.loops, m_loops->maximum())));
        for (QSpinBox* box : { m_runs, m_loops }) // wide enough for the number
            box->setFixedWidth(
                std::max(Metrics::scaled(58), box->fontMetrics().horizontalAdvance(box->text()) + Metrics::scaled(34)));
    };
    connect(&m_document, &Document::replaced, this, [this, takeTimes] { // which comes before the other experiment does
        connect(&m_document, &Document::experimentChanged, this, takeTimes,
            static_cast<Qt::ConnectionType>(Qt::AutoConnection | Qt::SingleShotConnection));
    });
    takeTimes();
    m_steps = new QLabel(m_toolBar);
    m_steps->setContentsMargins(8, 0, 8, 0);
    m_steps->setAccessibleName(tr("Steps done"));
    m_toolBar->addWidget(m_steps);
    auto* pin = new QToolButton(m_toolBar);
    pin->setDefaultAction(at("pinA"));
    pin->setAccessibleName(tr("Pin A"));
    pin->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_pinAction = m_toolBar->addWidget(pin);
    m_trailRoom = new QWidget(m_toolBar);
    m_trailRoom->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    m_trailRoom->setMinimumWidth(1); // the selection is told as far as there is room
    m_trail = new SelectionTrail(&m_document, &m_selection, m_trailRoom);
    m_trail->setObjectName(QStringLiteral("selectionTrail"));
    hbox(m_trailRoom, { 8, 0, 8, 0 }, 0, { { m_trail, 1 } });
    m_trailRoom->installEventFilter(this);
    connect(m_trail, &SelectionTrail::arraysRequested, this, [this] { present(QStringLiteral("tensors")); });
    connect(m_trail, &SelectionTrail::operationsRequested, this, [this] { present(QStringLiteral("program")); });
    m_toolBar->addWidget(m_trailRoom);
    QStringList names;
    for (const QAction* perspective : m_perspectiveMenu->menu()->actions())
        names << perspective->text().remove(u'&');
    m_perspectiveBar = new SegmentedBar(names, m_toolBar);
    m_perspectiveBar->setAccessibleName(tr("Perspective"));
    m_perspectiveBar->setToolTip(tr("What the views are arranged for (Alt+1 to Alt+%1)").arg(names.size()));
    connect(m_perspectiveBar, &SegmentedBar::currentChanged, this,
        [this](int index) { m_perspectiveMenu->menu()->actions().at(index)->trigger(); });
    m_perspectiveBarAction = m_toolBar->addWidget(m_perspectiveBar);
    m_perspectiveMenuAction = m_toolBar->addWidget(m_perspectiveMenu);
    for (const char* id : { "inputs", "inspector" })
        m_toolBar->addAction(dock(QLatin1String(id))->toggleViewAction());
    for (QToolButton* button : m_toolBar->findChildren<QToolButton*>())
        if (button->defaultAction() && button->accessibleName().isEmpty())
            button->setAccessibleName(button->defaultAction()->toolTip());
    showPerspective();

    m_plate = new EditPlate(this);
    m_plate->watch(m_mesh->gesture());
    m_plate->watch(m_rules->gesture());
}

void MainWindow::makeStatusBar()
{
    QStatusBar* bar = statusBar();
    bar->setSizeGripEnabled(false);
    bar->setMinimumHeight(Metrics::scaled(24));
    const auto label = [bar] {
        auto* text = new StatusLabel(bar);
        text->setContentsMargins(8, 0, 8, 0);
        bar->addWidget(text);
        return text;
    };
    const auto button = [this, bar](const char* name, bool right, const std::function<void()>& lead) {
        auto* figure = new StatusButton(bar);
        figure->setObjectName(QLatin1String(name));
        connect(figure, &QToolButton::clicked, this, lead);
        if (right)
            bar->addPermanentWidget(figure);
        else
            bar->addWidget(figure);
        return figure;
    };
    const auto show = [this](const char* id) { return [this, id] { present(QLatin1String(id)); }; };
    m_problemCount = button("statusProblems", false, [this] {
        if (DockFrame* problems = dock(QStringLiteral("problems")); problems->isInFront())
            problems->close();
        else
            present(QStringLiteral("problems"));
    });
    m_solved = label();
    m_deviceCount = button("statusDevices", false, show("mesh"));
    m_operations = label();
    m_sent = label();
    // A place of its own: what is shown for good may change while a message is there.
    m_message = new StatusMessage(&m_document, m_plate, bar);
    bar->addWidget(m_message, 1);
    m_hardware = button("statusHardware", true, show("mesh"));
    m_saved = button("statusSaved", true, [this] { save(); });
}

void MainWindow::say(const QString& text)
{
    m_message->say(text);
}

} // namespace shardscope
