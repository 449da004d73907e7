// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/check/reference.h"

#include <algorithm>

#include "simulate/check/reference_operation.h"

namespace shardscope {

namespace {

/// Of one array of the reference; in doubles, so that no sum of them can overflow.
double arrayBytes(const Program& program, ValueId value)
{
    double bytes = sizeof(double);
    for (const std::int64_t extent : program.value(value).type.shape)
        bytes *= static_cast<double>(extent);
    return bytes;
}

} // namespace

double argumentBytes(const Program& program)
{
    double bytes = 0;
    for (const ValueId argument : program.main().arguments)
        bytes += arrayBytes(program, argument);
    return bytes;
}

ReferenceState referenceArguments(const Program& program, const InitialValues& initial, ReferencePrecision precision)
{
    ReferenceState state;
    state.precision = precision;
    state.values.resize(program.values.size());
    const InitialArrays arrays(program, initial);
    for (const ValueId argument : program.main().arguments) {
        const TensorType& type = program.value(argument).type;
        std::vector<double>& array = state.values[argument.index];
        array.resize(static_cast<std::size_t>(type.elementCount()));
        std::vector<IndexRange> whole;
        for (const std::int64_t extent : type.shape)
            whole.push_back({ 0, extent });
        arrays.fill(argument, whole, array);
        for (double& element : array)
            element = roundedTo(type.dtype, element);
    }
    return state;
}

void referenceCompute(const Program& program, ReferenceState& state, const Operation& operation)
{
    std::vector<const std::vector<double>*> operands;
    for (const ValueId operand : operation.operands)
        operands.push_back(&state.values[operand.index]);
    evaluateReference(program, operation, operands, state.precision, state.values[operation.results[0].index]);
}

void referenceAdvance(const Program& program, ReferenceState& state)
{
    for (const StatePair& pair : program.state)
        state.values[pair.argument.index] = state.values[program.main().results[pair.result].index];
    ++state.steps;
}

ReferenceScheduler::ReferenceScheduler(const Program& program, std::span<const ValueId> given)
    : m_program(program)
    , m_places(program.operations.size())
    , m_lasts(program.values.size())
    , m_given(program.values.size())
    , m_seen(program.values.size())
{
    std::size_t place = 0;
    for (const OperationId id : program.main().operations)
        m_places[id.index] = place++;
    for (const ValueId argument : program.main().arguments)
        m_lasts[argument.index] = true;
    for (const ValueId value : given)
        m_lasts[value.index] = m_given[value.index] = true;
}

ReferenceSchedule ReferenceScheduler::to(std::span<const ValueId> targets)
{
    // What is needed, from the targets back.
    std::vector<ValueId> needed;
    const auto need = [&](ValueId value) {
        if (m_seen[value.index] || m_given[value.index] || !m_program.value(value).definition.valid())
            return;
        m_seen[value.index] = true;
        needed.push_back(value);
    };
    std::vector<ValueId> newlyLasting;
    for (const ValueId target : targets) {
        need(target);
        if (!m_lasts[target.index]) {
            m_lasts[target.index] = true;
            newlyLasting.push_back(target);
        }
    }
    for (std::size_t n = 0; n < needed.size(); ++n)
        for (const ValueId operand : m_program.operation(m_program.value(needed[n]).definition).operands)
            need(operand);
    for (const ValueId value : needed)
        m_seen[value.index] = false;

    ReferenceSchedule schedule;
    for (const ValueId value : needed)
        schedule.steps.push_back({ m_program.value(value).definition, {} });
    std::sort(schedule.steps.begin(), schedule.steps.end(),
        [this](const auto& a, const auto& b) { return m_places[a.operation.index] < m_places[b.operation.index]; });
    std::vector<ValueId> read;
    for (auto step = schedule.steps.rbegin(); step != schedule.steps.rend(); ++step)
        for (const ValueId operand : m_program.operation(step->operation).operands) {
            if (m_seen[operand.index])
                continue;
            m_seen[operand.index] = true;
            read.push_back(operand);
            if (!m_lasts[operand.index])
                step->unread.push_back(operand);
        }
    for (const ValueId value : read)
        m_seen[value.index] = false;
    for (const ValueId value : newlyLasting)
        m_lasts[value.index] = false;

    double bytes = 0;
    for (const ReferenceSchedule::Step& step : schedule.steps) {
        bytes += arrayBytes(m_program, m_program.operation(step.operation).results[0]);
        schedule.peakBytes = std::max(schedule.peakBytes, bytes);
        for (const ValueId value : step.unread)
            bytes -= arrayBytes(m_program, value);
    }
    return schedule;
}

ReferenceSchedule referenceSchedule(
    const Program& program, std::span<const ValueId> given, std::span<const ValueId> targets)
{
    return ReferenceScheduler(program, given).to(targets);
}

void referenceCompute(const Program& program, ReferenceState& state, const ReferenceSchedule& schedule)
{
    for (const ReferenceSchedule::Step& step : schedule.steps) {
        referenceCompute(program, state, program.operation(step.operation));
        for (const ValueId value : step.unread)
            state.values[value.index] = std::vector<double>(); // {} would keep the memory
    }
}

} // namespace shardscope
