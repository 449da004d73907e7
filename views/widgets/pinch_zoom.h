// SPDX-License-Identifier: GPL-3.0-or-later
// Zoom gestures of touch pads and touch screens as whole steps, for views that zoom in levels.
#pragma once

class QEvent;

namespace shardscope {

class PinchZoom {
public:
    /// +1 for a step nearer, -1 for one further away, 0 for none (yet). `isGesture` tells whether the event was a zoom
    /// gesture at all; it is accepted then.
    struct Steps {
        bool isGesture = false;
        int count = 0;
    };
    Steps take(QEvent* event);

private:
    double m_pending = 0; ///< of a step
};

} // namespace shardscope
