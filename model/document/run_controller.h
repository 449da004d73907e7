// SPDX-License-Identifier: GPL-3.0-or-later
// Runs steps of the document's experiment on simulated devices, on a thread of its own.
#pragma once

#include <QObject>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "document/document.h"
#include "simulate/run/run.h"
#include "simulate/run/step_figures.h"

namespace shardscope {

class ValueReader;

class RunController : public QObject {
    Q_OBJECT
public:
    enum class State : std::uint8_t { Idle, Stepping, Timing, Continuous };
    /// Measured times, and what they were measured on.
    struct Timings {
        std::vector<StepTiming> history; ///< newest last, at most 10,000; older ones have `wall` only
        qint64 stepsDone = 0; ///< number of the newest step
        std::optional<TimeitResult> timeit;
        /// First and last step of `timeit`; absent: the newest ones.
        std::optional<std::pair<std::int64_t, std::int64_t>> timeitSteps = {};
        SnapshotPtr of = {}; ///< the analysis whose program ran
        bool stopped = false; ///< an edit ended the run
        bool current = false; ///< of what the document has now, before its devices were laid out anew
        /// What the steps of `history` gave, one for each. Those of n x loops are without norms: what is timed is not
        /// disturbed by reading all parameters in between.
        std::vector<StepFigures> figures = {};
    };
    explicit RunController(Document* document, QObject* parent = nullptr);
    ~RunController() override;

    [[nodiscard]] State state() const;
    [[nodiscard]] qint64 stepsDone() const { return timings().stepsDone; }
    /// Of so many of the newest steps the times of every device are kept; fewer where there are very many devices.
    static constexpr std::size_t stepsWithDevices = 64;
    /// Since the last reset.
    [[nodiscard]] const Timings& timings() const;
    [[nodiscard]] const std::vector<StepTiming>& history() const { return timings().history; }
    [[nodiscard]] const std::optional<TimeitResult>& lastTimeit() const { return timings().timeit; }
    /// What had been measured when an edit changed what runs; null where nothing was, after a reset and with another
    /// experiment. It stays while steps of the new program run, until an edit changes that one.
    [[nodiscard]] std::shared_ptr<const Timings> kept() const;
    /// Steps of the running n x loops: done and in all.
    [[nodiscard]] std::pair<qint64, qint64> progress() const;
    /// Calls `look` with what the devices hold after stepsDone() steps, on this thread. False, and nothing is called,
    /// before the first step and while anything runs: then the devices' memory is the worker's alone.
    bool read(const std::function<void(const ValueReader&)>& look) const;
    [[nodiscard]] bool canRead() const { return state() == State::Idle && stepsDone() > 0; }
    /// What is run, and what it begins with (trainingValuesOf()).
    struct Begun {
        std::shared_ptr<const Plan> plan; ///< null before the first step of an analysis
        std::shared_ptr<const InitialValues> initial; ///< the arrays of files included
        bool operator==(const Begun&) const = default;
    };
    [[nodiscard]] Begun begun() const;

    /// Why no step of what the document has now can be taken: the last one failed, since it needs more memory than this
    /// machine has even now. None before anybody has tried.
    [[nodiscard]] std::optional<Diagnostic> refusal() const;

    void runStep();
    void runTimeit(qint64 runs, qint64 loops);
    void runContinuously();
    void stop();
    /// A run of several steps, Timing or Continuous, goes no further than the step that it takes until it is to go on.
    /// Its state stays, and stop() ends it. Nothing while no such run is on.
    void setPaused(bool paused);
    [[nodiscard]] bool isPaused() const;
    void reset(); ///< back to the initial values; happens by itself when what runs changes

Q_SIGNALS:
    void stateChanged();
    void stepped(); ///< merged: at most 30 times a second, the last one is always delivered
    void timeitFinished();
    void failed(const shardscope::Diagnostic& diagnostic);

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace shardscope
