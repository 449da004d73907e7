// SPDX-License-Identifier: GPL-3.0-or-later
// Where the window comes up: within the screens that there are, with the frame that the window system adds.
#pragma once

#include <QList>
#include <QMargins>
#include <QRect>

class QWidget;

namespace shardscope {

struct WindowPlace {
    QRect geometry; ///< without the frame; of a maximized window, what it goes back to
    bool maximized = false;
    bool operator==(const WindowPlace&) const = default;
};

/// Of a window that was never open before, on a screen with so much room: 1600 x 1000 in its middle, and maximized
/// where that leaves little beside it.
[[nodiscard]] WindowPlace firstPlace(const QRect& available, const QMargins& frame);

/// A geometry of an earlier day on today's screens: on the one where most of it lies, as small as that demands. The
/// first screen counts where it lies on none.
[[nodiscard]] QRect placeOn(const QList<QRect>& available, const QRect& geometry, const QMargins& frame);

/// Gives a window that is not shown yet the geometry of saveGeometry(), or its first one; never more than its screen.
void placeWindow(QWidget& window, const QByteArray& saved);

} // namespace shardscope
