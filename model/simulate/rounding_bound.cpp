// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include "simulate/reference.h"
#include "simulate/reference_operation.h"

namespace shardscope {

namespace {

class Bounds {
public:
    Bounds(const Program& program, const ReferenceState& state)
        : m_program(program)
        , m_state(state)
        , m_bounds(program.values.size())
    {
    }

    /// Bounds of what the values depend on, in program order.
    void compute(std::span<const ValueId> values)
    {
        std::vector<bool> needed(m_program.values.size());
        for (const ValueId value : values)
            needed[value.index] = true;
        const auto& operations = m_program.main().operations;
        for (auto id = operations.rbegin(); id != operations.rend(); ++id) {
            const Operation& operation = m_program.operation(*id);
            if (needed[operation.results[0].index])
                for (const ValueId operand : operation.operands)
                    needed[operand.index] = true;
        }
        for (const ValueId argument : m_program.main().arguments)
            if (needed[argument.index])
                m_bounds[argument.index] = exact(argument);
        for (const OperationId id : operations) {
            const Operation& operation = m_program.operation(id);
            if (needed[operation.results[0].index])
                m_bounds[operation.results[0].index] = boundOf(operation);
        }
    }

    [[nodiscard]] const RoundingBound& of(ValueId value) const { return m_bounds[value.index]; }

private:
    [[nodiscard]] RoundingBound exact(ValueId value) const
    {
        RoundingBound bound{ m_state.values[value.index], 0 };
        for (double& element : bound.magnitude)
            element = std::fabs(element);
        return bound;
    }

    [[nodiscard]] double longestChain(const Operation& operation) const
    {
        double terms = 0;
        for (const ValueId operand : operation.operands)
            terms = std::max(terms, m_bounds[operand.index].terms);
        return terms;
    }

    /// The operation, or another one in its place, on magnitudes.
    [[nodiscard]] std::vector<double> onMagnitudes(Operation operation, OpKind kind) const
    {
        operation.kind = kind;
        std::vector<const std::vector<double>*> operands;
        for (const ValueId operand : operation.operands)
            operands.push_back(&m_bounds[operand.index].magnitude);
        if (kind == OpKind::Select) // decides as the reference did
            operands[0] = &m_state.values[operation.operands[0].index];
        std::vector<double> magnitude;
        evaluateReference(m_program, operation, operands, ReferencePrecision::Double, magnitude);
        return magnitude;
    }

    [[nodiscard]] RoundingBound boundOf(const Operation& operation) const
    {
        const double chain = longestChain(operation);
        const ValueId result = operation.results[0];
        switch (operation.kind) {
        case OpKind::Constant:
        case OpKind::Iota:
        case OpKind::Compare:
            return exact(result);
        case OpKind::BroadcastInDim:
        case OpKind::Reshape:
        case OpKind::Transpose:
        case OpKind::ShardingConstraint:
        case OpKind::Convert:
        case OpKind::Maximum:
        case OpKind::Select:
            return { onMagnitudes(operation, operation.kind), chain };
        case OpKind::Minimum:
            return { onMagnitudes(operation, OpKind::Maximum), chain };
        case OpKind::Abs:
        case OpKind::Negate:
            return { m_bounds[operation.operands[0].index].magnitude, chain };
        case OpKind::Add:
        case OpKind::Subtract:
            return { onMagnitudes(operation, OpKind::Add), chain + 1 };
        case OpKind::Multiply:
            return { onMagnitudes(operation, OpKind::Multiply), chain + 1 };
        case OpKind::Divide: {
            RoundingBound bound{ m_bounds[operation.operands[0].index].magnitude, chain + 1 };
            const std::vector<double>& divisor = m_state.values[operation.operands[1].index];
            for (std::size_t i = 0; i < bound.magnitude.size(); ++i)
                bound.magnitude[i] /= std::fabs(divisor[i]);
            return bound;
        }
        case OpKind::DotGeneral: {
            const auto& attributes = std::get<DotGeneralAttributes>(operation.attributes);
            return { onMagnitudes(operation, OpKind::DotGeneral),
                chain + extent(operation.operands[0], attributes.lhsContracting) };
        }
        case OpKind::Reduce: {
            const auto& attributes = std::get<ReduceAttributes>(operation.attributes);
            if (attributes.kind != ReduceKind::Sum)
                break;
            return { onMagnitudes(operation, OpKind::Reduce),
                chain + extent(operation.operands[0], attributes.dimensions) };
        }
        default:
            break;
        }
        RoundingBound bound = exact(result);
        bound.terms = chain + 1;
        return bound;
    }

    [[nodiscard]] double extent(ValueId value, const Dimensions& dims) const
    {
        double terms = 1;
        for (const std::int64_t d : dims)
            terms *= static_cast<double>(m_program.value(value).type.shape[static_cast<std::size_t>(d)]);
        return terms;
    }

    const Program& m_program;
    const ReferenceState& m_state;
    std::vector<RoundingBound> m_bounds;
};

} // namespace

std::vector<RoundingBound> roundingBounds(
    const Program& program, const ReferenceState& state, std::span<const ValueId> values)
{
    Bounds bounds(program, state);
    bounds.compute(values);
    std::vector<RoundingBound> result;
    for (const ValueId value : values)
        result.push_back(bounds.of(value));
    return result;
}

RoundingBound roundingBound(const Program& program, const ReferenceState& state, ValueId value)
{
    const ValueId values[] = { value };
    return std::move(roundingBounds(program, state, values).front());
}

} // namespace shardscope
