// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipeline/program_collectives.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "partition/collective_axes.h"
#include "partition/halo_dimensions.h"
#include "partition/lower_collectives.h"
#include "partition/manual_values.h"
#include "partition/shardy_collective.h"
#include "pipeline/taken_branches.h"
#include "program/array_parts.h"
#include "program/body.h"
#include "program/calls.h"
#include "program/collective_groups.h"
#include "program/counted_loop.h"
#include "program/device_counts.h"
#include "program/editor.h"
#include "program/location_parts.h"
#include "program/over_mesh.h"
#include "program/value_shardings.h"

namespace shardscope {

namespace {

std::optional<CollectiveKind> kindOf(OpKind kind)
{
    if (const std::optional<CollectiveKind> shardy = shardyCollectiveKind(kind))
        return shardy;
    switch (kind) {
    case OpKind::AllReduce:
        return CollectiveKind::AllReduce;
    case OpKind::AllGather:
        return CollectiveKind::AllGather;
    case OpKind::ReduceScatter:
        return CollectiveKind::ReduceScatter;
    case OpKind::AllToAll:
        return CollectiveKind::AllToAll;
    case OpKind::CollectivePermute:
        return CollectiveKind::CollectivePermute;
    case OpKind::CollectiveBroadcast:
        return CollectiveKind::CollectiveBroadcast;
    default:
        return std::nullopt;
    }
}

LocationParts locationOf(const Program& program, OperationId id)
{
    const std::uint32_t source = id.valid() ? program.operation(id).source : 0;
    return source < program.sources.size() ? partsOfLocation(*program.sources[source].location) : LocationParts();
}

/// The part of a location that a person wrote: "layers.0/mlp" of "jit(step)/jit(main)/layers.0/mlp/dot_general".
std::string scopeOfName(std::string_view path)
{
    const std::size_t operation = path.rfind('/');
    if (operation == std::string_view::npos)
        return {};
    path = path.substr(0, operation);
    while (path.starts_with("jit(") || path.starts_with("pjit(")) {
        const std::size_t close = path.find(')');
        if (close == std::string_view::npos)
            break;
        path = close + 1 < path.size() && path[close + 1] == '/' ? path.substr(close + 2) : std::string_view();
    }
    return std::string(path);
}

std::string scopeOf(const Program& program, OperationId id)
{
    if (!id.valid())
        return {};
    const Operation& operation = program.operation(id);
    if (operation.scope < program.scopes.size() && !program.scopes[operation.scope].empty())
        return program.scopes[operation.scope];
    return scopeOfName(locationOf(program, id).name);
}

/// Values that manual computations return, each once, and that nothing else reads.
std::unordered_map<ValueId, ManualResult> manualResults(const Program& program)
{
    std::unordered_map<ValueId, ManualResult> found;
    std::set<std::uint32_t> twice;
    for (std::size_t i = 0; i < program.operations.size(); ++i) {
        const Operation& operation = program.operations[i];
        if (operation.kind != OpKind::ManualComputation || operation.regions.empty())
            continue;
        const std::vector<ValueId>& results = program.regions[operation.regions[0].index].results;
        for (std::size_t r = 0; r < results.size(); ++r)
            if (!found.emplace(results[r], ManualResult{ OperationId(i), r }).second)
                twice.insert(results[r].index);
    }
    if (found.empty())
        return found;
    const std::vector<std::vector<OperationId>> users = usersOf(program);
    std::erase_if(
        found, [&](const auto& each) { return twice.count(each.first.index) > 0 || !users[each.first.index].empty(); });
    return found;
}

/// Per value without a path: the constrained value that has one, as `z` of a product that is constrained; else invalid.
std::vector<ValueId> namesByConstraints(const Program& program)
{
    std::vector<ValueId> names(program.values.size());
    for (const OperationId id : program.main().operations) {
        const Operation& operation = program.operation(id);
        if (operation.kind == OpKind::ShardingConstraint && program.value(operation.operands[0]).path.empty()
            && !program.value(operation.results[0]).path.empty())
            names[operation.operands[0].index] = operation.results[0];
    }
    return names;
}

class Collector {
public:
    /// `program`: what was sharded. Operations that it does not have came with the partition.
    Collector(const ShardedProgram& sharded, const Program& program, MeshPtr mesh)
        : m_program(sharded.program)
        , m_inserted(sharded.inserted)
        , m_trueShapes(sharded.trueShapes)
        , m_originals(sharded.copies.begin(), sharded.copies.end())
        , m_own(program.operations.size())
        , m_mesh(std::move(mesh))
        , m_shardings(m_program)
        , m_executions(executionsOf(m_program))
        , m_returned(manualResults(m_program))
        , m_names(namesByConstraints(program))
        , m_arrays(arraysOfParts(m_program))
        , m_isOfLoss(scalarsOfLoss(program))
        , m_manual(m_program)
    {
        for (const Function& function : m_program.functions)
            m_bodies.emplace(function.name, function.body);
    }

    std::vector<CollectiveEntry> run()
    {
        visit(RegionId(std::size_t{ 0 }));
        chooseBranches(m_entries, m_program);
        return std::move(m_entries);
    }

private:
    void visit(RegionId body)
    {
        if (!m_seen.insert(body.index).second)
            return;
        walk(m_program, body, [&](OperationId id) {
            const Operation& operation = m_program.operation(id);
            if (const std::optional<CollectiveKind> kind = kindOf(operation.kind))
                add(id, *kind);
            else if (const std::string* called = calleeOf(operation)) {
                if (const auto callee = m_bodies.find(*called); callee != m_bodies.end())
                    visit(callee->second);
            } else {
                addHalo(id);
            }
        });
    }

    [[nodiscard]] TensorSharding shardingOf(ValueId value) const
    {
        const ProgramSharding* found = m_shardings.of(value);
        const std::size_t rank = m_program.value(value).type.rank();
        return found && found->sharding.rank() == rank ? found->sharding : TensorSharding::fullyReplicated(rank);
    }
    [[nodiscard]] std::int64_t localBytes(ValueId value) const
    {
        return shardscope::localBytes(m_program.value(value).type, shardingOf(value));
    }

    void add(OperationId id, CollectiveKind kind)
    {
        const Operation& operation = m_program.operation(id);
        CollectiveEntry& entry = m_entries.emplace_back();
        entry.kind = kind;
        entry.collective.kind = kind;
        entry.operation = id;
        entry.value = beforePadding(operation.operands[0]);
        entry.before = shardingOf(operation.operands[0]);
        entry.after = shardingOf(operation.results[0]);
        // As it is without padding, if one side is cut so that it needs no more.
        const TensorType padded = m_program.value(operation.operands[0]).type;
        entry.type = typeAsSharded(m_trueShapes, m_program, operation.operands[0], entry.before);
        if (entry.type == padded)
            entry.type = typeAsSharded(m_trueShapes, m_program, operation.operands[0], entry.after);
        entry.mesh = m_mesh;
        if (const std::optional<ManualValue> own = m_manual.of(operation.operands[0]))
            entry.manualAxes = axesIn(own->manual, *own->mesh);
        const Executions& runs = m_executions[id.index];
        entry.times = runs.times;
        entry.timesKnown = runs.known;
        entry.conditional = runs.conditional;
        if (const auto* shardy = attributesAs<SdyCollectiveAttributes>(operation.attributes))
            describe(entry, operation, *shardy);
        else if (const auto* declared = attributesAs<CollectiveAttributes>(operation.attributes))
            describe(entry, operation, *declared);
        entry.collective.sentBytes = entry.sentBytes;
        addCause(entry, id);
        if (!entry.reason) // the program itself exchanges it, and has a name for it
            entry.value = afterInserted(operation.operands[0]);
        nameValue(entry);
    }

    /// The value that exchanges which partitioning added have made this one of.
    [[nodiscard]] ValueId afterInserted(ValueId value) const
    {
        for (;;) {
            const OperationId definition = m_program.value(value).definition;
            if (!definition.valid() || !isShardyCollective(m_program.operation(definition).kind)
                || !insertedAt(definition))
                return value;
            value = m_program.operation(definition).operands[0];
        }
    }
    [[nodiscard]] const passes::Inserted* insertedAt(OperationId id) const
    {
        const auto found = std::lower_bound(m_inserted.begin(), m_inserted.end(), id,
            [](const passes::Inserted& one, OperationId wanted) { return one.operation < wanted; });
        return found != m_inserted.end() && found->operation == id ? &*found : nullptr;
    }

    /// What an operation reads of the blocks of other devices: one line, by strips along one dimension after the other.
    void addHalo(OperationId id)
    {
        const Operation& operation = m_program.operation(id);
        const auto tensors = haloTensors(
            m_program, operation, [&](ValueId value) { return m_program.value(value).type; },
            [&](ValueId value) { return m_shardings.of(value); });
        if (!tensors)
            return;
        const std::vector<HaloDimension> dimensions = haloDimensions(operation, *tensors);
        const std::int64_t bytes = haloBytes(operation, *tensors, dimensions);
        if (bytes == 0)
            return;
        std::size_t input = 0; // of arrays put together: the first that is sent
        while (input + 1 < haloInputs(operation) && tensors->operands[input].isFullyReplicated())
            ++input;
        CollectiveEntry& entry = m_entries.emplace_back();
        entry.kind = entry.collective.kind = CollectiveKind::CollectivePermute;
        entry.operation = id;
        entry.value = beforePadding(operation.operands[input]);
        entry.type = tensors->operandTypes[input];
        entry.before = entry.after = tensors->operands[input];
        entry.mesh = m_program.meshes[tensors->mesh].mesh;
        const Executions& runs = m_executions[id.index];
        entry.times = runs.times;
        entry.timesKnown = runs.known;
        entry.conditional = runs.conditional;
        entry.haloOfAll = true;
        for (const HaloDimension& one : dimensions) {
            if (one.plan.rounds.empty())
                continue;
            entry.haloOfAll = entry.haloOfAll && one.plan.allSend();
            entry.halos.push_back({ one.dimension, one.plan.left, one.plan.right });
            for (const AxisRef axis : one.axes)
                entry.collective.axes.push_back(axis);
        }
        entry.collective.axes = axesOf(entry.collective);
        entry.axes = entry.collective.axes;
        entry.groupSize = product(entry.axes);
        entry.groupCount = entry.mesh->deviceCount() / entry.groupSize;
        entry.sentBytes = entry.collective.sentBytes = bytes;
        entry.gatheredBytes = gatheredBytes(operation, *tensors, dimensions);
        entry.reason = Reason{ Reason::Kind::Halo, id, -1, static_cast<std::int32_t>(input) };
        addCause(entry, id);
        nameValue(entry);
    }

    [[nodiscard]] ValueId named(ValueId value) const
    {
        return value.index < m_names.size() && m_names[value.index].valid() ? m_names[value.index] : value;
    }
    [[nodiscard]] ValueId arrayOf(ValueId value) const
    {
        return value.index < m_arrays.size() ? m_arrays[value.index] : ValueId();
    }
    void nameValue(CollectiveEntry& entry) const
    {
        entry.partOf = arrayOf(entry.value);
        entry.scalarLoss = entry.value.index < m_isOfLoss.size() && m_isOfLoss[entry.value.index];
        entry.value = named(entry.value);
    }

    /// The value that this one is a form of: another sharding of it, or the same with padding.
    [[nodiscard]] ValueId beforePadding(ValueId value) const
    {
        for (;;) {
            value = beforeExchanges(m_program, value);
            const OperationId definition = m_program.value(value).definition;
            if (!definition.valid() || definition.index < m_own)
                return value;
            if (const auto copy = m_originals.find(definition); copy != m_originals.end())
                return m_program.operation(copy->second).results[0];
            const Operation& operation = m_program.operation(definition);
            if (operation.kind == OpKind::Slice || operation.kind == OpKind::Pad)
                value = operation.operands[0];
            else if (operation.kind == OpKind::Select)
                value = operation.operands[1];
            else
                return value;
        }
    }

    void describe(CollectiveEntry& entry, const Operation& operation, const SdyCollectiveAttributes& attributes)
    {
        Collective& collective = entry.collective;
        entry.mesh = m_program.meshes[attributes.out.mesh].mesh;
        collective = collectiveOf(attributes, entry.kind);
        if (entry.kind == CollectiveKind::CollectivePermute)
            collective.axes = permuted(entry, operation.operands[0]);
        entry.axes = axesOf(collective);
        entry.groupSize = product(entry.axes);
        entry.groupCount = entry.mesh->deviceCount() / entry.groupSize;
        const bool adds = entry.kind == CollectiveKind::AllReduce || entry.kind == CollectiveKind::ReduceScatter;
        if (const OperationId maker = m_program.value(operation.operands[0]).definition; adds && maker.valid())
            for (const ValueId read : m_program.operation(maker).operands)
                entry.operands.push_back(
                    { named(beforePadding(read)), shardingOf(read), arrayOf(beforePadding(read)) });
        // What is to be added up is partial before, though a program does not say so.
        if (adds)
            for (const AxisRef axis : entry.axes)
                if (std::none_of(entry.before.unreduced.begin(), entry.before.unreduced.end(),
                        [&](AxisRef known) { return overlaps(known, axis); }))
                    entry.before.unreduced.push_back(axis);
        std::sort(entry.before.unreduced.begin(), entry.before.unreduced.end());
        entry.sentBytes = shardscope::sentBytes(attributes, collective, localBytes(operation.operands[0]));
    }

    /// Everything, where data goes to another order of devices.
    [[nodiscard]] AxisList permuted(CollectiveEntry& entry, ValueId operand) const
    {
        const ProgramSharding* from = m_shardings.of(operand);
        if (!from || *m_program.meshes[from->mesh].mesh == *entry.mesh)
            return permutedAxes(entry.before, entry.after, *entry.mesh);
        entry.meshBefore = m_program.meshes[from->mesh].mesh;
        AxisList all;
        for (std::size_t axis = 0; axis < entry.mesh->rank(); ++axis)
            all.push_back(fullAxis(*entry.mesh, axis));
        return all;
    }

    /// Of its groups, by what their ids mean; as they are written, where others are named than there are.
    [[nodiscard]] std::vector<std::vector<std::int64_t>> devicesOf(const Operation& operation, const Mesh& mesh) const
    {
        const DeviceCounts stated = statedDevices(m_program);
        const DeviceCounts counts = stated.all() == mesh.deviceCount() ? stated : DeviceCounts{ 1, mesh.deviceCount() };
        std::vector<std::vector<std::int64_t>> groups;
        for (const std::vector<std::int32_t>& group : groupsOf(operation, counts))
            groups.emplace_back(group.begin(), group.end());
        const bool isStrange = std::any_of(groups.begin(), groups.end(), [&](const auto& group) {
            return std::any_of(group.begin(), group.end(), [&](std::int64_t id) { return id >= mesh.deviceCount(); });
        });
        if (isStrange) {
            groups = attributesAs<CollectiveAttributes>(operation.attributes)->groups;
            for (std::vector<std::int64_t>& group : groups)
                std::erase_if(group, [](std::int64_t device) { return device < 0; });
        }
        std::erase_if(groups, [](const auto& group) { return group.empty(); });
        return groups;
    }

    void describe(CollectiveEntry& entry, const Operation& operation, const CollectiveAttributes& attributes)
    {
        entry.declaredGroups = devicesOf(operation, *entry.mesh);
        if (entry.kind == CollectiveKind::CollectivePermute)
            entry.declaredPairs = std::exchange(entry.declaredGroups, connectedDevices(entry.declaredGroups));
        entry.axes = axesOfGroups(entry.declaredGroups, *entry.mesh);
        for (const auto& group : entry.declaredGroups)
            entry.groupSize = std::max(entry.groupSize, static_cast<std::int64_t>(group.size()));
        entry.groupCount = static_cast<std::int64_t>(entry.declaredGroups.size());
        Collective& collective = entry.collective;
        collective.axes = entry.axes;
        if (entry.kind == CollectiveKind::AllToAll) {
            collective.sourceDimension = static_cast<std::int32_t>(attributes.dimension);
            collective.targetDimension = static_cast<std::int32_t>(attributes.concatDimension);
        }
        if (const auto kind = reductionOf(m_program, operation))
            collective.reduction = *kind;
        if (entry.kind == CollectiveKind::AllReduce || entry.kind == CollectiveKind::ReduceScatter)
            for (const AxisRef axis : entry.axes)
                entry.before.unreduced.push_back(axis);
        if (const auto returned = m_returned.find(operation.results[0]);
            returned != m_returned.end() && operation.operands.size() == 1)
            entry.result = returned->second;
        for (const ValueId operand : operation.operands)
            entry.sentBytes += ringBytes(entry.kind, entry.groupSize, localBytes(operand));
    }

    void addCause(CollectiveEntry& entry, OperationId id) const
    {
        if (const passes::Inserted* found = insertedAt(id))
            entry.reason = found->reason;
        if (entry.reason && entry.reason->operation.valid())
            entry.scope = scopeOf(m_program, entry.reason->operation);
        if (entry.scope.empty())
            entry.scope = scopeOf(m_program, m_program.value(entry.value).definition);
        if (entry.scope.empty())
            entry.scope = scopeOf(m_program, id);
        LocationParts from = locationOf(m_program, entry.reason ? entry.reason->operation : id);
        entry.operationName = from.name;
        entry.source = from.source();
    }

    const Program& m_program;
    const std::vector<passes::Inserted>& m_inserted;
    const TrueShapes& m_trueShapes;
    std::unordered_map<OperationId, OperationId> m_originals; ///< per copy
    std::size_t m_own;
    MeshPtr m_mesh;
    ValueShardings m_shardings;
    std::vector<Executions> m_executions;
    std::unordered_map<ValueId, ManualResult> m_returned;
    std::vector<ValueId> m_names; ///< per value without a path that a constraint names: what the constraint gives
    std::vector<ValueId> m_arrays; ///< per value
    std::vector<bool> m_isOfLoss; ///< per value
    ManualValues m_manual;
    std::unordered_map<std::string, RegionId> m_bodies;
    std::set<std::uint32_t> m_seen;
    std::vector<CollectiveEntry> m_entries;
};

} // namespace

std::optional<DeviceExchange> deviceExchange(const Program& device, const Operation& operation)
{
    const std::optional<CollectiveKind> kind = kindOf(operation.kind);
    const auto* own = attributesAs<CollectiveAttributes>(operation.attributes);
    if (!kind || !own)
        return std::nullopt;
    DeviceExchange found{ *kind, {} };
    std::int64_t members = 1;
    for (const std::vector<std::int64_t>& group : own->groups)
        members = std::max(members, static_cast<std::int64_t>(group.size()));
    if (operation.kind == OpKind::CollectivePermute // a device that sends to itself sends nothing
        && std::all_of(own->groups.begin(), own->groups.end(), [](const auto& pair) { return pair[0] == pair[1]; }))
        return found;
    for (const ValueId operand : operation.operands)
        found.sentBytes += ringBytes(*kind, members, device.value(operand).type.byteCount());
    return found;
}

CollectiveList listCollectives(std::shared_ptr<const ShardedProgram> sharded, const Program& program)
{
    CollectiveList list;
    // Axes of size 1 are gone in partitioning.
    if (const std::optional<std::uint32_t> main = mainMesh(sharded->program))
        list.mesh = sharded->program.meshes[*main].mesh;
    list.entries = Collector(*sharded, program, list.mesh).run();
    list.program = ProgramPtr(sharded, &sharded->program);
    list.sharded = std::move(sharded);
    return list;
}

} // namespace shardscope
