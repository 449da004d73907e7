// SPDX-License-Identifier: GPL-3.0-or-later
// The inner loops of the simulated devices, once per instruction set: portable (whatever the build targets), AVX2 with
// FMA, AVX-512. The set is chosen when the program runs.
//
// Order of sums, the same in every set: a product of matrices is one chain of multiply-adds per element in ascending
// order of the contracted index, except fewRowsTransposed, which keeps 64 bytes of partial sums (16 of f32, 8 of f64)
// and adds them as a tree: lane i and lane i + 8, then i + 4, ... The sets with FMA give equal bits; the portable one
// rounds every product where it has no FMA. Elementwise results are equal in all sets.
#pragma once

#include <cstddef>
#include <cstdint>

#include "program/program.h"

namespace shardscope {

enum class InstructionSet : std::uint8_t { Portable, Avx2, Avx512 };

/// out[i] = f(a[i], b[i], c[i]) for i < n, n >= 1. `out` may be an operand of the same element type, but may not
/// overlap one otherwise. Unused operands are null.
using ElementwiseFunction = void (*)(void* out, const void* a, const void* b, const void* c, std::int64_t n);

struct ElementwiseKey {
    OpKind kind = OpKind::Add;
    Comparison comparison = Comparison::Equal;
    DType operand = DType::F32; ///< of the operands (Select: of the values, the predicate is pred)
    DType result = DType::F32;
    unsigned scalars = 0; ///< bit i: operand i is one element, used for every i
};

/// A matrix by its element strides.
template <class T>
struct MatrixView {
    T* data = nullptr;
    std::int64_t rowStride = 0;
    std::int64_t columnStride = 1;
};

/// A [m, k] and B [k, n] of a product of few terms; B's columns are neighbours.
template <class T>
struct FewTermsOperands {
    MatrixView<const T> a, b;
};

/// C [m, n] and A [m, k] of one of several products with the same B, or some of their rows.
template <class T>
struct ProductRows {
    MatrixView<T> c;
    MatrixView<const T> a;
};

/// Products C = A B of C [m, n], A [m, k], B [k, n]; C's columns are neighbours in memory. Scratch as `scratchBytes`.
template <class T>
struct ProductFunctions {
    // What kernels of few rows read next is prefetched, up to `following` elements after the end of B: those of the
    // same array. What stands behind that may belong to another core, which would have to fetch it back.

    /// Few rows, of `count` products with the same B: B's columns are neighbours; one pass over B, every row of C being
    /// short enough to stay in the cache.
    void (*fewRows)(const ProductRows<T>* of, std::int64_t count, MatrixView<const T> b, std::int64_t m, std::int64_t n,
        std::int64_t k, std::int64_t following) = nullptr;
    /// Few rows, B transposed: rows of Bᵀ and of A are neighbours in memory (columnStride of A 1, rowStride of B 1).
    void (*fewRowsTransposed)(MatrixView<T> c, MatrixView<const T> a, MatrixView<const T> b, std::int64_t m,
        std::int64_t n, std::int64_t k, std::int64_t following) = nullptr;
    /// Few terms: C is large and written once; B's columns are neighbours.
    void (*fewTerms)(MatrixView<T> c, MatrixView<const T> a, MatrixView<const T> b, std::int64_t m, std::int64_t n,
        std::int64_t k) = nullptr;
    /// C = A B + A' B', each product rounded as fewTerms() does it, and then their sum.
    void (*fewTermsOfTwo)(MatrixView<T> c, const FewTermsOperands<T>& first, const FewTermsOperands<T>& second,
        std::int64_t m, std::int64_t n, std::int64_t k) = nullptr;
    /// Any sizes and strides, by packed blocks.
    void (*packed)(MatrixView<T> c, MatrixView<const T> a, MatrixView<const T> b, std::int64_t m, std::int64_t n,
        std::int64_t k, std::byte* scratch) = nullptr;
    std::int64_t scratchBytes = 0; ///< of `packed`, 64-byte aligned
};

/// Reductions of runs of elements. `row`: one value from n neighbours, in 64 bytes of partial results for sums (the
/// tree above), maxima and minima of floats, else in order; the identity for n = 0.
struct ReduceKey {
    ReduceKind kind = ReduceKind::Sum;
    DType dtype = DType::F32;
};
using RowReduction = void (*)(void* out, const void* in, std::int64_t n);

/// Adam's update as the fused instruction of a train step has it:
///     newMu = mu * muDecay + g * muGain          newNu = nu * nuDecay + (g * g) * nuGain
///     newParameter = parameter + (newMu * step) / (sqrt(newNu * scale) + epsilon)
/// Results may stand where operands stood.
template <class T>
struct AdamOperands {
    const T *gradient = nullptr, *mu = nullptr, *nu = nullptr, *parameter = nullptr;
    T *newMu = nullptr, *newNu = nullptr, *newParameter = nullptr;
    T muDecay = 0, muGain = 0, nuDecay = 0, nuGain = 0, scale = 0, epsilon = 0, step = 0;
    std::int64_t following = 0; ///< elements of the arrays after these ones; some of them are prefetched
    bool gradientIsCached = false; ///< it has been computed just before, and need not be prefetched
};

template <class T>
struct AdamFunctions {
    void (*update)(const AdamOperands<T>& operands, std::int64_t n) = nullptr;
    /// The same where the gradient [m, n] is the sum of 1 or 2 products of few terms, as fewTerms() and fewTermsOfTwo()
    /// round it. It is not stored; `operands.gradient` is not read.
    void (*updateByProducts)(const AdamOperands<T>& operands, const FewTermsOperands<T>* of, std::int64_t products,
        std::int64_t m, std::int64_t n, std::int64_t k) = nullptr;
};

struct KernelSet {
    InstructionSet set = InstructionSet::Portable;
    /// Null where the combination has no kernel.
    ElementwiseFunction (*elementwise)(const ElementwiseKey& key) = nullptr;
    RowReduction (*rowReduction)(const ReduceKey& key) = nullptr;
    /// Each of `n` elements `times` times.
    void (*repeatEach)(
        void* out, const void* in, std::int64_t n, std::int64_t times, std::int64_t elementBytes) = nullptr;
    ProductFunctions<float> f32;
    ProductFunctions<double> f64;
    ProductFunctions<std::int32_t> i32;
    AdamFunctions<float> adamF32;
    AdamFunctions<double> adamF64;

    template <class T>
    [[nodiscard]] const ProductFunctions<T>& products() const;
    template <class T>
    [[nodiscard]] const AdamFunctions<T>& adam() const
    {
        if constexpr (sizeof(T) == sizeof(float))
            return adamF32;
        else
            return adamF64;
    }
};

template <>
inline const ProductFunctions<float>& KernelSet::products<float>() const
{
    return f32;
}
template <>
inline const ProductFunctions<double>& KernelSet::products<double>() const
{
    return f64;
}
template <>
inline const ProductFunctions<std::int32_t>& KernelSet::products<std::int32_t>() const
{
    return i32;
}

/// Whether this machine can execute the set and the build holds it.
[[nodiscard]] bool isAvailable(InstructionSet set);
/// The set, or the portable one if it is not available.
[[nodiscard]] const KernelSet& kernelSet(InstructionSet set);
/// The best available set.
[[nodiscard]] const KernelSet& kernelSet();

/// Largest number of rows (of terms) for which the kernels with few rows (few terms) are the better choice: up to here
/// a product is bound by memory.
inline constexpr std::int64_t fewRowsLimit = 16;

} // namespace shardscope
