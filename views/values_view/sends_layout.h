// SPDX-License-Identifier: GPL-3.0-or-later
// The picture of a collective: the devices of a group before it, above those after it, and arrows for what goes from
// one to the other. Plain values, without a window.
//
//     all-reduce over devices 0 and 1:   [0]   [1]
//                                         | \ / |
//                                        [0]   [1]
#pragma once

#include <QLineF>
#include <QRectF>
#include <cstdint>
#include <optional>
#include <vector>

#include "program/program.h"

namespace shardscope {

/// Who sends to whom.
struct SendsSubject {
    std::vector<std::int32_t> devices; ///< of the groups that are drawn, at most maxDevices
    std::vector<std::pair<int, int>> sends; ///< places in `devices`
    std::int64_t groups = 1, drawn = 1; ///< of the collective, and those of them in the picture

    std::int64_t left = 0; ///< devices of the groups that are drawn without a place in the picture

    static constexpr std::size_t maxDevices = 8;
    bool operator==(const SendsSubject&) const = default;
};
/// Nothing for an operation that is no collective of StableHLO.
[[nodiscard]] std::optional<SendsSubject> sendsSubject(const Operation& operation, std::int64_t devices);

struct SendsLayout {
    std::vector<QRectF> before, after; ///< by place
    std::vector<QLineF> arrows; ///< by send

    SendsLayout() = default;
    SendsLayout(const SendsSubject& subject, const QRectF& room, qreal boxHeight, qreal widestBox);
};

} // namespace shardscope
