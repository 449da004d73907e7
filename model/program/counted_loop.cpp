// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/counted_loop.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <unordered_map>

#include "program/calls.h"
#include "program/constant_numbers.h"
#include "program/editor.h"
#include "program/ops/checks.h"
#include "program/other_attributes.h"

namespace shardscope {

namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

/// Which loop or function a value is an argument of.
class Constants {
public:
    explicit Constants(const Program& program)
        : m_program(program)
    {
        for (std::size_t i = 0; i < program.operations.size(); ++i)
            for (const RegionId region : program.operations[i].regions)
                for (const ValueId argument : program.regions[region.index].arguments)
                    m_owner.emplace(argument.index, OperationId(i));
    }

    /// Before what passes a scalar through as it is.
    [[nodiscard]] ValueId origin(ValueId value) const
    {
        for (int depth = 0; depth < deepest; ++depth) {
            const OperationId made = m_program.value(value).definition;
            if (!made.valid() || !passesThrough(m_program.operation(made).kind))
                break;
            const Operation& operation = m_program.operation(made);
            value =
                operation.operands[std::min<std::size_t>(m_program.value(value).index, operation.operands.size() - 1)];
        }
        return value;
    }

    [[nodiscard]] std::optional<std::int64_t> of(ValueId value, int depth = 0) const
    {
        value = origin(value);
        const TensorType& type = m_program.value(value).type;
        if (depth > deepest || type.rank() != 0 || !ops::isInteger(type.dtype))
            return std::nullopt;
        const OperationId made = m_program.value(value).definition;
        if (made.valid()) {
            const auto* constant = std::get_if<ConstantAttributes>(&m_program.operation(made).attributes);
            return constant ? integerElement(*constant, type, 0) : std::nullopt;
        }
        // What a loop carries without changing it is what it begins with.
        const auto owner = m_owner.find(value.index);
        if (owner == m_owner.end())
            return std::nullopt;
        const Operation& operation = m_program.operation(owner->second);
        const std::uint32_t index = m_program.value(value).index;
        if (index >= operation.operands.size() || !isCarried(operation, index))
            return std::nullopt;
        return of(operation.operands[index], depth + 1);
    }

private:
    static constexpr int deepest = 64;

    static bool passesThrough(OpKind kind)
    {
        switch (kind) {
        case OpKind::Convert:
        case OpKind::Reshape:
        case OpKind::ShardingConstraint:
        case OpKind::Reshard:
        case OpKind::DataFlowEdge:
        case OpKind::FuncDataFlowEdge:
        case OpKind::PropagationBarrier:
        case OpKind::OptimizationBarrier:
            return true;
        default:
            return false;
        }
    }

    [[nodiscard]] bool isCarried(const Operation& operation, std::uint32_t index) const
    {
        switch (operation.kind) {
        case OpKind::ManualComputation:
        case OpKind::NamedComputation:
            return true;
        case OpKind::While: {
            const Region& body = m_program.regions[operation.regions[1].index];
            return index < body.results.size() && origin(body.results[index]) == body.arguments[index];
        }
        default:
            return false;
        }
    }

    const Program& m_program;
    std::unordered_map<std::uint32_t, OperationId> m_owner;
};

/// What an argument of the body is changed by each time round; nothing where that is no constant.
std::optional<std::int64_t> stepOf(
    const Program& program, const Constants& constants, const Region& body, std::size_t index)
{
    const ValueId next = constants.origin(body.results[index]);
    const OperationId made = program.value(next).definition;
    if (!made.valid())
        return std::nullopt;
    const Operation& operation = program.operation(made);
    if (operation.kind != OpKind::Add && operation.kind != OpKind::Subtract)
        return std::nullopt;
    const ValueId counter = body.arguments[index];
    if (constants.origin(operation.operands[0]) == counter) {
        const auto step = constants.of(operation.operands[1]);
        return step && operation.kind == OpKind::Subtract ? std::optional(-*step) : step;
    }
    return operation.kind == OpKind::Add && constants.origin(operation.operands[1]) == counter
        ? constants.of(operation.operands[0])
        : std::nullopt;
}

Comparison mirrored(Comparison direction)
{
    switch (direction) {
    case Comparison::Less:
        return Comparison::Greater;
    case Comparison::LessEqual:
        return Comparison::GreaterEqual;
    case Comparison::Greater:
        return Comparison::Less;
    case Comparison::GreaterEqual:
        return Comparison::LessEqual;
    default:
        return direction;
    }
}

std::optional<std::int64_t> count(std::int64_t from, std::int64_t bound, std::int64_t step, Comparison direction)
{
    __extension__ typedef __int128 Int128;
    Int128 distance = Int128{ bound } - from;
    Int128 stride = step;
    if (direction == Comparison::Greater || direction == Comparison::GreaterEqual) {
        distance = -distance;
        stride = -stride;
    }
    if (direction == Comparison::LessEqual || direction == Comparison::GreaterEqual)
        ++distance;
    if (direction == Comparison::Equal)
        return distance != 0 ? std::optional<std::int64_t>(0)
            : step != 0      ? std::optional<std::int64_t>(1)
                             : std::nullopt;
    if (direction == Comparison::NotEqual) {
        if (distance == 0)
            return 0;
        if (stride == 0 || distance % stride != 0 || distance / stride < 0)
            return std::nullopt;
        return static_cast<std::int64_t>(distance / stride);
    }
    if (distance <= 0)
        return 0;
    if (stride <= 0)
        return std::nullopt;
    const Int128 trips = (distance + stride - 1) / stride;
    return trips > largest ? largest : static_cast<std::int64_t>(trips);
}

std::optional<std::int64_t> tripsOf(const Program& program, const Constants& constants, OperationId id)
{
    const Operation& loop = program.operation(id);
    if (loop.kind != OpKind::While || loop.regions.size() != 2)
        return std::nullopt;
    for (const NamedText& entry : program.dictionaries[loop.extra])
        if (entry.name == tripCountAttribute) {
            std::int64_t stated = -1;
            (void)std::from_chars(entry.text.data(), entry.text.data() + entry.text.size(), stated);
            if (stated >= 0)
                return stated;
        }
    const Region& condition = program.regions[loop.regions[0].index];
    const Region& body = program.regions[loop.regions[1].index];
    if (condition.results.size() != 1)
        return std::nullopt;
    const OperationId made = program.value(constants.origin(condition.results[0])).definition;
    if (!made.valid())
        return std::nullopt;
    const Operation& compare = program.operation(made);
    const auto* attributes = std::get_if<CompareAttributes>(&compare.attributes);
    if (!attributes)
        return std::nullopt;
    for (const std::size_t side : { 0U, 1U }) {
        const ValueId counter = constants.origin(compare.operands[side]);
        const auto argument = std::find(condition.arguments.begin(), condition.arguments.end(), counter);
        const auto bound = constants.of(compare.operands[1 - side]);
        if (argument == condition.arguments.end() || !bound)
            continue;
        const auto index = static_cast<std::size_t>(argument - condition.arguments.begin());
        if (index >= loop.operands.size() || index >= body.results.size())
            return std::nullopt;
        const auto from = constants.of(loop.operands[index]);
        const auto step = stepOf(program, constants, body, index);
        if (!from || !step)
            continue;
        return count(*from, *bound, *step, side == 0 ? attributes->direction : mirrored(attributes->direction));
    }
    return std::nullopt;
}

class Counter {
public:
    explicit Counter(const Program& program)
        : m_program(program)
        , m_constants(program)
        , m_counts(program.operations.size())
    {
        for (const Function& function : program.functions)
            m_bodies.emplace(function.name, function.body);
    }

    std::vector<Executions> run()
    {
        const RegionId main(std::size_t{ 0 });
        order(main);
        m_calls[main.index] = { 1, true, false };
        // Who calls stands before what is called.
        for (auto body = m_order.rbegin(); body != m_order.rend(); ++body)
            visit(*body, m_calls[body->index]);
        return std::move(m_counts);
    }

private:
    [[nodiscard]] RegionId calleeOf(const Operation& operation) const
    {
        const std::string* callee = shardscope::calleeOf(operation);
        const auto found = callee ? m_bodies.find(*callee) : m_bodies.end();
        return found == m_bodies.end() ? RegionId() : found->second;
    }

    void order(RegionId body)
    {
        if (!m_seen.emplace(body.index, true).second)
            return;
        walk(m_program, body, [&](OperationId id) {
            if (const RegionId callee = calleeOf(m_program.operation(id)); callee.valid())
                order(callee);
        });
        m_order.push_back(body);
    }

    void visit(RegionId region, const Executions& each)
    {
        for (const OperationId id : m_program.regions[region.index].operations) {
            m_counts[id.index] = each;
            const Operation& operation = m_program.operation(id);
            if (const RegionId callee = calleeOf(operation); callee.valid()) {
                Executions& calls = m_calls[callee.index];
                calls.conditional = calls.conditional || (each.conditional && each.times > 0);
                calls.times = saturatingSum(calls.times, each.times);
                calls.known = calls.known && each.known;
            }
            visitInner(id, operation, each);
        }
    }

    void visitInner(OperationId id, const Operation& operation, Executions each)
    {
        if (operation.kind == OpKind::While && operation.regions.size() == 2) {
            const std::optional<std::int64_t> trips = tripsOf(m_program, m_constants, id);
            each.known = each.known && trips.has_value();
            Executions asked = each;
            asked.times = saturatingProduct(each.times, saturatingSum(trips.value_or(1), trips ? 1 : 0));
            each.times = saturatingProduct(each.times, trips.value_or(1));
            visit(operation.regions[0], asked);
            visit(operation.regions[1], each);
            return;
        }
        each.conditional = each.conditional || operation.kind == OpKind::Case || operation.kind == OpKind::If;
        for (const RegionId region : operation.regions)
            visit(region, each);
    }

    const Program& m_program;
    Constants m_constants;
    std::vector<Executions> m_counts;
    std::unordered_map<std::string, RegionId> m_bodies;
    std::unordered_map<std::uint32_t, bool> m_seen;
    std::unordered_map<std::uint32_t, Executions> m_calls;
    std::vector<RegionId> m_order;
};

} // namespace

std::optional<std::int64_t> tripsOf(const Program& program, OperationId loop)
{
    return tripsOf(program, Constants(program), loop);
}

std::vector<Executions> executionsOf(const Program& program)
{
    return Counter(program).run();
}

} // namespace shardscope
