// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/shard_colour.h"

#include "views/theme/theme.h"

namespace shardscope {

QColor shardColour(const Theme& theme, const Layout& layout, std::int64_t shard)
{
    const std::int64_t count = layout.distinctShards();
    if (count <= 8)
        return theme.shard(shard, count);
    // Blocks of the first and second dimension that are cut, and the rest of them as one number.
    std::int64_t first = 0, second = 0, others = 0, firstPieces = 1, secondPieces = 1;
    const Shape& grid = layout.shardGrid();
    std::int64_t stride = count, rest = shard;
    for (const std::int64_t pieces : grid) {
        stride /= pieces;
        const std::int64_t block = rest / stride;
        rest %= stride;
        if (pieces == 1)
            continue;
        if (firstPieces == 1) {
            first = block;
            firstPieces = pieces;
        } else if (secondPieces == 1) {
            second = block;
            secondPieces = pieces;
        } else {
            others = others * pieces + block;
        }
    }
    if (count > 64)
        return theme.shard(shard, count, first, second + others);
    if (secondPieces == 1) // one cut: all hues, then the next lightness
        return theme.shard(shard, count, first % 8, first / 8);
    // There are eight hues and four steps of lightness: the longer dimension gets the hues.
    const bool swapped = secondPieces > 4 && firstPieces <= 4;
    const std::int64_t hue = swapped ? second : first, lightness = swapped ? first : second;
    return theme.shard(shard, count, (hue + 2 * others) % 8, lightness);
}

QColor shardEdge(const Theme& theme, const QColor& fill)
{
    if (!theme.dark)
        return {};
    const auto lighter = [](int channel) { return channel + (255 - channel) * 34 / 100; };
    return { lighter(fill.red()), lighter(fill.green()), lighter(fill.blue()) };
}

} // namespace shardscope
