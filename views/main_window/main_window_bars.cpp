// SPDX-License-Identifier: GPL-3.0-or-later
// Tool bar and status bar of the main window.
// Declared in main_window.h.
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QSpinBox>
#include <QStatusBar>
#include <QToolBar>
#include <QToolButton>
#include <QWidgetAction>
#include <algorithm>

#include "experiment_file/file_words.h"
#include "views/main_window/main_window.h"
#include "views/main_window/selection_trail.h"
#include "views/main_window/status_message.h"
#include "views/mesh_view/mesh_view.h"
#include "views/panel/panel.h"
#include "views/preview/edit_plate.h"
#include "views/rules_view/rules_view.h"
#include "views/theme/icons.h"
#include "views/theme/style.h"
#include "views/theme/theme.h"
#include "views/widgets/boxes.h"
#include "views/widgets/dock_frame.h"
#include "views/widgets/flat_button.h"
#include "views/widgets/segmented_bar.h"

namespace shardscope {
namespace {

/// A figure of the status bar, with a thin line after it.
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

void MainWindow::makeToolBar()
{
    m_toolBar = addToolBar(tr("Tools"));
    m_toolBar->setObjectName(QStringLiteral("tools"));
    m_toolBar->setMovable(false);
    m_toolBar->setContextMenuPolicy(Qt::PreventContextMenu);
    m_toolBar->toggleViewAction()->setVisible(false);
    m_toolBar->setMinimumHeight(Metrics::scaled(36));
    fill(m_toolBar, { "new", "open", "examples", "save", "", "undo", "redo", "" });

    m_stepButton = new QPushButton(icon(QStringLiteral("run"), IconColor::OnAccent), tr("Run step"), m_toolBar);
    setPrimary(m_stepButton);
    m_stepButton->setObjectName(QStringLiteral("runStepButton"));
    describe(m_stepButton, tr("Run one step"), action("runStep")->toolTip());
    connect(m_stepButton, &QPushButton::clicked, this, [this] {
        if (isRunning())
            m_run.stop();
        else
            m_run.runStep();
    });
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
    fill(ways, { "runStep", "runContinuously", "runTimeit" });
    ways->addAction(measured);
    fill(ways, { "", "resetRun" });
    m_runMenu->setMenu(ways);
    m_toolBar->addWidget(m_runMenu);
    if (auto* button = qobject_cast<QToolButton*>(m_toolBar->widgetForAction(action("examples"))))
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    action("examples")->setIconText(tr("Start"));
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
    pin->setDefaultAction(action("pinA"));
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

} // namespace shardscope
