// SPDX-License-Identifier: GPL-3.0-or-later
// Takes the steps of a run again, for whoever looks at its values: on one device that computes the program without any
// sharding, by plain kernels (the reference), and on all devices with every operation observed. Both begin with the
// values that the run began with; nothing is taken over from it.
//
//     StepReplay replay(run->plan().program, initial);
//     const auto w = replay.reference(program->find("params/layers.0/W1"), 8); // after eight steps, unsharded
//     const auto step = replay.record(8); // the eighth one, operation by operation
//
// Between two calls it keeps its devices, so that a later step costs the steps between, and another value of the same
// step nothing where there is room for all of them. Used from one thread at a time.
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
        double bytes = 0; ///< at most; 0 = memoryLimit() of a run. Of what is recorded an eighth of it
        std::stop_token stop = {};
        /// Is told the operations done and how many there are in all, bodies of loops not counted.
        std::function<void(std::int64_t done, std::int64_t all)> progress = {};
    };
    StepReplay(std::shared_ptr<const FlatProgram> program, InitialValues initial);
    ~StepReplay();

    /// What the unsharded program holds of a value of the given program after so many steps, at least one: of an
    /// argument of the state its new value. Element types round as they do on devices. Null if stopped; empty where it
    /// holds nothing of it. Errors: OutOfMemory {bytes, limit}, before anything is taken, and those of a run.
    [[nodiscard]] Result<Array> reference(ValueId value, std::int64_t steps, const Limits& limits);
    [[nodiscard]] Result<Array> reference(ValueId value, std::int64_t steps)
    {
        return reference(value, steps, Limits());
    }
    /// What the run began with, of an argument of the given program or of the state's argument whose new value this is.
    /// Null where it is neither, and of complex numbers. Errors: OutOfMemory {bytes, limit}.
    [[nodiscard]] Result<Array> start(ValueId value, const Limits& limits) const;
    [[nodiscard]] Result<Array> start(ValueId value) const { return start(value, Limits()); }
    /// Step `number`, counted from 1, with the reference of what is recorded where there is memory for that. Null if
    /// stopped. Errors: as above.
    [[nodiscard]] Result<RecordedStepPtr> record(std::int64_t number, const Limits& limits);
    [[nodiscard]] Result<RecordedStepPtr> record(std::int64_t number) { return record(number, Limits()); }

private:
    class Progress;
    struct Machine;

    /// New state stands where the old one did: the argument that a result of the step is in the next one.
    [[nodiscard]] ValueId heldAs(ValueId value) const;
    [[nodiscard]] Result<std::unique_ptr<Machine>> machine(const std::shared_ptr<const FlatProgram>& program,
        std::unique_ptr<StepRecorder> recorder, std::vector<ValueId> kept, const Limits& limits) const;
    /// `value`: has to be readable after a step; invalid: none has to.
    Result<void> makeReference(ValueId value, const Limits& limits);
    /// False if stopped. `recorded`: the last of these steps is.
    static Result<bool> advance(
        std::unique_ptr<Machine>& machine, std::int64_t steps, bool recorded, const Limits& limits);

    std::shared_ptr<const FlatProgram> m_program;
    InitialValues m_initial;
    std::shared_ptr<const FlatProgram> m_full; ///< unsharded, once it has been asked for
    std::unique_ptr<Machine> m_devices, m_reference;
    bool m_keepsAll = false; ///< m_reference keeps every value, or else only this one
    ValueId m_kept;
};

} // namespace shardscope
