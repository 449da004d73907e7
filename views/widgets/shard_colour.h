// SPDX-License-Identifier: GPL-3.0-or-later
// The tint of a shard, the same in every view that draws shards.
#pragma once

#include <QColor>
#include <QRect>

#include "sharding/layout.h"

class QPainter;

namespace shardscope {

struct Theme;

/// Padding as every picture of shards draws it: hatched, with a dashed border. `pixelRatio` is that of the device which
/// is painted on. Changes pen, brush and brush origin.
void paintPadding(QPainter& painter, const QRect& part, const Theme& theme, qreal pixelRatio);

/// What tells a shard from all others where there are 9 to 64 of them.
struct ShardMark {
    std::int64_t hue = 0; ///< 0 to 7, by the first sharded dimension as far as it goes
    std::int64_t lightness = 0; ///< 0 to 3, by the second one
    int motif = 0; ///< corners that are marked, a bit for each: shards that share hue and lightness have other corners
    bool operator==(const ShardMark&) const = default;
};

/// No two of up to 64 shards have the same mark.
///
///     4 × 4 × 4 shards: eight hues by the first and every other block of the third dimension, four steps by the
///     second one, and a marked corner in half of the blocks of the third
[[nodiscard]] ShardMark shardMark(const Layout& layout, std::int64_t shard);

/// Up to 8 shards: one tint each. Up to 64: hue by one sharded dimension, lightness by another. Beyond: four tints that
/// keep neighbours apart and no longer say which shard it is.
[[nodiscard]] QColor shardColour(const Theme& theme, const Layout& layout, std::int64_t shard);

/// Whether some of the shards need marked corners to be told apart.
[[nodiscard]] bool hasMotifs(const Layout& layout);
/// Marks the corners of a cell that `motif` names; nothing where the cell is too small for that.
void paintMotif(QPainter& painter, const QRect& cell, int motif, const QColor& colour);

/// The line inside a cell that keeps a deep fill from sinking into a dark base: the colour of its stripes. Invalid in
/// light, where fills stand out and the gap between cells is enough.
[[nodiscard]] QColor shardEdge(const Theme& theme, const QColor& fill);

} // namespace shardscope
