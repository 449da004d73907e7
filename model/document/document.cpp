// SPDX-License-Identifier: GPL-3.0-or-later
#include "document/document.h"

#include <QDir>
#include <QFileInfo>
#include <QUndoCommand>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "base/codes.h"
#include "document/atomic_file.h"
#include "document/program_file.h"
#include "experiment/builtin.h"
#include "experiment_file/experiment_file.h"

namespace shardscope {

namespace {

/// A drag edits faster than a large experiment is analysed. Within this time an analysis makes way for the next
/// revision; after it, it may finish, so that something is seen while the drag goes on.
constexpr auto patience = std::chrono::milliseconds(100);

} // namespace

struct Document::Private {
    explicit Private(Document* document)
        : q(document)
    {
    }

    Document* q;
    ExperimentPtr experiment;
    std::uint64_t revision = 0;
    std::uint64_t firstRevision = 0; ///< of what was opened or made last
    SnapshotPtr snapshot, lastGood; ///< of that, never of what was open before
    SnapshotPtr preview;
    QString previewedChange;
    AnalysisCache cache;
    QUndoStack undoStack;
    QString filePath, sourceName;
    std::vector<Diagnostic> readWarnings;
    std::vector<Diagnostic> warningsOfNext; ///< of the file whose experiment is about to be set
    int lastMergeId = 0;

    // Between the window's thread and the worker; guarded by `mutex`.
    std::mutex mutex;
    std::condition_variable_any wake;
    std::condition_variable finishedChanged;
    ExperimentPtr requested; ///< null when nothing waits
    std::uint64_t requestedRevision = 0;
    std::uint64_t finishedRevision = 0;
    SnapshotPtr finished; ///< not delivered yet
    std::stop_source running;
    std::chrono::steady_clock::time_point lastFinish = std::chrono::steady_clock::now();
    std::jthread worker; ///< last member: joined before what it uses goes

    void replace(ExperimentPtr next, bool another = false);
    std::vector<Diagnostic> open(std::string_view text, const std::string& name, const QString& path);
    void request();
    void work(const std::stop_token& stop);
    void deliver();
};

namespace {

class EditCommand : public QUndoCommand {
public:
    EditCommand(std::function<void(ExperimentPtr)> apply, ExperimentPtr before, ExperimentPtr after,
        const QString& text, int mergeId)
        : QUndoCommand(text)
        , m_apply(std::move(apply))
        , m_before(std::move(before))
        , m_after(std::move(after))
        , m_mergeId(mergeId)
    {
    }
    void undo() override { m_apply(m_before); }
    void redo() override { m_apply(m_after); }
    [[nodiscard]] int id() const override { return m_mergeId == 0 ? -1 : m_mergeId; }
    bool mergeWith(const QUndoCommand* other) override
    {
        const auto* next = dynamic_cast<const EditCommand*>(other);
        if (!next || next->m_mergeId != m_mergeId)
            return false;
        m_after = next->m_after;
        setText(next->text());
        setObsolete(*m_after == *m_before);
        return true;
    }

private:
    std::function<void(ExperimentPtr)> m_apply;
    ExperimentPtr m_before, m_after;
    int m_mergeId;
};

/// Whether the two differ in what decides how arrays are sharded.
bool shardsOtherwise(const Experiment& a, const Experiment& b)
{
    return !(a.mesh == b.mesh && a.rules == b.rules && a.model == b.model && a.propagation == b.propagation
        && a.placement == b.placement && a.hardware.devices.count() == b.hardware.devices.count());
}

} // namespace

void Document::Private::replace(ExperimentPtr next, bool another)
{
    const bool wasStale = q->isStale();
    experiment = std::move(next);
    ++revision;
    if (another) {
        firstRevision = revision;
        snapshot.reset();
        lastGood.reset();
    }
    request();
    q->setPreview(nullptr);
    Q_EMIT q->experimentChanged();
    if (!wasStale && q->isStale())
        Q_EMIT q->staleChanged();
}

void Document::Private::request()
{
    const std::scoped_lock lock(mutex);
    requested = experiment;
    requestedRevision = revision;
    if (std::chrono::steady_clock::now() - lastFinish < patience)
        running.request_stop();
    wake.notify_one();
}

void Document::Private::work(const std::stop_token& stop)
{
    std::unique_lock lock(mutex);
    while (true) {
        wake.wait(lock, stop, [this] { return requested != nullptr; });
        if (stop.stop_requested())
            return;
        const ExperimentPtr subject = std::exchange(requested, nullptr);
        const std::uint64_t number = requestedRevision;
        running = std::stop_source();
        const std::stop_token token = running.get_token();
        lock.unlock();
        SnapshotPtr result = analyse(subject, number, cache, token); // out of memory is a result, too
        lock.lock();
        if (stop.stop_requested())
            return;
        if (!result)
            continue; // made way for a newer revision
        finished = std::move(result);
        finishedRevision = number;
        lastFinish = std::chrono::steady_clock::now();
        finishedChanged.notify_all();
        QMetaObject::invokeMethod(
            q, [this] { deliver(); }, Qt::QueuedConnection);
    }
}

void Document::Private::deliver()
{
    SnapshotPtr arrived;
    {
        const std::scoped_lock lock(mutex);
        arrived = std::exchange(finished, nullptr);
    }
    if (!arrived)
        return; // waitForAnalysis() was faster than the event loop
    if (arrived->revision < firstRevision)
        return; // another experiment was opened meanwhile
    const bool wasStale = q->isStale();
    snapshot = arrived;
    if (snapshot->laidOut())
        lastGood = snapshot;
    Q_EMIT q->snapshotChanged();
    if (wasStale != q->isStale())
        Q_EMIT q->staleChanged();
}

Document::Document(QObject* parent)
    : QObject(parent)
    , d(std::make_unique<Private>(this))
{
    connect(&d->undoStack, &QUndoStack::cleanChanged, this, &Document::fileChanged);
    d->worker = std::jthread([this](const std::stop_token& stop) { d->work(stop); });
    setExperiment(builtinExamples().front().make(), QString());
}

Document::~Document()
{
    d->worker.request_stop();
    {
        const std::scoped_lock lock(d->mutex);
        d->running.request_stop();
    }
    d->worker.join();
}

const ExperimentPtr& Document::experiment() const
{
    return d->experiment;
}
std::uint64_t Document::revision() const
{
    return d->revision;
}
SnapshotPtr Document::snapshot() const
{
    return d->snapshot;
}
SnapshotPtr Document::lastGood() const
{
    return d->lastGood;
}
void Document::setPreview(SnapshotPtr snapshot, const QString& change)
{
    if (snapshot == d->preview)
        return;
    d->preview = std::move(snapshot);
    d->previewedChange = d->preview ? change : QString();
    Q_EMIT previewChanged();
}

SnapshotPtr Document::preview() const
{
    return d->preview;
}

QString Document::previewedChange() const
{
    return d->previewedChange;
}

bool Document::isStale() const
{
    return !d->snapshot || d->snapshot->revision != d->revision;
}
AnalysisCache& Document::cache()
{
    return d->cache;
}

void Document::waitForAnalysis()
{
    {
        std::unique_lock lock(d->mutex);
        d->finishedChanged.wait(lock, [this] { return d->finishedRevision == d->revision; });
    }
    d->deliver();
}

QUndoStack* Document::undoStack()
{
    return &d->undoStack;
}

bool Document::edit(Result<Experiment> after, const QString& text, int mergeId)
{
    if (!after) {
        Q_EMIT editRefused(after.error());
        return false;
    }
    if (*after == *d->experiment)
        return true;
    if (d->snapshot && d->snapshot->isPartitioned() && shardsOtherwise(*after, *d->experiment)) {
        Q_EMIT editRefused(Diagnostic{ Code::CompiledProgram, {}, {} });
        return false;
    }
    auto next = std::make_shared<const Experiment>(std::move(*after));
    const int steps = d->undoStack.index();
    d->undoStack.push(new EditCommand(
        [this](ExperimentPtr value) { d->replace(std::move(value)); }, d->experiment, std::move(next), text, mergeId));
    if (d->undoStack.index() >= steps) // a drag that ends where it began has vanished
        Q_EMIT edited(text, mergeId);
    return true;
}

int Document::newMergeId()
{
    return ++d->lastMergeId;
}

QString Document::filePath() const
{
    return d->filePath;
}

QString Document::sourceName() const
{
    return d->sourceName;
}

QString Document::displayName() const
{
    if (!d->filePath.isEmpty())
        return QFileInfo(d->filePath).fileName();
    if (!d->sourceName.isEmpty())
        return d->sourceName;
    const QString title = QString::fromStdString(d->experiment->title);
    return title.isEmpty() ? tr("Untitled") : title;
}

bool Document::isModified() const
{
    return !d->undoStack.isClean();
}

void Document::setExperiment(Experiment experiment, const QString& filePath, const QString& sourceName)
{
    d->undoStack.clear();
    d->undoStack.setClean();
    d->filePath = filePath;
    d->sourceName = sourceName;
    d->readWarnings = std::exchange(d->warningsOfNext, {});
    Q_EMIT replaced();
    d->replace(std::make_shared<const Experiment>(std::move(experiment)), true);
    Q_EMIT fileChanged();
}

std::vector<Diagnostic> Document::open(const QString& filePath)
{
    if (isProgramFile(filePath)) {
        Result<Experiment> experiment = openProgram(filePath);
        if (!experiment)
            return { std::move(experiment.error()) };
        // The program has a file, the experiment has none yet.
        setExperiment(std::move(*experiment), QString(), QFileInfo(filePath).fileName());
        return {};
    }
    const Result<QByteArray> content = readFile(filePath);
    if (!content)
        return { content.error() };
    return d->open(std::string_view(content->constData(), static_cast<std::size_t>(content->size())),
        filePath.toStdString(), QFileInfo(filePath).absoluteFilePath());
}

std::vector<Diagnostic> Document::openText(std::string_view text, const QString& name)
{
    return d->open(text, name.toStdString(), QString());
}

std::vector<Diagnostic> Document::Private::open(std::string_view text, const std::string& name, const QString& path)
{
    auto read = readExperiment(text, filesBeside(path.isEmpty() ? QDir::current().filePath(QString()) : path));
    const auto placed = [&name](std::vector<Diagnostic> list) {
        for (Diagnostic& diagnostic : list)
            diagnostic.where.file = name;
        return list;
    };
    if (!read)
        return placed(std::move(read.error()));
    warningsOfNext = placed(std::move(read->warnings));
    q->setExperiment(std::move(read->experiment), path);
    return {};
}

const std::vector<Diagnostic>& Document::readWarnings() const
{
    return d->readWarnings;
}

Result<void> Document::saveAs(const QString& filePath)
{
    if (const Result<void> written =
            writeAtomically(filePath, writeExperiment(withRelativeProgram(*d->experiment, filePath)));
        !written)
        return written;
    d->filePath = QFileInfo(filePath).absoluteFilePath();
    d->sourceName.clear();
    d->undoStack.setClean();
    Q_EMIT fileChanged();
    return {};
}

} // namespace shardscope
