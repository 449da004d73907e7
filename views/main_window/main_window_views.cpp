// SPDX-License-Identifier: GPL-3.0-or-later
// The eight views of the main window and their parts.
// A part of MainWindow, which is declared in main_window.h.
#include <QApplication>
#include <QHeaderView>
#include <QPushButton>
#include <algorithm>
#include <utility>

#include "views/collectives_view/collectives_view.h"
#include "views/compare_view/compare_view.h"
#include "views/compare_view/meshes_pane.h"
#include "views/device_map/device_map.h"
#include "views/dialects_view/dialects_view.h"
#include "views/explain_view/explain_view.h"
#include "views/help_window/help_window.h"
#include "views/hosts_view/hosts_view.h"
#include "views/main_window/dock_tabs.h"
#include "views/main_window/main_window.h"
#include "views/memory_view/memory_view.h"
#include "views/mesh_view/mesh_view.h"
#include "views/model_view/model_view.h"
#include "views/named_arrays_view/named_arrays_view.h"
#include "views/panel/obstacle.h"
#include "views/panel/panel.h"
#include "views/problems_view/problems_view.h"
#include "views/program_view/program_player.h"
#include "views/program_view/program_view.h"
#include "views/propagation_view/propagation_view.h"
#include "views/rules_view/rule_trace_view.h"
#include "views/rules_view/rules_table.h"
#include "views/rules_view/rules_view.h"
#include "views/shard_grid_view/shard_grid_view.h"
#include "views/sharding_lab/sharding_lab_view.h"
#include "views/start_page/start_page.h"
#include "views/tensors_view/tensors_view.h"
#include "views/timing_view/timing_view.h"
#include "views/topology_view/topology_view.h"
#include "views/values_view/values_view.h"
#include "views/what_if_view/what_if_view.h"
#include "views/widgets/dock_frame.h"
#include "views/widgets/drawer_box.h"
#include "views/widgets/page_stack.h"
#include "views/widgets/section.h"
#include "views/widgets/section_column.h"
#include "views/widgets/segmented_bar.h"
#include "views/widgets/step_player.h"

namespace shardscope {

namespace {

using Heights = SectionColumn::Heights;

/// A table shows all of its rows where there is room, and some of them anywhere.
Heights heightsOfRules(const RulesView& rules)
{
    const RulesTable* table = rules.table();
    const int all = rules.sizeHint().height();
    if (table->isHidden())
        return { all, all };
    const int row = table->verticalHeader()->defaultSectionSize();
    const int rows = std::max(table->model()->rowCount(), 3);
    const int beside = all - table->sizeHint().height() + table->horizontalHeader()->sizeHint().height() + 12;
    return { beside + std::min(rows, 4) * row, beside + rows * row };
}

/// Why a view has nothing to show and nothing to offer, "" if it has. Of those alone whose page for that stands in
/// place of all else.
QString emptinessOf(const QWidget& view)
{
    for (const EmptyPage* page : view.findChildren<EmptyPage*>())
        if (page->isVisibleTo(&view) && !page->hasButton())
            return page->sentence();
    return {};
}

/// What takes the keyboard of a part: its own choice, or where that cannot be seen the first control that can.
QWidget* focusOf(const MainWindow::Part& part)
{
    QWidget* chosen = part.focus;
    if (const auto* view = qobject_cast<const DockView*>(part.widget); view && view->usualControl())
        chosen = view->usualControl();
    if (!chosen || chosen == part.widget || chosen->isVisibleTo(part.widget))
        return chosen;
    for (QWidget* next = part.widget->nextInFocusChain(); next != part.widget; next = next->nextInFocusChain())
        if (part.widget->isAncestorOf(next) && next->isVisibleTo(part.widget) && next->isEnabled()
            && (next->focusPolicy() & Qt::TabFocus))
            return next;
    return part.widget;
}

void showFigureOf(DockView* view, Section* section)
{
    const auto show = [view, section] { section->setKeyFigure(view->keyFigure(), view->isFigureBad()); };
    QObject::connect(view, &DockView::keyFigureChanged, section, show);
    show();
}

} // namespace

/// Qt stops at a view whose usual control is hidden: that takes no focus, and Tab would lead nowhere.
bool MainWindow::focusNextPrevChild(bool next)
{
    const QWidget* before = QApplication::focusWidget();
    if (!QMainWindow::focusNextPrevChild(next))
        return false;
    if (!before || QApplication::focusWidget() != before)
        return true;
    const auto after = [next](const QWidget* at) { return next ? at->nextInFocusChain() : at->previousInFocusChain(); };
    for (QWidget* at = after(before); at && at != before; at = after(at))
        if ((at->focusPolicy() & Qt::TabFocus) && !at->focusProxy() && at->isVisibleTo(this) && at->isEnabled()
            && at->window() == this) {
            at->setFocus(next ? Qt::TabFocusReason : Qt::BacktabFocusReason);
            return true;
        }
    return false;
}

void MainWindow::makeViews()
{
    m_tabsTime.setSingleShot(true);
    connect(&m_tabsTime, &QTimer::timeout, this, &MainWindow::followTabs);
    m_fitTime.setSingleShot(true);
    connect(&m_fitTime, &QTimer::timeout, this, [this] {
        fitWidths();
        m_inputs->fit();
    });
    m_problemsTime.setSingleShot(true);
    m_problemsTime.setInterval(200);
    connect(&m_problemsTime, &QTimer::timeout, this, &MainWindow::followProblems);
    makeInputs();
    makePictures();
    makeInspector();
    m_problems = new ProblemsView(&m_document, &m_selection);
    addPart(
        "problems", "warning", tr("Problems"), m_problems, addView("problems", "warning", tr("Problems"), m_problems));
    connect(dock(QStringLiteral("problems")), &DockFrame::closed, this, [this] { m_problemsClosed = true; });

    const auto lead = [this](const char* id) { return [this, id] { present(QLatin1String(id)); }; };
    connect(m_rules, &RulesView::traceRequested, this, lead("trace"));
    connect(m_rules, &RulesView::compareRequested, this, lead("dialects"));
    connect(m_trace, &RuleTraceView::compareRequested, this, lead("dialects"));
    connect(m_problems, &ProblemsView::textRequested, this, lead("program"));
    m_tabs = new DockTabs(this, &m_docks);
}

void MainWindow::makeInputs()
{
    m_inputs = new SectionColumn;
    DockFrame* frame = addView("inputs", "rules", tr("Inputs"), m_inputs, [this] { return m_mesh; });
    const auto add = [&](const char* id, const char* icon, const QString& name, DockView* view, Section::Kind kind,
                         std::function<Heights(int)> heights = {}) {
        auto* section = new Section(QLatin1String(id), name, view, kind);
        m_inputs->add(section, std::move(heights));
        showFigureOf(view, section);
        connect(section, &Section::changed, this, &MainWindow::fitLater);
        addPart(id, icon, name, view, frame, [this, section] { m_inputs->reveal(section); });
        return section;
    };
    const auto within = [](int least, int wanted) {
        return [=](int) { return Heights{ Metrics::scaled(least), Metrics::scaled(wanted) }; };
    };
    using Kind = Section::Kind;
    m_mesh = new MeshView(&m_document, &m_selection);
    Section* mesh = add("mesh", "mesh", tr("Mesh"), m_mesh, Kind::Fixed);
    m_devices = new TopologyView(&m_document, &m_selection);
    add("devices", "devices", tr("Devices"), m_devices, Kind::OnDemand, within(260, 440));
    m_rules = new RulesView(&m_document, &m_selection);
    Section* rules =
        add("rules", "rules", tr("Rules"), m_rules, Kind::Fixed, [this](int) { return heightsOfRules(*m_rules); });
    m_trace = new RuleTraceView(&m_document, &m_selection);
    add("trace", "trace", tr("Rule trace"), m_trace, Kind::OnDemand, [this](int width) {
        const int all = m_trace->contentHeight(width);
        return Heights{ all - m_trace->spareHeight(), all };
    });
    m_dialects = new DialectsView(&m_document, &m_selection);
    add("dialects", "compare", tr("Dialects"), m_dialects, Kind::OnDemand, within(140, 260));
    m_model = new ModelView(&m_document, &m_selection);
    Section* model = add("model", "model", tr("Model"), m_model, Kind::Fixed, within(280, 480));
    m_named = new NamedArraysView(&m_document, &m_selection);
    add("named", "names", tr("Named arrays"), m_named, Kind::OnDemand, within(300, 540));
    m_tensors = new TensorsView(&m_document, &m_selection);
    add("tensors", "tensors", tr("Tensors"), m_tensors, Kind::Fixed, [this](int) {
        const int all = m_tensors->contentHeight();
        return Heights{ std::min(all, Metrics::scaled(204)), all };
    });
    // The machine is what the mesh lies on, named arrays are what a model may be made of.
    mesh->addLink(tr("Devices"), tr("The machine that the mesh lies on: a preset, or a list of your own"),
        [this] { present(QStringLiteral("devices")); });
    model->addLink(tr("Named arrays"), tr("Arrays by name and size, in place of a model"),
        [this] { present(QStringLiteral("named")); });
    QPushButton* trace = rules->addLink(tr("Trace"), tr("Shows for the selected tensor what every rule did, and why"),
        [this] { present(QStringLiteral("trace")); });
    trace->setObjectName(QStringLiteral("trace"));
    model->setUnfolded(false);
}

void MainWindow::makePictures()
{
    m_grid = new ShardGridView(&m_document, &m_selection);
    m_hosts = new HostsView(&m_document, &m_selection);
    m_lab = new ShardingLabView(&m_document, &m_selection);
    m_memory = new MemoryView(&m_document, &m_selection);
    auto* pages = new PageStack(tr("Pages of Layout"),
        { { tr("Shard grid"), m_grid }, { tr("Hosts"), m_hosts }, { tr("Sharding lab"), m_lab } });
    auto* memory = new Section(QStringLiteral("memory"), tr("Memory"), m_memory);
    showFigureOf(m_memory, memory);
    m_layoutBox = new DrawerBox(pages, memory);
    m_layoutBox->setDrawerHeight([this](int width) { return m_memory->contentHeight(width); });
    DockFrame* layout = addView("layout", "grid", tr("Layout"), m_layoutBox, [pages] { return pages->current(); });
    const auto page = [this, pages, layout](const char* id, const char* icon, const QString& name, QWidget* view) {
        addPart(id, icon, name, view, layout, [this, pages, view] {
            pages->setCurrent(view);
            m_layoutBox->revealMain();
        });
    };
    page("grid", "grid", tr("Shard grid"), m_grid);
    page("hosts", "hosts", tr("Hosts"), m_hosts);
    page("lab", "lab", tr("Sharding lab"), m_lab);
    addPart("memory", "memory", tr("Memory"), m_memory, layout, [memory] {
        memory->show();
        memory->setUnfolded(true);
    });
    connect(pages, &PageStack::currentChanged, layout, [this, layout] { followFigure(layout); });

    m_program = new ProgramView(&m_document, &m_selection);
    m_propagation = new PropagationView(&m_document, &m_selection);
    auto* propagation = new Section(QStringLiteral("propagation"), tr("Propagation"), m_propagation);
    showFigureOf(m_propagation, propagation);
    propagation->setUnfolded(false);
    m_programBox = new DrawerBox(m_program, propagation);
    m_programBox->setBesideBelow(Metrics::scaled(560)); // the list says what is played on the graph
    // It is played on the graph: whoever opens the list wants to see it there.
    m_program->player()->player()->serve(m_propagation);
    connect(propagation, &Section::changed, this, [this, propagation, wasOpen = false]() mutable {
        const bool open = propagation->isUnfolded();
        if (std::exchange(wasOpen, open) != open && open && m_selection.step() < 0)
            m_selection.setStep(m_propagation->step());
    });
    DockFrame* program = addView("program", "program", tr("Program"), m_programBox, [this] { return m_program; });
    addPart("program", "program", tr("Program"), m_program, program, [this] { m_programBox->revealMain(); });
    addPart("propagation", "propagation", tr("Propagation"), m_propagation, program,
        [this] { m_programBox->setDrawerHeight([](int) { return Metrics::scaled(240); }); });

    m_timing = new TimingView(&m_document, &m_selection, &m_run);
    auto* overTime = new MemoryView(&m_document, &m_selection, MemoryView::Shows::OverTime);
    auto* times =
        new PageStack(tr("Pages of Timeline"), { { tr("Timing"), m_timing }, { tr("Memory over time"), overTime } });
    DockFrame* timeline = addView("timeline", "timing", tr("Timeline"), times, [times] { return times->current(); });
    addPart("timing", "timing", tr("Timing"), m_timing, timeline, [this, times] { times->setCurrent(m_timing); });
    addPart("memorytime", "memory", tr("Memory over time"), overTime, timeline,
        [times, overTime] { times->setCurrent(overTime); });
    connect(times, &PageStack::currentChanged, timeline, [this, timeline] { followFigure(timeline); });

    m_values = new ValuesView(&m_document, &m_selection, &m_run);
    addPart("values", "values", tr("Values"), m_values, addView("values", "values", tr("Values"), m_values));

    m_compare = new CompareView(&m_document, &m_selection, &m_run);
    m_compare->setRecentFiles([this] { return m_settings.recentFiles(); });
    DockFrame* compare = addView("compare", "compare", tr("Compare"), m_compare);
    addPart("compare", "compare", tr("Compare"), m_compare, compare);
    addPart("meshes", "compare", tr("Other meshes"), m_compare->meshes(), compare, [this] { m_compare->showMeshes(); });
}

void MainWindow::makeInspector()
{
    m_explain = new ExplainView(&m_document, &m_selection);
    m_whatIf = new WhatIfView(&m_document, &m_selection);
    m_collectives = new CollectivesView(&m_document, &m_selection);
    // Numbers of collectives hold as long as the program does.
    connect(&m_document, &Document::experimentChanged, this, [this] { m_selection.setCollective(-1); });
    auto* pages = new PageStack(tr("Pages of the inspector"),
        { { tr("Explain"), m_explain }, { tr("What if"), m_whatIf }, { tr("Collectives"), m_collectives } });
    DockFrame* frame = addView("inspector", "explain", tr("Inspector"), pages, [pages] { return pages->current(); });
    const auto page = [this, pages, frame](const char* id, const char* icon, const QString& name, QWidget* view) {
        addPart(id, icon, name, view, frame, [pages, view] { pages->setCurrent(view); });
    };
    page("explain", "explain", tr("Explain"), m_explain);
    page("whatif", "edit", tr("What if"), m_whatIf);
    page("collectives", "collectives", tr("Collectives"), m_collectives);
    connect(pages, &PageStack::currentChanged, frame, [this, frame] {
        followFigure(frame);
        fitLater();
    });
}

DockFrame* MainWindow::addView(
    const char* id, const char* icon, const QString& title, QWidget* content, const std::function<QWidget*()>& front)
{
    auto* frame = new DockFrame(QLatin1String(id), QLatin1String(icon), title, content, this);
    m_fronts.insert(
        frame, front ? front : [content] { return content; });
    frame->setFocusTarget([this, frame]() -> QWidget* {
        const QWidget* shown = m_fronts.value(frame)();
        for (const Part& part : m_parts)
            if (part.widget == shown)
                return focusOf(part);
        return nullptr;
    });
    // Who is tabbed with whom is told by no signal: look again after whatever may have changed it.
    const auto later = [this] { m_tabsTime.start(); };
    connect(frame, &QDockWidget::dockLocationChanged, this, later);
    connect(frame, &QDockWidget::topLevelChanged, this, later);
    connect(frame, &QDockWidget::visibilityChanged, this, later);
    connect(frame, &DockFrame::maximiseRequested, this, [this, frame] { maximise(frame); });
    connect(frame, &DockFrame::copyRequested, this, [this, frame] { copyPicture(*frame); });
    connect(frame, &DockFrame::exportRequested, this, [this, frame] { askForPicture(*frame); });
    connect(frame, &DockFrame::helpRequested, this, [this, frame] { helpWindow()->showGuide(frame->name()); });
    connect(frame, &DockFrame::summoned, this, [this, frame] {
        if (!m_maximised || m_maximised == frame)
            return;
        maximise(nullptr);
        frame->present();
    });
    connect(
        frame, &DockFrame::closed, this,
        [this, frame] {
            if (m_maximised != frame)
                return;
            maximise(nullptr);
            frame->hide();
        },
        Qt::QueuedConnection);
    m_docks << frame;
    return frame;
}

void MainWindow::addPart(const char* id, const char* icon, const QString& name, QWidget* widget, DockFrame* frame,
    const std::function<void()>& reveal)
{
    // Tab would go from outside straight to a proxy, and never to the controls that stand before it.
    QWidget* focus = widget->focusProxy() ? widget->focusProxy() : widget;
    widget->setFocusProxy(nullptr);
    m_parts << Part{ QLatin1String(id), QLatin1String(icon), name, widget, frame, reveal, focus };
    auto* view = qobject_cast<DockView*>(widget);
    if (!view)
        return;
    connect(view, &DockView::keyFigureChanged, frame, [this, frame] { followFigure(frame); });
    followFigure(frame);
    connect(view, &DockView::previewRequested, this, [this](const Experiment& after, const QString& change) {
        m_whatIf->propose(after, change);
        present(QStringLiteral("whatif"));
    });
    connect(view, &DockView::dockRequested, this, [this](const QString& wanted) { present(wanted); });
}

void MainWindow::followFigure(DockFrame* frame)
{
    const auto* view = qobject_cast<DockView*>(m_fronts.value(frame)());
    const bool shown = view && frame->objectName() != QLatin1String("inputs");
    frame->setKeyFigure(shown ? view->keyFigure() : QString(), shown && view->isFigureBad());
}

void MainWindow::showTimes()
{
    std::vector<double> seconds;
    if (const std::vector<StepTiming>& steps = m_run.history(); !steps.empty())
        for (const DeviceTimes& device : steps.back().devices)
            seconds.push_back(device.compute + device.communication);
    m_grid->canvas()->setSeconds(seconds);
    m_mesh->map()->setSeconds(std::move(seconds));
}

DockFrame* MainWindow::dock(const QString& id) const
{
    const auto found =
        std::find_if(m_docks.begin(), m_docks.end(), [&id](const DockFrame* d) { return d->objectName() == id; });
    return found == m_docks.end() ? nullptr : *found;
}

const MainWindow::Part* MainWindow::findPart(const QString& id) const
{
    const auto found = std::find_if(m_parts.begin(), m_parts.end(), [&id](const Part& part) { return part.id == id; });
    return found == m_parts.end() ? nullptr : &*found;
}

QWidget* MainWindow::part(const QString& id) const
{
    const Part* found = findPart(id);
    return found ? found->widget : nullptr;
}

bool MainWindow::present(const QString& id, Qt::FocusReason reason)
{
    const Part* found = findPart(id);
    DockFrame* frame = found ? found->frame : dock(id);
    if (!frame)
        return false;
    if (m_start)
        m_start->leave();
    if (m_maximised && m_maximised != frame)
        maximise(nullptr);
    revealPart(id);
    QWidget* focus = found ? focusOf(*found) : nullptr;
    if (const auto* section = found ? qobject_cast<Section*>(found->widget->parentWidget()) : nullptr;
        section && !section->showsBody()) // a line that says why there is nothing
        focus = section->fold();
    frame->summon(focus, reason);
    if (frame->objectName() == QLatin1String("problems")) {
        m_problemsOpened = m_problemsClosed = false; // as somebody wants them
        fitHeights();
    }
    return true;
}

void MainWindow::revealPart(const QString& id)
{
    if (const Part* found = findPart(id); found && found->reveal)
        found->reveal();
}

bool MainWindow::shows(const QString& id) const
{
    const Part* found = findPart(id);
    const DockFrame* frame = found ? found->frame : dock(id);
    if (!frame || !frame->isInFront())
        return false;
    const auto* section = found ? qobject_cast<Section*>(found->widget->parentWidget()) : nullptr;
    const bool saysWhy = section && section->isVisible() && !section->nothing().isEmpty();
    return !found || saysWhy || found->widget->isVisible();
}

void MainWindow::followContents()
{
    const QList<QWidget*> tables{ m_rules, m_tensors }; // others have controls that stay of use
    for (Section* section : m_inputs->sections())
        if (tables.contains(section->body()))
            section->setNothing(emptinessOf(*section->body()));
    m_layoutBox->drawer()->setNothing(emptinessOf(*m_memory));
    const SnapshotPtr snapshot = m_document.snapshot();
    const bool isPartitioned = snapshot && snapshot->isPartitioned();
    if (snapshot && (snapshot->ok() || isPartitioned)) {
        // What has been partitioned is not edited: without a plan it never has one.
        const bool hasNone = hasNoStep(*snapshot) || (isPartitioned && snapshot->notPlanned);
        if (std::exchange(m_hasNoStep, hasNone) != hasNone)
            placeTimeline();
    }
    const QList<QWidget*> ofRules{ m_trace, m_dialects, m_named };
    for (Section* section : m_inputs->sections())
        if (ofRules.contains(section->body()))
            section->setNothing(
                isPartitioned ? tr("This program has been partitioned already: no rule decides anything.") : QString());
    m_programBox->drawer()->setNothing(
        isPartitioned ? tr("This program has been partitioned already: nothing is propagated.") : QString());
    m_inputs->fit();
}

} // namespace shardscope
