// SPDX-License-Identifier: GPL-3.0-or-later
// Where the dimensions of an array go in a shard grid.
// A part of GridLayout, which is declared in grid_layout.h.
#include <algorithm>
#include <numeric>

#include "geometry/grid_layout.h"

namespace shardscope {

namespace {

std::int64_t blocksOf(const Layout& layout, int dimension)
{
    return layout.shardGrid()[static_cast<std::size_t>(dimension)];
}

bool spans(GridPlace place)
{
    return place == GridPlace::Rows || place == GridPlace::Columns;
}

} // namespace

std::vector<int> GridLayout::dimensionsByShards(const Shape& blocks)
{
    std::vector<int> order(blocks.size());
    std::iota(order.begin(), order.end(), 0);
    const auto parts = [&blocks](int d) { return blocks[static_cast<std::size_t>(d)]; };
    std::stable_sort(order.begin(), order.end(),
        [&](int a, int b) { return parts(a) != parts(b) ? parts(a) > parts(b) : parts(a) == 1 && a > b; });
    return order;
}

GridLayout::Choice GridLayout::defaultChoice(const Layout& layout)
{
    const std::size_t rank = layout.shape().size();
    if (rank == 0)
        return {};
    if (rank == 1)
        return { -1, 0 };
    const std::vector<int> order = dimensionsByShards(layout.shardGrid());
    Choice choice{ std::min(order[0], order[1]), std::max(order[0], order[1]) };
    std::int64_t panels = 1;
    for (std::size_t i = 2; i < rank; ++i)
        panels *= blocksOf(layout, order[i]);
    for (std::size_t i = 2; i < rank && panels > maximumPanels; ++i) {
        choice.others.resize(rank, GridPlace::Multiples);
        choice.others[static_cast<std::size_t>(order[i])] = GridPlace::Slider;
        panels /= blocksOf(layout, order[i]);
    }
    return choice;
}

GridPlace GridLayout::placeOf(const Layout& layout, const Choice& choice, int dimension)
{
    if (dimension == choice.rows)
        return GridPlace::Rows;
    if (dimension == choice.columns)
        return GridPlace::Columns;
    if (blocksOf(layout, dimension) == 1)
        return GridPlace::Fold;
    const auto d = static_cast<std::size_t>(dimension);
    const GridPlace place = d < choice.others.size() ? choice.others[d] : GridPlace::Multiples;
    return place == GridPlace::Nest || place == GridPlace::Slider ? place : GridPlace::Multiples;
}

std::optional<GridLayout::Choice> GridLayout::moved(
    const Layout& layout, const Choice& choice, int dimension, GridPlace place)
{
    const int rank = static_cast<int>(layout.shape().size());
    if (rank < 2 || dimension < 0 || dimension >= rank)
        return std::nullopt;
    const GridPlace from = placeOf(layout, choice, dimension);
    if (from == place)
        return choice;
    const bool sharded = blocksOf(layout, dimension) > 1;
    if (!spans(place) && (sharded == (place == GridPlace::Fold) || (spans(from) && rank == 2)))
        return std::nullopt;
    Choice after = choice;
    after.others.resize(static_cast<std::size_t>(rank), GridPlace::Multiples);
    const auto put = [&](int d, GridPlace where) {
        if (where == GridPlace::Rows)
            after.rows = d;
        else if (where == GridPlace::Columns)
            after.columns = d;
        else
            after.others[static_cast<std::size_t>(d)] = where;
    };
    if (spans(place)) {
        put(place == GridPlace::Rows ? choice.rows : choice.columns, from);
    } else if (spans(from)) {
        // The next one comes in: one that is sharded, if there is any, and the last of those that are not.
        int next = -1;
        for (int d = 0; d < rank; ++d) {
            if (d == choice.rows || d == choice.columns)
                continue;
            if (next < 0 || blocksOf(layout, next) == 1)
                next = d;
        }
        put(next, from);
    }
    put(dimension, place);
    return after;
}

} // namespace shardscope
