// SPDX-License-Identifier: GPL-3.0-or-later
#include "plot/qcustomplot_include.h"

#include "plot/plot_style.h"

#include <cmath>

namespace shardscope::plot {

namespace {

class UnitTicker : public QCPAxisTicker {
public:
    explicit UnitTicker(QString unit)
        : m_unit(std::move(unit))
    {
    }

protected:
    QString getTickLabel(double tick, const QLocale& locale, QChar, int) override
    {
        if (std::abs(tick) < 1e-9)
            return locale.toString(0);
        // As many decimals as the tick has, which the steps 1, 2, 2.5 and 5 keep few.
        int decimals = 0;
        for (double scaled = std::abs(tick); decimals < 3 && std::abs(scaled - std::round(scaled)) > 1e-6; scaled *= 10)
            ++decimals;
        return locale.toString(tick, 'f', decimals) + QChar(0x00A0) + m_unit;
    }

private:
    QString m_unit;
};

} // namespace

void setUnit(QCPAxis& axis, const QString& unit, int tickCount)
{
    QSharedPointer<QCPAxisTicker> ticker(new UnitTicker(unit));
    ticker->setTickCount(tickCount);
    axis.setTicker(ticker);
}

void applyTheme(QCPAxis& axis, const PlotTheme& theme)
{
    axis.setBasePen(QPen(theme.border, 1));
    axis.setTickPen(QPen(theme.border, 1));
    axis.setSubTicks(false);
    axis.setTickLengthIn(0);
    axis.setTickLengthOut(3);
    axis.setTickLabelFont(theme.small);
    axis.setTickLabelColor(theme.secondary);
    axis.setLabelFont(theme.small);
    axis.setLabelColor(theme.secondary);
    axis.setSelectedBasePen(axis.basePen());
    axis.setSelectedTickPen(axis.tickPen());
    axis.grid()->setPen(QPen(theme.grid, 1));
    axis.grid()->setZeroLinePen(Qt::NoPen);
    axis.grid()->setSubGridVisible(false);
    axis.grid()->setAntialiased(false);
}

QCPItemRect* addFocusFrame(QCustomPlot& plot)
{
    auto* frame = new QCPItemRect(&plot);
    frame->setClipToAxisRect(false);
    frame->setBrush(Qt::NoBrush);
    for (QCPItemPosition* corner : { frame->topLeft, frame->bottomRight })
        corner->setType(QCPItemPosition::ptViewportRatio);
    frame->topLeft->setCoords(0, 0);
    frame->bottomRight->setCoords(1, 1);
    frame->setVisible(false);
    return frame;
}

void applyTheme(QCustomPlot& plot, const PlotTheme& theme)
{
    plot.setBackground(theme.base);
    for (QCPAxisRect* rect : plot.axisRects())
        for (QCPAxis* axis : rect->axes())
            applyTheme(*axis, theme);
}

} // namespace shardscope::plot
