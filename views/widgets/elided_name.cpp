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
    // As many of the last parts as fit, then as much of the beginning.
    const int dots = metrics.horizontalAdvance(QChar(0x2026));
    qsizetype from = slash;
    for (qsizetype before = slash; before > 0;) {
        before = name.lastIndexOf(QLatin1Char('/'), before - 1);
        if (before <= 0 || metrics.horizontalAdvance(name.mid(before)) + dots > room)
            break;
        from = before;
    }
    const QString tail = name.mid(from), last = name.mid(slash + 1).trimmed();
    if (const int rest = room - metrics.horizontalAdvance(tail); rest >= dots)
        return metrics.elidedText(name.left(from).trimmed(), Qt::ElideRight, rest) + tail;
    return metrics.elidedText(last, Qt::ElideMiddle, room);
}

} // namespace shardscope
