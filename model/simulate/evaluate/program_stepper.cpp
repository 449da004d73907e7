// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/evaluate/program_stepper.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace shardscope::evaluate {

Result<ProgramStepper> ProgramStepper::create(
    SpmdProgram program, Arrays arguments, std::vector<NextArgument> next, ExecuteOptions options)
{
    ProgramStepper made;
    made.m_program = std::make_shared<const SpmdProgram>(std::move(program));
    made.m_arguments = std::move(arguments);
    made.m_next = std::move(next);
    made.m_options = std::move(options);
    made.m_options.stores = made.m_stores.get();
    auto steps = PartitionedSteps::create(*made.m_program, made.m_arguments, made.m_next);
    if (!steps)
        return tl::unexpected(steps.error());
    made.m_steps = std::move(*steps);
    return made;
}

void ProgramStepper::reset()
{
    if (m_stopped)
        return;
    auto steps = PartitionedSteps::create(*m_program, m_arguments, m_next);
    if (steps)
        m_steps = std::move(*steps);
}

const StepTiming& ProgramStepper::step()
{
    if (m_stopped)
        return m_timing;
    if (auto done = m_steps->step(m_options); !done)
        m_failure = done.error();
    m_stopped = m_failure.has_value() || m_options.stop.stop_requested();
    m_timing.wall = m_steps->seconds();
    return m_timing;
}

int ProgramStepper::threads() const
{
    return m_options.threads > 0 ? m_options.threads
                                 : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

} // namespace shardscope::evaluate
