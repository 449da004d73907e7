// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/start_page/thumbnail.h"

#include <QPainter>
#include <algorithm>
#include <memory>

#include "analysis/analyse.h"
#include "analysis/first_selection.h"
#include "geometry/grid_layout.h"
#include "views/theme/theme.h"
#include "views/widgets/shard_colour.h"

namespace shardscope {

namespace {

/// Cells of a thumbnail; more would be one tint.
constexpr std::int64_t maximumThumbnailCells = 1024;

void paintThumbnailShard(QPainter& painter, const QRect& cell, const Layout& layout, std::int64_t shard,
    GridDetail detail, const Theme& theme, qreal pixelRatio)
{
    const bool full = layout.copies() > 1 && layout.distinctShards() == 1;
    const QColor fill = full ? theme.alternateRow : shardColour(theme, layout, shard);
    painter.setBrushOrigin(0, 0);
    painter.fillRect(cell, fill);
    if (detail < GridDetail::Marks)
        return;
    if (layout.addends() > 1)
        painter.fillRect(cell, theme.dots(fill, pixelRatio));
    else if (layout.copies() > 1)
        painter.fillRect(cell, theme.stripes(fill, full ? 8 : layout.copies(), pixelRatio));
    if (const QColor edge = shardEdge(theme, fill); edge.isValid()) {
        painter.setPen(edge);
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(cell.adjusted(0, 0, -1, -1));
    }
}

void paintThumbnailArray(
    QPainter& painter, const QRect& room, const Layout& layout, const Theme& theme, qreal pixelRatio)
{
    GridMargins margins;
    margins.gap = 6;
    const QSize inside = room.size() - QSize(6, 6); // within the frame
    const GridLayout grid(layout, GridLayout::defaultChoice(layout), inside, margins);
    QRect used;
    for (const QRect& panel : grid.panels())
        used |= panel;
    painter.save();
    painter.translate(room.center() - used.center());
    for (int number = 0; number < static_cast<int>(grid.panels().size()); ++number) {
        const QRect& panel = grid.panels()[static_cast<std::size_t>(number)];
        painter.setPen(theme.strongLine);
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(panel.adjusted(-2, -2, 1, 1));
        if (grid.rows().shown * grid.columns().shown > maximumThumbnailCells) {
            painter.fillRect(panel, theme.shard(0, 64));
            continue;
        }
        for (std::int64_t row = grid.rows().first; row < grid.rows().end(); ++row)
            for (std::int64_t column = grid.columns().first; column < grid.columns().end(); ++column) {
                const GridCell cell{ number, row, column };
                QRect rect = grid.cellRect(cell);
                rect.adjust(0, 0, rect.width() > 2 && column + 1 < grid.columns().end() ? -1 : 0,
                    rect.height() > 2 && row + 1 < grid.rows().end() ? -1 : 0);
                paintThumbnailShard(painter, rect, layout, grid.shardOf(cell), grid.detail(), theme, pixelRatio);
            }
        for (const QRect& part : grid.padding(panel))
            paintPadding(painter, part, theme, pixelRatio);
    }
    painter.restore();
}

/// The last axis across, the others down.
void paintThumbnailMesh(
    QPainter& painter, const QRect& room, const std::vector<std::int64_t>& sizes, const Theme& theme)
{
    constexpr std::int64_t most = 16;
    std::int64_t rows = 1;
    for (std::size_t i = 0; i + 1 < sizes.size(); ++i)
        rows = std::min(rows * sizes[i], most);
    const std::int64_t columns = sizes.empty() ? 1 : std::min(sizes.back(), most);
    const int side =
        std::max(4, std::min({ room.width() / static_cast<int>(columns), room.height() / static_cast<int>(rows), 24 }));
    QRect map(0, 0, side * static_cast<int>(columns), side * static_cast<int>(rows));
    map.moveCenter(room.center());
    painter.setPen(theme.strongLine);
    painter.setBrush(theme.button);
    for (int row = 0; row < static_cast<int>(rows); ++row)
        for (int column = 0; column < static_cast<int>(columns); ++column)
            painter.drawRect(map.left() + column * side, map.top() + row * side, side - 2, side - 2);
}

} // namespace

Thumbnail thumbnailOf(const Experiment& experiment, const std::stop_token& stop)
{
    Thumbnail thumbnail;
    for (const MeshAxis& axis : experiment.mesh.axes)
        thumbnail.mesh.push_back(axis.size);
    AnalysisCache cache;
    const SnapshotPtr snapshot =
        analyse(std::make_shared<const Experiment>(experiment), 0, cache, stop, LastStage::Propagation);
    if (!snapshot || !snapshot->laidOut())
        return thumbnail;
    if (const TensorRow* row = firstSelection(*snapshot); row && !row->layout.shape().empty())
        thumbnail.array = row->layout;
    return thumbnail;
}

void paintThumbnail(
    QPainter& painter, const QRect& room, const Thumbnail& thumbnail, const Theme& theme, qreal pixelRatio)
{
    painter.setRenderHint(QPainter::Antialiasing, false);
    if (thumbnail.array)
        paintThumbnailArray(painter, room, *thumbnail.array, theme, pixelRatio);
    else
        paintThumbnailMesh(painter, room, thumbnail.mesh, theme);
}

} // namespace shardscope
