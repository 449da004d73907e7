// SPDX-License-Identifier: GPL-3.0-or-later
// The unsharded reference of a run, for whoever looks at its values: what one array would be after so many steps, had
// a single device computed everything. It is a run as well: of the program in full, operation by operation, by plain
// kernels. Nothing is taken over from the devices: both begin with the same values.
//
//     ReferenceSteps reference(program, initial);
//     const auto w = reference.after(program->find("params/layers.0/W1"), 8); // after eight steps
//
// Between two calls it keeps its run, so that the same value of a later step costs the steps between, and another value
// of the same step nothing where there is room for all of them. Used from one thread at a time.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "simulate/run/run.h"

namespace shardscope {

class ReferenceSteps {
public:
    using Array = std::shared_ptr<const std::vector<double>>; ///< row-major
    struct Limits {
        double bytes = 0; ///< at most; 0 = memoryLimit() of a run
        std::stop_token stop = {};
        /// Is told the operations done and how many there are in all.
        std::function<void(std::int64_t done, std::int64_t all)> progress = {};
    };
    /// Its state is that of the program.
    ReferenceSteps(ProgramPtr program, InitialValues initial);

    /// What a run holds of the value after so many steps, at least one: of an argument of the state its new value.
    /// Element types round as they do on devices. Null if stopped. Errors: OutOfMemory {bytes, limit}, before anything
    /// is taken, and those of a run.
    [[nodiscard]] Result<Array> after(ValueId value, std::int64_t steps, const Limits& limits);
    [[nodiscard]] Result<Array> after(ValueId value, std::int64_t steps) { return after(value, steps, Limits()); }

private:
    class Progress;

    Result<void> begin(ValueId value, const Limits& limits);
    [[nodiscard]] Result<std::unique_ptr<Run>> runKeeping(std::vector<ValueId> kept, const Limits& limits);

    ProgramPtr m_program;
    InitialValues m_initial;
    std::shared_ptr<const FlatProgram> m_flat; ///< once it has been asked for
    std::shared_ptr<Progress> m_progress;
    std::unique_ptr<Run> m_run;
    ValueId m_kept; ///< the only value that m_run keeps; invalid: it keeps all
};

} // namespace shardscope
