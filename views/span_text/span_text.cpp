// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/span_text/span_text.h"

#include <QEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <iterator>

#include "views/panel/panel.h"

namespace shardscope {

using namespace Qt::StringLiterals;

namespace {

constexpr QChar noBreakSpace(0x00A0);

QFont strong(QFont font)
{
    font.setWeight(QFont::DemiBold);
    return font;
}

QFont fontOf(const words::Span& span, const QFont& base)
{
    switch (span.style) {
    case words::Span::Style::Strong:
    case words::Span::Style::Axis:
        return strong(base);
    case words::Span::Style::Code:
        return Metrics::fixed();
    case words::Span::Style::Plain:
        break;
    }
    return base;
}

} // namespace

SpanLayout SpanLayout::make(
    const words::Text& spans, const QFont& font, qreal width, AxisMarks marks, const Theme& theme, qreal lineHeight)
{
    QString all;
    QList<QTextLayout::FormatRange> formats;
    struct ChipRange {
        int from, to, axis;
    };
    std::vector<ChipRange> ranges;
    std::vector<ChipRange> linkRanges; // with the span in place of an axis
    for (const words::Span& span : spans) {
        const bool chip = span.style == words::Span::Style::Axis && marks == AxisMarks::Chips;
        QString part = span.text;
        if (chip)
            part = QString(noBreakSpace) + part + noBreakSpace;
        QTextLayout::FormatRange range;
        range.start = static_cast<int>(all.size());
        range.length = static_cast<int>(part.size());
        range.format.setFont(fontOf(span, font));
        if (span.style == words::Span::Style::Axis)
            range.format.setForeground(theme.meshAxis(std::max(0, span.axis)));
        if (!span.link.isEmpty())
            linkRanges.push_back({ range.start, range.start + range.length, static_cast<int>(&span - spans.data()) });
        if (chip)
            ranges.push_back({ range.start, range.start + range.length, std::max(0, span.axis) });
        formats.append(range);
        all += part;
    }

    SpanLayout result;
    result.text = std::make_unique<QTextLayout>(all, font);
    QTextOption option;
    option.setWrapMode(width > 0 ? QTextOption::WrapAtWordBoundaryOrAnywhere : QTextOption::NoWrap);
    result.text->setTextOption(option);
    result.text->setFormats(formats);
    result.text->setCacheEnabled(true);
    result.text->beginLayout();
    qreal y = 0;
    for (QTextLine line = result.text->createLine(); line.isValid(); line = result.text->createLine()) {
        line.setLineWidth(width > 0 ? width : 1e6);
        const qreal height = std::max(line.height(), lineHeight);
        line.setPosition({ 0, y + (height - line.height()) / 2 });
        y += height;
        result.naturalWidth = std::max(result.naturalWidth, line.naturalTextWidth());
    }
    result.text->endLayout();
    result.height = y;
    for (const ChipRange& range : ranges) {
        const QTextLine line = result.text->lineForTextPosition(range.from);
        if (!line.isValid())
            continue;
        const qreal left = line.cursorToX(range.from), right = line.cursorToX(range.to);
        result.chips.push_back({ QRectF(left + 0.5, line.y() - 1.5, right - left - 1, line.height() + 2), range.axis });
    }
    for (const ChipRange& range : linkRanges)
        for (int i = 0; i < result.text->lineCount(); ++i) {
            const QTextLine line = result.text->lineAt(i);
            const int from = std::max(range.from, line.textStart());
            const int to = std::min(range.to, line.textStart() + line.textLength());
            if (from >= to)
                continue;
            const qreal left = line.cursorToX(from), right = line.cursorToX(to);
            result.links.push_back({ QRectF(left, line.y(), right - left, line.height()), range.axis });
        }
    return result;
}

void SpanLayout::draw(QPainter& painter, QPointF at, const Theme& theme) const
{
    if (!text)
        return;
    const QColor plain = painter.pen().color();
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    for (const Chip& chip : chips) {
        const QColor colour = theme.meshAxis(chip.axis);
        painter.setPen(QPen(colour, 1));
        painter.setBrush(mixed(theme.base, colour, 0.12));
        painter.drawRoundedRect(chip.rect.translated(at), 3, 3);
    }
    // Dots below the line: an underline would break at the underscores of names.
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(QPen(plain, 1, Qt::DotLine));
    for (const Link& link : links) {
        const QRectF under = link.rect.translated(at);
        painter.drawLine(QPointF(under.left(), std::floor(under.bottom()) - 1),
            QPointF(under.right() - 1, std::floor(under.bottom()) - 1));
    }
    painter.restore();
    text->draw(&painter, at);
}

words::Text axisSpans(const QString& code, const std::vector<std::string>& axisNames)
{
    words::Text spans;
    const auto isNameCharacter = [](QChar c) { return c.isLetterOrNumber() || c == u'_' || c == u'.'; };
    qsizetype i = 0;
    while (i < code.size()) {
        qsizetype end = i + 1;
        const bool isName = isNameCharacter(code[i]);
        while (end < code.size() && isNameCharacter(code[end]) == isName)
            ++end;
        words::Span span{ code.mid(i, end - i), words::Span::Style::Code, -1 };
        if (isName && end < code.size() && code[end] == u'(') {
            // "P(": the P of a spec is no axis, whatever axes are called.
        } else if (isName) {
            const auto axis = std::find(axisNames.begin(), axisNames.end(), span.text.toStdString());
            if (axis != axisNames.end()) {
                span.style = words::Span::Style::Axis;
                span.axis = static_cast<int>(axis - axisNames.begin());
            }
        }
        if (!spans.empty() && spans.back().style == words::Span::Style::Code && span.style == words::Span::Style::Code)
            spans.back().text += span.text;
        else
            spans.push_back(std::move(span));
        i = end;
    }
    return spans;
}

SpanLabel::SpanLabel(QWidget* parent)
    : QWidget(parent)
{
    heightFollowsWidth(this);
}

SpanLabel::SpanLabel(words::Text text, AxisMarks marks, QWidget* parent)
    : SpanLabel(parent)
{
    m_marks = marks;
    setText(std::move(text));
}

void SpanLabel::setText(words::Text text)
{
    if (text == m_text)
        return;
    const bool hasOwnName = accessibleName() != words::plain(m_text);
    m_text = std::move(text);
    m_hovered = m_currentLink = -1;
    QStringList description;
    if (hasOwnName)
        description << words::plain(m_text);
    else
        setAccessibleName(words::plain(m_text));
    QStringList links;
    for (const int span : linkSpans())
        links << m_text[static_cast<std::size_t>(span)].text;
    setFocusPolicy(links.isEmpty() ? Qt::NoFocus : Qt::TabFocus);
    setMouseTracking(!links.isEmpty());
    if (!links.isEmpty())
        description << tr("Links: %1. Arrow keys choose one, Return follows it.").arg(links.join(u", "_s));
    setAccessibleDescription(description.join(u'\n'));
    measureAnew();
    update();
}

void SpanLabel::setMarks(AxisMarks marks)
{
    m_marks = marks;
    measureAnew();
    update();
}

void SpanLabel::setWrapping(bool wraps)
{
    m_wraps = wraps;
    QSizePolicy policy = sizePolicy();
    policy.setHeightForWidth(wraps);
    setSizePolicy(policy);
    measureAnew();
}

void SpanLabel::setColour(QColor Theme::*role)
{
    m_colour = role;
    update();
}

SpanLayout SpanLabel::layoutFor(int width) const
{
    const int line = Metrics::scaled(m_marks == AxisMarks::Chips ? 20 : 18);
    return SpanLayout::make(m_text, font(), m_wraps ? std::max(1, width) : 0, m_marks, Theme::current(), line);
}

SpanLabel::Measured& SpanLabel::measured() const
{
    if (!m_measured || m_measured->font != font() || m_measured->code != Metrics::fixed()) {
        const SpanLayout line = SpanLayout::make(m_text, font(), 0, m_marks, Theme::current());
        m_measured = { font(), Metrics::fixed(), static_cast<int>(std::ceil(line.naturalWidth)) + 1, {} };
    }
    return *m_measured;
}

void SpanLabel::measureAnew()
{
    m_measured.reset();
    updateGeometry();
}

QSize SpanLabel::sizeHint() const
{
    const int width = measured().lineWidth;
    return { width, heightForWidth(width) };
}

QSize SpanLabel::minimumSizeHint() const
{
    if (!m_wraps)
        return sizeHint();
    const int line = Metrics::scaled(m_marks == AxisMarks::Chips ? 20 : 18);
    return { std::min(measured().lineWidth, Metrics::scaled(80)), line };
}

int SpanLabel::heightForWidth(int width) const
{
    constexpr std::size_t maxKept = 6; // layouts try a few widths
    std::vector<QSize>& known = measured().wrapped;
    const auto found = std::find_if(known.begin(), known.end(), [&](QSize size) { return size.width() == width; });
    if (found != known.end())
        return found->height();
    if (known.size() == maxKept)
        known.erase(known.begin());
    known.emplace_back(width, static_cast<int>(std::ceil(layoutFor(width).height)));
    return known.back().height();
}

void SpanLabel::paintEvent(QPaintEvent*)
{
    const Theme& theme = Theme::current();
    QPainter painter(this);
    const SpanLayout layout = layoutFor(width());
    for (const SpanLayout::Link& link : layout.links)
        if (link.span == m_hovered) {
            QColor fill = theme.info;
            fill.setAlpha(28);
            painter.fillRect(link.rect, fill);
        }
    painter.setPen(theme.*m_colour);
    layout.draw(painter, { 0, 0 }, theme);
    if (!hasFocus())
        return;
    painter.setPen(QPen(theme.accent, 1.5));
    painter.setRenderHint(QPainter::Antialiasing);
    for (const SpanLayout::Link& link : layout.links)
        if (link.span == m_currentLink)
            painter.drawRoundedRect(link.rect.adjusted(-1, 0.5, 1, -0.5), 2, 2);
}

std::vector<int> SpanLabel::linkSpans() const
{
    std::vector<int> spans;
    for (std::size_t i = 0; i < m_text.size(); ++i)
        if (!m_text[i].link.isEmpty())
            spans.push_back(static_cast<int>(i));
    return spans;
}

int SpanLabel::spanAt(QPoint point) const
{
    for (const SpanLayout::Link& link : layoutFor(width()).links)
        if (link.rect.contains(point))
            return link.span;
    return -1;
}

QString SpanLabel::linkAt(QPoint point) const
{
    const int span = spanAt(point);
    return span < 0 ? QString() : m_text[static_cast<std::size_t>(span)].link;
}

void SpanLabel::setCurrentLink(int span)
{
    m_currentLink = span;
    update();
}

void SpanLabel::mouseMoveEvent(QMouseEvent* event)
{
    const int span = spanAt(event->position().toPoint());
    if (span != m_hovered) {
        m_hovered = span;
        setCursor(span < 0 ? Qt::ArrowCursor : Qt::PointingHandCursor);
        update();
    }
    QWidget::mouseMoveEvent(event);
}

void SpanLabel::leaveEvent(QEvent* event)
{
    m_hovered = -1;
    update();
    QWidget::leaveEvent(event);
}

void SpanLabel::mouseReleaseEvent(QMouseEvent* event)
{
    // The label may go while somebody follows the link.
    const QString link = event->button() == Qt::LeftButton ? linkAt(event->position().toPoint()) : QString();
    QWidget::mouseReleaseEvent(event);
    if (!link.isEmpty())
        Q_EMIT linkActivated(link);
}

void SpanLabel::keyPressEvent(QKeyEvent* event)
{
    const std::vector<int> spans = linkSpans();
    const auto at = std::find(spans.begin(), spans.end(), m_currentLink);
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Up:
        if (at != spans.end() && at != spans.begin()) {
            setCurrentLink(*std::prev(at));
            return;
        }
        break;
    case Qt::Key_Right:
    case Qt::Key_Down:
        if (at != spans.end() && std::next(at) != spans.end()) {
            setCurrentLink(*std::next(at));
            return;
        }
        break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
        if (at != spans.end()) {
            const QString link = m_text[static_cast<std::size_t>(*at)].link;
            Q_EMIT linkActivated(link);
            return;
        }
        break;
    default:
        break;
    }
    QWidget::keyPressEvent(event);
}

void SpanLabel::focusInEvent(QFocusEvent* event)
{
    const std::vector<int> spans = linkSpans();
    if (std::find(spans.begin(), spans.end(), m_currentLink) == spans.end() && !spans.empty())
        m_currentLink = event->reason() == Qt::BacktabFocusReason ? spans.back() : spans.front();
    QWidget::focusInEvent(event);
    update();
}

void SpanLabel::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    update();
}

void SpanLabel::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::FontChange || event->type() == QEvent::ApplicationFontChange)
        measureAnew();
    QWidget::changeEvent(event);
}

} // namespace shardscope
