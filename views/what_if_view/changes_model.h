// SPDX-License-Identifier: GPL-3.0-or-later
// The values that an edit shards differently, as a table: value, how it is sharded now and then, bytes per device.
#pragma once

#include <QAbstractTableModel>
#include <memory>

#include "analysis/change.h"
#include "words/words.h"

namespace shardscope {

class ChangesModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Value, Now, Then, PerDevice, ColumnCount };
    explicit ChangesModel(QObject* parent = nullptr);
    /// All null for nothing.
    void setChanges(std::shared_ptr<const ValueChanges> changes, SnapshotPtr now, SnapshotPtr then);
    [[nodiscard]] const ValueChanges* changes() const { return m_changes.get(); }
    /// Path of the value in a row, in the experiment as it is now; "" for one without.
    [[nodiscard]] QString path(int row) const;
    /// How the value is sharded, mesh axes as such.
    [[nodiscard]] words::Text spec(const QModelIndex& index) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::shared_ptr<const ValueChanges> m_changes;
    SnapshotPtr m_now, m_then;
};

} // namespace shardscope
