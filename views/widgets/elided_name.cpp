// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/elided_name.h"

#include <QApplication>
#include <QStyle>
#include <algorithm>

namespace shardscope {

QString elidedName(const QString& name, const QFontMetrics& metrics, int room)
{
    const qsizetype slash = name.lastIndexOf(QLatin1Char('/'));
    if (metrics.horizontalAdvance(name) <= room)
        return name;
    if (slash < 0)
        return metrics.elidedText(name, Qt::ElideMiddle, room);
    if (name.indexOf(QLatin1Char('/')) == slash) {
        constexpr int legible = 4; // with the dots
        const QString first = name.left(slash + 1);
        const QString shown =
            metrics.elidedText(name.mid(slash + 1), Qt::ElideRight, room - metrics.horizontalAdvance(first));
        if (shown.trimmed().size() >= legible)
            return first + shown;
    }
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

void NameDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const
{
    QStyledItemDelegate::initStyleOption(option, index);
    if (option->rect.width() <= 0)
        return;
    const QStyle* style = option->widget ? option->widget->style() : QApplication::style();
    const int margins = 2 * (style->pixelMetric(QStyle::PM_FocusFrameHMargin, option, option->widget) + 1);
    const QRect place = style->subElementRect(QStyle::SE_ItemViewItemText, option, option->widget);
    option->text = elidedName(option->text, QFontMetrics(option->font), place.width() - margins);
}

} // namespace shardscope
