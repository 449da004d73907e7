// SPDX-License-Identifier: GPL-3.0-or-later
#include "schedule/flat_program.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/codes.h"
#include "partition/device_values.h"
#include "program/calls.h"
#include "program/custom_calls.h"
#include "program/editor.h"
#include "program/function_names.h"
#include "program/op_row.h"
#include "program/other_attributes.h"
#include "program/verify_findings.h"

namespace shardscope {

Layout FlatProgram::layout(FlatValueId id) const
{
    const FlatValue& found = value(id);
    return Layout(found.otherMesh ? found.otherMesh : mesh, found.sharding, found.fullShape);
}

namespace {

constexpr std::size_t largestFlatProgram = 1'000'000; ///< operations, those of called functions counted per call

/// What a value of the device program became: a value, a tuple's elements, or nothing (a token).
struct Form {
    FlatValueId value;
    std::vector<Form> elements;
};

/// Where values stand in the given program, and how they are sharded.
class Origins {
public:
    Origins(const Program& source, const PartitionedProgram& parts)
        : m_specified(source)
        , m_values(source, parts)
    {
        const Program& program = parts.sharded->program;
        m_madeFor.resize(parts.device.program.operations.size());
        for (const auto& [made, sharded] : parts.device.origins)
            if (const auto& results = program.operation(sharded).results;
                !results.empty() && !m_madeFor[made.index].valid())
                m_madeFor[made.index] = results[0];
        // What is inserted works for what it reads.
        m_works.resize(program.values.size());
        for (std::size_t v = 0; v < std::min(source.values.size(), m_works.size()); ++v)
            m_works[v] = ValueId(v);
        for (const RegionId body : bodies(program))
            walk(program, body, [&](OperationId id) {
                const Operation& operation = program.operation(id);
                if (id.index >= source.operations.size() && !operation.results.empty() && !operation.operands.empty())
                    for (const ValueId result : operation.results)
                        m_works[result.index] = m_works[operation.operands[0].index];
            });
    }

    [[nodiscard]] const DeviceShard* shard(ValueId local) const { return m_values.of(local); }
    /// The value of the given program that an operation of the device program works for.
    [[nodiscard]] ValueId ofOperation(OperationId id, const Operation& operation) const
    {
        return operation.results.empty() ? madeFor(id) : ofResult(id, operation.results[0]);
    }
    /// The same of a result of the operation.
    [[nodiscard]] ValueId ofResult(OperationId id, ValueId result) const
    {
        if (const DeviceShard* found = shard(result); found && found->meant.valid())
            return found->meant;
        if (const ValueId found = madeFor(id); found.valid())
            return found;
        return result.index < m_works.size() ? m_works[result.index] : ValueId();
    }
    /// What a constraint stands for: the value that is constrained.
    [[nodiscard]] ValueId withoutConstraints(ValueId value) const
    {
        while (m_specified.value(value).definition.valid()) {
            const Operation& operation = m_specified.operation(m_specified.value(value).definition);
            if (operation.kind != OpKind::ShardingConstraint)
                break;
            value = operation.operands[0];
        }
        return value;
    }

private:
    [[nodiscard]] ValueId madeFor(OperationId id) const
    {
        const ValueId sharded = m_madeFor[id.index];
        return sharded.valid() ? m_works[sharded.index] : ValueId();
    }

    const Program& m_specified;
    DeviceValues m_values;
    std::vector<ValueId> m_madeFor; ///< per operation of the device program: of the sharded one, where there is one
    std::vector<ValueId> m_works; ///< per value of the sharded program: of the given one
};

class Flattener {
public:
    Flattener(ProgramPtr source, const std::shared_ptr<const PartitionedProgram>& parts,
        std::span<const std::optional<TensorSharding>> shown)
        : m_specified(*source)
        , m_parts(*parts)
        , m_local(parts->device.program)
        , m_names(m_local)
        , m_origins(*source, *parts)
        , m_shown(shown)
        , m_isTaken(source->values.size())
        , m_forms(m_local.values.size())
    {
        m_out.program = std::move(source);
        m_out.parts = parts;
        m_out.local = ProgramPtr(parts, &m_local);
        m_out.mesh = parts->device.mesh;
        m_out.replicas = parts->device.replicas;
        m_out.values.resize(m_specified.values.size());
        m_ownerOf.resize(m_out.values.size());
        m_isConstrained.resize(m_out.values.size());
        for (const Operation& operation : m_specified.operations)
            if (operation.kind == OpKind::ShardingConstraint)
                m_isConstrained[m_origins.withoutConstraints(operation.results[0]).index] = true;
    }

    Result<FlatProgram> run(StepState state)
    {
        const Region& main = m_local.main();
        m_out.blocks.emplace_back();
        Frame frame;
        for (std::size_t a = 0; a < main.arguments.size(); ++a) {
            const FlatValueId argument(main.arguments[a].index);
            const ShardedArray& input = m_parts.device.inputs[a];
            describe(m_out.values[argument.index], main.arguments[a], input,
                { input.type.dtype, shardShape(input.sharding, input.type.shape) });
            m_isTaken[argument.index] = true;
            m_out.blocks[0].arguments.push_back(argument);
            formOf(main.arguments[a]) = { argument, {} };
            noteForm(main.arguments[a], argument);
        }
        m_open.push_back(0);
        SHARDSCOPE_CHECK(region(RegionId{ 0 }, frame));
        for (const ValueId result : main.results)
            m_out.blocks[0].results.push_back(formOf(result).value);
        m_out.inputs = m_parts.device.inputs;
        m_out.outputs = m_parts.device.outputs;
        for (const StatePair& pair : state.pairs) {
            const std::uint32_t argument = m_specified.value(pair.argument).index;
            const ShardedArray &taken = m_out.inputs[argument], &made = m_out.outputs[pair.result];
            if (made.sharding == taken.sharding && made.unreducedKind == taken.unreducedKind
                && *made.over(m_out.mesh) == *taken.over(m_out.mesh))
                m_out.blocks[0].state.emplace_back(FlatValueId(pair.argument.index), pair.result);
            else
                m_out.reshardedState.emplace_back(argument, pair.result);
        }
        m_out.blocks[0].isDonated = !isGuess(state.source);
        m_out.state = std::move(state);
        nameConstraints();
        describeOthers();
        return std::move(m_out);
    }

private:
    /// A function that is being executed: main, or the one of a call.
    struct Frame {
        const Frame* caller = nullptr;
        RegionId body;
    };

    /// No function calls itself, so that each value has one form at a time: that of the last call.
    [[nodiscard]] Form& formOf(ValueId local) { return m_forms[local.index]; }

    [[nodiscard]] tl::unexpected<Error> refused(const Operation& operation, std::vector<Arg> args) const
    {
        args.insert(args.begin(), Arg{ "op", qualifiedName(operation) });
        return fail(Code::NotExecutable, std::move(args), placeOf(m_local, operation));
    }

    static void describe(FlatValue& value, ValueId origin, const ShardedArray& array, TensorType local)
    {
        value.origin = origin;
        value.sharding = array.sharding;
        value.fullShape = *array.type.shape;
        value.otherMesh = array.mesh;
        value.localType = std::move(local);
        value.isShard = isTensor(array.type.dtype);
    }

    [[nodiscard]] bool isShownSo(ValueId value, const TensorSharding& sharding) const
    {
        return value.index >= m_shown.size() || !m_shown[value.index] || sharding.isEquivalent(*m_shown[value.index]);
    }
    /// Whether users see the value in this form.
    [[nodiscard]] bool isShown(ValueId value, const DeviceShard& shard) const
    {
        return !shard.addends && value.index < m_isTaken.size() && !m_isTaken[value.index]
            && isShownSo(value, shard.array.sharding);
    }

    FlatValueId add(ValueId local, ValueId worksFor)
    {
        FlatValue made;
        made.localType = m_local.value(local).type;
        made.origin = worksFor;
        FlatValueId id(m_out.values.size());
        const DeviceShard* shard = m_origins.shard(local);
        if (shard) {
            describe(made, shard->meant.valid() ? shard->meant : worksFor, shard->array, std::move(made.localType));
            if (shard->meant.valid() && isShown(shard->meant, *shard))
                id = FlatValueId(shard->meant.index);
        }
        if (id.index == m_out.values.size()) {
            m_out.values.push_back(std::move(made));
            m_ownerOf.push_back(m_open.back());
        } else {
            m_isTaken[id.index] = true;
            m_out.values[id.index] = std::move(made);
            m_ownerOf[id.index] = m_open.back();
        }
        if (shard && shard->meant.valid() && !shard->addends)
            noteForm(shard->meant, id);
        return id;
    }
    void noteForm(ValueId value, FlatValueId form)
    {
        if (const ValueId constrained = m_origins.withoutConstraints(value); m_isConstrained[constrained.index])
            m_formsOf[constrained].push_back(form);
    }

    /// Blocks between the one at hand and the one that a value stands in read it from around them.
    FlatValueId read(FlatValueId value)
    {
        for (std::size_t depth = m_open.size(); depth-- > 1 && m_open[depth] != m_ownerOf[value.index];) {
            auto& captured = m_captured[m_open[depth]];
            if (std::find(captured.begin(), captured.end(), value) == captured.end())
                captured.push_back(value);
        }
        return value;
    }

    Result<void> region(RegionId id, const Frame& frame)
    {
        for (const OperationId operation : m_local.regions[id.index].operations)
            SHARDSCOPE_CHECK(visit(operation, frame));
        return {};
    }

    Result<void> visit(OperationId id, const Frame& frame)
    {
        const Operation& operation = m_local.operation(id);
        const auto form = [&](std::size_t i) -> Form& { return formOf(operation.operands[i]); };
        switch (operation.kind) {
        case OpKind::Call:
        case OpKind::Composite:
            return call(operation, frame);
        case OpKind::ShardingGroup:
        case OpKind::Outfeed:
        case OpKind::AfterAll:
        case OpKind::CreateToken:
            for (const ValueId result : operation.results)
                formOf(result) = {};
            return {};
        case OpKind::OptimizationBarrier:
            for (std::size_t i = 0; i < operation.results.size(); ++i)
                formOf(operation.results[i]) = form(i);
            return {};
        case OpKind::Tuple: {
            Form tuple;
            for (std::size_t i = 0; i < operation.operands.size(); ++i)
                tuple.elements.push_back(form(i));
            formOf(operation.results[0]) = std::move(tuple);
            return {};
        }
        case OpKind::GetTupleElement: {
            const auto element =
                static_cast<std::size_t>(attributesAs<TupleElementAttributes>(operation.attributes)->index);
            if (element >= form(0).elements.size())
                return refused(operation, { { "wrong", "unknown" } });
            Form found = form(0).elements[element];
            formOf(operation.results[0]) = std::move(found);
            return {};
        }
        case OpKind::CustomCall:
            if (operation.results.empty()) // what the program expects of its own values
                return compute(id);
            if (operation.operands.size() != 1 || operation.results.size() != 1) {
                const auto* own = attributesAs<CustomCallAttributes>(operation.attributes);
                return refused(
                    operation, { { "wrong", "custom_call" }, { "target", own ? own->target : std::string() } });
            }
            formOf(operation.results[0]) = form(0);
            return {};
        case OpKind::NamedComputation:
            return inlined(operation, operation.regions[0], frame);
        case OpKind::While:
            return loop(id, frame);
        case OpKind::If:
        case OpKind::Case:
            return branch(id, frame);
        default:
            return compute(id);
        }
    }

    Result<void> call(const Operation& operation, const Frame& frame)
    {
        const std::string* name = calleeOf(operation);
        const Function* function = name ? m_names.find(m_local, *name) : nullptr;
        if (!function)
            return refused(operation, { { "wrong", "unknown" } });
        for (const Frame* outer = &frame; outer; outer = outer->caller)
            if (outer->body == function->body)
                return refused(operation, { { "wrong", "recursion" } });
        return inlined(operation, function->body, frame);
    }

    /// A body in the place of the operation that executes it once.
    Result<void> inlined(const Operation& operation, RegionId bodyRegion, const Frame& frame)
    {
        Frame inner;
        inner.caller = &frame;
        inner.body = bodyRegion;
        const Region& body = m_local.regions[bodyRegion.index];
        for (std::size_t i = 0; i < body.arguments.size(); ++i)
            formOf(body.arguments[i]) = formOf(operation.operands[i]);
        SHARDSCOPE_CHECK(region(bodyRegion, inner));
        for (std::size_t i = 0; i < operation.results.size(); ++i)
            formOf(operation.results[i]) = formOf(body.results[i]);
        return {};
    }

    /// A new operation, whose operands are values.
    Result<FlatOp> begin(OperationId id)
    {
        const Operation& operation = m_local.operation(id);
        if (++m_count > largestFlatProgram)
            return refused(operation, { { "wrong", "calls" }, { "limit", largestFlatProgram } });
        FlatOp op;
        op.operation = id;
        op.origin = m_origins.ofOperation(id, operation);
        for (const ValueId operand : operation.operands) {
            const Form& form = formOf(operand);
            if (!form.elements.empty())
                return refused(operation, { { "wrong", "type" }, { "type", toString(m_local.value(operand).type) } });
            op.operands.push_back(form.value.valid() ? read(form.value) : FlatValueId());
        }
        return op;
    }
    void addResults(FlatOp& op)
    {
        for (const ValueId result : m_local.operation(op.operation).results) {
            const bool isValue = isTensor(m_local.value(result).type.dtype);
            op.results.push_back(isValue ? add(result, m_origins.ofResult(op.operation, result)) : FlatValueId());
            formOf(result) = { op.results.back(), {} };
        }
    }
    void finish(FlatOp op) { m_out.blocks[m_open.back()].ops.push_back(std::move(op)); }

    Result<void> compute(OperationId id)
    {
        SHARDSCOPE_TRY(op, begin(id));
        for (const RegionId inner : m_local.operation(id).regions)
            walk(m_local, inner, [&](OperationId used) {
                for (const ValueId operand : m_local.operation(used).operands)
                    if (const FlatValueId value = formOf(operand).value; value.valid())
                        op->captured.emplace_back(operand, read(value));
            });
        addResults(*op);
        finish(std::move(*op));
        return {};
    }

    /// A block for a region of a loop or a branch.
    Result<std::uint32_t> block(RegionId id, const Frame& frame)
    {
        const auto number = static_cast<std::uint32_t>(m_out.blocks.size());
        m_out.blocks.emplace_back();
        m_open.push_back(number);
        const Region& body = m_local.regions[id.index];
        for (const ValueId argument : body.arguments) {
            const bool isValue = isTensor(m_local.value(argument).type.dtype);
            const FlatValueId value = isValue ? add(argument, {}) : FlatValueId();
            formOf(argument) = { value, {} };
            m_out.blocks[number].arguments.push_back(value);
        }
        Result<void> done = region(id, frame);
        for (std::size_t r = 0; done && r < body.results.size(); ++r) {
            const Form& form = formOf(body.results[r]);
            m_out.blocks[number].results.push_back(form.value.valid() ? read(form.value) : FlatValueId());
        }
        m_open.pop_back();
        if (!done)
            return tl::unexpected<Error>(std::move(done.error()));
        return number;
    }

    /// Its regions become blocks; what they read from around them the operation reads, too.
    Result<void> control(FlatOp& op, const Frame& frame)
    {
        for (const RegionId region : m_local.operation(op.operation).regions) {
            SHARDSCOPE_TRY(number, block(region, frame));
            op.blocks.push_back(*number);
            for (const FlatValueId value : m_captured[*number])
                op.captured.emplace_back(ValueId(), value);
        }
        return {};
    }

    Result<void> loop(OperationId id, const Frame& frame)
    {
        SHARDSCOPE_TRY(op, begin(id));
        SHARDSCOPE_CHECK(control(*op, frame));
        FlatBlock& body = m_out.blocks[op->blocks[1]];
        for (std::uint32_t i = 0; i < body.arguments.size(); ++i)
            if (body.arguments[i].valid())
                body.state.emplace_back(body.arguments[i], i);
        addResults(*op);
        finish(std::move(*op));
        return {};
    }
    Result<void> branch(OperationId id, const Frame& frame)
    {
        SHARDSCOPE_TRY(op, begin(id));
        SHARDSCOPE_CHECK(control(*op, frame));
        addResults(*op);
        for (const std::uint32_t taken : op->blocks)
            for (std::uint32_t r = 0; r < op->results.size(); ++r)
                if (op->results[r].valid())
                    m_out.blocks[taken].state.emplace_back(op->results[r], r);
        finish(std::move(*op));
        return {};
    }

    /// A constraint names the form that has its sharding.
    void nameConstraints()
    {
        for (const Operation& operation : m_specified.operations) {
            if (operation.kind != OpKind::ShardingConstraint || m_isTaken[operation.results[0].index])
                continue;
            const ValueId result = operation.results[0];
            const auto forms = m_formsOf.find(m_origins.withoutConstraints(result));
            if (forms == m_formsOf.end())
                continue;
            const auto found = std::find_if(forms->second.begin(), forms->second.end(), [&](FlatValueId id) {
                const FlatValue& value = m_out.value(id);
                return value.isShard && value.sharding.unreduced.empty() && isShownSo(result, value.sharding);
            });
            if (found == forms->second.end())
                continue;
            FlatValue& named = m_out.values[result.index];
            named = m_out.value(*found);
            named.origin = result;
            m_out.aliases.emplace_back(FlatValueId(result.index), *found);
        }
    }

    /// Values of the given program that have no form.
    void describeOthers()
    {
        for (std::size_t v = 0; v < m_specified.values.size(); ++v)
            if (FlatValue& value = m_out.values[v]; !m_isTaken[v] && !value.origin.valid())
                value = { ValueId(v), m_specified.values[v].type,
                    TensorSharding::fullyReplicated(m_specified.values[v].type.rank()),
                    *m_specified.values[v].type.shape, {}, false };
    }

    const Program& m_specified;
    const PartitionedProgram& m_parts;
    const Program& m_local;
    const FunctionNames m_names;
    const Origins m_origins;
    std::span<const std::optional<TensorSharding>> m_shown;
    std::vector<bool> m_isTaken; ///< per value of the given program: it has its form
    std::vector<Form> m_forms; ///< per value of the device program
    FlatProgram m_out;
    std::size_t m_count = 0;
    std::vector<std::uint32_t> m_open; ///< blocks, the innermost last
    std::vector<std::uint32_t> m_ownerOf; ///< per flat value: its block
    std::unordered_map<std::uint32_t, std::vector<FlatValueId>> m_captured; ///< by block
    std::vector<bool> m_isConstrained; ///< per value of the given program: constraints stand for it
    std::unordered_map<ValueId, std::vector<FlatValueId>> m_formsOf; ///< of what constraints stand for, in order
};

} // namespace

Result<FlatProgram> flatten(ProgramPtr source, std::shared_ptr<const PartitionedProgram> parts, StepState state,
    std::span<const std::optional<TensorSharding>> shown)
{
    return Flattener(std::move(source), parts, shown).run(std::move(state));
}

} // namespace shardscope
