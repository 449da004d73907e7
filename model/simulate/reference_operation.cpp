// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/reference_operation.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace shardscope {

namespace {

using Array = std::vector<double>;
using Offsets = std::vector<std::size_t>;

constexpr double largestInt = 2147483647;

std::int32_t wrapped(std::int64_t value)
{
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
}

std::size_t count(const TensorType& type)
{
    return static_cast<std::size_t>(type.elementCount());
}

/// Offsets of all elements of the sub-array spanned by `dims` (first one major) in an array of that shape.
Offsets offsetsOver(const Shape& shape, const Dimensions& dims)
{
    std::vector<std::size_t> strides(shape.size(), 1);
    for (std::size_t d = shape.size(); d-- > 1;)
        strides[d - 1] = strides[d] * static_cast<std::size_t>(shape[d]);
    Offsets offsets{ 0 };
    for (const std::int64_t dim : dims) {
        const auto d = static_cast<std::size_t>(dim);
        Offsets longer;
        for (const std::size_t offset : offsets)
            for (std::size_t i = 0; i < static_cast<std::size_t>(shape[d]); ++i)
                longer.push_back(offset + i * strides[d]);
        offsets = std::move(longer);
    }
    return offsets;
}

Dimensions otherDimensions(std::size_t rank, const Dimensions& a, const Dimensions& b)
{
    Dimensions dims;
    for (std::int64_t d = 0; d < static_cast<std::int64_t>(rank); ++d)
        if (std::count(a.begin(), a.end(), d) + std::count(b.begin(), b.end(), d) == 0)
            dims.push_back(d);
    return dims;
}

/// A term in the type that sums are made in. Integers wrap around: what they are modulo 2^64 is kept, of which an i32
/// takes the lower half.
template <class T>
T termOf(double x)
{
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<std::int64_t>(x));
    else
        return static_cast<T>(x);
}

template <class T>
double elementOf(T sum, DType dtype)
{
    if constexpr (std::is_integral_v<T>)
        return dtype == DType::I32 ? wrapped(static_cast<std::int64_t>(sum)) : sum != 0 ? 1 : 0;
    else
        return static_cast<double>(sum);
}

template <class T>
void product(const TensorType& lhsType, const TensorType& rhsType, const DotGeneralAttributes& a, DType dtype,
    const Array& lhs, const Array& rhs, Array& out)
{
    const Offsets leftBatch = offsetsOver(lhsType.shape, a.lhsBatch);
    const Offsets rightBatch = offsetsOver(rhsType.shape, a.rhsBatch);
    const Offsets leftTerms = offsetsOver(lhsType.shape, a.lhsContracting);
    const Offsets rightTerms = offsetsOver(rhsType.shape, a.rhsContracting);
    const Offsets rows = offsetsOver(lhsType.shape, otherDimensions(lhsType.rank(), a.lhsBatch, a.lhsContracting));
    const Offsets columns = offsetsOver(rhsType.shape, otherDimensions(rhsType.rank(), a.rhsBatch, a.rhsContracting));
    // Walk through the right operand in the order of memory; every sum is in the order of the terms either way.
    const bool termsAreNeighbours = rightTerms.size() > 1 && rightTerms[1] == rightTerms[0] + 1;
    std::vector<T> sums(columns.size());
    std::size_t element = 0;
    for (std::size_t batch = 0; batch < leftBatch.size(); ++batch) {
        for (const std::size_t row : rows) {
            const double* left = lhs.data() + leftBatch[batch] + row;
            const double* right = rhs.data() + rightBatch[batch];
            std::fill(sums.begin(), sums.end(), T(0));
            if (termsAreNeighbours) {
                for (std::size_t j = 0; j < columns.size(); ++j)
                    for (std::size_t t = 0; t < leftTerms.size(); ++t)
                        sums[j] += termOf<T>(left[leftTerms[t]]) * termOf<T>(right[rightTerms[t] + columns[j]]);
            } else {
                for (std::size_t t = 0; t < leftTerms.size(); ++t) {
                    const T factor = termOf<T>(left[leftTerms[t]]);
                    for (std::size_t j = 0; j < columns.size(); ++j)
                        sums[j] += factor * termOf<T>(right[rightTerms[t] + columns[j]]);
                }
            }
            for (const T sum : sums)
                out[element++] = elementOf(sum, dtype);
        }
    }
}

double combine(ReduceKind kind, double a, double b)
{
    switch (kind) {
    case ReduceKind::Sum:
        return a + b;
    case ReduceKind::Product:
        return a * b;
    case ReduceKind::Max:
        return std::isnan(a) || a > b ? a : b;
    case ReduceKind::Min:
        return std::isnan(a) || a < b ? a : b;
    case ReduceKind::And:
        return static_cast<double>(static_cast<std::int64_t>(a) & static_cast<std::int64_t>(b));
    case ReduceKind::Or:
        return static_cast<double>(static_cast<std::int64_t>(a) | static_cast<std::int64_t>(b));
    }
    return a;
}

double reductionStart(ReduceKind kind, DType dtype)
{
    const double infinity = std::numeric_limits<double>::infinity();
    switch (kind) {
    case ReduceKind::Sum:
    case ReduceKind::Or:
        return 0;
    case ReduceKind::Product:
        return 1;
    case ReduceKind::Max:
        return dtype == DType::Pred ? 0 : isFloat(dtype) ? -infinity : -largestInt - 1;
    case ReduceKind::Min:
        return dtype == DType::Pred ? 1 : isFloat(dtype) ? infinity : largestInt;
    case ReduceKind::And:
        return dtype == DType::Pred ? 1 : -1;
    }
    return 0;
}

/// Of two i32: may not fit a double before it wraps around.
double integerProduct(double a, double b)
{
    return wrapped(static_cast<std::int64_t>(a) * static_cast<std::int64_t>(b));
}

double integerPower(double base, double exponent)
{
    if (exponent < 0)
        return base == 1 ? 1 : base == -1 ? (std::fmod(exponent, 2) == 0 ? 1 : -1) : base == 0 ? -1 : 0;
    auto square = static_cast<std::uint32_t>(static_cast<std::int64_t>(base));
    std::uint32_t result = 1;
    for (auto left = static_cast<std::uint32_t>(exponent); left > 0; left /= 2) {
        if (left % 2 == 1)
            result *= square;
        square *= square;
    }
    return wrapped(result);
}

double unary(OpKind kind, DType dtype, double a)
{
    switch (kind) {
    case OpKind::Abs:
        return std::fabs(a);
    case OpKind::Negate:
        return -a;
    case OpKind::Exponential:
        return std::exp(a);
    case OpKind::Log:
        return std::log(a);
    case OpKind::Logistic:
        return 1 / (1 + std::exp(-a));
    case OpKind::Tanh:
        return std::tanh(a);
    case OpKind::Sqrt:
        return std::sqrt(a);
    case OpKind::Rsqrt:
        return 1 / std::sqrt(a);
    case OpKind::Sign:
        return a > 0 ? 1 : a < 0 ? -1 : a;
    case OpKind::Sine:
        return std::sin(a);
    case OpKind::Cosine:
        return std::cos(a);
    case OpKind::Not:
        return dtype == DType::Pred ? (a == 0 ? 1 : 0) : -a - 1;
    default:
        return a; // ShardingConstraint
    }
}

double binary(OpKind kind, DType dtype, double a, double b)
{
    const bool integer = !isFloat(dtype) && dtype != DType::Pred;
    switch (kind) {
    case OpKind::Add:
        return dtype == DType::Pred ? combine(ReduceKind::Or, a, b) : a + b;
    case OpKind::Subtract:
        return a - b;
    case OpKind::Multiply:
        return integer ? integerProduct(a, b) : a * b;
    case OpKind::Divide:
        return !integer ? a / b : b == 0 ? -1 : std::trunc(a / b);
    case OpKind::Maximum:
        return combine(ReduceKind::Max, a, b);
    case OpKind::Minimum:
        return combine(ReduceKind::Min, a, b);
    case OpKind::Power:
        return integer ? integerPower(a, b) : std::pow(a, b);
    case OpKind::And:
        return combine(ReduceKind::And, a, b);
    case OpKind::Or:
        return combine(ReduceKind::Or, a, b);
    default:
        return a;
    }
}

bool holds(Comparison comparison, double a, double b)
{
    switch (comparison) {
    case Comparison::Equal:
        return a == b;
    case Comparison::NotEqual:
        return a != b;
    case Comparison::Less:
        return a < b;
    case Comparison::LessEqual:
        return a <= b;
    case Comparison::Greater:
        return a > b;
    case Comparison::GreaterEqual:
        return a >= b;
    }
    return false;
}

double converted(DType from, DType to, double a)
{
    if (to == DType::Pred)
        return a != 0 ? 1 : 0;
    if (to == DType::I32 && isFloat(from))
        return std::isnan(a) ? 0 : std::clamp(std::trunc(a), -largestInt - 1, largestInt);
    return a;
}

/// Calls f(i) for every element and rounds what it returns.
template <class Function>
void fill(Array& out, DType dtype, ReferencePrecision precision, const Function& f)
{
    if (dtype == DType::F64 || dtype == DType::Pred || (dtype == DType::F32 && precision == ReferencePrecision::Double))
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = f(i);
    else if (dtype == DType::F32)
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = static_cast<double>(static_cast<float>(f(i)));
    else
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = roundedTo(dtype, f(i));
}

} // namespace

double roundedTo(DType dtype, double value)
{
    switch (dtype) {
    case DType::F32:
        return static_cast<double>(static_cast<float>(value));
    case DType::I32:
        return std::fabs(value) < 9e18 ? static_cast<double>(wrapped(static_cast<std::int64_t>(value))) : 0;
    case DType::Pred:
        return value != 0 ? 1 : 0;
    default:
        return value;
    }
}

void evaluateReference(const Program& program, const Operation& operation,
    std::span<const std::vector<double>* const> operands, ReferencePrecision precision, std::vector<double>& out)
{
    const TensorType& type = program.value(operation.results[0]).type;
    const auto typeOf = [&](std::size_t o) -> const TensorType& { return program.value(operation.operands[o]).type; };
    const auto each = [&](const auto& f) { fill(out, type.dtype, precision, f); };
    /// Element i of an operand; scalars serve every element.
    struct Reader {
        const double* data;
        bool scalar;
        double operator[](std::size_t i) const { return data[scalar ? 0 : i]; }
    };
    const auto reader = [&](std::size_t o) { return Reader{ operands[o]->data(), operands[o]->size() == 1 }; };
    out.resize(count(type));

    switch (operation.kind) {
    case OpKind::Constant: {
        const auto& values = std::get<ConstantAttributes>(operation.attributes).values;
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = roundedTo(type.dtype, values[values.size() == 1 ? 0 : i]);
        return;
    }
    case OpKind::Iota: {
        const auto d = static_cast<std::size_t>(std::get<IotaAttributes>(operation.attributes).dimension);
        std::size_t inner = 1;
        for (std::size_t e = d + 1; e < type.rank(); ++e)
            inner *= static_cast<std::size_t>(type.shape[e]);
        const auto extent = static_cast<std::size_t>(type.shape[d]);
        each([&](std::size_t i) { return static_cast<double>(i / inner % extent); });
        return;
    }
    case OpKind::DotGeneral: {
        const auto& attributes = std::get<DotGeneralAttributes>(operation.attributes);
        if (type.dtype == DType::F32 && precision == ReferencePrecision::AsTyped)
            product<float>(typeOf(0), typeOf(1), attributes, type.dtype, *operands[0], *operands[1], out);
        else if (isFloat(type.dtype))
            product<double>(typeOf(0), typeOf(1), attributes, type.dtype, *operands[0], *operands[1], out);
        else
            product<std::uint64_t>(typeOf(0), typeOf(1), attributes, type.dtype, *operands[0], *operands[1], out);
        return;
    }
    case OpKind::Reduce: {
        const auto& attributes = std::get<ReduceAttributes>(operation.attributes);
        const Offsets terms = offsetsOver(typeOf(0).shape, attributes.dimensions);
        const Offsets kept = offsetsOver(typeOf(0).shape, otherDimensions(typeOf(0).rank(), attributes.dimensions, {}));
        const bool multiplies = type.dtype == DType::I32 && attributes.kind == ReduceKind::Product;
        const bool round = precision == ReferencePrecision::AsTyped || !isFloat(type.dtype);
        for (std::size_t i = 0; i < out.size(); ++i) {
            double sum = reductionStart(attributes.kind, type.dtype);
            for (const std::size_t term : terms) {
                const double next = (*operands[0])[kept[i] + term];
                sum = multiplies ? integerProduct(sum, next) : combine(attributes.kind, sum, next);
                sum = round ? roundedTo(type.dtype, sum) : sum;
            }
            out[i] = sum;
        }
        return;
    }
    case OpKind::BroadcastInDim: {
        const auto& dimensions = std::get<BroadcastAttributes>(operation.attributes).dimensions;
        if (operands[0]->size() == 1) {
            std::fill(out.begin(), out.end(), (*operands[0])[0]);
            return;
        }
        for (std::size_t i = 0; i < out.size(); ++i) {
            std::size_t rest = i;
            Shape index(type.rank());
            for (std::size_t d = type.rank(); d-- > 0;) {
                index[d] = static_cast<std::int64_t>(rest % static_cast<std::size_t>(type.shape[d]));
                rest /= static_cast<std::size_t>(type.shape[d]);
            }
            std::size_t source = 0;
            for (std::size_t d = 0; d < dimensions.size(); ++d) {
                const auto extent = static_cast<std::size_t>(typeOf(0).shape[d]);
                const auto at = static_cast<std::size_t>(index[static_cast<std::size_t>(dimensions[d])]);
                source = source * extent + (extent == 1 ? 0 : at);
            }
            out[i] = (*operands[0])[source];
        }
        return;
    }
    case OpKind::Transpose: {
        const Offsets from =
            offsetsOver(typeOf(0).shape, std::get<TransposeAttributes>(operation.attributes).permutation);
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = (*operands[0])[from[i]];
        return;
    }
    case OpKind::Reshape:
    case OpKind::ShardingConstraint:
        std::copy(operands[0]->begin(), operands[0]->end(), out.begin());
        return;
    case OpKind::Convert: {
        const DType from = typeOf(0).dtype;
        const Array& a = *operands[0];
        each([&](std::size_t i) { return converted(from, type.dtype, a[i]); });
        return;
    }
    case OpKind::Compare: {
        const Comparison comparison = std::get<CompareAttributes>(operation.attributes).direction;
        const Array& a = *operands[0];
        const Array& b = *operands[1];
        each([&](std::size_t i) { return holds(comparison, a[i], b[i]) ? 1.0 : 0.0; });
        return;
    }
    case OpKind::Select: {
        const Reader predicate = reader(0);
        const Array& a = *operands[1];
        const Array& b = *operands[2];
        each([&](std::size_t i) { return predicate[i] != 0 ? a[i] : b[i]; });
        return;
    }
    case OpKind::Clamp: {
        const Reader low = reader(0);
        const Array& a = *operands[1];
        const Reader high = reader(2);
        each([&](std::size_t i) { return combine(ReduceKind::Min, combine(ReduceKind::Max, low[i], a[i]), high[i]); });
        return;
    }
    // The four that whole networks consist of have loops of their own, without a switch inside.
    case OpKind::Add:
    case OpKind::Subtract:
    case OpKind::Multiply:
    case OpKind::Divide:
        if (isFloat(type.dtype)) {
            const Array& a = *operands[0];
            const Array& b = *operands[1];
            if (operation.kind == OpKind::Add)
                each([&](std::size_t i) { return a[i] + b[i]; });
            else if (operation.kind == OpKind::Subtract)
                each([&](std::size_t i) { return a[i] - b[i]; });
            else if (operation.kind == OpKind::Multiply)
                each([&](std::size_t i) { return a[i] * b[i]; });
            else
                each([&](std::size_t i) { return a[i] / b[i]; });
            return;
        }
        [[fallthrough]];
    default:
        if (operands.size() == 1) {
            const Array& a = *operands[0];
            each([&](std::size_t i) { return unary(operation.kind, type.dtype, a[i]); });
        } else {
            const Array& a = *operands[0];
            const Array& b = *operands[1];
            each([&](std::size_t i) { return binary(operation.kind, type.dtype, a[i], b[i]); });
        }
    }
}

} // namespace shardscope
