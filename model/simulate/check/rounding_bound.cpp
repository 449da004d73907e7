// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/check/rounding_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "simulate/check/reference_operation.h"

namespace shardscope {

namespace {

/// Of exp, tanh, pow, ...: the standard library's functions err by about 2 u, logistic and rsqrt are made of three.
constexpr double roundingsOfFunction = 8;
constexpr double underflow = 0x1p-150; // largest error of one rounding below 2^-126
/// In f32 1 / (1 + exp(-x)) is 0 where exp(-x) is beyond 2^128.
constexpr double logisticUnderflow = 0x1p-127;

std::vector<double> absolute(std::vector<double> array)
{
    for (double& element : array)
        element = std::fabs(element);
    return array;
}

/// Of the numbers; what is not finite has no bound in any case.
double largestFinite(const std::vector<double>& array)
{
    double most = 0;
    for (const double element : array)
        if (std::isfinite(element))
            most = std::max(most, std::fabs(element));
    return most;
}

double smallestDivisor(const std::vector<double>& array)
{
    double least = std::numeric_limits<double>::infinity();
    for (const double element : array)
        if (element != 0)
            least = std::fmin(least, std::fabs(element));
    return least;
}

bool isFloatResult(const Program& program, const Operation& operation)
{
    return isFloat(program.value(operation.results[0]).type.dtype);
}

/// Terms of an operation's sums, or factors of its products, for an operand of that type.
double termsOf(const Operation& operation, const TensorType& operand)
{
    const DimensionList* dims = nullptr;
    if (operation.kind == OpKind::DotGeneral)
        dims = &std::get<DotGeneralAttributes>(operation.attributes).lhsContracting;
    else if (operation.kind == OpKind::Reduce)
        dims = &std::get<ReduceAttributes>(operation.attributes).dimensions;
    else
        return 0;
    double terms = 1;
    for (const std::int64_t d : *dims)
        terms *= static_cast<double>(operand.shape[static_cast<std::size_t>(d)]);
    return terms;
}

ReduceKind reduction(const Operation& operation)
{
    return std::get<ReduceAttributes>(operation.attributes).kind;
}

} // namespace

bool needsExactOperand(const Program& program, const Operation& operation, std::size_t operand)
{
    switch (operation.kind) {
    case OpKind::Exponential:
    case OpKind::Log:
    case OpKind::Logistic:
    case OpKind::Tanh:
    case OpKind::Sqrt:
    case OpKind::Rsqrt:
    case OpKind::Sign:
    case OpKind::Sine:
    case OpKind::Cosine:
    case OpKind::Power:
    case OpKind::Compare:
        return true;
    case OpKind::Convert:
        return !isFloatResult(program, operation);
    case OpKind::Divide: // an error of the size of the divisor takes the quotient anywhere
        return operand == 1;
    default:
        return false;
    }
}

bool addsNoRounding(const Program& program, const Operation& operation)
{
    if (!isFloatResult(program, operation))
        return true; // integers and truth values
    switch (operation.kind) {
    case OpKind::Constant:
    case OpKind::Iota:
    case OpKind::Abs:
    case OpKind::Negate:
    case OpKind::Sign:
    case OpKind::Maximum:
    case OpKind::Minimum:
    case OpKind::Select:
    case OpKind::Clamp:
    case OpKind::BroadcastInDim:
    case OpKind::Reshape:
    case OpKind::Transpose:
    case OpKind::ShardingConstraint:
        return true;
    case OpKind::Reduce:
        return reduction(operation) != ReduceKind::Sum && reduction(operation) != ReduceKind::Product;
    default:
        return false;
    }
}

std::vector<double> sumLengths(const Program& program)
{
    std::vector<double> lengths;
    for (const Operation& operation : program.operations)
        lengths.push_back(
            operation.operands.empty() ? 0 : termsOf(operation, program.value(operation.operands[0]).type));
    return lengths;
}

std::vector<double> sumLengths(const FlatProgram& program)
{
    std::vector<double> lengths(program.program->operations.size(), 0);
    for (const FlatOp& op : program.main().ops) {
        if (op.operation.index >= lengths.size() || op.operands.empty() || !op.results[0].valid())
            continue;
        double length = termsOf(program.operation(op), program.value(op.operands[0]).localType);
        double group = 1;
        for (const AxisRef& axis : program.value(op.results[0]).sharding.unreduced)
            group *= static_cast<double>(axis.size);
        length += length > 0 && group > 1 ? group : 0;
        lengths[op.operation.index] = std::max(lengths[op.operation.index], length);
    }
    return lengths;
}

RoundingBounds::RoundingBounds(const Program& program, const ReferenceState& state, std::vector<double> sumLengths)
    : m_program(program)
    , m_state(state)
    , m_sumLengths(std::move(sumLengths))
    , m_magnitudes(program.values.size())
    , m_roundings(program.values.size(), 0)
    , m_absolutes(program.values.size(), 0)
{
}

void RoundingBounds::setExact(ValueId value)
{
    m_roundings[value.index] = 0;
    m_absolutes[value.index] = 0;
    m_magnitudes[value.index] = Array(); // {} would keep the memory
}

RoundingBound RoundingBounds::of(ValueId value) const
{
    Array own;
    return { magnitude(value, own), m_roundings[value.index], m_absolutes[value.index] };
}

/// `own` is used where the magnitude is not kept.
const RoundingBounds::Array& RoundingBounds::magnitude(ValueId value, Array& own) const
{
    if (!isExact(value))
        return m_magnitudes[value.index];
    own = absolute(m_state.values[value.index]);
    return own;
}

/// The operation, or another one in its place, on the magnitudes of its operands.
RoundingBounds::Array RoundingBounds::evaluated(Operation operation, OpKind kind) const
{
    operation.kind = kind;
    if (kind == OpKind::Reduce && reduction(operation) == ReduceKind::Min)
        std::get<ReduceAttributes>(operation.attributes).kind = ReduceKind::Max;
    std::vector<Array> own(operation.operands.size());
    std::vector<const Array*> operands;
    for (std::size_t o = 0; o < operation.operands.size(); ++o) {
        const ValueId operand = operation.operands[o];
        operands.push_back(&magnitude(operand, own[o]));
    }
    Array result;
    evaluateReference(m_program, operation, operands, ReferencePrecision::Double, result);
    return result;
}

/// An extremum errs by no more than the worst of its operands.
RoundingBounds::Array RoundingBounds::largest(const Operation& operation) const
{
    Array result(m_state.values[operation.results[0].index].size(), 0);
    for (const ValueId operand : operation.operands) {
        Array own;
        const Array& one = magnitude(operand, own);
        for (std::size_t i = 0; i < result.size(); ++i)
            result[i] = std::max(result[i], one[one.size() == 1 ? 0 : i]);
    }
    return result;
}

double RoundingBounds::maxRoundings(const Operation& operation) const
{
    double most = 0;
    for (const ValueId operand : operation.operands)
        most = std::max(most, m_roundings[operand.index]);
    return most;
}

double RoundingBounds::lengthOf(const Operation& operation) const
{
    return m_sumLengths[m_program.value(operation.results[0]).definition.index];
}

double RoundingBounds::maxAbsolute(const Operation& operation) const
{
    double most = 0;
    for (const ValueId operand : operation.operands)
        most = std::max(most, m_absolutes[operand.index]);
    return most;
}

/// What underflowed in the factors, in a product of two of them.
double RoundingBounds::absoluteOfProducts(const Operation& operation) const
{
    const double left = m_absolutes[operation.operands[0].index];
    const double right = m_absolutes[operation.operands[1].index];
    Array own;
    double absolute = left * right;
    if (left > 0)
        absolute += left * largestFinite(magnitude(operation.operands[1], own));
    if (right > 0)
        absolute += right * largestFinite(magnitude(operation.operands[0], own));
    return absolute;
}

/// Of an inexact result.
double RoundingBounds::absoluteOf(const Operation& operation) const
{
    const double most = maxAbsolute(operation);
    switch (operation.kind) {
    case OpKind::Add:
    case OpKind::Subtract:
        return m_absolutes[operation.operands[0].index] + m_absolutes[operation.operands[1].index];
    case OpKind::Multiply:
        return absoluteOfProducts(operation) + underflow;
    case OpKind::Divide:
        return (most > 0 ? most / smallestDivisor(m_state.values[operation.operands[1].index]) : 0) + underflow;
    case OpKind::DotGeneral:
        return lengthOf(operation) * (absoluteOfProducts(operation) + underflow);
    case OpKind::Reduce: {
        const double terms = termsOf(operation, m_program.value(operation.operands[0]).type);
        if (reduction(operation) == ReduceKind::Sum)
            return terms * most;
        if (reduction(operation) != ReduceKind::Product)
            return most;
        Array own; // whatever is multiplied on, in any order
        Array factors = magnitude(operation.operands[0], own);
        for (double& factor : factors)
            factor = std::fmax(1, factor + most);
        Array products;
        evaluateReference(
            m_program, operation, std::vector<const Array*>{ &factors }, ReferencePrecision::Double, products);
        return terms * (most + underflow) * largestFinite(products);
    }
    case OpKind::Convert:
        return most + underflow;
    case OpKind::Logistic:
        return logisticUnderflow;
    default:
        return needsExactOperand(m_program, operation, 0) ? roundingsOfFunction * underflow : most;
    }
}

/// |a / b|, where b is exact.
RoundingBounds::Array RoundingBounds::quotient(const Operation& operation) const
{
    Array own;
    Array result = magnitude(operation.operands[0], own);
    const Array& b = m_state.values[operation.operands[1].index];
    for (std::size_t i = 0; i < result.size(); ++i)
        result[i] /= std::fabs(b[i]);
    return result;
}

void RoundingBounds::follow(const Operation& operation)
{
    const ValueId result = operation.results[0];
    setExact(result);
    if (!isFloatResult(m_program, operation))
        return;
    double roundings = maxRoundings(operation);
    Array magnitudes;
    switch (operation.kind) {
    case OpKind::Constant:
    case OpKind::Iota:
    case OpKind::Sign:
        return;
    case OpKind::Abs:
    case OpKind::Negate:
    case OpKind::BroadcastInDim:
    case OpKind::Reshape:
    case OpKind::Transpose:
    case OpKind::ShardingConstraint:
    case OpKind::Select:
        if (roundings == 0)
            return;
        magnitudes = evaluated(operation, operation.kind == OpKind::Negate ? OpKind::Abs : operation.kind);
        break;
    case OpKind::Maximum:
    case OpKind::Minimum:
    case OpKind::Clamp:
        if (roundings == 0)
            return;
        magnitudes = largest(operation);
        break;
    case OpKind::Add:
    case OpKind::Subtract:
        roundings += 1;
        magnitudes = evaluated(operation, OpKind::Add);
        break;
    case OpKind::Multiply:
        roundings = m_roundings[operation.operands[0].index] + m_roundings[operation.operands[1].index] + 1;
        magnitudes = evaluated(operation, operation.kind);
        break;
    case OpKind::Divide:
        roundings += 1;
        magnitudes = quotient(operation);
        break;
    case OpKind::DotGeneral:
        roundings =
            m_roundings[operation.operands[0].index] + m_roundings[operation.operands[1].index] + lengthOf(operation);
        magnitudes = evaluated(operation, operation.kind);
        break;
    case OpKind::Reduce:
        if (reduction(operation) == ReduceKind::Sum)
            roundings += lengthOf(operation);
        else if (reduction(operation) == ReduceKind::Product) // the factors' roundings, and one for each multiplication
            roundings = (roundings + 1) * termsOf(operation, m_program.value(operation.operands[0]).type);
        if (roundings == 0)
            return;
        magnitudes = evaluated(operation, operation.kind);
        break;
    case OpKind::Convert:
        roundings += 1;
        magnitudes = evaluated(operation, operation.kind);
        break;
    default: // functions of exact operands
        roundings = roundingsOfFunction;
        magnitudes = absolute(m_state.values[result.index]);
    }
    const double absolute = absoluteOf(operation);
    m_magnitudes[result.index] = std::move(magnitudes);
    m_roundings[result.index] = roundings;
    m_absolutes[result.index] = absolute;
}

} // namespace shardscope
