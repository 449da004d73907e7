// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/padding_painting.h"

#include <QPainter>

#include "views/theme/theme.h"

namespace shardscope {

void paintPadding(QPainter& painter, const QRect& part, const Theme& theme, qreal pixelRatio)
{
    painter.setBrushOrigin(0, 0);
    painter.fillRect(part, theme.alternateRow);
    painter.fillRect(part, theme.hatch(pixelRatio));
    QPen pen(theme.strongLine, 1);
    pen.setDashPattern({ 3, 2 });
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(part.adjusted(0, 0, -1, -1));
}

} // namespace shardscope
