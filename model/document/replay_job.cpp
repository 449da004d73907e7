// SPDX-License-Identifier: GPL-3.0-or-later
#include "document/replay_job.h"

#include <new>
#include <utility>

#include "base/codes.h"

namespace shardscope {

ReplayJob::ReplayJob(QObject* parent)
    : QObject(parent)
    , m_job(this, [this](const std::shared_ptr<Answer>& answer) { receive(std::move(*answer)); })
{
    m_tell.setInterval(200);
    connect(&m_tell, &QTimer::timeout, this, [this] {
        if (isWorking())
            Q_EMIT progressed();
        else
            m_tell.stop();
    });
}

void ReplayJob::request(const Question& question, bool recorded, ValueId value, Against against)
{
    if (!(m_answer.question == question)) {
        if (!(m_answer.question.of == question.of) || !m_replay)
            m_replay = std::make_shared<StepReplay>(question.of.plan->program, *question.of.initial);
        m_answer = Answer{ question, {}, {}, {}, {} };
        m_atWork.reset();
    }
    const bool isCompared = value.valid() && !reference(question, value, against);
    const Wanted wanted{ recorded && !m_answer.recorded, isCompared ? value : ValueId(),
        isCompared ? against : Against::Reference };
    if (m_atWork == wanted && isWorking())
        return;
    if (wanted == Wanted()) {
        cancel();
        return;
    }
    m_atWork = wanted;
    m_done = 0;
    m_all = 0;
    if (!m_tell.isActive())
        m_tell.start();
    m_job.request([this, question, wanted, replay = m_replay](const std::stop_token& stop) {
        StepReplay::Limits limits;
        limits.stop = stop;
        limits.progress = [this](std::int64_t done, std::int64_t all) {
            m_done = done;
            m_all = all;
        };
        auto answer = std::make_shared<Answer>(Answer{ question, {}, {}, wanted.value, wanted.against });
        try {
            if (wanted.recorded)
                answer->recorded = replay->record(question.steps, limits);
            if (wanted.value.valid())
                answer->reference = wanted.against == Against::Start
                    ? replay->start(wanted.value, limits)
                    : replay->reference(wanted.value, question.steps, limits);
        } catch (const std::bad_alloc&) {
            const auto outOfMemory = fail(Code::OutOfMemory);
            if (wanted.recorded && !answer->recorded)
                answer->recorded = outOfMemory;
            if (wanted.value.valid())
                answer->reference = outOfMemory;
        }
        return answer;
    });
}

void ReplayJob::cancel()
{
    m_job.cancel();
    m_atWork.reset();
}

const ReplayJob::Recorded* ReplayJob::recorded(const Question& question) const
{
    return m_answer.question == question && m_answer.recorded ? &*m_answer.recorded : nullptr;
}

const ReplayJob::Reference* ReplayJob::reference(const Question& question, ValueId value, Against against) const
{
    const bool isOf = m_answer.question == question && m_answer.value == value && m_answer.against == against;
    return isOf && m_answer.reference ? &*m_answer.reference : nullptr;
}

void ReplayJob::receive(Answer answer)
{
    m_atWork.reset();
    if (!(answer.question == m_answer.question))
        return;
    if (answer.recorded)
        m_answer.recorded = std::move(answer.recorded);
    if (answer.reference) {
        m_answer.reference = std::move(answer.reference);
        m_answer.value = answer.value;
        m_answer.against = answer.against;
    }
    Q_EMIT finished();
}

} // namespace shardscope
