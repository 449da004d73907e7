// SPDX-License-Identifier: GPL-3.0-or-later
// The log of propagation as a table: one row per record, those that were given first.
#pragma once

#include <QAbstractTableModel>

#include "pipeline/snapshot.h"

namespace shardscope {

class StepModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Step, Round, Axis, Operation, From, To, ColumnCount };
    enum Role {
        AxisRole = Qt::UserRole, ///< int: index of the mesh axis
        StepRole, ///< int
        PathRole, ///< QString: path of the value that the axis arrived at
        DimensionRole, ///< int
    };
    explicit StepModel(QObject* parent = nullptr);

    void setSnapshot(SnapshotPtr snapshot);
    [[nodiscard]] const SnapshotPtr& snapshot() const { return m_snapshot; }
    /// Rows after this step are shown as not yet done.
    void setCurrentStep(int step);
    [[nodiscard]] const PropagationStep& record(int row) const;
    [[nodiscard]] int firstRowOf(int step) const; ///< -1 if it has none

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(
        int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    [[nodiscard]] QString text(const PropagationStep& record, int column) const;

    SnapshotPtr m_snapshot;
    int m_step = 0;
};

} // namespace shardscope
