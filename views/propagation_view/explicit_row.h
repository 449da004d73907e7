// SPDX-License-Identifier: GPL-3.0-or-later
// Whether JAX's explicit mode would accept the program: a line, and on demand what it would refuse. Worked out beside
// the window, and only while it is in sight.
#pragma once

#include <QWidget>

#include "document/selection.h"
#include "views/propagation_view/explicit_model.h"
#include "views/widgets/latest_job.h"

class QTableView;
class QToolButton;

namespace shardscope {

class RoleLabel;

class ExplicitRow : public QWidget {
    Q_OBJECT
public:
    /// `table` shows the list; it becomes a child of this row.
    ExplicitRow(Selection* selection, ExplicitModel* model, QTableView* table, QWidget* parent = nullptr);

    /// Null: nothing is said.
    void setSnapshot(const SnapshotPtr& snapshot);
    [[nodiscard]] QString verdict() const;
    [[nodiscard]] QString detail() const; ///< of the row that is chosen, and what was not judged
    [[nodiscard]] QToolButton* toggle() const { return m_toggle; }
    [[nodiscard]] QTableView* table() const { return m_table; }
    [[nodiscard]] bool isOpen() const;
    void setOpen(bool open);
    [[nodiscard]] bool isWorking() const { return m_job.isWorking(); }

protected:
    void showEvent(QShowEvent* event) override;
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
