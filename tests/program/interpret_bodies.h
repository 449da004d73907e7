// SPDX-License-Identifier: GPL-3.0-or-later
// Operations over windows and along lines, for interpret.h.
#pragma once

#include "program/interpret_movement.h"

namespace shardscope::test {

/// The places of the elements of a window, in order; some may lie outside, or between elements of a dilated operand.
inline void forEachInWindow(
    const Evaluation& e, const WindowAttributes& a, const Index& window, const std::function<void(const Index&)>& visit)
{
    Shape sizes;
    for (std::size_t d = 0; d < window.size(); ++d)
        sizes.push_back(entryOr(a.dimensions, d, 1));
    forEachIndex(sizes, [&](const Index& within) {
        Index place(window.size());
        for (std::size_t d = 0; d < window.size(); ++d) {
            const std::int64_t low = d < a.padding.size() ? a.padding[d].first : 0;
            const std::int64_t at =
                window[d] * entryOr(a.strides, d, 1) + within[d] * entryOr(a.windowDilations, d, 1) - low;
            const std::int64_t dilation = entryOr(a.baseDilations, d, 1);
            if (at < 0 || at % dilation != 0)
                return;
            place[d] = at / dilation;
        }
        if (isInside(place, e.inShape(0)))
            visit(place);
    });
}

inline Array evaluateReduceWindow(const Evaluation& e, const WindowAttributes& a)
{
    Array out(e.zeros().size(), e.in(1)[0]);
    forEachIndex(e.shape(), [&](const Index& window) {
        double& sum = out[ravel(window, e.shape())];
        forEachInWindow(e, a, window, [&](const Index& place) {
            sum = e.body(e.operation.regions[0], { sum, e.in(0)[ravel(place, e.inShape(0))] })[0];
        });
    });
    return out;
}

inline Array evaluateSelectAndScatter(const Evaluation& e, const WindowAttributes& a)
{
    Array out(e.zeros().size(), e.in(2)[0]);
    forEachIndex(e.inShape(1), [&](const Index& window) {
        Index selected;
        forEachInWindow(e, a, window, [&](const Index& place) {
            const auto at = [&](const Index& index) { return e.in(0)[ravel(index, e.inShape(0))]; };
            if (selected.empty() || e.body(e.operation.regions[0], { at(selected), at(place) })[0] == 0)
                selected = place;
        });
        double& sum = out[ravel(selected, e.shape())];
        sum = e.body(e.operation.regions[1], { sum, e.in(1)[ravel(window, e.inShape(1))] })[0];
    });
    return out;
}

/// Lines along a dimension: the places of their elements.
inline void forEachLine(
    const Shape& shape, std::size_t along, const std::function<void(const std::vector<std::size_t>&)>& visit)
{
    Shape lines = shape;
    lines[along] = 1;
    forEachIndex(lines, [&](Index index) {
        std::vector<std::size_t> line;
        for (index[along] = 0; index[along] < shape[along]; ++index[along])
            line.push_back(ravel(index, shape));
        visit(line);
    });
}

inline std::vector<Array> evaluateSort(const Evaluation& e, std::size_t along)
{
    std::vector<Array> out;
    const std::size_t count = e.operation.operands.size();
    for (std::size_t i = 0; i < count; ++i)
        out.push_back(e.in(i));
    forEachLine(e.shape(), along, [&](const std::vector<std::size_t>& line) {
        std::vector<std::size_t> order = line;
        std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
            std::vector<double> pairs;
            for (std::size_t i = 0; i < count; ++i)
                pairs.insert(pairs.end(), { e.in(i)[x], e.in(i)[y] });
            return e.body(e.operation.regions[0], pairs)[0] != 0;
        });
        for (std::size_t i = 0; i < count; ++i)
            for (std::size_t k = 0; k < line.size(); ++k)
                out[i][line[k]] = e.in(i)[order[k]];
    });
    return out;
}

inline std::vector<Array> evaluateTopK(const Evaluation& e)
{
    std::vector<Array> out{ Array(), Array() };
    forEachLine(e.inShape(0), e.shape().size() - 1, [&](const std::vector<std::size_t>& line) {
        std::vector<std::size_t> order(line.size());
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(),
            [&](std::size_t x, std::size_t y) { return e.in(0)[line[x]] > e.in(0)[line[y]]; });
        for (std::int64_t k = 0; k < e.shape().back(); ++k) {
            out[0].push_back(e.in(0)[line[order[std::size_t(k)]]]);
            out[1].push_back(static_cast<double>(order[std::size_t(k)]));
        }
    });
    return out;
}

} // namespace shardscope::test
