// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/reference_steps.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/bytes.h"
#include "base/codes.h"
#include "simulate/run.h"

namespace shardscope {

ReferenceSteps::ReferenceSteps(ProgramPtr program, InitialValues initial)
    : m_program(std::move(program))
    , m_initial(std::move(initial))
{
}

/// What is computed for a value: for an argument of the state what becomes of it.
ValueId ReferenceSteps::target(ValueId value) const
{
    for (const StatePair& pair : m_program->state)
        if (pair.argument == value)
            return m_program->main().results[pair.result];
    return value;
}

std::vector<ValueId> ReferenceSteps::newState() const
{
    std::vector<ValueId> values;
    for (const StatePair& pair : m_program->state)
        values.push_back(m_program->main().results[pair.result]);
    return values;
}

ReferenceSchedule ReferenceSteps::scheduleTo(std::span<const ValueId> targets) const
{
    return referenceSchedule(*m_program, {}, targets);
}

double ReferenceSteps::bytes(ValueId value, std::int64_t steps) const
{
    const ValueId wanted = target(value);
    double peak = scheduleTo({ &wanted, 1 }).peakBytes;
    if (steps > 1)
        peak = std::max(peak, scheduleTo(newState()).peakBytes);
    return argumentBytes(*m_program) + peak;
}

/// Everything but the arguments.
void ReferenceSteps::dropComputed()
{
    for (std::size_t v = 0; v < m_state->values.size(); ++v)
        if (m_program->values[v].definition.valid())
            m_state->values[v] = std::vector<double>();
}

bool ReferenceSteps::compute(
    const ReferenceSchedule& schedule, const Limits& limits, std::int64_t& done, std::int64_t all)
{
    for (const ReferenceSchedule::Step& step : schedule.steps) {
        if (limits.stop.stop_requested()) {
            dropComputed();
            return false;
        }
        referenceCompute(*m_program, *m_state, m_program->operation(step.operation));
        for (const ValueId value : step.unread)
            m_state->values[value.index] = std::vector<double>();
        if (limits.progress)
            limits.progress(++done, all);
    }
    return true;
}

Result<ReferenceSteps::Array> ReferenceSteps::after(ValueId value, std::int64_t steps, const Limits& limits)
{
    const double limit = limits.bytes > 0 ? limits.bytes : static_cast<double>(memoryLimit(RunOptions()));
    const double needed = bytes(value, steps);
    const auto tooMuch = [&] {
        m_state.reset();
        return fail(Code::OutOfMemory, { { "bytes", toBytes(needed) }, { "limit", toBytes(limit) } });
    };
    if (needed > limit)
        return tooMuch();
    try {
        if (!m_state || m_state->steps >= steps)
            m_state = referenceArguments(*m_program, m_initial, ReferencePrecision::AsTyped);
        const ValueId wanted = target(value);
        const ReferenceSchedule last = scheduleTo({ &wanted, 1 });
        std::int64_t done = 0, all = static_cast<std::int64_t>(last.steps.size());
        if (const std::int64_t more = steps - 1 - m_state->steps; more > 0) {
            const ReferenceSchedule whole = scheduleTo(newState());
            all += more * static_cast<std::int64_t>(whole.steps.size());
            for (std::int64_t step = 0; step < more; ++step) {
                if (!compute(whole, limits, done, all))
                    return Array();
                referenceAdvance(*m_program, *m_state);
                dropComputed();
            }
        }
        if (!compute(last, limits, done, all))
            return Array();
        auto array = std::make_shared<const std::vector<double>>(m_state->values[wanted.index]);
        dropComputed();
        return Array(std::move(array));
    } catch (const std::bad_alloc&) { // it was there when it was counted
        return tooMuch();
    }
}

} // namespace shardscope
