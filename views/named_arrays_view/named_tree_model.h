// SPDX-License-Identifier: GPL-3.0-or-later
// The tree of named arrays as an item model: groups by the parts of paths, arrays, and below them their axes. What is
// typed in it is an edit of the experiment.
#pragma once

#include <QVariant>
#include <vector>

#include "document/named_arrays.h"
#include "views/widgets/column_model.h"

namespace shardscope {

/// From the names of array axes to mesh axes, as a table: every name that an array has or that is mapped.
class MappingModel : public ColumnModel {
    Q_OBJECT
public:
    enum Column { Name, Axes, Uses };
    explicit MappingModel(NamedArrays* arrays, QObject* parent = nullptr);

    /// -1 where no row has that name.
    [[nodiscard]] int rowOf(const std::string& name) const;

protected:
    [[nodiscard]] int count() const override { return static_cast<int>(m_names.size()); }
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;
    [[nodiscard]] bool canEdit(int, int column) const override { return column == Axes; }
    bool edit(int row, int column, const QString& typed) override;

private:
    void refresh();
    [[nodiscard]] const MappedName& at(int row) const { return m_names[static_cast<std::size_t>(row)]; }
    [[nodiscard]] QString tip(const MappedName& name) const;

    NamedArrays* m_arrays;
    std::vector<MappedName> m_names;
};

/// A row of the tree. Nodes stand in one list, parents before their children; 0 is the root.
struct NamedNode : TreeNode {
    enum class Kind : std::uint8_t { Root, Group, Array, Axis };
    Kind kind = Kind::Root;
    int array = -1; ///< of Array and Axis
    int dimension = -1; ///< of Axis: in the data of the array
    std::string name; ///< part of the path, or name of the axis ("" for a positional one)

    /// Same place in the tree, whatever its name.
    [[nodiscard]] bool isAt(const NamedNode& other) const
    {
        return kind == other.kind && parent == other.parent && position == other.position && array == other.array
            && dimension == other.dimension;
    }
};
[[nodiscard]] std::vector<NamedNode> namedNodes(const NamedTree& tree);

class NamedTreeModel : public ColumnTreeModel {
    Q_OBJECT
public:
    /// Mapping: what the reading as a mapping gives, where the experiment reads its rules otherwise.
    enum Column { Name, Axes, Spec, Mapping, LocalShape, Bytes, ColumnCount };
    explicit NamedTreeModel(NamedArrays* arrays, QObject* parent = nullptr);

    [[nodiscard]] const NamedNode& node(const QModelIndex& index) const { return node(itemOf(index)); }
    /// Of an array, by its place in the tree's list; invalid if it is not there.
    [[nodiscard]] QModelIndex indexOfArray(int array) const;

protected:
    [[nodiscard]] int count() const override { return static_cast<int>(m_nodes.size()); }
    [[nodiscard]] const NamedNode& node(int item) const override { return m_nodes[static_cast<std::size_t>(item)]; }
    [[nodiscard]] QVariant cell(int item, int column, int role) const override;
    [[nodiscard]] bool canEdit(int item, int column) const override;
    bool edit(int item, int column, const QString& typed) override;

private:
    void refresh();
    /// The column in which the mesh axes of a name are shown and typed.
    [[nodiscard]] int mappingColumn() const { return m_arrays->tree().isMapping() ? Spec : Mapping; }
    [[nodiscard]] const ArrayOutcome& outcome(const NamedNode& node) const;
    [[nodiscard]] const NamedArraySetting& array(const NamedNode& node) const { return m_arrays->array(node.array); }
    /// The mesh axes that a column has for an axis.
    [[nodiscard]] std::vector<std::string> axesIn(const NamedNode& node, int column) const;
    [[nodiscard]] QString shown(const NamedNode& node, int column, bool editing) const;
    [[nodiscard]] QString axisText(const NamedNode& node, int column, bool editing) const;
    [[nodiscard]] QString tip(const NamedNode& node, int column) const;
    [[nodiscard]] bool isWrong(const NamedNode& node, int column) const;

    NamedArrays* m_arrays;
    std::vector<NamedNode> m_nodes;
};

} // namespace shardscope
