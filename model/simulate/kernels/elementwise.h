// SPDX-License-Identifier: GPL-3.0-or-later
// Elementwise operations as functions over runs of elements: chosen once per operation and called for full arrays, for
// the parts of a body, or for single elements. Compiled for f32, f64 and integers of 8 to 64 bits; narrower types are
// widened in parts and rounded after the operation.
//
//     const std::optional<ElementKernel> add = elementKernel(OpKind::Add, {}, std::array{ DType::BF16, DType::BF16 },
//         DType::BF16);
//     add->run(std::array{ a, b }.data(), sums, 1000);
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "program/program.h"

namespace shardscope::kernels {

/// What an operation says beside its operands.
struct ElementContext {
    std::int64_t exponentBits = 0, mantissaBits = 0; ///< reduce_precision
};
/// out[i] = f(in[0][i], in[1][i], ...) for i < n. `out` may be one of the operands.
using ElementFunction = void (*)(
    const std::byte* const* in, std::byte* out, std::int64_t n, const ElementContext& context);

struct ElementKernel {
    ElementFunction function = nullptr; ///< null: the result is the operand, converted
    ElementContext context;
    std::array<DType, 3> operands{};
    DType result = DType::F32;
    std::uint8_t operandCount = 1;
    bool adapts = false; ///< computes in other types than those of operands and result
    std::uint8_t bitsOnly = 0; ///< of a narrow signed type: its bits, without their sign, are what counts

    void run(const std::byte* const* in, std::byte* out, std::int64_t n) const;
};

/// The kernel of an elementwise operation; nothing for other operations and for types that it has no meaning for.
/// chlo's broadcasting forms are those of their operands once these have been spread.
[[nodiscard]] std::optional<ElementKernel> elementKernel(
    OpKind kind, const Attributes& attributes, std::span<const DType> operands, DType result);
/// Of an operation of a program.
[[nodiscard]] std::optional<ElementKernel> elementKernel(const Program& program, const Operation& operation);

// By compute type; null where there is none.
[[nodiscard]] ElementFunction floatFunction(OpKind kind, DType computed, const Attributes& attributes);
[[nodiscard]] ElementFunction integerFunction(OpKind kind, DType computed, const Attributes& attributes);
[[nodiscard]] ElementFunction specialFunction(OpKind kind, DType computed);
/// Of operands or a result of complex numbers whose parts are of that type.
[[nodiscard]] ElementFunction complexFunction(OpKind kind, DType part, const Attributes& attributes);

/// A loop over a function object without state.
template <class R, class T, class F>
[[nodiscard]] constexpr ElementFunction unaryLoop(F)
{
    return [](const std::byte* const* in, std::byte* out, std::int64_t n, const ElementContext&) {
        const T* a = reinterpret_cast<const T*>(in[0]);
        R* r = reinterpret_cast<R*>(out);
        for (std::int64_t i = 0; i < n; ++i)
            r[i] = static_cast<R>(F()(a[i]));
    };
}
template <class R, class T, class F>
[[nodiscard]] constexpr ElementFunction binaryLoop(F)
{
    return [](const std::byte* const* in, std::byte* out, std::int64_t n, const ElementContext&) {
        const T* a = reinterpret_cast<const T*>(in[0]);
        const T* b = reinterpret_cast<const T*>(in[1]);
        R* r = reinterpret_cast<R*>(out);
        for (std::int64_t i = 0; i < n; ++i)
            r[i] = static_cast<R>(F()(a[i], b[i]));
    };
}

} // namespace shardscope::kernels
