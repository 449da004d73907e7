// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/named_arrays_view/mapping_model.h"

#include <algorithm>

#include "views/named_arrays_view/named_words.h"
#include "views/theme/theme.h"
#include "views/widgets/chips_delegate.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope {

MappingModel::MappingModel(NamedArrays* arrays, QObject* parent)
    : ColumnModel(parent)
    , m_arrays(arrays)
    , m_names(arrays->names())
{
    setColumns({
        { tr("Name"), [this](int row) { return words::fromStd(at(row).name); } },
        { tr("Mesh axes"),
            [this](int row) {
                return at(row).conflicts.empty()
                    ? named::axesList(at(row).axes)
                    : tr("%n rules that differ", nullptr, static_cast<int>(at(row).conflicts.size()));
            } },
        { tr("Used by"),
            [this](int row) {
                return at(row).uses == 0 ? tr("no array has it") : words::counted(at(row).uses, words::Noun::Array);
            } },
    });
    connect(arrays, &NamedArrays::changed, this, &MappingModel::refresh);
}

void MappingModel::refresh()
{
    const bool same = std::ranges::equal(m_arrays->names(), m_names, {}, &MappedName::name, &MappedName::name);
    refill(same, [&] { m_names = m_arrays->names(); });
}

int MappingModel::rowOf(const std::string& name) const
{
    const auto found = std::ranges::find(m_names, name, &MappedName::name);
    return found == m_names.end() ? -1 : static_cast<int>(found - m_names.begin());
}

int MappingModel::count() const
{
    return static_cast<int>(m_names.size());
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

QVariant MappingModel::cell(int row, int column, int role) const
{
    const MappedName& name = at(row);
    const bool axes = column == Axes;
    const bool chips = axes && name.conflicts.empty();
    switch (role) {
    case Qt::EditRole:
        return axes ? QVariant(named::joined(name.axes)) : QVariant();
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
        const QString about = axes ? tip(name) : QString();
        return about.isEmpty() ? QVariant() : QVariant(about);
    }
    default:
        return {};
    }
}

bool MappingModel::canEdit(int, int column) const
{
    return column == Axes;
}

bool MappingModel::edit(int row, int, const QString& typed)
{
    const std::string name = at(row).name; // the rows are made anew
    return m_arrays->map(name, typed);
}

} // namespace shardscope
