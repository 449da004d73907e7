// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/column_model.h"

#include "views/theme/theme.h"

namespace shardscope {

namespace {

QVariant alignmentOf(const ModelColumn& column)
{
    return static_cast<int>(
        (column.look == ModelColumn::Look::Number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
}

} // namespace

QModelIndex ColumnModel::index(int row, int column, const QModelIndex& parent) const
{
    return hasIndex(row, column, parent) ? createIndex(row, column, static_cast<quintptr>(row)) : QModelIndex();
}

int ColumnModel::columnCount(const QModelIndex&) const
{
    return static_cast<int>(m_columns.size());
}

QString ColumnModel::text(int item, int column) const
{
    return m_columns[static_cast<std::size_t>(column)].text(item);
}

QString ColumnModel::editText(int item, int column) const
{
    const QVariant own = cell(item, column, Qt::EditRole);
    return own.isValid() ? own.toString() : text(item, column);
}

QVariant ColumnModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const int item = itemOf(index);
    if (role == Qt::DisplayRole)
        return text(item, index.column());
    if (role == Qt::EditRole)
        return editText(item, index.column());
    if (const QVariant own = cell(item, index.column(), role); own.isValid())
        return own;
    const ModelColumn& column = m_columns[static_cast<std::size_t>(index.column())];
    switch (role) {
    case Qt::TextAlignmentRole:
        return alignmentOf(column);
    case Qt::FontRole:
        return column.look == ModelColumn::Look::Code ? QVariant(Metrics::fixed()) : QVariant();
    default:
        return {};
    }
}

QVariant ColumnModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    const ModelColumn& column = m_columns[static_cast<std::size_t>(section)];
    switch (role) {
    case Qt::DisplayRole:
        return column.title;
    case Qt::ToolTipRole:
        return column.about.isEmpty() ? QVariant() : QVariant(column.about);
    case Qt::TextAlignmentRole:
        return alignmentOf(column);
    default:
        return {};
    }
}

Qt::ItemFlags ColumnModel::flags(const QModelIndex& index) const
{
    if (!index.isValid())
        return Qt::NoItemFlags;
    Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
    flags.setFlag(Qt::ItemNeverHasChildren, rowCount(index.siblingAtColumn(0)) == 0);
    flags.setFlag(Qt::ItemIsEditable, canEdit(itemOf(index), index.column()));
    return flags;
}

bool ColumnModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    return index.isValid() && role == Qt::EditRole && canEdit(itemOf(index), index.column())
        && edit(itemOf(index), index.column(), value.toString().trimmed());
}

void ColumnModel::touch(const QList<int>& roles)
{
    if (count() > 0)
        Q_EMIT dataChanged(index(0), index(count() - 1, columnCount() - 1), roles);
}

QModelIndex ColumnTreeModel::index(int row, int column, const QModelIndex& parent) const
{
    if (!hasIndex(row, column, parent))
        return {};
    const int item = node(itemOf(parent)).children[static_cast<std::size_t>(row)];
    return createIndex(row, column, static_cast<quintptr>(item));
}

QModelIndex ColumnTreeModel::indexOf(int item) const
{
    return item > 0 ? createIndex(node(item).position, 0, static_cast<quintptr>(item)) : QModelIndex();
}

QModelIndex ColumnTreeModel::parent(const QModelIndex& child) const
{
    return child.isValid() ? indexOf(node(itemOf(child)).parent) : QModelIndex();
}

int ColumnTreeModel::rowCount(const QModelIndex& parent) const
{
    return parent.column() > 0 ? 0 : static_cast<int>(node(itemOf(parent)).children.size());
}

void ColumnTreeModel::touch(const QList<int>& roles)
{
    for (int item = 0; item < count(); ++item)
        if (const std::vector<int>& children = node(item).children; !children.empty())
            Q_EMIT dataChanged(
                indexOf(children.front()), indexOf(children.back()).siblingAtColumn(columnCount() - 1), roles);
}

} // namespace shardscope
