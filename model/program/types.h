// SPDX-License-Identifier: GPL-3.0-or-later
// Element types, shapes and identities of the tensor IR.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "base/ids.h"
#include "base/shared.h"
#include "sharding/tensor_sharding.h"

namespace shardscope {

using ValueId = Id<struct ValueTag>;
using OperationId = Id<struct OperationTag>;
using RegionId = Id<struct RegionTag>;

/// StableHLO's element types. Fast kernels exist for pred, i32, f32 and f64. The last two are no element types: a
/// token, and whatever else stands where a type is expected (tuples, quantised numbers, tensors of unknown rank).
enum class DType : std::uint8_t {
    Pred,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    BF16,
    F16,
    F32,
    F64,
    I2,
    I4,
    U2,
    U4,
    F4E2M1FN,
    F6E2M3FN,
    F6E3M2FN,
    F8E3M4,
    F8E4M3,
    F8E4M3FN,
    F8E4M3FNUZ,
    F8E4M3B11FNUZ,
    F8E5M2,
    F8E5M2FNUZ,
    F8E8M0FNU,
    C64,
    C128,
    Token,
    Other
};

[[nodiscard]] std::string_view name(DType dtype); ///< StableHLO's: "i1", "i32", "f32"
[[nodiscard]] std::optional<DType> parseDType(std::string_view text);
[[nodiscard]] std::int64_t byteSize(
    DType dtype); ///< of one element in memory; pred and what is under a byte take one, tokens none
[[nodiscard]] bool isFloat(DType dtype);
[[nodiscard]] bool isComplex(DType dtype);
/// Of complex elements the type of their parts, f32 or f64; other types are as they are.
[[nodiscard]] DType realPart(DType dtype);
/// A tensor of a known element type: not a token, not some other type.
[[nodiscard]] bool isTensor(DType dtype);

/// A size that is known only when the program runs ("?"). Kept by the reader, refused by everything that computes.
inline constexpr std::int64_t dynamicSize = -1;

struct TensorType {
    DType dtype = DType::F32;
    std::uint32_t other = 0; ///< of DType::Other: index into Program::otherTypes
    Shared<Shape> shape;

    TensorType() = default;
    TensorType(DType d, Shared<Shape> s = {}, std::uint32_t o = 0) // NOLINT: brackets stand for it
        : dtype(d)
        , other(o)
        , shape(std::move(s))
    {
    }

    [[nodiscard]] std::size_t rank() const { return shape.size(); }
    /// Both stop at the largest 64-bit number instead of overflowing; see checkSize().
    [[nodiscard]] std::int64_t elementCount() const;
    [[nodiscard]] std::int64_t byteCount() const;
    bool operator==(const TensorType&) const = default;
};

[[nodiscard]] std::string toString(const TensorType& type); ///< "tensor<8x1024xf32>"

inline constexpr std::int64_t maximumBytes = std::int64_t{ 1 } << 62;
/// a * b for non-negative factors; the largest 64-bit number where the product is larger.
[[nodiscard]] std::int64_t saturatingProduct(std::int64_t a, std::int64_t b);
/// a + b likewise.
[[nodiscard]] std::int64_t saturatingSum(std::int64_t a, std::int64_t b);
/// Errors: InvalidAttribute for a negative dimension, TooLarge beyond 2^62 bytes.
[[nodiscard]] Result<void> checkSize(const TensorType& type);

} // namespace shardscope
