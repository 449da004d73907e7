// SPDX-License-Identifier: GPL-3.0-or-later
// What an edit would change, in one line, before it is made.
#pragma once

#include <QFutureWatcher>
#include <QObject>
#include <QString>
#include <memory>
#include <stop_token>

#include "experiment/experiment.h"
#include "pipeline/analyse.h"

namespace shardscope {

/// "8 weights change, 32 → 64 MiB per device, sent 8.16 → 24.1 MiB per step". Bytes are those of parameters,
/// gradients and moments. Analyses the experiment in place, which may take seconds for a large one; empty if stopped.
[[nodiscard]] QString editPreview(
    const Snapshot& now, const Experiment& after, AnalysisCache& cache, std::stop_token stop = {});

/// Works previews out beside the window: only the newest one wanted, one at a time.
class EditPreviewer : public QObject {
    Q_OBJECT
public:
    explicit EditPreviewer(QObject* parent = nullptr);
    ~EditPreviewer() override;

    /// ready() follows, unless something else is requested before. Nothing is done without a snapshot.
    void request(SnapshotPtr now, Experiment after);
    /// Nothing that was requested is wanted any more.
    void cancel();

Q_SIGNALS:
    void ready(const QString& text);

private:
    void start();
    void receive();

    std::shared_ptr<AnalysisCache> m_cache;
    QFutureWatcher<QString> m_watcher;
    SnapshotPtr m_now; ///< what is to be compared next; null if nothing is
    ExperimentPtr m_after;
    std::stop_source m_stop; ///< of the one at work
};

} // namespace shardscope
