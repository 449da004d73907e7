// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QFont>

namespace shardscope::plot {

/// Colours and font of a plot, handed over by the view.
struct PlotTheme {
    QColor base, border, grid, text, secondary, accent;
    QColor band; ///< opaque fill of a band around a mean
    QFont small; ///< tick labels
    bool operator==(const PlotTheme&) const = default;
};

} // namespace shardscope::plot
