// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/partial_values.h"

#include <algorithm>

#include "program/element_bits.h"
#include "program/op_row.h"
#include "program/other_attributes.h"
#include "program/unreduced_axes.h"

namespace shardscope {

namespace {

class Operands {
public:
    Operands(const Program& program, const Operation& operation, std::span<const bool> isPartial, ReduceKind kind)
        : m_program(program)
        , m_operation(operation)
        , m_partial(isPartial)
        , m_kind(kind)
    {
    }

    [[nodiscard]] bool keepParts() const
    {
        if (m_operation.kind == OpKind::Case || m_operation.kind == OpKind::If)
            return !isPart(0); // every device would take a branch of its own
        if (passesPartsThrough(m_operation.kind))
            return true;
        switch (m_operation.kind) {
        case OpKind::OptimizationBarrier: // one sharding for all
            return all(0, m_operation.operands.size());
        // What moves elements.
        case OpKind::BroadcastInDim:
        case OpKind::Reshape:
        case OpKind::Transpose:
        case OpKind::Slice:
        case OpKind::Reverse:
            return true;
        case OpKind::DynamicSlice:
        case OpKind::Gather:
            return isPart(0) && noneFrom(1);
        case OpKind::DynamicUpdateSlice:
            return all(0, 2) && noneFrom(2);
        case OpKind::Pad:
            return all(0, 2);
        case OpKind::Concatenate:
            return all(0, m_operation.operands.size());
        case OpKind::Select:
        case OpKind::ChloBroadcastSelect:
            return !isPart(0) && all(1, 3);
        case OpKind::ReducePrecision:
            return true;
        case OpKind::Convert:
            return mayConvert();
        default:
            return m_kind == ReduceKind::Sum ? isLinear() : keepsOrder();
        }
    }

private:
    [[nodiscard]] bool isPart(std::size_t operand) const { return operand < m_partial.size() && m_partial[operand]; }
    /// It can stand for a part: a part, or what does not count beside parts.
    [[nodiscard]] bool asPart(std::size_t operand) const
    {
        return isPart(operand) || m_kind != ReduceKind::Sum || isZero(m_program, m_operation.operands[operand]);
    }
    [[nodiscard]] bool all(std::size_t from, std::size_t end) const
    {
        for (std::size_t i = from; i < std::min(end, m_operation.operands.size()); ++i)
            if (!asPart(i))
                return false;
        return true;
    }
    [[nodiscard]] bool noneFrom(std::size_t from) const
    {
        for (std::size_t i = from; i < m_operation.operands.size(); ++i)
            if (isPart(i))
                return false;
        return true;
    }
    [[nodiscard]] DType typeOf(ValueId value) const { return m_program.value(value).type.dtype; }

    [[nodiscard]] bool mayConvert() const
    {
        const DType from = typeOf(m_operation.operands[0]), to = typeOf(m_operation.results[0]);
        if (from == DType::Pred || to == DType::Pred)
            return false;
        if (m_kind == ReduceKind::Sum) // rounded parts do not make a rounded sum, wrapped ones make a wrapped one
            return isFloat(from)  ? isFloat(to) || isComplex(to)
                : isComplex(from) ? isComplex(to)
                                  : !isFloat(to) && !isComplex(to) && elementBits(to) <= elementBits(from);
        if (isComplex(from) || isComplex(to))
            return false;
        return isFloat(to)
            || (!isFloat(from) && isUnsignedInteger(from) == isUnsignedInteger(to)
                && elementBits(to) >= elementBits(from));
    }

    [[nodiscard]] std::optional<ReduceKind> reduction(std::size_t region = 0) const
    {
        if (const auto* reduce = std::get_if<ReduceAttributes>(&m_operation.attributes))
            return reduce->kind;
        if (const auto* reduce = attributesAs<VariadicReduceAttributes>(m_operation.attributes); reduce && reduce->kind)
            return reduce->kind;
        return region < m_operation.regions.size()
            ? bodyKind(m_program, m_program.regions[m_operation.regions[region].index])
            : std::nullopt;
    }
    /// The body returns its second half of arguments: the updates take the places of what was there.
    [[nodiscard]] bool overwrites() const
    {
        const Region& body = m_program.regions[m_operation.regions[0].index];
        return !body.results.empty() && 2 * body.results.size() == body.arguments.size()
            && std::equal(body.results.begin(), body.results.end(),
                body.arguments.begin() + static_cast<std::ptrdiff_t>(body.results.size()));
    }
    [[nodiscard]] bool mayScatter() const
    {
        const std::size_t inputs = m_operation.operands.size() / 2;
        return !isPart(inputs) && all(0, inputs) && all(inputs + 1, m_operation.operands.size())
            && !m_operation.regions.empty() && (reduction() == m_kind || overwrites());
    }

    [[nodiscard]] bool isLinear() const
    {
        switch (m_operation.kind) {
        case OpKind::Add:
        case OpKind::Subtract:
        case OpKind::Complex:
        case OpKind::ChloBroadcastAdd:
        case OpKind::ChloBroadcastSubtract:
        case OpKind::ChloBroadcastComplex:
            return all(0, 2);
        case OpKind::Multiply:
        case OpKind::ChloBroadcastMultiply:
        case OpKind::Dot:
        case OpKind::DotGeneral:
        case OpKind::Convolution:
            return !(isPart(0) && isPart(1));
        case OpKind::ChloRaggedDot:
            return !(isPart(0) && isPart(1)) && noneFrom(2);
        case OpKind::Divide:
        case OpKind::ChloBroadcastDivide: {
            const DType dtype = typeOf(m_operation.operands[0]);
            return !isPart(1) && (isFloat(dtype) || isComplex(dtype)); // whole numbers are cut off
        }
        case OpKind::Negate:
        case OpKind::Real:
        case OpKind::Imag:
        case OpKind::ChloConj:
        case OpKind::Fft:
            return true;
        case OpKind::TriangularSolve:
            return !isPart(0);
        case OpKind::Reduce:
        case OpKind::VariadicReduce:
        case OpKind::ReduceWindow:
            return reduction() == ReduceKind::Sum && all(0, m_operation.operands.size());
        case OpKind::SelectAndScatter:
            return !isPart(0) && all(1, 3) && reduction(1) == ReduceKind::Sum;
        case OpKind::Scatter:
            return mayScatter();
        default:
            return false;
        }
    }

    [[nodiscard]] bool keepsOrder() const
    {
        switch (m_operation.kind) {
        case OpKind::Maximum:
        case OpKind::ChloBroadcastMaximum:
            return m_kind == ReduceKind::Max;
        case OpKind::Minimum:
        case OpKind::ChloBroadcastMinimum:
            return m_kind == ReduceKind::Min;
        case OpKind::Add:
        case OpKind::ChloBroadcastAdd:
            return isFloat(typeOf(m_operation.operands[0])) && !(isPart(0) && isPart(1));
        case OpKind::Subtract:
        case OpKind::ChloBroadcastSubtract:
            return isFloat(typeOf(m_operation.operands[0])) && !isPart(1);
        case OpKind::Clamp:
            return !isPart(0) && !isPart(2);
        case OpKind::Exponential:
        case OpKind::ExponentialMinusOne:
        case OpKind::Logistic:
        case OpKind::Tanh:
        case OpKind::Cbrt:
        case OpKind::Ceil:
        case OpKind::Floor:
        case OpKind::RoundNearestAfz:
        case OpKind::RoundNearestEven:
        case OpKind::Sign:
        case OpKind::ChloAsinh:
        case OpKind::ChloAtan:
        case OpKind::ChloErf:
        case OpKind::ChloSinh:
            return true;
        case OpKind::Reduce:
        case OpKind::VariadicReduce:
        case OpKind::ReduceWindow:
            return reduction() == m_kind;
        case OpKind::Scatter:
            return mayScatter();
        default:
            return false;
        }
    }

    const Program& m_program;
    const Operation& m_operation;
    std::span<const bool> m_partial;
    ReduceKind m_kind;
};

} // namespace

bool passesPartsThrough(OpKind kind)
{
    switch (kind) {
    case OpKind::While:
    case OpKind::Case:
    case OpKind::If:
    case OpKind::Call:
    case OpKind::CustomCall:
    case OpKind::Composite:
    case OpKind::NamedComputation:
    case OpKind::ManualComputation:
    case OpKind::Opaque:
    case OpKind::Tuple:
    case OpKind::GetTupleElement:
    case OpKind::Send:
    case OpKind::Recv:
    case OpKind::Infeed:
    case OpKind::Outfeed:
        return true;
    default:
        return isCollective(kind) || opRow(kind).dialect == OpDialect::Sdy;
    }
}

bool isZero(const Program& program, ValueId value)
{
    while (value.valid() && program.value(value).definition.valid()) {
        const Operation& operation = program.operation(program.value(value).definition);
        switch (operation.kind) {
        case OpKind::Constant:
        case OpKind::SdyConstant: {
            const auto* constant = std::get_if<ConstantAttributes>(&operation.attributes);
            if (!constant)
                return false;
            if (constant->bytes)
                return !constant->bytes->empty()
                    && std::all_of(constant->bytes->begin(), constant->bytes->end(),
                        [](std::byte byte) { return byte == std::byte{ 0 }; });
            return !constant->values.empty()
                && std::all_of((*constant->values).begin(), (*constant->values).end(), [](double v) { return v == 0; });
        }
        case OpKind::BroadcastInDim:
        case OpKind::Reshape:
        case OpKind::Transpose:
        case OpKind::Convert:
        case OpKind::ShardingConstraint:
        case OpKind::Reshard:
        case OpKind::PropagationBarrier:
            value = operation.operands[0];
            break;
        default:
            return false;
        }
    }
    return false;
}

bool keepsParts(const Program& program, const Operation& operation, std::span<const bool> isPartial, ReduceKind kind)
{
    return Operands(program, operation, isPartial, kind).keepParts();
}

} // namespace shardscope
