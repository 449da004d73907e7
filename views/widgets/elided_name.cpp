// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/elided_name.h"

namespace shardscope {

QString elidedName(const QString& name, const QFontMetrics& metrics, int room)
{
    const qsizetype cut = name.lastIndexOf(QLatin1Char('/'));
    if (metrics.horizontalAdvance(name) <= room)
        return name;
    if (cut < 0)
        return metrics.elidedText(name, Qt::ElideMiddle, room);
    const QString tail = name.mid(cut), last = name.mid(cut + 1).trimmed();
    const int rest = room - metrics.horizontalAdvance(tail);
    if (rest >= metrics.horizontalAdvance(QChar(0x2026)))
        return metrics.elidedText(name.left(cut).trimmed(), Qt::ElideRight, rest) + tail;
    return metrics.elidedText(last, Qt::ElideMiddle, room);
}

} // namespace shardscope
