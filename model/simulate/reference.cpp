// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/reference.h"

#include <algorithm>

#include "base/codes.h"
#include "simulate/reference_operation.h"

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

double referenceBytes(const Program& program)
{
    double bytes = 0;
    for (std::size_t v = 0; v < program.values.size(); ++v)
        bytes += arrayBytes(program, ValueId(v));
    return bytes;
}

double argumentBytes(const Program& program)
{
    double bytes = 0;
    for (const ValueId argument : program.main().arguments)
        bytes += arrayBytes(program, argument);
    return bytes;
}

Result<ReferenceState> referenceStart(
    const Program& program, const InitialValues& initial, std::int64_t memoryLimit, ReferencePrecision precision)
{
    if (const double bytes = referenceBytes(program); bytes > static_cast<double>(memoryLimit))
        return fail(Code::TooLarge,
            { { "what", "reference" }, { "bytes", static_cast<std::int64_t>(std::min(bytes, 9e18)) },
                { "limit", memoryLimit } });
    return referenceArguments(program, initial, precision);
}

ReferenceState referenceArguments(const Program& program, const InitialValues& initial, ReferencePrecision precision)
{
    ReferenceState state;
    state.precision = precision;
    state.values.resize(program.values.size());
    for (const ValueId argument : program.main().arguments) {
        const TensorType& type = program.value(argument).type;
        std::vector<double>& array = state.values[argument.index];
        array.resize(static_cast<std::size_t>(type.elementCount()));
        std::vector<IndexRange> whole;
        for (const std::int64_t extent : type.shape)
            whole.push_back({ 0, extent });
        fillShard(initial, program, argument, whole, array);
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

void referenceCompute(const Program& program, ReferenceState& state)
{
    for (const OperationId id : program.main().operations)
        referenceCompute(program, state, program.operation(id));
}

void referenceAdvance(const Program& program, ReferenceState& state)
{
    for (const StatePair& pair : program.state)
        state.values[pair.argument.index] = state.values[program.main().results[pair.result].index];
    ++state.steps;
}

void referenceStep(const Program& program, ReferenceState& state)
{
    referenceCompute(program, state);
    referenceAdvance(program, state);
}

ReferenceSchedule referenceSchedule(
    const Program& program, std::span<const ValueId> given, std::span<const ValueId> targets)
{
    std::vector<bool> lasting(program.values.size()); // not dropped
    std::vector<bool> needed(program.values.size());
    for (const ValueId value : targets)
        lasting[value.index] = needed[value.index] = true;
    for (const ValueId argument : program.main().arguments)
        lasting[argument.index] = true;
    std::vector<bool> isGiven(program.values.size());
    for (const ValueId value : given) {
        lasting[value.index] = isGiven[value.index] = true;
        needed[value.index] = false;
    }

    ReferenceSchedule schedule;
    std::vector<bool> read(program.values.size());
    const std::vector<OperationId>& operations = program.main().operations;
    for (auto id = operations.rbegin(); id != operations.rend(); ++id) {
        const Operation& operation = program.operation(*id);
        if (!needed[operation.results[0].index])
            continue;
        ReferenceSchedule::Step step{ *id, {} };
        for (const ValueId operand : operation.operands) {
            needed[operand.index] = !isGiven[operand.index];
            if (!read[operand.index] && !lasting[operand.index])
                step.unread.push_back(operand);
            read[operand.index] = true;
        }
        schedule.steps.push_back(std::move(step));
    }
    std::reverse(schedule.steps.begin(), schedule.steps.end());
    double bytes = 0;
    for (const ReferenceSchedule::Step& step : schedule.steps) {
        bytes += arrayBytes(program, program.operation(step.operation).results[0]);
        schedule.peakBytes = std::max(schedule.peakBytes, bytes);
        for (const ValueId value : step.unread)
            bytes -= arrayBytes(program, value);
    }
    return schedule;
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
