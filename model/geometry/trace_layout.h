// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPoint>
#include <QRect>
#include <QSize>
#include <optional>

namespace shardscope {

/// The trace of rules: one row per rule, one column per dimension of the array, a result row below.
struct TraceSizes {
    int number = 44; ///< column of the rule's number
    int rule = 150; ///< column of the rule itself
    int dimension = 108; ///< widest column of a dimension
    int narrowDimension = 64; ///< narrowest one
    int verdict = 90; ///< what the verdict needs at least
    int reason = 220; ///< and with its reason beside it
    int head = 30;
    int row = 48;
    int result = 56;
};

struct TraceLayout {
    TraceLayout() = default;
    TraceLayout(int rules, int dimensions, int width, const TraceSizes& sizes);

    int rules = 0, dimensions = 0;
    QRect head, result;
    int ruleLeft = 0, firstDimension = 0, dimensionWidth = 0, verdictLeft = 0;
    QSize size; ///< needed in all
    int minimumWidth = 0; ///< with the narrowest columns and without reasons
    /// The reason stands beside the verdict; otherwise there is room for the verdict alone.
    bool showsReasons = false;

    [[nodiscard]] QRect row(int rule) const;
    [[nodiscard]] QRect dimension(int dimension) const; ///< the column, over all rows
    [[nodiscard]] QRect cell(int rule, int dimension) const;
    [[nodiscard]] QRect resultCell(int dimension) const { return result.intersected(this->dimension(dimension)); }
    [[nodiscard]] QRect verdict(int rule) const;
    /// The chip in the middle of a cell.
    [[nodiscard]] QRect chip(const QRect& cell) const;
    [[nodiscard]] std::optional<int> ruleAt(QPoint point) const;

private:
    int m_rowHeight = 48;
};

} // namespace shardscope
