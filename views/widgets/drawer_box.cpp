// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/drawer_box.h"

#include <QEvent>
#include <QSplitter>
#include <algorithm>
#include <utility>

#include "views/widgets/section.h"

namespace shardscope {

DrawerBox::DrawerBox(QWidget* main, Section* drawer, QWidget* parent)
    : QWidget(parent)
    , m_main(main)
    , m_drawer(drawer)
    , m_splitter(new QSplitter(Qt::Vertical, this))
{
    m_splitter->setChildrenCollapsible(false);
    m_splitter->addWidget(main);
    m_splitter->addWidget(drawer);
    m_splitter->setStretchFactor(0, 1);
    m_splitter->setStretchFactor(1, 0);
    m_place = place();
    connect(m_splitter, &QSplitter::splitterMoved, this, [this] { m_isDragged = true; });
    drawer->body()->installEventFilter(this);
    connect(drawer, &Section::changed, this, [this] {
        updateGeometry();
        arrange();
    });
}

void DrawerBox::setDrawerHeight(std::function<int(int width)> height)
{
    m_height = std::move(height);
    m_place = Place::Folded; // asked for anew
    m_drawer->setUnfolded(true);
    arrange();
}

void DrawerBox::setBesideBelow(int height)
{
    m_besideBelow = height;
    arrange();
}

void DrawerBox::revealMain()
{
    if (place() == Place::Instead)
        m_drawer->setUnfolded(false);
    m_main->show();
}

int DrawerBox::headHeight() const
{
    return m_drawer->isHidden() ? 0 : m_drawer->headHeight(width()) + m_splitter->handleWidth();
}

DrawerBox::Place DrawerBox::place() const
{
    if (m_drawer->isHidden() || !m_drawer->showsBody())
        return Place::Folded;
    // Layouts of what is hidden do not tell by themselves that it needs less room meanwhile.
    if (m_main->isHidden())
        for (QWidget* part : m_main->findChildren<QWidget*>(Qt::FindDirectChildrenOnly))
            part->updateGeometry();
    const QSize main = m_main->minimumSizeHint(), body = m_drawer->body()->minimumSizeHint();
    if (height() < m_besideBelow && width() >= main.width() + m_splitter->handleWidth() + body.width())
        return Place::Beside;
    return height() >= main.height() + headHeight() + body.height() ? Place::Below : Place::Instead;
}

void DrawerBox::arrange()
{
    m_splitter->setGeometry(rect());
    const Place now = place(), before = std::exchange(m_place, now);
    const bool beside = now == Place::Beside;
    const int head = m_drawer->headHeight(width());
    m_splitter->setOrientation(beside ? Qt::Horizontal : Qt::Vertical);
    m_drawer->setMaximumHeight(now == Place::Folded ? head : QWIDGETSIZE_MAX);
    m_main->setVisible(now != Place::Instead);
    if (beside != (before == Place::Beside) || before == Place::Folded)
        m_isDragged = false;
    if (m_isDragged && now != Place::Folded)
        return;
    const int all = beside ? width() : height();
    int own = beside ? all / 2 : head;
    if (!beside && now != Place::Folded)
        own += std::max(m_height ? m_height(width()) : 0, m_drawer->body()->minimumSizeHint().height());
    if (m_splitter->sizes().value(1) != own)
        m_splitter->setSizes({ std::max(all - own, 0), own });
}

/// What the drawer holds may need another height now.
bool DrawerBox::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_drawer->body() && event->type() == QEvent::LayoutRequest)
        arrange();
    return QWidget::eventFilter(watched, event);
}

QSize DrawerBox::minimumSizeHint() const
{
    const QSize main = m_main->minimumSizeHint(), body = m_drawer->body()->minimumSizeHint();
    return { std::max(main.width(), body.width()), std::max(main.height(), body.height()) + headHeight() };
}

} // namespace shardscope
