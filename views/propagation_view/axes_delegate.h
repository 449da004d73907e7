// SPDX-License-Identifier: GPL-3.0-or-later
// Cells with the axes of a dimension, in their colours.
#pragma once

#include <QStyledItemDelegate>

namespace shardscope {

class AxesDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

} // namespace shardscope
