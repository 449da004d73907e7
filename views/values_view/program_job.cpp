// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/values_view/program_job.h"

#include <QPromise>
#include <QThreadPool>
#include <new>
#include <utility>

#include "analysis/initial_setting.h"
#include "base/codes.h"
#include "document/array_file.h"
#include "pipeline/stage_results.h"

namespace shardscope {

ProgramJob::ProgramJob(QObject* parent)
    : QObject(parent)
{
    connect(&m_watcher, &QFutureWatcherBase::finished, this, &ProgramJob::receive);
}

ProgramJob::~ProgramJob()
{
    cancel();
    m_watcher.waitForFinished();
}

void ProgramJob::run(const SnapshotPtr& snapshot, const QString& folder)
{
    m_stop.request_stop();
    m_wanted = snapshot;
    m_folder = folder;
    if (!m_atWork)
        start();
}

void ProgramJob::cancel()
{
    m_stop.request_stop();
    m_wanted.reset();
}

bool ProgramJob::answers(const Snapshot& snapshot) const
{
    return m_asked && m_outcome && m_asked->program == snapshot.program
        && m_asked->experiment->run.seed == snapshot.experiment->run.seed
        && m_asked->experiment->run.initial == snapshot.experiment->run.initial;
}

kernels::ProgramValuesPtr ProgramJob::values(const Snapshot& snapshot) const
{
    return answers(snapshot) && *m_outcome ? **m_outcome : nullptr;
}

std::optional<Diagnostic> ProgramJob::failure(const Snapshot& snapshot) const
{
    return answers(snapshot) && !*m_outcome ? std::optional<Diagnostic>(m_outcome->error()) : std::nullopt;
}

void ProgramJob::start()
{
    m_asked = std::exchange(m_wanted, nullptr);
    m_outcome.reset();
    m_stop = std::stop_source();
    m_atWork = true;
    auto promise = std::make_shared<QPromise<std::shared_ptr<Outcome>>>();
    m_watcher.setFuture(promise->future());
    promise->start();
    QThreadPool::globalInstance()->start(
        [promise, snapshot = m_asked, folder = m_folder, stop = m_stop.get_token()] {
            kernels::ProgramInputs inputs;
            inputs.initial = initialValuesOf(*snapshot->experiment);
            inputs.stop = stop;
            try {
                const Result<void> read = readInitialFiles(inputs.initial, *snapshot->program, folder);
                promise->addResult(std::make_shared<Outcome>(
                    read ? valuesOf(*snapshot, inputs) : Outcome(tl::unexpected(read.error()))));
            } catch (const std::bad_alloc&) {
                promise->addResult(std::make_shared<Outcome>(fail(Code::OutOfMemory)));
            }
            promise->finish();
        },
        -1);
}

void ProgramJob::receive()
{
    m_atWork = false;
    if (!m_stop.stop_requested() && m_watcher.future().resultCount() > 0)
        m_outcome = std::move(*m_watcher.result());
    if (m_wanted)
        start();
    else
        Q_EMIT finished();
}

} // namespace shardscope
