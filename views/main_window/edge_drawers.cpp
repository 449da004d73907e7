// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/main_window/edge_drawers.h"

#include <QApplication>
#include <QEvent>
#include <QMainWindow>
#include <algorithm>
#include <utility>

#include "views/main_window/drawer_grip.h"
#include "views/theme/theme.h"
#include "views/widgets/dock_frame.h"

namespace shardscope {

EdgeDrawers::EdgeDrawers(QMainWindow* window, const QList<QWidget*>& above, QWidget* below)
    : QObject(window)
    , m_window(window)
    , m_above(above)
    , m_below(below)
{
    for (QWidget* bar : m_above)
        bar->installEventFilter(this);
    m_below->installEventFilter(this);
}

void EdgeDrawers::hold(DockFrame* frame, Qt::Edge edge)
{
    if (frame->parentWidget() != m_window) // of a group that floats
        frame->setParent(m_window);
    frame->hide();
    frame->setOverEdge(true);
    auto* grip = new DrawerGrip(frame->name(), m_window);
    m_drawers.append({ frame, edge, grip });
    frame->installEventFilter(this);
    connect(grip, &DrawerGrip::moved, this, [this, frame, edge](int distance) {
        setWidthAt(edge, std::max(frame->width() + (edge == Qt::LeftEdge ? distance : -distance), 1));
        m_widths[edge] = frame->width(); // no more than there is room for
    });
    connect(grip, &DrawerGrip::released, this, [this, frame] { makeRoomFor(frame); });
}

void EdgeDrawers::setWidthAt(Qt::Edge edge, int width)
{
    m_widths[edge] = width;
    follow();
}

void EdgeDrawers::release()
{
    for (const Drawer& drawer : std::exchange(m_drawers, {})) {
        drawer.frame->removeEventFilter(this);
        delete drawer.grip;
        drawer.frame->hide();
        drawer.frame->setOverEdge(false);
    }
}

bool EdgeDrawers::holds(const DockFrame* frame) const
{
    return std::any_of(
        m_drawers.begin(), m_drawers.end(), [frame](const Drawer& drawer) { return drawer.frame == frame; });
}

bool EdgeDrawers::closeAround(const QWidget* widget)
{
    for (const Drawer& drawer : m_drawers) {
        if (widget == drawer.grip) // the keyboard goes on as from the drawer itself
            drawer.frame->present();
        if (widget && (widget == drawer.grip || drawer.frame->isAncestorOf(widget)))
            return drawer.frame->close();
    }
    return false;
}

void EdgeDrawers::raise()
{
    for (const Drawer& drawer : m_drawers)
        if (drawer.frame->isVisible()) {
            drawer.frame->raise();
            drawer.grip->raise();
        }
}

QRect EdgeDrawers::place() const
{
    const QMargins margins = m_window->contentsMargins();
    int top = 0;
    for (const QWidget* bar : m_above)
        if (bar->isVisible())
            top = std::max(top, bar->geometry().bottom() + 1);
    return { QPoint(margins.left(), top), QPoint(m_window->width() - margins.right() - 1, m_below->y() - 1) };
}

QRect EdgeDrawers::placeOf(const Drawer& drawer) const
{
    QRect at = place();
    const int least = drawer.frame->minimumSizeHint().width();
    const int ownWidth = std::clamp(at.width() * 2 / 5, least, std::max(least, Metrics::scaled(340)));
    const int chosen = widthAt(drawer.edge);
    const int width = std::min(chosen > 0 ? std::clamp(chosen, least, std::max(least, at.width() * 4 / 5)) : ownWidth,
        std::max(at.width(), 1));
    if (drawer.edge == Qt::LeftEdge)
        at.setWidth(width);
    else
        at.setLeft(at.right() - width + 1);
    return at;
}

void EdgeDrawers::put(const Drawer& drawer)
{
    const QRect at = placeOf(drawer);
    const int width = drawer.grip->width();
    drawer.frame->setGeometry(at);
    drawer.grip->setGeometry(
        drawer.edge == Qt::LeftEdge ? at.right() + 1 : at.left() - width, at.top(), width, at.height());
    drawer.grip->show();
    drawer.grip->raise();
}

void EdgeDrawers::follow()
{
    for (const Drawer& drawer : m_drawers)
        if (drawer.frame->isVisible())
            put(drawer);
}

void EdgeDrawers::followWindow()
{
    follow();
    if (m_drawers.isEmpty()
        || !std::all_of(m_drawers.begin(), m_drawers.end(), [](const Drawer& each) { return each.frame->isVisible(); }))
        return;
    // The one in use stays.
    const QWidget* focus = QApplication::focusWidget();
    const auto used = std::find_if(m_drawers.begin(), m_drawers.end(),
        [focus](const Drawer& each) { return focus && (focus == each.grip || each.frame->isAncestorOf(focus)); });
    makeRoomFor(used == m_drawers.end() ? m_drawers.back().frame : used->frame);
}

void EdgeDrawers::makeRoomFor(const DockFrame* wanted)
{
    int covered = 0;
    for (const Drawer& drawer : m_drawers)
        if (drawer.frame->isVisible())
            covered += placeOf(drawer).width();
    if (covered <= place().width() * 2 / 5)
        return;
    for (const Drawer& drawer : m_drawers)
        if (drawer.frame != wanted)
            drawer.frame->hide();
}

bool EdgeDrawers::eventFilter(QObject* watched, QEvent* event)
{
    const auto drawer = std::find_if(
        m_drawers.begin(), m_drawers.end(), [watched](const Drawer& each) { return each.frame == watched; });
    const QEvent::Type type = event->type();
    const bool isShown = type == QEvent::Show, isHidden = type == QEvent::Hide;
    if (drawer == m_drawers.end()) { // one of the bars
        if (isShown || isHidden || type == QEvent::Move || type == QEvent::Resize)
            followWindow();
    } else if (isShown) {
        makeRoomFor(drawer->frame);
        drawer->frame->raise();
        put(*drawer);
    } else if (isHidden) {
        drawer->grip->hide();
    }
    return QObject::eventFilter(watched, event);
}

} // namespace shardscope
