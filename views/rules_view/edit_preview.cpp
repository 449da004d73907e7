// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/rules_view/edit_preview.h"

#include <QCoreApplication>
#include <QPromise>
#include <QThreadPool>
#include <algorithm>
#include <new>
#include <utility>

#include "program/types.h"
#include "words/words.h"

namespace shardscope {

namespace {

struct EditPreview {
    Q_DECLARE_TR_FUNCTIONS(EditPreview)
};

std::int64_t stateBytes(const Snapshot& snapshot)
{
    std::int64_t bytes = 0;
    for (const TensorRow& row : snapshot.tensors)
        if (row.role == Role::Parameter || row.role == Role::Gradient || row.role == Role::Mu || row.role == Role::Nu)
            bytes = saturatingSum(bytes, row.bytesPerDevice);
    return bytes;
}

} // namespace

QString editPreview(const Snapshot& now, const Experiment& after, AnalysisCache& cache, std::stop_token stop)
{
    const SnapshotPtr then = analyse(std::make_shared<const Experiment>(after), 0, cache, std::move(stop));
    if (!then)
        return {};
    if (!then->ok())
        return then->problems.empty() ? QString() : words::describe(then->problems.front().diagnostic).cause;
    int weights = 0, others = 0;
    for (const TensorRow& row : then->tensors) {
        const TensorRow* before = now.row(row.path);
        if (before && before->spec == row.spec && before->layout.shardShape() == row.layout.shardShape()
            && before->copies == row.copies)
            continue;
        (row.role == Role::Parameter ? weights : others)++;
    }
    if (weights == 0 && others == 0)
        return EditPreview::tr("Nothing changes.");
    QStringList parts;
    if (weights > 0)
        parts << (weights == 1 ? EditPreview::tr("1 weight changes")
                               : EditPreview::tr("%1 weights change").arg(weights));
    else
        parts << (others == 1 ? EditPreview::tr("1 tensor changes") : EditPreview::tr("%1 tensors change").arg(others));
    const std::int64_t bytesNow = stateBytes(now), bytesThen = stateBytes(*then);
    const auto bytes = [](std::int64_t value) { return words::bytes(static_cast<double>(value)); };
    if (bytesNow != bytesThen)
        parts << EditPreview::tr("%1 → %2 per device").arg(bytes(bytesNow), bytes(bytesThen));
    if (now.ok() && !(now.sent.step == then->sent.step))
        parts
            << EditPreview::tr("sent %1 → %2 per step").arg(words::bytes(now.sent.step), words::bytes(then->sent.step));
    return parts.join(QStringLiteral(", "));
}

EditPreviewer::EditPreviewer(QObject* parent)
    : QObject(parent)
    , m_cache(std::make_shared<AnalysisCache>())
{
    connect(&m_watcher, &QFutureWatcherBase::finished, this, &EditPreviewer::receive);
}

EditPreviewer::~EditPreviewer()
{
    m_watcher.disconnect(this);
    m_stop.request_stop();
}

void EditPreviewer::request(SnapshotPtr now, Experiment after)
{
    cancel();
    if (!now)
        return;
    m_now = std::move(now);
    m_after = std::make_shared<const Experiment>(std::move(after));
    if (!m_watcher.isRunning())
        start();
}

void EditPreviewer::cancel()
{
    m_stop.request_stop();
    m_now.reset();
    m_after.reset();
}

void EditPreviewer::start()
{
    m_stop = std::stop_source();
    auto promise = std::make_shared<QPromise<QString>>();
    m_watcher.setFuture(promise->future());
    promise->start();
    QThreadPool::globalInstance()->start(
        [promise, now = std::exchange(m_now, nullptr), after = std::exchange(m_after, nullptr), cache = m_cache,
            stop = m_stop.get_token()] {
            try {
                promise->addResult(editPreview(*now, *after, *cache, stop));
            } catch (const std::bad_alloc&) {
                promise->addResult(QString()); // a preview that does not fit into memory is none
            }
            promise->finish();
        });
}

void EditPreviewer::receive()
{
    if (!m_stop.stop_requested() && m_watcher.future().resultCount() > 0)
        Q_EMIT ready(m_watcher.result());
    if (m_now)
        start();
}

} // namespace shardscope
