// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPoint>
#include <QRect>
#include <optional>
#include <span>
#include <vector>

#include "geometry/grid_layout.h"

namespace shardscope {

/// Where the slots of the axis tray and the chips in them lie.
///
/// Every slot is a frame with its name and the chips of its dimensions; slots stand in a row and go on in the next one
/// where that is full.
struct SlotsLayout {
    struct Slot {
        GridPlace place = GridPlace::Rows;
        QRect frame;
        QRect caption;
    };
    struct Chip {
        int item = 0; ///< index into what was asked for
        QRect rect;
    };
    struct Item {
        GridPlace place = GridPlace::Rows;
        int width = 0;
    };
    struct Caption {
        GridPlace place = GridPlace::Rows;
        int width = 0;
    };
    std::vector<Slot> frames; ///< in the order of the captions
    std::vector<Chip> chips; ///< from slot to slot
    int height = 0;

    /// Chips that do not fit into the width become narrower. `unit` is the height of a chip.
    static SlotsLayout make(std::span<const Caption> captions, std::span<const Item> items, int width, int unit);
    /// Width of everything in one row.
    static int widthInOneRow(std::span<const Caption> captions, std::span<const Item> items, int unit);
    /// Of the widest slot: with less, chips become narrower.
    static int widthOfWidest(std::span<const Caption> captions, std::span<const Item> items, int unit);

    [[nodiscard]] int chipAt(QPoint point) const; ///< index into `chips`, -1 for none
    [[nodiscard]] std::optional<GridPlace> placeAt(QPoint point) const;
};

} // namespace shardscope
