// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/evaluate/interpreter.h"

#include "program/calls.h"
#include "program/value_shardings.h"

#include <algorithm>

#include "base/codes.h"
#include "program/op_row.h"
#include "program/verify_findings.h"
#include "simulate/evaluate/elementwise.h"

namespace shardscope::evaluate {

Lifetimes::Lifetimes(const Program& program, RegionId body)
    : m_program(program)
    , m_names(program)
    , m_ending(program.operations.size())
    , m_visited(program.regions.size())
{
    visit(body);
}

const std::vector<ValueId>& Lifetimes::outsideOf(RegionId region)
{
    visit(region);
    return m_outside[region.index];
}

const Function* Lifetimes::calledBy(const Operation& operation) const
{
    const std::string* name = calleeOf(operation);
    return name ? m_names.find(m_program, *name) : nullptr;
}

const std::vector<ValueId>& Lifetimes::leftBy(RegionId region) const
{
    static const std::vector<ValueId> none;
    const auto found = m_left.find(region.index);
    return found == m_left.end() ? none : found->second;
}

std::span<const ValueId> Lifetimes::endingAt(OperationId operation) const
{
    return m_ending[operation.index];
}

void Lifetimes::visit(RegionId id)
{
    if (m_visited[id.index])
        return;
    m_visited[id.index] = true;
    const Region& region = m_program.regions[id.index];
    std::unordered_map<std::uint32_t, bool> own; // values of the region: whether somebody after that reads them
    for (const ValueId value : region.arguments)
        own[value.index] = false;
    for (const OperationId op : region.operations)
        for (const ValueId value : m_program.operation(op).results)
            own[value.index] = false;
    std::vector<ValueId> left = region.arguments;
    for (const ValueId value : region.results)
        if (own.contains(value.index)) // it may return what stands around it
            left.push_back(value);
    m_left[id.index] = std::move(left);
    std::unordered_map<std::uint32_t, bool> outside;
    std::vector<ValueId> outsideList;
    const auto read = [&](ValueId value, OperationId by) {
        const auto found = own.find(value.index);
        if (found == own.end()) {
            if (!std::exchange(outside[value.index], true))
                outsideList.push_back(value);
        } else if (!std::exchange(found->second, true) && by.valid()) {
            m_ending[by.index].push_back(value);
        }
    };
    for (const ValueId value : region.results)
        read(value, {});
    for (std::size_t i = region.operations.size(); i-- > 0;) {
        const OperationId id2 = region.operations[i];
        const Operation& op = m_program.operation(id2);
        for (const ValueId value : op.results)
            if (!own[value.index])
                m_ending[id2.index].push_back(value);
        for (const ValueId value : op.operands)
            read(value, id2);
        for (const RegionId inner : op.regions) {
            visit(inner);
            for (const ValueId value : m_outside[inner.index])
                read(value, id2);
        }
        if (const Function* function = calledBy(op))
            visit(function->body);
        if (isParallel(op))
            if (const Function* function = parallelPrograms(m_program, op).function)
                visit(function->body);
    }
    m_outside[id.index] = std::move(outsideList);
}

Interpreter::Interpreter(const Program& program, const ExecuteOptions& options, Lifetimes& lifetimes, Machine machine)
    : m_program(program)
    , m_options(options)
    , m_lifetimes(lifetimes)
    , m_machine(std::move(machine))
    , m_values(static_cast<std::size_t>(options.replicas * options.partitions))
{
    for (std::vector<Array>& values : m_values)
        values.resize(program.values.size());
}

double Interpreter::bytesOf(const Operation& op) const
{
    double bytes = 0;
    for (const auto& values : { std::span<const ValueId>(op.operands.begin(), op.operands.end()),
             std::span<const ValueId>(op.results.begin(), op.results.end()) })
        for (const ValueId value : values)
            bytes += static_cast<double>(m_program.value(value).type.byteCount());
    return bytes;
}

namespace {

Where placeOf(const Program& program, const Operation& op)
{
    Where where;
    const SourcePlace& place = program.sources[op.source < program.sources.size() ? op.source : 0];
    where.line = static_cast<int>(place.line);
    where.column = static_cast<int>(place.column);
    return where;
}

} // namespace

tl::unexpected<Error> tooManyTrips(const Program& program, const Operation& op, std::int64_t limit)
{
    const std::string path = op.results.empty() ? std::string() : std::string(*program.value(op.results[0]).path);
    return fail(Code::NotExecutable,
        { { "op", qualifiedName(op) }, { "wrong", "loop_limit" }, { "value", path }, { "limit", limit } },
        placeOf(program, op));
}

tl::unexpected<Error> cannot(const Program& program, const Operation& op, std::vector<Arg> args)
{
    args.insert(args.begin(), Arg{ "op", qualifiedName(op) });
    return fail(Code::NotExecutable, std::move(args), placeOf(program, op));
}

Result<void> Interpreter::run(RegionId region, const Devices& active)
{
    for (const OperationId id : m_program.regions[region.index].operations) {
        if (m_options.stop.stop_requested())
            return {};
        if (auto done = step(id, active); !done)
            return done;
        for (const ValueId value : m_lifetimes.endingAt(id))
            for (const std::int32_t device : active)
                set(value, device, {});
    }
    return {};
}

void Interpreter::takeResults(RegionId region, std::span<const ValueId> targets, const Devices& active)
{
    const std::vector<ValueId>& results = m_program.regions[region.index].results;
    for (const std::int32_t device : active) {
        Arrays taken; // a result may be an argument that is a target of another one
        for (const ValueId value : results)
            taken.push_back(at(value, device));
        for (std::size_t i = 0; i < targets.size() && i < taken.size(); ++i)
            set(targets[i], device, std::move(taken[i]));
    }
}

void Interpreter::leave(RegionId region, const Devices& active)
{
    for (const ValueId value : m_lifetimes.leftBy(region))
        for (const std::int32_t device : active)
            set(value, device, {});
}

Result<void> Interpreter::call(const Operation& op, RegionId body, const Devices& active)
{
    const std::vector<ValueId>& arguments = m_program.regions[body.index].arguments;
    for (const std::int32_t device : active)
        for (std::size_t i = 0; i < arguments.size(); ++i)
            set(arguments[i], device, at(op.operands[i], device));
    if (auto done = run(body, active); !done)
        return done;
    takeResults(body, op.results, active);
    leave(body, active);
    return {};
}

/// Devices may leave the loop one by one.
Result<void> Interpreter::loop(const Operation& op, const Devices& active)
{
    const RegionId condition = op.regions[0], body = op.regions[1];
    const std::vector<ValueId>&asked = m_program.regions[condition.index].arguments,
          &looped = m_program.regions[body.index].arguments;
    std::vector<Arrays> state(m_values.size());
    for (const std::int32_t device : active)
        for (const ValueId operand : op.operands)
            state[index(device)].push_back(at(operand, device));
    Devices going = active;
    while (!going.empty() && !m_options.stop.stop_requested()) {
        for (const std::int32_t device : going)
            for (std::size_t i = 0; i < asked.size(); ++i)
                set(asked[i], device, state[index(device)][i]);
        if (auto done = run(condition, going); !done)
            return done;
        if (m_options.stop.stop_requested())
            break;
        const ValueId answer = m_program.regions[condition.index].results[0];
        Devices next = going;
        std::erase_if(next, [&](std::int32_t device) { return integerAt(at(answer, device), 0) == 0; });
        leave(condition, going);
        going = std::move(next);
        if (!going.empty() && ++m_machine.trips > m_options.maximumTrips)
            return tooManyTrips(m_program, op, m_options.maximumTrips);
        for (const std::int32_t device : going)
            for (std::size_t i = 0; i < looped.size(); ++i)
                set(looped[i], device, std::move(state[index(device)][i]));
        if (auto done = run(body, going); !done)
            return done;
        if (m_options.stop.stop_requested())
            break;
        const std::vector<ValueId>& results = m_program.regions[body.index].results;
        for (const std::int32_t device : going)
            for (std::size_t i = 0; i < results.size(); ++i)
                state[index(device)][i] = at(results[i], device);
        leave(body, going);
    }
    for (const std::int32_t device : active)
        for (std::size_t i = 0; i < op.results.size(); ++i)
            set(op.results[i], device, std::move(state[index(device)][i]));
    return {};
}

Result<void> Interpreter::branch(const Operation& op, const Devices& active)
{
    std::vector<Devices> choosing(op.regions.size());
    const auto last = static_cast<std::int64_t>(op.regions.size()) - 1;
    for (const std::int32_t device : active) {
        const std::int64_t given = integerAt(at(op.operands[0], device), 0);
        const std::int64_t chosen = op.kind == OpKind::If ? (given != 0 ? 0 : 1)
            : given < 0 || given > last                   ? last
                                                          : given;
        choosing[static_cast<std::size_t>(chosen)].push_back(device);
    }
    for (std::size_t i = 0; i < op.regions.size(); ++i) {
        if (choosing[i].empty())
            continue;
        if (auto done = run(op.regions[i], choosing[i]); !done)
            return done;
        takeResults(op.regions[i], op.results, choosing[i]);
        leave(op.regions[i], choosing[i]);
    }
    return {};
}

void Interpreter::compute(const Operation& op, const Devices& active)
{
    const Evaluate evaluate = op.kind == OpKind::Opaque ? evaluateOpaque : evaluator(op.kind);
    forEach(active, bytesOf(op), [&](std::int32_t device) {
        Arrays operands(op.operands.size());
        for (std::size_t i = 0; i < operands.size(); ++i)
            operands[i] = at(op.operands[i], device);
        const DeviceScope scope(*this, device);
        const Call call{ m_program, op, operands, &scope };
        Arrays results = evaluate ? evaluate(call) : evaluateElementwise(call);
        for (std::size_t i = 0; i < op.results.size(); ++i)
            set(op.results[i], device, std::move(results[i]));
    });
}

/// Shapes that are operands are known when they are there.
Result<void> Interpreter::checkShapeOperands(const Operation& op, const Devices& active)
{
    Arrays operands(op.operands.size());
    for (const std::int32_t device : active) {
        for (std::size_t i = 0; i < operands.size(); ++i)
            operands[i] = at(op.operands[i], device);
        if (const std::optional<TensorType> made = otherResult(m_program, op, operands))
            return cannot(m_program, op,
                { { "wrong", "shape" }, { "found", toString(*made) },
                    { "expected", toString(m_program.value(op.results[0]).type) } });
    }
    return {};
}

Result<void> Interpreter::step(OperationId id, const Devices& active)
{
    const Operation& op = m_program.operation(id);
    const auto inner = [&]() -> Result<void> {
        switch (op.kind) {
        case OpKind::While:
            return loop(op, active);
        case OpKind::If:
        case OpKind::Case:
            return branch(op, active);
        case OpKind::Call:
        case OpKind::Composite:
            return call(op, m_lifetimes.calledBy(op)->body, active);
        case OpKind::NamedComputation:
            return call(op, op.regions[0], active);
        case OpKind::ManualComputation:
            return runManual(*this, op, active);
        case OpKind::ShardingGroup:
        case OpKind::Outfeed:
        case OpKind::AfterAll:
        case OpKind::CreateToken:
            forEach(active, 0, [&](std::int32_t device) {
                for (const ValueId result : op.results)
                    set(result, device, Array::make(m_program.value(result).type));
            });
            return {};
        case OpKind::Tuple:
            for (const std::int32_t device : active) {
                Array tuple{ m_program.value(op.results[0]).type, {}, {} };
                for (const ValueId operand : op.operands)
                    tuple.parts.push_back(at(operand, device));
                set(op.results[0], device, std::move(tuple));
            }
            return {};
        case OpKind::GetTupleElement: {
            const auto element = static_cast<std::size_t>(wideAs<TupleElementAttributes>(op.attributes)->index);
            for (const std::int32_t device : active) {
                Array part = at(op.operands[0], device).parts[element];
                set(op.results[0], device, std::move(part));
            }
            return {};
        }
        default:
            break;
        }
        if (isCheck(op))
            return check(*this, id, active);
        if (isParallel(op))
            return runParallel(*this, op, active);
        if (isExchange(op.kind))
            return exchange(*this, op, active);
        if (op.kind == OpKind::Opaque)
            if (auto fits = checkShapeOperands(op, active); !fits)
                return fits;
        if (isShardyCollective(op.kind))
            return exchangeOverMesh(*this, op, active);
        if (op.kind == OpKind::CustomCall) { // of those that hand on what they are given
            for (const std::int32_t device : active)
                set(op.results[0], device, at(op.operands[0], device));
            return {};
        }
        compute(op, active);
        return {};
    };
    auto done = inner();
    for (const std::int32_t device : active)
        m_machine.store(device)->note();
    if (done && m_options.perturbation && op.results.size() == 1) {
        Arrays operands;
        for (const std::int32_t device : active) {
            operands.clear();
            for (const ValueId value : op.operands)
                operands.push_back(at(value, device));
            if (auto other = m_options.perturbation->changed(id, device, operands, at(op.results[0], device)))
                set(op.results[0], device, std::move(*other));
        }
    }
    if (done && m_options.observer && !op.results.empty()) {
        Arrays operands, results;
        for (const std::int32_t device : active) {
            operands.clear();
            for (const ValueId value : op.operands)
                operands.push_back(at(value, device));
            results.clear();
            for (const ValueId value : op.results)
                results.push_back(at(value, device));
            m_options.observer->computed(id, device, operands, results);
        }
    }
    return done;
}

} // namespace shardscope::evaluate
