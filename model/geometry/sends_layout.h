// SPDX-License-Identifier: GPL-3.0-or-later
// The picture of a collective: the devices of a group before it, above those after it, and arrows for what goes from
// one to the other.
//
//     all-reduce over devices 0 and 1:   [0]   [1]
//                                         | \ / |
//                                        [0]   [1]
#pragma once

#include <QLineF>
#include <QRectF>
#include <vector>

#include "analysis/collective_sends.h"

namespace shardscope {

struct SendsLayout {
    std::vector<QRectF> before, after; ///< by place
    std::vector<QLineF> arrows; ///< by send

    SendsLayout() = default;
    SendsLayout(const CollectiveSends& subject, const QRectF& room, qreal boxHeight, qreal widestBox);
};

} // namespace shardscope
