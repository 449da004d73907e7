// SPDX-License-Identifier: GPL-3.0-or-later
#include "propagation/projection.h"

#include <numeric>

namespace shardscope {

namespace {

/// Deals out the axes of a dimension, one factor after the other.
class AxisSupply {
public:
    explicit AxisSupply(const AxisList& axes)
        : m_axes(axes)
    {
        load();
    }

    [[nodiscard]] bool empty() const { return m_next == m_axes.size(); }

    void takeAll(AxisList& target)
    {
        while (!empty()) {
            target.push_back(m_current);
            advance();
        }
    }

    /// Takes what divides a factor of this size. What is left of the factor: 1 = it is full.
    std::int64_t takeDividing(std::int64_t factorSize, AxisList& target)
    {
        while (!empty()) {
            const auto divisor =
                static_cast<std::int32_t>(std::gcd(factorSize, static_cast<std::int64_t>(m_current.size)));
            if (divisor == m_current.size) {
                target.push_back(m_current);
                advance();
            } else if (divisor > 1) {
                target.push_back({ m_current.axis, m_current.pre, divisor });
                m_current.pre *= divisor;
                m_current.size /= divisor;
            } else {
                break;
            }
            factorSize /= divisor;
        }
        return factorSize;
    }

private:
    void load()
    {
        if (!empty())
            m_current = m_axes[m_next];
    }
    void advance()
    {
        ++m_next;
        load();
    }

    const AxisList& m_axes;
    std::size_t m_next = 0;
    AxisRef m_current; ///< what is left of m_axes[m_next]
};

FactorSharding& addFactor(TensorProjection& projection, std::int32_t factor, bool closed, bool minorMost)
{
    FactorSharding& sharding = projection.factors[static_cast<std::size_t>(factor)].emplace();
    sharding.closed = closed;
    sharding.minorMost = minorMost;
    return sharding;
}

void projectDimension(TensorProjection& projection, const DimensionSharding& dim,
    const FactorRule::DimensionFactors& factors, const FactorRule& rule)
{
    if (factors.size() == 1) { // by far the most common
        addFactor(projection, factors[0], !dim.open, true).axes = dim.axes;
        return;
    }
    AxisSupply supply(dim.axes);
    for (std::size_t i = 0; i < factors.size(); ++i) {
        const bool minorMost = i + 1 == factors.size();
        FactorSharding& sharding = addFactor(projection, factors[i], !dim.open, minorMost);
        if (minorMost) {
            supply.takeAll(sharding.axes);
            return;
        }
        const std::int64_t size = rule.factors[static_cast<std::size_t>(factors[i])].size;
        const std::int64_t left = supply.takeDividing(size, sharding.axes);
        if (left != 1 && !supply.empty()) {
            supply.takeAll(sharding.overflow);
            addFactor(projection, factors[i + 1], true, i + 2 == factors.size());
            return;
        }
    }
}

const FactorSharding& shardingOf(const TensorProjection& projection, std::int32_t factor)
{
    return *projection.factors[static_cast<std::size_t>(factor)];
}

} // namespace

void projectInto(TensorProjection& projection, const TensorSharding& sharding, const FactorRule::TensorMapping& mapping,
    const FactorRule& rule)
{
    projection.factors.resize(rule.factors.size());
    for (auto& factor : projection.factors)
        factor.reset();
    for (std::size_t d = 0; d < mapping.size(); ++d)
        projectDimension(projection, sharding.dims[d], mapping[d], rule);
    projection.replicated = sharding.replicated;
    projection.unreduced = sharding.unreduced;
}

TensorProjection project(
    const TensorSharding& sharding, const FactorRule::TensorMapping& mapping, const FactorRule& rule)
{
    TensorProjection projection;
    projectInto(projection, sharding, mapping, rule);
    return projection;
}

std::size_t effectiveFactors(
    const TensorProjection& projection, const FactorRule::DimensionFactors& factors, const FactorRule& rule)
{
    for (std::size_t i = 0; i < factors.size(); ++i) {
        const FactorSharding& sharding = shardingOf(projection, factors[i]);
        if (!sharding.overflow.empty()
            || product(sharding.axes) != rule.factors[static_cast<std::size_t>(factors[i])].size)
            return i + 1;
    }
    return factors.size();
}

TensorSharding unproject(
    const TensorProjection& projection, const FactorRule::TensorMapping& mapping, const FactorRule& rule)
{
    TensorSharding result;
    result.dims.resize(mapping.size());
    for (std::size_t d = 0; d < mapping.size(); ++d) {
        DimensionSharding& dim = result.dims[d];
        const std::size_t count = effectiveFactors(projection, mapping[d], rule);
        for (std::size_t i = 0; i < count; ++i) {
            const FactorSharding& sharding = shardingOf(projection, mapping[d][i]);
            dim.open = dim.open && !sharding.closed;
            for (const AxisRef& axis : sharding.axes)
                appendMerged(dim.axes, axis);
            for (const AxisRef& axis : sharding.overflow)
                appendMerged(dim.axes, axis);
        }
    }
    result.replicated = projection.replicated;
    result.unreduced = projection.unreduced;
    return result;
}

} // namespace shardscope
