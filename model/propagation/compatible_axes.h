// SPDX-License-Identifier: GPL-3.0-or-later
// Which axes several tensors agree on along a factor, and how much of them one tensor can take.
#pragma once

#include <optional>

#include "propagation/factor_propagation.h"

namespace shardscope {

/// `shorter` begins `longer` and differs from it.
[[nodiscard]] bool isStrictPrefix(const AxisList& shorter, const AxisList& longer);

/// Merges the lists of all tensors that have the factor, major axes first, up to the first disagreement; conflicts with
/// other factors are not looked at. Tensors on the receiving side of a one-way direction can only shorten the list.
///
///     lists {a}, {a, b}, {}        -> {a, b}
///     lists {a, b}, {a, c}, {a, b} -> {a}: after a disagreement nothing is appended any more
[[nodiscard]] AxisList compatibleMajorAxes(
    const ShardingProjection& projection, std::size_t factor, Direction direction);

/// The longest prefix of `axis` that a tensor can take as the next axis of its factor, as far as the factor itself
/// goes: not replicated or unreduced there, and the factor open and divisible, or already holding it. `shardedBefore`
/// is the product of the axes in front of it. The tensor must have the factor.
[[nodiscard]] std::optional<AxisRef> prefixWithinFactor(AxisRef axis, const TensorProjection& tensor,
    std::size_t factor, std::int64_t shardedBefore, std::int64_t factorSize);

/// The longest prefix of `axis` that no other factor of the tensor uses.
[[nodiscard]] std::optional<AxisRef> prefixAcrossFactors(
    AxisRef axis, const TensorProjection& tensor, std::size_t factor);

/// Cuts the list at the first axis that `filter(axis, shardedBefore)` does not let through whole; of that axis the
/// prefix stays that it does let through, if parts may move at all.
template <class Filter>
void truncateAxes(AxisList& axes, const StepContext& context, Filter filter)
{
    std::int64_t shardedBefore = 1;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        std::optional<AxisRef> prefix = filter(axes[i], shardedBefore);
        if (prefix && context.fullAxesOnly && !isFull(*context.fullAxesOnly, *prefix))
            prefix.reset();
        if (prefix && *prefix == axes[i]) {
            shardedBefore *= axes[i].size;
            continue;
        }
        if (prefix) {
            axes[i] = *prefix;
            axes.resize(i + 1);
        } else {
            axes.resize(i);
        }
        return;
    }
}

/// Whether any direction leaves it to this factor to move something.
[[nodiscard]] inline Direction directionAlong(const StepContext& context, std::size_t factor)
{
    return context.rule.factors[factor].blocked ? Direction::None : context.directions[factor];
}

} // namespace shardscope
