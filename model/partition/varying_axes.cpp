// SPDX-License-Identifier: GPL-3.0-or-later
#include "partition/varying_axes.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/codes.h"
#include "partition/place_numbers.h"
#include "program/calls.h"
#include "program/device_counts.h"
#include "program/op_row.h"

namespace shardscope {

namespace {

AxisSet all(const Mesh& mesh)
{
    return (AxisSet{ 1 } << mesh.rank()) - 1;
}

AxisSet setOf(const AxisList& list)
{
    AxisSet set = 0;
    for (const AxisRef& axis : list)
        set |= AxisSet{ 1 } << axis.axis;
    return set;
}

AxisSet manualSet(const Mesh& mesh, const std::vector<std::string>& names)
{
    AxisSet set = 0;
    for (const std::string& name : names)
        if (const auto axis = mesh.axisIndex(name))
            set |= AxisSet{ 1 } << *axis;
    return set;
}

AxisSet axesOf(const TensorSharding& sharding)
{
    AxisSet set = setOf(sharding.unreduced);
    for (const DimensionSharding& dimension : sharding.dims)
        set |= setOf(dimension.axes);
    return set;
}

/// Per position: from where a device gets something, or the number of its group; -1 for nothing.
using Places = std::vector<std::int64_t>;

/// Whether every position stands for the same as the one that comes first along the axis: `moved` says what that is, at
/// a distance.
template <class Moved>
bool isAlikeAlong(const Mesh& mesh, std::size_t axis, const Places& places, const Moved& moved)
{
    for (std::int64_t place = 0; place < mesh.deviceCount(); ++place) {
        const std::int64_t ahead = mesh.coordinate(place, axis) * mesh.stride(axis);
        const std::int64_t first = places[static_cast<std::size_t>(place - ahead)];
        if (places[static_cast<std::size_t>(place)] != (first < 0 ? first : moved(first, ahead)))
            return false;
    }
    return true;
}

/// Of the axes that groups do not go along, those along which what a device is grouped with depends on its place.
AxisSet unlikeAxes(std::vector<std::vector<std::int64_t>> groups, const Mesh& mesh, AxisSet within, OpKind kind)
{
    for (std::vector<std::int64_t>& group : groups) {
        std::erase_if(group, [&](std::int64_t device) { return device < 0 || device >= mesh.deviceCount(); });
        for (std::int64_t& member : group)
            member = mesh.positionOf(static_cast<std::int32_t>(member));
        std::erase_if(group, [&](std::int64_t place) { return place >= mesh.deviceCount(); });
        if (kind == OpKind::AllReduce)
            std::sort(group.begin(), group.end());
    }
    const bool pairs = kind == OpKind::CollectivePermute;
    Places places(static_cast<std::size_t>(mesh.deviceCount()), -1);
    for (std::size_t g = 0; g < groups.size(); ++g)
        for (std::size_t i = pairs ? 1 : 0; i < groups[g].size(); ++i)
            places[static_cast<std::size_t>(groups[g][i])] = pairs ? groups[g][0] : static_cast<std::int64_t>(g);
    constexpr std::int64_t noGroup = -2; // stands for no place either
    // The number of the group that is this one, moved.
    const auto movedGroup = [&](std::int64_t number, std::int64_t ahead) {
        const std::vector<std::int64_t>& group = groups[static_cast<std::size_t>(number)];
        const std::int64_t there = places[static_cast<std::size_t>(group.front() + ahead)];
        const bool same = there >= 0
            && std::equal(group.begin(), group.end(), groups[static_cast<std::size_t>(there)].begin(),
                groups[static_cast<std::size_t>(there)].end(),
                [ahead](std::int64_t a, std::int64_t b) { return a + ahead == b; });
        return same ? there : noGroup;
    };
    AxisSet unlike = 0;
    for (std::size_t a = 0; a < mesh.rank(); ++a) {
        if (contains(within, a))
            continue;
        std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> known; // every member asks the same
        const bool alike = isAlikeAlong(mesh, a, places, [&](std::int64_t first, std::int64_t ahead) {
            if (pairs)
                return first + ahead;
            const auto [found, isNew] = known.try_emplace({ first, ahead }, -1);
            if (isNew)
                found->second = movedGroup(first, ahead);
            return found->second;
        });
        if (!alike)
            unlike |= AxisSet{ 1 } << a;
    }
    return unlike;
}

} // namespace

AxisList axesIn(AxisSet set, const Mesh& mesh)
{
    AxisList axes;
    for (std::size_t axis = 0; axis < mesh.rank(); ++axis)
        if (contains(set, axis))
            axes.push_back(fullAxis(mesh, axis));
    return axes;
}

std::optional<ManualBody> manualBody(const Program& program, const Operation& operation)
{
    const auto* own = attributesAs<ManualComputationAttributes>(operation.attributes);
    if (operation.kind != OpKind::ManualComputation || !own || operation.regions.size() != 1)
        return std::nullopt;
    const std::vector<ProgramSharding>& lists = own->in.empty() ? own->out : own->in;
    if (lists.empty() || lists[0].mesh >= program.meshes.size())
        return std::nullopt;
    const Mesh& mesh = *program.meshes[lists[0].mesh].mesh;
    ManualBody body{ &mesh, manualSet(mesh, own->manualAxes), {} };
    for (const ProgramSharding& sharding : own->in)
        body.arguments.push_back(axesOf(sharding.sharding) & body.manual);
    return body;
}

GroupAxes axesOfGroups(const CollectiveAttributes& own, const Mesh& mesh, OpKind kind)
{
    if (own.channelId <= 0 && !own.useGlobalDeviceIds) // replicas are named, and the mesh is one of them
        return {};
    if (own.groups.empty() || (own.groups.size() == 1 && own.groups[0].empty()))
        return { all(mesh), true };
    GroupAxes found;
    for (const std::vector<std::int64_t>& group : own.groups) {
        std::vector<std::int64_t> places;
        for (const std::int64_t device : group)
            if (device >= 0 && device < mesh.deviceCount())
                places.push_back(mesh.positionOf(static_cast<std::int32_t>(device)));
        for (const std::int64_t place : places)
            for (std::size_t a = 0; a < mesh.rank(); ++a)
                if (mesh.coordinate(place, a) != mesh.coordinate(places[0], a))
                    found.axes |= AxisSet{ 1 } << a;
    }
    found.unlike = unlikeAxes(own.groups, mesh, found.axes, kind);
    std::int64_t size = 1;
    for (std::size_t a = 0; a < mesh.rank(); ++a)
        if (contains(found.axes, a))
            size *= mesh.size(a);
    found.full = kind != OpKind::CollectivePermute
        && std::all_of(own.groups.begin(), own.groups.end(),
            [&](const std::vector<std::int64_t>& group) { return static_cast<std::int64_t>(group.size()) == size; });
    return found;
}

namespace {

class Analysis {
public:
    Analysis(const Program& program, const Mesh& mesh, VaryingAxes& varying)
        : m_program(program)
        , m_mesh(mesh)
        , m_varying(varying)
        , m_numbers(program, mesh)
    {
    }

    void region(RegionId id)
    {
        for (const OperationId operation : m_program.regions[id.index].operations)
            step(m_program.operation(operation));
    }

private:
    AxisSet& of(ValueId value) { return m_varying.values[value.index]; }

    void give(const Region& region, std::span<const ValueId> operands)
    {
        for (std::size_t i = 0; i < region.arguments.size() && i < operands.size(); ++i)
            of(region.arguments[i]) |= of(operands[i]);
    }

    void step(const Operation& op)
    {
        if (const std::vector<std::int64_t>* numbers = m_numbers.add(op)) {
            of(op.results[0]) |= axesOf(*numbers);
            return;
        }
        AxisSet together = 0;
        for (const ValueId operand : op.operands)
            together |= of(operand);
        switch (op.kind) {
        case OpKind::While:
            return loop(op);
        case OpKind::If:
        case OpKind::Case: {
            const AxisSet chosen = of(op.operands[0]);
            for (const RegionId id : op.regions) {
                region(id);
                const std::vector<ValueId>& results = m_program.regions[id.index].results;
                for (std::size_t i = 0; i < op.results.size() && i < results.size(); ++i)
                    of(op.results[i]) |= of(results[i]) | chosen;
            }
            return;
        }
        case OpKind::Call:
        case OpKind::NamedComputation:
        case OpKind::Composite:
            if (const Region* body = calleeOf(op))
                return call(op, *body);
            break;
        case OpKind::ManualComputation:
            if (const std::optional<ManualBody> body = manualBody(m_program, op); body && *body->mesh == m_mesh)
                return nested(op, *body);
            break;
        case OpKind::PartitionId:
            together = all(m_mesh);
            break;
        case OpKind::ReplicaId:
            together = statedDevices(m_program).replicas > 1 ? all(m_mesh) : 0;
            break;
        case OpKind::AllReduce:
        case OpKind::AllGather:
        case OpKind::ReduceScatter:
        case OpKind::AllToAll:
        case OpKind::CollectivePermute:
        case OpKind::CollectiveBroadcast:
            if (const auto* own = attributesAs<CollectiveAttributes>(op.attributes)) {
                const GroupAxes groups = axesOfGroups(*own, m_mesh, op.kind);
                for (std::size_t i = 0; i < op.results.size(); ++i) {
                    const AxisSet operand = of(op.operands[i]);
                    of(op.results[i]) |= op.kind == OpKind::AllReduce && groups.full
                        ? (operand & ~groups.axes) | groups.unlike
                        : operand | groups.axes | groups.unlike;
                }
                return;
            }
            break;
        case OpKind::SdyAllReduce:
            if (const auto* own = attributesAs<SdyCollectiveAttributes>(op.attributes))
                together &= ~setOf(own->axes);
            break;
        default:
            break;
        }
        for (const ValueId result : op.results)
            of(result) |= together;
    }

    /// Its body varies over its own axes as well; what it returns is one array along these.
    void nested(const Operation& op, const ManualBody& own)
    {
        const Region& body = m_program.regions[op.regions[0].index];
        for (std::size_t i = 0; i < body.arguments.size() && i < own.arguments.size(); ++i)
            of(body.arguments[i]) |= own.arguments[i];
        give(body, op.operands);
        region(op.regions[0]);
        for (std::size_t i = 0; i < op.results.size() && i < body.results.size(); ++i)
            of(op.results[i]) |= of(body.results[i]) & ~own.manual;
    }

    /// By itself: what varies in another call of the function does not vary in this one.
    void call(const Operation& op, const Region& body)
    {
        std::vector<AxisSet> argumentAxes;
        for (const ValueId operand : op.operands)
            argumentAxes.push_back(of(operand));
        const auto [known, isNew] = m_calls.try_emplace({ &body, argumentAxes });
        if (isNew) {
            std::vector<ValueId> own;
            valuesWithin(body, own);
            std::vector<AxisSet> before;
            for (const ValueId value : own)
                before.push_back(std::exchange(of(value), 0));
            give(body, op.operands);
            for (const OperationId inner : body.operations)
                step(m_program.operation(inner));
            for (const ValueId result : body.results)
                known->second.push_back(of(result));
            for (std::size_t i = 0; i < own.size(); ++i)
                of(own[i]) |= before[i];
        }
        for (std::size_t i = 0; i < op.results.size() && i < known->second.size(); ++i)
            of(op.results[i]) |= known->second[i];
    }
    void valuesWithin(const Region& region, std::vector<ValueId>& values) const
    {
        values.insert(values.end(), region.arguments.begin(), region.arguments.end());
        for (const OperationId id : region.operations) {
            const Operation& operation = m_program.operation(id);
            values.insert(values.end(), operation.results.begin(), operation.results.end());
            for (const RegionId inner : operation.regions)
                valuesWithin(m_program.regions[inner.index], values);
        }
    }

    const Region* calleeOf(const Operation& op) const
    {
        if (!op.regions.empty())
            return &m_program.regions[op.regions[0].index];
        const std::string* callee = shardscope::calleeOf(op);
        const Function* function = callee ? m_program.function(*callee) : nullptr;
        return function ? &m_program.regions[function->body.index] : nullptr;
    }

    /// What a loop carries varies over everything that any trip adds.
    void loop(const Operation& op)
    {
        const Region &condition = m_program.regions[op.regions[0].index],
                     &body = m_program.regions[op.regions[1].index];
        give(condition, op.operands);
        give(body, op.operands);
        bool changed = true;
        while (changed) {
            changed = false;
            region(op.regions[0]);
            region(op.regions[1]);
            const AxisSet ending = condition.results.empty() ? 0 : of(condition.results[0]);
            for (std::size_t i = 0; i < body.arguments.size() && i < body.results.size(); ++i) {
                const AxisSet next = of(body.arguments[i]) | of(body.results[i]) | ending;
                changed = changed || next != of(body.arguments[i]);
                of(body.arguments[i]) = next;
                if (i < condition.arguments.size())
                    of(condition.arguments[i]) |= next;
            }
        }
        for (std::size_t i = 0; i < op.results.size() && i < body.arguments.size(); ++i)
            of(op.results[i]) |= of(body.arguments[i]);
    }

    [[nodiscard]] AxisSet axesOf(const std::vector<std::int64_t>& numbers) const
    {
        AxisSet found = 0;
        for (std::int64_t place = 0; place < m_mesh.deviceCount(); ++place)
            for (std::size_t a = 0; a < m_mesh.rank(); ++a) {
                const std::int64_t first = place - m_mesh.coordinate(place, a) * m_mesh.stride(a);
                if (numbers[static_cast<std::size_t>(place)] != numbers[static_cast<std::size_t>(first)])
                    found |= AxisSet{ 1 } << a;
            }
        return found;
    }

    const Program& m_program;
    const Mesh& m_mesh;
    VaryingAxes& m_varying;
    PlaceNumbers m_numbers;
    /// Axes of what functions return, by those of their arguments.
    std::map<std::pair<const Region*, std::vector<AxisSet>>, std::vector<AxisSet>> m_calls;
};

} // namespace

VaryingAxes varyingAxes(const Program& program, RegionId region, const Mesh& mesh, std::span<const AxisSet> arguments)
{
    VaryingAxes varying{ std::vector<AxisSet>(program.values.size()) };
    addVaryingAxes(varying, program, region, mesh, arguments);
    return varying;
}

void addVaryingAxes(
    VaryingAxes& varying, const Program& program, RegionId region, const Mesh& mesh, std::span<const AxisSet> arguments)
{
    const std::vector<ValueId>& own = program.regions[region.index].arguments;
    for (std::size_t i = 0; i < own.size() && i < arguments.size(); ++i)
        varying.values[own[i].index] = arguments[i];
    Analysis(program, mesh, varying).region(region);
}

Result<void> checkReplication(const Program& program, const VaryingAxes& varying, const Mesh& mesh, ValueId value,
    AxisSet mentioned, std::size_t result)
{
    const AxisSet missing = varying.values[value.index] & ~mentioned;
    std::vector<std::string> names;
    std::size_t first = mesh.rank();
    for (std::size_t a = 0; a < mesh.rank(); ++a) {
        if (!contains(missing, a) || mesh.size(a) == 1)
            continue;
        names.push_back(mesh.axis(a).name);
        first = std::min(first, a);
    }
    if (names.empty())
        return {};
    const ValueId from = varying.origin(program, value, first);
    const OperationId definition = program.value(from).definition;
    std::vector<Arg> args{ { "result", result }, { "axes", names } };
    Where where;
    if (definition.valid()) {
        const Operation& op = program.operation(definition);
        args.emplace_back("origin", qualifiedName(op));
        where = placeOf(program, op);
    } else {
        args.emplace_back("argument", program.value(from).index);
    }
    return fail(Code::ReplicationNotInferred, std::move(args), std::move(where));
}

std::vector<Diagnostic> checkReplication(const Program& program)
{
    std::vector<Diagnostic> found;
    for (const Operation& op : program.operations) {
        const std::optional<ManualBody> body = manualBody(program, op);
        if (!body)
            continue;
        const auto* own = attributesAs<ManualComputationAttributes>(op.attributes);
        const VaryingAxes varying = varyingAxes(program, op.regions[0], *body->mesh, body->arguments);
        const std::vector<ValueId>& results = program.regions[op.regions[0].index].results;
        for (std::size_t i = 0; i < results.size() && i < own->out.size(); ++i)
            if (const auto fine = checkReplication(
                    program, varying, *body->mesh, results[i], axesOf(own->out[i].sharding) | ~body->manual, i);
                !fine) {
                Where where = fine.error().where;
                if (where.line == 0)
                    where = placeOf(program, op);
                found.push_back({ Code::ReplicationUnproven, fine.error().args, std::move(where) });
            }
    }
    return found;
}

} // namespace shardscope
