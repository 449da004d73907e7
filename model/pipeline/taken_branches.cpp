// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipeline/taken_branches.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "program/calls.h"

namespace shardscope {

namespace {

struct Branch {
    OperationId conditional;
    std::size_t number = 0;
};
using BranchPath = std::vector<Branch>; ///< from outside to inside

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
                    m_path.push_back({ id, i });
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

/// What the entries numbered in `of` send, which stand in the same branches down to `depth`. Others are taken out of
/// the sums.
Rational maximumSent(std::vector<CollectiveEntry>& entries, const BranchPaths& paths,
    const std::vector<std::size_t>& of, std::size_t depth)
{
    Rational sent;
    std::map<std::uint32_t, std::map<std::size_t, std::vector<std::size_t>>> conditionals;
    for (const std::size_t i : of) {
        const BranchPath& path = paths.of(entries[i].operation);
        if (path.size() <= depth)
            sent += entries[i].sentPerStep();
        else
            conditionals[path[depth].conditional.index][path[depth].number].push_back(i);
    }
    for (const auto& [conditional, branches] : conditionals) {
        Rational maximum;
        const std::vector<std::size_t>* chosen = nullptr;
        for (const auto& [number, members] : branches)
            if (const Rational one = maximumSent(entries, paths, members, depth + 1); !chosen || maximum < one) {
                maximum = one;
                chosen = &members;
            }
        for (const auto& [number, members] : branches)
            if (&members != chosen)
                for (const std::size_t i : members)
                    entries[i].inSums = false;
        sent += maximum;
    }
    return sent;
}

} // namespace

void chooseBranches(std::vector<CollectiveEntry>& entries, const Program& program)
{
    std::vector<std::size_t> conditional;
    for (std::size_t i = 0; i < entries.size(); ++i)
        if (entries[i].conditional)
            conditional.push_back(i);
    if (!conditional.empty())
        (void)maximumSent(entries, BranchPaths(program), conditional, 0);
}

} // namespace shardscope
