// SPDX-License-Identifier: GPL-3.0-or-later
// The values that an edit shards differently, as a table: value, how it is sharded now and then, bytes per device.
#pragma once

#include <QVariant>
#include <memory>

#include "analysis/change.h"
#include "views/widgets/column_model.h"
#include "words/words.h"

namespace shardscope {

class ChangesModel : public ColumnModel {
    Q_OBJECT
public:
    enum Column { Value, Now, Then, PerDevice };
    explicit ChangesModel(QObject* parent = nullptr);
    /// All null for nothing.
    void setChanges(std::shared_ptr<const ValueChanges> changes, SnapshotPtr now, SnapshotPtr then);
    [[nodiscard]] const ValueChanges* changes() const { return m_changes.get(); }
    /// Path of the value in a row, in the experiment as it is now; "" for one without.
    [[nodiscard]] QString path(int row) const;

protected:
    [[nodiscard]] int count() const override { return m_changes ? static_cast<int>(m_changes->values.size()) : 0; }
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;

private:
    [[nodiscard]] const ValueChange& change(int row) const { return m_changes->values[static_cast<std::size_t>(row)]; }
    [[nodiscard]] QString name(int row) const;
    /// How the value is sharded, mesh axes as such.
    [[nodiscard]] words::Text spec(int row, int column) const;
    std::shared_ptr<const ValueChanges> m_changes;
    SnapshotPtr m_now, m_then;
};

} // namespace shardscope
