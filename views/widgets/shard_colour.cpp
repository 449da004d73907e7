// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/shard_colour.h"

#include <QPainter>
#include <algorithm>
#include <utility>

#include "views/theme/theme.h"

namespace shardscope {

namespace {

constexpr std::int64_t hues = 8, steps = 4, maxMarked = 64;

/// Blocks of the first and second dimension that are sharded, and the rest of them as one number.
struct Blocks {
    std::int64_t first = 0, second = 0, others = 0;
    std::int64_t firstShards = 1, secondShards = 1, otherShards = 1;
};

Blocks blocksOf(const Layout& layout, std::int64_t shard)
{
    Blocks blocks;
    std::int64_t stride = layout.distinctShards(), rest = shard;
    for (const std::int64_t parts : layout.shardGrid()) {
        stride /= parts;
        const std::int64_t block = rest / stride;
        rest %= stride;
        if (parts == 1)
            continue;
        if (blocks.firstShards == 1) {
            blocks.first = block;
            blocks.firstShards = parts;
        } else if (blocks.secondShards == 1) {
            blocks.second = block;
            blocks.secondShards = parts;
        } else {
            blocks.others = blocks.others * parts + block;
            blocks.otherShards *= parts;
        }
    }
    return blocks;
}

} // namespace

ShardMark shardMark(const Layout& layout, std::int64_t shard)
{
    Blocks at = blocksOf(layout, shard);
    // The longer dimension gets the hues.
    if (at.secondShards > steps && at.firstShards <= steps) {
        std::swap(at.first, at.second);
        std::swap(at.firstShards, at.secondShards);
    }
    const std::int64_t hueCount = std::min(at.firstShards, hues), stepCount = std::min(at.secondShards, steps);
    ShardMark mark{ at.first % hues, at.second % steps, 0 };
    // What goes round again counts on, first in steps and hues that are free, then in corners.
    const std::int64_t rounds = (at.secondShards + steps - 1) / steps;
    std::int64_t over = (at.first / hues * rounds + at.second / steps) * at.otherShards + at.others;
    const std::int64_t freeSteps = steps / stepCount, freeHues = hues / hueCount;
    mark.lightness += stepCount * (over % freeSteps);
    over /= freeSteps;
    mark.hue += hueCount * (over % freeHues);
    mark.motif = static_cast<int>(over / freeHues);
    return mark;
}

QColor shardColour(const Theme& theme, const Layout& layout, std::int64_t shard)
{
    const std::int64_t count = layout.distinctShards();
    if (count <= 8)
        return theme.shard(shard, count);
    if (count > maxMarked) {
        const Blocks at = blocksOf(layout, shard);
        return theme.shard(shard, count, at.first, at.second + at.others);
    }
    const ShardMark mark = shardMark(layout, shard);
    return theme.shard(shard, count, mark.hue, mark.lightness);
}

bool hasMotifs(const Layout& layout)
{
    const std::int64_t count = layout.distinctShards();
    return count > 8 && count <= maxMarked && shardMark(layout, count - 1).motif > 0;
}

void paintMotif(QPainter& painter, const QRect& cell, int motif, const QColor& colour)
{
    const int side = std::min({ cell.width() / 3, cell.height() * 2 / 3, 8 });
    if (motif == 0 || side < 3)
        return;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    const QRect inside = cell.adjusted(1, 1, -1, -1);
    const QPoint corners[] = { inside.topLeft(), inside.bottomRight() + QPoint(1, 1), inside.topRight() + QPoint(1, 0),
        inside.bottomLeft() + QPoint(0, 1) };
    for (int corner = 0; corner < 4; ++corner) {
        if ((motif >> corner & 1) == 0)
            continue;
        const QPoint at = corners[corner];
        const int across = corner == 0 || corner == 3 ? side : -side, down = corner == 0 || corner == 2 ? side : -side;
        painter.drawPolygon(QPolygon{ at, at + QPoint(across, 0), at + QPoint(0, down) });
    }
    painter.restore();
}

QColor shardEdge(const Theme& theme, const QColor& fill)
{
    if (!theme.dark)
        return {};
    const auto lighter = [](int channel) { return channel + (255 - channel) * 34 / 100; };
    return { lighter(fill.red()), lighter(fill.green()), lighter(fill.blue()) };
}

void paintPadding(QPainter& painter, const QRect& part, const Theme& theme, qreal pixelRatio)
{
    painter.setBrushOrigin(0, 0);
    painter.fillRect(part, theme.alternateRow);
    painter.fillRect(part, theme.hatch(pixelRatio));
    QPen pen(theme.strongLine, 1);
    pen.setDashPattern({ 3, 2 });
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(part.adjusted(0, 0, -1, -1));
}

} // namespace shardscope
