// SPDX-License-Identifier: GPL-3.0-or-later
// What JAX's explicit mode would refuse, as a table: one row per operation.
#pragma once

#include <QAbstractTableModel>
#include <memory>

#include "analysis/explicit_check.h"

namespace shardscope {

using ExplicitReportPtr = std::shared_ptr<const ExplicitReport>;

class ExplicitModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Operation, Reason, Remedy, ColumnCount };
    enum Role {
        PathRole = Qt::UserRole, ///< QString: the operation, as operationPath() names it
        TensorRole, ///< QString: path of what it gives, "" for none
    };
    explicit ExplicitModel(QObject* parent = nullptr);

    /// Of this snapshot; null: no rows.
    void setReport(SnapshotPtr snapshot, ExplicitReportPtr report);
    [[nodiscard]] const SnapshotPtr& snapshot() const { return m_snapshot; }
    [[nodiscard]] const ExplicitReportPtr& report() const { return m_report; }
    /// The whole of a row as sentences.
    [[nodiscard]] QString sentences(int row) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(
        int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    SnapshotPtr m_snapshot;
    ExplicitReportPtr m_report;
};

} // namespace shardscope
