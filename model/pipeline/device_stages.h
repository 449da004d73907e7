// SPDX-License-Identifier: GPL-3.0-or-later
// What comes after the propagation of a program: worked out when somebody first asks for it, once for all who ask.
// Everything that speaks of the program's collectives, of what a device runs, or runs it, has it from here.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "partition/partition_program.h"
#include "program/step_state.h"

namespace shardscope {

struct CollectiveList;
struct Plan;

/// Immutable to those who ask; safe to use from several threads. Who asks for what another one is working out waits.
class DeviceStages {
public:
    using Sharded = std::shared_ptr<const ShardedProgram>;
    using Partitioned = std::shared_ptr<const PartitionedProgram>;
    using Collectives = std::shared_ptr<const CollectiveList>;
    using PlanPtr = std::shared_ptr<const Plan>;

    struct Input {
        ProgramPtr program; ///< as it was propagated
        std::shared_ptr<const PropagationResult> propagation; ///< over `program`
        StepState state; ///< of its steps
        bool isOfOneDevice = false; ///< what each of several devices runs (program/device_counts.h)
        std::vector<ValueId> kept; ///< can be read when a step is over, besides arguments and results
    };
    explicit DeviceStages(Input input);

    [[nodiscard]] const ProgramPtr& program() const { return m_input.program; }
    [[nodiscard]] const StepState& state() const { return m_input.state; }
    /// All shardings and collectives. Errors: those of shardPropagated().
    [[nodiscard]] Result<Sharded> sharded(bool optimalReshards = false) const;
    /// The list of these collectives.
    [[nodiscard]] Result<Collectives> collectives(bool optimalReshards = false) const;
    /// What every device runs. Errors: further those of partitionProgram().
    [[nodiscard]] Result<Partitioned> partitioned(bool optimalReshards = false) const;
    /// In full on one device, or on those that it speaks to by their numbers, as though nothing were sharded. Errors:
    /// those of shardscope::unsharded().
    [[nodiscard]] Result<Partitioned> inFull() const;
    /// The plan of a step, with the memory of devices alone: without what arguments on the host take there before and
    /// after they are used (`hostArguments`: per argument of main; none for no such array). Errors: further those of
    /// flatten() and schedule().
    [[nodiscard]] Result<PlanPtr> planned(const std::vector<bool>& hostArguments = {}) const;
    /// Somebody has asked for it already.
    [[nodiscard]] bool isPlanned() const;
    /// The same of inFull(), made anew each time.
    [[nodiscard]] Result<PlanPtr> plannedInFull() const;

private:
    struct Slot {
        std::mutex mutex;
        std::optional<Result<Sharded>> sharded;
        std::optional<Result<Collectives>> collectives;
        std::optional<Result<Partitioned>> partitioned;
        std::optional<Result<void>> checked; ///< of what is partitioned
    };
    // With the slot's mutex held.
    [[nodiscard]] const Result<Sharded>& shardedIn(Slot& slot) const;
    [[nodiscard]] const Result<Partitioned>& uncheckedIn(Slot& slot) const;

    [[nodiscard]] Result<PlanPtr> planOfDevices() const;
    [[nodiscard]] Result<Plan> planOf(Partitioned parts, const std::vector<ValueId>& kept) const;

    Input m_input;
    mutable std::array<Slot, 2> m_slots; ///< by `optimalReshards`
    mutable std::mutex m_inFullMutex;
    mutable std::optional<Result<Partitioned>> m_inFull;
    mutable std::mutex m_planMutex;
    mutable std::optional<Result<PlanPtr>> m_plan;
    mutable std::vector<std::pair<std::vector<bool>, PlanPtr>> m_placed; ///< a run goes on while its plan is the same
};

} // namespace shardscope
