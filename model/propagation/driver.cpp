// SPDX-License-Identifier: GPL-3.0-or-later
#include "propagation/driver.h"

#include <algorithm>

namespace shardscope {

Driver::Driver(const PropagationInput& input, int)
    : m_input(input)
    , m_program(*input.program)
    , m_meshes(m_program.meshes)
    , m_table(m_meshes, m_shardings)
{
}

Driver::Driver(const PropagationInput& input)
    : Driver(input, 0)
{
    start(initialShardings(m_program, m_meshes, m_shardings));
}

Driver::Driver(const PropagationInput& input, const PropagationResult& from)
    : Driver(input, 0)
{
    InitialShardings initial;
    for (std::size_t v = 0; v < from.shardings.size(); ++v)
        initial.values.push_back(m_shardings.number(from.shardings[v], from.meshes[v]));
    for (std::size_t r = 0; r < from.results.size(); ++r)
        initial.results.push_back(m_shardings.number(from.results[r], from.resultMeshes[r]));
    start(std::move(initial));
}

void Driver::start(InitialShardings initial)
{
    m_graph = buildGraph(m_input, m_meshes, m_shardings, m_table, initial.values);
    m_state = std::move(initial.values);
    m_state.insert(m_state.end(), initial.results.begin(), initial.results.end());
    m_log = std::move(initial.records);
    m_changed.assign(m_state.size(), 1);
    m_seen.assign(m_graph.nodes.size(), 0);
    m_seenKind.assign(m_graph.nodes.size(), {});
    m_queued.assign(m_graph.nodes.size(), 0);
    m_basic = resolution() == ConflictResolution::Basic;
}

ConflictResolution Driver::resolution() const
{
    return m_input.strategy == Strategy::Basic ? ConflictResolution::Basic : m_input.options.resolution;
}

void Driver::run(int round)
{
    m_round = round;
    if (resolution() == ConflictResolution::BasicThenAggressive) {
        m_basic = true;
        fixpoint();
    }
    m_basic = resolution() == ConflictResolution::Basic;
    fixpoint();
}

void Driver::fixpoint()
{
    visitResults();
    m_queue.clear();
    for (std::uint32_t n = m_graph.firstResultNode; n-- > 0;)
        push(n);
    while (!m_queue.empty()) {
        const std::uint32_t index = m_queue.back();
        m_queue.pop_back();
        m_queued[index] = 0;
        const PropagationNode& node = m_graph.nodes[index];
        const Allowance allowed =
            m_round < 0 ? Allowance{ Direction::Both, false } : allowance(node.priority, node.singleUse, m_round);
        if (!visit(index, allowed))
            continue;
        for (const TensorNumber tensor : m_declared)
            notify(tensor, index);
        if (m_revisit)
            push(index);
    }
    visitResults();
}

void Driver::visitResults()
{
    for (auto n = m_graph.firstResultNode; n < m_graph.nodes.size(); ++n)
        visit(n, { Direction::Both, false });
}

StepKind Driver::stepKind(const PropagationNode& node, Allowance allowed) const
{
    StepKind kind;
    kind.passThrough = allowed.direction & node.allowed;
    kind.others = (allowed.passThroughFactorsOnly ? allowed.others : allowed.direction) & node.allowed;
    kind.elementwise = node.elementwise;
    kind.fullAxes = node.fullAxes;
    kind.basic = m_basic;
    return kind;
}

/// A visit depends on the shardings around the node and on what is allowed, on nothing else; without any axis it has no
/// effect.
bool Driver::nothingNew(std::uint32_t index, StepKind kind) const
{
    const PropagationNode& node = m_graph.nodes[index];
    bool anyAxes = node.view >= 0;
    std::uint64_t newest = 0;
    for (const TensorNumber tensor : m_graph.tensorsOf(node)) {
        anyAxes = anyAxes || m_shardings.hasAxes(m_state[tensor]);
        newest = std::max(newest, m_changed[tensor]);
    }
    return !anyAxes || (newest <= m_seen[index] && kind == m_seenKind[index]);
}

void Driver::gather(const PropagationNode& node, std::vector<ShardingNumber>& shardings)
{
    shardings.clear();
    for (const TensorNumber tensor : m_graph.tensorsOf(node))
        shardings.push_back(m_state[tensor]);
    if (node.view >= 0)
        shardings.back() = acrossBoundary(shardings.back(), node.view, false);
}

ShardingNumber Driver::acrossBoundary(ShardingNumber sharding, std::int32_t viewIndex, bool toStored)
{
    const ManualView& view = m_graph.views[static_cast<std::size_t>(viewIndex)];
    if (m_shardings.mesh(sharding) == 0)
        return sharding;
    const TensorSharding& from = m_shardings[sharding];
    const TensorSharding to = view.inside == toStored ? withoutManualAxes(from, view) : withManualAxes(from, view);
    return m_shardings.number(to, m_shardings.mesh(sharding));
}

bool Driver::visit(std::uint32_t index, Allowance allowed)
{
    const PropagationNode& node = m_graph.nodes[index];
    const StepKind kind = stepKind(node, allowed);
    if ((kind.passThrough == Direction::None && kind.others == Direction::None) || nothingNew(index, kind))
        return false;
    m_seen[index] = m_clock;
    m_seenKind[index] = kind;
    m_declared.clear();
    m_revisit = false;
    gather(node, m_around);
    const std::uint64_t since = m_clock;
    bool wrote = false;
    for (const StepWrite& each : m_table.step(node.rule, kind, m_around))
        wrote |= write(node, since, each);
    if (wrote)
        ++m_steps;
    return wrote;
}

bool Driver::write(const PropagationNode& node, std::uint64_t since, const StepWrite& write)
{
    const TensorNumber tensor = m_graph.tensors[node.firstTensor + write.tensor];
    ShardingNumber sharding = write.sharding;
    if (node.view >= 0 && write.tensor == node.operands)
        sharding = acrossBoundary(sharding, node.view, true);
    if (sharding == m_state[tensor])
        return false;
    if (m_changed[tensor] > since) {
        // The value is an operand twice and the two want different things: the first has it, the other asks again.
        m_revisit = true;
        return false;
    }
    log(node, write);
    if (node.kind == NodeKind::Result && write.tensor == node.operands) {
        m_state[tensor] = sharding; // nothing else depends on it
        return true;
    }
    touch(tensor, sharding);
    m_declared.push_back(tensor);
    return true;
}

void Driver::touch(TensorNumber tensor, ShardingNumber sharding)
{
    m_state[tensor] = sharding;
    m_changed[tensor] = ++m_clock;
}

void Driver::log(const PropagationNode& node, const StepWrite& write)
{
    const std::span<const ValueId> values = m_graph.valuesOf(node);
    const ValueId to = values[write.tensor];
    PropagationStep entry;
    entry.step = m_steps + 1;
    entry.round = static_cast<std::int8_t>(m_round);
    entry.priority = m_priority;
    entry.basic = m_basic;
    if (node.kind == NodeKind::Result)
        entry.result = static_cast<std::int32_t>(node.result);
    else
        entry.operation = node.operation;
    entry.to = to.valid() ? to : values[0];
    entry.toTensor = static_cast<std::int16_t>(write.tensor);
    std::vector<PropagationStep>& log = to.valid() ? m_log : m_resultLog;
    for (const StepMove& move : m_table.moves(write)) {
        entry.toDimension = move.dimension;
        entry.factor = move.factor;
        entry.axis = move.axis;
        entry.fromTensor = move.from;
        const ValueId from = move.from < 0 ? ValueId() : values[static_cast<std::size_t>(move.from)];
        entry.from = from.valid() ? from : entry.to;
        log.push_back(entry);
    }
}

void Driver::notify(TensorNumber tensor, std::uint32_t except)
{
    for (const std::uint32_t node : m_graph.definitionsOf(tensor))
        if (node != except)
            push(node);
    // Users are pushed last first, so that the first one is visited first.
    const std::span<const std::uint32_t> users = m_graph.usersOf(tensor);
    for (std::size_t u = users.size(); u-- > 0;)
        if (users[u] != except)
            push(users[u]);
}

void Driver::push(std::uint32_t node)
{
    if (m_queued[node] != 0)
        return;
    m_queued[node] = 1;
    m_queue.push_back(node);
}

PropagationResult Driver::finish() &&
{
    PropagationResult result;
    const std::size_t values = m_program.values.size();
    result.shardings.reserve(values);
    result.meshes.reserve(values);
    bool shared = false;
    for (std::size_t v = 0; v < values; ++v) {
        const TensorNumber tensor = m_graph.tensorOf[v];
        shared = shared || tensor != v;
        result.shardings.push_back(m_shardings[m_state[tensor]]);
        result.meshes.push_back(m_shardings.mesh(m_state[tensor]));
    }
    for (std::size_t t = values; t < m_state.size(); ++t) {
        result.results.push_back(m_shardings[m_state[t]]);
        result.resultMeshes.push_back(m_shardings.mesh(m_state[t]));
    }
    if (shared)
        for (const TensorNumber tensor : m_graph.tensorOf)
            result.representative.emplace_back(tensor);
    result.log = std::move(m_log);
    result.resultLog = std::move(m_resultLog);
    result.steps = m_steps;
    return result;
}

} // namespace shardscope
