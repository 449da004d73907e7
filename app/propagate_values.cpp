// SPDX-License-Identifier: GPL-3.0-or-later
#include "propagate_values.h"

#include "input.h"
#include "program/name_values.h"
#include "program/path.h"

namespace shardscope::cli {

Result<ValueId> valueAsked(const Program& program, const std::string& name)
{
    if (const ValueId value = valueNamed(program, name); value.valid())
        return value;
    std::vector<std::string> known = pathsOfName(program, name);
    // Of a name that several values have those are known; else all.
    const bool several = !known.empty();
    if (!several)
        if (const Result<ValueId> ending = findValue(program, name))
            return *ending;
    for (std::size_t i = 0; !several && i < program.values.size(); ++i)
        if (!program.values[i].path.empty())
            known.push_back(program.values[i].path);
    return tl::unexpected(unknownValue("value", name, std::move(known)));
}

} // namespace shardscope::cli
