// SPDX-License-Identifier: GPL-3.0-or-later
// The tint of a shard, the same in every view that draws shards.
#pragma once

#include <QColor>

#include "sharding/layout.h"

namespace shardscope {

struct Theme;

/// Up to 8 shards: one tint each. Up to 64: hue by one cut dimension, lightness by another. Beyond: four tints that
/// keep neighbours apart and no longer say which shard it is.
[[nodiscard]] QColor shardColour(const Theme& theme, const Layout& layout, std::int64_t shard);

/// The line inside a cell that keeps a deep fill from sinking into a dark base: the colour of its stripes. Invalid in
/// light, where fills stand out and the gap between cells is enough.
[[nodiscard]] QColor shardEdge(const Theme& theme, const QColor& fill);

} // namespace shardscope
