// SPDX-License-Identifier: GPL-3.0-or-later
// What an edit would change, worked out beside the window before it is made.
#pragma once

#include <QList>
#include <QObject>
#include <QString>
#include <memory>
#include <optional>
#include <stop_token>

#include "analysis/analyse.h"
#include "analysis/change.h"
#include "document/latest_job.h"
#include "experiment/experiment.h"

namespace shardscope {

struct EditPreview {
    std::optional<Change> change; ///< absent where the arrays cannot be laid out
    QString problem; ///< the first error, one sentence; empty where a step can run
    QString problemId; ///< "E102", under which Problems lists it; empty where it is no error
    /// Value by value, with the two analyses; only where they were asked for.
    std::shared_ptr<const ValueChanges> values = {};
    SnapshotPtr now = {}, then = {};

    /// "8 weights change", "32 → 64 MiB per device", "sent 8.16 → 24.1 MiB per step": one part per figure, with the
    /// figures that stay as they are if asked for. Bytes per device are those of parameters, gradients and moments.
    struct Part {
        QString text;
        bool changes = true; ///< false where the figure stays
        bool operator==(const Part&) const = default;
    };
    [[nodiscard]] QList<Part> parts(bool all = false) const;
    /// The parts that change and the problem, to go on with after a colon; "nothing changes".
    [[nodiscard]] QString sentence() const;
    /// "E102, see Problems": what Problems lists is said there, and beside its cause. "" where a step can run.
    [[nodiscard]] QString problemText() const;
    bool operator==(const EditPreview&) const = default;
};

/// Compares two analyses.
[[nodiscard]] EditPreview editPreview(const Snapshot& now, const Snapshot& then);
/// Analyses the experiment in place, which may take seconds for a large one; nothing if stopped.
[[nodiscard]] std::optional<EditPreview> editPreview(
    const Snapshot& now, const Experiment& after, AnalysisCache& cache, std::stop_token stop = {});

/// Works previews out beside the window: only the newest one wanted, one at a time.
class EditPreviewer : public QObject {
    Q_OBJECT
public:
    explicit EditPreviewer(QObject* parent = nullptr);

    /// ready() follows, unless something else is requested before. Nothing is done without a snapshot.
    enum class Detail : std::uint8_t { Sums, Values };
    void request(SnapshotPtr now, Experiment after, Detail detail = Detail::Sums);
    [[nodiscard]] bool isWorking() const { return m_job.isWorking(); }
    /// Nothing that was requested is wanted any more.
    void cancel() { m_job.cancel(); }

Q_SIGNALS:
    void ready(const shardscope::EditPreview& preview);

private:
    std::shared_ptr<AnalysisCache> m_cache;
    LatestJob<std::optional<EditPreview>> m_job;
};

} // namespace shardscope
