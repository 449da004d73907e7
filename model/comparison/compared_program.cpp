// SPDX-License-Identifier: GPL-3.0-or-later
#include "comparison/compared_program.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace shardscope {

namespace {

bool sameTypes(const Program& before, const Operation& a, const Program& after, const Operation& b)
{
    const auto same = [&](const auto& first, const auto& second) {
        return std::equal(first.begin(), first.end(), second.begin(), second.end(),
            [&](ValueId x, ValueId y) { return before.value(x).type == after.value(y).type; });
    };
    return same(a.operands, b.operands) && same(a.results, b.results);
}

bool sameOperation(const Program& before, const Operation& a, const Program& after, const Operation& b)
{
    return a.kind == b.kind && sameTypes(before, a, after, b) && a.attributes == b.attributes;
}

/// The path by which an operation is known; empty for none.
std::string_view pathOf(const Program& program, const Operation& operation)
{
    if (program.namedByText)
        return {};
    for (const ValueId result : operation.results)
        if (const std::string& path = program.value(result).path; !path.empty())
            return path;
    return {};
}

class ProgramComparison {
public:
    ProgramComparison(const Program& before, const Program& after)
        : m_before(before)
        , m_after(after)
    {
    }

    ComparedProgram result()
    {
        ComparedProgram compared;
        compared.operationsBefore = static_cast<std::int64_t>(m_before.operations.size());
        compared.operationsAfter = static_cast<std::int64_t>(m_after.operations.size());
        compareNamed();
        compareNameless();
        for (const auto& [kind, counts] : m_kinds)
            if (counts.added + counts.removed + counts.changed > 0)
                compared.kinds.push_back(counts);
        const auto sum = [](const ComparedProgram::Kind& kind) { return kind.added + kind.removed + kind.changed; };
        std::stable_sort(compared.kinds.begin(), compared.kinds.end(),
            [&](const auto& a, const auto& b) { return sum(a) > sum(b); });
        return compared;
    }

private:
    ComparedProgram::Kind& of(OpKind kind)
    {
        ComparedProgram::Kind& found = m_kinds[kind];
        found.kind = kind;
        return found;
    }

    /// Where several have one path the first of them has it.
    void compareNamed()
    {
        std::unordered_map<std::string_view, const Operation*> known;
        std::unordered_set<std::string_view> seen;
        for (const Operation& operation : m_before.operations) {
            const std::string_view path = pathOf(m_before, operation);
            if (path.empty() || !known.emplace(path, &operation).second)
                m_nameless[operation.kind].before.push_back(&operation);
        }
        for (const Operation& operation : m_after.operations) {
            const std::string_view path = pathOf(m_after, operation);
            const auto same = path.empty() ? known.end() : known.find(path);
            if (path.empty() || !seen.insert(path).second) {
                m_nameless[operation.kind].after.push_back(&operation);
            } else if (same == known.end()) {
                ++of(operation.kind).added;
            } else {
                if (!sameOperation(m_before, *same->second, m_after, operation))
                    ++of(operation.kind).changed;
                known.erase(same);
            }
        }
        for (const auto& [path, operation] : known)
            ++of(operation->kind).removed;
    }

    void compareNameless()
    {
        for (auto& [kind, both] : m_nameless) {
            // In the order of the programs, so that the same ones usually find each other at once.
            std::vector<const Operation*> rest = both.before;
            std::int64_t alike = 0;
            std::size_t from = 0;
            for (const Operation* operation : both.after) {
                constexpr std::size_t farthest = 64; // many of one kind: a little is enough
                std::size_t examined = 0;
                for (std::size_t i = from; i < rest.size() && examined < farthest; ++i, ++examined)
                    if (rest[i] && sameOperation(m_before, *rest[i], m_after, *operation)) {
                        rest[i] = nullptr;
                        ++alike;
                        break;
                    }
                while (from < rest.size() && !rest[from])
                    ++from;
            }
            const std::int64_t olds = static_cast<std::int64_t>(both.before.size()) - alike;
            const std::int64_t news = static_cast<std::int64_t>(both.after.size()) - alike;
            const std::int64_t changed = std::min(olds, news);
            ComparedProgram::Kind& counts = of(kind);
            counts.changed += changed;
            counts.removed += olds - changed;
            counts.added += news - changed;
        }
    }

    struct Nameless {
        std::vector<const Operation*> before, after;
    };
    const Program& m_before;
    const Program& m_after;
    std::map<OpKind, ComparedProgram::Kind> m_kinds;
    std::map<OpKind, Nameless> m_nameless;
};

std::int64_t sumOf(const std::vector<ComparedProgram::Kind>& kinds, std::int64_t ComparedProgram::Kind::*member)
{
    return std::accumulate(kinds.begin(), kinds.end(), std::int64_t{ 0 },
        [member](std::int64_t sum, const ComparedProgram::Kind& kind) { return sum + kind.*member; });
}

} // namespace

std::int64_t ComparedProgram::added() const
{
    return sumOf(kinds, &Kind::added);
}
std::int64_t ComparedProgram::removed() const
{
    return sumOf(kinds, &Kind::removed);
}
std::int64_t ComparedProgram::changed() const
{
    return sumOf(kinds, &Kind::changed);
}

ComparedProgram comparePrograms(const Program& before, const Program& after)
{
    return ProgramComparison(before, after).result();
}

} // namespace shardscope
