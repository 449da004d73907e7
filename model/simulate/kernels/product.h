// SPDX-License-Identifier: GPL-3.0-or-later
// dot_general lowered to products of matrices: batch dimensions become a loop, the other dimensions of each operand
// become rows and columns. Operands whose dimensions do not lie in that order are brought into it first.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "program/program.h"
#include "simulate/kernels/kernel_set.h"
#include "simulate/kernels/strided_copy.h"

namespace shardscope {

/// How one operand is seen as matrices, in elements.
struct ProductOperand {
    std::int64_t rowStride = 0;
    std::int64_t columnStride = 1;
    Shape batchExtents, batchStrides; ///< of the batch dimensions, in elements
    std::optional<StridedCopy> packing; ///< into scratch, if set
    std::int64_t packedElements = 0;
};

struct ProductShape {
    std::int64_t batch = 1; ///< number of products
    std::int64_t rows = 1, columns = 1, terms = 1;
    ProductOperand left, right;
};
[[nodiscard]] ProductShape productShape(
    const TensorType& lhs, const TensorType& rhs, const DotGeneralAttributes& attributes);

class Product {
public:
    /// Empty when the element type has no kernels.
    static std::optional<Product> prepare(
        const TensorType& lhs, const TensorType& rhs, const DotGeneralAttributes& attributes, const KernelSet& kernels);

    [[nodiscard]] std::int64_t scratchBytes() const { return m_scratchBytes; }
    void run(std::byte* out, const std::byte* lhs, const std::byte* rhs, std::byte* scratch) const
    {
        (this->*m_run)(out, lhs, rhs, scratch);
    }

    /// Where a product reads and writes that has its right operand in common with others.
    struct Sharer {
        std::byte* out = nullptr;
        const std::byte* lhs = nullptr;
    };
    static constexpr std::size_t maximumSharers = 8;
    /// Whether such products can be done in one pass over that operand: they have a few rows.
    [[nodiscard]] bool canShareRight() const { return m_runSeveral != nullptr; }
    /// At most maximumSharers. Bits are those of run().
    void runSeveral(std::span<const Sharer> sharers, const std::byte* rhs) const
    {
        (this->*m_runSeveral)(sharers, rhs);
    }

    /// Whether rows of the result can be had one by one: a large matrix, each element the sum of a few terms. Their
    /// bits are those of run().
    [[nodiscard]] bool hasRows() const { return m_runRows != nullptr; }
    [[nodiscard]] std::int64_t rowCount() const { return m_shape.rows; }
    [[nodiscard]] std::int64_t columnCount() const { return m_shape.columns; }
    /// `count` rows from `first` on, to the beginning of `out`.
    void runRows(
        std::byte* out, const std::byte* lhs, const std::byte* rhs, std::int64_t first, std::int64_t count) const
    {
        (this->*m_runRows)(out, lhs, rhs, first, count);
    }

    /// The operands of the product on one device.
    struct Operands {
        const std::byte *lhs = nullptr, *rhs = nullptr;
    };
    /// The rows of two such products added up. Bits are those of runRows() twice, and of adding the second to the
    /// first.
    void runRowsOfTwo(
        std::byte* out, const Operands& one, const Operands& other, std::int64_t first, std::int64_t count) const
    {
        (this->*m_runRowsOfTwo)(out, one, other, first, count);
    }

    /// What runRows() gives to the kernels.
    template <class T>
    [[nodiscard]] FewTermsOperands<T> rowsOf(const Operands& operands, std::int64_t first) const
    {
        const ProductOperand& left = m_shape.left;
        return { { reinterpret_cast<const T*>(operands.lhs) + first * left.rowStride, left.rowStride,
                     left.columnStride },
            { reinterpret_cast<const T*>(operands.rhs), m_shape.right.rowStride, m_shape.right.columnStride } };
    }

    /// Whether columns of the result can be had one by one: a few rows, each element the sum of neighbouring terms of
    /// the right operand, as of the product with a transposed matrix. Their bits are those of run().
    [[nodiscard]] bool hasColumns() const { return m_runColumns != nullptr; }
    [[nodiscard]] std::int64_t termCount() const { return m_shape.terms; }
    /// `count` columns from `first` on, to their places in `out`. The right operand's rows of these columns are read.
    void runColumns(
        std::byte* out, const std::byte* lhs, const std::byte* rhs, std::int64_t first, std::int64_t count) const
    {
        (this->*m_runColumns)(out, lhs, rhs, first, count);
    }

private:
    template <class T>
    void runTyped(std::byte* out, const std::byte* lhs, const std::byte* rhs, std::byte* scratch) const;
    [[nodiscard]] std::int64_t elementsAfter(
        const ProductOperand& operand, std::int64_t matrix, std::int64_t product) const;
    template <class T>
    void runSeveralTyped(std::span<const Sharer> sharers, const std::byte* rhs) const;
    template <class T>
    void runRowsTyped(
        std::byte* out, const std::byte* lhs, const std::byte* rhs, std::int64_t first, std::int64_t count) const;

    template <class T>
    void runRowsOfTwoTyped(
        std::byte* out, const Operands& one, const Operands& other, std::int64_t first, std::int64_t count) const;
    template <class T>
    void runColumnsTyped(
        std::byte* out, const std::byte* lhs, const std::byte* rhs, std::int64_t first, std::int64_t count) const;

    using RunPart = void (Product::*)(std::byte*, const std::byte*, const std::byte*, std::int64_t, std::int64_t) const;

    ProductShape m_shape;
    const KernelSet* m_kernels = nullptr;
    std::int64_t m_scratchBytes = 0;
    std::int64_t m_kernelScratch = 0;
    void (Product::*m_run)(std::byte*, const std::byte*, const std::byte*, std::byte*) const = nullptr;
    void (Product::*m_runSeveral)(std::span<const Sharer>, const std::byte*) const = nullptr;
    RunPart m_runRows = nullptr, m_runColumns = nullptr;
    void (Product::*m_runRowsOfTwo)(
        std::byte*, const Operands&, const Operands&, std::int64_t, std::int64_t) const = nullptr;
};

} // namespace shardscope
