// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/elided_name.h"

#include <algorithm>

namespace shardscope {

QString elidedName(const QString& name, const QFontMetrics& metrics, int room)
{
    const qsizetype slash = name.lastIndexOf(QLatin1Char('/'));
    if (metrics.horizontalAdvance(name) <= room)
        return name;
    if (slash < 0)
        return metrics.elidedText(name, Qt::ElideMiddle, room);
    // As many of the last parts as fit, then as much of the one before them: the first ones are alike in most names.
    const int dots = metrics.horizontalAdvance(QChar(0x2026));
    qsizetype from = slash;
    for (qsizetype before = slash; before > 0;) {
        before = name.lastIndexOf(QLatin1Char('/'), before - 1);
        if (before <= 0 || metrics.horizontalAdvance(name.mid(before)) + dots > room)
            break;
        from = before;
    }
    const QString tail = name.mid(from), last = name.mid(slash + 1).trimmed();
    if (const int rest = room - metrics.horizontalAdvance(tail); rest >= dots) {
        const QString before = name.left(from).trimmed().section(QLatin1Char('/'), -1).trimmed();
        const int all = metrics.horizontalAdvance(before);
        // Never all of it: that there is more before it has to be seen.
        return (all <= dots ? QString(QChar(0x2026))
                            : metrics.elidedText(before, Qt::ElideRight, std::max(dots, std::min(rest, all - 1))))
            + tail;
    }
    return metrics.elidedText(last, Qt::ElideMiddle, room);
}

} // namespace shardscope
