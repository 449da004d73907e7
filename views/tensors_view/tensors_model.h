// SPDX-License-Identifier: GPL-3.0-or-later
// The tensors of a snapshot as an item model: a tree of kinds, layers and tensors (see tensor_tree.h).
#pragma once

#include <QAbstractItemModel>

#include "views/tensors_view/tensor_tree.h"
#include "words/words.h"

namespace shardscope {

class TensorsModel : public QAbstractItemModel {
    Q_OBJECT
public:
    enum ExtraRole {
        PathRole = Qt::UserRole, ///< QString, empty above the tensors
        KeyRole, ///< QString, stable over snapshots
        KindRole, ///< int, TensorNode::Kind
        MarkRole, ///< QString: the plate after a spec, "ALL", "PAD" or "HOST"; mostly empty
        WrongRole, ///< bool: it does not divide, or one below does not
        QuietRole, ///< bool: the cell is a remark, not a value
    };

    explicit TensorsModel(QObject* parent = nullptr);

    void setSnapshot(SnapshotPtr snapshot);
    [[nodiscard]] const SnapshotPtr& snapshot() const { return m_snapshot; }
    void setFilter(const TensorFilter& filter);
    [[nodiscard]] const TensorFilter& filter() const { return m_filter; }
    [[nodiscard]] QModelIndex find(const QString& path) const;
    [[nodiscard]] QModelIndex findKey(const QString& key) const;
    [[nodiscard]] QString path(const QModelIndex& index) const;
    /// The spec of a row with its mesh axes marked.
    [[nodiscard]] words::Text specSpans(const QModelIndex& index) const;

    [[nodiscard]] QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex& child) const override;
    using QObject::parent;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    /// Column -1: the program's order.
    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

private:
    [[nodiscard]] const TensorNode& node(const QModelIndex& index) const;
    [[nodiscard]] const TensorRow* row(const TensorNode& node) const;
    [[nodiscard]] QString display(const TensorNode& node, TensorColumn column) const;
    [[nodiscard]] static QString roleSource(const Snapshot& snapshot, ValueId value);
    [[nodiscard]] QString toolTip(const TensorNode& node) const;
    [[nodiscard]] static QString mark(const TensorNode& node);
    void rebuild();

    SnapshotPtr m_snapshot;
    TensorTree m_tree;
    TensorFilter m_filter;
    int m_sortColumn = -1;
    Qt::SortOrder m_sortOrder = Qt::AscendingOrder;
};

} // namespace shardscope
