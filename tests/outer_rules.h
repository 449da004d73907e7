// SPDX-License-Identifier: GPL-3.0-or-later
// Edits of the outer list of rules, which most tests mean.
#pragma once

#include <string>
#include <utility>

#include "experiment/rule_edits.h"

namespace shardscope {

inline Result<Experiment> withRuleMoved(const Experiment& before, std::size_t from, std::size_t to)
{
    return withRuleMoved(before, RuleList(), from, to);
}

inline Result<Experiment> withRuleReplaced(const Experiment& before, std::size_t rule, LogicalRule replacement)
{
    return withRuleReplaced(before, RuleList(), rule, std::move(replacement));
}

inline Result<Experiment> withRuleInserted(const Experiment& before, std::size_t position, LogicalRule rule)
{
    return withRuleInserted(before, RuleList(), position, std::move(rule));
}

inline Result<Experiment> withRuleRemoved(const Experiment& before, std::size_t rule)
{
    return withRuleRemoved(before, RuleList(), rule);
}

inline Result<Experiment> withAxisAppendedToRule(const Experiment& before, std::size_t rule, std::string axis)
{
    return withAxisAppendedToRule(before, RuleList(), rule, std::move(axis));
}

} // namespace shardscope
