// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/pinch_zoom.h"

#include <QGestureEvent>
#include <QNativeGestureEvent>
#include <cmath>

namespace shardscope {

PinchZoom::Steps PinchZoom::take(QEvent* event)
{
    constexpr double perStep = 0.3; // growth by so much is one step
    if (event->type() == QEvent::NativeGesture) {
        const auto* gesture = static_cast<QNativeGestureEvent*>(event);
        if (gesture->gestureType() == Qt::BeginNativeGesture)
            m_pending = 0;
        if (gesture->gestureType() != Qt::ZoomNativeGesture)
            return {};
        m_pending += gesture->value() / perStep;
    } else if (event->type() == QEvent::Gesture) {
        const auto* pinch = static_cast<QPinchGesture*>(static_cast<QGestureEvent*>(event)->gesture(Qt::PinchGesture));
        if (!pinch)
            return {};
        if (pinch->state() == Qt::GestureStarted)
            m_pending = 0;
        if (pinch->scaleFactor() > 0)
            m_pending += std::log(pinch->scaleFactor()) / perStep;
    } else {
        return {};
    }
    event->accept();
    const int steps = m_pending >= 1 ? 1 : m_pending <= -1 ? -1 : 0;
    m_pending -= steps;
    return { true, steps };
}

} // namespace shardscope
