// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in propagation/passes.h.
#include <algorithm>
#include <map>
#include <set>

#include "base/codes.h"
#include "program/verify_findings.h"
#include "propagation/pass_support.h"
#include "propagation/passes.h"

namespace shardscope::passes {

namespace {

/// The groups that an id leads to, united where they share a value.
class Groups {
public:
    std::int64_t of(std::int64_t group)
    {
        const auto [found, isNew] = m_parent.try_emplace(group, group);
        if (isNew)
            m_order.push_back(group);
        return found->second == group ? group : m_parent[group] = of(found->second);
    }
    void unite(std::int64_t a, std::int64_t b) { m_parent[of(a)] = of(b); }
    /// New ids, in the order in which groups were first met.
    std::map<std::int64_t, std::int64_t> numbers()
    {
        std::map<std::int64_t, std::int64_t> result;
        for (const std::int64_t group : m_order) {
            const std::int64_t next = static_cast<std::int64_t>(result.size());
            result.try_emplace(of(group), next);
        }
        return result;
    }

private:
    std::map<std::int64_t, std::int64_t> m_parent;
    std::vector<std::int64_t> m_order;
};

/// The manual computation around an operation, the innermost one; invalid for none.
OperationId manualComputationAround(const Editor& edit, OperationId id)
{
    for (OperationId owner = edit.ownerOf(edit.regionOf(id)); owner.valid(); owner = edit.ownerOf(edit.regionOf(owner)))
        if (edit.operation(owner).kind == OpKind::ManualComputation)
            return owner;
    return {};
}

} // namespace

Result<Program> importShardingGroups(Program program)
{
    if (std::none_of(program.operations.begin(), program.operations.end(),
            [](const Operation& operation) { return operation.kind == OpKind::ShardingGroup; }))
        return program;
    Editor edit(std::move(program));
    std::vector<OperationId> mentions;
    for (const RegionId body : bodies(edit.program()))
        walk(edit.program(), body, [&](OperationId id) {
            if (edit.operation(id).kind == OpKind::ShardingGroup)
                mentions.push_back(id);
        });
    const auto groupOf = [&](OperationId id) {
        return attributesAs<ShardingGroupAttributes>(edit.operation(id).attributes)->group;
    };
    Groups groups;
    std::map<std::uint32_t, std::int64_t> ofValue;
    for (const OperationId id : mentions) {
        const std::int64_t group = groups.of(groupOf(id));
        const auto [known, isNew] = ofValue.try_emplace(edit.operation(id).operands[0].index, group);
        if (!isNew)
            groups.unite(group, known->second);
    }
    const std::map<std::int64_t, std::int64_t> numbers = groups.numbers();
    std::map<std::int64_t, OperationId> first;
    std::set<std::uint32_t> mentioned;
    for (const OperationId id : mentions) {
        const std::int64_t group = groups.of(groupOf(id));
        const ValueId member = edit.operation(id).operands[0];
        const OperationId other = first.try_emplace(group, id).first->second;
        const TensorType &expected = edit.value(edit.operation(other).operands[0]).type,
                         &found = edit.value(member).type;
        const auto wrong = [&](const char* what, std::vector<Arg> more) {
            more.emplace_back("wrong", what);
            more.emplace_back("group", groupOf(id));
            return tl::unexpected<Error>(verification::diagnosticAt(edit.program(), Code::BadShardingGroup,
                std::move(more), { .operation = id, .role = "operand", .value = member }));
        };
        if (found.shape != expected.shape)
            return wrong("shape", { { "found", toString(found) }, { "expected", toString(expected) } });
        if (manualComputationAround(edit, other) != manualComputationAround(edit, id))
            return wrong("manual", {});
        if (!mentioned.insert(member.index).second)
            edit.erase(id);
        edit.raw().operations[id.index].attributes = otherAttributes(ShardingGroupAttributes{ numbers.at(group) });
    }
    return std::move(edit).finish();
}

Program removeShardingGroups(Program program)
{
    for (Region& region : program.regions)
        region.operations.erase(
            std::remove_if(region.operations.begin(), region.operations.end(),
                [&](OperationId id) { return program.operation(id).kind == OpKind::ShardingGroup; }),
            region.operations.end());
    return program;
}

} // namespace shardscope::passes
