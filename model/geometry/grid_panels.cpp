// SPDX-License-Identifier: GPL-3.0-or-later
// How large the panels of a shard grid are, where they stand, and how much their cells have room for.
// A part of GridLayout, which is declared in grid_layout.h.
#include <algorithm>
#include <cmath>

#include "geometry/grid_layout.h"

namespace shardscope {

namespace {

constexpr double maximumAspect = 4.0; ///< of a panel, width to height or height to width
constexpr std::int64_t maxToldApart = 64; ///< shards that can all be told apart: cells have names where there is room
constexpr int nameWidth = 36, nameHeight = 15; ///< of a cell with a name, in pixels

/// Panels of one size.
struct PanelSizes {
    QSize size = { 0, 0 }; ///< of each, in pixels
    int across = 1; ///< beside each other
    double aspect = 1; ///< width : height that the size is made for
};

/// The pixels that all panels share, with their titles and the gaps between them.
struct PanelRoom {
    int width = 1, height = 1, title = 0, gap = 0;

    /// Calls use(panels beside each other, room of each) for every arrangement of `count` panels that leaves some.
    template <class Use>
    void forEach(int count, const Use& use) const
    {
        for (int across = 1; across <= count; ++across) {
            const int down = (count + across - 1) / across;
            const QSize each((width - (across - 1) * gap) / across, (height - (down - 1) * gap) / down - title);
            if (each.width() >= 1 && each.height() >= 1)
                use(across, each);
        }
    }
};

/// Elements along what is shown of a dimension.
double shownElements(const GridDimension& dimension)
{
    return static_cast<double>(dimension.shown) / static_cast<double>(dimension.inner)
        * static_cast<double>(dimension.block);
}

double trueAspectOf(std::size_t rank, const GridDimension& rows, const GridDimension& columns)
{
    if (rank == 0)
        return 3;
    if (rows.extent() == 0 || columns.extent() == 0)
        return 1; // an array without elements has no proportions
    return rank == 1 ? maximumAspect : shownElements(columns) / std::max(shownElements(rows), 1e-9);
}

/// The aspect of a single panel with that of its array, bent so that cells have names where there is room.
double aspectForNames(double trueAspect, const PanelRoom& room, std::int64_t rows, std::int64_t columns)
{
    const auto within = [](int limit, std::int64_t wanted) {
        return static_cast<double>(std::min<std::int64_t>(limit, wanted));
    };
    double aspect = std::clamp(trueAspect, 1 / maximumAspect, maximumAspect);
    // Rows of shards are high enough for names.
    aspect = std::max(std::min(aspect, room.width / within(room.height, rows * nameHeight)), 1 / maximumAspect);
    // An array too long for its proportions is as wide as what is said of its shards, but never wider than high.
    constexpr std::int64_t fullWidth = 56, minimumWidth = 24;
    if (trueAspect < 1 / maximumAspect)
        aspect = std::max(aspect, std::min(within(room.width, columns * fullWidth) / room.height, 1.0));
    // One that is high gets the width of names where it is drawn too low for them.
    const double named = within(room.width, columns * nameWidth) / room.height;
    if (trueAspect < 1 && room.height * aspect < static_cast<double>(columns * minimumWidth))
        aspect = std::max(aspect, std::min(named, 1.0));
    // Where neither is true to the array anyway, all its columns have names rather than some.
    if (trueAspect < 1 / maximumAspect)
        aspect = std::max(aspect, std::min(named, maximumAspect));
    return aspect;
}

/// The arrangement that leaves panels of that aspect largest; of size 0 where none has room.
PanelSizes largestPanels(const PanelRoom& room, int count, double aspect)
{
    PanelSizes best{ { 0, 0 }, 1, aspect };
    room.forEach(count, [&](int across, const QSize& each) {
        const int w = std::clamp(static_cast<int>(std::floor(each.height() * aspect)), 1, each.width());
        const int h = std::clamp(static_cast<int>(std::floor(w / aspect)), 1, each.height());
        if (std::int64_t{ w } * h > std::int64_t{ best.size.width() } * best.size.height())
            best = { { w, h }, across, aspect };
    });
    return best;
}

/// Several panels whose cells all have names, with the proportions that have to be bent least for that; `largest` where
/// they have them already, or never will.
PanelSizes panelsForNames(const PanelSizes& largest, const PanelRoom& room, int count, double trueAspect,
    std::int64_t rows, std::int64_t columns)
{
    const auto wantedWidth = static_cast<int>(std::min<std::int64_t>(columns * nameWidth, room.width + 1));
    const auto wantedHeight = static_cast<int>(std::min<std::int64_t>(rows * nameHeight, room.height + 1));
    if (largest.size.width() >= wantedWidth && largest.size.height() >= wantedHeight)
        return largest;
    PanelSizes best = largest;
    double least = 0;
    room.forEach(count, [&](int across, const QSize& each) {
        if (each.width() < wantedWidth || each.height() < wantedHeight)
            return;
        const double lowest = static_cast<double>(wantedWidth) / each.height();
        const double highest = std::max(static_cast<double>(each.width()) / wantedHeight, lowest);
        const double aspect = std::clamp(trueAspect, lowest, highest);
        const double bent = std::max(aspect / trueAspect, trueAspect / aspect);
        if (aspect > maximumAspect || aspect < 1 / maximumAspect || (least > 0 && bent >= least))
            return;
        least = bent;
        const int w = std::min(each.width(), static_cast<int>(std::floor(each.height() * aspect)));
        best = { { w, std::min(each.height(), static_cast<int>(std::floor(w / aspect))) }, across, aspect };
    });
    return best;
}

} // namespace

void GridLayout::placePanels(const Layout& layout, QSize area, const GridMargins& margins)
{
    const std::size_t rank = layout.shape().size();
    int count = static_cast<int>(std::min<std::int64_t>(m_panelsInAll, maximumPanels));
    const PanelRoom room{ std::max(area.width() - margins.left, 1), std::max(area.height() - margins.top, 1),
        count > 1 ? margins.panelTitle : 0, margins.gap };
    const bool names = rank >= 2 && layout.distinctShards() <= maxToldApart;
    m_trueAspect = trueAspectOf(rank, m_rows, m_columns);
    m_drawnAspect = count == 1 && names ? aspectForNames(m_trueAspect, room, m_rows.shown, m_columns.shown)
                                        : std::clamp(m_trueAspect, 1 / maximumAspect, maximumAspect);
    // Where not even narrow slivers of all panels fit, fewer are drawn; where not even one fits, none.
    PanelSizes panels = largestPanels(room, count, m_drawnAspect);
    while (panels.size.isEmpty() && count > 0) {
        count /= 2;
        panels = largestPanels(room, count, m_drawnAspect);
    }
    if (panels.size.isEmpty())
        return;
    if (count > 1 && names)
        panels = panelsForNames(panels, room, count, m_trueAspect, m_rows.shown, m_columns.shown);
    m_drawnAspect = panels.aspect;
    if (rank == 0)
        panels.size = panels.size.boundedTo({ 240, 80 });
    for (int i = 0; i < count; ++i) {
        const int x = margins.left + (i % panels.across) * (panels.size.width() + room.gap);
        const int y = margins.top + room.title + (i / panels.across) * (panels.size.height() + room.title + room.gap);
        m_panels.emplace_back(QPoint(x, y), panels.size);
    }
}

void GridLayout::chooseDetail()
{
    if (m_panels.empty()) {
        m_detail = GridDetail::Raster;
        return;
    }
    const double cellWidth = m_panels.front().width() / static_cast<double>(std::max<std::int64_t>(m_columns.shown, 1));
    const double cellHeight = m_panels.front().height() / static_cast<double>(std::max<std::int64_t>(m_rows.shown, 1));
    const double smaller = std::min(cellWidth, cellHeight);
    m_detail = cellWidth >= 48 && cellHeight >= 28 ? GridDetail::Full
        : cellWidth >= 24 && cellHeight >= 14      ? GridDetail::Name
        : smaller >= 12                            ? GridDetail::Marks
        : smaller >= 3                             ? GridDetail::Colour
                                                   : GridDetail::Raster;
    if (m_detail != GridDetail::Raster)
        return;
    constexpr double smallestHost = 3, smallestTile = 6; // sides in pixels
    const auto tileWidth = [&] { return cellWidth * static_cast<double>(m_columnsPerTile); };
    const auto tileHeight = [&] { return cellHeight * static_cast<double>(m_rowsPerTile); };
    m_rowsPerTile = m_host.rows;
    m_columnsPerTile = m_host.columns;
    if (tileHeight() >= smallestHost && tileWidth() >= smallestHost)
        return;
    while (tileHeight() < smallestTile && m_rowsPerTile < m_rows.shown)
        m_rowsPerTile *= 2;
    while (tileWidth() < smallestTile && m_columnsPerTile < m_columns.shown)
        m_columnsPerTile *= 2;
}

} // namespace shardscope
