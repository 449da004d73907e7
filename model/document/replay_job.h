// SPDX-License-Identifier: GPL-3.0-or-later
// Takes the steps of a run again beside the window: for the unsharded reference of one of its arrays, and to record the
// last one operation by operation; and makes what an array began with. Only what was asked for last is worked out.
#pragma once

#include <QObject>
#include <QTimer>
#include <atomic>
#include <memory>
#include <optional>

#include "document/latest_job.h"
#include "document/run_controller.h"
#include "simulate/run/step_replay.h"

namespace shardscope {

class ReplayJob : public QObject {
    Q_OBJECT
public:
    /// The run whose steps are taken again.
    struct Question {
        RunController::Begun of;
        std::int64_t steps = 0;
        bool operator==(const Question&) const = default;
    };
    /// What an array is compared with.
    enum class Against : std::uint8_t { Reference, Start };
    using Recorded = Result<RecordedStepPtr>;
    using Reference = Result<StepReplay::Array>;

    explicit ReplayJob(QObject* parent = nullptr);

    /// `value`: that is to be compared; invalid for none. Does nothing where that has been answered or is at work.
    void request(const Question& question, bool recorded, ValueId value, Against against = Against::Reference);
    void cancel();
    [[nodiscard]] bool isWorking() const { return m_job.isWorking(); }
    /// Once they have been worked out; else null. An array that began with nothing is null at the start.
    [[nodiscard]] const Recorded* recorded(const Question& question) const;
    [[nodiscard]] const Reference* reference(
        const Question& question, ValueId value, Against against = Against::Reference) const;
    /// Operations done, and how many there are; of the run at work.
    [[nodiscard]] std::pair<qint64, qint64> progress() const { return { m_done, m_all }; }

Q_SIGNALS:
    void finished();
    void progressed(); ///< now and then

private:
    struct Answer {
        Question question;
        std::optional<Recorded> recorded;
        std::optional<Reference> reference;
        ValueId value; ///< that `reference` is of
        Against against = Against::Reference;
    };
    struct Wanted {
        bool recorded = false;
        ValueId value;
        Against against = Against::Reference; ///< of `value`
        bool operator==(const Wanted&) const = default;
    };
    void receive(Answer answer);

    QTimer m_tell; ///< runs while something is at work
    std::atomic<qint64> m_done = 0, m_all = 0;
    std::shared_ptr<StepReplay> m_replay; ///< of `m_answer.question.of`; the worker's alone while it is at work
    Answer m_answer; ///< as far as there is one
    std::optional<Wanted> m_atWork;
    LatestJob<std::shared_ptr<Answer>> m_job;
};

} // namespace shardscope
