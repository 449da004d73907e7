// SPDX-License-Identifier: GPL-3.0-or-later
// The look that all plots share. For the sources of plot/ alone.
#pragma once

#include "plot/plot_theme.h"

class QCustomPlot;
class QCPAxis;

namespace shardscope::plot {

void applyTheme(QCustomPlot& plot, const PlotTheme& theme);
void applyTheme(QCPAxis& axis, const PlotTheme& theme);

} // namespace shardscope::plot
