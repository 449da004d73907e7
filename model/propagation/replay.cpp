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

/// A record tells of a value's own sharding, not of what is declared for a result that returns it.
bool isOfValue(const PropagationStep& record)
{
    return record.seed != SeedKind::Result;
}

/// An axis arrives: it continues the list, or it is more of a part that has arrived before.
void arrive(AxisList& axes, AxisRef axis)
{
    if (!axes.empty() && contains(axis, axes.back()))
        axes.back() = axis;
    else if (std::none_of(axes.begin(), axes.end(), [&](AxisRef held) { return contains(held, axis); }))
        appendMerged(axes, axis);
}

} // namespace

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
        [](const PropagationStep& r) {
            return r.to.valid() && isOfValue(r) ? std::size_t{ r.to.index } : ~std::size_t{ 0 };
        },
        m_valueBegin, m_byValue);
}

AxisList Replay::axesAt(ValueId value, std::size_t dimension, std::uint32_t step) const
{
    AxisList axes;
    if (!value.valid() || value.index + std::size_t{ 1 } >= m_valueBegin.size())
        return axes;
    for (std::uint32_t i = m_valueBegin[value.index]; i < m_valueBegin[value.index + 1]; ++i) {
        const PropagationStep& record = m_result.log[m_byValue[i]];
        if (record.step <= step && static_cast<std::size_t>(record.toDimension) == dimension)
            arrive(axes, record.axis);
    }
    return axes;
}

std::vector<const PropagationStep*> Replay::recordsOf(std::uint32_t step) const
{
    std::vector<const PropagationStep*> records;
    if (step <= m_steps)
        for (std::uint32_t i = m_stepBegin[step]; i < m_stepBegin[step + 1]; ++i)
            records.push_back(&m_result.log[m_byStep[i]]);
    return records;
}

std::vector<ValueId> Replay::changedIn(std::uint32_t step) const
{
    std::vector<ValueId> values;
    for (const PropagationStep* record : recordsOf(step))
        if (isOfValue(*record) && std::find(values.begin(), values.end(), record->to) == values.end())
            values.push_back(record->to);
    return values;
}

std::uint32_t Replay::settledAt(ValueId value) const
{
    std::uint32_t last = 0;
    if (value.valid() && value.index + std::size_t{ 1 } < m_valueBegin.size())
        for (std::uint32_t i = m_valueBegin[value.index]; i < m_valueBegin[value.index + 1]; ++i)
            last = std::max(last, m_result.log[m_byValue[i]].step);
    return last;
}

namespace {

/// The first step of `own` at which the dimension's axes stop being a prefix of those that the other run ends with,
/// or at which they stop growing though the other run goes on.
std::uint32_t partsAt(
    const Replay& own, const PropagationResult& result, const PropagationResult& other, ValueId value, std::size_t dim)
{
    const AxisList& theirs = other.shardings[value.index].dims[dim].axes;
    std::uint32_t common = 0;
    for (const PropagationStep& record : result.log) {
        if (record.to != value || static_cast<std::size_t>(record.toDimension) != dim || !isOfValue(record))
            continue;
        const AxisList now = own.axesAt(value, dim, record.step);
        if (!isPrefixOf(std::span<const AxisRef>(now), std::span<const AxisRef>(theirs)))
            return record.step;
        common = record.step;
    }
    return common;
}

} // namespace

std::vector<ReplayDifference> differences(
    const Program& program, const PropagationResult& first, const PropagationResult& second)
{
    std::vector<ReplayDifference> found;
    const Replay one(first), two(second);
    for (std::size_t v = 0; v < program.values.size(); ++v) {
        const TensorSharding& a = first.shardings[v];
        const TensorSharding& b = second.shardings[v];
        for (std::size_t d = 0; d < std::min(a.rank(), b.rank()); ++d) {
            if (a.dims[d].axes == b.dims[d].axes)
                continue;
            const ValueId value(v);
            found.push_back({ value, partsAt(one, first, second, value, d), partsAt(two, second, first, value, d) });
            break;
        }
    }
    return found;
}

} // namespace shardscope
