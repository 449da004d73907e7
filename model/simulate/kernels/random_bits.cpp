// SPDX-License-Identifier: GPL-3.0-or-later
// Random numbers: rng_bit_generator with the bits that XLA gives, and rng, whose bits nobody fixes.
// Declared in call.h.
#include <cmath>
#include <numbers>

#include "program/element_bits.h"
#include "simulate/kernels/call.h"
#include "simulate/kernels/position.h"
#include "simulate/kernels/threefry.h"
#include "simulate/run/philox.h"

namespace shardscope::kernels {

namespace {

std::array<std::uint32_t, 2> halves(std::uint64_t word)
{
    return { static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(word >> 32) };
}
std::uint64_t integral(std::uint32_t low, std::uint32_t high)
{
    return static_cast<std::uint64_t>(high) << 32 | low;
}

/// The low bits, as elements of the type.
void put(Array& array, std::int64_t index, std::uint64_t bits)
{
    std::byte* target = array.data() + index * array.elementBytes();
    for (std::int64_t i = 0; i < array.elementBytes(); ++i)
        target[i] = static_cast<std::byte>(bits >> (8 * i) & 0xFFU);
    if (!isFloat(array.type.dtype) && elementBits(array.type.dtype) < 8)
        setInteger(array, index, static_cast<std::int64_t>(bits));
}

/// Counters run over half of the elements: along the first even dimension, or else the largest one, neighbours are the
/// two words that one counter gives.
std::uint64_t threefryBits(Array& result, std::uint64_t key, std::uint64_t state)
{
    const Shape& shape = result.type.shape;
    const std::array<std::uint32_t, 2> keys = halves(key);
    const std::int64_t count = result.count();
    if (result.elementBytes() == 8) {
        for (std::int64_t i = 0; i < count; ++i) {
            const auto words = threefry(halves(state + static_cast<std::uint64_t>(i)), keys);
            put(result, i, integral(words[0], words[1]));
        }
        return state + static_cast<std::uint64_t>(count);
    }
    std::size_t split = shape.size();
    for (std::size_t d = 0; d < shape.size() && split == shape.size(); ++d)
        if (shape[d] % 2 == 0)
            split = d;
    if (split == shape.size()) {
        split = 0;
        for (std::size_t d = 1; d < shape.size(); ++d)
            if (shape[d] > shape[split])
                split = d;
    }
    Shape half = shape, index;
    if (shape.empty())
        half.push_back(1);
    else
        half[split] = (half[split] + 1) / 2;
    std::uint64_t counters = 1;
    for (const std::int64_t size : half)
        counters *= static_cast<std::uint64_t>(size);
    if (count > 0) {
        const Shape strides = stridesOf(shape);
        index.resize(half.size(), 0);
        std::uint64_t counter = state;
        do {
            const auto words = threefry(halves(counter++), keys);
            if (shape.empty()) {
                put(result, 0, words[0]);
                continue;
            }
            std::int64_t offset = 0;
            for (std::size_t d = 0; d < shape.size(); ++d)
                offset += index[d] * (d == split ? 2 : 1) * strides[d];
            put(result, offset, words[0]);
            if (index[split] * 2 + 1 < shape[split])
                put(result, offset + strides[split], words[1]);
        } while (advance(index, half));
    }
    return state + counters;
}

/// Four words per counter of 128 bits, one after the other.
void philoxBits(Array& result, std::uint64_t key, std::uint64_t& low, std::uint64_t& high)
{
    const std::int64_t count = result.count(), words = result.elementBytes() == 8 ? 2 : 1, perCounter = 4 / words;
    const std::array<std::uint32_t, 2> keys = halves(key);
    for (std::int64_t i = 0; i < count; i += perCounter) {
        const auto a = halves(low), b = halves(high);
        const std::array<std::uint32_t, 4> bits = philox({ a[0], a[1], b[0], b[1] }, keys);
        for (std::int64_t k = 0; k < perCounter && i + k < count; ++k)
            put(result, i + k, words == 1 ? bits[at(k)] : integral(bits[at(2 * k)], bits[at(2 * k + 1)]));
        if (++low == 0)
            ++high;
    }
}

Arrays bitGenerator(const Call& call)
{
    const RngAlgorithm algorithm = call.own<RngBitGeneratorAttributes>().algorithm;
    const Array& state = call.operands[0];
    Array next = Array::make(call.type(0)), result = Array::make(call.type(1));
    const std::int64_t words = state.type.byteCount() / 8; // 64 bits each, however they are typed
    const std::uint64_t* from = state.as<std::uint64_t>();
    std::uint64_t* to = next.as<std::uint64_t>();
    if (words < 1)
        return { next, Array::zeros(call.type(1)) };
    to[0] = from[0];
    if (algorithm == RngAlgorithm::ThreeFry) {
        const std::uint64_t counter = threefryBits(result, from[0], words > 1 ? from[1] : 0);
        for (std::int64_t i = 1; i < words; ++i)
            to[i] = i == 1 ? counter : from[i];
        return { next, result };
    }
    std::uint64_t low = words > 1 ? from[1] : 0, high = words > 2 ? from[2] : 0;
    philoxBits(result, from[0], low, high);
    for (std::int64_t i = 1; i < words; ++i)
        to[i] = i == 1 ? low : i == 2 ? high : from[i];
    return { next, result };
}

/// The same numbers in every run: a function of the operation and the place.
Arrays rng(const Call& call)
{
    Array result = Array::make(call.type());
    const auto operation = static_cast<std::uint32_t>(&call.operation - call.program.operations.data());
    const bool isNormal = call.own<RngAttributes>().distribution == RngDistribution::Normal;
    for (std::int64_t i = 0; i < result.count(); ++i) {
        const auto place = halves(static_cast<std::uint64_t>(i));
        const auto bits = philox({ place[0], place[1], operation, 0 }, { 0x5EED, 0 });
        const std::uint64_t word = integral(bits[0], bits[1]);
        if (!isFloat(result.type.dtype)) {
            const std::int64_t least = integerAt(call.operands[0], 0), end = integerAt(call.operands[1], 0);
            const auto span = static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(least);
            setInteger(result, i,
                static_cast<std::int64_t>(static_cast<std::uint64_t>(least) + (span == 0 ? 0 : word % span)));
            continue;
        }
        const double a = numberAt(call.operands[0], 0), b = numberAt(call.operands[1], 0);
        const double first = static_cast<double>(word >> 11) * 0x1p-53,
                     second = static_cast<double>(integral(bits[2], bits[3]) >> 11) * 0x1p-53;
        setNumber(result, i,
            isNormal ? a + b * std::sqrt(-2 * std::log1p(-first)) * std::cos(2 * std::numbers::pi * second)
                     : a + (b - a) * first);
    }
    return { result };
}

} // namespace

Evaluate randomEvaluator(OpKind kind)
{
    switch (kind) {
    case OpKind::RngBitGenerator:
        return bitGenerator;
    case OpKind::Rng:
        return rng;
    default:
        return nullptr;
    }
}

} // namespace shardscope::kernels
