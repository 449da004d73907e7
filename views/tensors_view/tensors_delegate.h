// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>

namespace shardscope {

/// Rows of the tensors tree: specs with their mesh axes in colour, the marks ALL and PAD, remarks in the secondary
/// colour.
class TensorsDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
    /// Width that a mark takes after a spec, its gap included; 0 for none.
    [[nodiscard]] static int markWidth(const QString& mark);
};

} // namespace shardscope
