// SPDX-License-Identifier: GPL-3.0-or-later
#include "propagation/blocker.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <unordered_map>

#include "program/calls.h"
#include "propagation/compatible_axes.h"
#include "propagation/driver.h"

namespace shardscope {

namespace {

struct Cause {
    BlockReason reason = BlockReason::Closed;
    AxisRef axis;
    std::size_t tensor = 0;
    std::int16_t otherFactor = -1;
};

bool holds(const AxisList& axes, AxisRef wanted)
{
    return std::any_of(axes.begin(), axes.end(), [&](AxisRef axis) { return contains(axis, wanted); });
}

bool uses(const AxisList& axes, AxisRef wanted)
{
    return std::any_of(
        axes.begin(), axes.end(), [&](AxisRef axis) { return axis == wanted || overlaps(axis, wanted); });
}

bool inConflict(const AxisList& a, const AxisList& b)
{
    return !isPrefixOf(std::span<const AxisRef>(a), std::span<const AxisRef>(b))
        && !isPrefixOf(std::span<const AxisRef>(b), std::span<const AxisRef>(a));
}

/// One node with what surrounds it at the end.
class Scene {
public:
    Scene(Driver& driver, const PropagationNode& node)
        : m_driver(driver)
        , m_rule(driver.steps().rule(node.rule))
        , m_kind(driver.stepKind(node, { Direction::Both, false }))
    {
        driver.gather(node, m_shardings);
        m_mesh = driver.steps().commonMesh(m_shardings);
        m_projected = projectAll(m_projection, m_rule, driver.shardings(), m_shardings);
    }

    [[nodiscard]] std::size_t tensors() const { return m_shardings.size(); }
    [[nodiscard]] const FactorRule::TensorMapping& mapping(std::size_t tensor) const
    {
        return isOperand(tensor) ? m_rule.operands[tensor] : m_rule.results[tensor - m_rule.operands.size()];
    }
    /// The dimension of a tensor that has the factor.
    [[nodiscard]] std::optional<std::size_t> dimensionOf(std::size_t tensor, std::int32_t factor) const
    {
        const FactorRule::TensorMapping& dims = mapping(tensor);
        for (std::size_t d = 0; d < dims.size(); ++d)
            if (std::find(dims[d].begin(), dims[d].end(), factor) != dims[d].end())
                return d;
        return std::nullopt;
    }
    /// The tensor has the axis along the factor, or somewhere in the dimension where it cannot be told apart.
    [[nodiscard]] bool has(std::size_t tensor, std::int32_t factor, AxisRef axis) const
    {
        if (!m_projected) {
            const std::optional<std::size_t> dim = dimensionOf(tensor, factor);
            const TensorSharding& sharding = m_driver.shardings()[m_shardings[tensor]];
            return dim && *dim < sharding.rank() && uses(sharding.dims[*dim].axes, axis);
        }
        const auto& sharding = projection(tensor).factors[static_cast<std::size_t>(factor)];
        return sharding && (uses(sharding->axes, axis) || uses(sharding->overflow, axis));
    }

    /// The factor that the axis shards in the source and that the operation sums over on the way to the target.
    [[nodiscard]] std::optional<std::int16_t> summedAlong(std::size_t source, std::size_t target, AxisRef axis) const
    {
        for (std::size_t f = 0; f < m_rule.factors.size(); ++f) {
            const auto factor = static_cast<std::int32_t>(f);
            if (m_rule.factors[f].kind == FactorKind::Reduction && !dimensionOf(target, factor)
                && dimensionOf(source, factor) && has(source, factor, axis))
                return static_cast<std::int16_t>(f);
        }
        return std::nullopt;
    }

    /// Why the axis does not come from one tensor to another. Nothing if it could.
    [[nodiscard]] std::optional<Cause> cause(
        std::int32_t factorNumber, std::size_t source, std::size_t target, AxisRef wanted) const
    {
        if (!m_mesh || !m_projected)
            return Cause{ BlockReason::MeshMismatch, wanted, otherMesh(source, target), -1 };
        const auto factor = static_cast<std::size_t>(factorNumber);
        if (m_rule.factors[factor].blocked)
            return Cause{ BlockReason::Blocked, wanted, target, -1 };
        const Direction direction =
            m_rule.factors[factor].kind == FactorKind::PassThrough ? m_kind.passThrough : m_kind.others;
        const Direction needed = isOperand(source) ? Direction::Forward : Direction::Backward;
        if ((direction & needed) == Direction::None)
            return Cause{ BlockReason::Direction, wanted, target, -1 };
        if (!uses(axesOf(source, factor), wanted)) // it stands after what the factor takes
            return Cause{ BlockReason::Overflow, wanted, source, -1 };
        const AxisList merged = compatibleMajorAxes(m_projection, factor, direction);
        if (!uses(merged, wanted))
            return Cause{ BlockReason::FrozenBy, wanted, conflicting(factor, source, target), -1 };
        if (std::optional<Cause> found = alongList(merged, factor, target, wanted))
            return found;
        for (const AxisRef& axis : axesOf(source, factor)) { // the lists may part in the middle of the axis
            const std::optional<AxisRef> part = overlap(axis, wanted);
            if (part && !holds(merged, *part))
                return Cause{ BlockReason::FrozenBy, wanted, conflicting(factor, source, target), -1 };
        }
        return std::nullopt;
    }

private:
    [[nodiscard]] bool isOperand(std::size_t tensor) const { return tensor < m_rule.operands.size(); }
    [[nodiscard]] const TensorProjection& projection(std::size_t tensor) const
    {
        return isOperand(tensor) ? m_projection.operands[tensor]
                                 : m_projection.results[tensor - m_rule.operands.size()];
    }
    [[nodiscard]] const AxisList& axesOf(std::size_t tensor, std::size_t factor) const
    {
        return projection(tensor).factors[factor]->axes;
    }
    [[nodiscard]] std::size_t otherMesh(std::size_t source, std::size_t target) const
    {
        const auto differs = [&](std::size_t tensor) {
            const ShardingNumber both[] = { m_shardings[source], m_shardings[tensor] };
            return m_driver.shardings().mesh(m_shardings[tensor]) != 0 && !m_driver.steps().commonMesh(both);
        };
        if (differs(target))
            return target;
        for (std::size_t tensor = 0; tensor < tensors(); ++tensor)
            if (differs(tensor))
                return tensor;
        return target;
    }
    [[nodiscard]] std::size_t conflicting(std::size_t factor, std::size_t source, std::size_t target) const
    {
        const auto conflicts = [&](std::size_t tensor) {
            return projection(tensor).factors[factor] && inConflict(axesOf(source, factor), axesOf(tensor, factor));
        };
        if (conflicts(target))
            return target;
        for (std::size_t tensor = 0; tensor < tensors(); ++tensor)
            if (conflicts(tensor))
                return tensor;
        return target;
    }

    /// The axes come one after the other; the first that cannot stay holds up those after it.
    [[nodiscard]] std::optional<Cause> alongList(
        const AxisList& merged, std::size_t factor, std::size_t target, AxisRef wanted) const
    {
        std::vector<std::size_t> receivers;
        if (m_kind.basic) {
            for (std::size_t tensor = 0; tensor < tensors(); ++tensor)
                receivers.push_back(tensor);
        } else {
            if (m_kind.elementwise && isOperand(target)) // takes no more than the results have
                for (std::size_t tensor = m_rule.operands.size(); tensor < tensors(); ++tensor)
                    receivers.push_back(tensor);
            receivers.push_back(target);
        }
        std::int64_t before = 1;
        for (const AxisRef& axis : merged) {
            const std::optional<AxisRef> part = overlap(axis, wanted);
            const AxisRef needed = part.value_or(axis);
            for (const std::size_t tensor : receivers) {
                if (std::optional<Cause> found = atTensor(axis, needed, tensor, factor, before))
                    return found;
            }
            before *= axis.size;
            if (part || axis == wanted)
                break;
        }
        return afterFactor(factor, target, wanted);
    }
    [[nodiscard]] std::optional<Cause> atTensor(
        AxisRef axis, AxisRef needed, std::size_t number, std::size_t factor, std::int64_t before) const
    {
        const TensorProjection& tensor = projection(number);
        const auto& sharding = tensor.factors[factor];
        if (sharding && holds(sharding->axes, needed))
            return std::nullopt;
        if (sharding) {
            if (uses(tensor.replicated, needed))
                return Cause{ BlockReason::Replicated, needed, number, -1 };
            if (uses(tensor.unreduced, needed))
                return Cause{ BlockReason::Unreduced, needed, number, -1 };
            if (!sharding->overflow.empty())
                return Cause{ BlockReason::Overflow, needed, number, -1 };
            if (sharding->closed) {
                const std::size_t dim = *dimensionOf(number, static_cast<std::int32_t>(factor));
                const bool open = m_driver.shardings()[m_shardings[number]].dims[dim].open;
                return Cause{ open ? BlockReason::Overflow : BlockReason::Closed, needed, number, -1 };
            }
        }
        for (std::size_t f = 0; f < tensor.factors.size(); ++f)
            if (f != factor && tensor.factors[f]
                && (uses(tensor.factors[f]->axes, needed) || uses(tensor.factors[f]->overflow, needed)))
                return Cause{ BlockReason::UsedByFactor, needed, number, static_cast<std::int16_t>(f) };
        if (!sharding)
            return std::nullopt;
        const std::optional<AxisRef> prefix =
            prefixWithinFactor(axis, tensor, factor, before, m_rule.factors[factor].size);
        const bool divided = m_kind.fullAxes && prefix && !isFull(m_driver.meshes().mesh(*m_mesh), *prefix);
        if (!prefix || divided || !contains(*prefix, needed))
            return Cause{ BlockReason::Divisibility, needed, number, -1 };
        return std::nullopt;
    }
    /// The list could go to the tensor, but a factor in front of it leaves no place.
    [[nodiscard]] std::optional<Cause> afterFactor(std::size_t factor, std::size_t target, AxisRef wanted) const
    {
        const FactorRule::TensorMapping& dims = mapping(target);
        const std::size_t dim = *dimensionOf(target, static_cast<std::int32_t>(factor));
        const std::size_t count = effectiveFactors(projection(target), dims[dim], m_rule);
        for (std::size_t i = 0; i + 1 < count; ++i)
            if (static_cast<std::size_t>(dims[dim][i]) == factor)
                return std::nullopt;
        if (count < dims[dim].size() || static_cast<std::size_t>(dims[dim][count - 1]) != factor) {
            for (std::size_t i = count; i < dims[dim].size(); ++i)
                if (static_cast<std::size_t>(dims[dim][i]) == factor)
                    return Cause{ BlockReason::MinorFactorNotFull, wanted, target,
                        static_cast<std::int16_t>(dims[dim][count - 1]) };
        }
        return std::nullopt;
    }

    Driver& m_driver;
    const FactorRule& m_rule;
    StepKind m_kind;
    std::vector<ShardingNumber> m_shardings;
    std::optional<std::uint32_t> m_mesh;
    ShardingProjection m_projection;
    bool m_projected = false;
};

/// Looks from the dimension outwards, along factors, for the nearest tensor that has the axis.
class Search {
public:
    Search(Driver& driver, AxisRef axis)
        : m_driver(driver)
        , m_graph(driver.graph())
        , m_axis(axis)
    {
        for (auto n = m_graph.firstResultNode; n < m_graph.nodes.size(); ++n)
            for (const TensorNumber tensor : m_graph.tensorsOf(m_graph.nodes[n]))
                if (std::vector<std::uint32_t>& nodes = m_resultNodes[tensor]; nodes.empty() || nodes.back() != n)
                    nodes.push_back(static_cast<std::uint32_t>(n));
    }

    std::optional<Blocker> run(TensorNumber tensor, std::size_t dimension)
    {
        reach(tensor, dimension);
        while (!m_queue.empty()) {
            const auto [from, dim] = m_queue.front();
            m_queue.pop_front();
            for (const std::uint32_t node : m_graph.definitionsOf(from))
                visit(node, from, dim);
            for (const std::uint32_t node : m_graph.usersOf(from))
                visit(node, from, dim);
            if (const auto nodes = m_resultNodes.find(from); nodes != m_resultNodes.end())
                for (const std::uint32_t node : nodes->second)
                    visit(node, from, dim);
            atUnknown(from);
            if (!m_found && from == tensor && dim == dimension)
                atSum(from);
            if (m_found)
                return m_found;
        }
        return std::nullopt;
    }

private:
    /// The axis ends where the tensor is computed: what it shards is summed over.
    void atSum(TensorNumber tensor)
    {
        for (const std::uint32_t index : m_graph.definitionsOf(tensor)) {
            const PropagationNode& node = m_graph.nodes[index];
            if (node.kind != NodeKind::Operation)
                continue;
            const Scene scene(m_driver, node);
            const std::span<const TensorNumber> around = m_graph.tensorsOf(node);
            const std::span<const ValueId> values = m_graph.valuesOf(node);
            for (std::size_t target = node.operands; target < around.size(); ++target)
                for (std::size_t source = 0; source < node.operands && around[target] == tensor; ++source)
                    if (const std::optional<std::int16_t> factor = scene.summedAlong(source, target, m_axis);
                        factor && !m_found)
                        m_found = Blocker{ node.operation, -1, BlockReason::Summed, m_axis, *factor, -1,
                            static_cast<std::int16_t>(target), values[target], static_cast<std::int16_t>(source),
                            values[source] };
        }
    }

    /// Operations that have operands and results and no node: nothing is known of how these correspond.
    void findUnknown()
    {
        const Program& program = m_driver.program();
        std::vector<char> hasNode(program.operations.size(), 0);
        for (const PropagationNode& node : m_graph.nodes)
            if (node.operation.valid())
                hasNode[node.operation.index] = 1;
        for (const Region& region : program.regions)
            for (const OperationId id : region.operations) {
                const Operation& operation = program.operation(id);
                const OpKind kind = operation.kind; // these are passed through value by value, along edges of their own
                const bool byEdges = kind == OpKind::While || kind == OpKind::Case || kind == OpKind::If
                    || kind == OpKind::OptimizationBarrier || kind == OpKind::ManualComputation
                    || kind == OpKind::NamedComputation;
                if (hasNode[id.index] || byEdges || operation.operands.empty() || operation.results.empty()
                    || isCall(kind))
                    continue;
                for (const ValueId operand : operation.operands)
                    m_unknown.emplace(m_graph.tensorOf[operand.index], id);
                for (const ValueId result : operation.results)
                    m_unknown.emplace(m_graph.tensorOf[result.index], id);
            }
    }
    void atUnknown(TensorNumber tensor)
    {
        if (!m_searchedUnknown)
            findUnknown();
        m_searchedUnknown = true;
        const auto [begin, end] = m_unknown.equal_range(tensor);
        for (auto it = begin; it != end && !m_found; ++it) {
            const Operation& operation = m_driver.program().operation(it->second);
            const auto look = [&](ValueId value, std::size_t number) {
                if (m_found || m_graph.tensorOf[value.index] == tensor)
                    return;
                const TensorSharding& sharding = m_driver.sharding(value);
                if (std::any_of(sharding.dims.begin(), sharding.dims.end(),
                        [&](const DimensionSharding& dim) { return holds(dim.axes, m_axis); }))
                    m_found = Blocker{ it->second, -1, BlockReason::NoRule, m_axis, -1, -1, -1, ValueId(),
                        static_cast<std::int16_t>(number), value };
            };
            for (std::size_t i = 0; i < operation.operands.size(); ++i)
                look(operation.operands[i], i);
            for (std::size_t i = 0; i < operation.results.size(); ++i)
                look(operation.results[i], operation.operands.size() + i);
        }
    }
    void reach(TensorNumber tensor, std::size_t dimension)
    {
        if (m_reached.emplace(tensor, dimension).second)
            m_queue.emplace_back(tensor, dimension);
    }
    void visit(std::uint32_t index, TensorNumber tensor, std::size_t dimension)
    {
        if (m_found)
            return;
        const PropagationNode& node = m_graph.nodes[index];
        const Scene scene(m_driver, node);
        const std::span<const TensorNumber> around = m_graph.tensorsOf(node);
        for (std::size_t target = 0; target < around.size(); ++target) {
            if (around[target] != tensor || dimension >= scene.mapping(target).size())
                continue;
            for (const std::int32_t factor : scene.mapping(target)[dimension])
                spread(scene, node, target, factor);
        }
    }
    void spread(const Scene& scene, const PropagationNode& node, std::size_t target, std::int32_t factor)
    {
        const std::span<const TensorNumber> around = m_graph.tensorsOf(node);
        for (std::size_t source = 0; source < around.size() && !m_found; ++source) {
            const std::optional<std::size_t> dim = scene.dimensionOf(source, factor);
            if (source == target || !dim)
                continue;
            if (!scene.has(source, factor, m_axis)) {
                reach(around[source], *dim);
                continue;
            }
            const std::optional<Cause> cause = scene.cause(factor, source, target, m_axis);
            if (!cause) {
                reach(around[source], *dim); // it has a part only, and that is there; the rest is further away
                continue;
            }
            const std::span<const ValueId> values = m_graph.valuesOf(node);
            m_found = Blocker{ node.operation,
                node.kind == NodeKind::Result ? static_cast<std::int32_t>(node.result) : -1, cause->reason, cause->axis,
                static_cast<std::int16_t>(factor), cause->otherFactor, static_cast<std::int16_t>(cause->tensor),
                values[cause->tensor], static_cast<std::int16_t>(source), values[source] };
        }
    }

    Driver& m_driver;
    const PropagationGraph& m_graph;
    AxisRef m_axis;
    std::deque<std::pair<TensorNumber, std::size_t>> m_queue;
    std::set<std::pair<TensorNumber, std::size_t>> m_reached;
    std::unordered_map<TensorNumber, std::vector<std::uint32_t>> m_resultNodes; ///< by their tensors, in order
    std::multimap<TensorNumber, OperationId> m_unknown; ///< operations without a rule, by their tensors
    bool m_searchedUnknown = false;
    std::optional<Blocker> m_found;
};

} // namespace

std::vector<std::optional<Blocker>> firstBlockers(
    const PropagationInput& input, const PropagationResult& result, ValueId value, std::span<const AbsentFrom> absent)
{
    std::vector<std::optional<Blocker>> found(absent.size());
    std::optional<Driver> driver; // of the whole program, once for all of them
    for (std::size_t i = 0; i < absent.size(); ++i) {
        const auto [dimension, axis] = absent[i];
        if (!value.valid() || value.index >= result.shardings.size()
            || dimension >= result.shardings[value.index].rank()
            || holds(result.shardings[value.index].dims[dimension].axes, axis))
            continue;
        if (!driver)
            driver.emplace(input, result);
        found[i] = Search(*driver, axis).run(driver->graph().tensorOf[value.index], dimension);
    }
    return found;
}

std::optional<Blocker> firstBlocker(
    const PropagationInput& input, const PropagationResult& result, ValueId value, std::size_t dimension, AxisRef axis)
{
    const AbsentFrom one{ dimension, axis };
    return firstBlockers(input, result, value, std::span(&one, 1)).front();
}

} // namespace shardscope
