// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/chip.h"

#include <QColor>
#include <QFontMetrics>
#include <QPainter>
#include <cmath>

#include "views/theme/theme.h"

namespace shardscope {

QColor axisTint(const Theme& theme, int axis)
{
    const QColor color = theme.meshAxis(axis), ground = theme.base;
    const double share = theme.dark ? 0.2 : 0.12;
    const auto part = [share](int a, int b) { return static_cast<int>(std::lround(a + (b - a) * share)); };
    return QColor(
        part(ground.red(), color.red()), part(ground.green(), color.green()), part(ground.blue(), color.blue()));
}

QSize chipSize(const QString& text)
{
    return { QFontMetrics(Metrics::semibold()).horizontalAdvance(text) + 2 * Metrics::scaled(6), Metrics::scaled(18) };
}

void paintChip(QPainter& painter, const QRect& rect, const QString& text, int axis, const Theme& theme, ChipState state)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const bool known = axis >= 0;
    QColor line = known ? theme.meshAxis(axis) : theme.strongLine;
    QColor fill = known ? axisTint(theme, axis) : theme.alternateRow;
    QColor letters = known ? theme.meshAxis(axis) : theme.secondary;
    qreal width = 1;
    if (state == ChipState::Applied)
        width = 2;
    QPen pen(line, width);
    if (state == ChipState::Skipped) {
        letters = theme.secondary;
        fill = theme.base;
        pen = QPen(theme.strongLine, 1);
        pen.setDashPattern({ 3, 2 });
    } else if (state == ChipState::Target) {
        pen = QPen(theme.accent, 2);
    }
    painter.setPen(pen);
    painter.setBrush(fill);
    const qreal inset = pen.widthF() / 2;
    painter.drawRoundedRect(QRectF(rect).adjusted(inset, inset, -inset, -inset), 3, 3);
    painter.setFont(Metrics::semibold());
    painter.setPen(letters);
    const QFontMetrics metrics(Metrics::semibold());
    const QString shown = metrics.elidedText(text, Qt::ElideRight, rect.width() - Metrics::scaled(6));
    painter.drawText(rect, Qt::AlignCenter, shown);
    if (state == ChipState::Skipped) {
        const int half = metrics.horizontalAdvance(shown) / 2 + 5;
        painter.drawLine(rect.center() - QPoint(half, 0), rect.center() + QPoint(half, 0));
    }
    painter.restore();
}

} // namespace shardscope
