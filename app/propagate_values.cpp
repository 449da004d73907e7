// SPDX-License-Identifier: GPL-3.0-or-later
#include "propagate_values.h"

#include "base/codes.h"
#include "program/name_values.h"

namespace shardscope::cli {

Result<ValueId> valueAsked(const Program& program, std::string name)
{
    if (const ValueId value = valueNamed(program, name); value.valid())
        return value;
    std::vector<Arg> args{ { "key", "value" }, { "value", name } };
    std::vector<std::string> known = pathsOfName(program, name);
    if (known.empty()) {
        for (const Value& value : program.values)
            if (!value.path.empty())
                known.push_back(value.path);
        if (name.starts_with('%'))
            name.erase(0, 1);
        if (std::string nearest = nearestName(name, known); !nearest.empty())
            args.emplace_back("nearest", std::move(nearest));
    }
    if (known.size() > 20)
        known.resize(20);
    args.emplace_back("known", std::move(known));
    return fail(Code::UnknownValue, std::move(args));
}

} // namespace shardscope::cli
