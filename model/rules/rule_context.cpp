// SPDX-License-Identifier: GPL-3.0-or-later
#include "rules/rule_context.h"

#include <algorithm>

#include "base/codes.h"

namespace shardscope {

namespace {

SpecEntry renamed(const LogicalName& name, const LogicalRules& rules)
{
    if (name.kind == LogicalName::Kind::None)
        return SpecEntry::none();
    if (name.kind == LogicalName::Kind::Unconstrained)
        return SpecEntry::unconstrained();
    const auto last = std::find_if(
        rules.list.rbegin(), rules.list.rend(), [&](const LogicalRule& rule) { return rule.name == name; });
    return last == rules.list.rend() ? SpecEntry::axis(name.name) : last->target;
}

} // namespace

Result<PartitionSpec> applyRules(const LogicalNames& names, const LogicalRules& context, const LogicalRules& own)
{
    SHARDSCOPE_TRY(rules, compositeRules(context, own));
    if (!rules->isSequence)
        return fail(Code::RulesType);
    for (std::size_t i = 0; i < rules->list.size(); ++i)
        if (rules->list[i].arity != 2)
            return fail(Code::RuleArity, { { "rule", i }, { "length", rules->list[i].arity } });
    PartitionSpec spec;
    for (const LogicalName& name : names)
        spec.entries.push_back(renamed(name, *rules));
    return spec;
}

} // namespace shardscope
