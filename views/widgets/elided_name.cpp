// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/elided_name.h"

namespace shardscope {

QString elidedName(const QString& name, const QFontMetrics& metrics, int room)
{
    const qsizetype slash = name.lastIndexOf(QLatin1Char('/'));
    if (metrics.horizontalAdvance(name) <= room)
        return name;
    if (slash < 0)
        return metrics.elidedText(name, Qt::ElideMiddle, room);
    const QString tail = name.mid(slash), last = name.mid(slash + 1).trimmed();
    const int rest = room - metrics.horizontalAdvance(tail);
    if (rest >= metrics.horizontalAdvance(QChar(0x2026)))
        return metrics.elidedText(name.left(slash).trimmed(), Qt::ElideRight, rest) + tail;
    return metrics.elidedText(last, Qt::ElideMiddle, room);
}

} // namespace shardscope
