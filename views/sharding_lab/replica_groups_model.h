// SPDX-License-Identifier: GPL-3.0-or-later
// The shards of an array as a table: which ranges, and which devices hold them. Rows are worked out when they are
// looked at, so that their number does not matter.
#pragma once

#include <QAbstractTableModel>
#include <optional>

#include "views/sharding_lab/lab_state.h"

namespace shardscope {

class ReplicaGroupsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Shard, Ranges, Devices, ColumnCount };
    using QAbstractTableModel::QAbstractTableModel;
    void setResult(std::optional<LabResult> result);
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(
        int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    std::optional<LabResult> m_result;
};

} // namespace shardscope
