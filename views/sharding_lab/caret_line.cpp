// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/sharding_lab/caret_line.h"

#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>

#include "experiment/lab_state.h"
#include "views/theme/theme.h"

namespace shardscope {

CaretLine::CaretLine(QWidget* parent)
    : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    setAccessibleName(tr("Place in the text"));
    hide();
}

void CaretLine::setPlace(const QString& text, int line, int column)
{
    m_text = text;
    m_line = line;
    m_column = column;
    setVisible(line > 0);
    setAccessibleDescription(line > 1 ? tr("line %1, column %2").arg(line).arg(column) : tr("column %1").arg(column));
    update();
}

QSize CaretLine::sizeHint() const
{
    return { Metrics::scaled(120), QFontMetrics(Metrics::fixed()).height() + Metrics::scaled(6) };
}

QSize CaretLine::minimumSizeHint() const
{
    return { Metrics::scaled(60), sizeHint().height() };
}

void CaretLine::paintEvent(QPaintEvent*)
{
    const Theme& theme = Theme::current();
    const QFont font = Metrics::fixed();
    const QFontMetrics metrics(font);
    const int character = std::max(1, metrics.horizontalAdvance(QLatin1Char('0')));
    const Excerpt excerpt =
        excerptAround(m_text.toStdU32String(), m_line, m_column, std::max(8, width() / character - 1));
    const QString shown = QString::fromStdU32String(excerpt.text);
    const auto advance = [&](int characters) {
        return metrics.horizontalAdvance(
            QString::fromStdU32String(excerpt.text.substr(0, static_cast<std::size_t>(characters))));
    };
    const int left = advance(excerpt.column);
    const int behind = std::min(excerpt.column + excerpt.length, static_cast<int>(excerpt.text.size()));
    const int right = std::max(advance(behind), left + character);
    QPainter painter(this);
    painter.setFont(font);
    painter.fillRect(QRect(left - 1, 0, right - left + 2, metrics.height()), theme.errorBackground);
    painter.setPen(theme.secondary);
    painter.drawText(0, metrics.ascent(), shown);
    painter.setPen(theme.error);
    painter.drawText(left, metrics.ascent(),
        QString::fromStdU32String(excerpt.text.substr(
            static_cast<std::size_t>(excerpt.column), static_cast<std::size_t>(std::max(0, behind - excerpt.column)))));
    painter.fillRect(QRect(left, metrics.height(), right - left, 2), theme.error);
    // The caret points at the first character, so that it is found in a long word too.
    const int tip = left + character / 2, size = Metrics::scaled(3);
    QPainterPath caret;
    caret.moveTo(tip, metrics.height());
    caret.lineTo(tip - size, metrics.height() + 2 * size);
    caret.lineTo(tip + size, metrics.height() + 2 * size);
    caret.closeSubpath();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillPath(caret, theme.error);
}

void CaretLine::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton)
        Q_EMIT clicked();
}

} // namespace shardscope
