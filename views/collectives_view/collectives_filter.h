// SPDX-License-Identifier: GPL-3.0-or-later
// Which collectives are shown, and in what order.
#pragma once

#include <QSortFilterProxyModel>
#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "views/collectives_view/collectives_model.h"

namespace shardscope {

struct CollectiveFilter {
    QString text; ///< in any column, whatever the case; several words have to be there all
    /// Per key (CollectiveKey) the one that is shown alone, as sums() names it.
    std::array<std::optional<std::string>, 4> keys;
    [[nodiscard]] bool isEmpty() const
    {
        return text.trimmed().isEmpty()
            && std::none_of(keys.begin(), keys.end(), [](const auto& k) { return k.has_value(); });
    }
    bool operator==(const CollectiveFilter&) const = default;
};

class CollectivesFilter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit CollectivesFilter(CollectivesModel* model, QObject* parent = nullptr);
    void setFilter(CollectiveFilter filter);
    [[nodiscard]] const CollectiveFilter& filter() const { return m_filter; }
    /// Those that pass, in order of execution; with `except` the filter by that key is left out.
    [[nodiscard]] CollectiveList passing(std::optional<CollectiveKey> except = std::nullopt) const;

protected:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    [[nodiscard]] bool passes(int row, std::optional<CollectiveKey> except) const;
    CollectivesModel* m_model;
    CollectiveFilter m_filter;
    QStringList m_words;
};

} // namespace shardscope
