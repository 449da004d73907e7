// SPDX-License-Identifier: GPL-3.0-or-later
// Where the array before a collective, the collective, and the array after it are drawn: beside each other where both
// grids have room, else above each other.
#pragma once

#include <QLine>
#include <QRect>
#include <QSize>
#include <array>
#include <vector>

#include "geometry/grid_layout.h"

namespace shardscope {

/// Of everything that has a size of its own.
struct ExchangeSizes {
    int headHeight = 34; ///< of the two lines over a grid
    /// Of the second one, which says what a device holds there: as many lines as the longer of both takes.
    int holdingHeight = 17;
    int bandHeight = 40; ///< of what is said about the collective
    int minimumGridWidth = 220, minimumGridHeight = 120;
    int arrow = 24; ///< room for an arrow between the grids
    int gap = 4;
};

struct ExchangeLayout {
    /// A shaft and the triangle at its end.
    struct Arrow {
        QLine shaft;
        std::array<QPoint, 3> head;
    };
    bool beside = true;
    QRect beforeHead, beforeGrid, band, afterHead, afterGrid;
    std::vector<Arrow> arrows; ///< beside each other one, from grid to grid; else into the band and out of it

    static ExchangeLayout make(QSize area, const ExchangeSizes& sizes);
    static bool isBeside(int width, const ExchangeSizes& sizes);
    /// Pixels below which the grids would be lower than their minimum.
    static int minimumHeight(int width, const ExchangeSizes& sizes);
    /// Which dimensions span both grids: the two that are sharded most in either. Where the others would give many
    /// panels they are on sliders.
    static GridLayout::Choice commonChoice(const Layout& before, const Layout& after);
};

} // namespace shardscope
