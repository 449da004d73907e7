// SPDX-License-Identifier: GPL-3.0-or-later
// The way back through a loop of n trips: a loop over the trips n - 1 ... 0 that carries the cotangents. In each it
// needs what the trip began with and some of what it made. What no trip changes is there already; the rest comes from
// stacks that the loop leaves, or is made again from that.
//
//     forward:   x_0;  x_(t+1) = f(x_t, w),  t = 0 ... n - 1;            also leaves X = (x_0, ..., x_(n-1))
//     backward:  c_n;  (c_t, d_t) = (df/dx, df/dw)^T c_(t+1) at X[t], w;   dw = d_(n-1) + ... + d_0
// Declared in pull_back.h.
#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_set>

#include "base/codes.h"
#include "program/counted_loop.h"
#include "program/op_row.h"
#include "program/pull_back.h"
#include "program/stacks.h"

namespace shardscope {

namespace {

const TensorType tripType{ DType::I32, {} };

/// The scalar number that a value is, where a constant makes it.
bool isConstantOf(const Program& program, ValueId value, double number)
{
    const OperationId made = program.value(value).definition;
    const auto* constant =
        made.valid() ? std::get_if<ConstantAttributes>(&program.operation(made).attributes) : nullptr;
    return constant && !constant->bytes && constant->values.size() == 1 && constant->values[0] == number;
}

/// The place of what a loop counts its trips by, 0, 1, ..., in i32; of an argument of its body.
std::optional<std::size_t> tripCounter(const Program& program, const Operation& loop)
{
    const Region& body = program.regions[loop.regions[1].index];
    for (std::size_t i = 0; i < loop.operands.size(); ++i) {
        const OperationId made = program.value(body.results[i]).definition;
        if (program.value(loop.operands[i]).type != tripType || !made.valid()
            || !isConstantOf(program, loop.operands[i], 0))
            continue;
        const Operation& next = program.operation(made);
        if (next.kind == OpKind::Add && next.operands[0] == body.arguments[i]
            && isConstantOf(program, next.operands[1], 1))
            return i;
    }
    return std::nullopt;
}

class LoopGradient {
public:
    LoopGradient(Builder& builder, OperationId loop, RegionId region, std::int64_t trips, const ValueFlags& dependent,
        const DifferentiateOptions& options)
        : m_builder(builder)
        , m_loop(loop)
        , m_around(region)
        , m_body(builder.program().operation(loop).regions[1])
        , m_trips(trips)
        , m_dependent(dependent)
        , m_options(options)
    {
    }

    Result<std::vector<ValueId>> run(std::span<const ValueId> cotangents)
    {
        const std::size_t count = cotangents.size(); // what the loop carried before it was changed here
        findCarried(cotangents);
        addCounter();
        std::vector<ValueId> initial{ m_builder.constant(tripType, 0) };
        for (const std::size_t i : m_carried) {
            const TensorType type = m_builder.type(region().arguments[i]);
            initial.push_back(cotangents[i].valid() ? cotangents[i] : m_builder.constant(type, 0));
        }
        Result<void> done;
        const std::string scope = m_builder.scope();
        const std::vector<ValueId> results = m_builder.loop(
            initial,
            [&](Builder& b, std::span<const ValueId> arguments) {
                const ValueId bound = b.constant(tripType, static_cast<double>(m_trips));
                return std::vector{ b.compare(Comparison::Less, arguments[0], bound) };
            },
            [&](Builder&, std::span<const ValueId> arguments) { return step(arguments, done); });
        m_builder.setScope(scope);
        if (!done)
            return tl::unexpected(done.error());
        m_builder.carryOutside(m_builder.program().value(results[0]).definition);
        std::vector<ValueId> pulled(count);
        for (std::size_t k = 0; k < m_carried.size(); ++k)
            pulled[m_carried[k]] = results[k + 1];
        return pulled;
    }

private:
    [[nodiscard]] const Program& program() const { return m_builder.program(); }
    [[nodiscard]] const Operation& loop() const { return program().operation(m_loop); }
    [[nodiscard]] const Region& region() const { return program().regions[m_body.index]; }

    /// What has a cotangent on the way back: that of its result, or one by way of what has.
    void findCarried(std::span<const ValueId> cotangents)
    {
        ValueFlags reached(program().values.size());
        std::vector<bool> carried(cotangents.size());
        for (std::size_t i = 0; i < cotangents.size(); ++i)
            carried[i] = cotangents[i].valid() && has(m_dependent, region().arguments[i]);
        for (bool changed = true; changed;) {
            for (std::size_t i = 0; i < carried.size(); ++i)
                if (carried[i])
                    reached[region().results[i].index] = true;
            addReached(program(), region().operations, m_dependent, reached);
            changed = false;
            for (std::size_t i = 0; i < carried.size(); ++i) {
                const ValueId argument = region().arguments[i];
                if (!carried[i] && has(m_dependent, argument) && has(reached, argument))
                    changed = carried[i] = true;
            }
        }
        for (std::size_t i = 0; i < carried.size(); ++i)
            if (carried[i])
                m_carried.push_back(i);
    }

    /// The value of the body that counts its trips, made where there is none.
    void addCounter()
    {
        std::optional<std::size_t> place = tripCounter(program(), loop());
        if (!place) {
            inLoopScope([&] {
                ValueId zero;
                m_builder.before(m_loop, m_around, [&] { zero = m_builder.constant(tripType, 0); });
                return m_builder.carry(m_loop, zero, [&](ValueId index) {
                    return m_builder.binary(OpKind::Add, index, m_builder.constant(tripType, 1));
                });
            });
            place = loop().operands.size() - 1;
        }
        m_counter = region().arguments[*place];
    }

    std::vector<ValueId> step(std::span<const ValueId> arguments, Result<void>& done)
    {
        Builder& b = m_builder;
        const std::string scope = b.scope();
        m_trip = b.binary(OpKind::Subtract, b.constant(tripType, static_cast<double>(m_trips - 1)), arguments[0]);
        std::vector<ValueId> next{ b.binary(OpKind::Add, arguments[0], b.constant(tripType, 1)) };
        const std::size_t before = program().regions[b.region().index].operations.size();

        CotangentMap cotangents;
        for (std::size_t k = 0; k < m_carried.size(); ++k)
            addCotangent(b, cotangents, region().results[m_carried[k]], arguments[k + 1]);
        done = pullBack(b, m_body, m_dependent, m_options, cotangents);
        b.setScope(scope);
        for (std::size_t k = 0; k < m_carried.size(); ++k) {
            const ValueId cotangent = done ? cotangents[region().arguments[m_carried[k]]] : ValueId();
            next.push_back(cotangent.valid() ? cotangent : b.constant(b.type(arguments[k + 1]), 0));
        }
        if (done)
            findAgain(b.region(), before, next);
        return next;
    }

    /// Whatever of the loop's body the way back uses gets a value here, before the operations from the `first` on.
    void findAgain(RegionId here, std::size_t first, std::vector<ValueId>& next)
    {
        for (const OperationId held : region().operations)
            for (const ValueId result : program().operation(held).results)
                m_inside.insert(result);
        m_inside.insert(region().arguments.begin(), region().arguments.end());
        std::vector<ValueId> used = usedFromOutside(program(), here);
        used.insert(used.end(), next.begin(), next.end());
        const std::vector<OperationId> operations = program().regions[here.index].operations;
        const auto find = [&] {
            for (const ValueId value : used)
                local(value);
        };
        if (first < operations.size())
            m_builder.before(operations[first], here, find);
        else
            find();
        m_builder.substitute(here, m_local);
        for (ValueId& value : next)
            value = local(value);
    }

    /// What stands for a value of the loop's body in that of the way back.
    ValueId local(ValueId value)
    {
        if (!m_inside.contains(value))
            return value;
        if (const auto found = m_local.find(value); found != m_local.end())
            return found->second;
        const OperationId made = program().value(value).definition;
        if (!made.valid())
            return m_local[value] = ofArgument(value);
        if (!isFree(value) && !isMoved(made) && (!m_options.keeps || m_options.keeps(program(), value)))
            return m_local[value] = stacked(value);
        const Operation operation = program().operation(made); // a copy: the builder grows
        for (const ValueId operand : operation.operands)
            local(operand);
        for (const ValueId outside : usedFromOutside(program(), operation))
            local(outside);
        m_builder.copy(made, m_local, backwardScopeOf);
        return m_local[value];
    }

    ValueId ofArgument(ValueId argument)
    {
        const std::uint32_t i = program().value(argument).index;
        if (argument == m_counter)
            return m_trip;
        return isUnchanged(i) ? loop().operands[i] : stacked(argument);
    }

    ValueId stacked(ValueId value)
    {
        const ValueId stack =
            inLoopScope([&] { return stackOf(m_builder, m_loop, m_around, value, m_counter, m_trips); });
        return sliceAt(m_builder, stack, m_trip);
    }

    /// What the loop comes to do on the way forward belongs to its scope.
    template <class Make>
    ValueId inLoopScope(Make make)
    {
        const std::string scope = m_builder.scope();
        m_builder.setScope(program().scopes[loop().scope]);
        const ValueId made = make();
        m_builder.setScope(scope);
        return made;
    }

    [[nodiscard]] bool isUnchanged(std::size_t i) const { return region().results[i] == region().arguments[i]; }

    /// Made by moving elements of one other value, which is as good to have.
    [[nodiscard]] bool isMoved(OperationId made) const
    {
        const OpKind kind = program().operation(made).kind;
        return kind == OpKind::BroadcastInDim || kind == OpKind::Reshape || kind == OpKind::Transpose;
    }

    /// Constants, what no trip changes, the number of the trip, and what only moves or converts those.
    [[nodiscard]] bool isFree(ValueId value) const
    {
        const OperationId made = program().value(value).definition;
        if (!m_inside.contains(value))
            return true;
        if (!made.valid())
            return value == m_counter || isUnchanged(program().value(value).index);
        const Operation& operation = program().operation(made);
        const bool moves = isMoved(made) || operation.kind == OpKind::Constant || operation.kind == OpKind::Iota
            || operation.kind == OpKind::Slice || operation.kind == OpKind::DynamicSlice
            || operation.kind == OpKind::Convert || operation.kind == OpKind::ShardingConstraint;
        const TensorType& type = program().value(value).type;
        const bool index = type.rank() == 0 && !isFloat(type.dtype) && operation.regions.empty();
        return (moves || index)
            && std::all_of(operation.operands.begin(), operation.operands.end(),
                [this](ValueId operand) { return isFree(operand); });
    }

    Builder& m_builder;
    const OperationId m_loop;
    const RegionId m_around, m_body; ///< of the loop
    const std::int64_t m_trips;
    const ValueFlags& m_dependent;
    const DifferentiateOptions& m_options;
    std::vector<std::size_t> m_carried; ///< places of what has cotangents
    ValueId m_counter, m_trip; ///< the number of the trip: in the loop's body, on the way back
    std::unordered_set<ValueId> m_inside; ///< values of the loop's body
    std::unordered_map<ValueId, ValueId> m_local;
};

} // namespace

Result<std::vector<ValueId>> pullBackLoop(Builder& builder, OperationId loop, RegionId region,
    std::span<const ValueId> cotangents, const ValueFlags& dependent, const DifferentiateOptions& options)
{
    const std::optional<std::int64_t> trips = tripsOf(builder.program(), loop);
    if (!trips || *trips > std::numeric_limits<std::int32_t>::max())
        return fail(Code::InvalidOperand, { { "op", opRow(OpKind::While).name }, { "detail", "no derivative" } });
    if (*trips == 0)
        return std::vector<ValueId>(cotangents.begin(), cotangents.end());
    return LoopGradient(builder, loop, region, *trips, dependent, options).run(cotangents);
}

} // namespace shardscope
