// SPDX-License-Identifier: GPL-3.0-or-later
// dot, dot_general and convolution: all of them products of matrices, once their operands are put in order. Operands
// are converted to the element type of the result first. Floats of 16 bits and fewer are summed in f32. Small products
// are one chain of sums per element, large ones are summed in blocks.
#include <algorithm>
#include <complex>
#include <cstring>
#include <type_traits>

#include "simulate/kernels/element_types.h"
#include "simulate/kernels/elementwise.h"
#include "simulate/kernels/kernel_set.h"
#include "simulate/kernels/position.h"
#include "simulate/kernels/products.h"

namespace shardscope::kernels {

namespace {

/// Products beyond this many multiplications go through the blocked kernels.
constexpr std::int64_t blockedFrom = 32 * 32 * 32;

template <class T>
void plain(const T* a, const T* b, T* c, std::int64_t m, std::int64_t n, std::int64_t k)
{
    using Sum = std::conditional_t<std::is_floating_point_v<T>, T,
        std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>>;
    std::fill(c, c + m * n, T(0));
    for (std::int64_t i = 0; i < m; ++i) {
        for (std::int64_t p = 0; p < k; ++p) {
            const auto left = static_cast<Sum>(a[i * k + p]);
            for (std::int64_t j = 0; j < n; ++j)
                c[i * n + j] = static_cast<T>(static_cast<Sum>(c[i * n + j]) + left * static_cast<Sum>(b[p * n + j]));
        }
    }
}

template <class T>
void large(const T* a, const T* b, T* c, std::int64_t m, std::int64_t n, std::int64_t k)
{
    if (m * n * k < blockedFrom)
        return plain(a, b, c, m, n, k);
    const ProductFunctions<T>& products = kernelSet().products<T>();
    const auto scratch = std::make_unique_for_overwrite<std::byte[]>(at(products.scratchBytes) + 64);
    void* begin = scratch.get();
    std::size_t room = at(products.scratchBytes) + 64;
    auto* aligned = static_cast<std::byte*>(std::align(64, at(products.scratchBytes), begin, room));
    products.packed({ c, n, 1 }, { a, k, 1 }, { b, n, 1 }, m, n, k, aligned);
}

/// Floats of 16 bits and fewer: summed in f32 and rounded once, as on machines that multiply them.
void narrowFloatProduct(
    DType dtype, const std::byte* a, const std::byte* b, std::byte* c, std::int64_t m, std::int64_t n, std::int64_t k)
{
    std::vector<float> left(at(m * k)), right(at(k * n)), sums(at(m * n));
    widen(dtype, a, reinterpret_cast<std::byte*>(left.data()), m * k);
    widen(dtype, b, reinterpret_cast<std::byte*>(right.data()), k * n);
    large(left.data(), right.data(), sums.data(), m, n, k);
    narrow(dtype, reinterpret_cast<const std::byte*>(sums.data()), c, m * n);
}

/// Integers under a byte: by the kernels of their multiplication and addition, row by row.
void narrowProduct(
    DType dtype, const std::byte* a, const std::byte* b, std::byte* c, std::int64_t m, std::int64_t n, std::int64_t k)
{
    if (isFloat(dtype))
        return narrowFloatProduct(dtype, a, b, c, m, n, k);
    const std::array pair{ dtype, dtype };
    const ElementKernel multiply = *elementKernel(OpKind::Multiply, {}, pair, dtype);
    const ElementKernel add = *elementKernel(OpKind::Add, {}, pair, dtype);
    std::vector<std::byte> left(at(n)), row(at(n));
    std::memset(c, 0, at(m * n));
    for (std::int64_t i = 0; i < m; ++i) {
        for (std::int64_t p = 0; p < k; ++p) {
            fill(left.data(), a + i * k + p, 1, n);
            const std::array<const std::byte*, 2> factors{ left.data(), b + p * n };
            multiply.run(factors.data(), row.data(), n);
            const std::array<const std::byte*, 2> terms{ c + i * n, row.data() };
            add.run(terms.data(), c + i * n, n);
        }
    }
}

/// One chain of sums per element, as above.
template <class T>
void complexProduct(const std::complex<T>* a, const std::complex<T>* b, std::complex<T>* c, std::int64_t m,
    std::int64_t n, std::int64_t k)
{
    std::fill(c, c + m * n, std::complex<T>());
    for (std::int64_t i = 0; i < m; ++i) {
        for (std::int64_t p = 0; p < k; ++p) {
            const T real = a[i * k + p].real(), imaginary = a[i * k + p].imag();
            for (std::int64_t j = 0; j < n; ++j) {
                const std::complex<T> right = b[p * n + j];
                c[i * n + j] += std::complex<T>(
                    real * right.real() - imaginary * right.imag(), real * right.imag() + imaginary * right.real());
            }
        }
    }
}

Dimensions freeDims(std::size_t rank, const Dimensions& batch, const Dimensions& contracting)
{
    Dimensions dims;
    for (std::int64_t d = 0; d < static_cast<std::int64_t>(rank); ++d)
        if (std::find(batch.begin(), batch.end(), d) == batch.end()
            && std::find(contracting.begin(), contracting.end(), d) == contracting.end())
            dims.push_back(d);
    return dims;
}

} // namespace

void multiply(
    DType dtype, const std::byte* a, const std::byte* b, std::byte* c, std::int64_t m, std::int64_t n, std::int64_t k)
{
    if (m == 0 || n == 0)
        return;
    const auto typed = [&](auto element, auto function) {
        using T = decltype(element);
        function(reinterpret_cast<const T*>(a), reinterpret_cast<const T*>(b), reinterpret_cast<T*>(c), m, n, k);
    };
    switch (dtype) {
    case DType::F32:
        return typed(float(), large<float>);
    case DType::F64:
        return typed(double(), large<double>);
    case DType::I8:
        return typed(std::int8_t(), plain<std::int8_t>);
    case DType::I16:
        return typed(std::int16_t(), plain<std::int16_t>);
    case DType::I32:
        return typed(std::int32_t(), plain<std::int32_t>);
    case DType::I64:
        return typed(std::int64_t(), plain<std::int64_t>);
    case DType::U8:
        return typed(std::uint8_t(), plain<std::uint8_t>);
    case DType::U16:
        return typed(std::uint16_t(), plain<std::uint16_t>);
    case DType::U32:
        return typed(std::uint32_t(), plain<std::uint32_t>);
    case DType::U64:
        return typed(std::uint64_t(), plain<std::uint64_t>);
    case DType::C64:
        return typed(std::complex<float>(), complexProduct<float>);
    case DType::C128:
        return typed(std::complex<double>(), complexProduct<double>);
    default:
        return narrowProduct(dtype, a, b, c, m, n, k);
    }
}

std::int64_t extent(const Array& array, const Dimensions& dims)
{
    std::int64_t count = 1;
    for (const std::int64_t d : dims)
        count *= array.type.shape[at(d)];
    return count;
}

Array ordered(const Array& array, const Dimensions& first, const Dimensions& second, const Dimensions& third)
{
    Dimensions order = first;
    for (const Dimensions* more : { &second, &third })
        for (const std::int64_t d : *more)
            order.push_back(d);
    return std::is_sorted(order.begin(), order.end()) ? array : transposed(array, order);
}

Array contracted(const Array& lhs, const Array& rhs, const DotGeneralAttributes& own, const TensorType& type)
{
    const Dimensions rows = freeDims(lhs.type.rank(), own.lhsBatch, own.lhsContracting),
                     columns = freeDims(rhs.type.rank(), own.rhsBatch, own.rhsContracting);
    const Array a = ordered(converted(lhs, type.dtype), own.lhsBatch, rows, own.lhsContracting),
                b = ordered(converted(rhs, type.dtype), own.rhsBatch, own.rhsContracting, columns);
    const std::int64_t batches = extent(lhs, own.lhsBatch), m = extent(lhs, rows), n = extent(rhs, columns),
                       k = extent(lhs, own.lhsContracting), bytes = byteSize(type.dtype);
    Array result = Array::make(type);
    for (std::int64_t i = 0; i < batches; ++i)
        multiply(type.dtype, a.data() + i * m * k * bytes, b.data() + i * k * n * bytes,
            result.data() + i * m * n * bytes, m, n, k);
    return result;
}

namespace {

Arrays dotGeneral(const Call& call)
{
    return { contracted(
        call.operands[0], call.operands[1], std::get<DotGeneralAttributes>(call.operation.attributes), call.type()) };
}

Arrays dot(const Call& call)
{
    DotGeneralAttributes own;
    own.lhsContracting = { static_cast<std::int64_t>(call.operands[0].type.rank()) - 1 };
    own.rhsContracting = { 0 };
    return { contracted(call.operands[0], call.operands[1], own, call.type()) };
}

/// Where the elements under a window stand along one spatial dimension: [output][place in the window], -1 for padding.
std::vector<std::int64_t> elementsUnder(
    const ConvolutionAttributes& own, std::size_t d, std::int64_t input, std::int64_t window, std::int64_t output)
{
    const auto entry = [&](const Dimensions& list) { return list.empty() ? 1 : list[d]; };
    const std::int64_t stride = entry(own.strides), base = entry(own.lhsDilation), dilation = entry(own.rhsDilation),
                       low = own.padding.empty() ? 0 : own.padding[d].first;
    const bool reversed = !own.reversal.empty() && own.reversal[d];
    std::vector<std::int64_t> elements(at(output * window), -1);
    for (std::int64_t o = 0; o < output; ++o) {
        for (std::int64_t w = 0; w < window; ++w) {
            const std::int64_t dilated = o * stride + w * dilation - low;
            if (dilated >= 0 && dilated % base == 0 && dilated / base < input)
                elements[at(o * window + (reversed ? window - 1 - w : w))] = dilated / base;
        }
    }
    return elements;
}

/// For every batch and group: the patches under the windows as a matrix [windows, channels * places], times the kernel
/// as a matrix [channels * places, features].
Arrays convolution(const Call& call)
{
    const auto& own = call.own<ConvolutionAttributes>();
    const TensorType& type = call.type();
    const std::size_t spatial = own.inputSpatial.size();
    Dimensions lhsOrder{ own.inputBatch }, rhsOrder, outOrder{ own.outputBatch };
    for (std::size_t d = 0; d < spatial; ++d) {
        lhsOrder.push_back(own.inputSpatial[d]);
        rhsOrder.push_back(own.kernelSpatial[d]);
        outOrder.push_back(own.outputSpatial[d]);
    }
    lhsOrder.push_back(own.inputFeature);
    rhsOrder.push_back(own.kernelInputFeature);
    rhsOrder.push_back(own.kernelOutputFeature);
    outOrder.push_back(own.outputFeature);
    const Array lhs = transposed(converted(call.operands[0], type.dtype), lhsOrder),
                rhs = transposed(converted(call.operands[1], type.dtype), rhsOrder);

    TensorType ordered{ type.dtype, {} };
    for (const std::int64_t d : outOrder)
        ordered.shape.push_back(type.shape[at(d)]);
    Array out = Array::make(ordered);
    if (out.count() == 0)
        return { Array::make(type) };
    std::int64_t windows = 1, places = 1, inputs = 1;
    std::vector<std::vector<std::int64_t>> elements;
    Shape windowShape, outputShape, inputStrides;
    for (std::size_t d = 0; d < spatial; ++d) {
        windowShape.push_back(rhs.type.shape[d]);
        outputShape.push_back(ordered.shape[d + 1]);
        elements.push_back(elementsUnder(own, d, lhs.type.shape[d + 1], windowShape[d], outputShape[d]));
        windows *= outputShape[d];
        places *= windowShape[d];
        inputs *= lhs.type.shape[d + 1];
    }
    const std::int64_t features = rhs.type.shape[spatial + 1], channels = rhs.type.shape[spatial],
                       allChannels = lhs.type.shape[spatial + 1], groups = own.featureGroupCount,
                       batchGroups = own.batchGroupCount, batches = ordered.shape[0];
    const std::int64_t parts = std::max(groups, batchGroups), perPart = features / parts, bytes = byteSize(type.dtype),
                       depth = places * channels;
    const Shape spatialStrides = stridesOf(std::span(lhs.type.shape.begin() + 1, spatial));

    // The kernel's features of one group as a matrix.
    Array weights = Array::make({ type.dtype, { depth, perPart } });
    Array patches = Array::make({ type.dtype, { windows, depth } });
    Array answers = Array::make({ type.dtype, { windows, perPart } });
    for (std::int64_t part = 0; part < parts; ++part) {
        const std::array box{ depth, perPart };
        const std::array to{ perPart, std::int64_t{ 1 } };
        const std::array from{ features, std::int64_t{ 1 } };
        copyBox(box, weights.data(), to, rhs.data() + part * perPart * bytes, from, bytes);
        for (std::int64_t batch = 0; batch < batches; ++batch) {
            const std::int64_t inputBatch = batchGroups > 1 ? part * batches + batch : batch;
            const std::int64_t firstChannel = groups > 1 ? part * channels : 0;
            const std::byte* input = lhs.data() + (inputBatch * inputs * allChannels + firstChannel) * bytes;
            std::byte* row = patches.data();
            Shape output;
            output.resize(spatial, 0);
            do {
                Shape place;
                place.resize(spatial, 0);
                do {
                    std::int64_t offset = 0;
                    for (std::size_t d = 0; d < spatial && offset >= 0; ++d) {
                        const std::int64_t element = elements[d][at(output[d] * windowShape[d] + place[d])];
                        offset = element < 0 ? -1 : offset + element * spatialStrides[d];
                    }
                    if (offset < 0)
                        std::memset(row, 0, at(channels * bytes));
                    else
                        std::memcpy(row, input + offset * allChannels * bytes, at(channels * bytes));
                    row += channels * bytes;
                } while (advance(place, windowShape));
            } while (advance(output, outputShape));
            multiply(type.dtype, patches.data(), weights.data(), answers.data(), windows, perPart, depth);
            const std::array answerBox{ windows, perPart };
            copyBox(answerBox, out.data() + (batch * windows * features + part * perPart) * bytes, from, answers.data(),
                to, bytes);
        }
    }
    Dimensions back;
    back.resize(outOrder.size(), 0);
    for (std::size_t i = 0; i < outOrder.size(); ++i)
        back[at(outOrder[i])] = static_cast<std::int64_t>(i);
    return { transposed(out, back) };
}

} // namespace

Evaluate productEvaluator(OpKind kind)
{
    switch (kind) {
    case OpKind::DotGeneral:
        return dotGeneral;
    case OpKind::Dot:
        return dot;
    case OpKind::Convolution:
        return convolution;
    case OpKind::ChloRaggedDot:
        return raggedDot;
    default:
        return nullptr;
    }
}

} // namespace shardscope::kernels
