// SPDX-License-Identifier: GPL-3.0-or-later
// The shards of an array as boxes, drawn with characters, in the sizes that JAX chooses.
// Declared in text.h.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/codes.h"
#include "sharding/text.h"

namespace shardscope {

namespace {

/// Characters are about this much higher than wide.
constexpr double heightToWidth = 2.5;

/// One grid: the last two dimensions (the last one alone for rank 1) at fixed blocks of the others.
struct TextGrid {
    std::int64_t rows = 1; ///< drawn
    std::int64_t columns = 1;
    int cellWidth = 0; ///< asked for, borders excluded
    int cellLines = 1;
};

std::string repeated(std::string_view text, std::size_t count)
{
    std::string result;
    result.reserve(text.size() * count);
    for (std::size_t i = 0; i < count; ++i)
        result += text;
    return result;
}

std::string centred(const std::string& label, std::size_t width)
{
    const std::size_t blank = width - std::min(width, label.size());
    return std::string(blank / 2, ' ') + label + std::string(blank - blank / 2, ' ');
}

/// "CPU 0,4"; ids that would make it longer than `limit` are counted instead of listed.
std::string labelOf(std::vector<std::int32_t> devices, std::string platform, std::size_t limit)
{
    std::transform(platform.begin(), platform.end(), platform.begin(),
        [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    std::sort(devices.begin(), devices.end());
    const std::string rest = ",... (" + std::to_string(devices.size()) + " devices)";
    std::string label = platform + ' ';
    std::string shortened = label;
    for (std::size_t i = 0; i < devices.size(); ++i) {
        label += (i == 0 ? "" : ",") + std::to_string(devices[i]);
        if (label.size() + rest.size() <= limit || i == 0)
            shortened = label;
        if (label.size() > limit)
            return i == 0 && devices.size() == 1 ? label : shortened + rest;
    }
    return label;
}

/// The edge that a block's share of the array gets, in lines before scaling to characters.
int clampToInt(double value)
{
    return static_cast<int>(std::clamp(value, 0.0, 1e6));
}

TextGrid measure(const Layout& layout, const GridTextOptions& options)
{
    TextGrid grid;
    const std::size_t rank = layout.shape().size();
    const double size = rank >= 1 ? static_cast<double>(layout.shape()[rank - 1]) : 1.0;
    const double base = std::floor(10 * options.scale);
    double baseWidth = base;
    double widthShare = 1;
    if (rank >= 2) {
        const double rowsSize = static_cast<double>(layout.shape()[rank - 2]);
        baseWidth = rowsSize > 0 ? std::floor(base * size / rowsSize) : base;
        const double heightShare = rowsSize > 0 ? static_cast<double>(layout.shardShape()[rank - 2]) / rowsSize : 1.0;
        grid.rows = layout.shardGrid()[rank - 2];
        grid.cellLines = std::clamp(clampToInt(heightShare * base) - 1, 1, 100);
    } else {
        baseWidth = size > 0 ? std::floor(base / size) : base;
    }
    if (rank >= 1) {
        grid.columns = layout.shardGrid()[rank - 1];
        widthShare = size > 0 ? static_cast<double>(layout.shardShape()[rank - 1]) / size : 1.0;
    }
    grid.rows = std::min(grid.rows, options.maximumCells);
    grid.columns = std::min(grid.columns, options.maximumCells);
    grid.cellWidth = std::clamp(clampToInt(widthShare * baseWidth * heightToWidth), options.minimumWidth,
                         std::max(options.minimumWidth, options.maximumWidth))
        - 2;
    return grid;
}

void draw(const TextGrid& grid, const std::vector<std::vector<std::string>>& labels, std::vector<std::string>& lines)
{
    std::vector<std::size_t> widths(
        static_cast<std::size_t>(grid.columns), static_cast<std::size_t>(std::max(0, grid.cellWidth)));
    for (const std::vector<std::string>& row : labels)
        for (std::size_t column = 0; column < row.size(); ++column)
            widths[column] = std::max(widths[column], row[column].size());

    const auto border = [&](std::string_view left, std::string_view between, std::string_view right) {
        std::string line(left);
        for (std::size_t column = 0; column < widths.size(); ++column) {
            line += repeated("─", widths[column]);
            line += column + 1 < widths.size() ? between : right;
        }
        lines.push_back(std::move(line));
    };
    border("┌", "┬", "┐");
    for (std::size_t row = 0; row < labels.size(); ++row) {
        for (int line = 0; line < grid.cellLines; ++line) {
            std::string text = "│";
            for (std::size_t column = 0; column < widths.size(); ++column)
                text += centred(line == (grid.cellLines - 1) / 2 ? labels[row][column] : "", widths[column]) + "│";
            lines.push_back(std::move(text));
        }
        if (row + 1 < labels.size())
            border("├", "┼", "┤");
    }
    border("└", "┴", "┘");
}

void sayMissing(std::int64_t all, std::int64_t drawn, std::string_view what, std::vector<std::string>& lines)
{
    if (all > drawn)
        lines.push_back("(" + std::to_string(all - drawn) + " more " + std::string(what) + ")");
}

/// "[0:2, 0:8, :, :]" for the blocks of the leading dimensions that hold `shard`.
std::string heading(const Layout& layout, std::int64_t shard)
{
    const std::vector<IndexRange> ranges = layout.rangesOfShard(shard);
    std::string text = "[";
    for (std::size_t d = 0; d < ranges.size(); ++d) {
        text += d == 0 ? "" : ", ";
        if (d + 2 < ranges.size())
            text += std::to_string(ranges[d].begin) + ":" + std::to_string(ranges[d].end);
        else
            text += ":";
    }
    return text + "]";
}

} // namespace

Result<std::vector<std::vector<std::string>>> gridLabels(const Layout& layout, std::string_view platform)
{
    if (const std::size_t rank = layout.shape().size(); rank != 1 && rank != 2)
        return fail(Code::OnlyRankOneAndTwo, { { "rank", rank } });
    const std::int64_t columns = layout.shardGrid().back();
    std::vector<std::vector<std::string>> labels;
    for (std::int64_t shard = 0; shard < layout.distinctShards(); ++shard) {
        if (shard % columns == 0)
            labels.emplace_back();
        labels.back().push_back(
            labelOf(layout.holders(shard), std::string(platform), std::numeric_limits<std::size_t>::max() / 2));
    }
    return labels;
}

std::vector<std::string> toGridText(const Layout& layout, const GridTextOptions& options)
{
    const Shape& blocks = layout.shardGrid();
    const std::size_t rank = blocks.size();
    const std::int64_t allColumns = rank >= 1 ? blocks[rank - 1] : 1;
    const std::int64_t allRows = rank >= 2 ? blocks[rank - 2] : 1;
    const std::int64_t allGrids = layout.distinctShards() / (allRows * allColumns);
    const TextGrid grid = measure(layout, options);
    const auto labelLimit = static_cast<std::size_t>(std::max(16, options.maximumWidth - 2));

    std::vector<std::string> lines;
    const std::int64_t grids = std::min(allGrids, options.maximumCells);
    for (std::int64_t g = 0; g < grids; ++g) {
        const std::int64_t first = g * allRows * allColumns;
        if (allGrids > 1) {
            if (g > 0)
                lines.emplace_back();
            lines.push_back(heading(layout, first));
        }
        std::vector<std::vector<std::string>> labels;
        for (std::int64_t row = 0; row < grid.rows; ++row) {
            std::vector<std::string>& cells = labels.emplace_back();
            for (std::int64_t column = 0; column < grid.columns; ++column)
                cells.push_back(
                    labelOf(layout.holders(first + row * allColumns + column), options.platform, labelLimit));
        }
        draw(grid, labels, lines);
        sayMissing(allRows, grid.rows, "rows", lines);
        sayMissing(allColumns, grid.columns, "columns", lines);
    }
    sayMissing(allGrids, grids, "grids", lines);
    return lines;
}

} // namespace shardscope
