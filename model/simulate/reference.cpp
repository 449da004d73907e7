// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/reference.h"

#include <algorithm>

#include "simulate/reference_operation.h"

namespace shardscope {

Result<ReferenceState> referenceStart(
    const Program& program, const InitialValues& initial, std::int64_t memoryLimit, ReferencePrecision precision)
{
    // In doubles, so that the sum itself cannot overflow.
    double bytes = 0;
    for (const Value& value : program.values) {
        double elements = sizeof(double);
        for (const std::int64_t extent : value.type.shape)
            elements *= static_cast<double>(extent);
        bytes += elements;
    }
    if (bytes > static_cast<double>(memoryLimit))
        return fail(Code::TooLarge,
            { { "what", "reference" }, { "bytes", static_cast<std::int64_t>(std::min(bytes, 9e18)) },
                { "limit", memoryLimit } });

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

void referenceRecompute(const Program& program, ReferenceState& state, std::span<const ValueId> changed)
{
    std::vector<bool> given(program.values.size());
    for (const ValueId value : changed)
        given[value.index] = true;
    std::vector<bool> affected = given;
    for (const OperationId id : program.main().operations) {
        const Operation& operation = program.operation(id);
        const bool depends = std::any_of(operation.operands.begin(), operation.operands.end(),
            [&affected](ValueId operand) { return affected[operand.index]; });
        const std::uint32_t result = operation.results[0].index;
        if (!depends || given[result])
            continue;
        affected[result] = true;
        referenceCompute(program, state, operation);
    }
}

} // namespace shardscope
