// SPDX-License-Identifier: GPL-3.0-or-later
#include "plot/qcustomplot_include.h"

#include "plot/plot_style.h"

namespace shardscope::plot {

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

void applyTheme(QCustomPlot& plot, const PlotTheme& theme)
{
    plot.setBackground(theme.base);
    for (QCPAxisRect* rect : plot.axisRects())
        for (QCPAxis* axis : rect->axes())
            applyTheme(*axis, theme);
}

} // namespace shardscope::plot
