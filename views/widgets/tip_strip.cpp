// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/tip_strip.h"

#include <QPainter>
#include <QPainterPath>
#include <QToolButton>
#include <algorithm>

#include "views/theme/theme.h"
#include "views/widgets/boxes.h"
#include "views/widgets/flat_button.h"

namespace shardscope {
namespace {
constexpr int gap = 4; ///< round the frame
constexpr int point = 7; ///< height of the triangle, within the gap and beyond

} // namespace

TipStrip::TipStrip(bool pointsDown, QWidget* parent)
    : QWidget(parent)
    , m_pointsDown(pointsDown)
    , m_title(new RoleLabel(RoleLabel::Size::Semibold, RoleLabel::Elided, &Theme::text, this))
    , m_number(new RoleLabel(RoleLabel::Size::Small, &Theme::secondary, this))
    , m_text(new RoleLabel(RoleLabel::Size::Small, RoleLabel::Wrapped, &Theme::text, this))
    , m_close(new QToolButton(this))
{
    makeFlat(m_close, QStringLiteral("close"), tr("Close this tip"), tr("Close this tip; it does not come again"), 10);
    auto* head = hbox({}, 8, { { m_title, 1 }, m_number, m_close });
    const int above = pointsDown ? 0 : point, below = pointsDown ? point : 0;
    vbox(this, { gap + 8, gap + 4 + above, gap + 4, gap + 6 + below }, 2, { head, m_text });
    connect(m_close, &QToolButton::clicked, this, [this] {
        hide();
        Q_EMIT closed();
    });
    hide();
}

void TipStrip::say(const QString& title, const QString& text, const QString& number)
{
    m_title->setText(title);
    m_text->setText(text);
    m_number->setText(number);
    setAccessibleName(title);
    setAccessibleDescription(text);
    show();
}

void TipStrip::paintEvent(QPaintEvent*)
{
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF frame = QRectF(rect()).adjusted(
        gap + 0.5, gap + (m_pointsDown ? 0 : point) + 0.5, -gap - 0.5, -gap - (m_pointsDown ? point : 0) - 0.5);
    // The frame with its point as one outline.
    const double middle = frame.left() + std::min(Metrics::scaled(80) * 1.0, frame.width() / 2);
    QPolygonF triangle;
    if (m_pointsDown)
        triangle << QPointF(middle - point, frame.bottom()) << QPointF(middle, frame.bottom() + point)
                 << QPointF(middle + point, frame.bottom());
    else
        triangle << QPointF(middle - point, frame.top()) << QPointF(middle, frame.top() - point)
                 << QPointF(middle + point, frame.top());
    QPainterPath outline, tip;
    outline.addRoundedRect(frame, 3, 3);
    tip.addPolygon(triangle);
    tip.closeSubpath();
    painter.setPen(QPen(theme.accent, 1));
    painter.setBrush(theme.selectedRow);
    painter.drawPath(outline.united(tip));
}

} // namespace shardscope
