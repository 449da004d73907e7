// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPoint>
#include <QRect>
#include <vector>

namespace shardscope {

/// A list of bars: where each row, its bar, its name and its figure lie.
struct SumsLayout {
    struct Row {
        QRect row; ///< all of it
        QRect bar; ///< as wide as the share; at least 2 px where there is any
        QRect name, figure;
    };
    std::vector<Row> rows;

    /// `shares` in 0 … 1; `figureWidth` of the widest figure. Rows are `rowHeight` high and as wide as `width`.
    static SumsLayout make(const std::vector<double>& shares, int width, int rowHeight, int figureWidth);
    [[nodiscard]] int height() const { return rows.empty() ? 0 : rows.back().row.bottom() + 1; }
    [[nodiscard]] int rowAt(QPoint point) const; ///< -1 for none
};

} // namespace shardscope
