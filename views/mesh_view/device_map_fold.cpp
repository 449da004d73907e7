// SPDX-License-Identifier: GPL-3.0-or-later
// How a mesh is folded into the room that its map has: rows as they are where single devices stay legible so, else
// folded, else with as few devices to a square as make squares legible.
#include <algorithm>
#include <cmath>

#include "views/mesh_view/device_map_layout.h"

namespace shardscope {

namespace {

/// Ways to cut an axis into equal parts, ascending: its divisors, and powers of two with a shorter last part.
std::vector<std::int64_t> partsOf(std::int64_t size)
{
    std::vector<std::int64_t> parts;
    for (std::int64_t part = 1; part * part <= size; ++part)
        if (size % part == 0) {
            parts.push_back(part);
            parts.push_back(size / part);
        }
    for (std::int64_t part = 2; part < size; part *= 2)
        parts.push_back(part);
    std::sort(parts.begin(), parts.end());
    parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
    return parts;
}

/// Runs of rows that are aligned to the axes: whole minor axes, times a part of the next one.
std::vector<Runs> rowRuns(const Mesh& mesh)
{
    std::vector<Runs> runs;
    std::int64_t inner = 1;
    for (std::size_t axis = mesh.rank() < 2 ? 0 : mesh.rank() - 1; axis-- > 0;) {
        const std::int64_t size = mesh.size(axis);
        for (const std::int64_t part : partsOf(size))
            if (part < size || axis == 0) // the whole axis is part 1 of the next one
                runs.push_back({ inner * size, inner * part });
        inner *= size;
    }
    if (runs.empty())
        runs.push_back({ 1, 1 });
    return runs;
}

/// Whether whole squares make up each line.
bool nest(const Runs& squares, const Runs& lines)
{
    return lines.period == squares.period ? lines.span % squares.span == 0 : lines.period > squares.period;
}

bool isRagged(const Runs& runs)
{
    return runs.period % runs.span != 0;
}

/// 1 where there are as many squares one way as the other, less for a long row of them.
double balance(std::int64_t rows, std::int64_t columns)
{
    return 1 / (1 + 0.1 * std::abs(std::log2(static_cast<double>(rows) / static_cast<double>(columns))));
}

} // namespace

DeviceMapLayout::DeviceMapLayout(const Mesh& mesh, const QRect& area, const MapSizes& sizes, MapZoom zoom)
    : m_columns(mesh.rank() == 0 ? 1 : mesh.axes().back().size)
{
    m_rows = mesh.deviceCount() / m_columns;
    const Block single{ { rowRuns(mesh).front().period, 1 }, 1 };
    const std::optional<Block> host = hostBlock(mesh, sizes.devicesPerHost);
    switch (zoom) {
    case MapZoom::Fit:
        chooseFit(mesh, area, sizes);
        break;
    case MapZoom::Hosts: {
        const int side = sizes.smallestBlock + 4;
        chooseScrolled(mesh, area, { side, side }, host.value_or(single));
        break;
    }
    case MapZoom::Devices: {
        const int side = std::max(sizes.smallestDevice, 8) + 4;
        chooseScrolled(mesh, area, { side, side }, single);
        break;
    }
    case MapZoom::Names:
        chooseScrolled(mesh, area, sizes.named, single);
        break;
    }
    m_showsHosts =
        host && host->devices() > 1 && m_fold.squareRows == host->rows && m_fold.squareColumns == host->columns;
}

std::optional<DeviceMapLayout::Block> DeviceMapLayout::hostBlock(const Mesh& mesh, std::int64_t devicesPerHost) const
{
    if (devicesPerHost < 1 || devicesPerHost >= mesh.deviceCount())
        return std::nullopt;
    const std::vector<Runs> runs = rowRuns(mesh);
    if (devicesPerHost <= m_columns) {
        if (m_columns % devicesPerHost != 0)
            return std::nullopt;
        return Block{ { runs.front().period, 1 }, devicesPerHost };
    }
    if (devicesPerHost % m_columns != 0)
        return std::nullopt;
    for (const Runs& rows : runs)
        if (rows.span == devicesPerHost / m_columns && !isRagged(rows))
            return Block{ rows, m_columns };
    return std::nullopt;
}

void DeviceMapLayout::chooseFit(const Mesh& mesh, const QRect& area, const MapSizes& sizes)
{
    const std::vector<Runs> runs = rowRuns(mesh);
    const Runs single{ runs.front().period, 1 };
    const MapFold natural{ single, single, 1, m_columns };
    apply(natural);
    place(area, sizes.tile);
    const auto fits = [this](int side) { return unit().width() >= side && unit().height() >= side; };
    constexpr int comfortable = 8;
    if (fits(std::max(sizes.smallestDevice, comfortable)))
        return;

    const std::vector<std::int64_t> columnParts = partsOf(m_columns);
    std::vector<Block> blocks;
    for (const Runs& rows : runs)
        for (const std::int64_t columns : columnParts)
            blocks.push_back({ rows, columns });
    std::stable_sort(
        blocks.begin(), blocks.end(), [](const Block& a, const Block& b) { return a.devices() < b.devices(); });

    std::optional<MapFold> best;
    double bestScore = 0;
    std::int64_t devices = 1;
    const auto consider = [&](const MapFold& fold, int side) {
        apply(fold);
        place(area, sizes.tile);
        if (!fits(side))
            return;
        const QSize square = unit();
        double score = std::min<double>(square.width(), 1.3 * square.height()) * balance(m_squareRows, m_squareColumns);
        if (devices == 1 && square.width() >= sizes.name.width() && square.height() >= sizes.name.height())
            score *= 2;
        if (isRagged(m_fold.squareRows) || isRagged(m_fold.lineRows) || m_columns % m_fold.squareColumns != 0
            || m_squareColumns % m_fold.slots != 0)
            score *= 0.75;
        if (score > bestScore) {
            bestScore = score;
            best = m_fold;
        }
    };
    const auto tryBlock = [&](const Block& block, int side) {
        devices = block.devices();
        const std::int64_t across = (m_columns + block.columns - 1) / block.columns;
        const std::int64_t squares = m_rows / block.rows.period * block.rows.perPeriod() * across;
        if (squares > std::int64_t{ area.width() / side + 1 } * (area.height() / side + 1))
            return; // not in any arrangement
        for (const Runs& lines : runs)
            if (nest(block.rows, lines))
                consider({ block.rows, lines, block.columns, across }, side);
        for (const std::int64_t slots : partsOf(across))
            if (slots < across)
                consider({ block.rows, block.rows, block.columns, slots }, side);
    };
    for (const Block& block : blocks) {
        if (block.devices() > 1)
            break;
        tryBlock(block, sizes.smallestDevice);
    }
    if (const auto host = hostBlock(mesh, sizes.devicesPerHost); host && !best)
        tryBlock(*host, sizes.smallestHost);
    const bool chosen = best.has_value();
    for (const Block& block : blocks) {
        if (chosen || (best && block.devices() > devices))
            break; // as few to a square as possible
        if (block.devices() > 1)
            tryBlock(block, sizes.smallestBlock);
    }
    apply(best.value_or(natural));
    place(area, sizes.tile);
    // Squares are squares, not bars.
    if (const QSize square = unit(); devicesPerSquare() > 1 && square.width() > 2 * square.height()) {
        const std::int64_t width = slotsPerLine() * (2 * square.height() + m_columnGap) + (m_groups - 1) * m_groupGap;
        place(QRect(area.topLeft(), QSize(static_cast<int>(width), area.height())), sizes.tile);
    }
}

void DeviceMapLayout::chooseScrolled(const Mesh& mesh, const QRect& area, QSize square, const Block& block)
{
    const std::vector<Runs> runs = rowRuns(mesh);
    const std::int64_t across = (m_columns + block.columns - 1) / block.columns;
    // As many squares to a line as there is room for; a few less where lines are then of one length.
    std::optional<MapFold> best;
    double most = 0;
    const auto consider = [&](const MapFold& fold) {
        apply(fold);
        place(area, square.height());
        const bool ragged = isRagged(m_fold.lineRows) || m_squareColumns % m_fold.slots != 0;
        const double count = static_cast<double>(slotsPerLine()) * (ragged ? 0.6 : 1);
        if ((unit().width() >= square.width() || slotsPerLine() == 1) && count > most) {
            most = count;
            best = m_fold;
        }
    };
    for (const Runs& lines : runs)
        if (nest(block.rows, lines))
            consider({ block.rows, lines, block.columns, across });
    if (!best) // not even one row
        for (const std::int64_t slots : partsOf(across))
            consider({ block.rows, block.rows, block.columns, slots });
    apply(best.value_or(MapFold{ block.rows, block.rows, block.columns, 1 }));
    const int gap = square.height() >= 20 ? 8 : 4; // that place() chooses
    const std::int64_t height = m_lines * (square.height() + gap) - gap;
    place(QRect(area.topLeft(), QSize(area.width(), static_cast<int>(height))), square.height());
}

} // namespace shardscope
