// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/named_arrays_view/mapping_model.h"

#include "views/named_arrays_view/chips_delegate.h"
#include "views/named_arrays_view/named_words.h"
#include "views/theme/theme.h"
#include "words/words.h"

namespace shardscope {

MappingModel::MappingModel(NamedArrays* arrays, QObject* parent)
    : QAbstractTableModel(parent)
    , m_arrays(arrays)
    , m_names(namesOf(arrays->tree(), arrays->outcomes()))
{
    connect(arrays, &NamedArrays::changed, this, &MappingModel::refresh);
}

void MappingModel::refresh()
{
    std::vector<std::string> names = namesOf(m_arrays->tree(), m_arrays->outcomes());
    const bool sameRows = names.size() == m_names.size();
    if (!sameRows)
        beginResetModel();
    m_names = std::move(names);
    if (!sameRows)
        endResetModel();
    else if (!m_names.empty())
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

int MappingModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_names.size());
}

int MappingModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant MappingModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const std::string& name = m_names[static_cast<std::size_t>(index.row())];
    const QStringList axes = named::axesOf(m_arrays->tree(), *m_arrays->mesh(), name);
    const int uses = usesOf(name, m_arrays->outcomes());
    const bool chips = index.column() == Axes;
    switch (role) {
    case Qt::DisplayRole:
    case Qt::EditRole:
        switch (index.column()) {
        case Name:
            return QString::fromStdString(name);
        case Axes:
            return role == Qt::EditRole ? axes.join(QStringLiteral(", "))
                                        : named::axesList(m_arrays->tree(), *m_arrays->mesh(), name);
        case Uses:
            return uses == 0 ? tr("no array has it") : words::counted(uses, words::Noun::Array);
        default:
            return {};
        }
    case Qt::ForegroundRole:
        return axes.isEmpty() || uses == 0 ? QVariant(Theme::current().secondary) : QVariant();
    case ChipsDelegate::AxesRole:
        return chips ? QVariant(axes) : QVariant();
    case ChipsDelegate::AxisIndicesRole:
        return chips ? QVariant(named::axisIndices(axes, *m_arrays->mesh())) : QVariant();
    case Qt::ToolTipRole: {
        if (!chips)
            return {};
        QStringList missing;
        for (const QString& axis : axes)
            if (!m_arrays->mesh()->axisIndex(axis.toStdString()))
                missing << axis;
        return missing.isEmpty() ? QVariant()
                                 : QVariant(tr("The mesh has no axis %1").arg(missing.join(QStringLiteral(", "))));
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
    if (index.column() == Axes && !m_arrays->tree().sameNames)
        flags |= Qt::ItemIsEditable;
    return flags;
}

bool MappingModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (!index.isValid() || role != Qt::EditRole || index.column() != Axes || m_arrays->tree().sameNames)
        return false;
    if (value.toString() == data(index, Qt::EditRole).toString())
        return false;
    NamedTree tree = m_arrays->tree();
    setMapping(tree, m_names[static_cast<std::size_t>(index.row())], named::parseAxes(value.toString()));
    m_arrays->setTree(std::move(tree));
    return true;
}

} // namespace shardscope
