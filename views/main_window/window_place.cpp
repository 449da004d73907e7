// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/main_window/window_place.h"

#include <QGuiApplication>
#include <QScreen>
#include <QStyle>
#include <QWidget>
#include <algorithm>

namespace shardscope {

namespace {

constexpr QSize usualSize(1600, 1000);
constexpr QSize maximizedBelow(1700, 1050);

qint64 sharedArea(const QRect& a, const QRect& b)
{
    const QRect both = a.intersected(b);
    return both.isEmpty() ? 0 : qint64{ both.width() } * both.height();
}

} // namespace

WindowPlace firstPlace(const QRect& available, const QMargins& frame)
{
    const QRect room = available.marginsRemoved(frame);
    QRect geometry(QPoint(), usualSize.boundedTo(room.size()));
    geometry.moveCenter(room.center());
    const bool little = available.width() < maximizedBelow.width() || available.height() < maximizedBelow.height();
    return { geometry, little };
}

QRect placeOn(const QList<QRect>& available, const QRect& geometry, const QMargins& frame)
{
    if (available.isEmpty())
        return geometry;
    const QRect framed = geometry.marginsAdded(frame);
    const QRect& screen = *std::max_element(available.begin(), available.end(),
        [&](const QRect& a, const QRect& b) { return sharedArea(a, framed) < sharedArea(b, framed); });
    const QRect room = screen.marginsRemoved(frame);
    const QSize size = geometry.size().boundedTo(room.size());
    return { QPoint(std::clamp(geometry.x(), room.x(), room.x() + room.width() - size.width()),
                 std::clamp(geometry.y(), room.y(), room.y() + room.height() - size.height())),
        size };
}

void placeWindow(QWidget& window, const QByteArray& saved)
{
    // How thick the frame becomes is known once the window is shown.
    const int title = std::max(window.style()->pixelMetric(QStyle::PM_TitleBarHeight), 38);
    const QMargins frame(4, title, 4, 4);
    QList<QRect> available;
    for (const QScreen* screen : QGuiApplication::screens())
        available << screen->availableGeometry();
    const QRect here = window.screen()->availableGeometry();
    window.setMinimumSize(window.minimumSize().boundedTo(here.marginsRemoved(frame).size()));
    if (!saved.isEmpty() && window.restoreGeometry(saved)) {
        if (!window.isMaximized() && !window.isFullScreen())
            window.setGeometry(placeOn(available, window.geometry(), frame));
        return;
    }
    const WindowPlace place = firstPlace(here, frame);
    window.setGeometry(place.geometry);
    if (place.maximized)
        window.setWindowState(window.windowState() | Qt::WindowMaximized);
}

} // namespace shardscope
