// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipeline/taken_branches.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "base/taken_branches.h"
#include "program/calls.h"

namespace shardscope {

namespace {

class BranchPaths {
public:
    explicit BranchPaths(const Program& program)
        : m_program(program)
        , m_paths(program.operations.size())
    {
        for (const Function& function : program.functions)
            m_bodies.emplace(function.name, function.body);
        for (const Operation& operation : program.operations)
            if (const std::string* called = calleeOf(operation))
                ++m_callers[*called];
        visit(RegionId(std::size_t{ 0 }));
    }

    [[nodiscard]] const BranchPath& of(OperationId id) const { return m_paths[id.index]; }

private:
    void visit(RegionId region)
    {
        for (const OperationId id : m_program.regions[region.index].operations) {
            m_paths[id.index] = m_path;
            const Operation& operation = m_program.operation(id);
            if (const std::string* called = calleeOf(operation))
                enter(*called);
            const bool chooses = operation.kind == OpKind::Case || operation.kind == OpKind::If;
            for (std::size_t i = 0; i < operation.regions.size(); ++i) {
                if (chooses)
                    m_path.push_back({ id.index, static_cast<std::uint32_t>(i) });
                visit(operation.regions[i]);
                if (chooses)
                    m_path.pop_back();
            }
        }
    }

    void enter(const std::string& function)
    {
        const auto body = m_bodies.find(function);
        if (body == m_bodies.end() || !m_seen.insert(body->second.index).second)
            return;
        const BranchPath around = m_path;
        if (m_callers[function] > 1)
            m_path.clear();
        visit(body->second);
        m_path = around;
    }

    const Program& m_program;
    std::vector<BranchPath> m_paths; ///< per operation
    BranchPath m_path;
    std::unordered_map<std::string, RegionId> m_bodies;
    std::unordered_map<std::string, int> m_callers;
    std::set<std::uint32_t> m_seen;
};

} // namespace

void chooseBranches(std::vector<CollectiveEntry>& entries, const Program& program)
{
    if (std::none_of(entries.begin(), entries.end(), [](const CollectiveEntry& entry) { return entry.conditional; }))
        return;
    const BranchPaths paths(program);
    std::vector<SentInBranch> sent;
    for (const CollectiveEntry& entry : entries)
        sent.push_back({ entry.conditional ? paths.of(entry.operation) : BranchPath(), entry.sentPerStep() });
    const std::vector<bool> counted = countedInBranches(sent);
    for (std::size_t i = 0; i < entries.size(); ++i)
        entries[i].inSums = counted[i];
}

} // namespace shardscope
