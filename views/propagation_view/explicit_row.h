// SPDX-License-Identifier: GPL-3.0-or-later
// Whether JAX's explicit mode would accept the program: a line, and on demand what it would refuse. Worked out beside
// the window, and only while it is in sight.
#pragma once

#include <QToolButton>
#include <QVariant>
#include <QWidget>
#include <memory>

#include "analysis/explicit_check.h"
#include "document/latest_job.h"
#include "document/selection.h"
#include "views/panel/panel.h"
#include "views/widgets/column_model.h"

class QTableView;

namespace shardscope {

/// What JAX's explicit mode would refuse, as a table: one row per operation.
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
    [[nodiscard]] int count() const override { return m_report ? static_cast<int>(m_report->refusals.size()) : 0; }
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;

private:
    [[nodiscard]] const ExplicitRefusal& refusal(int row) const;
    SnapshotPtr m_snapshot;
    ExplicitReportPtr m_report;
};

class ExplicitRow : public QWidget {
    Q_OBJECT
public:
    /// `table` shows the list; it becomes a child of this row.
    ExplicitRow(Selection* selection, ExplicitModel* model, QTableView* table, QWidget* parent = nullptr);

    /// Null: nothing is said.
    void setSnapshot(const SnapshotPtr& snapshot);
    [[nodiscard]] QString verdict() const { return m_verdict->text(); }
    /// of the row that is chosen, and what was not judged
    [[nodiscard]] QString detail() const { return m_detail->isHidden() ? QString() : m_detail->text(); }
    [[nodiscard]] QToolButton* toggle() const { return m_toggle; }
    [[nodiscard]] QTableView* table() const { return m_table; }
    [[nodiscard]] bool isOpen() const { return m_toggle->isChecked(); }
    void setOpen(bool open) { m_toggle->setChecked(open); }
    [[nodiscard]] bool isWorking() const { return m_job.isWorking(); }

protected:
    void showEvent(QShowEvent*) override { ask(); }
    void hideEvent(QHideEvent* event) override;

private:
    void ask();
    void receive(ExplicitReportPtr report);
    void refresh();
    void showDetail();
    void select();

    Selection* m_selection;
    ExplicitModel* m_model;
    QToolButton* m_toggle;
    RoleLabel *m_verdict, *m_detail;
    QTableView* m_table;
    SnapshotPtr m_snapshot; ///< the one to speak of
    SnapshotPtr m_asked; ///< the one that is being looked at
    LatestJob<ExplicitReportPtr> m_job;
    bool m_filling = false;
};

} // namespace shardscope
