// SPDX-License-Identifier: GPL-3.0-or-later
// The shards of an array as a table: which ranges, and which devices hold them. Rows are worked out when they are
// looked at, so that their number does not matter.
#pragma once

#include <QVariant>
#include <optional>

#include "experiment/lab_state.h"
#include "views/widgets/column_model.h"

namespace shardscope {

class ReplicaGroupsModel : public ColumnModel {
    Q_OBJECT
public:
    enum Column { Shard, Ranges, Devices };
    explicit ReplicaGroupsModel(QObject* parent = nullptr);
    void setResult(std::optional<LabResult> result);

protected:
    [[nodiscard]] int count() const override;
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;

private:
    std::optional<LabResult> m_result;
};

} // namespace shardscope
