// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/main_window/drawer_grip.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <utility>

#include "views/theme/theme.h"

namespace shardscope {

DrawerGrip::DrawerGrip(const QString& drawer, QWidget* parent)
    : QWidget(parent)
{
    setAccessibleName(tr("Width of %1").arg(drawer));
    setToolTip(tr("Drag it, or press Left and Right, to make %1 wider or narrower").arg(drawer));
    setCursor(Qt::SplitHCursor);
    setFocusPolicy(Qt::TabFocus);
    setFixedWidth(Metrics::scaled(5));
    hide();
}

void DrawerGrip::paintEvent(QPaintEvent*)
{
    if (hasFocus())
        QPainter(this).fillRect(rect(), Theme::current().accent);
}

void DrawerGrip::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton)
        m_pressedAt = event->position().toPoint().x();
}

void DrawerGrip::mouseMoveEvent(QMouseEvent* event)
{
    if (m_pressedAt >= 0 && event->buttons() & Qt::LeftButton)
        Q_EMIT moved(event->position().toPoint().x() - m_pressedAt);
}

void DrawerGrip::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && std::exchange(m_pressedAt, -1) >= 0)
        Q_EMIT released();
}

void DrawerGrip::hideEvent(QHideEvent*)
{
    m_pressedAt = -1; // the drawer was closed while it was dragged
}

void DrawerGrip::keyPressEvent(QKeyEvent* event)
{
    if (event->key() != Qt::Key_Left && event->key() != Qt::Key_Right)
        return QWidget::keyPressEvent(event);
    Q_EMIT moved(Metrics::scaled(event->key() == Qt::Key_Left ? -16 : 16));
    Q_EMIT released();
}

} // namespace shardscope
