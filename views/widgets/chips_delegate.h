// SPDX-License-Identifier: GPL-3.0-or-later
// Mesh axes in cells of tables: as chips that are edited as text, and as text in their colours.
#pragma once

#include <QStyledItemDelegate>

namespace shardscope {

/// Cells of specs and axes: mesh axes in their colours. Cells that have no ColumnModel::SpansRole are painted as usual.
class SpansDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

class ChipsDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    enum Role {
        AxesRole = Qt::UserRole, ///< QStringList of mesh axes; none: the item is painted as usual
        AxisIndicesRole, ///< QVariantList: their places in the mesh, -1 for none
    };
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    /// Once the editor is closed: the new value may make the rows anew.
    void setModelData(QWidget* editor, QAbstractItemModel* model, const QModelIndex& index) const override;
    void updateEditorGeometry(
        QWidget* editor, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

} // namespace shardscope
