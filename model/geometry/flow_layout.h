// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRect>
#include <algorithm>
#include <span>
#include <vector>

namespace shardscope {

/// Texts set one after the other, wrapped to a width.
struct FlowLayout {
    std::vector<QRect> items;
    int height = 0;
    static FlowLayout make(std::span<const int> widths, int width, int lineHeight, int gap)
    {
        FlowLayout flow;
        int x = 0, y = 0;
        for (const int wanted : widths) {
            const int item = std::min(wanted, width);
            if (x > 0 && x + item > width) {
                x = 0;
                y += lineHeight;
            }
            flow.items.emplace_back(x, y, item, lineHeight);
            x += item + gap;
        }
        flow.height = widths.empty() ? 0 : y + lineHeight;
        return flow;
    }
};

} // namespace shardscope
