// SPDX-License-Identifier: GPL-3.0-or-later
// The line below a dock, dragged with the mouse.
#pragma once

#include <QMouseEvent>
#include <QTest>

#include "views/main_window/main_window.h"
#include "views/widgets/dock_frame.h"

namespace shardscope::test {

/// Presses the separator below a dock, moves it down by that many pixels, and lets go.
inline void dragLineBelow(MainWindow& window, const DockFrame& dock, int distance)
{
    const QPoint line(dock.geometry().center().x(), dock.geometry().bottom() + 2);
    const auto send = [&window](QEvent::Type type, QPoint at, Qt::MouseButtons held) {
        QMouseEvent event(type, at, window.mapToGlobal(at), type == QEvent::MouseMove ? Qt::NoButton : Qt::LeftButton,
            held, Qt::NoModifier);
        QCoreApplication::sendEvent(&window, &event);
    };
    send(QEvent::MouseButtonPress, line, Qt::LeftButton);
    send(QEvent::MouseMove, line + QPoint(0, distance / 2), Qt::LeftButton);
    send(QEvent::MouseMove, line + QPoint(0, distance), Qt::LeftButton);
    QTest::qWait(50); // the separator follows after a moment
    send(QEvent::MouseButtonRelease, line + QPoint(0, distance), Qt::NoButton);
}

} // namespace shardscope::test
