// SPDX-License-Identifier: GPL-3.0-or-later
#include "networks/positions.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "networks/transformer_parameters.h"

namespace shardscope {

namespace {

/// x · factor, by the other factor where that counts.
ValueId timesTurned(
    Builder& b, ValueId x, const Rotation& rotation, const std::function<double(const RotaryTurn&)>& factorOf)
{
    const double factor = factorOf(rotation.turn), other = factorOf(rotation.other);
    if (!rotation.isOther.valid() || factor == other)
        return factor == 1 ? x : times(b, x, factor);
    const TensorType type = b.type(x), scalar{ type.dtype, {} };
    const ValueId chosen = b.select(rotation.isOther, b.constant(scalar, other), b.constant(scalar, factor));
    return b.binary(OpKind::Multiply, x, b.broadcastScalar(chosen, type.shape));
}

/// Of each position and pair of elements, (L, r / 2).
ValueId rotaryAngles(Builder& b, const TensorType& table, const Rotation& rotation)
{
    const auto size = static_cast<double>(rotation.size);
    // base^(-2 i / r) = exp(i · (-2 ln(base) / r))
    const auto exponent = [size](const RotaryTurn& turn) { return -2 * std::log(turn.base) / size; };
    const ValueId frequency = b.unary(OpKind::Exponential, timesTurned(b, b.iota(table, 1), rotation, exponent));
    const ValueId angle = b.binary(OpKind::Multiply, b.iota(table, 0), frequency);
    return timesTurned(b, angle, rotation, [](const RotaryTurn& turn) { return 1 / turn.factor; });
}

/// T5's number of a distance that is not negative.
std::int64_t bucketOfDistance(std::int64_t distance, std::int64_t buckets, std::int64_t maximumDistance)
{
    const std::int64_t exact = buckets / 2;
    if (distance < exact)
        return distance;
    const double ratio = static_cast<double>(distance) / static_cast<double>(exact);
    const double range = static_cast<double>(maximumDistance) / static_cast<double>(exact);
    // As in T5X, a little more than the ratio: powers belong to the range that they begin.
    constexpr auto epsilon = static_cast<double>(std::numeric_limits<float>::epsilon());
    const double part = std::log(ratio + epsilon) / std::log(range);
    const double beyond = std::floor(part * static_cast<double>(buckets - exact));
    return exact + static_cast<std::int64_t>(std::min(beyond, static_cast<double>(buckets - exact - 1)));
}

/// The least distance with that number or a higher one.
std::int64_t leastDistance(std::int64_t bucket, std::int64_t buckets, std::int64_t maximumDistance)
{
    std::int64_t below = -1, distance = maximumDistance; // which has the last number
    while (distance - below > 1) {
        const std::int64_t middle = below + (distance - below) / 2;
        (bucketOfDistance(middle, buckets, maximumDistance) >= bucket ? distance : below) = middle;
    }
    return distance;
}

/// Truth values (L, L, buckets): whether the distance of a query and a key is in a bucket.
ValueId isInBucket(Builder& b, const std::vector<DistanceBucket>& buckets, std::int64_t length)
{
    constexpr auto farthest = static_cast<double>(std::numeric_limits<std::int32_t>::max());
    std::vector<double> least, most;
    for (const DistanceBucket& bucket : buckets) {
        least.push_back(bucket.least ? static_cast<double>(*bucket.least) : -farthest);
        most.push_back(bucket.most ? static_cast<double>(*bucket.most) : farthest);
    }
    const auto count = static_cast<std::int64_t>(buckets.size());
    const TensorType square{ DType::I32, { length, length } }, row{ DType::I32, { count } };
    const Shape shape{ length, length, count };
    const auto distance = [&] {
        const ValueId d = b.binary(OpKind::Subtract, b.iota(square, 1), b.iota(square, 0));
        return spreadOverLast(b, d, shape);
    };
    const auto bound = [&](std::vector<double> values) {
        return spreadAlongLast(b, b.constant(row, std::move(values)), shape);
    };
    return b.binary(OpKind::And, b.compare(Comparison::GreaterEqual, distance(), bound(std::move(least))),
        b.compare(Comparison::LessEqual, distance(), bound(std::move(most))));
}

} // namespace

ValueId sliceOfLast(Builder& b, ValueId x, std::int64_t start, std::int64_t limit)
{
    const Shape shape = b.type(x).shape;
    Dimensions starts(shape.size(), 0), limits(shape.begin(), shape.end());
    starts.back() = start;
    limits.back() = limit;
    return b.slice(x, starts, limits);
}

ValueId rotated(const NetworkPart& part, ValueId x, const Rotation& rotation)
{
    Builder& b = part.builder();
    const TensorType type = b.type(x); // (B, L, H, h)
    const std::int64_t size = rotation.size, half = size / 2;
    const DType dtype = accurateType(type.dtype);
    const Shape points{ type.shape[0], type.shape[1], type.shape[2], half };

    const ValueId angle = rotaryAngles(b, { dtype, { type.shape[1], half } }, rotation);
    const ValueId cosine = b.broadcast(b.unary(OpKind::Cosine, angle), points, { 1, 3 });
    const ValueId sine = b.broadcast(b.unary(OpKind::Sine, angle), points, { 1, 3 });

    const ValueId first = converted(b, sliceOfLast(b, x, 0, half), dtype);
    const ValueId second = converted(b, sliceOfLast(b, x, half, size), dtype);
    const auto product = [&](ValueId lhs, ValueId rhs) { return b.binary(OpKind::Multiply, lhs, rhs); };
    std::vector<ValueId> parts;
    parts.push_back(b.binary(OpKind::Subtract, product(first, cosine), product(second, sine)));
    parts.push_back(b.binary(OpKind::Add, product(second, cosine), product(first, sine)));
    for (ValueId& turned : parts)
        turned = converted(b, turned, type.dtype);
    if (size < type.shape[3])
        parts.push_back(sliceOfLast(b, x, size, type.shape[3]));
    return b.concatenate(parts, 3);
}

std::vector<DistanceBucket> distanceBuckets(std::int64_t buckets, std::int64_t maximumDistance, bool bothDirections)
{
    const std::int64_t count = bothDirections ? buckets / 2 : buckets;
    std::vector<std::int64_t> begins; // of keys before the query, nearest first
    for (std::int64_t bucket = 0; bucket < count; ++bucket)
        begins.push_back(leastDistance(bucket, count, maximumDistance));
    std::vector<DistanceBucket> list;
    const auto end = [&](std::size_t i) -> std::optional<std::int64_t> {
        return i + 1 < begins.size() ? std::optional(begins[i + 1] - 1) : std::nullopt;
    };
    for (std::size_t i = 0; i < begins.size(); ++i) {
        const std::optional<std::int64_t> farthest = end(i);
        list.push_back({ farthest ? std::optional(-*farthest) : std::nullopt, -begins[i] });
    }
    if (bothDirections) {
        for (std::size_t i = 0; i < begins.size(); ++i)
            list.push_back({ std::max<std::int64_t>(begins[i], 1), end(i) });
    } else {
        list.front().most.reset();
    }
    return list;
}

ValueId relativeBias(const NetworkPart& stack, std::int64_t length, bool bothDirections)
{
    const NetworkPart part(stack, "relpos_bias");
    Builder& b = part.builder();
    const TransformerSettings& s = part.settings();
    const DType dtype = accurateType(s.computeDtype);
    const std::vector<DistanceBucket> buckets =
        distanceBuckets(s.relativeBuckets, s.relativeMaximumDistance, bothDirections);
    const ValueId chosen = b.convert(isInBucket(b, buckets, length), dtype);
    return b.dotGeneral(part.parameter("rel_embedding", dtype), chosen, { {}, {}, { 1 }, { 2 } });
}

ValueId withLearnedPositions(const NetworkPart& stack, ValueId x)
{
    const NetworkPart part(stack, "position_embedder");
    Builder& b = part.builder();
    const TensorType type = b.type(x);
    ValueId rows = part.parameter("embedding", type.dtype);
    const TensorType table = b.type(rows);
    const std::int64_t length = type.shape[1];
    if (table.shape[0] != length)
        rows = b.slice(rows, { 0, 0 }, { length, table.shape[1] });
    return b.binary(OpKind::Add, x, spreadAlongLast(b, rows, type.shape));
}

} // namespace shardscope
