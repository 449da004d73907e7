// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/drawer_box.h"

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
    m_unfolded = drawer->isUnfolded();
    connect(drawer, &Section::changed, this, [this] {
        updateGeometry();
        arrange();
    });
}

void DrawerBox::setDrawerHeight(int height)
{
    m_height = height;
    m_unfolded = false; // asked for anew
    m_drawer->setUnfolded(true);
    arrange();
}

void DrawerBox::revealMain()
{
    if (!haveBothRoom())
        m_drawer->setUnfolded(false);
    m_main->show();
}

int DrawerBox::headHeight() const
{
    return m_drawer->isHidden() ? 0 : m_drawer->headHeight() + m_splitter->handleWidth();
}

bool DrawerBox::haveBothRoom() const
{
    const int body = m_drawer->showsBody() ? m_drawer->body()->minimumSizeHint().height() : 0;
    return height() >= m_main->minimumSizeHint().height() + headHeight() + body;
}

void DrawerBox::arrange()
{
    m_splitter->setGeometry(rect());
    const bool unfolded = !m_drawer->isHidden() && m_drawer->showsBody();
    const int head = m_drawer->headHeight();
    m_drawer->setMaximumHeight(unfolded ? QWIDGETSIZE_MAX : head);
    m_main->setVisible(!unfolded || haveBothRoom());
    if (std::exchange(m_unfolded, unfolded) == unfolded)
        return;
    const int own = unfolded ? head + std::max(m_height, m_drawer->body()->minimumSizeHint().height()) : head;
    m_splitter->setSizes({ std::max(height() - own, 0), own });
}

QSize DrawerBox::minimumSizeHint() const
{
    const QSize main = m_main->minimumSizeHint(), body = m_drawer->body()->minimumSizeHint();
    return { std::max(main.width(), body.width()), std::max(main.height(), body.height()) + headHeight() };
}

} // namespace shardscope
