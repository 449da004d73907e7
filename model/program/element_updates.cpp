// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/element_updates.h"

#include <algorithm>
#include <set>

#include "program/calls.h"
#include "program/custom_calls.h"
#include "program/other_attributes.h"

namespace shardscope {

namespace {

bool isLiteral(OpKind kind)
{
    return kind == OpKind::Constant || kind == OpKind::SdyConstant || kind == OpKind::ChloConstant
        || kind == OpKind::ChloConstantLike || kind == OpKind::Iota;
}

} // namespace

bool onlyMoves(const Program& program, const Operation& operation)
{
    switch (operation.kind) {
    case OpKind::Convert:
    case OpKind::ReducePrecision:
    case OpKind::Reshape:
    case OpKind::Transpose:
    case OpKind::Slice:
    case OpKind::DynamicSlice:
    case OpKind::ShardingConstraint:
    case OpKind::Reshard:
    case OpKind::PropagationBarrier:
    case OpKind::DataFlowEdge:
    case OpKind::FuncDataFlowEdge:
    case OpKind::AllGather:
    case OpKind::SdyAllGather:
    case OpKind::SdyAllSlice:
    case OpKind::SdyAllToAll:
    case OpKind::SdyCollectivePermute:
        return true;
    case OpKind::BroadcastInDim: // with another dimension of size 1
        return program.value(operation.operands[0]).type.rank() == program.value(operation.results[0]).type.rank();
    case OpKind::CustomCall: {
        const auto* call = attributesAs<CustomCallAttributes>(operation.attributes);
        return call && operation.operands.size() == 1 && operation.results.size() == 1
            && customCallFamily(std::string_view(call->target)) == CustomCallFamily::Pointwise;
    }
    default:
        return false;
    }
}

bool isSpread(const Program& program, ValueId value)
{
    const OperationId maker = program.value(value).definition;
    if (!maker.valid())
        return false;
    const Operation& operation = program.operation(maker);
    if (operation.kind == OpKind::Convert || operation.kind == OpKind::ShardingConstraint)
        return isSpread(program, operation.operands[0]);
    return isLiteral(operation.kind)
        || (operation.kind == OpKind::BroadcastInDim
            && program.value(operation.operands[0]).type.rank() < program.value(value).type.rank());
}

bool isCounted(const Program& program, ValueId argument, ValueId result)
{
    const OperationId maker = program.value(result).definition;
    if (!maker.valid() || program.operation(maker).kind != OpKind::Add)
        return false;
    const auto& operands = program.operation(maker).operands;
    const auto isNumber = [&program](ValueId value) {
        const OperationId from = program.value(value).definition;
        return from.valid() && isLiteral(program.operation(from).kind);
    };
    return (operands[0] == argument && isNumber(operands[1])) || (operands[1] == argument && isNumber(operands[0]));
}

/// The way back from one value, within one function.
class ElementUpdates::Walk {
public:
    explicit Walk(ElementUpdates& updates)
        : m_updates(updates)
        , m_program(updates.m_program)
    {
    }

    Trace from(ValueId value)
    {
        follow(value);
        while (!m_left.empty()) {
            const ValueId next = m_left.back();
            m_left.pop_back();
            const OperationId maker = m_program.value(next).definition;
            if (maker.valid())
                follow(next, m_program.operation(maker));
            else
                leaveBody(next);
        }
        m_found.isChanged = m_found.isChanged || (m_isJoined && m_found.arguments.size() + m_found.others.size() > 1);
        return std::move(m_found);
    }

private:
    void follow(ValueId value)
    {
        if (m_seen.insert(value.index).second)
            m_left.push_back(value);
    }
    void change(std::initializer_list<ValueId> values)
    {
        m_found.isChanged = true;
        for (const ValueId value : values)
            if (!isSpread(m_program, value))
                follow(value);
            else if (!isLiteral(m_program.operation(m_program.value(value).definition).kind))
                m_found.others.push_back(value);
    }
    /// The factor that is an array where the other one is a number.
    void scale(ValueId value, ValueId lhs, ValueId rhs, bool isQuotient)
    {
        if (isSpread(m_program, rhs) || m_program.value(value).type.rank() == 0)
            change({ lhs, rhs });
        else if (!isQuotient && isSpread(m_program, lhs))
            change({ rhs, lhs });
        else
            m_found.others.push_back(value);
    }

    void follow(ValueId value, const Operation& operation)
    {
        const auto& operands = operation.operands;
        const std::size_t i = m_program.value(value).index;
        if (onlyMoves(m_program, operation))
            return follow(operands[0]);
        switch (operation.kind) {
        case OpKind::OptimizationBarrier:
            return follow(operands[i]);
        case OpKind::While:
            return follow(m_program.regions[operation.regions[1].index].results[i]);
        case OpKind::If:
        case OpKind::Case:
            m_found.isChanged = true;
            for (const RegionId branch : operation.regions)
                follow(m_program.regions[branch.index].results[i]);
            return;
        case OpKind::ManualComputation:
        case OpKind::NamedComputation:
            return follow(m_program.regions[operation.regions[0].index].results[i]);
        case OpKind::Call:
        case OpKind::Composite:
            return call(value, operation, i);
        case OpKind::Negate:
            return change({ operands[0] });
        case OpKind::Add:
        case OpKind::Subtract:
        case OpKind::ChloBroadcastAdd:
        case OpKind::ChloBroadcastSubtract:
        case OpKind::Maximum:
        case OpKind::Minimum:
        case OpKind::DynamicUpdateSlice:
            return change({ operands[0], operands[1] });
        case OpKind::Multiply:
        case OpKind::ChloBroadcastMultiply:
            return scale(value, operands[0], operands[1], false);
        case OpKind::Divide:
        case OpKind::ChloBroadcastDivide:
            return scale(value, operands[0], operands[1], true);
        case OpKind::Select:
            return change({ operands[1], operands[2] });
        case OpKind::Clamp:
            return change({ operands[1] });
        case OpKind::Scatter:
            return change({ operands[i] });
        case OpKind::Pad:
            return change({ operands[0] });
        case OpKind::Concatenate: // parts of one array in another order are no change of it
            m_isJoined = true;
            for (const ValueId operand : operands)
                if (!isSpread(m_program, operand))
                    follow(operand);
                else if (!isLiteral(m_program.operation(m_program.value(operand).definition).kind))
                    m_found.others.push_back(operand);
            return;
        default:
            if (!isLiteral(operation.kind))
                m_found.others.push_back(value);
            return;
        }
    }

    void call(ValueId value, const Operation& operation, std::size_t result)
    {
        std::size_t callee = 0;
        if (!m_updates.calleeAt(operation, callee)) {
            m_found.others.push_back(value);
            return;
        }
        const Trace inside = m_updates.ofFunction(callee, result);
        m_found.isChanged = m_found.isChanged || inside.isChanged;
        if (!inside.others.empty())
            m_found.others.push_back(value);
        for (const ValueId argument : inside.arguments)
            if (inside.isChanged)
                change({ operation.operands[m_program.value(argument).index] });
            else
                follow(operation.operands[m_program.value(argument).index]);
    }

    void leaveBody(ValueId argument)
    {
        const OperationId owner = m_updates.m_owners[argument.index];
        if (!owner.valid()) {
            m_found.arguments.push_back(argument);
            return;
        }
        const Operation& operation = m_program.operation(owner);
        const std::size_t i = m_program.value(argument).index;
        switch (operation.kind) {
        case OpKind::While:
            follow(m_program.regions[operation.regions[1].index].results[i]);
            [[fallthrough]];
        case OpKind::ManualComputation:
        case OpKind::NamedComputation:
            return follow(operation.operands[i]);
        default:
            m_found.others.push_back(argument);
        }
    }

    ElementUpdates& m_updates;
    const Program& m_program;
    std::vector<ValueId> m_left;
    std::set<std::uint32_t> m_seen;
    Trace m_found;
    bool m_isJoined = false;
};

ElementUpdates::ElementUpdates(const Program& program)
    : m_program(program)
    , m_functions(program)
    , m_owners(program.values.size())
{
    for (std::size_t o = 0; o < program.operations.size(); ++o)
        for (const RegionId region : program.operations[o].regions)
            for (const ValueId argument : program.regions[region.index].arguments)
                m_owners[argument.index] = OperationId(o);
}

const ElementUpdates::Sources& ElementUpdates::of(std::size_t result)
{
    const auto [found, isNew] = m_results.try_emplace(result);
    Sources& sources = found->second;
    if (!isNew)
        return sources;
    Trace trace = Walk(*this).from(m_program.main().results[result]);
    for (const ValueId argument : trace.arguments)
        sources.arguments.push_back(m_program.value(argument).index);
    std::sort(sources.arguments.begin(), sources.arguments.end());
    sources.others = std::move(trace.others);
    sources.isChanged = trace.isChanged;
    return sources;
}

bool ElementUpdates::updates(std::size_t argument, std::size_t result)
{
    const Sources& sources = of(result);
    return sources.isChanged
        && std::binary_search(sources.arguments.begin(), sources.arguments.end(), static_cast<std::uint32_t>(argument));
}

bool ElementUpdates::passes(std::size_t argument, std::size_t result)
{
    const Sources& sources = of(result);
    return !sources.isChanged && sources.others.empty()
        && sources.arguments == std::vector<std::uint32_t>{ static_cast<std::uint32_t>(argument) };
}

template <class Found>
void ElementUpdates::walkBack(std::span<const ValueId> values, const Found& found)
{
    if (!std::exchange(m_knowsCallers, true))
        for (std::size_t o = 0; o < m_program.operations.size(); ++o) {
            std::size_t callee = 0;
            if (const Function* function = calleeAt(m_program.operations[o], callee))
                m_callers[function->body.index].emplace_back(o);
        }
    std::unordered_map<std::uint32_t, std::uint32_t> bodies; // per argument of a function that is called: its body
    for (const auto& [body, callers] : m_callers)
        for (const ValueId argument : m_program.regions[body].arguments)
            bodies.emplace(argument.index, body);
    std::vector<bool> seen(m_program.values.size());
    std::vector<ValueId> left;
    const auto add = [&](ValueId value) {
        if (!seen[value.index]) {
            seen[value.index] = true;
            left.push_back(value);
        }
    };
    const auto addAll = [&](const auto& list) {
        for (const ValueId value : list)
            add(value);
    };
    addAll(values);
    while (!left.empty()) {
        const ValueId value = left.back();
        left.pop_back();
        if (found(value))
            return;
        OperationId maker = m_program.value(value).definition;
        if (!maker.valid())
            maker = m_owners[value.index];
        if (!maker.valid()) {
            if (const auto body = bodies.find(value.index); body != bodies.end())
                for (const OperationId caller : m_callers[body->second])
                    add(m_program.operation(caller).operands[m_program.value(value).index]);
            continue;
        }
        const Operation& operation = m_program.operation(maker);
        const bool isResult = m_program.value(value).definition.valid();
        const std::size_t i = m_program.value(value).index; // of the result, or of the body's argument
        if (operation.kind == OpKind::While) { // what it begins with, what the body makes of it, and how often
            add(operation.operands[i]);
            add(bodyOf(operation)->results[i]);
            addAll(m_program.regions[operation.regions[0].index].results);
        } else if (const Region* body = bodyOf(operation)) {
            add(isResult ? body->results[i] : operation.operands[i]);
        } else if (operation.kind == OpKind::OptimizationBarrier) {
            add(operation.operands[i]);
        } else if (isResult && (operation.kind == OpKind::If || operation.kind == OpKind::Case)) {
            addAll(operation.operands);
            for (const RegionId branch : operation.regions)
                add(m_program.regions[branch.index].results[i]);
        } else {
            addAll(operation.operands);
            for (const RegionId region : operation.regions)
                addAll(m_program.regions[region.index].results);
        }
    }
}

const Region* ElementUpdates::bodyOf(const Operation& operation) const
{
    switch (operation.kind) {
    case OpKind::While:
        return &m_program.regions[operation.regions[1].index];
    case OpKind::ManualComputation:
    case OpKind::NamedComputation:
        return &m_program.regions[operation.regions[0].index];
    default:
        break;
    }
    std::size_t callee = 0;
    const Function* function = calleeAt(operation, callee);
    return function ? &m_program.regions[function->body.index] : nullptr;
}

bool ElementUpdates::dependOn(std::span<const ValueId> values, std::span<const ValueId> arguments)
{
    std::vector<bool> wanted(m_program.values.size());
    for (const ValueId argument : arguments)
        wanted[argument.index] = true;
    bool depends = false;
    walkBack(values, [&](ValueId value) { return depends = wanted[value.index]; });
    return depends;
}

std::vector<bool> ElementUpdates::argumentsOf(std::span<const ValueId> values)
{
    const Region& main = m_program.main();
    std::vector<bool> found(m_program.values.size());
    walkBack(values, [&](ValueId value) {
        found[value.index] = true;
        return false;
    });
    std::vector<bool> arguments;
    for (const ValueId argument : main.arguments)
        arguments.push_back(found[argument.index]);
    return arguments;
}

const ElementUpdates::Trace& ElementUpdates::ofFunction(std::size_t function, std::size_t result)
{
    constexpr int deepest = 500; // calls in calls
    const auto [found, isNew] = m_calls.try_emplace({ function, result });
    if (isNew) { // a function that calls itself finds nothing more
        const ValueId value = m_program.regions[m_program.functions[function].body.index].results[result];
        Trace trace;
        if (m_depth < deepest) {
            ++m_depth;
            trace = Walk(*this).from(value);
            --m_depth;
        } else {
            trace.others.push_back(value);
        }
        found->second = std::move(trace);
    }
    return found->second;
}

const Function* ElementUpdates::calleeAt(const Operation& operation, std::size_t& index) const
{
    const std::string* name = isCall(operation.kind) ? calleeOf(operation) : nullptr;
    const std::optional<std::size_t> found = name ? m_functions.index(*name) : std::nullopt;
    if (!found)
        return nullptr;
    index = *found;
    return &m_program.functions[*found];
}

} // namespace shardscope
