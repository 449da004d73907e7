// SPDX-License-Identifier: GPL-3.0-or-later
#include "networks/dropout.h"

#include <algorithm>
#include <cmath>

#include "networks/random_bits.h"

namespace shardscope {

namespace {

constexpr double twoTo32 = 4294967296;
constexpr std::int64_t placesOfStack = 4, placesOfLayer = 2 * placesOfStack;

/// seed · 2^16 + place, where layer n of a stack has the places from 8 (n + 1) on.
ValueId numberOfPlace(Builder& b, const TransformerSettings& s, const Dropout& dropout, DropoutPlace place)
{
    const TensorType scalar{ DType::U32, {} };
    const std::int64_t own = (dropout.isEncoder ? placesOfStack : 0) + static_cast<std::int64_t>(place);
    const std::int64_t first = dropout.layer.valid() ? placesOfLayer : 0; // in front of the layers
    const ValueId fixed = b.constant(scalar, static_cast<double>((s.dropoutSeed << 16) + first + own));
    if (!dropout.layer.valid())
        return fixed;
    const ValueId ofLayer = b.binary(
        OpKind::Multiply, b.convert(dropout.layer, DType::U32), b.constant(scalar, static_cast<double>(placesOfLayer)));
    return b.binary(OpKind::Add, ofLayer, fixed);
}

/// The number of each element's token in the batch.
ValueId numbersOfTokens(Builder& b, const Shape& shape, std::int64_t firstSequence)
{
    const TensorType type{ DType::U32, shape };
    const auto constant = [&](std::int64_t number) {
        return b.constant(type, std::fmod(static_cast<double>(number), twoTo32));
    };
    ValueId sequence = b.iota(type, 0);
    if (firstSequence > 0)
        sequence = b.binary(OpKind::Add, sequence, constant(firstSequence));
    return b.binary(OpKind::Add, b.binary(OpKind::Multiply, sequence, constant(shape[1])), b.iota(type, 1));
}

} // namespace

bool drops(const TransformerSettings& settings, const DropoutSource& source)
{
    return settings.dropout > 0 && source.step.valid();
}

ValueId droppedOut(const NetworkPart& part, ValueId x, const Dropout& dropout, DropoutPlace place)
{
    const TransformerSettings& s = part.settings();
    if (!drops(s, dropout.source))
        return x;
    Builder& b = part.builder();
    const TensorType type = b.type(x), words{ DType::U32, type.shape };
    const RandomKey key{ b.convert(dropout.source.step, DType::U32), numberOfPlace(b, s, dropout, place) };
    const ValueId bits =
        randomBits(b, key, numbersOfTokens(b, type.shape, dropout.source.firstSequence), b.iota(words, 2));
    const double least = std::min(std::round(s.dropout * twoTo32), twoTo32 - 1);
    const ValueId isKept = b.compare(Comparison::GreaterEqual, bits, b.constant(words, least));
    part.named(isKept, "kept", { Axis::Batch, Axis::ResidualLength, Axis::ResidualEmbed });
    const ValueId kept = b.select(isKept, times(b, x, 1 / (1 - s.dropout)), b.constant(type, 0));
    return part.named(kept, "output", { Axis::Batch, Axis::ResidualLength, Axis::ResidualEmbed });
}

} // namespace shardscope
