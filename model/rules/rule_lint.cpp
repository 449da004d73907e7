// SPDX-License-Identifier: GPL-3.0-or-later
#include "rules/rule_lint.h"

#include <algorithm>

#include "base/codes.h"

namespace shardscope {

Diagnostic unknownAxis(
    std::size_t rule, const LogicalRule& named, const std::string& axis, const std::vector<std::string>& known)
{
    return { Code::RuleUnknownAxis,
        { { "rule", rule + 1 }, { "name", named.name.name }, { "axis", axis }, { "known", known } }, {} };
}

std::vector<Diagnostic> unknownAxes(const LogicalRules& rules, const std::vector<std::string>& known)
{
    std::vector<Diagnostic> list;
    for (std::size_t i = 0; i < rules.list.size(); ++i)
        for (const std::string& axis : rules.list[i].target.axes)
            if (std::find(known.begin(), known.end(), axis) == known.end())
                list.push_back(unknownAxis(i, rules.list[i], axis, known));
    return list;
}

} // namespace shardscope
