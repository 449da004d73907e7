// SPDX-License-Identifier: GPL-3.0-or-later
#include "propagation/driver.h"

#include <algorithm>

#include "propagation/compatible_axes.h"

namespace shardscope {

namespace {

bool hasAxes(const TensorSharding& sharding)
{
    return std::any_of(
        sharding.dims.begin(), sharding.dims.end(), [](const DimensionSharding& dim) { return !dim.axes.empty(); });
}

FactorRule identityRule(const TensorType& type)
{
    FactorRule rule;
    FactorRule::TensorMapping mapping;
    for (std::size_t d = 0; d < type.rank(); ++d) {
        rule.factors.push_back({ type.shape[d], FactorKind::PassThrough, false });
        mapping.push_back({ static_cast<std::int32_t>(d) });
    }
    rule.operands.push_back(mapping);
    rule.results.push_back(std::move(mapping));
    return rule;
}

} // namespace

Driver::Driver(const PropagationInput& input, std::vector<TensorSharding> values, std::vector<TensorSharding> results)
    : m_input(input)
    , m_program(*input.program)
    , m_values(std::move(values))
    , m_results(std::move(results))
    , m_nodeOf(m_program.operations.size(), nowhere)
    , m_uses(m_program.values.size(), 0)
    , m_changed(m_program.values.size(), 1)
    , m_hasAxes(m_program.values.size(), 0)
{
    for (std::size_t v = 0; v < m_values.size(); ++v)
        m_hasAxes[v] = hasAxes(m_values[v]) ? 1 : 0;
    for (const Operation& operation : m_program.operations) {
        for (const ValueId operand : operation.operands)
            ++m_uses[operand.index];
    }
    for (const Region& region : m_program.regions) {
        for (const ValueId returned : region.results)
            ++m_uses[returned.index];
    }
    m_nodes.reserve(m_program.operations.size());
    addOperations(m_program.main());
    addResults();
    buildUsers();
    m_queued.assign(m_nodes.size(), 0);
}

void Driver::addOperations(const Region& region)
{
    for (const OperationId id : region.operations) {
        const Operation& operation = m_program.operation(id);
        FactorRule rule = factorRule(m_program, operation);
        if (!rule.factors.empty()) {
            Node& node = m_nodes.emplace_back();
            m_nodeOf[id.index] = static_cast<std::uint32_t>(m_nodes.size() - 1);
            node.rule = std::move(rule);
            node.operation = id;
            node.singleUse = true;
            for (const ValueId operand : operation.operands) {
                node.operands.push_back(slot(operand));
                if (m_program.value(operand).type.rank() != 0 && m_uses[operand.index] != 1)
                    node.singleUse = false;
            }
            for (const ValueId result : operation.results)
                node.results.push_back(slot(result));
            node.priority = priorityClass(operation.kind);
            node.elementwise = isPointwise(operation.kind);
        }
        for (const RegionId inner : operation.regions)
            addOperations(m_program.regions[inner.index]);
    }
}

void Driver::addResults()
{
    const std::vector<ValueId>& returned = m_program.main().results;
    m_identities.reserve(returned.size());
    for (std::size_t r = 0; r < returned.size(); ++r) {
        Node& node = m_identities.emplace_back();
        node.rule = identityRule(m_program.value(returned[r]).type);
        node.operands.push_back(slot(returned[r]));
        node.results.push_back({ &m_results[r], ValueId() });
    }
}

void Driver::buildUsers()
{
    m_usersBegin.assign(m_values.size() + 1, 0);
    for (const Node& node : m_nodes) {
        for (const Slot& operand : node.operands)
            ++m_usersBegin[operand.value.index + 1];
    }
    for (std::size_t v = 0; v < m_values.size(); ++v)
        m_usersBegin[v + 1] += m_usersBegin[v];
    m_users.resize(m_usersBegin.back());
    std::vector<std::uint32_t> next(m_usersBegin.begin(), m_usersBegin.end() - 1);
    for (std::size_t n = 0; n < m_nodes.size(); ++n) {
        for (const Slot& operand : m_nodes[n].operands)
            m_users[next[operand.value.index]++] = static_cast<std::uint32_t>(n);
    }
}

void Driver::run(int round)
{
    m_round = round;
    visitResults();
    m_queue.clear();
    for (std::size_t n = m_nodes.size(); n-- > 0;)
        push(static_cast<std::uint32_t>(n));
    while (!m_queue.empty()) {
        const std::uint32_t index = m_queue.back();
        m_queue.pop_back();
        m_queued[index] = 0;
        Node& node = m_nodes[index];
        const Allowance allowed =
            round < 0 ? Allowance{ Direction::Both, false } : allowance(node.priority, node.singleUse, round);
        if (!visit(node, allowed))
            continue;
        for (const ValueId value : m_written)
            notify(value, index);
        if (m_revisit)
            push(index);
    }
    visitResults();
}

void Driver::visitResults()
{
    for (Node& node : m_identities)
        visit(node, { Direction::Both, false });
}

/// A visit depends on the shardings around the operation and on what is allowed, on nothing else; without any axis it
/// has no effect.
bool Driver::nothingNew(const Node& node, Allowance allowed) const
{
    bool anyAxes = false;
    std::uint64_t newest = 0;
    const auto look = [&](const Slot& slot) {
        if (!slot.value.valid()) { // changed only by visits of this node itself
            anyAxes = anyAxes || hasAxes(*slot.sharding);
            return;
        }
        anyAxes = anyAxes || m_hasAxes[slot.value.index] != 0;
        newest = std::max(newest, m_changed[slot.value.index]);
    };
    std::for_each(node.operands.begin(), node.operands.end(), look);
    std::for_each(node.results.begin(), node.results.end(), look);
    return !anyAxes || (newest <= node.seen && allowed == node.seenAllowance);
}

void Driver::project(const Node& node, ShardingProjection& projection) const
{
    projection.operands.resize(node.operands.size());
    projection.results.resize(node.results.size());
    for (std::size_t i = 0; i < node.operands.size(); ++i)
        projectInto(projection.operands[i], *node.operands[i].sharding, node.rule.operands[i], node.rule);
    for (std::size_t i = 0; i < node.results.size(); ++i)
        projectInto(projection.results[i], *node.results[i].sharding, node.rule.results[i], node.rule);
}

bool Driver::visit(Node& node, Allowance allowed)
{
    if (allowed.direction == Direction::None || nothingNew(node, allowed))
        return false;
    node.seen = m_clock;
    node.seenAllowance = allowed;
    m_written.clear();
    m_revisit = false;

    if (m_scratch.size() <= node.operands.size())
        m_scratch.resize(node.operands.size() + 1);
    ShardingProjection& projection = m_scratch[node.operands.size()];
    project(node, projection);
    m_directions.clear();
    for (const FactorRule::Factor& factor : node.rule.factors)
        m_directions.push_back(allowed.along(factor.kind));
    const StepContext context{ node.rule, std::span<const Direction>(m_directions), node.elementwise };
    const UpdatedTensors updated = m_input.strategy == Strategy::Basic ? propagateBasic(projection, context)
                                                                       : propagateAggressive(projection, context);
    if (updated.empty())
        return false;

    project(node, m_before);
    const std::uint64_t since = m_clock;
    bool wrote = false;
    for (const std::uint32_t i : updated.operands)
        wrote |=
            write(node, since, node.operands[i], node.rule.operands[i], m_before.operands[i], projection.operands[i]);
    for (const std::uint32_t i : updated.results)
        wrote |= write(node, since, node.results[i], node.rule.results[i], m_before.results[i], projection.results[i]);
    if (wrote)
        ++m_steps;
    return wrote;
}

bool Driver::write(const Node& node, std::uint64_t since, const Slot& slot, const FactorRule::TensorMapping& mapping,
    const TensorProjection& before, const TensorProjection& after)
{
    TensorSharding sharding = unproject(after, mapping, node.rule);
    for (std::size_t d = 0; d < sharding.dims.size(); ++d)
        sharding.dims[d].priority = slot.sharding->dims[d].priority;
    if (sharding == *slot.sharding)
        return false;
    if (slot.value.valid() && m_changed[slot.value.index] > since) {
        // The value is an operand twice and the two want different things: the first has it, the other asks again.
        m_revisit = true;
        return false;
    }
    log(node, slot, mapping, before, after);
    *slot.sharding = std::move(sharding);
    if (slot.value.valid()) {
        touch(slot.value);
        m_written.push_back(slot.value);
    }
    return true;
}

void Driver::touch(ValueId value)
{
    m_changed[value.index] = ++m_clock;
    m_hasAxes[value.index] = 1;
}

ValueId Driver::sourceOf(const Node& node, std::size_t factor, const AxisList& axes, ValueId to) const
{
    const auto has = [&](const TensorProjection& tensor) {
        const auto& sharding = tensor.factors[factor];
        return sharding && isPrefixOf(std::span<const AxisRef>(axes), std::span<const AxisRef>(sharding->axes));
    };
    for (std::size_t i = 0; i < node.operands.size(); ++i) {
        if (has(m_before.operands[i]))
            return node.operands[i].value;
    }
    for (std::size_t i = 0; i < node.results.size(); ++i) {
        if (has(m_before.results[i]))
            return node.results[i].value.valid() ? node.results[i].value : to;
    }
    return to;
}

void Driver::log(const Node& node, const Slot& slot, const FactorRule::TensorMapping& mapping,
    const TensorProjection& before, const TensorProjection& after)
{
    if (!slot.value.valid())
        return;
    PropagationStep entry;
    entry.step = m_steps + 1;
    entry.round = static_cast<std::int8_t>(m_round);
    entry.operation = node.operation;
    entry.to = slot.value;
    for (std::size_t d = 0; d < mapping.size(); ++d) {
        entry.toDimension = static_cast<std::int16_t>(d);
        const std::size_t count = effectiveFactors(after, mapping[d], node.rule);
        for (std::size_t i = 0; i < count; ++i) {
            const auto factor = static_cast<std::size_t>(mapping[d][i]);
            const AxisList& now = after.factors[factor]->axes;
            const AxisList& old = before.factors[factor]->axes;
            if (now == old)
                continue;
            entry.factor = static_cast<std::int16_t>(factor);
            entry.from = sourceOf(node, factor, now, slot.value);
            for (const AxisRef& axis : now) {
                if (std::find(old.begin(), old.end(), axis) == old.end()) {
                    entry.axis = axis;
                    m_log.push_back(entry);
                }
            }
        }
    }
}

void Driver::copyConstraint(const Operation& constraint, OperationId id)
{
    const ValueId from = constraint.results.front();
    const ValueId to = constraint.operands.front();
    m_values[to.index] = m_values[from.index];
    if (hasAxes(m_values[to.index]))
        touch(to);
    ++m_steps;
    PropagationStep entry;
    entry.step = m_steps;
    entry.operation = id;
    entry.from = from;
    entry.to = to;
    const std::uint32_t node = m_nodeOf[id.index];
    for (std::size_t d = 0; d < m_values[to.index].dims.size(); ++d) {
        entry.toDimension = static_cast<std::int16_t>(d);
        if (node != nowhere)
            entry.factor = static_cast<std::int16_t>(m_nodes[node].rule.operands[0][d].front());
        for (const AxisRef& axis : m_values[to.index].dims[d].axes) {
            entry.axis = axis;
            m_log.push_back(entry);
        }
    }
}

namespace {

/// What was given to be replicated, and the axes of dimensions whose time has not come.
void keepReplicated(TensorSharding& sharding, const TensorSharding& given, std::int32_t priority)
{
    AxisList axes = given.replicated;
    for (const DimensionSharding& dim : given.dims)
        if (dim.priority > priority)
            for (const AxisRef& axis : dim.axes)
                axes.push_back(axis);
    if (axes.size() > given.replicated.size())
        std::sort(axes.begin(), axes.end());
    sharding.replicated = std::move(axes);
}

} // namespace

std::vector<std::int32_t> Driver::holdBack()
{
    std::vector<std::int32_t> priorities;
    const auto hold = [&](const Slot& slot, std::size_t result) {
        const auto isLater = [](const DimensionSharding& dim) { return dim.priority > 0; };
        TensorSharding& sharding = *slot.sharding;
        if (std::none_of(sharding.dims.begin(), sharding.dims.end(), isLater))
            return;
        m_held.push_back({ slot.sharding, slot.value, result, sharding });
        for (DimensionSharding& dim : sharding.dims) {
            if (!isLater(dim))
                continue;
            priorities.push_back(dim.priority);
            dim.axes.clear();
            dim.open = false;
        }
        keepReplicated(sharding, m_held.back().given, 0);
    };
    for (std::size_t v = 0; v < m_values.size(); ++v)
        hold(slot(ValueId(v)), 0);
    for (std::size_t r = 0; r < m_results.size(); ++r)
        hold({ &m_results[r], ValueId() }, r);
    std::sort(priorities.begin(), priorities.end());
    priorities.erase(std::unique(priorities.begin(), priorities.end()), priorities.end());
    return priorities;
}

void Driver::restore(std::int32_t priority)
{
    for (const Held& held : m_held) {
        for (std::size_t d = 0; d < held.given.dims.size(); ++d)
            if (held.given.dims[d].priority == priority)
                held.sharding->dims[d] = held.given.dims[d];
        keepReplicated(*held.sharding, held.given, priority);
        if (held.value.valid())
            touch(held.value);
        else
            m_identities[held.result].seen = 0;
    }
}

void Driver::notify(ValueId value, std::uint32_t except)
{
    const auto pushOther = [&](std::uint32_t node) {
        if (node != nowhere && node != except)
            push(node);
    };
    const OperationId definition = m_program.value(value).definition;
    if (definition.valid())
        pushOther(m_nodeOf[definition.index]);
    // Users are pushed last first, so that the first one is visited first.
    for (std::uint32_t u = m_usersBegin[value.index + 1]; u-- > m_usersBegin[value.index];)
        pushOther(m_users[u]);
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
    return { std::move(m_values), std::move(m_log), m_steps, std::move(m_results) };
}

} // namespace shardscope
