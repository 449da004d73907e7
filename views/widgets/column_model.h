// SPDX-License-Identifier: GPL-3.0-or-later
// A table or a tree by its columns: the head of a column and what its cells show stand together.
//
//     setColumns({ { tr("Device"), [this](int row) { return name(row); } },
//         { tr("Wait"), [this](int row) { return words::seconds(wait(row)); }, ModelColumn::Look::Number, tr("For
//         others") } });
#pragma once

#include <QAbstractItemModel>
#include <functional>
#include <vector>

#include "base/tree_node.h"

namespace shardscope {

struct ModelColumn {
    enum class Look : std::uint8_t { Plain, Number, Code }; ///< numbers stand to the right, code in a fixed font
    QString title;
    std::function<QString(int item)> text;
    Look look = Look::Plain;
    QString about = {}; ///< tool tip of the head
};

/// Items go by a number: the row of a table, a node of a tree.
class ColumnModel : public QAbstractItemModel {
    Q_OBJECT
public:
    static constexpr int SpansRole = Qt::UserRole + 100; ///< words::Text: the text of a cell with its mesh axes marked

    [[nodiscard]] QModelIndex index(int row, int column = 0, const QModelIndex& parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex&) const override { return {}; }
    using QObject::parent;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : count(); }
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(
        int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;

protected:
    using QAbstractItemModel::QAbstractItemModel;
    void setColumns(std::vector<ModelColumn> columns) { m_columns = std::move(columns); }
    void setTitle(int column, const QString& title) { m_columns[static_cast<std::size_t>(column)].title = title; }
    [[nodiscard]] QString text(int item, int column) const;
    [[nodiscard]] QString editText(int item, int column) const; ///< what an editor opens with
    [[nodiscard]] static int itemOf(const QModelIndex& index) { return static_cast<int>(index.internalId()); }

    [[nodiscard]] virtual int count() const = 0; ///< rows of the table
    /// What the column alone does not say: tool tips, colours, the text that an editor opens with.
    [[nodiscard]] virtual QVariant cell(int, int, int) const { return {}; }
    [[nodiscard]] virtual bool canEdit(int, int) const { return false; }
    virtual bool edit(int, int, const QString&) { return false; }

    /// Other content. Where the items are the same ones, views keep what is current and where they are scrolled to.
    template <typename Change>
    void refill(bool sameItems, Change change)
    {
        if (!sameItems)
            beginResetModel();
        change();
        if (!sameItems)
            endResetModel();
        else
            touch();
    }
    /// All cells look other than before.
    virtual void touch(const QList<int>& roles = {});

private:
    std::vector<ModelColumn> m_columns;
};

class ColumnTreeModel : public ColumnModel {
    Q_OBJECT
public:
    [[nodiscard]] QModelIndex index(int row, int column = 0, const QModelIndex& parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex& child) const override;
    using QObject::parent;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;

protected:
    using ColumnModel::ColumnModel;
    [[nodiscard]] virtual const TreeNode& node(int item) const = 0;
    [[nodiscard]] QModelIndex indexOf(int item) const; ///< invalid for the root and below
    void touch(const QList<int>& roles = {}) override;
};

} // namespace shardscope
