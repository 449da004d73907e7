// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/zoom_trail.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include "views/theme/theme.h"
#include "views/widgets/plain_tip.h"

namespace shardscope {

ZoomTrail::ZoomTrail(QWidget* parent)
    : QWidget(parent)
    , m_row(new QHBoxLayout(this))
{
    m_row->setContentsMargins(4, 0, 8, 0);
    m_row->setSpacing(0);
    setAccessibleName(tr("Way back from where the map is zoomed to"));
    hide();
}

void ZoomTrail::setPlaces(const QStringList& places, const QStringList& names)
{
    if (places == m_places && names == m_names)
        return;
    m_places = places;
    m_names = names;
    const bool focus = isAncestorOf(focusWidget()) && focusWidget()->hasFocus();
    while (QLayoutItem* item = m_row->takeAt(0)) {
        if (QWidget* widget = item->widget()) {
            widget->hide();
            widget->deleteLater(); // it may be the one whose click led here
        }
        delete item;
    }
    QToolButton* last = nullptr;
    for (int i = 0; i < places.size(); ++i) {
        const QString name = names.value(i, places[i]);
        if (i + 1 == places.size()) {
            auto* here = new QLabel(places[i], this);
            here->setTextFormat(Qt::PlainText);
            here->setFont(Metrics::semibold());
            if (name != places[i])
                here->setToolTip(plainTip(name));
            m_row->addWidget(here);
            break;
        }
        auto* button = new QToolButton(this);
        button->setText(places[i]);
        button->setAutoRaise(true);
        button->setToolButtonStyle(Qt::ToolButtonTextOnly);
        button->setFont(Metrics::small());
        button->setFixedHeight(Metrics::scaled(20));
        const bool hasKey = i + 2 == places.size() && !m_key.isEmpty();
        button->setAccessibleName(tr("Back to %1").arg(name));
        button->setToolTip(plainTip(hasKey ? tr("Back to %1 (%2)").arg(name, m_key) : tr("Back to %1").arg(name)));
        connect(button, &QToolButton::clicked, this, [this, i] { Q_EMIT chosen(i); });
        m_row->addWidget(button);
        auto* mark = new QLabel(QStringLiteral("›"), this);
        mark->setForegroundRole(QPalette::PlaceholderText);
        m_row->addWidget(mark);
        m_row->addSpacing(4);
        last = button;
    }
    m_row->addStretch();
    setVisible(places.size() > 1);
    if (focus && last)
        last->setFocus();
}

} // namespace shardscope
