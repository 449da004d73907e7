// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in factor_propagation.h.
#include <algorithm>
#include <array>

#include "propagation/compatible_axes.h"

namespace shardscope {

namespace {

/// A factor along which something may move, and what decides when its turn comes.
struct Candidate {
    AxisList axes;
    std::size_t factor = 0;
    std::int64_t sourceSize = -1; ///< elements of the largest tensor that has all of `axes` there
    std::size_t source = 0; ///< that tensor; operands first
    std::int64_t parallelism = 1; ///< product of `axes`, counted for elementwise operations only

    [[nodiscard]] bool before(const Candidate& other) const
    {
        if (sourceSize != other.sourceSize)
            return sourceSize > other.sourceSize;
        if (parallelism != other.parallelism)
            return parallelism > other.parallelism;
        if (source != other.source)
            return source < other.source;
        return factor < other.factor;
    }
};

/// Product of the sizes of the factors that a tensor has, or the largest number.
std::int64_t factorElements(const TensorProjection& tensor, const FactorRule& rule)
{
    std::int64_t elements = 1;
    for (std::size_t f = 0; f < tensor.factors.size(); ++f) {
        if (tensor.factors[f])
            elements = saturatingProduct(elements, rule.factors[f].size);
    }
    return elements;
}

void findSource(Candidate& candidate, const ShardingProjection& projection, const FactorRule& rule)
{
    std::size_t index = 0;
    for (const std::vector<TensorProjection>* tensors : { &projection.operands, &projection.results }) {
        for (const TensorProjection& tensor : *tensors) {
            const auto& sharding = tensor.factors[candidate.factor];
            if (sharding
                && isPrefixOf(std::span<const AxisRef>(candidate.axes), std::span<const AxisRef>(sharding->axes))) {
                const std::int64_t elements = factorElements(tensor, rule);
                if (elements > candidate.sourceSize) {
                    candidate.sourceSize = elements;
                    candidate.source = index;
                }
            }
            ++index;
        }
    }
}

/// Whether some tensor that has the factor has less than `axes` there.
bool someoneLacks(const AxisList& axes, const ShardingProjection& projection, std::size_t factor)
{
    const auto lacks = [&](const TensorProjection& tensor) {
        const auto& sharding = tensor.factors[factor];
        return sharding && isStrictPrefix(sharding->axes, axes);
    };
    return std::any_of(projection.operands.begin(), projection.operands.end(), lacks)
        || std::any_of(projection.results.begin(), projection.results.end(), lacks);
}

/// An operand of an elementwise operation takes no more than a result with the factor has.
void followResults(AxisList& axes, const ShardingProjection& projection, std::size_t factor)
{
    for (const TensorProjection& result : projection.results) {
        const auto& sharding = result.factors[factor];
        if (sharding && isStrictPrefix(sharding->axes, axes))
            axes = sharding->axes;
    }
}

/// Lets one tensor take what it can, factor by factor; updates made here count for the factors after.
bool expand(TensorProjection& tensor, bool isOperand, std::span<const Candidate> candidates,
    const ShardingProjection& projection, const StepContext& context)
{
    bool changed = false;
    for (const Candidate& candidate : candidates) {
        auto& sharding = tensor.factors[candidate.factor];
        if (!sharding || !isStrictPrefix(sharding->axes, candidate.axes))
            continue;
        AxisList axes = candidate.axes;
        if (isOperand && context.elementwise)
            followResults(axes, projection, candidate.factor);
        truncateAxes(axes, context, [&](AxisRef axis, std::int64_t shardedBefore) {
            return prefixWithinFactor(
                axis, tensor, candidate.factor, shardedBefore, context.rule.factors[candidate.factor].size);
        });
        if (!isStrictPrefix(sharding->axes, axes))
            continue;
        truncateAxes(axes, context,
            [&](AxisRef axis, std::int64_t) { return prefixAcrossFactors(axis, tensor, candidate.factor); });
        if (!isStrictPrefix(sharding->axes, axes))
            continue;
        sharding->axes = axes;
        changed = true;
    }
    return changed;
}

} // namespace

UpdatedTensors propagateAggressive(ShardingProjection& projection, const StepContext& context)
{
    UpdatedTensors updated;
    // A small fixed store keeps the usual step free of allocations.
    constexpr std::size_t inlineCandidates = 8;
    std::array<Candidate, inlineCandidates> store;
    std::vector<Candidate> overflow;
    std::span<Candidate> candidates(store.data(), 0);
    const std::size_t factorCount = context.rule.factors.size();
    if (factorCount > inlineCandidates) {
        overflow.resize(factorCount);
        candidates = std::span<Candidate>(overflow.data(), 0);
    }
    for (std::size_t f = 0; f < factorCount; ++f) {
        AxisList axes = compatibleMajorAxes(projection, f, directionAlong(context, f));
        if (axes.empty() || !someoneLacks(axes, projection, f))
            continue;
        candidates = std::span<Candidate>(candidates.data(), candidates.size() + 1);
        Candidate& candidate = candidates.back();
        candidate.factor = f;
        candidate.axes = axes;
        if (context.elementwise)
            candidate.parallelism = product(std::span<const AxisRef>(axes));
        findSource(candidate, projection, context.rule);
    }
    if (candidates.empty())
        return updated;
    std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) { return a.before(b); });

    for (std::size_t t = 0; t < projection.results.size(); ++t) {
        if (expand(projection.results[t], false, candidates, projection, context))
            updated.results.push_back(static_cast<std::uint32_t>(t));
    }
    for (std::size_t t = 0; t < projection.operands.size(); ++t) {
        if (expand(projection.operands[t], true, candidates, projection, context))
            updated.operands.push_back(static_cast<std::uint32_t>(t));
    }
    return updated;
}

} // namespace shardscope
