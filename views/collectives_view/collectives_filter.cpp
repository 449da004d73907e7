// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/collectives_view/collectives_filter.h"

#include <algorithm>

namespace shardscope {

CollectivesFilter::CollectivesFilter(CollectivesModel* model, QObject* parent)
    : QSortFilterProxyModel(parent)
    , m_model(model)
{
    setSourceModel(model);
    setSortRole(CollectivesModel::SortRole);
    setSortCaseSensitivity(Qt::CaseInsensitive);
    setSortLocaleAware(true);
}

void CollectivesFilter::setFilter(CollectiveFilter filter)
{
    if (filter == m_filter)
        return;
    m_filter = std::move(filter);
    m_words = m_filter.text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    invalidateFilter();
}

bool CollectivesFilter::passes(int row, std::optional<CollectiveKey> except) const
{
    const CollectiveEntry& entry = m_model->entry(row);
    for (const CollectiveKey key :
        { CollectiveKey::Kind, CollectiveKey::Axes, CollectiveKey::Layer, CollectiveKey::Source }) {
        const auto& wanted = m_filter.keys[static_cast<std::size_t>(key)];
        if (wanted && key != except && keyOf(entry, key) != *wanted)
            return false;
    }
    if (m_words.isEmpty())
        return true;
    const QString text = m_model->index(row, 0).data(CollectivesModel::TextRole).toString();
    return std::all_of(
        m_words.begin(), m_words.end(), [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

bool CollectivesFilter::filterAcceptsRow(int row, const QModelIndex& parent) const
{
    return !parent.isValid() && m_model->list() && passes(row, std::nullopt);
}

CollectiveList CollectivesFilter::passing(std::optional<CollectiveKey> except) const
{
    CollectiveList list;
    if (!m_model->list())
        return list;
    list.program = m_model->list()->program;
    list.mesh = m_model->list()->mesh;
    for (int row = 0; row < m_model->rowCount(); ++row)
        if (passes(row, except))
            list.entries.push_back(m_model->entry(row));
    return list;
}

} // namespace shardscope
