// SPDX-License-Identifier: GPL-3.0-or-later
#include "document/run_controller.h"

#include <QElapsedTimer>
#include <QTimer>
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <new>
#include <stop_token>
#include <thread>
#include <utility>

#include "analysis/step_inputs.h"
#include "base/codes.h"
#include "document/array_file.h"
#include "pipeline/stage_results.h"
#include "schedule/plan.h"
#include "simulate/run/not_executable.h"
#include "simulate/run/value_reader.h"

namespace shardscope {

namespace {

constexpr std::size_t longestHistory = 10'000;
constexpr int shortestPause = 33; ///< milliseconds between two announcements of steps
constexpr std::size_t maxDeviceTimes = std::size_t{ 1 } << 20; ///< in the history

/// Keeps the times of single devices for the newest steps only: with many devices they would take all memory. `added`
/// is the number of steps that have come since the last call.
void dropOldDevices(std::vector<StepTiming>& steps, std::size_t added)
{
    if (steps.empty())
        return;
    const std::size_t devices = std::max<std::size_t>(steps.back().devices.size(), 1);
    const std::size_t kept = std::clamp<std::size_t>(maxDeviceTimes / devices, 1, RunController::stepsWithDevices);
    for (std::size_t i = steps.size() - std::min(steps.size(), kept + added); i + kept < steps.size(); ++i)
        steps[i].devices = std::vector<DeviceTimes>();
}

/// Leaves the newest ones.
template <typename Each>
void dropOldest(std::vector<Each>& steps, std::size_t most)
{
    if (steps.size() > most)
        steps.erase(steps.begin(), steps.end() - static_cast<std::ptrdiff_t>(most));
}

template <typename Each>
void append(std::vector<Each>& steps, std::vector<Each>& newer, std::size_t most)
{
    steps.insert(steps.end(), std::make_move_iterator(newer.begin()), std::make_move_iterator(newer.end()));
    dropOldest(steps, most);
}

/// What a run depends on. When it changes, device memory has to be laid out anew.
struct Subject {
    std::shared_ptr<const Plan> plan;
    InitialValues initial; ///< without the arrays of files; what changes in every step follows from plan and seed
    QString folder; ///< to which those are relative; empty where there are none
    bool shareReplicas = false;
    bool operator==(const Subject& other) const
    {
        return plan == other.plan && initial.seed == other.initial.seed && initial.defaults == other.initial.defaults
            && initial.chosen == other.initial.chosen && folder == other.folder && shareReplicas == other.shareReplicas;
    }
    [[nodiscard]] const Program& program() const { return *plan->program->program; }
};

struct Job {
    RunController::State kind = RunController::State::Stepping;
    Subject subject;
    std::uint64_t generation = 0;
    qint64 runs = 1, loops = 1;
    std::stop_token stop; ///< no further step
    std::stop_token abandoned; ///< nobody wants to see any of it: not even the step being taken
};

/// What the worker found out since the window last looked.
struct News {
    std::vector<StepTiming> steps;
    std::vector<StepFigures> figures; ///< of these
    qint64 stepsDone = 0;
    std::optional<TimeitResult> timeit;
    std::optional<Diagnostic> failure;
    int jobsFinished = 0;
    std::uint64_t generation = 0;
    bool announced = false; ///< a delivery is on its way
};

} // namespace

struct RunController::Private {
    Private(RunController* controller, Document* owner)
        : q(controller)
        , document(owner)
    {
    }

    RunController* q;
    Document* document;
    State state = State::Idle;
    Subject subject;
    Timings now;
    std::shared_ptr<Timings> kept;
    Subject keptSubject;
    std::function<void()> deferred; ///< a start that waits for the analysis of the newest edit
    int jobsOpen = 0;
    std::stop_source stop, abandon;
    std::uint64_t generation = 0; ///< news of earlier generations is out of date
    std::optional<Diagnostic> tooLarge; ///< what the last start of this generation failed with
    QTimer throttle;
    QElapsedTimer sinceAnnouncement;
    std::atomic<qint64> done = 0, total = 0;

    std::mutex mutex; ///< guards jobs, news, begun and paused
    std::condition_variable_any wake;
    std::deque<Job> jobs;
    News news;
    bool paused = false;
    Begun begun; ///< of the newest run
    std::jthread worker;

    // On the worker's thread only; while no job is open, read by the window.
    std::unique_ptr<Run> run;
    std::optional<StepFigureReader> reader; ///< of `run`
    bool canTakeNorms = false; ///< there is the memory for it
    Subject runSubject;
    std::stop_token runAbandoned;
    std::uint64_t runGeneration = 0;

    void start(State kind, qint64 runs, qint64 loops);
    void setState(State next);
    bool setPaused(bool value);
    void waitWhilePaused(const Job& job);
    void forget();
    void followSnapshot();
    void keepTimings();
    void deliver();
    void work(const std::stop_token& stopAll);
    void execute(const Job& job);
    bool create(const Job& job);
    void report(const Job& job, const std::function<void(News&)>& tell);
    void takeStep(const Job& job);
    void recordStep(const Job& job, const StepTiming& timing);
};

/// Whether that is another state.
bool RunController::Private::setPaused(bool value)
{
    const std::scoped_lock lock(mutex);
    const bool changed = std::exchange(paused, value) != value;
    wake.notify_one();
    return changed;
}

void RunController::Private::waitWhilePaused(const Job& job)
{
    std::unique_lock lock(mutex);
    wake.wait(lock, job.stop, [this] { return !paused; });
}

void RunController::Private::setState(State next)
{
    if (next == State::Idle)
        setPaused(false);
    if (std::exchange(state, next) != next)
        Q_EMIT q->stateChanged();
}

void RunController::Private::start(State kind, qint64 runs, qint64 loops)
{
    if (state != State::Idle && !(state == State::Stepping && kind != State::Timing))
        return;
    if (document->isStale()) {
        deferred = [this, kind, runs, loops] { start(kind, runs, loops); };
        return;
    }
    const SnapshotPtr snapshot = document->snapshot();
    if (!snapshot->ok()) {
        if (!snapshot->problems.empty())
            Q_EMIT q->failed(snapshot->problems.front().diagnostic);
        return;
    }
    followSnapshot();
    if (state == State::Idle || stop.stop_requested()) // what was stopped may still be ending
        stop = std::stop_source();
    if (state == State::Idle) {
        done = 0;
        total = kind == State::Timing ? runs * loops : 0;
    }
    ++jobsOpen;
    {
        const std::scoped_lock lock(mutex);
        jobs.push_back({ kind, subject, generation, runs, loops, stop.get_token(), abandon.get_token() });
        wake.notify_one();
    }
    setState(kind);
}

/// Back to step 0, whatever goes on.
void RunController::Private::forget()
{
    stop.request_stop();
    if (jobsOpen > 0) { // what is idle can be used again
        abandon.request_stop();
        abandon = std::stop_source();
    }
    ++generation;
    tooLarge.reset();
    {
        const std::scoped_lock lock(mutex);
        jobs.clear();
        const bool announced = news.announced;
        news = News();
        news.announced = announced;
        news.generation = generation;
    }
    jobsOpen = 0;
    done = 0;
    total = 0;
    const bool hadTimeit = now.timeit.has_value();
    now = { .history = {}, .timeit = {}, .of = now.of };
    setState(State::Idle);
    Q_EMIT q->stepped();
    if (hadTimeit)
        Q_EMIT q->timeitFinished();
}

void RunController::Private::followSnapshot()
{
    const SnapshotPtr snapshot = document->snapshot();
    if (!snapshot || document->isStale())
        return;
    const RunSetting& setting = snapshot->experiment->run;
    Subject next{ snapshot->plan, trainingValuesOf(*snapshot), {}, setting.shareReplicas };
    if (std::any_of(setting.initial.begin(), setting.initial.end(),
            [](const ChosenInitial& chosen) { return chosen.value.kind == InitialValue::Kind::File; }))
        next.folder = folderOf(document->filePath());
    if (next == subject)
        return;
    keepTimings();
    subject = std::move(next);
    now.of = snapshot;
    if (kept)
        kept->current = keptSubject == subject;
    forget();
}

void RunController::Private::keepTimings()
{
    if (now.history.empty())
        return;
    kept = std::make_shared<Timings>(now);
    kept->stopped = state != State::Idle;
    keptSubject = subject;
}

void RunController::Private::deliver()
{
    News arrived;
    {
        const std::scoped_lock lock(mutex);
        // Steps are told at most so often; the end of a job brings everything at once.
        if (news.jobsFinished == 0 && sinceAnnouncement.isValid() && sinceAnnouncement.elapsed() < shortestPause) {
            throttle.start(shortestPause - static_cast<int>(sinceAnnouncement.elapsed()));
            return;
        }
        arrived = std::exchange(news, News());
        news.generation = arrived.generation;
    }
    if (arrived.generation != generation)
        return;
    throttle.stop();
    if (!arrived.steps.empty()) {
        std::vector<StepTiming>& history = now.history;
        append(history, arrived.steps, longestHistory);
        append(now.figures, arrived.figures, longestHistory);
        dropOldDevices(history, arrived.steps.size());
        now.stepsDone = arrived.stepsDone;
        sinceAnnouncement.start();
        Q_EMIT q->stepped();
    }
    if (arrived.timeit) {
        now.timeit = std::move(arrived.timeit);
        now.timeitSteps = std::pair<std::int64_t, std::int64_t>(now.stepsDone - done + 1, now.stepsDone);
        Q_EMIT q->timeitFinished();
    }
    if (arrived.failure && arrived.failure->code == Code::OutOfMemory && arrived.failure->arg("bytes"))
        tooLarge = arrived.failure;
    else if (!arrived.steps.empty())
        tooLarge.reset();
    jobsOpen = std::max(0, jobsOpen - arrived.jobsFinished);
    if (jobsOpen == 0)
        setState(State::Idle);
    if (arrived.failure)
        Q_EMIT q->failed(*arrived.failure);
}

void RunController::Private::report(const Job& job, const std::function<void(News&)>& tell)
{
    const std::scoped_lock lock(mutex);
    if (job.generation != news.generation)
        return;
    tell(news);
    if (!std::exchange(news.announced, true)) {
        QMetaObject::invokeMethod(
            q, [this] { deliver(); }, Qt::QueuedConnection);
    } else if (news.jobsFinished > 0) {
        QMetaObject::invokeMethod(
            q, [this] { deliver(); }, Qt::QueuedConnection); // a throttled delivery must not hold up the end
    }
}

void RunController::Private::recordStep(const Job& job, const StepTiming& timing)
{
    ++done;
    StepFigures figures;
    if (canTakeNorms && job.kind != RunController::State::Timing)
        figures = reader->figures(*run);
    else
        figures.loss = reader->loss(*run);
    report(job, [&](News& latest) {
        if (latest.steps.size() >= 2 * longestHistory) {
            dropOldest(latest.steps, longestHistory);
            dropOldest(latest.figures, longestHistory);
        }
        latest.steps.push_back(timing);
        latest.figures.push_back(figures);
        dropOldDevices(latest.steps, 1);
        latest.stepsDone = run->stepsDone();
    });
}

void RunController::Private::takeStep(const Job& job)
{
    const StepTiming& timing = run->step();
    if (!run->stopped())
        recordStep(job, timing);
}

/// The devices of the job's subject, with its initial values. False where there are none.
bool RunController::Private::create(const Job& job)
{
    run.reset(); // before memory for the next one is asked for
    const auto failed = [&](const Error& error) {
        report(job, [&](News& latest) { latest.failure = error; });
        return false;
    };
    const auto initial = std::make_shared<InitialValues>(job.subject.initial);
    if (!job.subject.folder.isEmpty())
        if (auto read = readInitialFiles(*initial, job.subject.program(), job.subject.folder); !read)
            return failed(read.error());
    {
        const std::scoped_lock lock(mutex);
        begun = { job.subject.plan, initial };
    }
    // A plan hands on what a call is given; a run must not, where nobody knows what it computes.
    const FlatProgram& devices = *job.subject.plan->program;
    for (const Diagnostic& refused :
        notExecutable(*devices.local, { devices.replicas, devices.mesh->deviceCount() / devices.replicas }))
        if (refused.text("wrong") == "custom_call")
            return failed(refused);
    RunOptions options;
    options.replicas = job.subject.shareReplicas ? ReplicaMode::Shared : ReplicaMode::Own;
    options.initial = *initial;
    options.stop = job.abandoned;
    const std::int64_t limit = memoryLimit(options); // before the run takes its part
    auto created = Run::create(job.subject.plan, options);
    if (!created)
        return failed(created.error());
    run = std::move(*created);
    if (!run)
        return false;
    reader.emplace(job.subject.program(), job.subject.plan->program->state);
    canTakeNorms = reader->workingBytes() + static_cast<double>(run->physicalBytes()) <= static_cast<double>(limit);
    runSubject = job.subject;
    runAbandoned = job.abandoned;
    return true;
}

void RunController::Private::execute(const Job& job)
{
    if (!run || run->failure() || runAbandoned.stop_requested() || !(runSubject == job.subject)) {
        if (!create(job))
            return;
    } else if (runGeneration != job.generation) {
        run->reset();
    }
    runGeneration = job.generation;
    switch (job.kind) {
    case State::Idle:
        break;
    case State::Stepping:
        takeStep(job);
        break;
    case State::Continuous:
        while (!job.stop.stop_requested() && !run->stopped()) {
            takeStep(job);
            waitWhilePaused(job);
        }
        break;
    case State::Timing: {
        TimeitResult result = shardscope::timeit(*run, job.runs, job.loops, job.stop, [&](const StepTiming& timing) {
            recordStep(job, timing);
            if (done < total)
                waitWhilePaused(job);
        });
        if (!run->stopped())
            report(job, [&](News& latest) { latest.timeit = std::move(result); });
        break;
    }
    }
    if (const std::optional<Error> failure = run->failure())
        report(job, [&](News& latest) { latest.failure = *failure; });
}

void RunController::Private::work(const std::stop_token& stopAll)
{
    std::unique_lock lock(mutex);
    while (true) {
        wake.wait(lock, stopAll, [this] { return !jobs.empty(); });
        if (stopAll.stop_requested())
            return;
        const Job job = std::move(jobs.front());
        jobs.pop_front();
        lock.unlock();
        if (!job.stop.stop_requested()) {
            try {
                execute(job);
            } catch (const std::bad_alloc&) {
                run.reset(); // where it stands is not known
                report(job, [](News& latest) { latest.failure = Error{ Code::OutOfMemory, {}, {} }; });
            }
        }
        report(job, [](News& latest) { ++latest.jobsFinished; });
        lock.lock();
    }
}

RunController::RunController(Document* document, QObject* parent)
    : QObject(parent)
    , d(std::make_unique<Private>(this, document))
{
    d->throttle.setSingleShot(true);
    connect(&d->throttle, &QTimer::timeout, this, [this] { d->deliver(); });
    connect(document, &Document::snapshotChanged, this, [this] {
        d->followSnapshot();
        if (d->deferred && !d->document->isStale())
            std::exchange(d->deferred, nullptr)();
    });
    connect(document, &Document::replaced, this, [this] {
        d->deferred = nullptr;
        d->kept.reset();
        d->forget();
    });
    d->followSnapshot();
    d->worker = std::jthread([this](const std::stop_token& stop) { d->work(stop); });
}

RunController::~RunController()
{
    d->stop.request_stop();
    d->abandon.request_stop();
    d->worker.request_stop();
    d->worker.join();
}

RunController::State RunController::state() const
{
    return d->state;
}
const RunController::Timings& RunController::timings() const
{
    return d->now;
}
std::shared_ptr<const RunController::Timings> RunController::kept() const
{
    return d->kept;
}
std::pair<qint64, qint64> RunController::progress() const
{
    return { d->done, d->total };
}

bool RunController::read(const std::function<void(const ValueReader&)>& look) const
{
    // Idle: every job has been reported as finished, and a new one begins on this thread alone.
    if (!canRead() || !d->run || d->run->stopped())
        return false;
    look(RunReader(*d->run));
    return true;
}
RunController::Begun RunController::begun() const
{
    const std::scoped_lock lock(d->mutex);
    return d->begun;
}

std::optional<Diagnostic> RunController::refusal() const
{
    // Other programs may have given memory back since then.
    const bool isSo = d->tooLarge && d->tooLarge->number("bytes") > memoryLimit(RunOptions());
    return isSo ? d->tooLarge : std::nullopt;
}

void RunController::runStep()
{
    d->start(State::Stepping, 1, 1);
}
void RunController::runTimeit(qint64 runs, qint64 loops)
{
    d->start(State::Timing, std::max<qint64>(runs, 1), std::max<qint64>(loops, 1));
}
void RunController::runContinuously()
{
    d->start(State::Continuous, 1, 1);
}

void RunController::stop()
{
    d->deferred = nullptr;
    d->stop.request_stop();
    setPaused(false);
}

void RunController::setPaused(bool paused)
{
    const bool isOn = d->state == State::Timing || d->state == State::Continuous;
    if (d->setPaused(paused && isOn && !d->stop.stop_requested()))
        Q_EMIT stateChanged();
}
bool RunController::isPaused() const
{
    const std::scoped_lock lock(d->mutex);
    return d->paused;
}

void RunController::reset()
{
    d->deferred = nullptr;
    d->kept.reset();
    d->forget();
}

} // namespace shardscope
