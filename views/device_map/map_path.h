// SPDX-License-Identifier: GPL-3.0-or-later
// The way of a path through cells that have their names in them: below the names along a row, left or right of them
// along a column. It begins at the near edge of the first cell and ends at the far edge of the last, so that both are
// seen to belong to it. Geometry alone.
#pragma once

#include <QPolygonF>
#include <QRectF>
#include <vector>

namespace shardscope {

/// Through cells that follow each other along rows and columns.
///
///     four cells beside each other: one line along their lower edges, from the left of the first to the right of the
///     last
[[nodiscard]] QPolygonF pathBeside(const std::vector<QRectF>& cells);

} // namespace shardscope
