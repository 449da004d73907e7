// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/check/compare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "simulate/kernels/element_types.h"

namespace shardscope::kernels {

namespace {

constexpr std::int64_t chunk = 1024;
using Doubles = std::array<double, static_cast<std::size_t>(chunk)>;

/// Whole numbers are compared as their bytes, and how far they are apart as doubles.
void numbersOf(const Array& array, std::int64_t begin, std::int64_t count, Doubles& out)
{
    if (isFloat(array.type.dtype)) {
        toDoubles(array.type.dtype, array.data() + begin * array.elementBytes(), out.data(), count);
        return;
    }
    for (std::int64_t i = 0; i < count; ++i)
        out[static_cast<std::size_t>(i)] = numberAt(array, begin + i);
}

double errorOf(double a, double b)
{
    if (a == b || (std::isnan(a) && std::isnan(b)))
        return 0;
    return std::isfinite(a) && std::isfinite(b) ? std::abs(a - b) : std::numeric_limits<double>::infinity();
}

double largestMagnitude(const Array& array)
{
    double largest = 0;
    Doubles numbers;
    for (std::int64_t begin = 0; begin < array.count(); begin += chunk) {
        const std::int64_t count = std::min(chunk, array.count() - begin);
        numbersOf(array, begin, count, numbers);
        for (std::int64_t i = 0; i < count; ++i)
            if (const double number = std::abs(numbers[static_cast<std::size_t>(i)]); std::isfinite(number))
                largest = std::max(largest, number);
    }
    return largest;
}

std::int64_t neverFinite(const Array& a, const Array& b)
{
    std::int64_t found = 0;
    Doubles first, second;
    for (std::int64_t begin = 0; begin < a.count(); begin += chunk) {
        const std::int64_t count = std::min(chunk, a.count() - begin);
        numbersOf(a, begin, count, first);
        numbersOf(b, begin, count, second);
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
            found += !std::isfinite(first[i]) && !std::isfinite(second[i]) ? 1 : 0;
    }
    return found;
}

} // namespace

double roundingShare(DType dtype)
{
    switch (dtype) {
    case DType::F64:
        return 256 * 0x1p-52;
    case DType::F32:
        return 256 * 0x1p-23;
    case DType::F16:
        return 4 * 0x1p-10;
    case DType::BF16:
        return 4 * 0x1p-7;
    default:
        return isFloat(dtype) ? 2 * 0x1p-3 : 0;
    }
}

double largestChange(const Array& a, const Array& b)
{
    double largest = 0;
    if (!a.bytes || !b.bytes)
        return largest;
    Doubles first, second;
    for (std::int64_t begin = 0; begin < a.count(); begin += chunk) {
        const std::int64_t count = std::min(chunk, a.count() - begin);
        numbersOf(a, begin, count, first);
        numbersOf(b, begin, count, second);
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
            if (const double change = errorOf(first[i], second[i]); std::isfinite(change))
                largest = std::max(largest, change);
    }
    return largest;
}

ArrayComparison compareWithReference(const Array& found, const Array& wanted, double sensitivity)
{
    ArrayComparison out;
    if (!found.bytes || !wanted.bytes)
        return out;
    const bool exact = !isFloat(wanted.type.dtype);
    out.notFinite = exact ? 0 : neverFinite(found, wanted);
    out.compared = wanted.count() - out.notFinite;
    const auto bytes = static_cast<std::size_t>(wanted.type.byteCount());
    if (std::memcmp(found.data(), wanted.data(), bytes) == 0)
        return out;
    out.tolerance = exact ? 0 : roundingShare(wanted.type.dtype) * largestMagnitude(wanted) + sensitivity;
    const auto size = static_cast<std::size_t>(wanted.elementBytes());
    Doubles ours, theirs;
    for (std::int64_t begin = 0; begin < wanted.count(); begin += chunk) {
        const std::int64_t count = std::min(chunk, wanted.count() - begin);
        const std::size_t offset = static_cast<std::size_t>(begin) * size;
        if (std::memcmp(found.data() + offset, wanted.data() + offset, static_cast<std::size_t>(count) * size) == 0)
            continue;
        numbersOf(found, begin, count, ours);
        numbersOf(wanted, begin, count, theirs);
        for (std::int64_t i = 0; i < count; ++i) {
            const auto at = static_cast<std::size_t>(i);
            const bool differs =
                exact && std::memcmp(found.data() + offset + at * size, wanted.data() + offset + at * size, size) != 0;
            const double error = errorOf(ours[at], theirs[at]);
            if (error > out.largestError || (differs && out.worst < 0)) {
                out.largestError = error;
                out.worst = begin + i;
            }
            if (exact ? !differs : error <= out.tolerance)
                continue;
            ++out.beyond;
            if (out.first < 0)
                out.first = begin + i;
        }
    }
    return out;
}

Array elementOf(const Array& array, std::int64_t index)
{
    Array element = Array::make({ array.type.dtype, Shape{} });
    std::memcpy(
        element.data(), array.data() + index * array.elementBytes(), static_cast<std::size_t>(array.elementBytes()));
    return element;
}

} // namespace shardscope::kernels
