// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/main_window/edge_drawers.h"

#include <QEvent>
#include <QMainWindow>
#include <QMouseEvent>
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
    auto* grip = new QWidget(m_window);
    grip->setObjectName(QStringLiteral("drawerGrip"));
    grip->setAccessibleName(tr("Width of %1").arg(frame->name()));
    grip->setToolTip(tr("Drag it to make %1 wider or narrower").arg(frame->name()));
    grip->setCursor(Qt::SplitHCursor);
    grip->hide();
    m_drawers.append({ frame, edge, grip });
    for (QWidget* each : { static_cast<QWidget*>(frame), grip })
        each->installEventFilter(this);
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
    for (const Drawer& drawer : m_drawers)
        if (widget && drawer.frame->isAncestorOf(widget))
            return drawer.frame->close();
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
    const int usual = std::clamp(at.width() * 2 / 5, least, std::max(least, Metrics::scaled(340)));
    const int chosen = widthAt(drawer.edge);
    const int width = std::min(
        chosen > 0 ? std::clamp(chosen, least, std::max(least, at.width() * 4 / 5)) : usual, std::max(at.width(), 1));
    if (drawer.edge == Qt::LeftEdge)
        at.setWidth(width);
    else
        at.setLeft(at.right() - width + 1);
    return at;
}

void EdgeDrawers::put(const Drawer& drawer)
{
    const QRect at = placeOf(drawer);
    const int width = Metrics::scaled(5);
    drawer.frame->setGeometry(at);
    drawer.grip->setGeometry(
        drawer.edge == Qt::LeftEdge ? at.right() - width + 1 : at.left(), at.top(), width, at.height());
    drawer.grip->show();
    drawer.grip->raise();
}

void EdgeDrawers::follow()
{
    for (const Drawer& drawer : m_drawers)
        if (drawer.frame->isVisible())
            put(drawer);
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

bool EdgeDrawers::drag(const QObject* grip, const QEvent* event)
{
    const auto dragged =
        std::find_if(m_drawers.begin(), m_drawers.end(), [grip](const Drawer& drawer) { return drawer.grip == grip; });
    if (dragged == m_drawers.end())
        return false;
    if (event->type() != QEvent::MouseMove) // which comes while a button is held alone
        return event->type() == QEvent::MouseButtonPress || event->type() == QEvent::MouseButtonRelease;
    const auto* moved = static_cast<const QMouseEvent*>(event);
    const int x = m_window->mapFromGlobal(moved->globalPosition().toPoint()).x();
    const QRect all = place();
    setWidthAt(dragged->edge, std::max(dragged->edge == Qt::LeftEdge ? x - all.left() : all.right() - x, 1));
    return true;
}

bool EdgeDrawers::eventFilter(QObject* watched, QEvent* event)
{
    if (drag(watched, event))
        return true;
    if (std::any_of(
            m_drawers.begin(), m_drawers.end(), [watched](const Drawer& drawer) { return drawer.grip == watched; }))
        return QObject::eventFilter(watched, event);
    const auto opened = std::find_if(
        m_drawers.begin(), m_drawers.end(), [watched](const Drawer& drawer) { return drawer.frame == watched; });
    switch (event->type()) {
    case QEvent::Show:
        if (opened != m_drawers.end()) {
            makeRoomFor(opened->frame);
            opened->frame->raise();
            put(*opened);
            break;
        }
        [[fallthrough]];
    case QEvent::Hide:
        if (opened != m_drawers.end())
            opened->grip->hide();
        [[fallthrough]];
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
