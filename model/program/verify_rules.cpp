// SPDX-License-Identifier: GPL-3.0-or-later
// Sharding rules that somebody wrote at an operation.
// Declared in verify_findings.h.
#include <algorithm>

#include "base/codes.h"
#include "program/declared_rule.h"
#include "program/verify_findings.h"

namespace shardscope::verification {

namespace {

class RuleCheck {
public:
    RuleCheck(const Program& program, const DeclaredRule& rule, const Report& report)
        : m_program(program)
        , m_rule(rule)
        , m_report(report)
        , m_used(rule.sizes.size(), false)
    {
    }

    void run(const Operation& operation)
    {
        checkMappings("operands", m_rule.operands, operation.operands);
        checkMappings("results", m_rule.results, operation.results);
        for (std::size_t i = 0; i < m_used.size(); ++i)
            if (!m_used[i])
                wrong("unused", static_cast<std::int32_t>(i));
        checkLists();
    }

private:
    void wrong(const char* what, std::int32_t factor, std::vector<Arg> more = {}) const
    {
        more.emplace_back("wrong", what);
        if (factor >= 0)
            more.emplace_back("factor", factorName(factor));
        m_report(Code::BadFactor, std::move(more));
    }
    [[nodiscard]] bool exists(std::int32_t factor) const
    {
        return static_cast<std::size_t>(factor) < m_rule.sizes.size();
    }

    template <class Values>
    void checkMappings(const char* side, const std::vector<DeclaredRule::Mapping>& mappings, const Values& values)
    {
        if (mappings.size() != values.size() || mappings.empty()) {
            m_report(Code::BadRule, { { "wrong", side }, { "found", mappings.size() }, { "expected", values.size() } });
            return;
        }
        for (std::size_t i = 0; i < mappings.size(); ++i)
            checkMapping(side, i, mappings[i], m_program.value(values[i]).type);
    }

    void checkMapping(
        const char* side, std::size_t tensor, const DeclaredRule::Mapping& mapping, const TensorType& type)
    {
        const auto at = [&](std::size_t dim) {
            return std::vector<Arg>{ { "side", side }, { "tensor", tensor }, { "dim", dim } };
        };
        if (isTensor(type.dtype)) {
            if (mapping.size() > type.rank())
                m_report(Code::RankMismatch,
                    { { "wrong", "mapping" }, { "side", side }, { "tensor", tensor },
                        { "sharding_rank", mapping.size() }, { "rank", type.rank() } });
            for (std::size_t dim = mapping.size(); dim < type.rank(); ++dim)
                wrong("none", -1, at(dim));
        }
        std::vector<std::int32_t> seen;
        for (std::size_t dim = 0; dim < mapping.size(); ++dim) {
            if (mapping[dim].empty())
                wrong("none", -1, at(dim));
            for (const std::int32_t factor : mapping[dim]) {
                if (!exists(factor)) {
                    wrong("range", factor, at(dim));
                    continue;
                }
                m_used[static_cast<std::size_t>(factor)] = true;
                if (std::find(seen.begin(), seen.end(), factor) != seen.end())
                    wrong("twice", factor, at(dim));
                seen.push_back(factor);
                if (mapping[dim].size() > 1 && m_rule.sizes[static_cast<std::size_t>(factor)] == 1)
                    wrong("size_one", factor, at(dim));
            }
        }
    }

    void checkLists() const
    {
        struct Named {
            const char* name;
            const std::vector<std::int32_t>& list;
        };
        const Named kinds[] = { { "reduction", m_rule.reduction }, { "need_replication", m_rule.needReplication },
            { "permutation", m_rule.permutation }, { "blocked_propagation", m_rule.blocked } };
        for (const auto& [name, list] : kinds) {
            for (std::size_t i = 0; i < list.size(); ++i) {
                if (!exists(list[i]))
                    m_report(
                        Code::BadRule, { { "wrong", "list" }, { "list", name }, { "factor", factorName(list[i]) } });
                if (i > 0 && list[i] <= list[i - 1])
                    wrong("order", list[i], { { "list", name } });
            }
        }
        for (std::size_t a = 0; a < 3; ++a)
            for (std::size_t b = a + 1; b < 3; ++b)
                for (const std::int32_t factor : kinds[a].list)
                    if (std::find(kinds[b].list.begin(), kinds[b].list.end(), factor) != kinds[b].list.end())
                        wrong("two_kinds", factor, { { "list", kinds[a].name }, { "other", kinds[b].name } });
        for (const DeclaredRule::Mapping& mapping : m_rule.results)
            for (const auto& dim : mapping)
                for (const std::int32_t factor : dim)
                    if (std::find(m_rule.reduction.begin(), m_rule.reduction.end(), factor) != m_rule.reduction.end())
                        wrong("reduced", factor);
    }

    const Program& m_program;
    const DeclaredRule& m_rule;
    const Report& m_report;
    std::vector<bool> m_used;
};

} // namespace

void checkRule(const Program& program, const Operation& operation, const std::string& text, const Report& report)
{
    if (const auto rule = parseDeclaredRule(text))
        RuleCheck(program, *rule, report).run(operation);
    else
        report(Code::BadRule, { { "wrong", "unreadable" }, { "found", text } });
}

} // namespace shardscope::verification
