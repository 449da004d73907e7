// SPDX-License-Identifier: GPL-3.0-or-later
// Repeats the steps of a run so that its values can be looked at. There are two repetitions: the reference, which
// computes the program unsharded on one device with plain kernels, and a recording, which runs on all devices and keeps
// the result of every operation. Both start from the initial values of the run and use nothing else of it.
//
//     StepReplay replay(run->plan().program, initial);
//     const auto w = replay.reference(program->find("params/layers.0/W1"), 8); // after eight steps, unsharded
//     const auto step = replay.record(8); // the eighth one, operation by operation
//
// The simulated devices stay between calls: a later step costs only the steps between the two, and another value of the
// same step costs nothing if all values fit into memory. For one thread at a time.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

#include "simulate/run/recorded_step.h"
#include "simulate/run/run.h"

namespace shardscope {

class StepReplay {
public:
    using Array = std::shared_ptr<const std::vector<double>>; ///< row-major
    struct Limits {
        /// Memory at most; 0 = memoryLimit() of a run. What is recorded may take an eighth of it.
        double bytes = 0;
        std::stop_token stop = {};
        /// Called with the number of operations done and of all operations; those in the bodies of loops do not count.
        std::function<void(std::int64_t done, std::int64_t all)> progress = {};
        std::int64_t maximumTrips = 0; ///< of a loop; 0 = as many as a run allows
        int threads = 0; ///< of the simulated devices; 0 = one per core
        bool withReference = true; ///< record() computes reference values as well
    };
    StepReplay(std::shared_ptr<const FlatProgram> program, InitialValues initial);
    ~StepReplay();

    /// The value, global and unsharded, after `steps` steps (1 or more); of an argument that is state its new value.
    /// Every operation rounds to its element type, as devices do. Null if stopped; an empty array where the reference
    /// does not keep the value. Errors: OutOfMemory {bytes, limit} before any memory is taken, and those of a run.
    [[nodiscard]] Result<Array> reference(ValueId value, std::int64_t steps, const Limits& limits);
    [[nodiscard]] Result<Array> reference(ValueId value, std::int64_t steps)
    {
        return reference(value, steps, Limits());
    }
    /// The initial value of an argument, or of the state argument whose new value `value` is. Null for other values and
    /// for complex element types. Errors: OutOfMemory {bytes, limit}.
    [[nodiscard]] Result<Array> start(ValueId value, const Limits& limits) const;
    [[nodiscard]] Result<Array> start(ValueId value) const { return start(value, Limits()); }
    /// The recording of step `number`, counted from 1; with reference values beside the recorded ones if there is
    /// memory for both. Null if stopped. Errors: as for reference().
    [[nodiscard]] Result<RecordedStepPtr> record(std::int64_t number, const Limits& limits);
    [[nodiscard]] Result<RecordedStepPtr> record(std::int64_t number) { return record(number, Limits()); }

private:
    class Progress;
    struct Machine;

    /// The state argument whose new value `value` is: after a step the new value is in that argument's memory. Other
    /// values as they are.
    [[nodiscard]] ValueId stateArgumentOf(ValueId value) const;
    [[nodiscard]] Result<std::unique_ptr<Machine>> machine(const std::shared_ptr<const FlatProgram>& program,
        std::unique_ptr<StepRecorder> recorder, std::vector<ValueId> kept, const Limits& limits) const;
    /// `value` has to be readable after a step; invalid for none.
    Result<void> makeReference(ValueId value, const Limits& limits);
    /// Runs the machine up to step `steps`; with `recorded` the last one is recorded. False if stopped.
    static Result<bool> advance(
        std::unique_ptr<Machine>& machine, std::int64_t steps, bool recorded, const Limits& limits);

    std::shared_ptr<const FlatProgram> m_program;
    InitialValues m_initial;
    std::shared_ptr<const FlatProgram> m_full; ///< unsharded, once it has been asked for
    std::unique_ptr<Machine> m_devices, m_reference;
    bool m_keepsAll = false; ///< m_reference keeps every value; otherwise only m_kept
    ValueId m_kept;
};

} // namespace shardscope
