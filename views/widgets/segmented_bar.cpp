// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/segmented_bar.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>

#include "views/theme/theme.h"

namespace shardscope {

SegmentedBar::SegmentedBar(const QStringList& names, QWidget* parent)
    : Canvas(QString(), parent)
    , m_names(names)
{
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setToolTip(tr("Left and Right choose, too"));
}

void SegmentedBar::setCurrent(int index)
{
    if (index < 0 || index >= m_names.size() || index == m_current)
        return;
    m_current = index;
    setAccessibleDescription(m_names[index]);
    update();
    tableCurrentChanged(this);
    Q_EMIT currentChanged(index);
}

QSize SegmentedBar::sizeHint() const
{
    const QFontMetrics metrics(Metrics::semibold());
    int width = 0;
    for (const QString& name : m_names)
        width += metrics.horizontalAdvance(name) + 2 * Metrics::scaled(9);
    return { width, Metrics::scaled(22) };
}

QRect SegmentedBar::segment(int index) const
{
    const QFontMetrics metrics(Metrics::semibold());
    int x = 0;
    for (int i = 0; i < index; ++i)
        x += metrics.horizontalAdvance(m_names[i]) + 2 * Metrics::scaled(9);
    return { x, 0, metrics.horizontalAdvance(m_names[index]) + 2 * Metrics::scaled(9), height() };
}

int SegmentedBar::tableRowAt(QPoint point) const
{
    for (int i = 0; i < m_names.size(); ++i)
        if (segment(i).contains(point))
            return i;
    return -1;
}

void SegmentedBar::paintEvent(QPaintEvent*)
{
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QPainterPath frame;
    frame.addRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    painter.fillPath(frame, theme.button);
    for (int i = 0; i < m_names.size(); ++i) {
        const QRect part = segment(i);
        if (i == m_current) {
            painter.save();
            painter.setClipPath(frame);
            painter.fillRect(part, theme.selectedRow);
            painter.restore();
        }
        if (i > 0) {
            painter.setPen(theme.border);
            painter.drawLine(QPointF(part.left() + 0.5, 1), QPointF(part.left() + 0.5, height() - 1));
        }
        painter.setFont(i == m_current ? Metrics::semibold() : font());
        painter.setPen(i == m_current && !theme.dark ? theme.accent : theme.text);
        painter.drawText(part, Qt::AlignCenter, m_names[i]);
    }
    painter.setBrush(Qt::NoBrush);
    painter.setPen(hasFocus() ? QPen(theme.accent, 2) : QPen(theme.border, 1));
    painter.drawPath(frame);
}

void SegmentedBar::mousePressEvent(QMouseEvent* event)
{
    for (int i = 0; i < m_names.size(); ++i) {
        if (segment(i).contains(event->pos()))
            setCurrent(i);
    }
}

void SegmentedBar::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Left)
        setCurrent(m_current - 1);
    else if (event->key() == Qt::Key_Right)
        setCurrent(m_current + 1);
    else
        QWidget::keyPressEvent(event);
}

} // namespace shardscope
