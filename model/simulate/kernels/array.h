// SPDX-License-Identifier: GPL-3.0-or-later
// What one device has of a value while a program is executed: a type and its elements, row-major.
//
//     Array x = Array::make({ DType::F32, { 2, 3 } }); // 24 bytes, not set yet
//     x.as<float>()[5] = 1;
//     Array same = x; // shares the bytes, which nobody writes to once the array is handed on
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "program/types.h"

namespace shardscope::kernels {

struct Array {
    TensorType type;
    std::shared_ptr<std::byte[]> bytes; ///< null for tokens, tuples and arrays without elements
    std::vector<Array> parts; ///< of a tuple

    /// Elements are not set.
    static Array make(const TensorType& type);
    /// Every element zero.
    static Array zeros(const TensorType& type);

    [[nodiscard]] std::int64_t count() const { return type.elementCount(); }
    [[nodiscard]] std::int64_t elementBytes() const { return byteSize(type.dtype); }
    [[nodiscard]] std::byte* data() { return bytes.get(); }
    [[nodiscard]] const std::byte* data() const { return bytes.get(); }
    template <class T>
    [[nodiscard]] T* as()
    {
        return reinterpret_cast<T*>(bytes.get());
    }
    template <class T>
    [[nodiscard]] const T* as() const
    {
        return reinterpret_cast<const T*>(bytes.get());
    }
    /// The same elements in another shape of as many.
    [[nodiscard]] Array reshaped(const TensorType& other) const;
};

using Arrays = std::vector<Array>;

/// An array of that type around its elements, which stay where they are.
[[nodiscard]] Array arrayOfBytes(const TensorType& type, std::vector<std::byte> bytes);

/// What stands at an address, without owning it.
[[nodiscard]] inline Array viewOf(const TensorType& type, std::byte* address)
{
    return { type, std::shared_ptr<std::byte[]>(std::shared_ptr<std::byte[]>(), address), {} };
}
/// The same elements in memory of their own.
[[nodiscard]] Array copied(const Array& array);

/// A complex array as its parts, which share its memory: [3] of complex<f32> is [3, 2] of f32, real part first. Others
/// as they are.
[[nodiscard]] Array partsOf(const Array& array);

/// One element as a number, for what is not in the way of a run: of a complex one its magnitude, as pictures show it.
[[nodiscard]] double numberAt(const Array& array, std::int64_t index);
/// Whole numbers and truth values; unsigned 64-bit numbers beyond the largest signed one are held at that.
[[nodiscard]] std::int64_t integerAt(const Array& array, std::int64_t index);
/// A complex element gets it as its real part, and no imaginary one.
void setNumber(Array& array, std::int64_t index, double value);
/// Wraps around.
void setInteger(Array& array, std::int64_t index, std::int64_t value);

/// Strides of a row-major array, in elements.
[[nodiscard]] Shape stridesOf(std::span<const std::int64_t> shape);
/// Copies a box of elements of 1, 2, 4, 8 or 16 bytes. Strides in elements; a source stride of 0 repeats.
void copyBox(std::span<const std::int64_t> shape, std::byte* target, std::span<const std::int64_t> targetStrides,
    const std::byte* source, std::span<const std::int64_t> sourceStrides, std::int64_t elementBytes);
/// `count` elements, all as the one at `element`.
void fill(std::byte* target, const std::byte* element, std::int64_t elementBytes, std::int64_t count);

/// The next index of a box in row-major order; false after the last one.
[[nodiscard]] inline bool advance(std::span<std::int64_t> index, std::span<const std::int64_t> shape)
{
    for (std::size_t d = index.size(); d-- > 0;) {
        if (++index[d] < shape[d])
            return true;
        index[d] = 0;
    }
    return false;
}

} // namespace shardscope::kernels
