// SPDX-License-Identifier: GPL-3.0-or-later
#include "geometry/cards_layout.h"

#include <algorithm>
#include <cstdlib>

#include "geometry/index_at.h"

namespace shardscope {

CardsLayout CardsLayout::make(std::span<const int> counts, int width, const Sizes& sizes)
{
    CardsLayout layout;
    const int room = std::max(width - 2 * sizes.margin, 1);
    layout.columns = std::max(1, (room + sizes.gap) / (sizes.minimumWidth + sizes.gap));
    const int card = std::min((room - (layout.columns - 1) * sizes.gap) / layout.columns, sizes.maximumWidth);
    int y = sizes.margin / 2;
    for (const int count : counts) {
        if (count == 0)
            continue;
        if (!layout.groups.empty())
            y += sizes.groupGap;
        layout.groups.push_back(
            { QRect(sizes.margin, y, room, sizes.heading), static_cast<int>(layout.cards.size()), count });
        y += sizes.heading;
        for (int i = 0; i < count; ++i) {
            const int column = i % layout.columns;
            layout.cards.emplace_back(sizes.margin + column * (card + sizes.gap), y, card, sizes.height);
            if (column + 1 == layout.columns || i + 1 == count)
                y += sizes.height + sizes.gap;
        }
    }
    layout.height = y;
    return layout;
}

int CardsLayout::cardAt(QPoint point) const
{
    return indexAt(cards, point, std::identity());
}

int CardsLayout::stepped(int card, int across, int down) const
{
    const int count = static_cast<int>(cards.size());
    if (card < 0 || card >= count)
        return count > 0 ? 0 : -1;
    if (across != 0)
        return std::clamp(card + across, 0, count - 1);
    const QRect& from = cards[static_cast<std::size_t>(card)];
    int best = card;
    for (int i = 0; i < count; ++i) {
        const QRect& to = cards[static_cast<std::size_t>(i)];
        if (down > 0 ? to.top() <= from.top() : to.top() >= from.top())
            continue;
        const QRect& now = cards[static_cast<std::size_t>(best)];
        const int rows = std::abs(to.top() - from.top()), side = std::abs(to.left() - from.left());
        if (best == card || rows < std::abs(now.top() - from.top())
            || (rows == std::abs(now.top() - from.top()) && side < std::abs(now.left() - from.left())))
            best = i;
    }
    return best;
}

} // namespace shardscope
