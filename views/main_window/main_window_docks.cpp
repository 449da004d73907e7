// SPDX-License-Identifier: GPL-3.0-or-later
// The docks of the main window and their two arrangements.
// A part of MainWindow, which is declared in main_window.h.
#include <QApplication>
#include <QHeaderView>
#include <QTimer>
#include <QToolBar>
#include <algorithm>
#include <utility>

#include "views/collectives_view/collectives_view.h"
#include "views/compare_view/compare_view.h"
#include "views/dialects_view/dialects_view.h"
#include "views/explain_view/explain_view.h"
#include "views/hosts_view/hosts_view.h"
#include "views/main_window/dock_tabs.h"
#include "views/main_window/main_window.h"
#include "views/main_window/status_text.h"
#include "views/memory_view/memory_view.h"
#include "views/mesh_view/mesh_view.h"
#include "views/model_view/model_view.h"
#include "views/named_arrays_view/named_arrays_view.h"
#include "views/panel/obstacle.h"
#include "views/problems_view/problem_row.h"
#include "views/problems_view/problems_view.h"
#include "views/program_view/program_view.h"
#include "views/propagation_view/propagation_view.h"
#include "views/rules_view/rule_trace_view.h"
#include "views/rules_view/rules_table.h"
#include "views/rules_view/rules_view.h"
#include "views/shard_grid_view/shard_grid_view.h"
#include "views/sharding_lab/sharding_lab_view.h"
#include "views/tensors_view/tensors_view.h"
#include "views/theme/icons.h"
#include "views/theme/theme.h"
#include "views/timing_view/timing_view.h"
#include "views/topology_view/topology_view.h"
#include "views/values_view/values_view.h"
#include "views/what_if_view/what_if_view.h"
#include "views/widgets/dock_frame.h"
#include "views/widgets/notice_strip.h"
#include "words/words.h"

namespace shardscope {

namespace {

/// Docks for a question that comes up now and then: closed until they are asked for, then beside the shard grid.
constexpr const char* docksOnDemand[] = { "model", "program", "propagation", "values", "collectives", "whatif",
    "devices", "hosts", "lab", "named", "dialects", "compare" };

bool isOnDemand(const DockFrame* dock)
{
    return std::any_of(std::begin(docksOnDemand), std::end(docksOnDemand),
        [dock](const char* id) { return dock->objectName() == QLatin1String(id); });
}

/// Of two docks one below the other: who wants less than its share gets it, and the other one the rest. The upper one's
/// share is the larger.
std::pair<int, int> sharedHeights(int room, int first, int second)
{
    const int share = room * 3 / 5;
    const int upper = first <= share ? first : std::clamp(room - second, share, first);
    return { upper, room - upper };
}

} // namespace

void MainWindow::makeDocks()
{
    m_mesh = new MeshView(&m_document, &m_selection);
    m_rules = new RulesView(&m_document, &m_selection);
    m_trace = new RuleTraceView(&m_document, &m_selection);
    m_dialects = new DialectsView(&m_document, &m_selection);
    m_model = new ModelView(&m_document, &m_selection);
    m_tensors = new TensorsView(&m_document, &m_selection);
    m_grid = new ShardGridView(&m_document, &m_selection);
    m_timing = new TimingView(&m_document, &m_selection, &m_run);
    m_memory = new MemoryView(&m_document, &m_selection);
    m_explain = new ExplainView(&m_document, &m_selection);
    m_problems = new ProblemsView(&m_document, &m_selection);
    m_program = new ProgramView(&m_document, &m_selection);
    m_lab = new ShardingLabView(&m_document, &m_selection);
    m_named = new NamedArraysView(&m_document, &m_selection);
    m_devices = new TopologyView(&m_document, &m_selection);
    m_hosts = new HostsView(&m_document, &m_selection);
    m_propagation = new PropagationView(&m_document, &m_selection);
    m_whatIf = new WhatIfView(&m_document, &m_selection);
    m_collectives = new CollectivesView(&m_document, &m_selection);
    m_values = new ValuesView(&m_document, &m_selection, &m_run);
    m_compare = new CompareView(&m_document, &m_selection, &m_run);

    m_tabsTime.setSingleShot(true);
    connect(&m_tabsTime, &QTimer::timeout, this, &MainWindow::followTabs);
    const auto preview = [this](const Experiment& after, const QString& change) {
        m_whatIf->propose(after, change);
        dock(QStringLiteral("whatif"))->present();
    };
    const auto lead = [this](const QString& id) { dock(id)->present(); };
    const auto add = [&](const char* id, const char* icon, const QString& title, DockView* view) {
        auto* dock = new DockFrame(QLatin1String(id), QLatin1String(icon), title, view, this);
        const auto show = [dock, view] { dock->setKeyFigure(view->keyFigure()); };
        connect(view, &DockView::keyFigureChanged, dock, show);
        show();
        connect(view, &DockView::previewRequested, this, preview);
        connect(view, &DockView::dockRequested, this, lead);
        // Who is tabbed with whom is told by no signal: look again after whatever may have changed it.
        const auto later = [this] { m_tabsTime.start(); };
        connect(dock, &QDockWidget::dockLocationChanged, this, later);
        connect(dock, &QDockWidget::topLevelChanged, this, later);
        connect(dock, &QDockWidget::visibilityChanged, this, later);
        m_docks << dock;
    };
    add("mesh", "mesh", tr("Mesh"), m_mesh);
    add("rules", "rules", tr("Rules"), m_rules);
    add("model", "model", tr("Model"), m_model);
    add("tensors", "tensors", tr("Tensors"), m_tensors);
    add("grid", "grid", tr("Shard grid"), m_grid);
    add("program", "program", tr("Program"), m_program);
    add("timing", "timing", tr("Timing"), m_timing);
    add("memory", "memory", tr("Memory"), m_memory);
    add("explain", "explain", tr("Explain"), m_explain);
    add("trace", "trace", tr("Rule trace"), m_trace);
    add("dialects", "compare", tr("Dialects"), m_dialects);
    add("problems", "warning", tr("Problems"), m_problems);
    add("lab", "lab", tr("Sharding lab"), m_lab);
    add("named", "names", tr("Named arrays"), m_named);
    add("devices", "devices", tr("Devices"), m_devices);
    add("hosts", "hosts", tr("Hosts"), m_hosts);
    add("propagation", "propagation", tr("Propagation"), m_propagation);
    add("collectives", "collectives", tr("Collectives"), m_collectives);
    add("whatif", "edit", tr("What if"), m_whatIf);
    add("values", "values", tr("Values"), m_values);
    add("compare", "pin", tr("Compare"), m_compare);
    const auto compare = [this] { dock(QStringLiteral("dialects"))->present(); };
    connect(m_rules, &RulesView::compareRequested, this, compare);
    connect(m_trace, &RuleTraceView::compareRequested, this, compare);
    connect(m_problems, &ProblemsView::textRequested, this, [this] { dock(QStringLiteral("program"))->present(); });
    m_tabs = new DockTabs(this, &m_docks);
    connect(m_rules, &RulesView::traceRequested, this, [this] { dock(QStringLiteral("trace"))->present(); });
}

MainWindow::Arrangement MainWindow::arrangementFor(const QSize& size)
{
    // Three columns leave the picture in the middle one too little on most laptops.
    const auto isAtLeast = [&size](int width, int height) {
        return size.width() >= Metrics::scaled(width) && size.height() >= Metrics::scaled(height);
    };
    if (isAtLeast(1560, 940))
        return Arrangement::SharedAttributes;
    if (isAtLeast(1180, 740))
        return Arrangement::Middle;
    return isAtLeast(900, 600) ? Arrangement::Small : Arrangement::Single;
}

MainWindow::Arranged& MainWindow::arranged(Arrangement arrangement)
{
    return m_arrangements[static_cast<std::size_t>(arrangement)];
}

void MainWindow::arrange(Arrangement arrangement)
{
    m_arrangement = arrangement;
    m_question->setBrief(arrangement == Arrangement::Single);
    Arranged& own = arranged(arrangement);
    if (own.state.isEmpty() || !restoreState(own.state, arrangementVersion)) {
        own.isSizedByHand = false;
        for (DockFrame* dock : m_docks) {
            dock->setFloating(false);
            removeDockWidget(dock);
        }
        switch (arrangement) {
        case Arrangement::Single:
            arrangeSingle();
            break;
        case Arrangement::Small:
            arrangeSmall();
            break;
        case Arrangement::Middle:
            arrangeMiddle();
            break;
        case Arrangement::SharedAttributes:
            arrangeLarge();
            break;
        }
    }
    m_rail->setVisible(isCompact());
    showStatus();
    followTabs();
}

int MainWindow::rowsForDocks() const
{
    const int bars = Metrics::scaled(24 + 36 + 24) + noticesHeight() + 8;
    return std::max(height() - bars, Metrics::scaled(400)); // in less the docks share what there is
}

void MainWindow::arrangeLarge()
{
    const auto at = [this](const char* id) { return dock(QLatin1String(id)); };
    addDockWidget(Qt::LeftDockWidgetArea, at("mesh"));
    splitDockWidget(at("mesh"), at("problems"), Qt::Vertical);
    splitDockWidget(at("mesh"), at("grid"), Qt::Horizontal);
    splitDockWidget(at("grid"), at("explain"), Qt::Horizontal);
    splitDockWidget(at("mesh"), at("rules"), Qt::Vertical);
    splitDockWidget(at("rules"), at("tensors"), Qt::Vertical);
    splitDockWidget(at("grid"), at("timing"), Qt::Vertical);
    splitDockWidget(at("timing"), at("memory"), Qt::Vertical);
    splitDockWidget(at("explain"), at("trace"), Qt::Vertical);
    for (DockFrame* dock : m_docks)
        dock->setHidden(isOnDemand(dock));
    for (const char* id : docksOnDemand)
        tabifyDockWidget(at("grid"), at(id));

    const int columns = width() - 16, rows = rowsForDocks();
    // Whole rows, and small tables show all of theirs.
    const DockFrame* problems = at("problems");
    const int frame = 2 * problems->style()->pixelMetric(QStyle::PM_DockWidgetFrameWidth, nullptr, problems);
    const int bottom = Metrics::scaled(24) + frame + 3 * ProblemRow::defaultHeight();
    const int left = Metrics::scaled(356), right = std::min(Metrics::scaled(536), columns / 3);
    resizeDocks({ at("mesh"), at("problems") }, { rows - bottom, bottom }, Qt::Vertical);
    resizeDocks({ at("mesh"), at("grid"), at("explain") }, { left, columns - left - right, right }, Qt::Horizontal);
    const int upper = rows - bottom;
    const int timing = upper * 30 / 100, memory = Metrics::scaled(126);
    resizeDocks({ at("grid"), at("timing"), at("memory") }, { upper - timing - memory, timing, memory }, Qt::Vertical);
    resizeDocks({ at("explain"), at("trace") }, { upper * 52 / 100, upper * 48 / 100 }, Qt::Vertical);
    at("trace")->hide(); // on demand, so that explanations with their what-ifs have the whole column
    m_withoutStep = false;
    m_fitsRows = true;
    QTimer::singleShot(0, this, &MainWindow::fitRows);
}

void MainWindow::tabOverGrid(std::initializer_list<const char*> docks)
{
    DockFrame* grid = dock(QStringLiteral("grid"));
    for (const char* id : docks)
        tabifyDockWidget(grid, dock(QLatin1String(id)));
    for (DockFrame* each : m_docks)
        each->setHidden(isOnDemand(each));
    for (const char* id : docksOnDemand)
        tabifyDockWidget(grid, dock(QLatin1String(id)));
    if (m_errors > 0) // once there are tabs
        QTimer::singleShot(0, this, [this] { bringForward(dock(QStringLiteral("problems"))); });
}

void MainWindow::arrangeMiddle()
{
    const auto at = [this](const char* id) { return dock(QLatin1String(id)); };
    addDockWidget(Qt::LeftDockWidgetArea, at("mesh"));
    splitDockWidget(at("mesh"), at("grid"), Qt::Horizontal);
    splitDockWidget(at("mesh"), at("rules"), Qt::Vertical);
    splitDockWidget(at("rules"), at("tensors"), Qt::Vertical);
    splitDockWidget(at("grid"), at("explain"), Qt::Vertical);
    splitDockWidget(at("explain"), at("memory"), Qt::Horizontal);
    tabifyDockWidget(at("explain"), at("problems"));
    tabifyDockWidget(at("memory"), at("timing"));
    tabOverGrid({ "trace" });
    for (const char* id : { "grid", "explain", "memory" })
        at(id)->raise();

    const int columns = width() - 16 - Metrics::scaled(34), rows = rowsForDocks();
    const int left = Metrics::scaled(340), below = std::max(Metrics::scaled(208), rows / 4);
    resizeDocks({ at("mesh"), at("grid") }, { left, columns - left }, Qt::Horizontal);
    resizeDocks({ at("grid"), at("explain") }, { rows - below, below }, Qt::Vertical);
    const int memory = (columns - left) * 2 / 5;
    resizeDocks({ at("explain"), at("memory") }, { columns - left - memory, memory }, Qt::Horizontal);
    m_fitsRows = true;
    QTimer::singleShot(0, this, &MainWindow::fitRows);
}

void MainWindow::arrangeSmall()
{
    const auto at = [this](const char* id) { return dock(QLatin1String(id)); };
    addDockWidget(Qt::LeftDockWidgetArea, at("mesh"));
    splitDockWidget(at("mesh"), at("grid"), Qt::Horizontal);
    splitDockWidget(at("mesh"), at("tensors"), Qt::Vertical);
    splitDockWidget(at("grid"), at("explain"), Qt::Vertical);
    tabifyDockWidget(at("mesh"), at("rules"));
    tabifyDockWidget(at("explain"), at("problems"));
    tabOverGrid({ "trace", "timing", "memory" });
    for (const char* id : { "mesh", "grid", "explain" })
        at(id)->raise();

    const int columns = width() - 16 - Metrics::scaled(34), rows = rowsForDocks();
    const int left = Metrics::scaled(324);
    resizeDocks({ at("mesh"), at("grid") }, { left, columns - left }, Qt::Horizontal);
    resizeDocks({ at("mesh"), at("tensors") }, { Metrics::scaled(262), rows - Metrics::scaled(262) }, Qt::Vertical);
    resizeDocks({ at("grid"), at("explain") }, { rows - Metrics::scaled(126), Metrics::scaled(126) }, Qt::Vertical);
}

void MainWindow::arrangeSingle()
{
    DockFrame* grid = dock(QStringLiteral("grid"));
    addDockWidget(Qt::LeftDockWidgetArea, grid);
    tabOverGrid({ "mesh", "rules", "tensors", "memory", "explain", "problems", "timing", "trace" });
    grid->raise();
}

int MainWindow::rulesHeight() const
{
    const auto* table = m_rules->table();
    const int rows = std::max(table->model()->rowCount(), 3) * table->verticalHeader()->defaultSectionSize();
    const int beside = m_rules->sizeHint().height() - table->sizeHint().height();
    return Metrics::scaled(24) + beside + table->horizontalHeader()->sizeHint().height() + rows + 12;
}

void MainWindow::followRows()
{
    // Another size in the hand moves nothing; another axis, rule or array does.
    const std::array counts{ static_cast<int>(m_mesh->rowCount()), m_rules->table()->model()->rowCount(),
        m_tensors->contentHeight() };
    m_fitsRows |= counts != std::exchange(m_fitted, counts);
    if (m_fitsRows)
        QTimer::singleShot(0, this, &MainWindow::fitRows);
}

void MainWindow::fitRows()
{
    if (!m_fitsRows)
        return;
    m_fitsRows = m_document.isStale(); // what is in them is still to come
    fitSteps();
    DockFrame* mesh = dock(QStringLiteral("mesh"));
    DockFrame* rules = dock(QStringLiteral("rules"));
    DockFrame* tensors = dock(QStringLiteral("tensors"));
    // Only where they still stand below each other.
    const auto isBelow = [](const DockFrame* lower, const DockFrame* upper) {
        return lower->isInFront() && !lower->isFloating() && upper->isInFront() && !upper->isFloating()
            && lower->x() == upper->x() && lower->y() > upper->geometry().bottom();
    };
    if (arranged(m_arrangement).isSizedByHand || !isBelow(rules, mesh) || !isBelow(tensors, rules))
        return;
    const int title = Metrics::scaled(24), all = mesh->height() + rules->height() + tensors->height();
    const int needed =
        std::max(title + m_mesh->sizeHint().height() + Metrics::scaled(12), mesh->minimumSizeHint().height());
    const int upper = std::min(needed, all / 2);
    const auto [middle, lower] = sharedHeights(all - upper, rulesHeight(), title + m_tensors->contentHeight());
    const auto differs = [](const DockFrame* frame, int height) { return std::abs(frame->height() - height) > 1; };
    if (differs(mesh, upper) || differs(rules, middle) || differs(tensors, lower))
        resizeDocks({ mesh, rules, tensors }, { upper, middle, lower }, Qt::Vertical);
}

/// Docks about a step leave their room to the pictures where the experiment has no step at all, and take it again where
/// it has one.
void MainWindow::fitSteps()
{
    DockFrame* grid = dock(QStringLiteral("grid"));
    DockFrame* timing = dock(QStringLiteral("timing"));
    DockFrame* memory = dock(QStringLiteral("memory"));
    const SnapshotPtr snapshot = m_document.snapshot();
    if (isCompact() || arranged(m_arrangement).isSizedByHand || !arranged(Arrangement::SharedAttributes).state.isEmpty()
        || !snapshot)
        return;
    for (const DockFrame* frame : { timing, memory })
        if (frame->isHidden() || frame->isFloating())
            return;
    const bool without = hasNoStep(*snapshot);
    if (without == m_withoutStep)
        return;
    m_withoutStep = without;
    // Those who share the place of the shard grid have its height, whoever of them is in front.
    int above = grid->height();
    for (const QDockWidget* beside : tabifiedDockWidgets(grid))
        above = std::max(above, beside->isVisible() ? beside->height() : 0);
    const int upper = above + timing->height() + memory->height();
    // A sentence each; the bar of what arrays take stays with its largest arrays.
    const int sentence = Metrics::scaled(24 + 52), bar = Metrics::scaled(126);
    const int low = without ? sentence : upper * 30 / 100;
    const int least = snapshot->ok() ? bar + Metrics::scaled(20) : without ? sentence : bar;
    resizeDocks({ grid, timing, memory }, { upper - low - least, low, least }, Qt::Vertical);
}

void MainWindow::resetArrangement()
{
    arranged(m_arrangement) = {};
    arrange(m_arrangement);
}

void MainWindow::followTabs()
{
    for (DockFrame* dock : m_docks) {
        // Closed docks keep their place among the tabs, but have none.
        const QList<QDockWidget*> beside = tabifiedDockWidgets(dock);
        dock->setTabbed(!dock->isFloating() && std::any_of(beside.begin(), beside.end(), [](const QDockWidget* other) {
            return !other->isHidden() && !other->isFloating();
        }));
    }
    if (m_tabs)
        m_tabs->follow();
}

void MainWindow::followProblems()
{
    const StatusText text = statusText(m_document, m_problems->messages());
    DockFrame* dock = this->dock(QStringLiteral("problems"));
    const int count = text.errors + text.warnings;
    dock->setBadge(count == 0 ? QString() : words::count(count),
        count == 0 ? QIcon() : severityIcon(text.errors > 0 ? Severity::Error : Severity::Warning));
    for (QAction* action : m_rail->actions())
        if (action->data().toString() == dock->objectName()) {
            action->setIcon(count == 0 ? icon(dock->iconName()) : dock->badge());
            action->setToolTip(tr("Show %1", "dock, its figure").arg(dock->name())
                + (count == 0 ? QString() : QStringLiteral(": ") + text.problems));
        }
    const bool first = text.errors > 0 && m_errors == 0;
    m_errors = text.errors;
    if (first)
        bringForward(dock);
    followTabs();
}

void MainWindow::bringForward(DockFrame* dock)
{
    if (dock->isHidden() || dock->isFloating()) // those behind others are not hidden
        return;
    for (const QDockWidget* beside : tabifiedDockWidgets(dock))
        if (beside->isAncestorOf(QApplication::focusWidget()))
            return;
    dock->raise();
}

DockFrame* MainWindow::dockInUse() const
{
    const QWidget* at = QApplication::focusWidget();
    const auto found =
        std::find_if(m_docks.begin(), m_docks.end(), [at](const DockFrame* dock) { return dock->isAncestorOf(at); });
    return found == m_docks.end() ? nullptr : *found;
}

void MainWindow::followFocus()
{
    const DockFrame* active = dockInUse();
    for (DockFrame* dock : m_docks)
        dock->setActive(dock == active);
}

void MainWindow::focusNextDock(int step)
{
    QList<DockFrame*> shown;
    for (DockFrame* dock : m_docks)
        if (dock->isVisible())
            shown << dock;
    if (shown.isEmpty())
        return;
    const qsizetype used = shown.indexOf(dockInUse());
    qsizetype index = used < 0 ? 0 : used + step;
    index = (index + shown.size()) % shown.size();
    shown[index]->present();
}

void MainWindow::makeRail()
{
    m_rail = new QToolBar(tr("Docks"), this);
    m_rail->setObjectName(QStringLiteral("rail"));
    m_rail->setMovable(false);
    m_rail->setOrientation(Qt::Vertical);
    m_rail->toggleViewAction()->setVisible(false);
    for (DockFrame* dock : m_docks) {
        QAction* show = m_rail->addAction(icon(dock->iconName()), dock->windowTitle());
        show->setData(dock->objectName());
        show->setCheckable(true);
        show->setToolTip(tr("Show %1").arg(dock->windowTitle()));
        connect(show, &QAction::triggered, dock, [dock, show] {
            dock->summon();
            show->setChecked(true);
        });
        connect(dock, &QDockWidget::visibilityChanged, show, &QAction::setChecked);
    }
    addToolBar(Qt::RightToolBarArea, m_rail);
    m_rail->hide();
}

} // namespace shardscope
