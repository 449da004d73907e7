// SPDX-License-Identifier: GPL-3.0-or-later
// The stages after propagation: reshards and collectives, the program of a device, its plan. Each is computed when it
// is first asked for and then shared by all views and commands.
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

/// Logically immutable, and safe to use from several threads: a thread that asks for a result in the making waits for
/// it.
class DeviceStages {
public:
    using Sharded = std::shared_ptr<const ShardedProgram>;
    using Partitioned = std::shared_ptr<const PartitionedProgram>;
    using Collectives = std::shared_ptr<const CollectiveList>;
    using PlanPtr = std::shared_ptr<const Plan>;

    struct Input {
        ProgramPtr program; ///< as it was propagated
        std::shared_ptr<const PropagationResult> propagation; ///< over `program`
        StepState state; ///< which results are arguments of the next step
        bool isOfOneDevice = false; ///< already the program of one device (program/device_counts.h)
        std::vector<ValueId> kept; ///< readable after a step, besides arguments and results
    };
    explicit DeviceStages(Input input);

    [[nodiscard]] const ProgramPtr& program() const { return m_input.program; }
    [[nodiscard]] const StepState& state() const { return m_input.state; }
    /// The program with its reshards as collectives. Errors: those of shardPropagated().
    [[nodiscard]] Result<Sharded> sharded(bool optimalReshards = false) const;
    /// The list of the collectives of sharded().
    [[nodiscard]] Result<Collectives> collectives(bool optimalReshards = false) const;
    /// The program of every device. Errors: those of sharded() and partitionProgram().
    [[nodiscard]] Result<Partitioned> partitioned(bool optimalReshards = false) const;
    /// The unsharded program, on one device or, if its collectives name devices, on those. Errors: those of
    /// shardscope::unsharded().
    [[nodiscard]] Result<Partitioned> inFull() const;
    /// The plan of a step. `hostArguments[i]`: argument i of main is in host memory, and takes device memory only while
    /// it is used; an empty list means none is. Errors: those of partitioned(), flatten() and schedule().
    [[nodiscard]] Result<PlanPtr> planned(const std::vector<bool>& hostArguments = {}) const;
    /// Whether planned() has been called.
    [[nodiscard]] bool isPlanned() const;
    /// The plan of inFull(), computed at each call.
    [[nodiscard]] Result<PlanPtr> plannedInFull() const;

private:
    struct Slot {
        std::mutex mutex;
        std::optional<Result<Sharded>> sharded;
        std::optional<Result<Collectives>> collectives;
        std::optional<Result<Partitioned>> partitioned;
        std::optional<Result<void>> checked; ///< the check of `partitioned`
    };
    // The caller has locked the slot's mutex.
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
