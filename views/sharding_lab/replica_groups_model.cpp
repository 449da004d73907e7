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

ReplicaGroupsModel::ReplicaGroupsModel(QObject* parent)
    : ColumnModel(parent)
{
    setColumns({
        { tr("Shard"), [](int row) { return QString::number(row); }, ModelColumn::Look::Number },
        { tr("Index ranges"),
            [this](int row) { return lab::rangesText(m_result->layout.rangesOfShard(row), *m_result); } },
        { {}, [this](int row) { return devicesText(m_result->layout.holders(row)); } },
    });
    setResult({});
}

void ReplicaGroupsModel::setResult(std::optional<LabResult> result)
{
    refill(false, [&] {
        m_result = std::move(result);
        setTitle(Devices,
            m_result && m_result->layout.addends() > 1 ? tr("Devices, each with a partial sum")
                                                       : tr("Devices that hold it"));
    });
}

int ReplicaGroupsModel::count() const
{
    if (!m_result)
        return 0;
    return static_cast<int>(
        std::min<std::int64_t>(m_result->layout.distinctShards(), std::numeric_limits<std::int32_t>::max()));
}

QVariant ReplicaGroupsModel::cell(int row, int column, int role) const
{
    return role == Qt::ToolTipRole ? QVariant(text(row, column)) : QVariant();
}

} // namespace shardscope
