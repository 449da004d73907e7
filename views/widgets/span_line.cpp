// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/span_line.h"

#include <QPainter>

#include "views/theme/text_width.h"
#include "views/theme/theme.h"
#include "views/widgets/plain_tip.h"

namespace shardscope {

namespace {

QFont faceOf(const words::Span& span, QFont font)
{
    if (span.style == words::Span::Style::Strong || span.style == words::Span::Style::Axis)
        font.setWeight(QFont::DemiBold);
    return font;
}

} // namespace

int spansWidth(const words::Text& text, const QFont& font)
{
    int width = 0;
    for (const words::Span& span : text)
        width += textWidth(faceOf(span, font), span.text);
    return width;
}

int paintSpans(QPainter& painter, const QRect& rect, const words::Text& text, const QFont& font, const QColor& color,
    const Theme& theme, bool flat)
{
    int x = rect.left();
    for (const words::Span& span : text) {
        const QFont face = faceOf(span, font);
        const QFontMetrics metrics(face);
        const int room = rect.right() + 1 - x;
        if (room <= 0)
            break;
        // Where not even the dots of the next span would have room, this one bears them.
        const bool last = &span == &text.back();
        const int width = textWidth(face, span.text);
        const int dots = metrics.horizontalAdvance(QChar(0x2026));
        const bool bearsDots =
            !last && width <= room && room - width < dots && room - width < spansWidth({ *(&span + 1) }, font);
        const QString shown =
            metrics.elidedText(bearsDots ? span.text + QChar(0x2026) + QChar(0x2026) : span.text, Qt::ElideRight, room);
        painter.setFont(face);
        const bool axis = span.style == words::Span::Style::Axis && span.axis >= 0;
        painter.setPen(flat                                ? color
                : axis                                     ? theme.meshAxis(span.axis)
                : span.style == words::Span::Style::Strong ? theme.text
                                                           : color);
        painter.drawText(QRect(x, rect.top(), room, rect.height()), Qt::AlignLeft | Qt::AlignVCenter, shown);
        x += metrics.horizontalAdvance(shown);
        if (shown != span.text)
            break;
    }
    return x - rect.left();
}

SpanLine::SpanLine(QWidget* parent)
    : QWidget(parent)
    , m_font(font())
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void SpanLine::setText(words::Text text, words::Text shorter)
{
    if (m_text == text && m_shorter == shorter)
        return;
    m_text = std::move(text);
    m_shorter = std::move(shorter);
    setAccessibleDescription(words::plain(m_text));
    setToolTip(plainTip(words::plain(m_text)));
    updateGeometry();
    update();
}

void SpanLine::setBaseFont(const QFont& font)
{
    m_font = font;
    updateGeometry();
}

QSize SpanLine::sizeHint() const
{
    return { spansWidth(m_text, m_font) + 2, QFontMetrics(m_font).height() + 2 };
}

QSize SpanLine::minimumSizeHint() const
{
    return { Metrics::scaled(40), QFontMetrics(m_font).height() + 2 };
}

void SpanLine::paintEvent(QPaintEvent*)
{
    const Theme& theme = Theme::current();
    QPainter painter(this);
    const bool fits = m_shorter.empty() || spansWidth(m_text, m_font) <= width();
    paintSpans(painter, rect(), fits ? m_text : m_shorter, m_font, m_muted ? theme.secondary : theme.text, theme);
}

} // namespace shardscope
