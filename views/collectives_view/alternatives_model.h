// SPDX-License-Identifier: GPL-3.0-or-later
// What could stand in place of a collective, with the price of each, as a table: the present one first.
#pragma once

#include <QVariant>
#include <optional>

#include "analysis/collective_alternatives.h"
#include "views/collectives_view/collectives_model.h"
#include "views/widgets/column_model.h"

namespace shardscope {

class AlternativesModel : public ColumnModel {
    Q_OBJECT
public:
    enum Column { Name, Sent, Difference, Step, Held, ColumnCount };
    explicit AlternativesModel(QObject* parent = nullptr);

    /// Those of list->entries[index], whose value goes by the name of `named`; a null list gives no rows.
    void setAlternatives(
        CollectiveListPtr list, std::size_t index, ValueId named, std::vector<CollectiveAlternative> alternatives);
    [[nodiscard]] const std::vector<CollectiveAlternative>& alternatives() const { return m_alternatives; }
    [[nodiscard]] QString title(int row) const; ///< in a few words
    /// What it would be, and at what price.
    [[nodiscard]] words::Text sentence(int row) const;
    /// No row says what the whole step would send.
    [[nodiscard]] bool isIdle(int column) const;

protected:
    [[nodiscard]] int count() const override;
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;

private:
    [[nodiscard]] const CollectiveAlternative& at(int row) const
    {
        return m_alternatives[static_cast<std::size_t>(row)];
    }
    [[nodiscard]] double difference(int row) const; ///< bytes per step, against the first row
    CollectiveListPtr m_list;
    std::size_t m_index = 0;
    ValueId m_named;
    std::vector<CollectiveAlternative> m_alternatives;
};

} // namespace shardscope
