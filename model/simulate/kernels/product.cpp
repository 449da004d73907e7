// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/kernels/product.h"

#include <algorithm>
#include <array>

#include "base/alignment.h"

namespace shardscope {

namespace {

std::int64_t extentOf(const TensorType& type, const Dimensions& dims)
{
    std::int64_t extent = 1;
    for (const std::int64_t d : dims)
        extent *= type.shape[static_cast<std::size_t>(d)];
    return extent;
}

Dimensions freeDimensions(const TensorType& type, const Dimensions& batch, const Dimensions& contracting)
{
    Dimensions dims;
    for (std::int64_t d = 0; d < static_cast<std::int64_t>(type.rank()); ++d)
        if (std::find(batch.begin(), batch.end(), d) == batch.end()
            && std::find(contracting.begin(), contracting.end(), d) == contracting.end())
            dims.push_back(d);
    return dims;
}

/// The stride with which an index over all of `dims`, first one major, walks the array; nothing if there is none.
std::optional<std::int64_t> jointStride(const TensorType& type, const Shape& strides, const Dimensions& dims)
{
    std::int64_t stride = 0; // of what has been seen so far; 0 = nothing longer than 1
    std::int64_t extent = 1;
    for (std::size_t i = dims.size(); i-- > 0;) {
        const auto d = static_cast<std::size_t>(dims[i]);
        if (type.shape[d] == 1)
            continue;
        if (stride == 0)
            stride = strides[d];
        else if (strides[d] != stride * extent)
            return std::nullopt;
        extent *= type.shape[d];
    }
    return stride == 0 ? 1 : stride;
}

/// `rows` then `columns` as matrix of one operand.
ProductOperand operandFor(
    const TensorType& type, const Dimensions& batch, const Dimensions& rows, const Dimensions& columns)
{
    ProductOperand operand;
    const Shape strides = rowMajorStrides(type.shape);
    const auto rowStride = jointStride(type, strides, rows);
    const auto columnStride = jointStride(type, strides, columns);
    const std::int64_t columnExtent = extentOf(type, columns);
    for (const std::int64_t d : batch) {
        operand.batchStrides.push_back(strides[static_cast<std::size_t>(d)]);
        operand.batchExtents.push_back(type.shape[static_cast<std::size_t>(d)]);
    }
    if (rowStride && columnStride) {
        operand.rowStride = *rowStride;
        operand.columnStride = *columnStride;
    } else {
        Shape shape;
        Shape sourceStrides;
        for (const Dimensions* group : { &batch, &rows, &columns }) {
            for (const std::int64_t d : *group) {
                shape.push_back(type.shape[static_cast<std::size_t>(d)]);
                sourceStrides.push_back(strides[static_cast<std::size_t>(d)]);
            }
        }
        const Shape packedStrides = rowMajorStrides(shape);
        operand.packing = StridedCopy(shape, packedStrides, sourceStrides, byteSize(type.dtype));
        operand.packedElements = type.elementCount();
        operand.rowStride = columnExtent;
        operand.columnStride = 1;
        std::copy_n(packedStrides.begin(), batch.size(), operand.batchStrides.begin());
    }
    return operand;
}

/// Where the matrix of one product of the batch begins, in elements.
std::int64_t batchOffset(const ProductOperand& operand, std::int64_t product)
{
    std::int64_t offset = 0;
    for (std::size_t d = operand.batchExtents.size(); d-- > 0;) {
        offset += product % operand.batchExtents[d] * operand.batchStrides[d];
        product /= operand.batchExtents[d];
    }
    return offset;
}

template <class T>
void multiply(const ProductFunctions<T>& kernels, MatrixView<T> c, MatrixView<const T> a, MatrixView<const T> b,
    std::int64_t m, std::int64_t n, std::int64_t k, std::byte* scratch, std::int64_t afterA, std::int64_t afterB)
{
    if (n == 1) { // Cᵀ = Bᵀ Aᵀ, and a column of one element is a row of one element
        std::swap(a, b);
        std::swap(a.rowStride, a.columnStride);
        std::swap(b.rowStride, b.columnStride);
        std::swap(m, n);
        std::swap(afterA, afterB);
        c.rowStride = n;
    }
    if (m <= fewRowsLimit && (b.columnStride == 1 || n == 1))
        kernels.fewRows(std::array{ ProductRows<T>{ c, a } }.data(), 1, b, m, n, k, afterB);
    else if (m <= fewRowsLimit && b.rowStride == 1 && (a.columnStride == 1 || k == 1))
        kernels.fewRowsTransposed(c, a, b, m, n, k, afterB);
    else if (k <= fewRowsLimit && b.columnStride == 1)
        kernels.fewTerms(c, a, b, m, n, k);
    else
        kernels.packed(c, a, b, m, n, k, scratch);
}

} // namespace

ProductShape productShape(const TensorType& lhs, const TensorType& rhs, const DotGeneralAttributes& attributes)
{
    ProductShape shape;
    const Dimensions leftFree = freeDimensions(lhs, attributes.lhsBatch, attributes.lhsContracting);
    const Dimensions rightFree = freeDimensions(rhs, attributes.rhsBatch, attributes.rhsContracting);
    shape.batch = extentOf(lhs, attributes.lhsBatch);
    shape.rows = extentOf(lhs, leftFree);
    shape.columns = extentOf(rhs, rightFree);
    shape.terms = extentOf(lhs, attributes.lhsContracting);
    shape.left = operandFor(lhs, attributes.lhsBatch, leftFree, attributes.lhsContracting);
    shape.right = operandFor(rhs, attributes.rhsBatch, attributes.rhsContracting, rightFree);
    return shape;
}

std::optional<Product> Product::prepare(
    const TensorType& lhs, const TensorType& rhs, const DotGeneralAttributes& attributes, const KernelSet& kernels)
{
    Product product;
    product.m_kernels = &kernels;
    product.m_shape = productShape(lhs, rhs, attributes);
    const ProductShape& shape = product.m_shape;
    const bool isPlain = shape.batch == 1 && !shape.left.packing && !shape.right.packing && shape.columns > 1;
    const bool hasRows =
        isPlain && shape.rows > fewRowsLimit && shape.terms <= fewRowsLimit && shape.right.columnStride == 1;
    const bool hasColumns = isPlain && shape.terms > 1 && shape.rows <= fewRowsLimit && shape.left.columnStride == 1
        && shape.right.rowStride == 1 && shape.right.columnStride == shape.terms;
    const bool canShareRight = isPlain && shape.rows <= fewRowsLimit && shape.right.columnStride == 1;
    const auto choose = [&]<class T>(T) {
        product.m_run = &Product::runTyped<T>;
        product.m_runSeveral = canShareRight ? &Product::runSeveralTyped<T> : nullptr;
        product.m_kernelScratch = kernels.products<T>().scratchBytes;
        product.m_runRows = hasRows ? &Product::runRowsTyped<T> : nullptr;
        product.m_runRowsOfTwo = hasRows ? &Product::runRowsOfTwoTyped<T> : nullptr;
        product.m_runColumns = hasColumns ? &Product::runColumnsTyped<T> : nullptr;
    };
    switch (lhs.dtype) {
    case DType::F32:
        choose(float());
        break;
    case DType::F64:
        choose(double());
        break;
    case DType::I32:
        choose(std::int32_t());
        break;
    default:
        return std::nullopt;
    }
    const std::int64_t elementBytes = byteSize(lhs.dtype);
    product.m_scratchBytes = alignedBytes(product.m_kernelScratch)
        + alignedBytes(product.m_shape.left.packedElements * elementBytes)
        + alignedBytes(product.m_shape.right.packedElements * elementBytes);
    return product;
}

/// Of a batch: how many elements of the operand stand after one of its matrices, where these stand one after the other.
std::int64_t Product::elementsAfter(const ProductOperand& operand, std::int64_t matrix, std::int64_t product) const
{
    const std::int64_t left = m_shape.batch - product - 1;
    return left > 0 && batchOffset(operand, product + 1) - batchOffset(operand, product) == matrix ? left * matrix : 0;
}

template <class T>
void Product::runTyped(std::byte* out, const std::byte* lhs, const std::byte* rhs, std::byte* scratch) const
{
    std::byte* packed = scratch + alignedBytes(m_kernelScratch);
    const auto ready = [&packed](const ProductOperand& operand, const std::byte* data) {
        if (!operand.packing)
            return reinterpret_cast<const T*>(data);
        operand.packing->run(packed, data);
        const T* matrix = reinterpret_cast<const T*>(packed);
        packed += alignedBytes(operand.packedElements * static_cast<std::int64_t>(sizeof(T)));
        return matrix;
    };
    const T* left = ready(m_shape.left, lhs);
    const T* right = ready(m_shape.right, rhs);
    T* result = reinterpret_cast<T*>(out);
    for (std::int64_t product = 0; product < m_shape.batch; ++product) {
        multiply<T>(m_kernels->products<T>(), { result + product * m_shape.rows * m_shape.columns, m_shape.columns, 1 },
            { left + batchOffset(m_shape.left, product), m_shape.left.rowStride, m_shape.left.columnStride },
            { right + batchOffset(m_shape.right, product), m_shape.right.rowStride, m_shape.right.columnStride },
            m_shape.rows, m_shape.columns, m_shape.terms, scratch,
            elementsAfter(m_shape.left, m_shape.rows * m_shape.terms, product),
            elementsAfter(m_shape.right, m_shape.terms * m_shape.columns, product));
    }
}

template <class T>
void Product::runSeveralTyped(std::span<const Sharer> sharers, const std::byte* rhs) const
{
    std::array<ProductRows<T>, maximumSharers> of;
    std::transform(sharers.begin(), sharers.end(), of.begin(), [this](const Sharer& sharer) {
        return ProductRows<T>{ { reinterpret_cast<T*>(sharer.out), m_shape.columns, 1 },
            { reinterpret_cast<const T*>(sharer.lhs), m_shape.left.rowStride, m_shape.left.columnStride } };
    });
    m_kernels->products<T>().fewRows(of.data(), static_cast<std::int64_t>(sharers.size()),
        { reinterpret_cast<const T*>(rhs), m_shape.right.rowStride, 1 }, m_shape.rows, m_shape.columns, m_shape.terms,
        0);
}

template <class T>
void Product::runRowsTyped(
    std::byte* out, const std::byte* lhs, const std::byte* rhs, std::int64_t first, std::int64_t count) const
{
    const FewTermsOperands<T> operands = rowsOf<T>({ lhs, rhs }, first);
    m_kernels->products<T>().fewTerms({ reinterpret_cast<T*>(out), m_shape.columns, 1 }, operands.a, operands.b, count,
        m_shape.columns, m_shape.terms);
}

template <class T>
void Product::runRowsOfTwoTyped(
    std::byte* out, const Operands& one, const Operands& other, std::int64_t first, std::int64_t count) const
{
    m_kernels->products<T>().fewTermsOfTwo({ reinterpret_cast<T*>(out), m_shape.columns, 1 }, rowsOf<T>(one, first),
        rowsOf<T>(other, first), count, m_shape.columns, m_shape.terms);
}

template <class T>
void Product::runColumnsTyped(
    std::byte* out, const std::byte* lhs, const std::byte* rhs, std::int64_t first, std::int64_t count) const
{
    m_kernels->products<T>().fewRowsTransposed({ reinterpret_cast<T*>(out) + first, m_shape.columns, 1 },
        { reinterpret_cast<const T*>(lhs), m_shape.left.rowStride, 1 },
        { reinterpret_cast<const T*>(rhs) + first * m_shape.right.columnStride, 1, m_shape.right.columnStride },
        m_shape.rows, count, m_shape.terms, (m_shape.columns - first - count) * m_shape.right.columnStride);
}

} // namespace shardscope
