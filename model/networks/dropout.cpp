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

/// The number of each element's token in the batch; tokens of a sequence stand along dimension `tokens`.
ValueId numbersOfTokens(Builder& b, const Shape& shape, std::int64_t firstSequence, std::size_t tokens = 1)
{
    const TensorType type{ DType::U32, shape };
    const auto constant = [&](std::int64_t number) {
        return b.constant(type, std::fmod(static_cast<double>(number), twoTo32));
    };
    ValueId sequence = b.iota(type, 0);
    if (firstSequence > 0)
        sequence = b.binary(OpKind::Add, sequence, constant(firstSequence));
    return b.binary(OpKind::Add, b.binary(OpKind::Multiply, sequence, constant(shape[tokens])),
        b.iota(type, static_cast<std::int64_t>(tokens)));
}

/// The place of each probability among those of its query, (heads, keys).
ValueId placesOfKeys(Builder& b, const Shape& shape)
{
    const TensorType type{ DType::U32, shape };
    const auto plusTimes = [&](ValueId more, ValueId x, std::int64_t factor) {
        return b.binary(
            OpKind::Add, more, b.binary(OpKind::Multiply, x, b.constant(type, static_cast<double>(factor))));
    };
    constexpr std::size_t grouped = 5; // dimensions, where query heads share keys
    ValueId head = b.iota(type, 1);
    if (shape.size() == grouped)
        head = plusTimes(b.iota(type, 3), head, shape[3]);
    return plusTimes(b.iota(type, static_cast<std::int64_t>(shape.size()) - 1), head, shape.back());
}

/// Truth values: the share of ones is 1 - rate.
ValueId keptBy(Builder& b, ValueId bits, double rate)
{
    const double least = std::min(std::round(rate * twoTo32), twoTo32 - 1);
    return b.compare(Comparison::GreaterEqual, bits, b.constant(b.type(bits), least));
}

} // namespace

bool drops(const TransformerSettings& settings, const DropoutSource& source)
{
    return (settings.dropout > 0 || settings.attentionDropout > 0) && source.step.valid();
}

ValueId droppedOut(const NetworkPart& part, ValueId x, const Dropout& dropout, DropoutPlace place)
{
    const TransformerSettings& s = part.settings();
    if (!drops(s, dropout.source) || s.dropout == 0)
        return x;
    Builder& b = part.builder();
    const TensorType type = b.type(x), words{ DType::U32, type.shape };
    const RandomKey key{ b.convert(dropout.source.step, DType::U32), numberOfPlace(b, s, dropout, place) };
    const ValueId bits =
        randomBits(b, key, numbersOfTokens(b, type.shape, dropout.source.firstSequence), b.iota(words, 2));
    const ValueId isKept = keptBy(b, bits, s.dropout);
    part.named(isKept, "kept", { Axis::Batch, Axis::ResidualLength, Axis::ResidualEmbed });
    const ValueId kept = b.select(isKept, times(b, x, 1 / (1 - s.dropout)), b.constant(type, 0));
    return part.named(kept, "output", { Axis::Batch, Axis::ResidualLength, Axis::ResidualEmbed });
}

ValueId droppedProbabilities(const NetworkPart& part, ValueId probabilities, const Dropout& dropout, DropoutPlace place)
{
    const TransformerSettings& s = part.settings();
    if (!drops(s, dropout.source) || s.attentionDropout == 0)
        return probabilities;
    constexpr double highestBit = 2147483648;
    Builder& b = part.builder();
    const TensorType type = b.type(probabilities);
    const ValueId step = b.convert(dropout.source.step, DType::U32);
    const RandomKey key{ b.binary(OpKind::Or, step, b.constant(b.type(step), highestBit)),
        numberOfPlace(b, s, dropout, place) };
    const ValueId bits = randomBits(
        b, key, numbersOfTokens(b, type.shape, dropout.source.firstSequence, 2), placesOfKeys(b, type.shape));
    return b.select(keptBy(b, bits, s.attentionDropout), times(b, probabilities, 1 / (1 - s.attentionDropout)),
        b.constant(type, 0));
}

} // namespace shardscope
