// SPDX-License-Identifier: GPL-3.0-or-later
// The look that all plots share. For the sources of plot/ alone.
#pragma once

#include "plot/plot_theme.h"

class QCPItemRect;
class QCustomPlot;
class QCPAxis;

namespace shardscope::plot {

void applyTheme(QCustomPlot& plot, const PlotTheme& theme);
void applyTheme(QCPAxis& axis, const PlotTheme& theme);
/// A frame around the whole plot, hidden at first; the plot owns it. Its pen is the caller's matter.
[[nodiscard]] QCPItemRect* addFocusFrame(QCustomPlot& plot);
/// Ticks that carry their unit: "0", "5 ms", "10 ms". No axis label is needed then.
void setUnit(QCPAxis& axis, const QString& unit, int tickCount);

} // namespace shardscope::plot
