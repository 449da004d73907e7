// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/check/rounding_bound.h"

#include <algorithm>
#include <cmath>

#include "program/body.h"
#include "program/other_attributes.h"
#include "simulate/kernels/call.h"

namespace shardscope {

namespace {

using kernels::Array;
using kernels::Arrays;

TensorType asDouble(TensorType type)
{
    type.dtype = DType::F64;
    return type;
}

/// The distance of the smallest numbers of the type.
double smallestOf(DType dtype)
{
    switch (dtype) {
    case DType::F64:
        return 0x1p-1074;
    case DType::F32:
        return 0x1p-149;
    case DType::F16:
        return 0x1p-24;
    default:
        return 0x1p-133; // bf16
    }
}

/// Dimensions that a sum runs over; nothing for what is no sum.
const Dimensions* summedDimensions(const Program& program, const Operation& operation)
{
    if (operation.results.size() != 1 || reductionOf(program, operation) != ReduceKind::Sum)
        return nullptr;
    if (const auto* own = std::get_if<ReduceAttributes>(&operation.attributes))
        return &*own->dimensions;
    const auto* own = attributesAs<VariadicReduceAttributes>(operation.attributes);
    return own ? &*own->dimensions : nullptr;
}

/// The most additions that one term of a sum passes through on a device, and among devices. The kernel of sums of f32
/// and f64 (kernels/reduction.h) adds a run of neighbours up in as many lanes as 64 bytes have, these by halves, and
/// what is left over in turn; and then run after run. On its shard dimensions may have size 1, and runs be longer for
/// it.
double longestChain(const Program& program, const Operation& operation, double devices)
{
    const TensorType& operand = program.value(operation.operands[0]).type;
    const Dimensions& dims = *summedDimensions(program, operation);
    const auto isSummed = [&](std::size_t d) {
        return std::find(dims.begin(), dims.end(), static_cast<std::int64_t>(d)) != dims.end();
    };
    double all = 1, run = 1;
    bool isInRun = true;
    for (std::size_t d = operand.rank(); d-- > 0;) {
        const auto extent = static_cast<double>(operand.shape[d]);
        isInRun = isInRun && (isSummed(d) || extent == 1);
        run *= isInRun ? extent : 1;
        all *= isSummed(d) ? extent : 1;
    }
    const double lanes = operand.dtype == DType::F64 ? 8 : 16;
    const double ofRun = std::log2(lanes) + lanes - 1;
    const double runs =
        run > 1 ? std::max(std::ceil(run / lanes) + std::ceil(all / run), std::ceil(all / lanes) + 1) : all;
    return std::min(runs + ofRun, all) + devices;
}

/// The operation on f64, and by itself.
class InDoubles {
public:
    InDoubles(const Program& program, const Operation& operation)
        : m_own(operation)
    {
        const std::size_t used = summedDimensions(program, operation) ? 1 : m_own.operands.size();
        if (const Dimensions* dims = summedDimensions(program, operation)) {
            m_own.kind = OpKind::Reduce;
            m_own.attributes = ReduceAttributes{ *dims, ReduceKind::Sum };
            m_own.regions.clear();
            m_own.operands.resize(1);
        }
        for (std::size_t i = 0; i < used; ++i)
            m_own.operands[i] = add(program.value(operation.operands[i]).type);
        m_own.results[0] = add(program.value(operation.results[0]).type);
    }
    [[nodiscard]] Array run(const Arrays& operands) const
    {
        return kernels::evaluator(m_own.kind)({ m_alone, m_own, operands, nullptr })[0];
    }
    [[nodiscard]] std::size_t operandCount() const { return m_own.operands.size(); }

private:
    ValueId add(const TensorType& type)
    {
        m_alone.values.push_back({ asDouble(type), {}, 0, Role::Temporary, {}, {} });
        return ValueId(m_alone.values.size() - 1);
    }
    Program m_alone;
    Operation m_own;
};

/// Terms of one element at most.
double summedTerms(const Program& program, const Operation& operation)
{
    const TensorType& left = program.value(operation.operands[0]).type;
    double terms = 1;
    const auto times = [&](const TensorType& type, const Dimensions& dims) {
        for (const std::int64_t d : dims)
            terms *= static_cast<double>(type.shape[static_cast<std::size_t>(d)]);
    };
    if (const Dimensions* dims = summedDimensions(program, operation))
        times(left, *dims);
    else if (const auto* own = std::get_if<DotGeneralAttributes>(&operation.attributes))
        times(left, *own->lhsContracting);
    else if (operation.kind == OpKind::Dot)
        times(left, Dimensions{ static_cast<std::int64_t>(left.rank()) - 1 });
    else if (const auto* window = attributesAs<ConvolutionAttributes>(operation.attributes)) {
        const TensorType& kernel = program.value(operation.operands[1]).type;
        times(kernel, *window->kernelSpatial);
        times(kernel, Dimensions{ window->kernelInputFeature });
    }
    return terms;
}

} // namespace

bool hasRoundingBound(const Program& program, const Operation& operation)
{
    const auto isBounded = [&](ValueId value) {
        const DType dtype = program.value(value).type.dtype;
        return dtype == DType::F64 || dtype == DType::F32 || dtype == DType::F16 || dtype == DType::BF16;
    };
    if (operation.results.size() != 1 || !isBounded(operation.results[0])
        || !std::all_of(operation.operands.begin(), operation.operands.end(), isBounded))
        return false;
    return operation.kind == OpKind::DotGeneral || operation.kind == OpKind::Dot
        || operation.kind == OpKind::Convolution || summedDimensions(program, operation) != nullptr;
}

std::optional<RoundedResult> roundedResult(
    const Program& program, const Operation& operation, std::span<const Array> operands, std::int64_t devices)
{
    if (!hasRoundingBound(program, operation))
        return std::nullopt;
    const DType dtype = program.value(operation.results[0]).type.dtype;
    const InDoubles alone(program, operation);
    Arrays doubles;
    for (std::size_t i = 0; i < alone.operandCount(); ++i) {
        // Products convert their operands to the type of the result before they multiply.
        const bool isRounded = epsilonOf(operands[i].type.dtype) < epsilonOf(dtype);
        doubles.push_back(
            kernels::converted(isRounded ? kernels::converted(operands[i], dtype) : operands[i], DType::F64));
        if (operands[i].type.dtype == DType::F64 && !isRounded)
            doubles.back() = kernels::copied(operands[i]);
    }
    RoundedResult out{ alone.run(doubles), {} };
    for (Array& operand : doubles) {
        auto* numbers = operand.as<double>();
        std::transform(numbers, numbers + operand.count(), numbers, [](double number) { return std::fabs(number); });
    }
    const Array magnitudes = alone.run(doubles);
    doubles.clear();
    // An initial value is a term of its own.
    const double initial = operands.size() > alone.operandCount() && operands[alone.operandCount()].count() == 1
        ? kernels::numberAt(operands[alone.operandCount()], 0)
        : 0;
    const double terms = summedTerms(program, operation) + 1, all = static_cast<double>(devices);
    const bool isNarrow = dtype == DType::F16 || dtype == DType::BF16; // summed in f32, and then rounded
    double unit = (terms + 1) * epsilonOf(isNarrow ? DType::F32 : dtype) / 2;
    // In a tree of additions that is h high the error is at most h u / (1 - h u) of what is added up (Higham, Accuracy
    // and Stability of Numerical Algorithms, section 4.2).
    if (!isNarrow && operation.kind == OpKind::Reduce) {
        const double height = (longestChain(program, operation, all) + 1) * epsilonOf(dtype) / 2;
        if (height < 0.5)
            unit = std::min(unit, height / (1 - height));
    }
    if (isNarrow)
        unit += (all + 2) * epsilonOf(dtype) / 2;
    if (dtype == DType::F64) // the exact one is as exact
        unit *= 2;
    const double smallest = (terms + all + 2) * smallestOf(dtype);
    out.tolerances.resize(static_cast<std::size_t>(magnitudes.count()));
    for (std::size_t i = 0; i < out.tolerances.size(); ++i) {
        if (initial != 0)
            out.exact.as<double>()[i] += initial;
        out.tolerances[i] = unit * (magnitudes.as<double>()[i] + std::fabs(initial)) + smallest;
    }
    return out;
}

double bytesOfBound(const Program& program, const Operation& operation)
{
    if (!hasRoundingBound(program, operation))
        return 0;
    double bytes = 0;
    for (const ValueId operand : operation.operands) // and once more in the order in which kernels take them
        bytes += 16 * static_cast<double>(program.value(operand).type.elementCount());
    return bytes + 24 * static_cast<double>(program.value(operation.results[0]).type.elementCount());
}

bool isApproximate(const Program& program, const Operation& operation)
{
    if (operation.results.empty())
        return false;
    switch (operation.kind) {
    case OpKind::Exponential:
    case OpKind::Log:
    case OpKind::Logistic:
    case OpKind::Tanh:
    case OpKind::Rsqrt:
    case OpKind::Sine:
    case OpKind::Cosine:
    case OpKind::Power:
        return isFloat(program.value(operation.results[0]).type.dtype);
    default:
        return false;
    }
}

Tolerances approximationTolerances(const Array& result)
{
    const DType dtype = result.type.dtype;
    // In f32 1 / (1 + exp(-x)) is 0 where exp(-x) is beyond 2^128.
    const double smallest = dtype == DType::F64 ? 0x1p-1022 : dtype == DType::F16 ? 0x1p-22 : 0x1p-126;
    Tolerances tolerances;
    for (std::int64_t i = 0; i < result.count(); ++i)
        tolerances.push_back(8 * epsilonOf(dtype) * std::fabs(kernels::numberAt(result, i)) + smallest);
    return tolerances;
}

} // namespace shardscope
