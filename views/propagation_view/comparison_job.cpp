// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/propagation_view/comparison_job.h"

#include <QPromise>
#include <QThreadPool>
#include <new>

namespace shardscope {

ComparisonJob::ComparisonJob(QObject* parent)
    : QObject(parent)
    , m_cache(std::make_shared<AnalysisCache>())
{
    connect(&m_watcher, &QFutureWatcher<ComparisonPtr>::finished, this, &ComparisonJob::receive);
}

ComparisonJob::~ComparisonJob()
{
    cancel();
    m_watcher.waitForFinished();
}

void ComparisonJob::request(SnapshotPtr first, const PropagationSetting& setting)
{
    m_stop.request_stop();
    m_wanted.emplace(std::move(first), setting);
    if (!m_atWork)
        start();
}

void ComparisonJob::cancel()
{
    m_stop.request_stop();
    m_wanted.reset();
}

void ComparisonJob::start()
{
    m_stop = std::stop_source();
    m_atWork = true;
    auto promise = std::make_shared<QPromise<ComparisonPtr>>();
    m_watcher.setFuture(promise->future());
    promise->start();
    auto [first, setting] = *std::exchange(m_wanted, std::nullopt);
    QThreadPool::globalInstance()->start(
        [promise, first = std::move(first), setting = setting, cache = m_cache, stop = m_stop.get_token()] {
            try {
                promise->addResult(compareStrategies(first, setting, *cache, stop));
            } catch (const std::bad_alloc&) { // somebody else needs the memory more
            }
            promise->finish();
        },
        -1);
}

void ComparisonJob::receive()
{
    m_atWork = false;
    const bool stopped = m_stop.stop_requested();
    ComparisonPtr comparison;
    if (!stopped && m_watcher.future().resultCount() > 0)
        comparison = m_watcher.result();
    if (m_wanted)
        start();
    else if (comparison)
        Q_EMIT finished(comparison);
}

} // namespace shardscope
