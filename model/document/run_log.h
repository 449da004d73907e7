// SPDX-License-Identifier: GPL-3.0-or-later
// The runs of a session, one after another: what ran, on what mesh, how long its steps took. They stay until they are
// removed, whatever is edited or opened meanwhile.
//
//     2 × 4   7 steps   21.4 ms ± 0.3 ms   loss 4.85   peak 41 MiB   sends 8.16 MiB
//     4 × 2   7 steps   24.0 ms ± 0.4 ms   loss 4.85   peak 73 MiB   sends 24.1 MiB
#pragma once

#include <QObject>
#include <QString>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "base/quantity.h"
#include "document/run_controller.h"
#include "simulate/check/check.h"

namespace shardscope {

struct KeptRun {
    std::uint64_t number = 0; ///< counted over the session from 1, never a second time
    std::uint64_t inputs = 0; ///< hashOfInputs(): equal for runs that compute the same
    QString name; ///< of the document
    QString mesh; ///< "2 × 4"
    ExperimentPtr experiment; ///< that ran; never null
    QString folder; ///< to which the files of its arrays are relative
    qint64 steps = 0;
    /// Seconds per step, of the last n × loops, else of the steps themselves: their mean, or the median of uneven ones
    /// (TimeStatistics::isUneven).
    double time = 0;
    bool isMedian = false;
    double deviation = 0; ///< standard deviation, in seconds
    std::optional<double> loss; ///< of the last step
    std::optional<CheckVerdict> agreement; ///< with the reference; absent before it was asked for
    std::int64_t peakBytes = 0; ///< per device, as planned
    Rational sentBytes; ///< per device and step
};

class RunLog : public QObject {
    Q_OBJECT
public:
    RunLog(Document* document, RunController* controller, QObject* parent = nullptr);

    [[nodiscard]] const std::vector<KeptRun>& runs() const { return m_runs; } ///< newest last
    /// The newest one of an experiment with these inputs that has a time; null for none.
    [[nodiscard]] const KeptRun* timeOf(std::uint64_t inputs) const;
    /// The one of that number; null where it was removed.
    [[nodiscard]] const KeptRun* run(std::uint64_t number) const;
    void remove(std::uint64_t number);
    void setAgreement(std::uint64_t number, CheckVerdict verdict);

Q_SIGNALS:
    void changed(); ///< a run came, is gone, or has other figures

private:
    void follow();
    Document* m_document;
    RunController* m_controller;
    std::vector<KeptRun> m_runs;
    SnapshotPtr m_of; ///< what the newest run is of
    std::uint64_t m_current = 0; ///< number of the run that goes on; 0 for none
    std::uint64_t m_last = 0;
};

/// Runs a step of that experiment, and the reference, and compares them: seconds for a large one, so call it off the
/// window's thread. Errors: those of plannedProgram(), readInitialFiles() and checkAgainstReference(); NotExecutable
/// for what each of several devices runs, which nothing can be compared with.
[[nodiscard]] Result<CheckVerdict> agreementOf(const KeptRun& run, const std::stop_token& stop = {});

} // namespace shardscope
