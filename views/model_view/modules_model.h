// SPDX-License-Identifier: GPL-3.0-or-later
// The parameters of a snapshot by the modules of the model as an item model (see analysis/parameter_tree.h).
#pragma once

#include "analysis/own_spec.h"
#include "analysis/parameter_tree.h"
#include "views/widgets/column_model.h"
#include "words/words.h"

namespace shardscope {

class ModulesModel : public ColumnTreeModel {
    Q_OBJECT
public:
    enum Column { Module, Parameters, Bytes, PerDevice, Extent, Names, Spec };
    enum ExtraRole {
        PathRole = Qt::UserRole, ///< QString, of an array; empty above them
        KeyRole, ///< QString: path of a module or an array, which stays over snapshots
    };
    explicit ModulesModel(QObject* parent = nullptr);

    void setSnapshot(SnapshotPtr snapshot);
    /// A kind, a glob or a part of a path, as choosesParameter() has it.
    void setFilter(const QString& filter);
    [[nodiscard]] const QString& filter() const { return m_filter; }
    /// Of an array; invalid where it is not there, or not chosen.
    [[nodiscard]] QModelIndex find(const QString& path) const;
    [[nodiscard]] QString path(const QModelIndex& index) const;
    /// Globs for what is selected: modules whose output can be constrained, or arrays. Where all layers have the same
    /// part selected it is one with a *: "decoder/layers.*/mlp".
    [[nodiscard]] QStringList globs(const QModelIndexList& rows, bool arrays) const;
    /// What a selector (analysis/select_modules.h) means, of the rows that are there.
    [[nodiscard]] QModelIndexList selected(const QString& selector) const;
    [[nodiscard]] bool hasConstraint(const QModelIndex& index) const;
    [[nodiscard]] bool hasOwnSpec(const QModelIndex& index) const;
    /// Elements of all parameters that are chosen.
    [[nodiscard]] std::int64_t parameters() const { return m_tree.nodes.front().parameters; }

Q_SIGNALS:
    /// Somebody typed another spec for an array; "" is that of the rules.
    void specTyped(const QString& path, const QString& spec);

protected:
    [[nodiscard]] bool canEdit(int item, int column) const override;
    bool edit(int item, int column, const QString& typed) override;
    [[nodiscard]] int count() const override { return static_cast<int>(m_nodes.size()); }
    [[nodiscard]] const TreeNode& node(int item) const override { return m_nodes[static_cast<std::size_t>(item)]; }
    [[nodiscard]] QVariant cell(int item, int column, int role) const override;

private:
    void rebuild();
    [[nodiscard]] const ParameterNode& parameterNode(int item) const
    {
        return m_tree.nodes[static_cast<std::size_t>(item)];
    }
    [[nodiscard]] const TensorRow* row(int item) const;
    [[nodiscard]] QString nameText(int item) const;
    [[nodiscard]] QString extent(int item) const;
    [[nodiscard]] QString names(int item) const;
    [[nodiscard]] QString spec(int item) const;
    /// The array of a row, or what is behind the constraint on a module.
    [[nodiscard]] const TensorRow* shownTensor(int item) const;
    [[nodiscard]] QString constraintText(int item) const; ///< "batch, -, -"
    [[nodiscard]] QString toolTip(int item) const;

    SnapshotPtr m_snapshot;
    OwnSpecs m_ownSpecs; ///< of the snapshot
    QString m_filter;
    ParameterTree m_tree;
    std::vector<TreeNode> m_nodes; ///< places of the same nodes
};

} // namespace shardscope
