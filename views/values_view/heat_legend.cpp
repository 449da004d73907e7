// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/values_view/heat_legend.h"

#include <QLocale>
#include <QPainter>
#include <functional>

#include "views/panel/panel.h"
#include "views/theme/theme.h"
#include "views/values_view/heat_colours.h"
#include "words/words.h"

namespace shardscope {

namespace {

constexpr int barTop = 2, barGap = 5; ///< above the bar, and between it and its numbers
constexpr int numberGap = 8; ///< between two of them

} // namespace

HeatLegend::HeatLegend(QWidget* parent)
    : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void HeatLegend::setContent(const HeatSummary& summary, DType dtype, bool difference, bool padding)
{
    m_summary = summary;
    m_dtype = dtype;
    m_difference = difference;
    m_padding = padding;
    const auto number = [&](double value) { return valueText(value, m_dtype, m_difference); };
    QStringList words;
    if (summary.anyFinite())
        words << tr("values from %1 to %2").arg(number(summary.smallest), number(summary.largest));
    words << marks();
    describe(this, tr("Legend: %1").arg(words.join(QStringLiteral(", "))), words.join(QStringLiteral(", ")));
    updateGeometry();
    update();
}

QStringList HeatLegend::marks() const
{
    QStringList list;
    if (m_summary.notNumbers > 0)
        list << tr("NaN %1").arg(words::count(m_summary.notNumbers));
    if (m_summary.infinite > 0)
        list << tr("∞ %1").arg(words::count(m_summary.infinite));
    if (m_summary.minusInfinite > 0)
        list << tr("−∞ %1").arg(words::count(m_summary.minusInfinite));
    return list;
}

void HeatLegend::setColumn(bool column)
{
    m_column = column;
    updateGeometry();
    update();
}

/// Numbers that need more make it longer, at the cost of what stands beside it.
int HeatLegend::barWidth() const
{
    if (m_column)
        return width();
    const QFontMetrics small{ Metrics::small() };
    const double scale = m_summary.magnitude();
    const int number = small.horizontalAdvance(valueText(-scale, m_dtype, m_difference));
    const int needed =
        scale > 0 ? 2 * (number + Metrics::scaled(numberGap)) + small.horizontalAdvance(QLocale().toString(0)) : 0;
    return std::min(std::max(std::min(Metrics::scaled(220), width() / 2), needed), width());
}

std::vector<HeatLegend::Number> HeatLegend::numbers() const
{
    const QFontMetrics small{ Metrics::small() };
    const int width = barWidth(), top = barTop + Metrics::scaled(10) + barGap;
    const auto place = [&](const QString& text, double share) {
        const int needed = small.horizontalAdvance(text) + 1;
        return Number{ text, QRect(qRound((width - needed) * share), top, needed, small.height()) };
    };
    const Number zero = place(QLocale().toString(0), 0.5);
    const double scale = m_summary.magnitude();
    if (scale <= 0)
        return { zero };
    const Number least = place(valueText(-scale, m_dtype, m_difference), 0);
    const Number most = place(valueText(scale, m_dtype, m_difference), 1);
    const int gap = Metrics::scaled(numberGap) / 2;
    if (least.place.right() + gap > zero.place.left() || zero.place.right() + gap > most.place.left())
        return { least, most };
    return { least, zero, most };
}

void HeatLegend::paintEvent(QPaintEvent*)
{
    const Theme& theme = Theme::current();
    QPainter painter(this);
    const QFontMetrics small{ Metrics::small() };
    painter.setFont(Metrics::small());
    const int barHeight = Metrics::scaled(10), top = barTop, textTop = top + barHeight + barGap;
    const int barWidth = this->barWidth();
    for (int x = 0; x < barWidth; ++x) {
        const double share = barWidth > 1 ? 2.0 * x / (barWidth - 1) - 1 : 0;
        painter.setPen(heatColour(theme, share, 1));
        painter.drawLine(x, top, x, top + barHeight - 1);
    }
    painter.setPen(theme.strongLine);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(0, top, barWidth - 1, barHeight);
    painter.setPen(theme.text);
    painter.drawLine(barWidth / 2, top, barWidth / 2, top + barHeight + 3);
    for (const Number& number : numbers())
        painter.drawText(number.place, Qt::AlignCenter, number.text);

    const int box = Metrics::scaled(14), line = Metrics::scaled(20), space = Metrics::scaled(6);
    int x = m_column ? 0 : barWidth + Metrics::scaled(16);
    int y = m_column ? textTop + small.height() + space : (height() - line) / 2;
    const auto entry = [&](const QString& text, const QColor& colour, const std::function<void(const QRect&)>& fill) {
        const int needed = (fill ? box + space : 0) + small.horizontalAdvance(text);
        if (x + needed > width())
            return;
        int left = x;
        if (fill) {
            const QRect swatch(x, y + (line - box) / 2, box, box);
            fill(swatch);
            painter.setPen(theme.strongLine);
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(swatch.adjusted(0, 0, -1, -1));
            left += box + space;
        }
        painter.setPen(colour);
        painter.drawText(QRect(left, y, needed + 2, line), Qt::AlignLeft | Qt::AlignVCenter, text);
        if (m_column)
            y += line;
        else
            x += needed + Metrics::scaled(14);
    };
    const auto checks = [&](const QRect& swatch, const QColor& colour) {
        painter.fillRect(swatch, colour);
        for (int row = 0; row < swatch.height(); row += 2)
            for (int column = row % 4; column < swatch.width(); column += 4)
                painter.fillRect(swatch.left() + column, swatch.top() + row, 2, 2, theme.text);
    };
    const QStringList texts = marks();
    int next = 0;
    if (m_summary.notNumbers > 0)
        entry(texts[next++], theme.text, [&](const QRect& swatch) { painter.fillRect(swatch, theme.text); });
    if (m_summary.infinite > 0)
        entry(texts[next++], theme.text, [&](const QRect& swatch) { checks(swatch, heatPositive(theme)); });
    if (m_summary.minusInfinite > 0)
        entry(texts[next++], theme.text, [&](const QRect& swatch) { checks(swatch, heatNegative(theme)); });
    if (m_summary.read > 0 && texts.isEmpty())
        entry(tr("no NaN, no infinity"), theme.secondary, {});
    if (m_padding)
        entry(tr("padding"), theme.text, [&](const QRect& swatch) {
            painter.fillRect(swatch, theme.alternateRow);
            painter.fillRect(swatch, theme.hatch(devicePixelRatioF()));
        });
}

QSize HeatLegend::sizeHint() const
{
    const int bar = Metrics::scaled(18) + QFontMetrics(Metrics::small()).height();
    return { Metrics::scaled(m_column ? 170 : 300), bar + (m_column ? entryCount() * Metrics::scaled(20) + 4 : 0) };
}

QString differenceNote(
    const HeatSummary& differences, double referenceMagnitude, std::optional<double> allowed, DType dtype)
{
    const std::int64_t others = differences.read - differences.finite();
    if (differences.read == 0 || (!allowed && (referenceMagnitude <= 0 || !differences.anyFinite())))
        return {};
    const double largest = differences.magnitude();
    const auto brief = [](double value) { return QLocale().toString(value, 'g', 2); };
    QStringList sentences;
    if (largest == 0 && others == 0)
        sentences << HeatLegend::tr("No difference in what was read.");
    else if (referenceMagnitude > 0)
        sentences << HeatLegend::tr("Largest difference %1 where values reach %2: %3 of that.")
                         .arg(valueText(largest, dtype, true), brief(referenceMagnitude),
                             brief(largest / referenceMagnitude));
    else
        sentences
            << HeatLegend::tr("Largest difference %1 where all values are 0.").arg(valueText(largest, dtype, true));
    if (allowed && *allowed > 0 && largest > 0)
        sentences << HeatLegend::tr("Their root mean square is %1, and up to %2 counts as rounding.")
                         .arg(brief(differences.rootMeanSquare()), brief(*allowed));
    if (allowed && others > 0)
        sentences << HeatLegend::tr("Not finite on one side alone: %1.").arg(words::count(others));
    return sentences.join(QLatin1Char(' '));
}

std::optional<bool> agreesWithReference(const HeatSummary& differences, std::optional<double> allowed)
{
    if (!allowed || differences.read == 0)
        return std::nullopt;
    return differences.finite() == differences.read && differences.rootMeanSquare() <= *allowed;
}

QString heatNote(const HeatData& data, HeatReduction reduction)
{
    const QString reads = data.isComplete()
        ? HeatLegend::tr("All %1 elements were read.").arg(words::count(data.elements))
        : HeatLegend::tr("%1 of %2 elements were read, evenly spread.")
              .arg(words::count(data.all.read), words::count(data.elements));
    if (data.rowsPerPoint * data.columnsPerPoint <= 1)
        return data.elements == 1 ? HeatLegend::tr("There is one element.")
                                  : HeatLegend::tr("A point is one element. %1").arg(reads);
    const bool some = data.readRowsPerPoint * data.readColumnsPerPoint < data.rowsPerPoint * data.columnsPerPoint;
    const QString size = HeatLegend::tr("%1 × %2", "rows, columns")
                             .arg(words::count(data.rowsPerPoint), words::count(data.columnsPerPoint));
    const QString among = some
        ? HeatLegend::tr("%1 read out of %2 elements", "2 × 2, 6 × 6")
              .arg(HeatLegend::tr("%1 × %2", "rows, columns")
                       .arg(words::count(data.readRowsPerPoint), words::count(data.readColumnsPerPoint)),
                  size)
        : HeatLegend::tr("up to %1 elements").arg(size);
    return reduction == HeatReduction::Mean
        ? HeatLegend::tr("A point: the mean of %1. %2").arg(among, reads)
        : HeatLegend::tr("A point: the largest magnitude of %1. %2").arg(among, reads);
}

} // namespace shardscope
