// SPDX-License-Identifier: GPL-3.0-or-later
// Padding as every picture of shards draws it: hatched, with a dashed border.
#pragma once

#include <QRect>

class QPainter;

namespace shardscope {

class Theme;

/// `pixelRatio` is that of the device which is painted on. Changes pen, brush and brush origin.
void paintPadding(QPainter& painter, const QRect& part, const Theme& theme, qreal pixelRatio);

} // namespace shardscope
