// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/sharding_lab/replica_groups_model.h"

#include <algorithm>
#include <limits>

#include "views/sharding_lab/lab_words.h"
#include "words/words.h"

namespace shardscope {

namespace {

/// All of them up to a line's worth, then how many there are.
QString devicesText(const std::vector<std::int32_t>& ids)
{
    constexpr std::size_t maxNamed = 16;
    if (ids.size() > maxNamed)
        return ReplicaGroupsModel::tr("d%1 … d%2, %3")
            .arg(ids.front())
            .arg(ids.back())
            .arg(words::counted(static_cast<qint64>(ids.size()), words::Noun::Device));
    QStringList names;
    for (const std::int32_t id : ids)
        names << QStringLiteral("d%1").arg(id);
    return names.join(QStringLiteral(", "));
}

} // namespace

void ReplicaGroupsModel::setResult(std::optional<LabResult> result)
{
    beginResetModel();
    m_result = std::move(result);
    endResetModel();
}

int ReplicaGroupsModel::rowCount(const QModelIndex& parent) const
{
    if (parent.isValid() || !m_result)
        return 0;
    return static_cast<int>(
        std::min<std::int64_t>(m_result->layout.distinctShards(), std::numeric_limits<std::int32_t>::max()));
}

int ReplicaGroupsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant ReplicaGroupsModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    if (role == Qt::TextAlignmentRole && index.column() == Shard)
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole)
        return {};
    switch (index.column()) {
    case Shard:
        return QString::number(index.row());
    case Ranges:
        return lab::rangesText(m_result->layout.rangesOfShard(index.row()), *m_result);
    case Devices:
        return devicesText(m_result->layout.holders(index.row()));
    default:
        return {};
    }
}

QVariant ReplicaGroupsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return section == Shard ? QVariant(Qt::AlignRight | Qt::AlignVCenter)
                                : QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Shard:
        return tr("Shard");
    case Ranges:
        return tr("Index ranges");
    case Devices:
        return m_result && m_result->layout.addends() > 1 ? tr("Devices, each with a partial sum")
                                                          : tr("Devices that hold it");
    default:
        return {};
    }
}

} // namespace shardscope
