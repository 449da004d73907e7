// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/values_view/reference_job.h"

#include <QPromise>
#include <QThreadPool>
#include <QTimer>
#include <new>
#include <utility>

#include "base/codes.h"

namespace shardscope {

ReferenceJob::ReferenceJob(QObject* parent)
    : QObject(parent)
{
    connect(&m_watcher, &QFutureWatcherBase::finished, this, &ReferenceJob::receive);
    auto* tell = new QTimer(this);
    tell->setInterval(200);
    connect(tell, &QTimer::timeout, this, [this] {
        if (m_atWork)
            Q_EMIT progressed();
    });
    tell->start();
}

ReferenceJob::~ReferenceJob()
{
    cancel();
    m_watcher.waitForFinished();
}

void ReferenceJob::request(const Question& question)
{
    if (m_wanted ? *m_wanted == question : m_asked == question && (m_answer || (m_atWork && !m_stop.stop_requested())))
        return;
    m_stop.request_stop();
    m_wanted = question;
    if (!m_atWork)
        start();
}

void ReferenceJob::cancel()
{
    m_stop.request_stop();
    m_wanted.reset();
}

const ReferenceJob::Answer* ReferenceJob::answer(const Question& question) const
{
    return m_asked == question && m_answer ? &*m_answer : nullptr;
}

void ReferenceJob::start()
{
    const Question next = *std::exchange(m_wanted, std::nullopt);
    if (!m_reference || next.program != m_asked.program || next.initial != m_asked.initial)
        m_reference = std::make_shared<ReferenceSteps>(next.program, *next.initial);
    m_asked = next;
    m_answer.reset();
    m_stop = std::stop_source();
    m_done = 0;
    m_all = 0;
    m_atWork = true;
    auto promise = std::make_shared<QPromise<std::shared_ptr<Outcome>>>();
    m_watcher.setFuture(promise->future());
    promise->start();
    QThreadPool::globalInstance()->start(
        [this, promise, next, reference = m_reference, stop = m_stop.get_token()] {
            ReferenceSteps::Limits limits;
            limits.stop = stop;
            limits.progress = [this](std::int64_t done, std::int64_t all) {
                m_done = done;
                m_all = all;
            };
            auto outcome = std::make_shared<Outcome>(Outcome{ next, {} });
            try {
                Answer answer = reference->after(next.value, next.steps, limits);
                if (!answer || *answer)
                    outcome->answer = std::move(answer);
            } catch (const std::bad_alloc&) {
                outcome->answer = fail(Code::OutOfMemory);
            }
            promise->addResult(std::move(outcome));
            promise->finish();
        },
        -1);
}

void ReferenceJob::receive()
{
    m_atWork = false;
    if (m_watcher.future().resultCount() > 0)
        if (const auto outcome = m_watcher.result(); outcome->question == m_asked)
            m_answer = outcome->answer;
    if (m_wanted)
        start();
    else
        Q_EMIT finished();
}

} // namespace shardscope
