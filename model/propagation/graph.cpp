// SPDX-License-Identifier: GPL-3.0-or-later
#include "propagation/graph.h"

#include <algorithm>
#include <unordered_map>

#include "program/calls.h"
#include "program/function_names.h"
#include "program/identity_rule.h"
#include "program/other_attributes.h"
#include "propagation/sharding_groups.h"

namespace shardscope {

namespace {

Direction directionOf(BarrierDirection direction)
{
    switch (direction) {
    case BarrierDirection::None:
        return Direction::None;
    case BarrierDirection::Forward:
        return Direction::Forward;
    case BarrierDirection::Backward:
        return Direction::Backward;
    case BarrierDirection::Both:
        break;
    }
    return Direction::Both;
}

class GraphBuilder {
public:
    GraphBuilder(const PropagationInput& input, const MeshTable& meshes, const ShardingTable& shardings,
        StepTable& steps, std::vector<ShardingNumber>& specified)
        : m_program(*input.program)
        , m_options(input.options)
        , m_meshes(meshes)
        , m_shardings(shardings)
        , m_steps(steps)
        , m_specified(specified)
    {
    }

    PropagationGraph build()
    {
        const std::size_t values = m_program.values.size();
        m_uses.assign(values, 0);
        m_edgeOf.assign(values, OperationId());
        m_graph.tensorOf.resize(values);
        for (std::size_t v = 0; v < values; ++v)
            m_graph.tensorOf[v] = static_cast<TensorNumber>(v);
        m_graph.nodeOf.assign(m_program.operations.size(), PropagationGraph::none);
        m_graph.isEdgeTarget.assign(values + m_program.main().results.size(), 0);
        m_graph.nodes.reserve(m_program.operations.size() + m_program.main().results.size());

        forEachBody([&](RegionId body, const Function*) { survey(body); });
        shareSharding();
        forEachBody([&](RegionId body, const Function* function) {
            if (function && m_options.implicitCallEdges)
                addArgumentEdges(*function);
            addRegion(body);
        });
        addResults();
        link();
        return std::move(m_graph);
    }

private:
    struct Identity {
        Shared<Shape> shape;
        std::size_t sources = 0;
        std::uint32_t rule = 0;
    };
    static constexpr std::size_t maximumIdentities = 16; ///< looked through one by one

    struct Calls {
        const Function* function = nullptr;
        std::vector<OperationId> calls; ///< in program order
    };

    template <class Visit>
    void forEachBody(Visit visit)
    {
        if (m_program.functions.empty())
            visit(RegionId(0), nullptr);
        for (const Function& function : m_program.functions)
            visit(function.body, &function);
    }
    [[nodiscard]] const Region& region(RegionId id) const { return m_program.regions[id.index]; }
    [[nodiscard]] bool isMain(const Function& function) const { return function.body.index == 0; }

    /// Counts uses, finds the edges and calls that are in the program.
    void survey(RegionId id)
    {
        for (const OperationId operationId : region(id).operations) {
            const Operation& operation = m_program.operation(operationId);
            for (const ValueId operand : operation.operands)
                ++m_uses[operand.index];
            if (operation.kind == OpKind::DataFlowEdge || operation.kind == OpKind::FuncDataFlowEdge)
                m_edgeOf[operation.operands[0].index] = operationId;
            else if (isCall(operation.kind))
                addCall(operationId, operation);
            else if (operation.kind == OpKind::OptimizationBarrier || !operation.regions.empty())
                addEdges(operationId);
            for (const RegionId inner : operation.regions)
                survey(inner);
        }
        for (const ValueId returned : region(id).results)
            ++m_uses[returned.index];
    }
    void addCall(OperationId id, const Operation& operation)
    {
        const std::string* callee = calleeOf(operation);
        if (!callee)
            return;
        Calls& calls = m_calls[*callee];
        if (!calls.function) {
            calls.function = m_names.find(m_program, *callee);
            if (calls.function)
                for (const ValueId argument : region(calls.function->body).arguments)
                    m_callsOf[argument.index] = &calls;
        }
        calls.calls.push_back(id);
    }
    void addEdges(OperationId id)
    {
        std::vector<DataFlowEdge> edges = dataFlowEdges(m_program, id, m_meshes, m_graph.views);
        if (edges.empty())
            return;
        m_edgesOf.emplace(id.index, std::pair(m_edges.size(), edges.size()));
        for (DataFlowEdge& edge : edges) {
            m_edgeAt.emplace(edge.owner.index, m_edges.size());
            m_edges.push_back(std::move(edge));
        }
    }

    [[nodiscard]] bool hasExplicitEdge(ValueId owner) const { return m_edgeOf[owner.index].valid(); }
    /// The tensor of an edge: the value that represents it.
    [[nodiscard]] ValueId edgeValue(const DataFlowEdge& edge) const
    {
        return hasExplicitEdge(edge.owner) ? m_program.operation(m_edgeOf[edge.owner.index]).results[0] : edge.owner;
    }

    void shareSharding()
    {
        for (const DataFlowEdge& edge : m_edges) {
            if (!hasExplicitEdge(edge.owner) && !m_options.implicitEdges)
                continue;
            const ValueId shared = edgeValue(edge);
            m_graph.isEdgeTarget[shared.index] = 1;
            m_graph.tensorOf[edge.owner.index] = shared.index;
            for (const ValueId target : edge.targets)
                m_graph.tensorOf[target.index] = shared.index;
        }
        std::unordered_map<TensorNumber, TensorNumber> united;
        for (const ShardingGroup& group : shardingGroups(m_program)) {
            std::vector<TensorNumber> members;
            for (const ValueId member : group.members)
                members.push_back(m_graph.tensorOf[member.index]);
            const std::optional<ShardingNumber> common = commonOf(members);
            if (!common)
                continue;
            for (const TensorNumber member : members)
                united.emplace(member, members.front());
            m_specified[members.front()] = *common;
        }
        if (united.empty())
            return;
        for (TensorNumber& tensor : m_graph.tensorOf)
            if (const auto found = united.find(tensor); found != united.end())
                tensor = found->second;
    }
    /// Nothing if two members want different things.
    [[nodiscard]] std::optional<ShardingNumber> commonOf(const std::vector<TensorNumber>& members) const
    {
        ShardingNumber common = m_specified[members.front()];
        for (const TensorNumber member : members) {
            if (isFullyOpen(m_shardings[m_specified[member]]))
                continue;
            if (isFullyOpen(m_shardings[common]))
                common = m_specified[member];
            else if (common != m_specified[member])
                return std::nullopt;
        }
        return common;
    }

    void addRegion(RegionId id)
    {
        for (const OperationId operationId : region(id).operations) {
            addOperation(operationId);
            const auto edges = m_edgesOf.find(operationId.index);
            const bool implicit = m_options.implicitEdges && edges != m_edgesOf.end();
            if (implicit)
                addImplicitEdges(edges->second.first, edges->second.second, true);
            for (const RegionId inner : m_program.operation(operationId).regions)
                addRegion(inner);
            if (implicit)
                addImplicitEdges(edges->second.first, edges->second.second, false);
            if (m_options.implicitCallEdges && isCall(m_program.operation(operationId).kind))
                addCallResultEdges(operationId);
        }
    }

    PropagationNode& addNode(std::uint32_t rule, NodeKind kind, OperationId operation)
    {
        PropagationNode& node = m_graph.nodes.emplace_back();
        node.rule = rule;
        node.kind = kind;
        node.operation = operation;
        node.firstTensor = static_cast<std::uint32_t>(m_graph.tensors.size());
        return node;
    }
    void addTensor(ValueId value)
    {
        m_graph.tensors.push_back(m_graph.tensorOf[value.index]);
        m_graph.values.push_back(value);
    }

    /// Number of the rule by which every dimension of the result is the same dimension of each source. Programs have
    /// few types: most rules are known from an operation before.
    std::uint32_t identity(const TensorType& type, std::size_t sources)
    {
        const auto known = std::find_if(m_identities.begin(), m_identities.end(),
            [&](const Identity& one) { return one.sources == sources && one.shape == type.shape; });
        if (known != m_identities.end())
            return known->rule;
        const std::uint32_t rule = m_steps.add(identityRule(type, sources));
        if (m_identities.size() < maximumIdentities)
            m_identities.push_back({ type.shape, sources, rule });
        return rule;
    }
    /// Nothing for an operation that nothing propagates through.
    std::optional<std::uint32_t> ruleOf(const Operation& operation)
    {
        if (operation.kind == OpKind::PropagationBarrier || hasIdentityRule(m_program, operation)) {
            const TensorType& type = m_program.value(operation.results[0]).type;
            return type.rank() == 0 ? std::nullopt : std::optional(identity(type, operation.operands.size()));
        }
        FactorRule rule = factorRule(m_program, operation, RuleOptions{ m_options.conservative });
        if (rule.factors.empty() || rule.operands.size() != operation.operands.size()
            || rule.results.size() != operation.results.size())
            return std::nullopt;
        return m_steps.add(std::move(rule));
    }

    void addOperation(OperationId id)
    {
        const Operation& operation = m_program.operation(id);
        if (operation.kind == OpKind::DataFlowEdge || operation.kind == OpKind::FuncDataFlowEdge) {
            addExplicitEdge(id, operation);
            return;
        }
        const bool barrier = operation.kind == OpKind::PropagationBarrier;
        const std::optional<std::uint32_t> rule = ruleOf(operation);
        if (!rule)
            return;
        m_graph.nodeOf[id.index] = static_cast<std::uint32_t>(m_graph.nodes.size());
        PropagationNode& node = addNode(*rule, NodeKind::Operation, id);
        node.operands = static_cast<std::uint32_t>(operation.operands.size());
        node.results = static_cast<std::uint32_t>(operation.results.size());
        node.priority = priorityClass(m_program, operation);
        node.elementwise = isPointwise(m_program, operation);
        node.fullAxes = m_options.conservative && !barrier;
        if (const auto* attributes = attributesAs<PropagationBarrierAttributes>(operation.attributes))
            node.allowed = directionOf(attributes->allowed);
        node.singleUse = std::all_of(operation.operands.begin(), operation.operands.end(),
            [&](ValueId operand) { return m_program.value(operand).type.rank() == 0 || m_uses[operand.index] == 1; });
        for (const ValueId operand : operation.operands)
            addTensor(operand);
        for (const ValueId result : operation.results)
            addTensor(result);
    }

    /// Nothing without sources.
    void addEdge(NodeKind kind, OperationId id, std::span<const ValueId> sources, ValueId target, std::int32_t view)
    {
        if (sources.empty())
            return;
        PropagationNode& node = addNode(identity(m_program.value(target).type, sources.size()), kind, id);
        node.operands = static_cast<std::uint32_t>(sources.size());
        node.results = 1;
        node.priority = PriorityClass::PassThrough;
        node.singleUse = true;
        node.view = view;
        for (const ValueId source : sources)
            addTensor(source);
        addTensor(target);
    }
    void addExplicitEdge(OperationId id, const Operation& operation)
    {
        const ValueId owner = operation.operands[0];
        m_graph.nodeOf[id.index] = static_cast<std::uint32_t>(m_graph.nodes.size());
        if (operation.kind == OpKind::FuncDataFlowEdge) {
            const std::vector<ValueId> sources = callSources(owner);
            addEdge(NodeKind::CallEdge, id, sources, operation.results[0], -1);
        } else if (const auto found = m_edgeAt.find(owner.index); found != m_edgeAt.end()) {
            const DataFlowEdge& edge = m_edges[found->second];
            addEdge(NodeKind::Edge, id, edge.sources, operation.results[0], edge.view);
        }
        if (m_graph.nodes.size() == m_graph.nodeOf[id.index])
            m_graph.nodeOf[id.index] = PropagationGraph::none;
    }
    void addImplicitEdges(std::size_t first, std::size_t count, bool ofArguments)
    {
        for (const DataFlowEdge& edge : std::span(m_edges).subspan(first, count))
            if (edge.ofArgument == ofArguments && !hasExplicitEdge(edge.owner))
                addEdge(NodeKind::Edge, edge.operation, edge.sources, edge.owner, edge.view);
    }
    /// What flows into an argument of a function from all of its calls, or into the result of a call.
    [[nodiscard]] std::vector<ValueId> callSources(ValueId owner) const
    {
        const Value& value = m_program.value(owner);
        std::vector<ValueId> sources;
        if (value.definition.valid()) {
            const std::string* name = calleeOf(m_program.operation(value.definition));
            const Function* callee = name ? m_names.find(m_program, *name) : nullptr;
            if (callee && value.index < region(callee->body).results.size())
                sources.push_back(region(callee->body).results[value.index]);
            return sources;
        }
        if (const auto found = m_callsOf.find(owner.index); found != m_callsOf.end())
            for (const OperationId id : found->second->calls)
                if (value.index < m_program.operation(id).operands.size())
                    sources.push_back(m_program.operation(id).operands[value.index]);
        return sources;
    }
    void addArgumentEdges(const Function& function)
    {
        if (isMain(function) || m_calls.count(function.name) == 0)
            return;
        for (const ValueId argument : region(function.body).arguments)
            if (isStaticTensor(m_program.value(argument).type) && !hasExplicitEdge(argument))
                addEdge(NodeKind::CallEdge, OperationId(), callSources(argument), argument, -1);
    }
    void addCallResultEdges(OperationId call)
    {
        for (const ValueId result : m_program.operation(call).results)
            if (isStaticTensor(m_program.value(result).type) && !hasExplicitEdge(result))
                addEdge(NodeKind::CallEdge, call, callSources(result), result, -1);
    }

    void addResults()
    {
        m_graph.firstResultNode = static_cast<std::uint32_t>(m_graph.nodes.size());
        const std::vector<ValueId>& returned = m_program.main().results;
        for (std::size_t r = 0; r < returned.size(); ++r) {
            const TensorType& type = m_program.value(returned[r]).type;
            PropagationNode& node = addNode(identity(type, 1), NodeKind::Result, OperationId());
            node.operands = 1;
            node.results = 1;
            node.result = static_cast<std::uint32_t>(r);
            addTensor(returned[r]);
            m_graph.tensors.push_back(static_cast<TensorNumber>(m_program.values.size() + r));
            m_graph.values.emplace_back();
        }
    }

    void link()
    {
        const std::size_t tensors = m_program.values.size() + m_program.main().results.size();
        const auto fill = [&](bool results, std::vector<std::uint32_t>& begin, std::vector<std::uint32_t>& list) {
            const auto forEach = [&](auto visit) {
                for (std::uint32_t n = 0; n < m_graph.firstResultNode; ++n) {
                    const PropagationNode& node = m_graph.nodes[n];
                    const std::size_t from = results ? node.operands : 0;
                    const std::size_t to = results ? node.operands + node.results : node.operands;
                    for (std::size_t i = from; i < to; ++i)
                        visit(m_graph.tensors[node.firstTensor + i], n);
                }
            };
            begin.assign(tensors + 1, 0);
            forEach([&](TensorNumber tensor, std::uint32_t) { ++begin[tensor + 1]; });
            for (std::size_t t = 0; t < tensors; ++t)
                begin[t + 1] += begin[t];
            list.resize(begin.back());
            std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
            forEach([&](TensorNumber tensor, std::uint32_t n) { list[next[tensor]++] = n; });
        };
        fill(true, m_graph.definitionsBegin, m_graph.definitions);
        fill(false, m_graph.usersBegin, m_graph.users);
    }

    const Program& m_program;
    const PropagationOptions& m_options;
    const MeshTable& m_meshes;
    const ShardingTable& m_shardings;
    StepTable& m_steps;
    std::vector<ShardingNumber>& m_specified;
    PropagationGraph m_graph;
    std::vector<std::uint32_t> m_uses; ///< per ValueId: operands and returns
    std::vector<OperationId> m_edgeOf; ///< per ValueId: the edge operation on it
    std::vector<Identity> m_identities;
    std::vector<DataFlowEdge> m_edges;
    std::unordered_map<std::uint32_t, std::pair<std::size_t, std::size_t>> m_edgesOf; ///< by OperationId: first, count
    std::unordered_map<std::uint32_t, std::size_t> m_edgeAt; ///< by ValueId of the owner
    std::unordered_map<std::string, Calls> m_calls; ///< by callee
    std::unordered_map<std::uint32_t, const Calls*> m_callsOf; ///< by argument of the callee
    const FunctionNames m_names{ m_program };
};

} // namespace

PropagationGraph buildGraph(const PropagationInput& input, const MeshTable& meshes, const ShardingTable& shardings,
    StepTable& steps, std::vector<ShardingNumber>& specified)
{
    return GraphBuilder(input, meshes, shardings, steps, specified).build();
}

} // namespace shardscope
