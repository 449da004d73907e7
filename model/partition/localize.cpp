// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in device_program.h.
#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/codes.h"
#include "partition/collective_axes.h"
#include "partition/device_program.h"
#include "partition/halo_lowering.h"
#include "partition/lower_collectives.h"
#include "partition/partial_axes.h"
#include "partition/stated_sizes.h"
#include "program/device_counts.h"
#include "program/editor.h"
#include "program/op_row.h"
#include "program/other_attributes.h"
#include "program/over_mesh.h"
#include "program/partial_values.h"
#include "program/value_shardings.h"
#include "program/verify_findings.h"

namespace shardscope {

namespace {

bool isSplat(const ConstantAttributes& constant, DType dtype)
{
    return constant.bytes ? static_cast<std::int64_t>(constant.bytes->size()) == byteSize(dtype)
                          : constant.values.size() == 1;
}

class Localizer {
public:
    Localizer(const Program& program, const TrueShapes& trueShapes)
        : m_sharded(program)
        , m_valueShardings(program)
        , m_edit(program)
        , m_trueShapes(trueShapes)
    {
    }

    Result<DeviceProgram> run() &&
    {
        const std::optional<std::uint32_t> mesh = mainMesh(m_edit.program());
        if (!mesh)
            return fail(Code::MissingMesh);
        m_mesh = m_edit.program().meshes[*mesh].mesh;
        findShardings();
        DeviceProgram out;
        out.mesh = m_mesh;
        describeMain(out);
        setLocalTypes();

        std::vector<OperationId> order;
        for (const RegionId body : bodies(m_edit.program()))
            walkInnerFirst(m_edit.program(), body, [&](OperationId id) { order.push_back(id); });
        for (const OperationId id : order) {
            const std::size_t first = m_edit.program().operations.size();
            SHARDSCOPE_CHECK(visit(id));
            for (std::size_t i = first; i < m_edit.program().operations.size(); ++i)
                out.origins.emplace_back(OperationId(i), id);
        }
        inlineComputations(order);
        describePadding(out);
        out.program = std::move(m_edit).finish();
        forgetShardings(out.program);
        labelCollectives(out.program, *m_mesh);
        return out;
    }

private:
    struct LocalShape {
        Shared<Shape> full, local;
    };

    void findShardings()
    {
        m_shardings.reserve(m_sharded.values.size());
        m_types.reserve(m_sharded.values.size());
        for (std::size_t i = 0; i < m_sharded.values.size(); ++i) {
            m_types.push_back(m_sharded.values[i].type);
            m_shardings.push_back(m_valueShardings.of(ValueId(i)));
        }
    }

    [[nodiscard]] bool isSharded(ValueId value) const
    {
        const auto& current = m_shardings[value.index];
        return current && !current->sharding.isFullyReplicated();
    }
    [[nodiscard]] TensorSharding shardingOf(ValueId value) const
    {
        const auto& current = m_shardings[value.index];
        return current ? current->sharding : TensorSharding::fullyReplicated(m_types[value.index].rank());
    }
    [[nodiscard]] ReduceKind unreducedKindOf(ValueId value) const
    {
        const auto& current = m_shardings[value.index];
        return current ? current->unreducedKind : ReduceKind::Sum;
    }
    [[nodiscard]] TensorType localType(ValueId value) const
    {
        TensorType type = m_types[value.index];
        if (!isTensor(type.dtype) || !isSharded(value))
            return type;
        LocalShape& known = m_localShapes[m_shardings[value.index]];
        if (!(known.full == type.shape))
            known = { type.shape, shardShape(m_shardings[value.index]->sharding, type.shape) };
        type.shape = known.local;
        return type;
    }

    void describeMain(DeviceProgram& out) const
    {
        const Program& program = m_edit.program();
        const Region& body = program.main();
        const auto array = [&](ValueId value) {
            return ShardedArray{ withoutPadding(value), shardingOf(value), unreducedKindOf(value), otherMeshOf(value) };
        };
        for (const ValueId argument : body.arguments)
            out.inputs.push_back(array(argument));
        for (const ValueId result : body.results)
            out.outputs.push_back(array(result));
    }
    /// Null where it is the main one.
    [[nodiscard]] MeshPtr otherMeshOf(ValueId value) const
    {
        const auto& current = m_shardings[value.index];
        const MeshPtr& mesh = current ? m_edit.program().meshes[current->mesh].mesh : m_mesh;
        return mesh->rank() == 0 || *mesh == *m_mesh ? nullptr : mesh;
    }
    [[nodiscard]] const Mesh& meshAt(std::uint32_t index) const
    {
        const Mesh& mesh = *m_edit.program().meshes[index].mesh;
        return mesh.rank() == 0 ? *m_mesh : mesh;
    }
    [[nodiscard]] TensorType withoutPadding(ValueId value) const
    {
        return typeAsSharded(m_trueShapes, m_edit.program(), value, shardingOf(value));
    }

    void describePadding(DeviceProgram& out) const
    {
        const auto add = [&](ValueId current, ValueId value) {
            if (const auto found = m_trueShapes.find(value); found != m_trueShapes.end())
                out.padding.emplace(
                    current, PaddedShard{ found->second, m_types[value.index].shape, shardingOf(value) });
        };
        out.padding.reserve(m_trueShapes.size());
        for (const auto& [value, shape] : m_trueShapes)
            add(value, value);
        for (const auto& [current, value] : m_stands)
            add(current, value);
    }

    void setLocalTypes()
    {
        for (std::size_t i = 0; i < m_types.size(); ++i)
            m_edit.raw().values[i].type = localType(ValueId(i));
    }

    Result<void> visit(OperationId id)
    {
        SHARDSCOPE_CHECK(checkParts(id));
        switch (m_edit.operation(id).kind) {
        case OpKind::Constant:
        case OpKind::SdyConstant:
        case OpKind::Iota:
            return localizeGenerated(id);
        case OpKind::Reshard:
            return reshard(id);
        case OpKind::SdyAllGather:
        case OpKind::SdyAllReduce:
        case OpKind::SdyAllSlice:
        case OpKind::SdyAllToAll:
        case OpKind::SdyCollectivePermute:
        case OpKind::SdyReduceScatter:
        case OpKind::ShardedToUnreduced:
        case OpKind::ReplicatedToUnreduced:
            return lower(id);
        case OpKind::ShardingConstraint:
        case OpKind::DataFlowEdge:
        case OpKind::FuncDataFlowEdge:
        case OpKind::PropagationBarrier:
            return bypass(id);
        case OpKind::ShardingGroup:
            m_edit.erase(id);
            return {};
        default:
            fitAttributes(id);
            return exchangeHalos(id);
        }
    }

    /// A result that is to be a sum's parts is one: an operand is, or the operation sums over a dimension that is
    /// sharded.
    Result<void> checkParts(OperationId id) const
    {
        const Operation& operation = m_edit.operation(id);
        const ProgramSharding* made = operation.results.empty() ? nullptr : heldBy(operation.results[0]);
        if (!made || made->unreducedKind != ReduceKind::Sum || made->sharding.unreduced.empty()
            || (passesPartsThrough(operation.kind) && operation.kind != OpKind::SdyConstant)
            || isZero(m_edit.program(), operation.results[0]))
            return {};
        AxisList full;
        for (const AxisRef axis : made->sharding.unreduced)
            if (!isPartialAlong(operation, axis) && !sumsAlong(operation, axis))
                full.push_back(axis);
        if (full.empty())
            return {};
        const std::string axes =
            verification::axesText(m_edit.program().meshes[made->mesh], { full.data(), full.size() });
        return tl::unexpected<Error>(verification::diagnosticAt(m_edit.program(), Code::UnreducedAxes,
            { { "wrong", "whole" }, { "axes", axes } },
            { .operation = id, .role = "result", .value = operation.results[0] }));
    }
    [[nodiscard]] const ProgramSharding* heldBy(ValueId value) const
    {
        const ValueId origin = originOf(value);
        return origin.index < m_shardings.size() ? m_shardings[origin.index] : nullptr;
    }
    [[nodiscard]] static bool hasPartOf(const AxisList& axes, AxisRef axis)
    {
        return std::any_of(axes.begin(), axes.end(), [&](AxisRef other) { return overlaps(other, axis); });
    }
    [[nodiscard]] bool isPartialAlong(const Operation& operation, AxisRef axis) const
    {
        return std::any_of(operation.operands.begin(), operation.operands.end(), [&](ValueId operand) {
            const ProgramSharding* current = heldBy(operand);
            return current && hasPartOf(current->sharding.unreduced, axis);
        });
    }
    [[nodiscard]] bool sumsAlong(const Operation& operation, AxisRef axis) const
    {
        return hasPartOf(summedAxes(m_edit.program(), operation, [&](ValueId value) { return heldBy(value); }), axis);
    }

    /// What an operation reads beyond the device's block is brought there; along that dimension nothing is left to it
    /// but what is the same on every device.
    Result<void> exchangeHalos(OperationId id)
    {
        const auto current = [&](ValueId value) { return heldBy(value); };
        const auto tensors = haloTensors(
            m_edit.program(), m_edit.operation(id), [&](ValueId value) { return fullType(originOf(value)); }, current);
        if (!tensors)
            return {};
        const std::vector<HaloDimension> dimensions = haloDimensions(m_edit.operation(id), *tensors);
        if (dimensions.empty())
            return {};
        const Operation operation = m_edit.operation(id); // new ones move it
        const Mesh& mesh = *m_edit.program().meshes[tensors->mesh].mesh;
        HaloLowering lowering(m_edit, mesh, id);
        if (operation.kind == OpKind::Concatenate) {
            const HaloDimension& one = dimensions.front();
            return replace(id, lowering.exchange(operation.operands, one.dimension, one.axes, one.plan));
        }
        Attributes attributes = operation.attributes;
        for (const HaloDimension& one : dimensions)
            attributes = haloAttributes(attributes, one);
        const std::size_t inputs = haloInputs(operation);
        for (std::size_t i = 0; i < inputs; ++i) {
            ValueId fill;
            if (operation.kind == OpKind::Pad || operation.kind == OpKind::ReduceWindow)
                fill = operation.operands[inputs + i];
            ValueId value = operation.operands[i];
            for (const HaloDimension& one : dimensions)
                value = lowering.exchange(std::array{ value }, one.dimension, one.axes, one.plan, fill);
            m_edit.setOperand(id, i, value);
        }
        m_edit.raw().operations[id.index].attributes = std::move(attributes);
        return {};
    }
    [[nodiscard]] TensorType fullType(ValueId value) const
    {
        return value.index < m_types.size() ? m_types[value.index] : m_edit.value(value).type;
    }

    /// Constants and numbered dimensions are made in full where their elements differ, and sliced.
    Result<void> localizeGenerated(OperationId id)
    {
        const ValueId result = m_edit.result(id);
        if (m_edit.operation(id).kind == OpKind::SdyConstant)
            m_edit.raw().operations[id.index].kind = OpKind::Constant;
        if (!isSharded(result))
            return {};
        const TensorType full = m_types[result.index];
        const Operation& operation = m_edit.operation(id);
        TensorSharding sharded = m_shardings[result.index]->sharding;
        if (const auto* constant = std::get_if<ConstantAttributes>(&operation.attributes)) {
            if (isSplat(*constant, full.dtype))
                return {};
        } else if (const auto* iota = std::get_if<IotaAttributes>(&operation.attributes)) {
            if (sharded.dims[static_cast<std::size_t>(iota->dimension)].axes.empty())
                return {};
            return slicedIota(id, iota->dimension, sharded);
        }
        const ValueId made =
            m_edit.result(m_edit.add(operation.kind, {}, std::array{ full }, operation.attributes, id));
        m_edit.placeBefore(id, m_edit.value(made).definition);
        return replace(id, emitSlice(made, sharded, m_shardings[result.index]->mesh, id));
    }

    /// A numbered line of the full length, sliced, and spread over the local shape.
    Result<void> slicedIota(OperationId id, std::int64_t dimension, const TensorSharding& sharded)
    {
        const ValueId result = m_edit.result(id);
        const TensorType full = m_types[result.index];
        const auto d = static_cast<std::size_t>(dimension);
        const TensorType line{ full.dtype, Shape{ full.shape[d] } };
        const OperationId numbers = m_edit.add(OpKind::Iota, {}, std::array{ line }, IotaAttributes{ 0 }, id);
        m_edit.placeBefore(id, numbers);
        TensorSharding lineSharding = TensorSharding::fullyReplicated(1);
        lineSharding.dims[0].axes = sharded.dims[d].axes;
        const ValueId shard = emitSlice(m_edit.result(numbers), lineSharding, m_shardings[result.index]->mesh, id);
        const OperationId spread = m_edit.add(OpKind::BroadcastInDim, std::array{ shard },
            std::array{ m_edit.value(result).type }, BroadcastAttributes{ Dimensions{ dimension } }, id);
        m_edit.placeBefore(id, spread);
        return replace(id, m_edit.result(spread));
    }

    /// The shard of a value that every device holds in full.
    ValueId emitSlice(ValueId full, const TensorSharding& sharding, std::uint32_t mesh, OperationId before)
    {
        std::vector<AxisList> axes;
        for (const DimensionSharding& dim : sharding.dims)
            axes.push_back(dim.axes);
        return CollectiveLowering(m_edit, meshAt(mesh), before, m_tables[mesh]).slice(full, axes);
    }

    Result<void> replace(OperationId id, ValueId with)
    {
        if (with.index >= m_types.size())
            m_stands.emplace(with, m_edit.result(id));
        m_edit.replaceUses(m_edit.result(id), with);
        m_edit.erase(id);
        return {};
    }

    Result<void> bypass(OperationId id) { return replace(id, m_edit.operation(id).operands[0]); }

    /// What the pass after reshards left: nothing to do, or nothing that can be done.
    Result<void> reshard(OperationId id)
    {
        const Operation& operation = m_edit.operation(id);
        const ValueId operand = operation.operands[0];
        if (operand.index < m_shardings.size() && shardingOf(operand).isEquivalent(shardingOf(operation.results[0])))
            return bypass(id);
        return fail(Code::NotExecutable, { { "op", qualifiedName(operation) } });
    }

    Result<void> lower(OperationId id)
    {
        const Operation operation = m_edit.operation(id);
        const auto& collective = *attributesAs<SdyCollectiveAttributes>(operation.attributes);
        const ValueId operand = operation.operands[0];
        const bool makesParts =
            operation.kind == OpKind::ShardedToUnreduced || operation.kind == OpKind::ReplicatedToUnreduced;
        if (makesParts && collective.out.unreducedKind != ReduceKind::Sum) // zeros are parts of sums alone
            return fail(Code::NotExecutable, { { "op", qualifiedName(operation) } });
        const std::uint32_t mesh = collective.out.mesh;
        CollectiveLowering lowering(m_edit, meshAt(mesh), id, m_tables[mesh]);
        ValueId result;
        switch (operation.kind) {
        case OpKind::SdyAllGather:
            result = lowering.gather(operand, collective.axesPerDimension);
            break;
        case OpKind::SdyAllSlice:
            result = lowering.slice(operand, collective.axesPerDimension);
            break;
        case OpKind::SdyReduceScatter:
            result = lowering.reduceScatter(operand, collective.axesPerDimension, collective.kind);
            break;
        case OpKind::SdyAllReduce:
            result = lowering.reduce(operand, collective.axes, collective.kind);
            break;
        case OpKind::SdyAllToAll:
            result = lowering.exchange(operand, collective.moves);
            break;
        case OpKind::ShardedToUnreduced:
            result = lowering.spread(operand, collective.axesPerDimension);
            break;
        case OpKind::ReplicatedToUnreduced:
            result = lowering.keepFirst(operand, collective.axes);
            break;
        default: {
            const auto& from = m_shardings[originOf(operand).index];
            const auto& to = m_shardings[operation.results[0].index];
            if (!from || !to)
                return fail(Code::NotExecutable, { { "op", qualifiedName(operation) } });
            const Program& program = m_edit.program();
            const Shape& shape = m_types[operation.results[0].index].shape;
            result = lowering.permute(operand, Layout(program.meshes[from->mesh].mesh, from->sharding, shape),
                Layout(program.meshes[to->mesh].mesh, to->sharding, shape));
            break;
        }
        }
        return replace(id, result);
    }

    /// The value of the given program that a value of the lowered one stands for.
    [[nodiscard]] ValueId originOf(ValueId value) const
    {
        const auto found = m_stands.find(value);
        return found == m_stands.end() ? value : found->second;
    }

    /// Sizes that attributes name: a full dimension is a full local dimension.
    void fitAttributes(OperationId id)
    {
        Operation& operation = m_edit.raw().operations[id.index];
        if (operation.operands.empty() || !hasOtherAttributes(operation))
            return;
        const ValueId operand = originOf(operation.operands[0]);
        if (operand.index >= m_types.size() || !isSharded(operand))
            return;
        const Shape& full = m_types[operand.index].shape;
        fitStatedSizes(operation, full, localType(operand).shape);
    }
    static bool hasOtherAttributes(const Operation& operation)
    {
        return std::holds_alternative<SharedAttributes>(operation.attributes);
    }

    /// Manual and named computations: their bodies are what the device does.
    void inlineComputations(const std::vector<OperationId>& order)
    {
        m_edit.commit();
        for (const OperationId id : order) {
            if (m_edit.isErased(id))
                continue;
            const Operation operation = m_edit.operation(id);
            if (!isComputation(operation.kind))
                continue;
            const Region body = m_edit.region(operation.regions[0]);
            for (std::size_t i = 0; i < body.arguments.size(); ++i)
                m_edit.replaceUses(body.arguments[i], operation.operands[i]);
            const std::vector<ValueId> results = m_edit.region(operation.regions[0]).results;
            m_edit.moveOperations(operation.regions[0], m_edit.regionOf(id), id);
            for (std::size_t i = 0; i < results.size(); ++i)
                m_edit.replaceUses(operation.results[i], results[i]);
            m_edit.erase(id);
            m_edit.commit();
        }
    }

    void forgetShardings(Program& program) const
    {
        program.valueShardings.clear();
        program.unmatchedShardings.clear();
        program.shardings.clear();
        program.meshes.clear();
        program.argumentAnnotations.assign(program.argumentAnnotations.size(), {});
        program.resultAnnotations.assign(program.resultAnnotations.size(), {});
        for (Function& function : program.functions)
            function.resultShardings.clear();
        for (Dictionary& dictionary : program.dictionaries) // of XLA: what a device has is not sharded any further
            std::erase_if(dictionary, [](const NamedText& entry) { return entry.name == "mhlo.sharding"; });
        DeviceCounts counts = addressedDevices(m_sharded); // of a program that is what each device runs already
        if (counts.all() == 1 || m_mesh->deviceCount() > 1)
            counts = { 1, m_mesh->deviceCount() };
        Dictionary counted{ { "mhlo.num_partitions", std::to_string(counts.partitions) + " : i32" },
            { "mhlo.num_replicas", std::to_string(counts.replicas) + " : i32" } };
        program.dictionaries.push_back(std::move(counted));
        program.extra = static_cast<std::uint32_t>(program.dictionaries.size() - 1);
    }

    const Program& m_sharded;
    const ValueShardings m_valueShardings;
    Editor m_edit;
    MeshPtr m_mesh;
    // Of the given program, by ValueId.
    std::vector<const ProgramSharding*> m_shardings; ///< null: everything on every device
    std::vector<TensorType> m_types; ///< global
    mutable std::unordered_map<const ProgramSharding*, LocalShape> m_localShapes; ///< the last of each sharding
    std::unordered_map<ValueId, ValueId> m_stands;
    const TrueShapes& m_trueShapes;
    std::unordered_map<std::uint32_t, LoweringTables> m_tables; ///< by mesh
};

} // namespace

Result<DeviceProgram> localize(const Program& program, const TrueShapes& trueShapes)
{
    return Localizer(program, trueShapes).run();
}

} // namespace shardscope
