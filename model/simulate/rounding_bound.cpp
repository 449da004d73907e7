// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include "simulate/reference.h"
#include "simulate/reference_operation.h"

namespace shardscope {

namespace {

using Array = std::vector<double>;

/// Magnitudes behind a value, one and two sums deep, and the length of its longest chain of sums.
struct Magnitudes {
    Array first; ///< the sum that gives it, on absolute values of its operands
    Array second; ///< the same, with each operand in turn replaced by its own `first`
    double terms = 0;
};

class Bounds {
public:
    Bounds(const Program& program, const ReferenceState& state)
        : m_program(program)
        , m_state(state)
        , m_magnitudes(program.values.size())
    {
    }

    /// Magnitudes of what the values depend on, in program order.
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
                m_magnitudes[argument.index] = exact(argument);
        for (const OperationId id : operations) {
            const Operation& operation = m_program.operation(id);
            if (needed[operation.results[0].index])
                m_magnitudes[operation.results[0].index] = magnitudesOf(operation);
        }
    }

    [[nodiscard]] RoundingBound of(ValueId value) const
    {
        const Magnitudes& magnitudes = m_magnitudes[value.index];
        return { magnitudes.second, magnitudes.terms };
    }

private:
    [[nodiscard]] Array absolute(ValueId value) const
    {
        Array magnitude = m_state.values[value.index];
        for (double& element : magnitude)
            element = std::fabs(element);
        return magnitude;
    }
    [[nodiscard]] Magnitudes exact(ValueId value) const { return { absolute(value), absolute(value), 0 }; }

    [[nodiscard]] double longestChain(const Operation& operation) const
    {
        double terms = 0;
        for (const ValueId operand : operation.operands)
            terms = std::max(terms, m_magnitudes[operand.index].terms);
        return terms;
    }

    /// The operation, or another one in its place, on other operands.
    [[nodiscard]] Array evaluate(Operation operation, OpKind kind, std::span<const Array* const> operands) const
    {
        operation.kind = kind;
        Array magnitude;
        evaluateReference(m_program, operation, operands, ReferencePrecision::Double, magnitude);
        return magnitude;
    }

    /// Operations that pass on what they are given.
    [[nodiscard]] Magnitudes passedOn(const Operation& operation, OpKind kind) const
    {
        Magnitudes result;
        result.terms = longestChain(operation);
        for (const bool second : { false, true }) {
            std::vector<const Array*> operands;
            for (const ValueId operand : operation.operands)
                operands.push_back(second ? &m_magnitudes[operand.index].second : &m_magnitudes[operand.index].first);
            if (kind == OpKind::Select) // decides as the reference did
                operands[0] = &m_state.values[operation.operands[0].index];
            (second ? result.second : result.first) = evaluate(operation, kind, operands);
        }
        return result;
    }

    /// Sums: `kind` is Add or Reduce.
    [[nodiscard]] Magnitudes summed(const Operation& operation, OpKind kind, double terms) const
    {
        std::vector<Array> values;
        for (const ValueId operand : operation.operands)
            values.push_back(absolute(operand));
        std::vector<const Array*> first;
        std::vector<const Array*> second;
        for (std::size_t i = 0; i < values.size(); ++i) {
            first.push_back(&values[i]);
            second.push_back(&m_magnitudes[operation.operands[i].index].first);
        }
        return { evaluate(operation, kind, first), evaluate(operation, kind, second), longestChain(operation) + terms };
    }

    /// Products and contractions of two operands.
    [[nodiscard]] Magnitudes multiplied(const Operation& operation, double terms) const
    {
        const Array a = absolute(operation.operands[0]);
        const Array b = absolute(operation.operands[1]);
        const Array* const plain[] = { &a, &b };
        const Array* const left[] = { &m_magnitudes[operation.operands[0].index].first, &b };
        const Array* const right[] = { &a, &m_magnitudes[operation.operands[1].index].first };
        Magnitudes result{ evaluate(operation, operation.kind, plain), evaluate(operation, operation.kind, left),
            longestChain(operation) + terms };
        const Array other = evaluate(operation, operation.kind, right);
        for (std::size_t i = 0; i < other.size(); ++i)
            result.second[i] += other[i];
        return result;
    }

    [[nodiscard]] Magnitudes magnitudesOf(const Operation& operation) const
    {
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
            return passedOn(operation, operation.kind);
        case OpKind::Minimum:
            return passedOn(operation, OpKind::Maximum);
        case OpKind::Abs:
        case OpKind::Negate:
            return m_magnitudes[operation.operands[0].index];
        case OpKind::Add:
        case OpKind::Subtract:
            return summed(operation, OpKind::Add, 1);
        case OpKind::Multiply:
            return multiplied(operation, 1);
        case OpKind::DotGeneral: {
            const auto& attributes = std::get<DotGeneralAttributes>(operation.attributes);
            return multiplied(operation, extent(operation.operands[0], attributes.lhsContracting));
        }
        case OpKind::Reduce: {
            const auto& attributes = std::get<ReduceAttributes>(operation.attributes);
            if (attributes.kind != ReduceKind::Sum)
                break;
            return summed(operation, OpKind::Reduce, extent(operation.operands[0], attributes.dimensions));
        }
        case OpKind::Divide: {
            Magnitudes magnitudes = m_magnitudes[operation.operands[0].index];
            magnitudes.terms = longestChain(operation) + 1;
            const Array& divisor = m_state.values[operation.operands[1].index];
            for (Array* array : { &magnitudes.first, &magnitudes.second })
                for (std::size_t i = 0; i < array->size(); ++i)
                    (*array)[i] /= std::fabs(divisor[i]);
            return magnitudes;
        }
        default:
            break;
        }
        Magnitudes magnitudes = exact(result);
        magnitudes.terms = longestChain(operation) + 1;
        return magnitudes;
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
    std::vector<Magnitudes> m_magnitudes;
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
