// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a program that was read from a text beside the window, on random inputs, and keeps what came of the last one.
#pragma once

#include <QFutureWatcher>
#include <QObject>
#include <memory>
#include <optional>
#include <stop_token>

#include "pipeline/snapshot.h"
#include "simulate/run/program_values.h"

namespace shardscope {

class ProgramJob : public QObject {
    Q_OBJECT
public:
    explicit ProgramJob(QObject* parent = nullptr);
    ~ProgramJob() override;

    /// Ends what is at work. `folder`: to which the files of initial values are relative.
    void run(const SnapshotPtr& snapshot, const QString& folder);
    void cancel();
    [[nodiscard]] bool isWorking() const { return m_wanted || m_atWork; }
    /// Of this program on these inputs; null where it has not been run.
    [[nodiscard]] ProgramValuesPtr values(const Snapshot& snapshot) const;
    /// Why that failed.
    [[nodiscard]] std::optional<Diagnostic> failure(const Snapshot& snapshot) const;

Q_SIGNALS:
    void finished();

private:
    using Outcome = Result<ProgramValuesPtr>;
    void start();
    void receive();
    [[nodiscard]] bool answers(const Snapshot& snapshot) const;

    SnapshotPtr m_asked, m_wanted; ///< at work or done; waits for the one at work to end
    std::optional<Outcome> m_outcome;
    QFutureWatcher<std::shared_ptr<Outcome>> m_watcher;
    QString m_folder;
    bool m_atWork = false;
    std::stop_source m_stop;
};

} // namespace shardscope
