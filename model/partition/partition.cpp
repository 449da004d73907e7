// SPDX-License-Identifier: GPL-3.0-or-later
#include "partition/partition.h"

#include <algorithm>
#include <limits>

#include "base/codes.h"
#include "partition/common_sharding.h"
#include "partition/export_shardings.h"
#include "partition/scatter_fusion.h"

namespace shardscope {

namespace {

constexpr std::uint32_t nothing = std::numeric_limits<std::uint32_t>::max();

class Partitioner {
public:
    Partitioner(const PropagationInput& input, const PropagationResult& shardings, bool optimalReshards)
        : m_input(input)
        , m_shardings(shardings)
        , m_program(*input.program)
        , m_mesh(*input.mesh)
        , m_optimalReshards(optimalReshards)
    {
    }

    Result<DeviceProgram> run()
    {
        m_out.program = m_input.program;
        m_out.mesh = m_input.mesh;
        addProgramValues();
        for (const OperationId id : m_program.main().operations)
            if (const auto visited = visit(id); !visited)
                return tl::unexpected(visited.error());
        returnResults();
        fuseReduceScatters(m_out);
        return std::move(m_out);
    }

private:
    // --- values ---------------------------------------------------------------------------------------------------

    void addProgramValues()
    {
        const std::size_t count = m_program.values.size();
        m_out.values.reserve(count + count / 2);
        m_out.ops.reserve(m_program.operations.size() * 3 / 2);
        m_made.resize(count);
        m_firstForm.assign(count, nothing);
        for (std::size_t v = 0; v < count; ++v)
            addValue(ValueId(v), closed(m_shardings.shardings[v]));
        for (const ValueId argument : m_program.main().arguments) {
            DeviceValue& value = m_out.values[argument.index];
            const TensorType& type = m_program.value(argument).type;
            value.sharding = closed(dividing(m_shardings.shardings[argument.index], type.shape, m_mesh));
            value.localType.shape = shardShape(value.sharding, type.shape);
            m_made[argument.index] = true;
        }
    }

    DeviceValueId addValue(ValueId origin, TensorSharding sharding)
    {
        const TensorType& type = m_program.value(origin).type;
        m_out.values.push_back({ origin, { type.dtype, shardShape(sharding, type.shape) }, std::move(sharding) });
        m_nextForm.push_back(nothing);
        return DeviceValueId(m_out.values.size() - 1);
    }

    const TensorSharding& own(ValueId value) const { return m_out.values[value.index].sharding; }

    /// A further form of a value in that sharding, if there is one.
    DeviceValueId findForm(ValueId value, const TensorSharding& sharding) const
    {
        for (std::uint32_t form = m_firstForm[value.index]; form != nothing; form = m_nextForm[form])
            if (m_out.values[form].sharding.isEquivalent(sharding))
                return DeviceValueId(form);
        return {};
    }
    void rememberForm(ValueId value, DeviceValueId form)
    {
        m_nextForm[form.index] = m_firstForm[value.index];
        m_firstForm[value.index] = form.index;
    }

    /// Constants, iota and broadcast scalars: every device can make whatever part it needs.
    bool follows(ValueId value) const
    {
        const OperationId definition = m_program.value(value).definition;
        if (!definition.valid())
            return false;
        const Operation& operation = m_program.operation(definition);
        return operation.kind == OpKind::Constant || operation.kind == OpKind::Iota
            || (operation.kind == OpKind::BroadcastInDim && m_program.value(operation.operands[0]).type.rank() == 0);
    }

    /// The value in the sharding that is needed; resharded, or made once more, if it is not there.
    DeviceValueId obtain(ValueId value, const TensorSharding& sharding, const Reason& reason)
    {
        const bool same = own(value).isEquivalent(sharding);
        if (same && m_made[value.index])
            return DeviceValueId(value.index);
        if (!same)
            if (const DeviceValueId form = findForm(value, sharding); form.valid())
                return form;
        if (follows(value))
            return make(value, sharding, same, reason);
        const DeviceValueId form = emitSteps(DeviceValueId(value.index), sharding, reason, {});
        rememberForm(value, form);
        return form;
    }

    DeviceValueId make(ValueId value, const TensorSharding& sharding, bool own, const Reason& reason)
    {
        const OperationId id = m_program.value(value).definition;
        DeviceOp op;
        op.action = id;
        op.origin = value;
        for (const ValueId operand : m_program.operation(id).operands)
            op.operands.push_back(obtain(operand, this->own(operand), reason));
        if (own) {
            m_made[value.index] = true;
            op.results.push_back(DeviceValueId(value.index));
        } else {
            op.reason = reason;
            op.results.push_back(addValue(value, sharding));
            rememberForm(value, op.results[0]);
        }
        const DeviceValueId result = op.results[0];
        m_out.ops.push_back(std::move(op));
        return result;
    }

    // --- operations -----------------------------------------------------------------------------------------------

    void emitCollective(Collective collective, DeviceValueId from, DeviceValueId to, const Reason& reason)
    {
        DeviceOp op;
        op.action = std::move(collective);
        op.operands.push_back(from);
        op.results.push_back(to);
        op.reason = reason;
        op.origin = m_out.values[from.index].origin;
        m_out.ops.push_back(std::move(op));
    }

    /// The last step writes `last`, or a new form if that is invalid. Without steps, `from` itself.
    DeviceValueId emitSteps(DeviceValueId from, const TensorSharding& target, const Reason& reason, DeviceValueId last)
    {
        const ValueId origin = m_out.values[from.index].origin;
        const Reshard reshard{ m_program.value(origin).type, m_out.values[from.index].sharding, target, &m_mesh };
        std::vector<ReshardStep> steps = m_optimalReshards ? optimalSteps(reshard) : shardySteps(reshard);
        for (std::size_t i = 0; i < steps.size(); ++i) {
            const bool writesLast = i + 1 == steps.size() && last.valid();
            const DeviceValueId to = writesLast ? last : addValue(origin, std::move(steps[i].after));
            emitCollective(std::move(steps[i].collective), from, to, reason);
            from = to;
        }
        return from;
    }

    void emitCompute(OperationId id, SmallVector<DeviceValueId, 4> operands, DeviceValueId result)
    {
        DeviceOp op;
        op.action = id;
        op.operands = std::move(operands);
        op.results.push_back(result);
        op.origin = m_out.values[result.index].origin;
        m_out.ops.push_back(std::move(op));
    }

    Result<void> visit(OperationId id)
    {
        const Operation& operation = m_program.operation(id);
        const ValueId result = operation.results[0];
        if (follows(result))
            return {}; // made where it is needed
        m_made[result.index] = true;
        if (operation.kind == OpKind::ShardingConstraint) {
            const Reason reason{ Reason::Kind::ConstraintReshard, id, -1, 0 };
            const TensorSharding target = own(result);
            emitCompute(id, { obtain(operation.operands[0], target, reason) }, DeviceValueId(result.index));
            return {};
        }
        if (agreesElementwise(operation)) {
            const TensorSharding sharding = own(result);
            SmallVector<DeviceValueId, 4> operands;
            for (std::size_t i = 0; i < operation.operands.size(); ++i) {
                const Reason reason{ Reason::Kind::OperandReshard, id, -1, static_cast<std::int32_t>(i) };
                const bool spread = m_program.value(operation.operands[i]).type.rank() == 0;
                operands.push_back(obtain(operation.operands[i], spread ? TensorSharding() : sharding, reason));
            }
            emitCompute(id, std::move(operands), DeviceValueId(result.index));
            return {};
        }
        const FactorRule rule = factorRule(m_program, operation);
        return rule.factors.empty() ? visitWhole(id) : visitSharded(id, rule);
    }

    /// The usual case, without looking at factors: everything that has a say is sharded as the result is.
    bool agreesElementwise(const Operation& operation) const
    {
        const TensorSharding& sharding = own(operation.results[0]);
        return opRow(operation.kind).elementwise && sharding.unreduced.empty()
            && std::all_of(operation.operands.begin(), operation.operands.end(), [&](ValueId operand) {
                   return m_program.value(operand).type.rank() == 0 || own(operand).isEquivalent(sharding)
                       || follows(operand);
               });
    }

    /// An operation without factors works on full arrays.
    Result<void> visitWhole(OperationId id)
    {
        const Operation& operation = m_program.operation(id);
        SmallVector<DeviceValueId, 4> operands;
        for (std::size_t i = 0; i < operation.operands.size(); ++i) {
            const ValueId operand = operation.operands[i];
            operands.push_back(obtain(operand, TensorSharding::fullyReplicated(m_program.value(operand).type.rank()),
                { Reason::Kind::OperandReshard, id, -1, static_cast<std::int32_t>(i) }));
        }
        const ValueId result = operation.results[0];
        const TensorSharding full = TensorSharding::fullyReplicated(m_program.value(result).type.rank());
        emitResult(id, std::move(operands), full, {}, -1);
        return {};
    }

    Result<void> visitSharded(OperationId id, const FactorRule& rule)
    {
        const Operation& operation = m_program.operation(id);
        const ValueId result = operation.results[0];
        m_tensors.clear();
        for (const ValueId operand : operation.operands)
            m_tensors.push_back({ &own(operand), m_program.value(operand).type.elementCount(), follows(operand) });
        const TensorInOperation resultTensor{ &own(result), m_program.value(result).type.elementCount(), false };
        const CommonSharding common = commonSharding(rule, m_tensors, std::span(&resultTensor, 1),
            { .executable = true, .axesWithoutSource = operation.kind == OpKind::BroadcastInDim });

        std::int32_t reducedFactor = -1;
        for (std::size_t f = 0; f < rule.factors.size(); ++f) {
            if (rule.factors[f].kind != FactorKind::Reduction || common.factors[f].empty())
                continue;
            reducedFactor = reducedFactor < 0 ? static_cast<std::int32_t>(f) : reducedFactor;
            if (rule.factors[f].size % product(common.factors[f]) != 0)
                return unevenReduction(operation, rule, f, product(common.factors[f]));
        }
        SmallVector<DeviceValueId, 4> operands;
        for (std::size_t i = 0; i < operation.operands.size(); ++i)
            operands.push_back(obtain(operation.operands[i], common.operands[i],
                { Reason::Kind::OperandReshard, id, -1, static_cast<std::int32_t>(i) }));
        emitResult(id, std::move(operands), common.results[0], common.partial, reducedFactor);
        return {};
    }

    /// The operation itself, an all-reduce over what it left partial, and the way to the result's own sharding.
    void emitResult(OperationId id, SmallVector<DeviceValueId, 4> operands, const TensorSharding& computed,
        const AxisList& partial, std::int32_t factor)
    {
        const ValueId result = m_program.operation(id).results[0];
        const DeviceValueId final(result.index);
        const bool same = computed.isEquivalent(own(result));
        if (same && partial.empty())
            return emitCompute(id, std::move(operands), final);
        TensorSharding sharding = closed(computed);
        sharding.unreduced = partial;
        DeviceValueId current = addValue(result, sharding);
        emitCompute(id, std::move(operands), current);
        if (!partial.empty()) {
            Collective collective;
            collective.kind = CollectiveKind::AllReduce;
            collective.axes = partial;
            if (const auto* reduce = std::get_if<ReduceAttributes>(&m_program.operation(id).attributes))
                collective.reduction = reduce->kind;
            collective.sentBytes =
                ringBytes(collective.kind, product(partial), m_out.value(current).localType.byteCount());
            sharding.unreduced.clear();
            const DeviceValueId reduced = same ? final : addValue(result, sharding);
            emitCollective(std::move(collective), current, reduced, { Reason::Kind::ReducedFactor, id, factor, 0 });
            current = reduced;
        }
        if (!same) {
            const TensorSharding target = own(result);
            emitSteps(current, target, { Reason::Kind::ResultReshard, id, -1, 0 }, final);
        }
    }

    tl::unexpected<Error> unevenReduction(
        const Operation& operation, const FactorRule& rule, std::size_t factor, std::int64_t shards) const
    {
        // The operand and dimension that the factor runs over.
        std::size_t operand = 0;
        std::size_t dimension = 0;
        for (std::size_t o = rule.operands.size(); o-- > 0;)
            for (std::size_t d = rule.operands[o].size(); d-- > 0;)
                if (std::find(rule.operands[o][d].begin(), rule.operands[o][d].end(), static_cast<std::int32_t>(factor))
                    != rule.operands[o][d].end()) {
                    operand = o;
                    dimension = d;
                }
        const Value& value = m_program.value(operation.operands[operand]);
        const std::int64_t size = rule.factors[factor].size;
        const std::string& path = value.path.empty() ? m_program.value(operation.results[0]).path : value.path;
        return fail(Code::NotExecutable,
            { { "op", opRow(operation.kind).name }, { "operand", operand }, { "dim", dimension }, { "size", size },
                { "partitions", shards } },
            { {}, 0, 0, {}, path, static_cast<int>(dimension) });
    }

    // --- results of main ------------------------------------------------------------------------------------------

    void returnResults()
    {
        const std::vector<ValueId>& returned = m_program.main().results;
        std::vector<ValueId> replaced(returned.size()); // per result: the argument of the state, if any
        for (auto pair = m_program.state.rbegin(); pair != m_program.state.rend(); ++pair)
            if (pair->result < replaced.size())
                replaced[pair->result] = pair->argument;
        for (std::size_t r = 0; r < returned.size(); ++r) {
            const ValueId value = returned[r];
            // What replaces an argument comes back as the argument will be expected.
            const TensorSharding target = replaced[r].valid()
                ? own(replaced[r])
                : resultSharding(r < m_input.results.size() && m_input.results[r] ? &*m_input.results[r] : nullptr,
                    m_shardings.shardings[value.index], m_program.value(value).type.shape, m_mesh);
            m_out.results.push_back(
                obtain(value, target, { Reason::Kind::ReturnReshard, {}, -1, static_cast<std::int32_t>(r) }));
        }
    }

    const PropagationInput& m_input;
    const PropagationResult& m_shardings;
    const Program& m_program;
    const Mesh& m_mesh;
    bool m_optimalReshards;
    DeviceProgram m_out;
    std::vector<bool> m_made; ///< per program value: its own form has been computed
    std::vector<std::uint32_t> m_firstForm; ///< per program value: list of further forms
    std::vector<std::uint32_t> m_nextForm; ///< per device value
    std::vector<TensorInOperation> m_tensors;
};

} // namespace

Result<DeviceProgram> partition(const PropagationInput& input, const PropagationResult& shardings, bool optimalReshards)
{
    return Partitioner(input, shardings, optimalReshards).run();
}

} // namespace shardscope
