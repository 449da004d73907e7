// SPDX-License-Identifier: GPL-3.0-or-later
// Works something out beside the window: only what was asked for last is done to its end and handed over.
//
//     LatestJob<ListPtr> job(this, [this](ListPtr list) { show(std::move(list)); });
//     job.request([snapshot](const std::stop_token& stop) { return listOf(*snapshot, stop); });
#pragma once

#include <QFutureWatcher>
#include <QObject>
#include <QPromise>
#include <QThreadPool>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <stop_token>
#include <utility>

namespace shardscope {

template <typename Value>
class LatestJob {
public:
    using Work = std::function<Value(const std::stop_token&)>;
    using Deliver = std::function<void(Value)>;

    /// `deliver` is called in the thread of `owner`, whose member this is; never for what was cancelled or overtaken.
    LatestJob(QObject* owner, Deliver deliver)
        : m_deliver(std::move(deliver))
    {
        QObject::connect(&m_watcher, &QFutureWatcher<Value>::finished, owner, [this] { receive(); });
    }
    LatestJob(const LatestJob&) = delete;
    LatestJob& operator=(const LatestJob&) = delete;
    ~LatestJob()
    {
        m_watcher.disconnect();
        cancel();
        m_watcher.waitForFinished();
    }

    void request(Work work)
    {
        m_stop.request_stop();
        m_wanted = std::move(work);
        if (!m_atWork)
            start();
    }
    void cancel()
    {
        m_stop.request_stop();
        m_wanted = nullptr;
    }
    /// Something is wanted that has not been handed over.
    [[nodiscard]] bool isWorking() const { return m_wanted || (m_atWork && !m_stop.stop_requested()); }

private:
    void start()
    {
        m_stop = std::stop_source();
        m_atWork = true;
        auto promise = std::make_shared<QPromise<Value>>();
        m_watcher.setFuture(promise->future());
        promise->start();
        QThreadPool::globalInstance()->start(
            [promise, work = std::exchange(m_wanted, nullptr), stop = m_stop.get_token()] {
                try {
                    promise->addResult(work(stop));
                } catch (const std::bad_alloc&) { // somebody else needs the memory more
                }
                promise->finish();
            },
            -1);
    }
    void receive()
    {
        m_atWork = false;
        std::optional<Value> value;
        if (!m_stop.stop_requested() && m_watcher.future().resultCount() > 0)
            value = m_watcher.result();
        if (m_wanted)
            start();
        else if (value)
            m_deliver(std::move(*value));
    }

    Deliver m_deliver;
    Work m_wanted; ///< waits for the one at work to end
    QFutureWatcher<Value> m_watcher;
    bool m_atWork = false; ///< until its result has been handed on
    std::stop_source m_stop;
};

} // namespace shardscope
