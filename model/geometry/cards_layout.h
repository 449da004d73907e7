// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPoint>
#include <QRect>
#include <span>
#include <vector>

namespace shardscope {

/// Where the cards of a gallery lie: groups below each other, each a heading and rows of cards.
///
///     groups of 3 and 1 cards in a width for two columns
///     heading 0 / card 0, card 1 / card 2 / heading 1 / card 3
struct CardsLayout {
    struct Sizes {
        int minimumWidth = 210, maximumWidth = 300; ///< of a card
        int height = 170; ///< of a card
        int heading = 24;
        int gap = 10; ///< between cards
        int groupGap = 6; ///< over a heading, but for the first one
        int margin = 12; ///< at the left and right
    };
    struct Group {
        QRect heading;
        int first = 0, count = 0; ///< cards
    };
    std::vector<Group> groups; ///< those with cards
    std::vector<QRect> cards; ///< group by group
    int columns = 1;
    int height = 0;

    /// `counts`: cards of each group. A group without cards has no heading.
    static CardsLayout make(std::span<const int> counts, int width, const Sizes& sizes);

    [[nodiscard]] int cardAt(QPoint point) const; ///< -1 for none
    /// The card that an arrow leads to: across in the order of the cards, down to the nearest one of the next row. The
    /// card itself where there is none.
    [[nodiscard]] int stepped(int card, int across, int down) const;
};

} // namespace shardscope
