// SPDX-License-Identifier: GPL-3.0-or-later
// Bars of differences in a column: to the right and filled for more, to the left and hollow for less.
#pragma once

#include <QRect>
#include <QStyledItemDelegate>

namespace shardscope {

/// Where the bar of a cell lies. At least 2 px wide where there is any difference.
struct DifferenceBar {
    int zero = 0; ///< of the line from which bars go
    QRect bar; ///< empty for no difference
    static DifferenceBar make(const QRect& cell, double share);
};

/// For the column CompareModel::Bar.
class DifferenceBars : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

} // namespace shardscope
