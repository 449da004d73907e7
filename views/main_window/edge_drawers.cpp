// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/main_window/edge_drawers.h"

#include <QEvent>
#include <QMainWindow>
#include <algorithm>
#include <utility>

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
    m_drawers.append({ frame, edge });
    frame->installEventFilter(this);
}

void EdgeDrawers::release()
{
    for (const Drawer& drawer : std::exchange(m_drawers, {})) {
        drawer.frame->removeEventFilter(this);
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
    for (const Drawer& drawer : m_drawers)
        if (widget && drawer.frame->isAncestorOf(widget))
            return drawer.frame->close();
    return false;
}

void EdgeDrawers::raise()
{
    for (const Drawer& drawer : m_drawers)
        if (drawer.frame->isVisible())
            drawer.frame->raise();
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
    const int width =
        std::min(std::clamp(at.width() * 2 / 5, least, std::max(least, Metrics::scaled(380))), std::max(at.width(), 1));
    if (drawer.edge == Qt::LeftEdge)
        at.setWidth(width);
    else
        at.setLeft(at.right() - width + 1);
    return at;
}

void EdgeDrawers::follow()
{
    for (const Drawer& drawer : m_drawers)
        if (drawer.frame->isVisible())
            drawer.frame->setGeometry(placeOf(drawer));
}

void EdgeDrawers::makeRoomFor(const DockFrame* opened)
{
    int covered = 0;
    for (const Drawer& drawer : m_drawers)
        if (drawer.frame->isVisible())
            covered += placeOf(drawer).width();
    if (covered <= place().width() * 2 / 5)
        return;
    for (const Drawer& drawer : m_drawers)
        if (drawer.frame != opened)
            drawer.frame->hide();
}

bool EdgeDrawers::eventFilter(QObject* watched, QEvent* event)
{
    const auto opened = std::find_if(
        m_drawers.begin(), m_drawers.end(), [watched](const Drawer& drawer) { return drawer.frame == watched; });
    switch (event->type()) {
    case QEvent::Show:
        if (opened != m_drawers.end()) {
            makeRoomFor(opened->frame);
            opened->frame->setGeometry(placeOf(*opened));
            opened->frame->raise();
            break;
        }
        [[fallthrough]];
    case QEvent::Hide:
    case QEvent::Move:
    case QEvent::Resize:
        if (opened == m_drawers.end()) // one of the bars
            follow();
        break;
    default:
        break;
    }
    return QObject::eventFilter(watched, event);
}

} // namespace shardscope
