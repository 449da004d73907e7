// SPDX-License-Identifier: GPL-3.0-or-later
// Where the views of the main window stand: by form and perspective, one of them alone, and problems when there are
// any. A part of MainWindow, which is declared in main_window.h.
#include <QApplication>
#include <QKeyEvent>
#include <QLayout>
#include <QPointer>
#include <QStatusBar>
#include <QStyle>
#include <QTabBar>
#include <QTimer>
#include <QToolBar>
#include <QToolButton>
#include <algorithm>
#include <utility>

#include "views/main_window/dock_tabs.h"
#include "views/main_window/edge_drawers.h"
#include "views/main_window/main_window.h"
#include "views/main_window/notice_bar.h"
#include "views/main_window/selection_trail.h"
#include "views/main_window/status_message.h"
#include "views/problems_view/problem_row.h"
#include "views/problems_view/problems_view.h"
#include "views/start_page/start_page.h"
#include "views/theme/icons.h"
#include "views/theme/theme.h"
#include "views/widgets/dock_frame.h"
#include "views/widgets/drawer_box.h"
#include "views/widgets/notice_strip.h"
#include "views/widgets/section.h"
#include "views/widgets/section_column.h"
#include "views/widgets/segmented_bar.h"
#include "words/words.h"

namespace shardscope {

namespace {

/// Whether it has a size that the window gives it: shown, and neither a drawer, nor a window of its own, nor in one
/// with others.
bool isPlaced(DockFrame* frame, const MainWindow* window)
{
    // While it is dragged it is in no area, and a drawer never is.
    return frame && !frame->isHidden() && !frame->isFloating() && frame->window() == window
        && window->dockWidgetArea(frame) != Qt::NoDockWidgetArea;
}

constexpr const char* formNames[] = { "single", "low", "two", "three", "large" };
const std::pair<QString, Qt::Edge> widthKeys[] = {
    { QStringLiteral("DrawerLeft"), Qt::LeftEdge },
    { QStringLiteral("DrawerRight"), Qt::RightEdge },
};
const QString sizedByHandKey = QStringLiteral("SizedByHand"), withoutStepKey = QStringLiteral("WithoutStep");

} // namespace

MainWindow::Form MainWindow::formFor(const QSize& size)
{
    const auto isAtLeast = [&size](int width, int height) {
        return size.width() >= Metrics::scaled(width) && size.height() >= Metrics::scaled(height);
    };
    if (isAtLeast(2200, 1000))
        return Form::Large;
    // Three columns leave the picture in the middle one too little on most laptops.
    if (isAtLeast(1580, 700))
        return Form::ThreeColumns;
    // In a low one that which stands under the picture would leave it next to nothing.
    if (isAtLeast(900, 740))
        return Form::TwoColumns;
    return isAtLeast(900, 600) ? Form::Low : Form::Single;
}

QString MainWindow::arrangementName() const
{
    return QLatin1String(formNames[static_cast<std::size_t>(m_form)]) + u'-' + idOf(m_perspective);
}

MainWindow::Arranged& MainWindow::arranged()
{
    const QString name = arrangementName();
    auto found = m_arrangements.find(name);
    if (found == m_arrangements.end()) {
        const auto isNoted = [&](const QString& key) { return !m_settings.state(name + key).isEmpty(); };
        found =
            m_arrangements.insert(name, { m_settings.state(name), isNoted(sizedByHandKey), isNoted(withoutStepKey) });
    }
    return *found;
}

void MainWindow::keepArrangement()
{
    if (!m_arranged)
        return; // nobody has seen it, and nothing has its size
    arranged().memory = m_layoutBox->drawer()->isUnfolded();
    arranged().state = m_maximised ? m_beforeMaximised : saveState(arrangementVersion);
}

void MainWindow::noteSizes()
{
    if (m_maximised)
        return;
    // Qt shares a column out among groups of tabs, each with its bar.
    const auto barOver = [this](const QRect& frame) {
        for (const QTabBar* bar : findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly))
            if (const QRect place = bar->geometry(); bar->isVisible() && place.bottom() + 1 == frame.top()
                && place.left() <= frame.right() && frame.left() <= place.right())
                return place.height();
        return 0;
    };
    Arranged& own = arranged();
    own.window = size();
    own.frames.clear();
    for (DockFrame* frame : m_docks) // those behind others in a tab have the sizes of long ago
        if (frame->isInFront() && isPlaced(frame, this))
            own.frames.append({ frame->objectName(), frame->size() + QSize(0, barOver(frame->geometry())) });
}

void MainWindow::restoreSizes()
{
    const Arranged& own = arranged();
    if (!own.isSizedByHand || own.window != size() || m_maximised)
        return;
    QList<QDockWidget*> frames;
    QList<int> widths, heights;
    for (const auto& [id, kept] : own.frames)
        if (DockFrame* frame = dock(id); isPlaced(frame, this)) {
            frames << frame;
            widths << kept.width();
            heights << kept.height();
        }
    resizeDocks(frames, widths, Qt::Horizontal);
    resizeDocks(frames, heights, Qt::Vertical);
}

void MainWindow::storeArrangements()
{
    keepArrangement();
    for (const auto& [key, edge] : widthKeys)
        m_settings.setState(key, QByteArray::number(m_drawers->widthAt(edge)));
    for (auto kept = m_arrangements.cbegin(); kept != m_arrangements.cend(); ++kept) {
        m_settings.setState(kept.key(), kept->state);
        for (const auto& [key, is] :
            { std::pair(sizedByHandKey, kept->isSizedByHand), std::pair(withoutStepKey, kept->isWithoutStep) })
            m_settings.setState(kept.key() + key, is ? QByteArray("1") : QByteArray());
    }
}

void MainWindow::setForm(Form form)
{
    const QWidget* focus = QApplication::focusWidget();
    const auto used = std::find_if(
        m_docks.begin(), m_docks.end(), [focus](const DockFrame* frame) { return frame->isAncestorOf(focus); });
    m_form = form;
    m_layoutBox->drawer()->setVisible(form != Form::Single);
    arrange();
    if (used != m_docks.end() && (*used)->isHidden())
        presentPicture(); // a drawer now, it is closed
}

bool MainWindow::restoreViews(const QByteArray& state)
{
    // Qt shows one tab bar after the other out of a set, and each activates the layout, which would replace the set.
    layout()->setEnabled(false);
    const bool isRestored = restoreState(state, arrangementVersion);
    layout()->setEnabled(true);
    for (const auto& [frame, edge] : drawersOver()) // Qt gives a place to each that the state does not have
        removeDockWidget(frame);
    return isRestored;
}

void MainWindow::arrange()
{
    m_maximised = nullptr;
    m_drawers->release();
    const auto drawers = drawersOver();
    for (const auto& [frame, edge] : drawers) {
        frame->setFloating(false);
        removeDockWidget(frame);
    }
    Arranged& own = arranged();
    const bool isNew = own.state.isEmpty() || !restoreViews(own.state);
    if (isNew) {
        own.isSizedByHand = own.isWithoutStep = false;
        for (DockFrame* frame : m_docks) {
            frame->setFloating(false);
            removeDockWidget(frame);
        }
        place(viewsOf(m_perspective));
    }
    for (const auto& [frame, edge] : drawers)
        m_drawers->hold(frame, edge);
    placeTimeline();
    // Beside a picture that is low already, memory is one line until it is asked for; in Plan that takes less.
    const int roomy = m_perspective == Perspective::Plan ? 780 : 860;
    m_layoutBox->drawer()->setUnfolded(own.memory.value_or(height() >= Metrics::scaled(roomy)));
    if (isNew) {
        layout()->activate(); // before that it has no tab that could come to the front
        dock(QLatin1String(viewsOf(m_perspective).centre.front()))->raise();
    }
    if (m_errors > 0 && !m_problemsClosed)
        openProblems();
    showStatus();
    // Of a drawer that is closed nothing is to be seen but its button.
    for (DockFrame* frame : m_docks)
        if (auto* button = qobject_cast<QToolButton*>(m_toolBar->widgetForAction(frame->toggleViewAction())))
            button->setToolButtonStyle(
                m_form == Form::Low && frame->isOverEdge() ? Qt::ToolButtonTextBesideIcon : Qt::ToolButtonIconOnly);
    followTabs();
    layout()->activate();
    for (DockFrame* frame : m_docks)
        frame->followPlace();
    fitLater();
}

void MainWindow::makeDrawers()
{
    m_drawers = new EdgeDrawers(this, { m_toolBar, m_notices }, statusBar());
    for (const auto& [key, edge] : widthKeys)
        m_drawers->setWidthAt(edge, m_settings.state(key).toInt());
    connect(m_tabs, &DockTabs::placed, m_drawers, &EdgeDrawers::raise);
    // The keyboard goes from a drawer to the picture that is in front.
    for (DockFrame* frame : m_docks)
        connect(frame, &DockFrame::closed, this, [this, frame] {
            if (frame->isOverEdge() && frame->isAncestorOf(QApplication::focusWidget()))
                presentPicture();
        });
}

void MainWindow::presentPicture()
{
    DockFrame* seen = dock(QLatin1String(viewsOf(m_perspective).centre.front()));
    for (QDockWidget* beside : tabifiedDockWidgets(seen))
        if (auto* other = qobject_cast<DockFrame*>(beside); other && other->isInFront())
            seen = other;
    seen->present();
}

QList<std::pair<DockFrame*, Qt::Edge>> MainWindow::drawersOver() const
{
    if (m_form >= Form::TwoColumns)
        return {};
    QList<std::pair<DockFrame*, Qt::Edge>> found;
    const PerspectiveViews& views = viewsOf(m_perspective);
    DockFrame *inputs = dock(QStringLiteral("inputs")), *inspector = dock(QStringLiteral("inspector"));
    if (m_form == Form::Single || views.left.empty())
        found.append({ inputs, Qt::LeftEdge });
    if (inspector->objectName() != QLatin1String(views.centre.front()))
        found.append({ inspector, Qt::RightEdge });
    return found;
}

int MainWindow::rowsForDocks() const
{
    const int bars = Metrics::scaled(24 + 36 + 24) + noticesHeight() + 8;
    return std::max(height() - bars, Metrics::scaled(400)); // in less the views share what there is
}

void MainWindow::place(const PerspectiveViews& views)
{
    const auto frames = [this](const std::vector<const char*>& ids) {
        QList<DockFrame*> found;
        for (const char* id : ids)
            if (DockFrame* frame = dock(QLatin1String(id)))
                found << frame;
        return found;
    };
    QList<DockFrame*> left = frames(views.left), centre = frames(views.centre), below = frames(views.below),
                      right = frames(views.right), bottom = frames(views.bottom);
    const auto drawers = drawersOver();
    const auto isDrawer = [&drawers](const DockFrame* frame) {
        return std::any_of(
            drawers.begin(), drawers.end(), [frame](const auto& drawer) { return drawer.first == frame; });
    };
    if (m_form < Form::TwoColumns) {
        for (QList<DockFrame*>* place : { &left, &right })
            place->removeIf(isDrawer);
        for (QList<DockFrame*>* place : { &right, &bottom })
            centre += std::exchange(*place, {});
        if (m_form == Form::Single)
            centre += std::exchange(below, {});
    } else if (m_form == Form::TwoColumns) {
        for (DockFrame* frame : std::exchange(right, {}))
            (frame->objectName() == QLatin1String("inspector") ? below : centre).append(frame); // after the timeline
        below += std::exchange(bottom, {});
    }
    const QList<DockFrame*> open = left + centre + below + right + bottom;
    DockFrame* problems = dock(QStringLiteral("problems"));
    // Over the width of the window where that leaves room for the rest, else among what stands lowest.
    QList<DockFrame*>& lowest = below.isEmpty() ? centre : below;
    const bool isCrowded = m_form == Form::Low && !below.isEmpty();
    (m_form == Form::TwoColumns || m_form == Form::Single || isCrowded ? lowest : bottom) << problems;
    DockFrame* const first = left.isEmpty() ? centre.front() : left.front();
    addDockWidget(Qt::LeftDockWidgetArea, first);
    const auto stack = [this](DockFrame* top, const QList<DockFrame*>& others) {
        for (DockFrame* frame : others)
            splitDockWidget(std::exchange(top, frame), frame, Qt::Vertical);
    };
    // What has the whole width comes first: columns then stand above it.
    stack(first, bottom);
    if (first != centre.front())
        splitDockWidget(first, centre.front(), Qt::Horizontal);
    if (!right.isEmpty()) {
        splitDockWidget(centre.front(), right.front(), Qt::Horizontal);
        stack(right.front(), right.mid(1));
    }
    if (!below.isEmpty())
        splitDockWidget(centre.front(), below.front(), Qt::Vertical);
    // Pictures side by side, and what is below them below both.
    if (DockFrame* program = dock(QStringLiteral("program"));
        m_form == Form::Large && centre.front() != program && centre.removeOne(program))
        splitDockWidget(centre.front(), program, Qt::Horizontal);
    for (const QList<DockFrame*>& tabs : { centre, below })
        for (DockFrame* frame : tabs.mid(1))
            tabifyDockWidget(tabs.front(), frame);
    // The others have their place among the pictures, too, for when they are called.
    for (DockFrame* frame : m_docks) {
        frame->setHidden(!open.contains(frame));
        if (!open.contains(frame) && frame != problems && !isDrawer(frame))
            tabifyDockWidget(centre.front(), frame);
    }
    for (const QList<DockFrame*>& tabs : { centre, below })
        if (!tabs.isEmpty())
            tabs.front()->raise();
    fitWidths();
    fitHeights();
}

void MainWindow::placeTimeline()
{
    DockFrame* timeline = dock(QStringLiteral("timeline"));
    if (m_maximised || !m_arranged)
        return; // nothing else has its place, or nothing has one yet
    Arranged& own = arranged();
    if (m_hasNoStep && isPlaced(timeline, this)) {
        own.isWithoutStep = true;
        timeline->hide();
    } else if (!m_hasNoStep && std::exchange(own.isWithoutStep, false)) {
        timeline->show();
        fitHeights();
    } else {
        return;
    }
    followTabs();
}

void MainWindow::fitLater()
{
    m_fitTime.start();
}

void MainWindow::fitWidths()
{
    if (arranged().isSizedByHand || m_maximised)
        return;
    const PerspectiveViews& views = viewsOf(m_perspective);
    QList<QDockWidget*> columns;
    QList<int> widths;
    const int all = width() - 16;
    int rest = all;
    const auto add = [&](const char* id, int wanted) {
        DockFrame* frame = dock(QLatin1String(id));
        if (!isPlaced(frame, this))
            return;
        columns << frame;
        widths << std::max(wanted, frame->minimumSizeHint().width());
        rest -= widths.back();
    };
    // What is seen keeps three fifths of the width, and of a large window the columns beside it take their part.
    if (!views.left.empty())
        add(views.left.front(), std::clamp(all * 18 / 100, Metrics::scaled(340), Metrics::scaled(480)));
    if (!isCompact() && !views.right.empty())
        add(views.right.front(),
            views.rightPercent > 0 ? all * views.rightPercent / 100
                                   : std::clamp(rest - all * 3 / 5, Metrics::scaled(280), Metrics::scaled(480)));
    if (columns.isEmpty())
        return;
    if (DockFrame* centre = dock(QLatin1String(views.centre.front())); isPlaced(centre, this)) {
        columns << centre;
        widths << std::max(rest, 1);
        // Beside each other they share what is left.
        if (DockFrame* program = dock(QStringLiteral("program")); m_form == Form::Large && program != centre
            && isPlaced(program, this) && tabifiedDockWidgets(program).isEmpty()) {
            columns << program;
            widths.back() /= 2;
            widths << widths.back();
        }
    }
    resizeDocks(columns, widths, Qt::Horizontal);
}

void MainWindow::fitHeights()
{
    if (m_form == Form::Single)
        return;
    const PerspectiveViews& views = viewsOf(m_perspective);
    const int rows = rowsForDocks();
    const auto share = [this](const char* id, int wanted) {
        DockFrame* frame = dock(QLatin1String(id));
        if (isPlaced(frame, this))
            resizeDocks({ frame }, { wanted }, Qt::Vertical);
    };
    if (!arranged().isSizedByHand) {
        const int low = std::max(Metrics::scaled(208), rows / 4);
        if (!isCompact()) {
            for (const std::vector<const char*>& place : { views.below, views.bottom })
                for (const char* id : place)
                    share(id, rows * 27 / 100);
            if (views.right.size() > 1)
                share(views.right.front(), rows * 45 / 100);
        } else if (m_form == Form::TwoColumns) {
            for (const char* id : { "inspector", "timeline" })
                if (qstrcmp(id, views.centre.front()) != 0)
                    share(id, low);
        } else {
            for (const char* id : views.below)
                share(id, Metrics::scaled(160));
        }
    }
    // Whole rows: as many as there are, a few of many.
    const DockFrame* problems = dock(QStringLiteral("problems"));
    const int frame = 2 * problems->style()->pixelMetric(QStyle::PM_DockWidgetFrameWidth, nullptr, problems);
    const int count = std::clamp(static_cast<int>(m_problems->rows().size()), 1, 3);
    share("problems", Metrics::scaled(24) + frame + count * ProblemRow::defaultHeight());
}

void MainWindow::resetArrangement()
{
    maximise(nullptr);
    arranged() = {};
    for (const auto& [key, edge] : widthKeys)
        m_drawers->setWidthAt(edge, 0);
    arrange();
    fitHeights();
}

bool MainWindow::hasOnlyArrays() const
{
    return std::holds_alternative<ArraysModel>(m_document.experiment()->model);
}

DockFrame* MainWindow::frontView() const
{
    if (hasOnlyArrays() && m_perspective == Perspective::Program)
        return dock(QStringLiteral("layout"));
    return dock(QLatin1String(viewsOf(m_perspective).centre.front()));
}

bool MainWindow::isInView(const QWidget* widget) const
{
    return std::any_of(m_docks.begin(), m_docks.end(),
        [widget](const DockFrame* frame) { return frame->isInFront() && frame->isAncestorOf(widget); });
}

void MainWindow::setPerspective(Perspective perspective)
{
    if (!dock(QLatin1String(viewsOf(perspective).centre.front())))
        return;
    if (m_start)
        m_start->leave();
    if (perspective != m_perspective) {
        const bool wasInView = isInView(QApplication::focusWidget());
        maximise(nullptr);
        keepArrangement();
        m_perspective = perspective;
        arrange();
        revealPart(hasOnlyArrays() && perspective == Perspective::Debug ? QStringLiteral("explain")
                                                                        : QLatin1String(viewsOf(perspective).page));
        if (hasOnlyArrays() && perspective == Perspective::Program)
            frontView()->raise();
        if (wasInView && !isInView(QApplication::focusWidget())) // its view is not among these: Qt took what is next
            frontView()->present();
    }
    showPerspective();
}

void MainWindow::choosePerspective()
{
    const std::optional<Perspective> kept = perspectiveOf(m_settings.perspective(m_document.filePath()));
    setPerspective(kept.value_or(firstPerspective(*m_document.experiment())));
}

bool MainWindow::sayWhyItStays(const DockFrame* frame)
{
    if (!frame->isOverEdge())
        return false;
    m_message->say(tr("In a window of this size %1 is a drawer: it closes, and its inner edge can be dragged. In a "
                      "larger one it stands beside the picture.")
                       .arg(frame->name()));
    return true;
}

void MainWindow::maximise(DockFrame* frame)
{
    if (m_maximised) {
        DockFrame* const before = std::exchange(m_maximised, nullptr);
        const QPointer<QWidget> focus = focusWidget();
        const bool wasInView = before->isAncestorOf(focus);
        restoreViews(std::exchange(m_beforeMaximised, {}));
        placeTimeline(); // whether there is a step may be another thing now
        if (wasInView && !before->isAncestorOf(focusWidget())) // Qt hides views for a moment, and they lose it
            before->present(focus, Qt::OtherFocusReason);
    } else if (frame && !frame->isOverEdge()) {
        if (frame->isFloating())
            frame->setFloating(false);
        m_beforeMaximised = saveState(arrangementVersion);
        for (DockFrame* other : m_docks)
            if (other != frame && !other->isFloating())
                other->hide();
        m_maximised = frame;
        frame->present();
    }
    followTabs();
    layout()->activate();
    for (DockFrame* each : m_docks)
        each->followPlace();
}

void MainWindow::keyPressEvent(QKeyEvent* event)
{
    // Whoever has the focus had no use for it.
    const bool escape = event->key() == Qt::Key_Escape;
    if (escape && m_document.preview())
        Q_EMIT m_document.previewDecided(false);
    else if (escape && m_drawers->closeAround(QApplication::focusWidget()))
        event->accept();
    else if (escape && m_maximised)
        maximise(nullptr);
    else if (escape && m_trail->goUp())
        event->accept();
    else
        QMainWindow::keyPressEvent(event);
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
    if (QApplication::mouseButtons() != Qt::NoButton)
        return m_problemsTime.start(); // nothing moves under a hand that drags
    const bool first = text.errors > 0 && m_errors == 0;
    const bool last = text.errors == 0 && m_problemsOpened;
    m_errors = text.errors;
    if (first && !m_problemsClosed)
        openProblems();
    else if (last && !dock->isAncestorOf(QApplication::focusWidget()))
        dock->hide();
    if (last)
        m_problemsOpened = false;
    followTabs();
}

void MainWindow::openProblems()
{
    DockFrame* dock = this->dock(QStringLiteral("problems"));
    if (dock->isFloating() || m_maximised)
        return;
    if (dock->isHidden()) {
        m_problemsOpened = true;
        dock->show();
        fitHeights();
        layout()->activate(); // before that it has no tab that could come to the front
    }
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
    shown[index]->present(nullptr, Qt::ShortcutFocusReason);
}

} // namespace shardscope
