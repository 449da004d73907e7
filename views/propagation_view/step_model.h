// SPDX-License-Identifier: GPL-3.0-or-later
// The log of propagation as a table: one row per record, those that were given first.
#pragma once

#include <QVariant>

#include "pipeline/snapshot.h"
#include "views/widgets/column_model.h"

namespace shardscope {

class StepModel : public ColumnModel {
    Q_OBJECT
public:
    enum Column { Step, Round, Axis, Operation, From, To };
    enum Role {
        StepRole = Qt::UserRole + 10, ///< int; the ones before are those of chips
        PathRole, ///< QString: path of the value that the axis arrived at
    };
    explicit StepModel(QObject* parent = nullptr);

    void setSnapshot(SnapshotPtr snapshot);
    [[nodiscard]] const SnapshotPtr& snapshot() const { return m_snapshot; }
    /// Rows after this step are shown as not yet done.
    void setCurrentStep(int step);
    [[nodiscard]] const PropagationStep& record(int row) const;
    [[nodiscard]] int firstRowOf(int step) const; ///< -1 if it has none
    [[nodiscard]] int lastRowBefore(int step) const; ///< likewise

protected:
    [[nodiscard]] int count() const override;
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;

private:
    SnapshotPtr m_snapshot;
    int m_step = 0;
};

} // namespace shardscope
