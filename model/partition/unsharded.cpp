// SPDX-License-Identifier: GPL-3.0-or-later
#include "partition/unsharded.h"

#include <algorithm>
#include <optional>
#include <set>

#include "program/calls.h"
#include "program/editor.h"
#include "program/function_names.h"
#include "program/other_attributes.h"
#include "program/parallel_call.h"
#include "program/value_shardings.h"
#include "propagation/import/manual_regions.h"

namespace shardscope {

namespace {

DeviceProgram sameOnAll(Program program, const DeviceCounts& devices)
{
    DeviceProgram same;
    same.replicas = devices.replicas;
    const std::int64_t count = devices.all();
    same.mesh = std::make_shared<const Mesh>(count > 1 ? *Mesh::create({ { "device", count } }) : Mesh());
    const auto add = [&](std::vector<ShardedArray>& list, ValueId value) {
        const TensorType& type = program.value(value).type;
        list.push_back({ type, TensorSharding::fullyReplicated(type.rank()), ReduceKind::Sum, {} });
    };
    for (const ValueId argument : program.main().arguments)
        add(same.inputs, argument);
    for (const ValueId result : program.main().results)
        add(same.outputs, result);
    same.program = std::move(program);
    return same;
}

/// A run_parallel becomes what all devices do: each takes its own operands, calls the function, and gets the results of
/// all.
class ParallelCalls {
public:
    explicit ParallelCalls(Program program)
        : m_edit(std::move(program))
    {
    }

    Program lower(OperationId id, const ParallelCall& call)
    {
        const Operation operation = m_edit.operation(id);
        m_like = id;
        m_replicas = call.replicas;
        m_partitions = call.partitions;
        const Region& body = m_edit.region(call.function->body);
        const std::size_t taken = body.arguments.size(), made = body.results.size();
        const OperationId called = addOperation(OpKind::Call, ownOperands(operation, taken), typesOf(body.results),
            otherAttributes(CallAttributes{ call.function->name }));
        for (std::size_t r = 0; r < made; ++r) {
            const ValueId own = m_edit.result(called, r);
            const bool isArray = isTensor(m_edit.value(own).type.dtype);
            const ValueId all = isArray ? gathered(own) : ValueId();
            const TensorType type = m_edit.value(own).type; // what is added moves the values
            for (std::int64_t device = 0; device < count(); ++device) {
                const ValueId result = operation.results[static_cast<std::size_t>(device) * made + r];
                m_edit.replaceUses(result, isArray ? ofDevice(all, device, type) : own);
            }
        }
        m_edit.erase(id);
        return std::move(m_edit).finish();
    }

private:
    [[nodiscard]] std::int64_t count() const { return m_replicas * m_partitions; }
    [[nodiscard]] std::vector<TensorType> typesOf(const std::vector<ValueId>& values) const
    {
        std::vector<TensorType> types;
        for (const ValueId value : values)
            types.push_back(m_edit.value(value).type);
        return types;
    }
    OperationId addOperation(
        OpKind kind, const std::vector<ValueId>& operands, const std::vector<TensorType>& types, Attributes attributes)
    {
        const OperationId made = m_edit.add(kind, operands, types, std::move(attributes), m_like);
        m_edit.placeBefore(m_like, made);
        return made;
    }
    ValueId addValue(
        OpKind kind, const std::vector<ValueId>& operands, const TensorType& type, Attributes attributes = {})
    {
        return m_edit.result(addOperation(kind, operands, { type }, std::move(attributes)));
    }

    /// replica * partitions + partition, as a signed number.
    ValueId deviceNumber()
    {
        const TensorType number{ DType::U32, {} };
        ConstantAttributes partitions;
        partitions.values = std::vector<double>{ static_cast<double>(m_partitions) };
        const ValueId rows = addValue(OpKind::Multiply,
            { addValue(OpKind::ReplicaId, {}, number), addValue(OpKind::Constant, {}, number, partitions) }, number);
        const ValueId place = addValue(OpKind::Add, { rows, addValue(OpKind::PartitionId, {}, number) }, number);
        return addValue(OpKind::Convert, { place }, { DType::I32, {} });
    }

    /// What the device takes of all operands: chosen by its number. Tokens are the same on all.
    std::vector<ValueId> ownOperands(const Operation& operation, std::size_t taken)
    {
        std::vector<ValueId> own(operation.operands.begin(), operation.operands.begin() + static_cast<long>(taken));
        std::vector<std::size_t> arrays;
        std::vector<TensorType> types;
        for (std::size_t i = 0; i < taken; ++i)
            if (isTensor(m_edit.value(own[i]).type.dtype)) {
                arrays.push_back(i);
                types.push_back(m_edit.value(own[i]).type);
            }
        if (arrays.empty())
            return own;
        const OperationId chosen = addOperation(OpKind::Case, { deviceNumber() }, types, {});
        for (std::int64_t device = 0; device < count(); ++device) {
            const RegionId region = m_edit.addRegion(chosen);
            for (const std::size_t i : arrays)
                m_edit.raw().regions[region.index].results.push_back(
                    operation.operands[static_cast<std::size_t>(device) * taken + i]);
        }
        for (std::size_t i = 0; i < arrays.size(); ++i)
            own[arrays[i]] = m_edit.result(chosen, i);
        return own;
    }

    ValueId gathered(ValueId own)
    {
        TensorType row = m_edit.value(own).type;
        row.shape.insert(row.shape.begin(), 1);
        TensorType all = row;
        all.shape[0] = count();
        CollectiveAttributes gather;
        gather.useGlobalDeviceIds = true;
        gather.channelId = 1;
        gather.groups.emplace_back();
        for (std::int64_t device = 0; device < count(); ++device)
            gather.groups[0].push_back(device);
        return addValue(
            OpKind::AllGather, { addValue(OpKind::Reshape, { own }, row) }, all, otherAttributes(std::move(gather)));
    }

    ValueId ofDevice(ValueId all, std::int64_t device, const TensorType& type)
    {
        const Shape shape = m_edit.value(all).type.shape;
        Dimensions starts(shape.size(), 0), limits(shape.begin(), shape.end());
        starts[0] = device;
        limits[0] = device + 1;
        SliceAttributes slice{ starts, limits, Dimensions(shape.size(), 1) };
        TensorType row = m_edit.value(all).type;
        row.shape[0] = 1;
        return addValue(
            OpKind::Reshape, { addValue(OpKind::Slice, { all }, row, otherAttributes(std::move(slice))) }, type);
    }

    Editor m_edit;
    OperationId m_like;
    std::int64_t m_replicas = 1, m_partitions = 1;
};

void replaceByOperand(Editor& edit, OperationId id)
{
    const Operation operation = edit.operation(id);
    edit.replaceUses(operation.results[0], operation.operands[0], id);
    edit.erase(id);
}

/// The manual axes of its shardings alone: `{"m", "x"}` with m manual becomes `{"m"}`.
void forgetFreeAxes(Editor& edit, OperationId id)
{
    ManualComputationAttributes own = *attributesAs<ManualComputationAttributes>(edit.operation(id).attributes);
    for (std::vector<ProgramSharding>* list : { &own.in, &own.out })
        for (ProgramSharding& sharding : *list) {
            const Mesh& mesh = *edit.program().meshes[sharding.mesh].mesh;
            const auto isFree = [&](const AxisRef& axis) {
                const std::string& name = mesh.axis(static_cast<std::size_t>(axis.axis)).name;
                return std::find(own.manualAxes.begin(), own.manualAxes.end(), name) == own.manualAxes.end();
            };
            TensorSharding manual = TensorSharding::fullyReplicated(sharding.sharding.rank());
            for (std::size_t d = 0; d < manual.rank(); ++d)
                for (const AxisRef& axis : sharding.sharding.dims[d].axes)
                    if (!isFree(axis))
                        manual.dims[d].axes.push_back(axis);
            for (const AxisRef& axis : sharding.sharding.unreduced)
                if (!isFree(axis))
                    manual.unreduced.push_back(axis);
            sharding.sharding = std::move(manual);
        }
    edit.raw().operations[id.index].attributes = otherAttributes(std::move(own));
}

/// In a manual computation devices have full arrays along all axes that are not manual: Shardy's collectives along
/// these pass their operand through, and no array there is sharded. An all_reduce adds up along those that are manual.
/// `seen` are the bodies that are dealt with already, and those of called functions from here on.
void passThroughAlongFreeAxes(Editor& edit, const FunctionNames& names, std::set<RegionId>& seen, RegionId body,
    const std::vector<std::string>& manualAxes)
{
    std::vector<std::pair<OperationId, const std::vector<std::string>*>> collectives;
    std::vector<OperationId> computations; // inside of this one
    std::vector<OperationId> constraints, groups;
    std::vector<std::vector<std::string>> nested;
    nested.reserve(edit.program().operations.size());
    const auto clear = [&](ValueId value) { edit.clearSharding(value); };
    const auto visit = [&](auto self, RegionId region, const std::vector<std::string>& manual) -> void {
        if (!seen.insert(region).second)
            return;
        std::for_each(edit.region(region).arguments.begin(), edit.region(region).arguments.end(), clear);
        for (const OperationId id : edit.region(region).operations) {
            const Operation& operation = edit.operation(id);
            std::for_each(operation.results.begin(), operation.results.end(), clear);
            if (isShardyCollective(operation.kind))
                collectives.emplace_back(id, &manual);
            else if (changesOnlySharding(operation.kind))
                constraints.push_back(id);
            else if (operation.kind == OpKind::ShardingGroup)
                groups.push_back(id);
            if (const std::string* callee = calleeOf(operation))
                if (const Function* function = names.find(edit.program(), *callee))
                    self(self, function->body, manual);
            const std::vector<std::string>* inside = &manual;
            if (operation.kind == OpKind::ManualComputation) {
                computations.push_back(id);
                nested.push_back(manual);
                const auto& more = attributesAs<ManualComputationAttributes>(operation.attributes)->manualAxes;
                nested.back().insert(nested.back().end(), more.begin(), more.end());
                inside = &nested.back();
            }
            for (const RegionId inner : operation.regions)
                self(self, inner, *inside);
        }
    };
    visit(visit, body, manualAxes);
    for (const OperationId id : constraints)
        replaceByOperand(edit, id);
    for (const OperationId id : groups)
        edit.erase(id);
    for (const OperationId id : computations)
        forgetFreeAxes(edit, id);
    for (const auto& [id, manual] : collectives) {
        SdyCollectiveAttributes own = *attributesAs<SdyCollectiveAttributes>(edit.operation(id).attributes);
        const Mesh& mesh = *edit.program().meshes[own.out.mesh].mesh;
        AxisList added;
        for (const AxisRef& axis : own.axes)
            if (std::find(manual->begin(), manual->end(), mesh.axis(static_cast<std::size_t>(axis.axis)).name)
                != manual->end())
                added.push_back(axis);
        if (edit.operation(id).kind != OpKind::SdyAllReduce || added.empty()) {
            replaceByOperand(edit, id);
            continue;
        }
        own.axes = std::move(added);
        own.out.sharding = TensorSharding::fullyReplicated(edit.value(edit.result(id)).type.rank());
        edit.raw().operations[id.index].attributes = otherAttributes(std::move(own));
    }
}

/// Without whatever says how an array lies. With `settled`, the number of a mesh, every array outside of manual
/// computations is said to be in full on all of its devices.
Program withoutShardings(Program program, std::optional<std::uint32_t> settled)
{
    Editor edit(std::move(program));
    const auto clear = [&](ValueId value) {
        if (settled && isTensor(edit.value(value).type.dtype))
            edit.setSharding(value, { *settled, TensorSharding::fullyReplicated(edit.value(value).type.rank()) });
        else
            edit.clearSharding(value);
    };
    const FunctionNames names(edit.program());
    std::vector<RegionId> open{ RegionId{ 0 } };
    std::set<RegionId> seen;
    while (!open.empty()) {
        const RegionId next = open.back();
        open.pop_back();
        if (!seen.insert(next).second)
            continue;
        const Region region = edit.region(next);
        std::for_each(region.arguments.begin(), region.arguments.end(), clear);
        for (const OperationId id : region.operations) {
            const Operation operation = edit.operation(id);
            if (changesOnlySharding(operation.kind)) {
                replaceByOperand(edit, id);
                continue;
            }
            if (operation.kind == OpKind::ShardingGroup) {
                edit.erase(id);
                continue;
            }
            if (const std::string* callee = calleeOf(operation))
                if (const Function* function = names.find(edit.program(), *callee))
                    open.push_back(function->body);
            if (operation.kind != OpKind::ManualComputation) {
                std::for_each(operation.results.begin(), operation.results.end(), clear);
                open.insert(open.end(), operation.regions.begin(), operation.regions.end());
                continue;
            }
            // Its results are shards as it says; they are in full from there on.
            forgetFreeAxes(edit, id);
            const ManualComputationAttributes own = *attributesAs<ManualComputationAttributes>(operation.attributes);
            passThroughAlongFreeAxes(edit, names, seen, operation.regions[0], own.manualAxes);
            for (std::size_t i = 0; i < operation.results.size(); ++i) {
                const ValueId result = operation.results[i];
                edit.setSharding(result, own.out[i]);
                ExplicitSharding inFull{ std::make_shared<const ProgramSharding>(
                    ProgramSharding{ *settled, TensorSharding::fullyReplicated(edit.value(result).type.rank()) }) };
                const OperationId constraint =
                    edit.addLike(OpKind::ShardingConstraint, { result }, ConstraintAttributes{ std::move(inFull) });
                edit.placeAfter(id, constraint);
                edit.replaceUses(result, edit.result(constraint), constraint);
                clear(edit.result(constraint));
            }
        }
    }
    Program made = std::move(edit).finish();
    for (std::vector<Annotation>* annotations : { &made.argumentAnnotations, &made.resultAnnotations })
        std::fill(annotations->begin(), annotations->end(), Annotation());
    for (Function& function : made.functions)
        if (seen.contains(function.body))
            function.resultShardings.clear();
    return made;
}

/// The mesh of the manual computations in what is executed; nothing if there are none.
std::optional<std::uint32_t> manualMesh(const Program& program)
{
    std::optional<std::uint32_t> found;
    for (const RegionId body : bodies(program))
        walk(program, body, [&](OperationId id) {
            if (program.operation(id).kind != OpKind::ManualComputation)
                return;
            const auto& own = *attributesAs<ManualComputationAttributes>(program.operation(id).attributes);
            for (const std::vector<ProgramSharding>* list : { &own.in, &own.out })
                for (const ProgramSharding& sharding : *list)
                    if (!found)
                        found = sharding.mesh;
        });
    return found;
}

} // namespace

Result<PartitionedProgram> unsharded(Program program, const DeviceCounts& devices)
{
    program = passes::importManualRegions(std::move(program));
    const std::optional<std::uint32_t> mesh = manualMesh(program);
    program = withoutShardings(std::move(program), mesh);
    if (mesh)
        return partitionProgram(std::move(program));
    DeviceCounts counts = devices;
    for (const OperationId id : program.main().operations)
        if (isParallelCall(program.operation(id)))
            if (const ParallelCall call = parallelCall(program, program.operation(id)); call.function) {
                counts = { call.replicas, call.partitions };
                program = ParallelCalls(std::move(program)).lower(id, call);
                break;
            }
    PartitionedProgram parts;
    parts.sharded = std::make_shared<const ShardedProgram>(ShardedProgram{ program, {}, {} });
    parts.device = sameOnAll(std::move(program), counts);
    return parts;
}

} // namespace shardscope
