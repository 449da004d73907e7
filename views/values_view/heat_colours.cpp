// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/values_view/heat_colours.h"

#include <algorithm>
#include <cmath>

#include "views/theme/theme.h"

namespace shardscope {

QColor heatPositive(const Theme& theme)
{
    return theme.meshAxes[1];
}
QColor heatNegative(const Theme& theme)
{
    return theme.meshAxes[0];
}

QColor heatColour(const Theme& theme, double value, double scale)
{
    const double share = scale > 0 ? std::min(std::abs(value) / scale, 1.0) : 0;
    return mixed(theme.base, value < 0 ? heatNegative(theme) : heatPositive(theme), share);
}

QImage heatImage(const HeatPanel& panel, double scale, const Theme& theme)
{
    const int width = static_cast<int>(panel.across.pointOfPixel.size());
    const int height = static_cast<int>(panel.down.pointOfPixel.size());
    QImage image(width, height, QImage::Format_RGB32);
    constexpr int steps = 255; // on either side of 0
    std::vector<QRgb> colours;
    for (int i = -steps; i <= steps; ++i)
        colours.push_back(heatColour(theme, i, steps).rgb());
    const QRgb text = theme.text.rgb(), above = heatPositive(theme).rgb(), below = heatNegative(theme).rgb();
    const std::size_t points = panel.across.points();
    for (int y = 0; y < height; ++y) {
        auto* line = reinterpret_cast<QRgb*>(image.scanLine(y));
        const double* const row = panel.points.data()
            + static_cast<std::size_t>(panel.down.pointOfPixel[static_cast<std::size_t>(y)]) * points;
        for (int x = 0; x < width; ++x) {
            const double value = row[panel.across.pointOfPixel[static_cast<std::size_t>(x)]];
            if (std::isnan(value)) {
                line[x] = text;
            } else if (std::isinf(value)) {
                line[x] = ((x / 2 + y / 2) % 2 != 0) ? text : value > 0 ? above : below;
            } else {
                const double share = scale > 0 ? std::clamp(value / scale, -1.0, 1.0) : 0;
                line[x] = colours[static_cast<std::size_t>(std::lround(share * steps) + steps)];
            }
        }
    }
    return image;
}

} // namespace shardscope
