// SPDX-License-Identifier: GPL-3.0-or-later
// Decompositions, triangular systems and batch normalisation. Computed in double and rounded once.
// Declared in call.h.
#include <cmath>
#include <complex>
#include <type_traits>
#include <vector>

#include "simulate/kernels/call.h"
#include "simulate/kernels/element_types.h"
#include "simulate/kernels/position.h"

namespace shardscope::kernels {

namespace {

std::vector<double> doubles(const Array& array)
{
    std::vector<double> values(at(array.count()));
    toDoubles(array.type.dtype, array.data(), values.data(), array.count());
    return values;
}

Array fromDoubleValues(const std::vector<double>& values, const TensorType& type)
{
    Array result = Array::make(type);
    fromDoubles(type.dtype, values.data(), result.data(), result.count());
    return result;
}

using ComplexNumber = std::complex<double>;

/// f of an array's elements as numbers to compute with: double, or pairs of them for complex ones.
template <class F>
Array asNumbers(const Array& array, F f)
{
    Array numbers = converted(array, isComplex(array.type.dtype) ? DType::C128 : DType::F64);
    if (numbers.bytes == array.bytes)
        numbers = copied(array);
    if (isComplex(array.type.dtype))
        f(numbers.as<ComplexNumber>());
    else
        f(numbers.as<double>());
    return converted(numbers, array.type.dtype);
}

double conjugate(double number)
{
    return number;
}
ComplexNumber conjugate(ComplexNumber number)
{
    return std::conj(number);
}

/// Of one matrix [n, n]. The other triangle becomes zero. Matrices that are not positive definite give NaN.
template <class T>
void decompose(T* a, std::int64_t n, bool lower)
{
    // The upper factor is the lower one transposed, and conjugated.
    const auto entry = [&](std::int64_t row, std::int64_t column) -> T& {
        return lower ? a[row * n + column] : a[column * n + row];
    };
    for (std::int64_t j = 0; j < n; ++j) {
        double square = std::real(entry(j, j));
        for (std::int64_t k = 0; k < j; ++k)
            square -= std::norm(entry(j, k));
        const double diagonal = std::sqrt(square);
        entry(j, j) = diagonal;
        for (std::int64_t i = j + 1; i < n; ++i) {
            T sum = entry(i, j);
            for (std::int64_t k = 0; k < j; ++k)
                sum -= entry(i, k) * conjugate(entry(j, k));
            entry(i, j) = sum / diagonal;
        }
    }
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = i + 1; j < n; ++j)
            entry(i, j) = 0;
}

Arrays cholesky(const Call& call)
{
    const bool lower = call.own<CholeskyAttributes>().lower;
    const std::int64_t n = call.type().shape.back();
    const std::int64_t batches = n == 0 ? 0 : call.type().elementCount() / (n * n);
    return { asNumbers(call.operands[0], [&](auto* values) {
        for (std::int64_t batch = 0; batch < batches; ++batch)
            decompose(values + batch * n * n, n, lower);
    }) };
}

template <class T>
void solve(const TriangularSolveAttributes& own, const T* a, T* b, std::int64_t rows, std::int64_t columns,
    std::int64_t batches)
{
    const std::int64_t n = own.leftSide ? rows : columns, others = own.leftSide ? columns : rows;
    // x op(a) = b is op(a)ᵀ xᵀ = bᵀ.
    const bool transposedA = (own.transposeA != TransposeA::NoTranspose) == own.leftSide;
    const bool lower = own.lower != transposedA, conjugated = own.transposeA == TransposeA::Adjoint;
    for (std::int64_t batch = 0; batch < batches; ++batch) {
        const T* matrix = a + batch * n * n;
        T* x = b + batch * rows * columns;
        const auto entry = [&](std::int64_t i, std::int64_t j) {
            const T number = transposedA ? matrix[j * n + i] : matrix[i * n + j];
            return conjugated ? conjugate(number) : number;
        };
        for (std::int64_t other = 0; other < others; ++other) {
            const auto value = [&](std::int64_t i) -> T& {
                return own.leftSide ? x[i * columns + other] : x[other * columns + i];
            };
            for (std::int64_t step = 0; step < n; ++step) {
                const std::int64_t i = lower ? step : n - 1 - step;
                T sum = value(i);
                for (std::int64_t k = 0; k < step; ++k) {
                    const std::int64_t j = lower ? k : n - 1 - k;
                    sum -= entry(i, j) * value(j);
                }
                value(i) = own.unitDiagonal ? sum : sum / entry(i, i);
            }
        }
    }
}

Arrays triangularSolve(const Call& call)
{
    const Shape& shape = call.type().shape;
    const std::int64_t rows = shape[shape.size() - 2], columns = shape[shape.size() - 1];
    const std::int64_t batches = rows * columns == 0 ? 0 : call.type().elementCount() / (rows * columns);
    Array solved;
    asNumbers(call.operands[0], [&](const auto* a) {
        using T = std::remove_const_t<std::remove_pointer_t<decltype(a)>>;
        solved = asNumbers(call.operands[1], [&](auto* b) {
            solve(call.own<TriangularSolveAttributes>(), a, reinterpret_cast<T*>(b), rows, columns, batches);
        });
    });
    return { solved };
}

/// Which feature every element belongs to: element i to i / inner % features.
struct Features {
    std::int64_t count = 1, inner = 1;
    Features(const TensorType& type, std::int64_t dimension)
        : count(type.shape[at(dimension)])
    {
        for (std::size_t d = at(dimension) + 1; d < type.rank(); ++d)
            inner *= type.shape[d];
    }
    [[nodiscard]] std::size_t of(std::size_t element) const { return element / at(inner) % at(count); }
};

Arrays batchNormInference(const Call& call)
{
    const auto& own = call.own<BatchNormAttributes>();
    const Features features(call.type(), own.featureIndex);
    std::vector<double> x = doubles(call.operands[0]);
    const std::vector<double> scale = doubles(call.operands[1]), offset = doubles(call.operands[2]),
                              mean = doubles(call.operands[3]), variance = doubles(call.operands[4]);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const std::size_t f = features.of(i);
        x[i] = scale[f] * ((x[i] - mean[f]) / std::sqrt(variance[f] + own.epsilon)) + offset[f];
    }
    return { fromDoubleValues(x, call.type()) };
}

Arrays batchNormTraining(const Call& call)
{
    const auto& own = call.own<BatchNormAttributes>();
    const Features features(call.type(), own.featureIndex);
    std::vector<double> x = doubles(call.operands[0]);
    const std::vector<double> scale = doubles(call.operands[1]), offset = doubles(call.operands[2]);
    std::vector<double> mean(at(features.count)), variance(at(features.count));
    const double perFeature = static_cast<double>(x.size()) / static_cast<double>(features.count);
    for (std::size_t i = 0; i < x.size(); ++i)
        mean[features.of(i)] += x[i];
    for (double& value : mean)
        value /= perFeature;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double apart = x[i] - mean[features.of(i)];
        variance[features.of(i)] += apart * apart;
    }
    for (double& value : variance)
        value /= perFeature;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const std::size_t f = features.of(i);
        x[i] = scale[f] * ((x[i] - mean[f]) / std::sqrt(variance[f] + own.epsilon)) + offset[f];
    }
    return { fromDoubleValues(x, call.type(0)), fromDoubleValues(mean, call.type(1)),
        fromDoubleValues(variance, call.type(2)) };
}

Arrays batchNormGrad(const Call& call)
{
    const auto& own = call.own<BatchNormAttributes>();
    const Features features(call.type(), own.featureIndex);
    const std::vector<double> x = doubles(call.operands[0]), scale = doubles(call.operands[1]),
                              mean = doubles(call.operands[2]), variance = doubles(call.operands[3]),
                              bodyOperands = doubles(call.operands[4]);
    std::vector<double> result(x.size()), scaleGrad(at(features.count)), offsetGrad(at(features.count)),
        product(at(features.count));
    const double perFeature = static_cast<double>(x.size()) / static_cast<double>(features.count);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const std::size_t f = features.of(i);
        offsetGrad[f] += bodyOperands[i];
        product[f] += bodyOperands[i] * (x[i] - mean[f]);
    }
    for (std::size_t f = 0; f < scaleGrad.size(); ++f)
        scaleGrad[f] = product[f] / std::sqrt(variance[f] + own.epsilon);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const std::size_t f = features.of(i);
        const double spread = variance[f] + own.epsilon;
        result[i] = scale[f] / std::sqrt(spread) / perFeature
            * (perFeature * bodyOperands[i] - offsetGrad[f] - (x[i] - mean[f]) * product[f] / spread);
    }
    return { fromDoubleValues(result, call.type(0)), fromDoubleValues(scaleGrad, call.type(1)),
        fromDoubleValues(offsetGrad, call.type(2)) };
}

} // namespace

Evaluate algebraEvaluator(OpKind kind)
{
    switch (kind) {
    case OpKind::Cholesky:
        return cholesky;
    case OpKind::TriangularSolve:
        return triangularSolve;
    case OpKind::BatchNormInference:
        return batchNormInference;
    case OpKind::BatchNormTraining:
        return batchNormTraining;
    case OpKind::BatchNormGrad:
        return batchNormGrad;
    default:
        return nullptr;
    }
}

} // namespace shardscope::kernels
