// SPDX-License-Identifier: GPL-3.0-or-later
#include "propagation/sharding_groups.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "program/other_attributes.h"
#include "propagation/initial_shardings.h"

namespace shardscope {

namespace {

void collect(const Program& program, RegionId id, std::map<std::int64_t, ShardingGroup>& groups)
{
    for (const OperationId operationId : program.regions[id.index].operations) {
        const Operation& operation = program.operation(operationId);
        if (const auto* attributes = attributesAs<ShardingGroupAttributes>(operation.attributes)) {
            ShardingGroup& group = groups[attributes->group];
            group.group = attributes->group;
            group.operations.push_back(operationId);
            if (std::find(group.members.begin(), group.members.end(), operation.operands[0]) == group.members.end())
                group.members.push_back(operation.operands[0]);
        }
        for (const RegionId inner : operation.regions)
            collect(program, inner, groups);
    }
}

/// The region in which each value is defined.
std::vector<RegionId> homes(const Program& program)
{
    std::vector<RegionId> home(program.values.size());
    for (std::size_t r = 0; r < program.regions.size(); ++r) {
        for (const ValueId argument : program.regions[r].arguments)
            home[argument.index] = RegionId(r);
        for (const OperationId id : program.regions[r].operations)
            for (const ValueId result : program.operation(id).results)
                home[result.index] = RegionId(r);
    }
    return home;
}

void constrainOpen(Program& program, ValueId member, RegionId home, std::uint32_t mesh)
{
    const ValueId made(program.values.size());
    const OperationId id(program.operations.size());
    Value value;
    value.type = program.value(member).type;
    value.definition = id;
    Operation constraint;
    constraint.kind = OpKind::ShardingConstraint;
    constraint.operands.push_back(member);
    constraint.results.push_back(made);
    constraint.attributes = ConstraintAttributes{ ExplicitSharding{ std::make_shared<const ProgramSharding>(
        ProgramSharding{ mesh, TensorSharding::open(value.type.rank()), ReduceKind::Sum }) } };
    const OperationId definition = program.value(member).definition;
    if (definition.valid()) {
        constraint.scope = program.operation(definition).scope;
        constraint.source = program.operation(definition).source;
    }
    for (Operation& operation : program.operations)
        std::replace(operation.operands.begin(), operation.operands.end(), member, made);
    for (Region& region : program.regions)
        std::replace(region.results.begin(), region.results.end(), member, made);
    program.values.push_back(std::move(value));
    program.operations.push_back(std::move(constraint));
    std::vector<OperationId>& operations = program.regions[home.index].operations;
    auto place = operations.begin();
    if (definition.valid())
        place = std::find(operations.begin(), operations.end(), definition) + 1;
    operations.insert(place, id);
}

} // namespace

std::vector<ShardingGroup> shardingGroups(const Program& program)
{
    std::map<std::int64_t, ShardingGroup> byNumber;
    if (program.functions.empty())
        collect(program, RegionId(0), byNumber);
    for (const Function& function : program.functions)
        collect(program, function.body, byNumber);
    std::vector<ShardingGroup> groups;
    std::unordered_map<std::uint32_t, std::size_t> groupOf; ///< by ValueId
    for (auto& [number, group] : byNumber) {
        std::size_t target = groups.size();
        for (const ValueId member : group.members)
            if (const auto found = groupOf.find(member.index); found != groupOf.end())
                target = std::min(target, found->second);
        if (target == groups.size())
            groups.push_back({ number, {}, {} });
        const auto take = [&](const ShardingGroup& from) {
            for (const ValueId member : from.members) {
                std::vector<ValueId>& members = groups[target].members;
                if (std::find(members.begin(), members.end(), member) == members.end())
                    members.push_back(member);
                groupOf[member.index] = target;
            }
            groups[target].operations.insert(
                groups[target].operations.end(), from.operations.begin(), from.operations.end());
        };
        for (const ValueId member : group.members) {
            const auto found = groupOf.find(member.index);
            if (found == groupOf.end() || found->second == target)
                continue;
            ShardingGroup other;
            std::swap(other, groups[found->second]);
            take(other);
        }
        take(group);
    }
    std::erase_if(groups, [](const ShardingGroup& group) { return group.members.empty(); });
    return groups;
}

bool isFullyOpen(const TensorSharding& sharding)
{
    return sharding.replicated.empty() && sharding.unreduced.empty()
        && std::all_of(sharding.dims.begin(), sharding.dims.end(),
            [](const DimensionSharding& dim) { return dim.open && dim.axes.empty(); });
}

ResolvedGroups resolveShardingGroups(const Program& program)
{
    ResolvedGroups resolved{ program, {} };
    const std::vector<ShardingGroup> groups = shardingGroups(program);
    if (groups.empty())
        return resolved;
    const MeshTable meshes(program.meshes);
    ShardingTable shardings;
    const InitialShardings initial = initialShardings(program, meshes, shardings);
    const std::vector<RegionId> home = homes(program);
    for (const ShardingGroup& group : groups) {
        std::optional<ShardingNumber> common;
        bool conflict = false;
        for (const ValueId member : group.members) {
            const ShardingNumber own = initial.values[member.index];
            if (isFullyOpen(shardings[own]))
                continue;
            conflict = conflict || (common && *common != own);
            common = common.value_or(own);
        }
        if (!conflict)
            continue;
        resolved.conflicts.push_back(group.group);
        const std::uint32_t mesh = shardings.mesh(*common) - 1;
        for (const ValueId member : group.members)
            constrainOpen(resolved.program, member, home[member.index], mesh);
    }
    return resolved;
}

} // namespace shardscope
