// SPDX-License-Identifier: GPL-3.0-or-later
// Single elements of device memory as doubles, for what is not in the way of a step.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "program/types.h"

namespace shardscope {

// Of the element types that have no kernels of their own.
void storeOther(DType dtype, std::byte* array, std::int64_t index, double value);
[[nodiscard]] double loadOther(DType dtype, const std::byte* array, std::int64_t index);

/// Pred, i32, f32 and f64: the element types that devices compute with.
inline void storeElement(DType dtype, std::byte* array, std::int64_t index, double value)
{
    const auto put = [&](auto typed) {
        std::memcpy(array + index * static_cast<std::int64_t>(sizeof typed), &typed, sizeof typed);
    };
    switch (dtype) {
    case DType::F64:
        return put(value);
    case DType::I32:
        return put(static_cast<std::int32_t>(std::clamp(value, -2147483648.0, 2147483647.0)));
    case DType::Pred:
        return put(static_cast<std::uint8_t>(value != 0));
    case DType::F32:
        return put(static_cast<float>(value));
    default:
        return storeOther(dtype, array, index, value);
    }
}

[[nodiscard]] inline double loadElement(DType dtype, const std::byte* array, std::int64_t index)
{
    const auto get = [&](auto typed) {
        std::memcpy(&typed, array + index * static_cast<std::int64_t>(sizeof typed), sizeof typed);
        return static_cast<double>(typed);
    };
    switch (dtype) {
    case DType::F64:
        return get(double());
    case DType::I32:
        return get(std::int32_t());
    case DType::Pred:
        return get(std::uint8_t());
    case DType::F32:
        return get(float());
    default:
        return loadOther(dtype, array, index);
    }
}

} // namespace shardscope
