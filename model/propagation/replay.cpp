// SPDX-License-Identifier: GPL-3.0-or-later
#include "propagation/replay.h"

#include <algorithm>

namespace shardscope {

namespace {

/// Positions of the log by a number that each record has: begins of the groups, and the positions.
template <class Number>
void groupBy(const std::vector<PropagationStep>& log, std::size_t groups, Number number,
    std::vector<std::uint32_t>& begin, std::vector<std::uint32_t>& positions)
{
    begin.assign(groups + 1, 0);
    for (const PropagationStep& record : log)
        if (const std::size_t n = number(record); n < groups)
            ++begin[n + 1];
    for (std::size_t n = 0; n < groups; ++n)
        begin[n + 1] += begin[n];
    positions.resize(begin.back());
    std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
    for (std::size_t i = 0; i < log.size(); ++i)
        if (const std::size_t n = number(log[i]); n < groups)
            positions[next[n]++] = static_cast<std::uint32_t>(i);
}

/// A record tells of a value's own sharding, not of what is declared for a result that returns it, nor of axes that a
/// manual computation takes over at its boundary.
bool isOfValue(const PropagationStep& record)
{
    return record.seed != SeedKind::Result && !(record.seed && record.from.valid());
}

} // namespace

void arrive(AxisList& axes, AxisRef axis)
{
    if (!axes.empty() && contains(axis, axes.back()))
        axes.back() = axis;
    else if (std::none_of(axes.begin(), axes.end(), [&](AxisRef current) { return contains(current, axis); }))
        appendMerged(axes, axis);
}

Replay::Replay(const PropagationResult& result)
    : m_result(result)
    , m_steps(result.steps)
{
    for (const PropagationStep& record : result.log)
        m_steps = std::max(m_steps, record.step);
    groupBy(
        result.log, std::size_t{ m_steps } + 1, [](const PropagationStep& r) { return std::size_t{ r.step }; },
        m_stepBegin, m_byStep);
    groupBy(
        result.log, result.shardings.size(),
        [&](const PropagationStep& r) {
            return r.to.valid() && isOfValue(r) ? std::size_t{ result.representativeOf(r.to).index }
                                                : ~std::size_t{ 0 };
        },
        m_valueBegin, m_byValue);
}

AxisList Replay::axesAt(ValueId value, std::size_t dimension, std::uint32_t step) const
{
    AxisList axes;
    const auto [begin, end] = rangeOf(value);
    for (std::uint32_t i = begin; i < end; ++i) {
        const PropagationStep& record = m_result.log[m_byValue[i]];
        if (record.step <= step && static_cast<std::size_t>(record.toDimension) == dimension)
            arrive(axes, record.axis);
    }
    return axes;
}

std::pair<std::uint32_t, std::uint32_t> Replay::rangeOf(ValueId value) const
{
    if (!value.valid() || value.index + std::size_t{ 1 } >= m_valueBegin.size())
        return {};
    const std::uint32_t index = m_result.representativeOf(value).index;
    return { m_valueBegin[index], m_valueBegin[index + 1] };
}

std::vector<std::uint32_t> Replay::positionsOf(ValueId value, std::size_t dimension) const
{
    std::vector<std::uint32_t> positions;
    const auto [begin, end] = rangeOf(value);
    for (std::uint32_t i = begin; i < end; ++i)
        if (static_cast<std::size_t>(m_result.log[m_byValue[i]].toDimension) == dimension)
            positions.push_back(m_byValue[i]);
    return positions;
}

std::vector<const PropagationStep*> Replay::recordsOf(std::uint32_t step) const
{
    std::vector<const PropagationStep*> records;
    if (step <= m_steps)
        for (std::uint32_t i = m_stepBegin[step]; i < m_stepBegin[step + 1]; ++i)
            records.push_back(&m_result.log[m_byStep[i]]);
    return records;
}

std::uint32_t Replay::settledAt(ValueId value) const
{
    std::uint32_t last = 0;
    const auto [begin, end] = rangeOf(value);
    for (std::uint32_t i = begin; i < end; ++i)
        last = std::max(last, m_result.log[m_byValue[i]].step);
    return last;
}

} // namespace shardscope
