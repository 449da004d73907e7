// SPDX-License-Identifier: GPL-3.0-or-later
// The unsharded reference of a run, for whoever looks at its values: what one array would be after so many steps, had
// a single device computed everything. Nothing is taken over from the devices: both begin with the same values.
//
//     ReferenceSteps reference(program, initial);
//     const auto w = reference.after(program->find("params/layers.0/W1"), 8); // after eight steps
//
// Between two calls it keeps the arguments of the step that was asked for, so that another value of the same step, and
// the same value of the next one, cost one step at most. Used from one thread at a time.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "simulate/reference.h"

namespace shardscope {

class ReferenceSteps {
public:
    using Array = std::shared_ptr<const std::vector<double>>; ///< row-major
    struct Limits {
        double bytes = 0; ///< at most, of all arrays at the peak; 0 = memoryLimit() of a run
        std::stop_token stop = {};
        /// Is told the operations done and how many there are in all.
        std::function<void(std::int64_t done, std::int64_t all)> progress = {};
    };
    ReferenceSteps(ProgramPtr program, InitialValues initial);

    /// What a run holds of the value after so many steps, at least one: of an argument of the state its new value.
    /// Element types round as they do on devices. Null if stopped. Errors: OutOfMemory {bytes, limit}, before anything
    /// is taken.
    [[nodiscard]] Result<Array> after(ValueId value, std::int64_t steps, const Limits& limits);
    [[nodiscard]] Result<Array> after(ValueId value, std::int64_t steps) { return after(value, steps, Limits()); }
    /// Bytes that after() takes; as double, since a program may be far larger than any memory.
    [[nodiscard]] double bytes(ValueId value, std::int64_t steps) const;

private:
    [[nodiscard]] ValueId target(ValueId value) const;
    [[nodiscard]] ReferenceSchedule scheduleTo(std::span<const ValueId> targets) const;
    [[nodiscard]] std::vector<ValueId> newState() const;
    bool compute(const ReferenceSchedule& schedule, const Limits& limits, std::int64_t& done, std::int64_t all);
    void dropComputed();

    ProgramPtr m_program;
    InitialValues m_initial;
    std::optional<ReferenceState> m_state; ///< arguments alone
};

} // namespace shardscope
