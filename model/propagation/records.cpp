// SPDX-License-Identifier: GPL-3.0-or-later
#include "propagation/records.h"

#include <algorithm>
#include <unordered_map>

#include "program/op_row.h"
#include "propagation/driver.h"

namespace shardscope {

namespace {

StepEdges& stepOf(std::vector<StepEdges>& steps, std::uint32_t step)
{
    if (steps.empty() || steps.back().step != step)
        steps.push_back({ step, {} });
    return steps.back();
}

void add(StepEdges& step, const PropagationStep& record, const std::vector<std::int16_t>& targets)
{
    std::vector<AxisEdge>& edges = step.edges;
    auto edge = std::find_if(edges.begin(), edges.end(),
        [&](const AxisEdge& e) { return e.axis == record.axis && e.source == record.fromTensor; });
    if (edge == edges.end())
        edge = edges.insert(edge, { record.axis, record.fromTensor, {} });
    for (const std::int16_t target : targets)
        if (std::find(edge->targets.begin(), edge->targets.end(), target) == edge->targets.end())
            edge->targets.push_back(target);
    std::sort(edge->targets.begin(), edge->targets.end());
}

/// Every operand that is the same value with the same factor took the axis at once.
std::vector<std::int16_t> alike(const Operation& operation, const FactorRule& rule, const PropagationStep& record)
{
    std::vector<std::int16_t> targets{ record.toTensor };
    if (static_cast<std::size_t>(record.toTensor) >= operation.operands.size()
        || rule.operands.size() != operation.operands.size())
        return targets;
    for (std::size_t i = 0; i < operation.operands.size(); ++i) {
        const auto dimension = static_cast<std::size_t>(record.toDimension);
        if (operation.operands[i] != record.to || dimension >= rule.operands[i].size())
            continue;
        const FactorRule::DimensionFactors& factors = rule.operands[i][dimension];
        if (std::find(factors.begin(), factors.end(), record.factor) != factors.end())
            targets.push_back(static_cast<std::int16_t>(i));
    }
    return targets;
}

/// The same axis at the same place counts once, when it came first. Every data-flow edge has places of its own.
class Firsts {
public:
    bool isNew(const PropagationStep& record, ValueId owner = {})
    {
        const auto same = [&](const Seen& seen) {
            return seen.axis == record.axis && seen.tensor == record.toTensor && seen.owner == owner;
        };
        if (std::any_of(m_seen.begin(), m_seen.end(), same))
            return false;
        m_seen.push_back({ record.axis, record.toTensor, owner });
        return true;
    }

private:
    struct Seen {
        AxisRef axis;
        std::int16_t tensor = 0;
        ValueId owner;
    };
    std::vector<Seen> m_seen;
};

bool isEdge(const PropagationStep& record)
{
    return record.operation.valid() && !record.seed && record.fromTensor >= 0;
}

/// The tensors of the data-flow edges of every operation, sources first, in the order of propagation: an operation may
/// own several, and the numbers in the records count those of one of them.
class FlowEdges {
public:
    FlowEdges(const PropagationInput& input, const PropagationResult& result)
    {
        const Driver driver(input, result);
        for (const PropagationNode& node : driver.graph().nodes) {
            const bool flows = node.kind == NodeKind::Edge || node.kind == NodeKind::CallEdge;
            if (!flows || !node.operation.valid())
                continue;
            const std::span<const ValueId> values = driver.graph().valuesOf(node);
            m_edges[node.operation.index].emplace_back(values.begin(), values.end());
        }
    }

    /// The edge that the record is of; null where the operation has none.
    [[nodiscard]] const std::vector<ValueId>* edgeOf(const PropagationStep& record) const
    {
        const auto found = m_edges.find(record.operation.index);
        if (found == m_edges.end())
            return nullptr;
        const auto from = static_cast<std::size_t>(record.fromTensor), to = static_cast<std::size_t>(record.toTensor);
        for (const std::vector<ValueId>& edge : found->second)
            if (from < edge.size() && to < edge.size() && edge[from] == record.from && edge[to] == record.to)
                return &edge;
        return nullptr;
    }

private:
    std::unordered_map<std::uint32_t, std::vector<std::vector<ValueId>>> m_edges; ///< by OperationId
};

/// All that share the sharding took the axis at once: a body may return what it was given.
void addFlow(std::vector<StepEdges>& steps, const PropagationStep& record, const std::vector<ValueId>& edge,
    const PropagationResult& result)
{
    StepEdges& step = stepOf(steps, record.step);
    step.owner = edge.back();
    step.sources.assign(edge.begin(), edge.end() - 1);
    std::vector<std::int16_t> targets;
    for (std::size_t i = 0; i < edge.size(); ++i)
        if (result.representativeOf(edge[i]) == result.representativeOf(record.to))
            targets.push_back(static_cast<std::int16_t>(i));
    add(step, record, targets);
}

/// `records`: those of the operation that are edges, in the order of the log.
std::vector<StepEdges> edgesOf(const PropagationInput& input, OperationId operation, const PropagationResult& result,
    const FlowEdges& flow, const std::vector<const PropagationStep*>& records)
{
    std::vector<StepEdges> steps;
    if (records.empty())
        return steps;
    const Operation& of = input.program->operation(operation);
    const FactorRule rule = factorRule(*input.program, of, RuleOptions{ input.options.conservative });
    Firsts firsts;
    for (const PropagationStep* record : records) {
        const std::vector<ValueId>* edge = flow.edgeOf(*record);
        if (!firsts.isNew(*record, edge ? edge->back() : ValueId()))
            continue;
        if (edge)
            addFlow(steps, *record, *edge, result);
        else
            add(stepOf(steps, record->step), *record, alike(of, rule, *record));
    }
    return steps;
}

} // namespace

std::size_t operandCount(const Operation& operation, const StepEdges& step)
{
    return step.owner.valid() ? step.sources.size() : operation.operands.size();
}

ValueId tensorOf(const Operation& operation, const StepEdges& step, std::int16_t number)
{
    const auto index = static_cast<std::size_t>(number);
    const std::size_t operands = operandCount(operation, step);
    if (step.owner.valid())
        return index < operands ? step.sources[index] : step.owner;
    return index < operands ? operation.operands[index] : operation.results[index - operands];
}

std::vector<std::vector<StepEdges>> propagationEdges(const PropagationInput& input, const PropagationResult& result)
{
    std::vector<std::vector<const PropagationStep*>> records(input.program->operations.size());
    for (const PropagationStep& record : result.log)
        if (isEdge(record))
            records[record.operation.index].push_back(&record);
    const FlowEdges flow(input, result);
    std::vector<std::vector<StepEdges>> edges;
    for (std::size_t o = 0; o < records.size(); ++o)
        edges.push_back(edgesOf(input, OperationId(o), result, flow, records[o]));
    return edges;
}

std::vector<StepEdges> resultEdges(const PropagationResult& result, std::size_t index)
{
    std::vector<PropagationStep> records;
    for (const auto* log : { &result.log, &result.resultLog })
        for (const PropagationStep& record : *log)
            if (!record.seed && record.result == static_cast<std::int32_t>(index) && record.fromTensor >= 0)
                records.push_back(record);
    std::stable_sort(records.begin(), records.end(),
        [](const PropagationStep& a, const PropagationStep& b) { return a.step < b.step; });
    std::vector<StepEdges> steps;
    Firsts firsts;
    for (const PropagationStep& record : records)
        if (firsts.isNew(record))
            add(stepOf(steps, record.step), record, { record.toTensor });
    return steps;
}

std::string toString(const ShardingOrigin& origin)
{
    const std::string index = std::to_string(origin.index);
    switch (origin.kind) {
    case ShardingOrigin::Kind::Input:
        return "input: " + index;
    case ShardingOrigin::Kind::Output:
        return "output: " + index;
    case ShardingOrigin::Kind::Constraint:
        return "constraint_" + index;
    case ShardingOrigin::Kind::ManualInput:
        return "mc_" + index + "_input: " + std::to_string(origin.place);
    case ShardingOrigin::Kind::ManualOutput:
        return "mc_" + index + "_output: " + std::to_string(origin.place);
    case ShardingOrigin::Kind::Value:
        break;
    }
    return "value: " + index;
}

ShardingOrigins::ShardingOrigins(const PropagationInput& input, const PropagationResult& result,
    const std::vector<std::pair<ValueId, ShardingOrigin>>& copied)
    : m_result(result)
    , m_values(result.shardings.size())
    , m_returned(input.program->main().results)
{
    nameValues(*input.program);
    for (const auto& [value, origin] : copied)
        m_copied.emplace(value.index, origin);
    // Both logs are in the order of steps; what a result takes does not matter to the same step's other records.
    auto toResult = result.resultLog.begin();
    for (const PropagationStep& step : result.log) {
        for (; toResult != result.resultLog.end() && toResult->step < step.step; ++toResult)
            take(*toResult, true);
        take(step, false);
    }
    for (; toResult != result.resultLog.end(); ++toResult)
        take(*toResult, true);
}

void ShardingOrigins::nameValues(const Program& program)
{
    for (std::size_t v = 0; v < program.values.size(); ++v)
        m_names.push_back({ ShardingOrigin::Kind::Value, static_cast<std::uint32_t>(v), 0 });
    const auto nameAll = [&](const auto& values, ShardingOrigin::Kind kind, std::uint32_t index) {
        std::uint32_t place = 0;
        for (const ValueId value : values)
            m_names[value.index] = { kind, index, place++ };
    };
    std::uint32_t constraints = 0;
    std::uint32_t manual = 0;
    const auto walk = [&](const auto& self, RegionId region) -> void {
        for (const OperationId id : program.regions[region.index].operations) {
            const Operation& operation = program.operation(id);
            if (operation.kind == OpKind::ShardingConstraint)
                nameAll(operation.results, ShardingOrigin::Kind::Constraint, constraints++);
            if (operation.kind == OpKind::ManualComputation && !operation.regions.empty()) {
                nameAll(operation.results, ShardingOrigin::Kind::ManualOutput, manual);
                nameAll(
                    program.regions[operation.regions[0].index].arguments, ShardingOrigin::Kind::ManualInput, manual++);
            }
            // The edge operation on a value stands for it.
            if (operation.kind == OpKind::DataFlowEdge)
                m_names[operation.results[0].index] = m_names[operation.operands[0].index];
            for (const RegionId inner : operation.regions)
                self(self, inner);
        }
    };
    if (program.functions.empty())
        walk(walk, RegionId(0));
    for (const Function& function : program.functions)
        walk(walk, function.body);
    std::uint32_t input = 0;
    for (const ValueId argument : program.main().arguments)
        m_names[argument.index] = { ShardingOrigin::Kind::Input, input++, 0 };
}

ShardingOrigin ShardingOrigins::nameOf(ValueId value) const
{
    return m_names[value.index];
}

void ShardingOrigins::take(const PropagationStep& step, bool toResult)
{
    const bool ofResult = step.seed == SeedKind::Result || toResult;
    const ValueId target = ofResult ? m_returned[static_cast<std::size_t>(step.result)] : step.to;
    Axes& axes = m_values[m_result.representativeOf(target).index];
    if (std::any_of(axes.begin(), axes.end(), [&](const auto& known) { return known.first == step.axis; }))
        return;
    const ShardingOrigin output{ ShardingOrigin::Kind::Output, static_cast<std::uint32_t>(std::max(step.result, 0)),
        0 };
    if (step.seed) {
        const auto copied = m_copied.find(step.to.index);
        axes.emplace_back(step.axis,
            ofResult                       ? output
                : copied != m_copied.end() ? copied->second
                                           : m_names[step.to.index]);
        return;
    }
    const bool fromResult = step.result >= 0 && !toResult;
    const ValueId from = fromResult ? m_returned[static_cast<std::size_t>(step.result)] : step.from;
    ShardingOrigin origin = fromResult ? output : m_names[m_result.representativeOf(from).index];
    for (const auto& [axis, known] : m_values[m_result.representativeOf(from).index])
        if (overlaps(axis, step.axis) || axis == step.axis) {
            origin = known;
            if (contains(axis, step.axis))
                break;
        }
    axes.emplace_back(step.axis, origin);
}

std::vector<AxisOrigin> ShardingOrigins::marked(
    const Axes& axes, const ShardingOrigin& own, const TensorSharding& current)
{
    const auto isHeld = [&](AxisRef axis) {
        return std::any_of(current.dims.begin(), current.dims.end(), [&](const DimensionSharding& dim) {
            return std::any_of(dim.axes.begin(), dim.axes.end(),
                [&](AxisRef other) { return contains(other, axis) || contains(axis, other); });
        });
    };
    std::vector<AxisOrigin> result;
    for (const auto& [axis, origin] : axes)
        if (isHeld(axis))
            result.push_back({ axis, origin, origin == own });
    return result;
}

std::vector<AxisOrigin> ShardingOrigins::ofValue(ValueId value) const
{
    return marked(
        m_values[m_result.representativeOf(value).index], m_names[value.index], m_result.shardings[value.index]);
}

std::vector<AxisOrigin> ShardingOrigins::ofResult(std::size_t index) const
{
    return marked(m_values[m_result.representativeOf(m_returned[index]).index],
        { ShardingOrigin::Kind::Output, static_cast<std::uint32_t>(index), 0 }, m_result.results[index]);
}

} // namespace shardscope
