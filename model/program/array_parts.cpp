// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/array_parts.h"

#include <algorithm>

#include "program/calls.h"
#include "program/editor.h"
#include "program/element_updates.h"
#include "program/function_names.h"
#include "program/value_shardings.h"

namespace shardscope {

namespace {

/// The result is the first operand in another form, or a slice of it.
bool isForm(const Program& program, const Operation& operation)
{
    return operation.results.size() == 1 && !operation.operands.empty()
        && (onlyMoves(program, operation) || isShardyCollective(operation.kind)
            || operation.kind == OpKind::OptimizationBarrier);
}

/// What is multiplied or divided by one number, as the sum over microbatches of which the mean is taken; invalid for
/// others.
ValueId scaled(const Program& program, const Operation& operation)
{
    if (operation.kind != OpKind::Multiply && operation.kind != OpKind::Divide)
        return {};
    if (isSpread(program, operation.operands[1]))
        return operation.operands[0];
    return operation.kind == OpKind::Multiply && isSpread(program, operation.operands[0]) ? operation.operands[1]
                                                                                          : ValueId();
}

constexpr std::size_t maximumFollowed = 256; ///< values, back from what a trip of a loop leaves

class PartWalk {
public:
    explicit PartWalk(const Program& program)
        : m_program(program)
        , m_functions(program)
        , m_calls(program.functions.size())
        , m_uses(program.values.size())
        , m_from(program.values.size())
        , m_to(program.values.size())
    {
        for (const RegionId body : bodies(program))
            walk(program, body, [&](OperationId id) {
                for (const ValueId operand : program.operation(id).operands)
                    ++m_uses[operand.index];
                if (const std::optional<std::size_t> callee = calleeAt(program.operation(id)))
                    ++m_calls[*callee];
            });
        if (!m_calls.empty())
            m_calls[0] = 2; // nobody follows main into itself
        for (const ValueId argument : program.main().arguments)
            m_from[argument.index] = argument;
    }

    std::vector<ValueId> run() &&
    {
        follow(RegionId(std::size_t{ 0 }));
        const std::vector<ValueId>& results = m_program.main().results;
        for (const ValueId result : results)
            if (isGradient(result))
                m_to[result.index] = result;
        followBack(RegionId(std::size_t{ 0 }));
        for (std::size_t v = 0; v < m_from.size(); ++v) {
            ValueId& found = m_from[v];
            if (!found.valid())
                found = m_to[v];
            if (found.index == v)
                found = {};
        }
        return std::move(m_from);
    }

private:
    [[nodiscard]] bool isGradient(ValueId value) const { return m_program.value(value).role == Role::Gradient; }
    [[nodiscard]] std::optional<std::size_t> calleeAt(const Operation& operation) const
    {
        const std::string* name = calleeOf(operation);
        return name ? m_functions.index(*name) : std::nullopt;
    }
    /// The body that an operation runs once in its place; nothing for other operations.
    [[nodiscard]] std::optional<RegionId> bodyOf(const Operation& operation) const
    {
        if (operation.kind == OpKind::ManualComputation || operation.kind == OpKind::NamedComputation)
            return operation.regions[0];
        const std::optional<std::size_t> callee = calleeAt(operation);
        if (callee && m_calls[*callee] == 1)
            return m_program.functions[*callee].body;
        return std::nullopt;
    }
    void hand(std::vector<ValueId>& arrays, const auto& from, const auto& to)
    {
        for (std::size_t i = 0; i < std::min<std::size_t>(from.size(), to.size()); ++i)
            arrays[to[i].index] = arrays[from[i].index];
    }

    void follow(RegionId region)
    {
        for (const OperationId id : m_program.regions[region.index].operations) {
            const Operation& operation = m_program.operation(id);
            if (const std::optional<RegionId> inner = bodyOf(operation)) {
                const Region& body = m_program.regions[inner->index];
                hand(m_from, operation.operands, body.arguments);
                follow(*inner);
                hand(m_from, body.results, operation.results);
            } else if (operation.kind == OpKind::While) {
                const Region& body = m_program.regions[operation.regions[1].index];
                for (std::size_t i = 0; i < std::min<std::size_t>(body.arguments.size(), body.results.size()); ++i) {
                    if (body.results[i] != body.arguments[i])
                        continue;
                    const ValueId array = m_from[operation.operands[i].index];
                    m_from[operation.results[i].index] = array;
                    for (const RegionId either : operation.regions)
                        m_from[m_program.regions[either.index].arguments[i].index] = array;
                }
                follow(operation.regions[1]);
            } else if (isForm(m_program, operation)) {
                m_from[operation.results[0].index] = m_from[operation.operands[0].index];
            } else {
                for (const RegionId other : operation.regions)
                    follow(other);
            }
        }
    }

    /// A value on the way back from what a trip of a loop leaves, and the one that it was found from.
    struct Followed {
        ValueId value;
        std::size_t next = 0;
    };
    /// Whether a trip of a loop adds something to what `carried` holds, or writes a slice of it. Of what a trip
    /// replaces only the last one is left; that is so of `d + f(d)`, too, the gradient that goes back through layers.
    [[nodiscard]] bool gathers(ValueId value, ValueId carried) const
    {
        std::vector<Followed> open{ { value, 0 } };
        for (std::size_t seen = 0; seen < open.size(); ++seen) { // grows while the way goes on
            if (open[seen].value == carried)
                return isAddedTo(open, seen);
            const OperationId definition = m_program.value(open[seen].value).definition;
            if (!definition.valid())
                continue;
            const Operation& operation = m_program.operation(definition);
            if (operation.kind == OpKind::DynamicUpdateSlice || isForm(m_program, operation))
                open.push_back({ operation.operands[0], seen });
            else if (operation.kind == OpKind::Add && open.size() < maximumFollowed)
                for (const ValueId operand : operation.operands)
                    open.push_back({ operand, seen });
        }
        return false;
    }
    /// Whether nothing but the sums on the way reads what is added to, from `at` on.
    [[nodiscard]] bool isAddedTo(const std::vector<Followed>& way, std::size_t at) const
    {
        bool isReadElsewhere = false, isResidual = false;
        for (; at != 0; at = way[at].next) {
            const Operation& reader = m_program.operation(m_program.value(way[way[at].next].value).definition);
            const auto reads = std::count(reader.operands.begin(), reader.operands.end(), way[at].value);
            isReadElsewhere = isReadElsewhere || m_uses[way[at].value.index] > static_cast<std::uint32_t>(reads);
            isResidual = isResidual || (reader.kind == OpKind::Add && isReadElsewhere);
        }
        return !isResidual;
    }

    void become(ValueId value, ValueId array)
    {
        if (array.valid() && !m_to[value.index].valid())
            m_to[value.index] = array;
    }
    void becomeAll(const auto& values, const auto& made)
    {
        for (std::size_t i = 0; i < std::min<std::size_t>(values.size(), made.size()); ++i)
            become(values[i], m_to[made[i].index]);
    }
    void followBack(RegionId region)
    {
        const std::vector<OperationId>& operations = m_program.regions[region.index].operations;
        for (auto id = operations.rbegin(); id != operations.rend(); ++id) {
            const Operation& operation = m_program.operation(*id);
            for (const ValueId result : operation.results)
                if (isGradient(result))
                    m_to[result.index] = result;
            if (const std::optional<RegionId> inner = bodyOf(operation)) {
                const Region& body = m_program.regions[inner->index];
                becomeAll(body.results, operation.results);
                followBack(*inner);
                becomeAll(operation.operands, body.arguments);
            } else if (operation.kind == OpKind::While) {
                const Region& body = m_program.regions[operation.regions[1].index];
                for (std::size_t i = 0; i < std::min<std::size_t>(body.results.size(), operation.results.size()); ++i)
                    if (gathers(body.results[i], body.arguments[i]))
                        become(body.results[i], m_to[operation.results[i].index]);
                followBack(operation.regions[1]);
            } else if (operation.kind == OpKind::Add || operation.kind == OpKind::DynamicUpdateSlice) {
                for (std::size_t i = 0; i < 2; ++i)
                    become(operation.operands[i], m_to[operation.results[0].index]);
            } else if (isForm(m_program, operation)) {
                become(operation.operands[0], m_to[operation.results[0].index]);
            } else if (const ValueId multiplied = scaled(m_program, operation); multiplied.valid()) {
                become(multiplied, m_to[operation.results[0].index]);
            } else {
                for (const RegionId other : operation.regions)
                    followBack(other);
            }
        }
    }

    const Program& m_program;
    const FunctionNames m_functions;
    std::vector<int> m_calls; ///< by function
    std::vector<std::uint32_t> m_uses; ///< by value: operands that it is
    std::vector<ValueId> m_from; ///< by value: the argument
    std::vector<ValueId> m_to; ///< by value: the gradient
};

} // namespace

std::vector<ValueId> arraysOfParts(const Program& program)
{
    return PartWalk(program).run();
}

} // namespace shardscope
