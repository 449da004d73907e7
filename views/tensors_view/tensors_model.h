// SPDX-License-Identifier: GPL-3.0-or-later
// The tensors of a snapshot as an item model: a tree of kinds, layers and tensors (see tensor_tree.h).
#pragma once

#include "report/tensor_tree.h"
#include "views/widgets/column_model.h"
#include "words/words.h"

namespace shardscope {

class TensorsModel : public ColumnTreeModel {
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

    /// Column -1: the program's order.
    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

protected:
    [[nodiscard]] int count() const override { return static_cast<int>(m_tree.nodes.size()); }
    [[nodiscard]] const TensorNode& node(int item) const override
    {
        return m_tree.nodes[static_cast<std::size_t>(item)];
    }
    [[nodiscard]] QVariant cell(int item, int column, int role) const override;

private:
    [[nodiscard]] const TensorRow* row(const TensorNode& node) const;
    [[nodiscard]] QString extent(const TensorNode& node) const;
    /// The spec of a row with its mesh axes marked.
    [[nodiscard]] words::Text specSpans(const TensorNode& node) const;
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

/// Widths of the columns in a given width: numbers as wide as their text, the name takes what is left, and the shape
/// column appears only when the others have all they want. Copies, which the tip and the shard grid tell as well, make
/// room for names and specs, and specs for names.
struct TensorColumnWidths {
    int name = 0, shape = 0, spec = 0, bytes = 0, copies = 0; ///< 0 = hidden: shape, copies
    /// `shortName`: what names should get at any rate; down to three fifths of it in very narrow views.
    static TensorColumnWidths fit(int width, const TensorColumnWidths& wanted, int shortName);
    bool operator==(const TensorColumnWidths&) const = default;
};

} // namespace shardscope
