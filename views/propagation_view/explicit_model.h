// SPDX-License-Identifier: GPL-3.0-or-later
// What JAX's explicit mode would refuse, as a table: one row per operation.
#pragma once

#include <QVariant>
#include <memory>

#include "analysis/explicit_check.h"
#include "views/widgets/column_model.h"

namespace shardscope {

using ExplicitReportPtr = std::shared_ptr<const ExplicitReport>;

class ExplicitModel : public ColumnModel {
    Q_OBJECT
public:
    enum Column { Operation, Reason, Remedy };
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

protected:
    [[nodiscard]] int count() const override;
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;

private:
    [[nodiscard]] const ExplicitRefusal& refusal(int row) const;
    SnapshotPtr m_snapshot;
    ExplicitReportPtr m_report;
};

} // namespace shardscope
