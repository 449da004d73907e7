// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/types.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/codes.h"

namespace shardscope {

namespace {

struct DTypeRow {
    DType dtype;
    std::string_view name;
    std::int64_t bytes;
    bool isFloat;
};

constexpr std::array dtypes{
    DTypeRow{ DType::Pred, "i1", 1, false },
    DTypeRow{ DType::I8, "i8", 1, false },
    DTypeRow{ DType::I16, "i16", 2, false },
    DTypeRow{ DType::I32, "i32", 4, false },
    DTypeRow{ DType::I64, "i64", 8, false },
    DTypeRow{ DType::U8, "ui8", 1, false },
    DTypeRow{ DType::U16, "ui16", 2, false },
    DTypeRow{ DType::U32, "ui32", 4, false },
    DTypeRow{ DType::U64, "ui64", 8, false },
    DTypeRow{ DType::BF16, "bf16", 2, true },
    DTypeRow{ DType::F16, "f16", 2, true },
    DTypeRow{ DType::F32, "f32", 4, true },
    DTypeRow{ DType::F64, "f64", 8, true },
    DTypeRow{ DType::I2, "i2", 1, false },
    DTypeRow{ DType::I4, "i4", 1, false },
    DTypeRow{ DType::U2, "ui2", 1, false },
    DTypeRow{ DType::U4, "ui4", 1, false },
    DTypeRow{ DType::F4E2M1FN, "f4E2M1FN", 1, true },
    DTypeRow{ DType::F6E2M3FN, "f6E2M3FN", 1, true },
    DTypeRow{ DType::F6E3M2FN, "f6E3M2FN", 1, true },
    DTypeRow{ DType::F8E3M4, "f8E3M4", 1, true },
    DTypeRow{ DType::F8E4M3, "f8E4M3", 1, true },
    DTypeRow{ DType::F8E4M3FN, "f8E4M3FN", 1, true },
    DTypeRow{ DType::F8E4M3FNUZ, "f8E4M3FNUZ", 1, true },
    DTypeRow{ DType::F8E4M3B11FNUZ, "f8E4M3B11FNUZ", 1, true },
    DTypeRow{ DType::F8E5M2, "f8E5M2", 1, true },
    DTypeRow{ DType::F8E5M2FNUZ, "f8E5M2FNUZ", 1, true },
    DTypeRow{ DType::F8E8M0FNU, "f8E8M0FNU", 1, true },
    DTypeRow{ DType::C64, "complex<f32>", 8, false },
    DTypeRow{ DType::C128, "complex<f64>", 16, false },
    DTypeRow{ DType::Token, "!stablehlo.token", 0, false },
    DTypeRow{ DType::Other, "other", 0, false },
};

const DTypeRow& row(DType dtype)
{
    return dtypes[static_cast<std::size_t>(dtype)];
}

} // namespace

std::string_view name(DType dtype)
{
    return row(dtype).name;
}

std::optional<DType> parseDType(std::string_view text)
{
    const auto found = std::find_if(dtypes.begin(), dtypes.end(), [&](const DTypeRow& r) { return r.name == text; });
    return found == dtypes.end() || !isTensor(found->dtype) ? std::nullopt : std::optional(found->dtype);
}

std::int64_t byteSize(DType dtype)
{
    return row(dtype).bytes;
}

bool isFloat(DType dtype)
{
    return row(dtype).isFloat;
}

bool isComplex(DType dtype)
{
    return dtype == DType::C64 || dtype == DType::C128;
}

DType realPart(DType dtype)
{
    return dtype == DType::C64 ? DType::F32 : dtype == DType::C128 ? DType::F64 : dtype;
}

bool isTensor(DType dtype)
{
    return dtype != DType::Token && dtype != DType::Other;
}

std::int64_t saturatingProduct(std::int64_t a, std::int64_t b)
{
    constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
    if (a == 0 || b == 0)
        return 0;
    return a > largest / b ? largest : a * b;
}

std::int64_t saturatingSum(std::int64_t a, std::int64_t b)
{
    constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
    return a > largest - b ? largest : a + b;
}

std::int64_t TensorType::elementCount() const
{
    std::int64_t count = 1;
    bool empty = false;
    for (const std::int64_t size : shape) {
        empty = empty || size <= 0;
        count = saturatingProduct(count, std::max<std::int64_t>(size, 1));
    }
    return empty ? 0 : count;
}

std::int64_t TensorType::byteCount() const
{
    return saturatingProduct(elementCount(), byteSize(dtype));
}

Result<void> checkSize(const TensorType& type)
{
    for (const std::int64_t size : type.shape)
        if (size < 0)
            return fail(Code::InvalidAttribute,
                { { "op", "tensor" }, { "wrong", "size" }, { "size", size }, { "type", toString(type) } });
    if (type.byteCount() > maximumBytes)
        return fail(
            Code::TooLarge, { { "what", toString(type) }, { "bytes", type.byteCount() }, { "limit", maximumBytes } });
    return {};
}

std::string toString(const TensorType& type)
{
    if (type.dtype == DType::Token)
        return std::string(name(type.dtype));
    std::string text = "tensor<";
    for (const std::int64_t size : type.shape)
        text += (size == dynamicSize ? "?" : std::to_string(size)) + 'x';
    text += name(type.dtype);
    return text + '>';
}

} // namespace shardscope
