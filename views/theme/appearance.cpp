// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/theme/appearance.h"

#include <QApplication>
#include <QEvent>
#include <QPixmapCache>
#include <QToolTip>
#include <algorithm>

#include "views/theme/style.h"
#include "views/theme/theme.h"

namespace shardscope {

Appearance::Appearance(ThemeChoice choice, QObject* parent)
    : QObject(parent)
    , m_choice(choice)
{
    // Room for the tiles of all shards and for every icon in two themes.
    QPixmapCache::setCacheLimit(std::max(QPixmapCache::cacheLimit(), 20 * 1024));
    QApplication::setStyle(new ShardscopeStyle);
    apply();
    qApp->installEventFilter(this);
}

void Appearance::setChoice(ThemeChoice choice)
{
    m_choice = choice;
    apply();
}

bool Appearance::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::ThemeChange && m_choice == ThemeChoice::System && !m_applying)
        apply();
    return QObject::eventFilter(watched, event);
}

void Appearance::apply()
{
    m_applying = true;
    bool dark = m_choice == ThemeChoice::Dark;
    if (m_choice == ThemeChoice::System) {
        QApplication::setPalette(QPalette()); // what the system asks for shows only without a palette of ours
        dark = QApplication::palette().color(QPalette::Window).lightness() < 128;
    }
    const Theme& theme = dark ? Theme::darkTheme() : Theme::light();
    QApplication::setPalette(theme.palette());
    QToolTip::setPalette(theme.palette());
    m_applying = false;
}

} // namespace shardscope
