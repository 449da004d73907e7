// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>

#include "geometry/heat_data.h"

namespace shardscope {

struct Theme;

/// The colour of a number: white (black in dark) at 0, blue below, orange above, full at +-scale.
[[nodiscard]] QColor heatColour(const Theme& theme, double value, double scale);
[[nodiscard]] QColor heatPositive(const Theme& theme);
[[nodiscard]] QColor heatNegative(const Theme& theme);
/// A panel in device pixels. NaN has the text's colour; infinities are checks of that and the colour of their sign.
[[nodiscard]] QImage heatImage(const HeatPanel& panel, double scale, const Theme& theme);

} // namespace shardscope
