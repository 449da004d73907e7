// SPDX-License-Identifier: GPL-3.0-or-later
#include "geometry/sends_layout.h"

#include <algorithm>

namespace shardscope {

SendsLayout::SendsLayout(const CollectiveSends& subject, const QRectF& room, qreal boxHeight, qreal widestBox)
{
    const auto count = static_cast<qreal>(std::max<std::size_t>(subject.devices.size(), 1));
    const qreal pitch = std::min(room.width() / count, widestBox * 1.5), width = pitch * 0.8;
    for (std::size_t i = 0; i < subject.devices.size(); ++i) {
        const qreal left = room.left() + static_cast<qreal>(i) * pitch;
        before.emplace_back(left, room.top(), width, boxHeight);
        after.emplace_back(left, room.bottom() - boxHeight, width, boxHeight);
    }
    for (const auto& [from, to] : subject.sends)
        arrows.emplace_back(QPointF(before[static_cast<std::size_t>(from)].center().x(), room.top() + boxHeight),
            QPointF(after[static_cast<std::size_t>(to)].center().x(), room.bottom() - boxHeight));
}

} // namespace shardscope
