// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRect>
#include <span>
#include <vector>

namespace shardscope {

/// Texts set one after the other, wrapped to a width.
struct FlowLayout {
    std::vector<QRect> items;
    int height = 0;
    static FlowLayout make(std::span<const int> widths, int width, int lineHeight, int gap);
};

} // namespace shardscope
