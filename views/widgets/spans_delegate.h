// SPDX-License-Identifier: GPL-3.0-or-later
// Cells of specs and axes: mesh axes in their colours.
#pragma once

#include <QStyledItemDelegate>

namespace shardscope {

/// Cells that have no ColumnModel::SpansRole are painted as usual.
class SpansDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

} // namespace shardscope
