// SPDX-License-Identifier: GPL-3.0-or-later
// The runs of the session: what each took and gave. They stay until they are removed.
#pragma once

#include <QWidget>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "document/latest_job.h"
#include "document/run_log.h"
#include "views/panel/panel.h"
#include "views/widgets/column_model.h"

class QTableView;

namespace shardscope {

/// Newest first.
class RunsModel : public ColumnModel {
    Q_OBJECT
public:
    enum Column { Mesh, Time, Loss, Agreement, Peak, Sent, Steps, Inputs, ColumnCount };
    explicit RunsModel(QObject* parent = nullptr);

    void setRuns(std::vector<KeptRun> runs);
    [[nodiscard]] const KeptRun& run(int row) const { return m_runs[static_cast<std::size_t>(row)]; }

protected:
    [[nodiscard]] int count() const override { return static_cast<int>(m_runs.size()); }
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;

private:
    std::vector<KeptRun> m_runs;
    std::unordered_map<std::uint64_t, qint64> m_numbers; ///< of different inputs
};

class RunsPane : public QWidget {
    Q_OBJECT
public:
    explicit RunsPane(RunLog* log, QWidget* parent = nullptr);

    /// Compares a step of the current run's experiment with the reference, beside the window.
    void checkAgreement();
    void remove();
    [[nodiscard]] const KeptRun* current() const; ///< null for none

    [[nodiscard]] RunsModel* model() const { return m_model; }
    [[nodiscard]] QTableView* table() const { return m_table; }
    [[nodiscard]] QString message() const { return m_message->text(); } ///< why the last one could not be compared
    [[nodiscard]] bool isWorking() const { return m_job.isWorking(); }

Q_SIGNALS:
    void pinRequested(const shardscope::ExperimentPtr& experiment, const QString& name);

private:
    void follow();
    void pinCurrent();
    using Checked = std::pair<std::uint64_t, Result<CheckVerdict>>;
    void receive(const Checked& checked);
    RunLog* m_log;
    RunsModel* m_model;
    QTableView* m_table;
    RoleLabel* m_message;
    EmptyPage* m_empty;
    LatestJob<Checked> m_job;
};

} // namespace shardscope
