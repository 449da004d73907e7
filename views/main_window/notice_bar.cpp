// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/main_window/notice_bar.h"

#include <QEvent>
#include <QVBoxLayout>
#include <algorithm>

#include "views/widgets/notice_strip.h"

namespace shardscope {

NoticeBar::NoticeBar(QWidget* parent)
    : QToolBar(tr("Messages"), parent)
    , m_content(new QWidget(this))
{
    setObjectName(QStringLiteral("notices"));
    setMovable(false);
    setContextMenuPolicy(Qt::PreventContextMenu);
    toggleViewAction()->setVisible(false);
    setContentsMargins(0, 0, 0, 0);
    layout()->setContentsMargins(0, 0, 0, 0);
    m_content->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    m_content->setMinimumWidth(1);
    auto* column = new QVBoxLayout(m_content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(1);
    addWidget(m_content);
    hide();
}

NoticeStrip* NoticeBar::addStrip(const QString& name)
{
    auto* strip = new NoticeStrip(m_content);
    strip->setObjectName(name);
    m_content->layout()->addWidget(strip);
    strip->installEventFilter(this);
    m_strips << strip;
    return strip;
}

bool NoticeBar::hasNews() const
{
    return std::any_of(m_strips.begin(), m_strips.end(), [](const NoticeStrip* strip) { return !strip->isHidden(); });
}

void NoticeBar::fit()
{
    // Tool bars do not ask their widgets how high they are at a width.
    const int height = m_content->layout()->heightForWidth(std::max(width(), 1));
    if (height > 0 && m_content->height() != height)
        m_content->setFixedHeight(height);
}

bool NoticeBar::eventFilter(QObject* watched, QEvent* event)
{
    switch (event->type()) {
    case QEvent::HideToParent:
    case QEvent::ShowToParent:
        setVisible(hasNews());
        fit();
        break;
    case QEvent::LayoutRequest:
        fit();
        break;
    default:
        break;
    }
    return QToolBar::eventFilter(watched, event);
}

void NoticeBar::resizeEvent(QResizeEvent* event)
{
    QToolBar::resizeEvent(event);
    fit();
}

} // namespace shardscope
