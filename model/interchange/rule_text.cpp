// SPDX-License-Identifier: GPL-3.0-or-later
#include "interchange/rule_text.h"

#include "sharding/text.h"

namespace shardscope {

std::string toPythonSource(const LogicalRules& rules, std::string_view variable)
{
    std::string source = variable.empty() ? std::string() : std::string(variable) + " = ";
    source += rules.isSequence ? "(" : "{";
    for (const LogicalRule& rule : rules.list) {
        std::string text = toPython(LogicalRules{ { rule }, rules.isSequence }); // (('batch', 'data'),)
        text = text.substr(1, text.size() - (rules.isSequence ? 3 : 2));
        source += "\n    " + text + ",";
    }
    if (!rules.list.empty())
        source += "\n";
    return source + (rules.isSequence ? ")\n" : "}\n");
}

} // namespace shardscope
