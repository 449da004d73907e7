// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/check/compare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "simulate/kernels/element_types.h"

namespace shardscope {

namespace {

using kernels::Array;

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr std::int64_t chunk = 1024;
using Doubles = std::array<double, static_cast<std::size_t>(chunk)>;

/// What is no float is compared as its bytes, and how far it is apart as doubles. Complex numbers go by parts.
void readNumbers(const Array& array, std::int64_t begin, std::int64_t count, Doubles& out)
{
    if (isFloat(array.type.dtype)) {
        kernels::toDoubles(array.type.dtype, array.data() + begin * array.elementBytes(), out.data(), count);
        return;
    }
    for (std::int64_t i = 0; i < count; ++i)
        out[static_cast<std::size_t>(i)] = kernels::numberAt(array, begin + i);
}

/// Calls visit(element, a, b) for all elements of two arrays, for each part of complex ones.
template <class Visit>
void forElements(const Array& a, const Array& b, const Visit& visit)
{
    const std::int64_t parts = isComplex(a.type.dtype) ? 2 : 1;
    const Array ours = kernels::partsOf(a), theirs = kernels::partsOf(b);
    Doubles first, second;
    for (std::int64_t begin = 0; begin < ours.count(); begin += chunk) {
        const std::int64_t count = std::min(chunk, ours.count() - begin);
        readNumbers(ours, begin, count, first);
        readNumbers(theirs, begin, count, second);
        for (std::int64_t i = 0; i < count; ++i)
            visit((begin + i) / parts, first[static_cast<std::size_t>(i)], second[static_cast<std::size_t>(i)]);
    }
}

double errorOf(double a, double b)
{
    if (a == b || (std::isnan(a) && std::isnan(b)))
        return 0;
    return std::isfinite(a) && std::isfinite(b) ? std::fabs(a - b) : infinite;
}

/// How much of its tolerance an error takes up: above 1 for all that is not within.
double strainOf(double error, double tolerance)
{
    if (error == 0)
        return 0;
    if (!std::isfinite(tolerance)) // nothing is near to everything
        return infinite;
    return tolerance > 0 ? error / tolerance : infinite;
}

/// The largest number of a float type.
double largestNumber(DType dtype)
{
    return dtype == DType::F32 || dtype == DType::BF16 ? static_cast<double>(std::numeric_limits<float>::max())
        : dtype == DType::F16                          ? 65504
                                                       : std::numeric_limits<double>::max();
}

} // namespace

double epsilonOf(DType dtype)
{
    switch (realPart(dtype)) {
    case DType::F64:
        return 0x1p-52;
    case DType::F32:
        return 0x1p-23;
    case DType::F16:
        return 0x1p-10;
    case DType::BF16:
        return 0x1p-7;
    default:
        return isFloat(dtype) ? 0x1p-3 : 0;
    }
}

double roundingShare(DType dtype)
{
    const DType part = realPart(dtype);
    const double units = part == DType::F64 || part == DType::F32 ? 256
        : dtype == DType::F16 || dtype == DType::BF16             ? 4
                                                                  : 2;
    return units * epsilonOf(dtype);
}

double largestMagnitude(const Array& array)
{
    double largest = 0;
    if (array.bytes)
        forElements(array, array, [&](std::int64_t, double number, double) {
            if (std::isfinite(number))
                largest = std::max(largest, std::fabs(number));
        });
    return largest;
}

double largestChange(const Array& a, const Array& b)
{
    double largest = 0;
    if (a.bytes && b.bytes)
        forElements(a, b, [&](std::int64_t, double x, double y) {
            if (const double change = errorOf(x, y); std::isfinite(change))
                largest = std::max(largest, change);
        });
    return largest;
}

ArrayComparison compareArrays(const Array& found, const Array& wanted, const Tolerances& tolerances)
{
    ArrayComparison out;
    if (!found.bytes || !wanted.bytes)
        return out;
    const bool isExact = !isFloat(realPart(found.type.dtype));
    const double largest = largestNumber(realPart(found.type.dtype));
    std::int64_t notFinite = -1, beyond = -1; // the last ones that were counted
    const auto size = static_cast<std::size_t>(found.elementBytes());
    double worst = 0;
    forElements(found, wanted, [&](std::int64_t i, double ours, double theirs) {
        if (!isExact && std::fabs(theirs) > largest) // too large for the devices' numbers
            theirs = std::copysign(infinite, theirs);
        const auto at = static_cast<std::size_t>(i);
        const bool differs = isExact && std::memcmp(found.data() + at * size, wanted.data() + at * size, size) != 0;
        const double error = errorOf(ours, theirs);
        if (!isExact && !std::isfinite(ours) && !std::isfinite(theirs) && std::exchange(notFinite, i) != i)
            ++out.notFinite;
        const double tolerance = isExact ? 0 : tolerances[tolerances.size() == 1 ? 0 : at];
        const double strain = differs ? infinite : isExact ? 0 : strainOf(error, tolerance);
        if (strain > worst || (strain == worst && error > out.largestError)) {
            worst = strain;
            out.worst = i;
            out.largestError = error;
            out.tolerance = tolerance;
            out.found = ours;
            out.wanted = theirs;
        }
        if (!(strain > 1))
            return;
        if (std::exchange(beyond, i) != i)
            ++out.beyond;
        if (out.first < 0)
            out.first = i;
    });
    out.compared = found.count() - out.notFinite;
    return out;
}

ArrayComparison compareWithReference(const Array& found, const Array& wanted, double sensitivity)
{
    return compareArrays(found, wanted, { roundingShare(wanted.type.dtype) * largestMagnitude(wanted) + sensitivity });
}

Array elementOf(const Array& array, std::int64_t index)
{
    Array element = Array::make({ array.type.dtype, Shape{} });
    std::memcpy(
        element.data(), array.data() + index * array.elementBytes(), static_cast<std::size_t>(array.elementBytes()));
    return element;
}

} // namespace shardscope
