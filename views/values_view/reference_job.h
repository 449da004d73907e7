// SPDX-License-Identifier: GPL-3.0-or-later
// Computes the unsharded reference of one array beside the window: only what was asked for last.
#pragma once

#include <QFutureWatcher>
#include <QObject>
#include <atomic>
#include <memory>
#include <optional>
#include <stop_token>

#include "simulate/check/reference_steps.h"

namespace shardscope {

class ReferenceJob : public QObject {
    Q_OBJECT
public:
    struct Question {
        ProgramPtr program;
        std::shared_ptr<const InitialValues> initial;
        ValueId value;
        std::int64_t steps = 0;
        bool operator==(const Question&) const = default;
    };
    using Answer = Result<ReferenceSteps::Array>;

    explicit ReferenceJob(QObject* parent = nullptr);
    ~ReferenceJob() override;

    /// Does nothing where that has been answered or is at work.
    void request(const Question& question);
    void cancel();
    [[nodiscard]] bool isWorking() const { return m_wanted.has_value() || m_atWork; }
    /// Of the question, once it has been worked out.
    [[nodiscard]] const Answer* answer(const Question& question) const;
    /// Operations done, and how many there are; of the one at work.
    [[nodiscard]] std::pair<qint64, qint64> progress() const { return { m_done, m_all }; }

Q_SIGNALS:
    void finished();
    void progressed(); ///< now and then

private:
    struct Outcome {
        Question question;
        std::optional<Answer> answer; ///< absent if it was broken off
    };
    void start();
    void receive();

    std::shared_ptr<ReferenceSteps> m_reference; ///< of the program at work; the worker's alone while it is
    Question m_asked; ///< at work or answered
    std::optional<Answer> m_answer;
    std::optional<Question> m_wanted; ///< waits for the one at work to end
    QFutureWatcher<std::shared_ptr<Outcome>> m_watcher;
    bool m_atWork = false;
    std::stop_source m_stop;
    std::atomic<qint64> m_done = 0, m_all = 0;
};

} // namespace shardscope
