// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/values_view/sends_widget.h"

#include <QPainter>
#include <QStyle>
#include <algorithm>

#include "views/panel/panel.h"

namespace shardscope {

namespace {

constexpr int travelTime = 700; ///< milliseconds

void paintHead(QPainter& painter, const QLineF& arrow)
{
    QLineF back(arrow.p2(), arrow.p1());
    back.setLength(Metrics::scaled(6));
    for (const qreal turn : { -25.0, 25.0 }) {
        QLineF side = back;
        side.setAngle(back.angle() + turn);
        painter.drawLine(side);
    }
}

} // namespace

SendsWidget::SendsWidget(QWidget* parent)
    : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    m_way.setStartValue(0.0);
    m_way.setEndValue(1.0);
    m_way.setDuration(travelTime);
    m_way.setEasingCurve(QEasingCurve::InOutQuad);
    connect(&m_way, &QVariantAnimation::valueChanged, this, [this] { update(); });
}

QSize SendsWidget::sizeHint() const
{
    return { Metrics::scaled(320), static_cast<int>(2 * boxHeight()) + Metrics::scaled(44) };
}

void SendsWidget::show(std::optional<CollectiveSends> subject, const QString& sentence)
{
    if (subject == m_subject && sentence == accessibleName())
        return; // it has been seen on its way
    m_subject = std::move(subject);
    describe(this, sentence);
    m_way.stop();
    if (m_subject && style()->styleHint(QStyle::SH_Widget_Animation_Duration, nullptr, this) > 0)
        m_way.start();
    update();
}

SendsLayout SendsWidget::layoutNow() const
{
    const qreal edge = Metrics::scaled(8);
    return m_subject ? SendsLayout(*m_subject, QRectF(rect()).adjusted(edge, 2, -edge, -edge), boxHeight(),
               fontMetrics().horizontalAdvance(tr("Device %1").arg(88888)) + edge)
                     : SendsLayout();
}

void SendsWidget::paintEvent(QPaintEvent*)
{
    const Theme& theme = Theme::current();
    QPainter painter(this);
    if (!m_subject) { // the room stays: what is below does not jump from operation to operation
        painter.setFont(Metrics::small());
        painter.setPen(theme.hint);
        painter.drawText(rect(), Qt::AlignCenter, tr("Devices send nothing in this operation."));
        return;
    }
    const SendsLayout layout = layoutNow();
    painter.setRenderHint(QPainter::Antialiasing);
    for (std::size_t i = 0; i < layout.arrows.size(); ++i) {
        QColor line = theme.secondary;
        line.setAlphaF(0.7F);
        painter.setPen(QPen(line, 1));
        painter.drawLine(layout.arrows[i]);
        paintHead(painter, layout.arrows[i]);
    }
    if (m_way.state() == QAbstractAnimation::Running) {
        const qreal along = m_way.currentValue().toReal(), size = Metrics::scaled(4);
        painter.setPen(Qt::NoPen);
        for (std::size_t i = 0; i < layout.arrows.size(); ++i) {
            painter.setBrush(theme.text); // colours are those of shards
            painter.drawEllipse(layout.arrows[i].pointAt(along), size, size);
        }
    }
    const QFontMetrics metrics = fontMetrics();
    for (std::size_t i = 0; i < layout.before.size(); ++i) {
        const QString full = tr("Device %1").arg(m_subject->devices[i]), brief = QString::number(m_subject->devices[i]);
        for (const QRectF& box : { layout.before[i], layout.after[i] }) {
            painter.setPen(QPen(theme.strongLine, 1));
            painter.setBrush(theme.base);
            painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
            painter.setPen(theme.text);
            painter.drawText(box, Qt::AlignCenter,
                metrics.horizontalAdvance(full) + Metrics::scaled(4) <= box.width() ? full : brief);
        }
    }
}

} // namespace shardscope
