// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/named_arrays_view/mapping_model.h"

#include <algorithm>

#include "views/named_arrays_view/chips_delegate.h"
#include "views/named_arrays_view/named_words.h"
#include "views/theme/theme.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope {

MappingModel::MappingModel(NamedArrays* arrays, QObject* parent)
    : QAbstractTableModel(parent)
    , m_arrays(arrays)
    , m_names(arrays->names())
{
    connect(arrays, &NamedArrays::changed, this, &MappingModel::refresh);
}

void MappingModel::refresh()
{
    const bool sameRows = std::ranges::equal(m_arrays->names(), m_names, {}, &MappedName::name, &MappedName::name);
    if (!sameRows)
        beginResetModel();
    m_names = m_arrays->names();
    if (!sameRows)
        endResetModel();
    else if (!m_names.empty())
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

int MappingModel::rowOf(const std::string& name) const
{
    const auto found = std::ranges::find(m_names, name, &MappedName::name);
    return found == m_names.end() ? -1 : static_cast<int>(found - m_names.begin());
}

int MappingModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_names.size());
}

int MappingModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString MappingModel::text(const MappedName& name, int column, bool editing) const
{
    switch (column) {
    case Name:
        return words::fromStd(name.name);
    case Axes:
        if (editing)
            return named::joined(name.axes);
        return name.conflicts.empty() ? named::axesList(name.axes)
                                      : tr("%n rules that differ", nullptr, static_cast<int>(name.conflicts.size()));
    case Uses:
        return name.uses == 0 ? tr("no array has it") : words::counted(name.uses, words::Noun::Array);
    default:
        return {};
    }
}

QString MappingModel::tip(const MappedName& name) const
{
    if (!name.conflicts.empty())
        return named::conflictText(name);
    QStringList missing;
    for (const std::string& axis : name.axes)
        if (!m_arrays->mesh()->axisIndex(axis))
            missing << words::fromStd(axis);
    return missing.isEmpty() ? QString() : tr("The mesh has no axis %1").arg(missing.join(QStringLiteral(", ")));
}

QVariant MappingModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const MappedName& name = m_names[static_cast<std::size_t>(index.row())];
    const bool axes = index.column() == Axes;
    const bool chips = axes && name.conflicts.empty();
    switch (role) {
    case Qt::DisplayRole:
    case Qt::EditRole:
        return text(name, index.column(), role == Qt::EditRole);
    case Qt::ForegroundRole:
        if (axes && !name.conflicts.empty())
            return m_arrays->tree().isMapping() ? Theme::current().error : Theme::current().secondary;
        return name.axes.empty() || name.uses == 0 ? QVariant(Theme::current().secondary) : QVariant();
    case ChipsDelegate::AxesRole:
        return chips ? QVariant(named::toList(name.axes)) : QVariant();
    case ChipsDelegate::AxisIndicesRole:
        return chips ? QVariant(named::axisIndices(name.axes, *m_arrays->mesh())) : QVariant();
    case Qt::ToolTipRole:
    case Qt::AccessibleDescriptionRole: {
        const QString said = axes ? tip(name) : QString();
        return said.isEmpty() ? QVariant() : QVariant(said);
    }
    default:
        return {};
    }
}

QVariant MappingModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Name:
        return tr("Name");
    case Axes:
        return tr("Mesh axes");
    case Uses:
        return tr("Used by");
    default:
        return {};
    }
}

Qt::ItemFlags MappingModel::flags(const QModelIndex& index) const
{
    if (!index.isValid())
        return Qt::NoItemFlags;
    Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemNeverHasChildren;
    if (index.column() == Axes)
        flags |= Qt::ItemIsEditable;
    return flags;
}

bool MappingModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (!index.isValid() || role != Qt::EditRole || index.column() != Axes)
        return false;
    const std::string name = m_names[static_cast<std::size_t>(index.row())].name; // the rows are made anew
    return m_arrays->map(name, value.toString());
}

} // namespace shardscope
