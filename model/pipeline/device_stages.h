// SPDX-License-Identifier: GPL-3.0-or-later
// What comes after the propagation of a program: worked out when somebody first asks for it, once for all who ask.
// Everything that speaks of the program's collectives, of what a device runs, or runs it, has it from here.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "partition/partition_program.h"
#include "schedule/plan.h"

namespace shardscope {

/// Immutable to those who ask; safe to use from several threads. Who asks for what another one is working out waits.
class DeviceStages {
public:
    using Sharded = std::shared_ptr<const ShardedProgram>;
    using Partitioned = std::shared_ptr<const PartitionedProgram>;

    enum class Shardings : std::uint8_t {
        Annotated, ///< where there are annotations; propagation is a part of sharding the program
        Propagated ///< every value has its own already
    };
    /// `program`: over its mesh, sharded to that extent. `shown`: how users see its values, where that is known
    /// already.
    DeviceStages(ProgramPtr program, Shardings shardings, const passes::PipelineOptions& options = {},
        std::vector<TensorSharding> shown = {});

    [[nodiscard]] const ProgramPtr& program() const { return m_program; }
    /// Errors: those of shardProgram().
    [[nodiscard]] Result<Sharded> sharded(bool optimalReshards = false) const;
    /// Errors: further those of partitionProgram().
    [[nodiscard]] Result<Partitioned> partitioned(bool optimalReshards = false) const;
    /// In full on one device, as though nothing were sharded. Errors: those of shardscope::unsharded().
    [[nodiscard]] Result<Partitioned> inFull() const;

    /// The plan of a step with that state, in which the values of `keep` can be read when it is over. Made once as long
    /// as the same is asked for. Errors: further those of flatten() and schedule().
    [[nodiscard]] Result<std::shared_ptr<const Plan>> planned(const StepState& state, std::vector<ValueId> keep) const;
    /// The same of inFull(), made anew each time.
    [[nodiscard]] Result<std::shared_ptr<const Plan>> plannedInFull(const StepState& state) const;

private:
    struct PlanSlot {
        std::mutex mutex;
        StepState state;
        std::vector<ValueId> keep;
        std::optional<Result<std::shared_ptr<const Plan>>> plan;
    };
    struct Slot {
        std::mutex mutex;
        std::optional<Result<Sharded>> sharded;
        std::optional<Result<Partitioned>> partitioned;
    };
    [[nodiscard]] const Result<Sharded>& shardedIn(Slot& slot, bool optimalReshards) const;
    [[nodiscard]] Result<std::shared_ptr<const Plan>> planOf(
        Partitioned parts, const StepState& state, const std::vector<ValueId>& keep) const;

    ProgramPtr m_program;
    Shardings m_shardings;
    passes::PipelineOptions m_options;
    std::vector<TensorSharding> m_shown;
    mutable std::array<Slot, 2> m_slots; ///< by `optimalReshards`
    mutable PlanSlot m_plan;
    mutable std::mutex m_mutex; ///< of m_inFull
    mutable std::optional<Result<Partitioned>> m_inFull;
};

} // namespace shardscope
