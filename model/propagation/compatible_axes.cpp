// SPDX-License-Identifier: GPL-3.0-or-later
#include "propagation/compatible_axes.h"

#include <numeric>

namespace shardscope {

namespace {

/// As prefixWithoutOverlap(), and an axis of size 1, which covers no part of itself, is still used only once.
std::optional<AxisRef> unused(AxisRef axis, AxisRef used)
{
    if (axis == used)
        return std::nullopt;
    return prefixWithoutOverlap(axis, used);
}

std::optional<AxisRef> unused(AxisRef axis, const AxisList& used)
{
    std::optional<AxisRef> prefix = axis;
    for (const AxisRef& other : used) {
        prefix = unused(*prefix, other);
        if (!prefix)
            break;
    }
    return prefix;
}

/// Merges `other` into `merged`; after a disagreement `canExpand` is false for good.
void mergeMajorAxes(AxisList& merged, const AxisList& other, bool& canExpand)
{
    const std::size_t common = std::min(merged.size(), other.size());
    for (std::size_t i = 0; i < common; ++i) {
        const AxisRef ours = merged[i];
        const AxisRef theirs = other[i];
        if (ours == theirs)
            continue;
        const bool oursIsShorter = isPrefixOf(ours, theirs);
        if (!canCoexist(ours, theirs) || (!oursIsShorter && !isPrefixOf(theirs, ours))) {
            merged.resize(i);
            canExpand = false;
            return;
        }
        if (oursIsShorter) {
            if (i + 1 == merged.size() && canExpand) {
                merged[i] = theirs;
                continue;
            }
        } else {
            if (i + 1 == other.size())
                continue;
            merged[i] = theirs;
        }
        merged.resize(i + 1);
        canExpand = false;
        return;
    }
    if (!canExpand)
        return;
    for (std::size_t i = merged.size(); i < other.size(); ++i)
        merged.push_back(other[i]);
}

} // namespace

bool isStrictPrefix(const AxisList& shorter, const AxisList& longer)
{
    return shorter.size() <= longer.size()
        && isPrefixOf(std::span<const AxisRef>(shorter), std::span<const AxisRef>(longer)) && !(shorter == longer);
}

AxisList compatibleMajorAxes(const ShardingProjection& projection, std::size_t factor, Direction direction)
{
    AxisList merged;
    if (direction == Direction::None)
        return merged;
    bool canExpand = true;
    const auto mergeAll = [&](const std::vector<TensorProjection>& tensors) {
        for (const TensorProjection& tensor : tensors) {
            if (const auto& sharding = tensor.factors[factor])
                mergeMajorAxes(merged, sharding->axes, canExpand);
        }
    };
    const bool backward = direction == Direction::Backward;
    mergeAll(backward ? projection.results : projection.operands);
    if (direction != Direction::Both)
        canExpand = false;
    mergeAll(backward ? projection.operands : projection.results);
    return merged;
}

std::optional<AxisRef> prefixWithinFactor(AxisRef axis, const TensorProjection& tensor, std::size_t factor,
    std::int64_t shardedBefore, std::int64_t factorSize)
{
    std::optional<AxisRef> prefix = unused(axis, tensor.replicated);
    if (prefix)
        prefix = unused(*prefix, tensor.unreduced);
    if (!prefix)
        return std::nullopt;
    const FactorSharding& sharding = *tensor.factors[factor];
    for (const AxisRef& current : sharding.axes) {
        if (contains(current, *prefix))
            return prefix;
    }
    if (sharding.closed || !sharding.overflow.empty()) {
        if (!sharding.axes.empty() && isPrefixOf(sharding.axes.back(), *prefix))
            return sharding.axes.back();
        return std::nullopt;
    }
    if (sharding.minorMost)
        return prefix;
    if (factorSize % shardedBefore != 0)
        return std::nullopt;
    const auto divisor =
        static_cast<std::int32_t>(std::gcd(factorSize / shardedBefore, static_cast<std::int64_t>(prefix->size)));
    if (divisor == prefix->size)
        return prefix;
    if (divisor == 1)
        return std::nullopt;
    return AxisRef{ prefix->axis, prefix->pre, divisor };
}

std::optional<AxisRef> prefixAcrossFactors(AxisRef axis, const TensorProjection& tensor, std::size_t factor)
{
    std::optional<AxisRef> prefix = axis;
    for (std::size_t f = 0; f < tensor.factors.size() && prefix; ++f) {
        const auto& sharding = tensor.factors[f];
        if (f == factor || !sharding)
            continue;
        prefix = unused(*prefix, sharding->overflow);
        if (prefix)
            prefix = unused(*prefix, sharding->axes);
    }
    return prefix;
}

} // namespace shardscope
