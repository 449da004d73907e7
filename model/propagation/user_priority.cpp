// SPDX-License-Identifier: GPL-3.0-or-later
// A part of Driver, which is declared in driver.h.
#include <algorithm>

#include "propagation/driver.h"

namespace shardscope {

namespace {

bool isLater(const DimensionSharding& dim)
{
    return dim.priority > 0;
}

/// Manual axes shard a value that crosses the boundary of their computation from the first round on.
bool waits(AxisRef axis, std::uint64_t manualAxes)
{
    return (manualAxes >> axis.axis & 1U) == 0;
}

/// What is replicated to begin with, and the axes of dimensions whose time has not come.
void keepReplicated(
    TensorSharding& sharding, const TensorSharding& initial, std::int32_t priority, std::uint64_t manualAxes)
{
    AxisList axes = initial.replicated;
    for (const DimensionSharding& dim : initial.dims)
        if (dim.priority > priority)
            for (const AxisRef& axis : dim.axes)
                if (waits(axis, manualAxes))
                    axes.push_back(axis);
    if (axes.size() > initial.replicated.size())
        std::sort(axes.begin(), axes.end());
    sharding.replicated = std::move(axes);
}

} // namespace

std::vector<std::int32_t> Driver::holdBack()
{
    std::vector<std::int32_t> priorities;
    m_priority = 0;
    std::vector<std::uint64_t> manualAxes(m_state.size(), 0); // of tensors that the boundaries of computations keep
    for (const PropagationNode& node : m_graph.nodes)
        if (node.view >= 0)
            manualAxes[m_graph.tensorsOf(node).back()] = m_graph.views[static_cast<std::size_t>(node.view)].axes;
    for (TensorNumber t = 0; t < m_state.size(); ++t) {
        const bool represents = t >= m_graph.tensorOf.size() || m_graph.tensorOf[t] == t;
        const ShardingNumber initial = m_state[t];
        if (!represents || std::none_of(m_shardings[initial].dims.begin(), m_shardings[initial].dims.end(), isLater))
            continue;
        m_held.push_back({ t, initial, manualAxes[t] });
        TensorSharding sharding = m_shardings[initial];
        for (DimensionSharding& dim : sharding.dims) {
            if (!isLater(dim))
                continue;
            priorities.push_back(dim.priority);
            dim.axes.erase(std::remove_if(dim.axes.begin(), dim.axes.end(),
                               [&](AxisRef axis) { return waits(axis, manualAxes[t]); }),
                dim.axes.end());
            dim.open = false;
        }
        keepReplicated(sharding, m_shardings[initial], 0, manualAxes[t]);
        m_state[t] = m_shardings.number(sharding, m_shardings.mesh(initial));
    }
    std::sort(priorities.begin(), priorities.end());
    priorities.erase(std::unique(priorities.begin(), priorities.end()), priorities.end());
    return priorities;
}

void Driver::restore(std::int32_t priority)
{
    m_priority = priority;
    for (const Held& current : m_held) {
        TensorSharding sharding = m_shardings[m_state[current.tensor]];
        const TensorSharding& initial = m_shardings[current.initial];
        for (std::size_t d = 0; d < initial.dims.size(); ++d)
            if (initial.dims[d].priority == priority)
                sharding.dims[d] = initial.dims[d];
        keepReplicated(sharding, initial, priority, current.manualAxes);
        touch(current.tensor, m_shardings.number(sharding, m_shardings.mesh(m_state[current.tensor])));
    }
}

} // namespace shardscope
