// SPDX-License-Identifier: GPL-3.0-or-later
// Steps of any program, as a Run has those of a plan: repeated, timed and stopped.
#pragma once

#include <optional>
#include <vector>

#include "simulate/evaluate/partitioned.h"
#include "simulate/run.h"

namespace shardscope::evaluate {

class ProgramStepper final : public Stepper {
public:
    /// `options.stop` breaks off a step that is being taken. Errors: those of PartitionedSteps::create().
    [[nodiscard]] static Result<ProgramStepper> create(
        SpmdProgram program, Arrays arguments, std::vector<NextArgument> next, ExecuteOptions options);

    void reset() override;
    const StepTiming& step() override;
    [[nodiscard]] bool stopped() const override { return m_stopped; }
    [[nodiscard]] std::optional<Error> failure() const override { return m_failure; }
    [[nodiscard]] std::int64_t stepsDone() const override { return m_steps->stepsDone(); }
    [[nodiscard]] int threads() const override;

    /// What the devices returned in the last step.
    [[nodiscard]] const PartitionedSteps& steps() const { return *m_steps; }

private:
    ProgramStepper() = default;

    std::shared_ptr<const SpmdProgram> m_program; ///< at one address, whoever holds the stepper
    Arrays m_arguments; ///< of the first step
    std::vector<NextArgument> m_next;
    ExecuteOptions m_options;
    std::shared_ptr<std::vector<DeviceStorePtr>> m_stores = std::make_shared<std::vector<DeviceStorePtr>>();
    std::optional<PartitionedSteps> m_steps;
    StepTiming m_timing;
    std::optional<Error> m_failure;
    bool m_stopped = false;
};

} // namespace shardscope::evaluate
