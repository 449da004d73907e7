// SPDX-License-Identifier: GPL-3.0-or-later
// All colours, sizes and brushes of the window as one value, handed to painters. Two sets, light and dark; the tokens
// are those of the design table. Colour says which, pattern says in what state, text says how many.
#pragma once

#include <QBrush>
#include <QColor>
#include <QFont>
#include <QPalette>
#include <QPen>
#include <array>

namespace shardscope {

/// `share` of `over`, the rest of `fill`.
[[nodiscard]] QColor mixed(const QColor& fill, const QColor& over, double share);

struct Theme {
    bool dark = false;

    QColor window, base, alternateRow, button, dockTitle, border, strongLine, plotGrid;
    QColor text, secondary, hint, accent, onAccent, selectedRow;
    QColor error, errorBackground, warning, warningBackground, ok, info, infoBackground;
    std::array<QColor, 6> meshAxes;
    std::array<QColor, 8> shards;
    std::array<QColor, 6> owners; ///< param grad mu nu act buffer
    QColor computeBackward, wait;

    static const Theme& light();
    static const Theme& darkTheme();
    /// The one that fits the application's palette.
    static const Theme& current();

    [[nodiscard]] QPalette palette() const;
    [[nodiscard]] QColor meshAxis(int index) const { return meshAxes[static_cast<std::size_t>(index) % 6]; }
    /// Line of a mesh axis: colour and its dash (solid, 8-4, 2-3, 8-3-2-3, 12-3, 4-4 px).
    [[nodiscard]] QPen axisPen(int index, qreal width) const;
    /// Black or white-ish, whichever reads better on the fill.
    [[nodiscard]] QColor textOn(const QColor& fill) const;
    /// A fill of the dark theme that takes light stripes.
    [[nodiscard]] bool isDeep(const QColor& fill) const { return dark && textOn(fill) == QColor(Qt::white); }
    /// Fill of shard `index` of `count`: palette up to 8; hue and lightness up to 64; four tints beyond.
    [[nodiscard]] QColor shard(
        std::int64_t index, std::int64_t count, std::int64_t row = 0, std::int64_t column = 0) const;
    /// Diagonal stripes for so many copies over a fill (nothing for one copy); cached per (fill, pitch, ratio).
    [[nodiscard]] QBrush stripes(const QColor& fill, std::int64_t copies, qreal devicePixelRatio) const;
    [[nodiscard]] QBrush dots(const QColor& fill, qreal devicePixelRatio) const; ///< partial sums
    [[nodiscard]] QBrush hatch(qreal devicePixelRatio) const; ///< padding
};

/// Sizes in pixels at the application's font (9 pt = 12 px); multiples of it otherwise.
struct Metrics {
    static int scaled(int pixels); ///< by the application font
    static QFont small(); ///< 11 px
    static QFont semibold();
    static QFont title(); ///< 13 px semibold
    static QFont fixed(); ///< shapes and specs
};

} // namespace shardscope
