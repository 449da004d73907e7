// SPDX-License-Identifier: GPL-3.0-or-later
#include "conformance/grid_color.h"

#include <algorithm>

namespace shardscope {

namespace {

std::array<int, 3> bytes(const std::array<double, 3>& rgb)
{
    std::array<int, 3> result{};
    for (std::size_t i = 0; i < rgb.size(); ++i)
        result[i] = rgb[i] > 0 ? static_cast<int>(std::min(rgb[i], 1.0) * 255) : 0;
    return result;
}

} // namespace

std::vector<double> gridColorPositions(std::int64_t rows, std::int64_t columns)
{
    const std::int64_t count = rows * columns;
    std::vector<double> positions;
    positions.reserve(static_cast<std::size_t>(std::max<std::int64_t>(count, 0)));
    std::int64_t index = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        positions.push_back(count == 1 ? 0.0 : static_cast<double>(index) / static_cast<double>(count - 1));
        index = (index + count / 2 + (count % 2 == 0 ? 1 : 0)) % count;
    }
    return positions;
}

std::string gridColorText(const std::array<double, 3>& rgb)
{
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string text = "#";
    for (const int byte : bytes(rgb)) {
        text += digits[static_cast<std::size_t>(byte) / 16];
        text += digits[static_cast<std::size_t>(byte) % 16];
    }
    return text;
}

std::string gridLabelColor(const std::array<double, 3>& rgb)
{
    const auto [red, green, blue] = bytes(rgb);
    return red * 0.299 + green * 0.587 + blue * 0.114 > 186 ? "#000000" : "#ffffff";
}

} // namespace shardscope
