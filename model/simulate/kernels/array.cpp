// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/kernels/array.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "program/element_bits.h"
#include "simulate/kernels/element_types.h"

namespace shardscope::kernels {

Array Array::make(const TensorType& type)
{
    Array array{ type, {}, {} };
    if (const std::int64_t bytes = type.byteCount(); bytes > 0)
        array.bytes = std::make_shared_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
    return array;
}

Array Array::zeros(const TensorType& type)
{
    Array array = make(type);
    if (array.bytes)
        std::memset(array.data(), 0, static_cast<std::size_t>(type.byteCount()));
    return array;
}

Array copied(const Array& array)
{
    Array copy = Array::make(array.type);
    if (copy.bytes)
        std::memcpy(copy.data(), array.data(), static_cast<std::size_t>(array.type.byteCount()));
    return copy;
}

Array arrayOfBytes(const TensorType& type, std::vector<std::byte> bytes)
{
    Array array{ type, {}, {} };
    if (!bytes.empty()) {
        const auto owner = std::make_shared<std::vector<std::byte>>(std::move(bytes));
        array.bytes = std::shared_ptr<std::byte[]>(owner, owner->data());
    }
    return array;
}

Array Array::reshaped(const TensorType& other) const
{
    return { other, bytes, {} };
}

Array partsOf(const Array& array)
{
    if (!isComplex(array.type.dtype))
        return array;
    TensorType type{ realPart(array.type.dtype), *array.type.shape };
    type.shape.push_back(2);
    return array.reshaped(type);
}

double numberAt(const Array& array, std::int64_t index)
{
    const std::byte* at = array.data() + index * array.elementBytes();
    if (isComplex(array.type.dtype)) {
        const DType part = realPart(array.type.dtype);
        return std::hypot(floatAt(part, at), floatAt(part, at + byteSize(part)));
    }
    if (array.type.dtype == DType::U64)
        return static_cast<double>(array.as<std::uint64_t>()[index]);
    return isFloat(array.type.dtype) ? floatAt(array.type.dtype, at)
                                     : static_cast<double>(integerAt(array.type.dtype, at));
}

std::int64_t integerAt(const Array& array, std::int64_t index)
{
    if (array.type.dtype == DType::U64) {
        const std::uint64_t value = array.as<std::uint64_t>()[index];
        constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
        return value > static_cast<std::uint64_t>(largest) ? largest : static_cast<std::int64_t>(value);
    }
    return integerAt(array.type.dtype, array.data() + index * array.elementBytes());
}

void setNumber(Array& array, std::int64_t index, double value)
{
    std::byte* at = array.data() + index * array.elementBytes();
    if (isComplex(array.type.dtype)) {
        const DType part = realPart(array.type.dtype);
        storeFloat(part, value, at);
        storeFloat(part, 0, at + byteSize(part));
    } else if (isFloat(array.type.dtype))
        storeFloat(array.type.dtype, value, at);
    else
        storeRounded(array.type.dtype, value, at);
}

void setInteger(Array& array, std::int64_t index, std::int64_t value)
{
    std::byte* at = array.data() + index * array.elementBytes();
    if (isFloat(array.type.dtype) || isComplex(array.type.dtype))
        setNumber(array, index, static_cast<double>(value));
    else
        storeWrapped(array.type.dtype, value, at);
}

Shape stridesOf(std::span<const std::int64_t> shape)
{
    Shape strides;
    strides.resize(shape.size(), 1);
    for (std::size_t d = shape.size(); d-- > 1;)
        strides[d - 1] = strides[d] * shape[d];
    return strides;
}

namespace {

struct Sixteen {
    std::uint64_t low, high;
};

template <class T>
void copyTyped(std::span<const std::int64_t> shape, T* target, std::span<const std::int64_t> targetStrides,
    const T* source, std::span<const std::int64_t> sourceStrides)
{
    const std::size_t rank = shape.size();
    if (rank == 0) {
        *target = *source;
        return;
    }
    const std::int64_t inner = shape[rank - 1], to = targetStrides[rank - 1], from = sourceStrides[rank - 1];
    Shape index;
    index.resize(rank - 1, 0);
    while (true) {
        if (to == 1 && from == 1)
            std::memcpy(target, source, static_cast<std::size_t>(inner) * sizeof(T));
        else
            for (std::int64_t i = 0; i < inner; ++i)
                target[i * to] = source[i * from];
        std::size_t d = rank - 1;
        while (d-- > 0) {
            target += targetStrides[d];
            source += sourceStrides[d];
            if (++index[d] < shape[d])
                break;
            target -= targetStrides[d] * shape[d];
            source -= sourceStrides[d] * shape[d];
            index[d] = 0;
        }
        if (d == static_cast<std::size_t>(-1))
            return;
    }
}

} // namespace

void copyBox(std::span<const std::int64_t> shape, std::byte* target, std::span<const std::int64_t> targetStrides,
    const std::byte* source, std::span<const std::int64_t> sourceStrides, std::int64_t elementBytes)
{
    // Dimensions of one element are dropped, neighbours that lie alike are one.
    Shape extents, to, from;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        if (shape[d] == 0)
            return;
        if (shape[d] == 1)
            continue;
        if (!extents.empty() && to.back() == targetStrides[d] * shape[d]
            && from.back() == sourceStrides[d] * shape[d]) {
            extents.back() *= shape[d];
            to.back() = targetStrides[d];
            from.back() = sourceStrides[d];
            continue;
        }
        extents.push_back(shape[d]);
        to.push_back(targetStrides[d]);
        from.push_back(sourceStrides[d]);
    }
    const auto typed = [&](auto element) {
        using T = decltype(element);
        copyTyped<T>(extents, reinterpret_cast<T*>(target), to, reinterpret_cast<const T*>(source), from);
    };
    switch (elementBytes) {
    case 1:
        return typed(std::uint8_t());
    case 2:
        return typed(std::uint16_t());
    case 4:
        return typed(std::uint32_t());
    case 8:
        return typed(std::uint64_t());
    default:
        return typed(Sixteen());
    }
}

void fill(std::byte* target, const std::byte* element, std::int64_t elementBytes, std::int64_t count)
{
    const std::int64_t one = 1;
    const std::int64_t zero = 0;
    copyBox({ &count, 1 }, target, { &one, 1 }, element, { &zero, 1 }, elementBytes);
}

} // namespace shardscope::kernels
